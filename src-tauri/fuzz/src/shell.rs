//! Commands: whatever the text, the analysis ends, points into it, and calls nothing reading
//! that it did not understand.

use std::path::Path;

use adroit_shell::{Analysis, ReasonCode, ShellContext, analyze, exit_meaning};

/// Analyses the text as a command.
pub fn check(data: &[u8]) {
    let Ok(command) = std::str::from_utf8(data) else {
        return;
    };
    let analysis = look(command);
    points_into(command, &analysis);
    // Where the parsers disagree, or one of them does not know, nothing is reading.
    assert!(
        analysis.understood || (!analysis.read_only && analysis.parts.is_empty()),
        "{command:?} is not understood, and reading"
    );
    let disagrees = analysis.reasons.iter().any(|reason| {
        matches!(
            reason.code,
            ReasonCode::NotUnderstood | ReasonCode::Limit | ReasonCode::DeceptiveCharacter
        )
    });
    assert!(
        !(disagrees && analysis.read_only),
        "{command:?} is reading and not understood"
    );
    let free = analysis.read_only && !analysis.outside_workspace;
    assert!(
        free || !analysis.reasons.is_empty() || command.trim().is_empty(),
        "{command:?} asks for no reason"
    );
    assert!(
        !analysis.read_only
            || (analysis.parts.iter().all(|part| part.read_only)
                && analysis.destructive.is_none()
                && analysis.critical.is_none()
                && !analysis.network
                && !analysis.privilege),
        "{command:?} is reading, and does something else, too"
    );
    for part in analysis.parts.iter().chain(&analysis.suspected_parts) {
        part.allow_forms();
        part.deny_forms();
        part.refuses_prefix_rules();
    }
    exit_meaning(command, 1);
    // Another removal behind it is never overlooked, unless it stands in a quote or a document
    // that the text leaves open.
    let longer = look(&format!("rm x\n{command}"));
    assert!(!longer.read_only, "a removal before {command:?} is reading");
    if let Some(edit) = &analysis.sed_edit {
        let applied = edit.apply("one two\nthree\n");
        assert!(
            applied.is_none_or(|text| text.len() < 1 << 20),
            "{command:?} makes too much of a line"
        );
    }
}

fn look(command: &str) -> Analysis {
    analyze(
        command,
        &ShellContext {
            cwd: Path::new("/w/project"),
            workspace: Path::new("/w/project"),
            additional_directories: &[],
            home: Path::new("/home/dev"),
        },
    )
}

fn points_into(command: &str, analysis: &Analysis) {
    let spans = analysis
        .reasons
        .iter()
        .map(|reason| &reason.span)
        .chain(analysis.paths.iter().map(|path| &path.span))
        .chain(analysis.mentions.iter().map(|path| &path.span))
        .chain(analysis.parts.iter().map(|part| &part.span))
        .chain(analysis.destructive.iter().map(|lost| &lost.span))
        .chain(analysis.critical.iter().map(|critical| &critical.span));
    for span in spans {
        assert!(
            command.get(span.clone()).is_some(),
            "{command:?}: {span:?} is not in it"
        );
    }
    for reason in &analysis.reasons {
        assert!(!reason.message.is_empty(), "{command:?}: {reason:?}");
    }
}
