//! Everyday reads that must not ask, and traps that must.

mod acts;
mod elsewhere;
mod reads;
mod runs;
mod tools;

use super::look;

#[test]
fn everyday_reads_do_not_ask() {
    let wrong: Vec<String> = [reads::PROGRAMS, tools::TOOLS]
        .iter()
        .copied()
        .flatten()
        .filter_map(|command| {
            let analysis = look(command);
            let allowed =
                analysis.read_only && !analysis.outside_workspace && analysis.destructive.is_none();
            (!allowed).then(|| {
                format!(
                    "{command:?}: {:?}",
                    analysis
                        .reasons
                        .iter()
                        .map(|reason| &reason.message)
                        .collect::<Vec<_>>()
                )
            })
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} ask:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn reads_elsewhere_ask_as_reads() {
    let wrong: Vec<String> = elsewhere::OUTSIDE
        .iter()
        .filter_map(|command| {
            let analysis = look(command);
            let right = analysis.read_only && analysis.outside_workspace;
            (!right).then(|| {
                format!(
                    "{command:?}: read_only {} outside {} {:?}",
                    analysis.read_only, analysis.outside_workspace, analysis.reasons
                )
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_acts_asks() {
    let acts = [
        acts::PROGRAMS,
        acts::WRITES,
        runs::RUNS,
        runs::GIT,
        runs::SHELL,
    ];
    let wrong: Vec<&&str> = acts
        .iter()
        .copied()
        .flatten()
        .filter(|command| look(command).read_only)
        .collect();
    assert!(
        wrong.is_empty(),
        "{} pass as reading:\n{wrong:#?}",
        wrong.len()
    );
}

#[test]
fn what_is_not_understood_says_so() {
    for command in [
        "cat <<A <<B\na\nA\nb\nB\nrm x",
        "fi; rm x",
        "r\\\nm x",
        "select x in a; do echo; done",
    ] {
        let analysis = look(command);
        assert!(!analysis.understood, "{command:?}");
        assert!(analysis.parts.is_empty(), "{command:?}");
        assert!(!analysis.reasons.is_empty(), "{command:?}");
    }
}
