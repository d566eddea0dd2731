//! Commands with what the manuals of their programs say that they do.

use super::corpus::cases;
use super::look;

/// What is expected of one command.
#[derive(Debug, PartialEq, Eq)]
struct Expected {
    read_only: bool,
    outside: bool,
    destructive: bool,
}

fn expected(mark: &str) -> Expected {
    let (mark, destructive) = match mark.strip_suffix('!') {
        Some(mark) => (mark, true),
        None => (mark, false),
    };
    let (read_only, outside) = match mark {
        "read" => (true, false),
        "outside" => (true, true),
        "acts" => (false, false),
        "reaches" => (false, true),
        other => panic!("{other} is no mark"),
    };
    Expected {
        read_only,
        outside,
        destructive,
    }
}

#[test]
fn everyday_commands_are_what_their_manuals_say() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() > 2_500, "{}", cases.len());
    for case in cases {
        let analysis = look(case.command);
        let found = Expected {
            read_only: analysis.read_only,
            outside: analysis.outside_workspace,
            destructive: analysis.destructive.is_some(),
        };
        if found != expected(case.mark) {
            let reasons: Vec<&str> = analysis
                .reasons
                .iter()
                .map(|reason| reason.message.as_str())
                .collect();
            wrong.push(format!(
                "{} {}\n    {found:?} {reasons:?}",
                case.mark, case.command
            ));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
