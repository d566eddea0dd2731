//! Every verdict says which word is to blame, and why.

use super::corpus::cases;
use super::look;
use crate::ReasonCode;

#[test]
fn what_is_not_reading_inside_names_the_word_that_says_so() {
    let mut wrong = Vec::new();
    for case in cases() {
        let analysis = look(case.command);
        let free = analysis.read_only && !analysis.outside_workspace;
        if free != analysis.reasons.is_empty() {
            wrong.push(format!(
                "{}: {} reasons",
                case.command,
                analysis.reasons.len()
            ));
        }
        for reason in &analysis.reasons {
            let word = case.command.get(reason.span.clone()).unwrap_or_default();
            if word.trim().is_empty() || reason.message.trim().is_empty() {
                wrong.push(format!("{}: {reason:?}", case.command));
            }
        }
        if let Some(destruction) = &analysis.destructive {
            let word = case.command.get(destruction.span.clone());
            let told = destruction.sentence.ends_with('.') && destruction.sentence.len() > 8;
            if word.is_none_or(str::is_empty) || !told {
                wrong.push(format!("{}: {destruction:?}", case.command));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_kind_of_a_reason_says_what_the_case_is_about() {
    for (command, code, word) in [
        (
            "cp a /etc/hosts",
            ReasonCode::OutsideWorkspace,
            "/etc/hosts",
        ),
        ("echo x > out", ReasonCode::WritesFile, "out"),
        ("cat \"$F\"", ReasonCode::UnknownPath, "\"$F\""),
        ("sudo ls", ReasonCode::Privilege, "sudo"),
        ("curl https://h", ReasonCode::Network, "curl"),
        ("sort -o a b", ReasonCode::NotReadOnlyArgument, "-o"),
        (
            "find . -name x -delete",
            ReasonCode::NotReadOnlyArgument,
            "-delete",
        ),
        ("./deploy.sh", ReasonCode::UnknownProgram, "./deploy.sh"),
        ("$X ls", ReasonCode::ComputedCommand, "$X"),
        ("PATH=. ls", ReasonCode::Assignment, "PATH=."),
        ("ls &", ReasonCode::Background, "ls"),
        ("rm -rf build", ReasonCode::Destructive, "rm"),
        ("echo $((x+1))", ReasonCode::Expansion, "$((x+1))"),
        (
            "git log --output=x",
            ReasonCode::NotReadOnlyArgument,
            "--output=x",
        ),
        ("git -C sub log", ReasonCode::NotReadOnlyArgument, "-C"),
        ("rg --pre=x foo", ReasonCode::NotReadOnlyArgument, "--pre=x"),
        ("cd ..; ls", ReasonCode::OutsideWorkspace, ".."),
    ] {
        let analysis = look(command);
        let told = analysis
            .reasons
            .iter()
            .any(|reason| reason.code == code && command.get(reason.span.clone()) == Some(word));
        assert!(told, "{command}: {:#?}", analysis.reasons);
    }
}
