//! Every combination of rule, hook, tool check, safety check, trust and mode.

use adroit_protocol::permission::{Behavior, Mode};
use serde_json::json;

use super::support::{ALLOW, ASK, DENY, call, entry, snapshot};
use crate::{CallFacts, HookOpinion, ToolCheck, decide};

const LISTS: [Option<Behavior>; 4] = [None, Some(ALLOW), Some(ASK), Some(DENY)];

/// What a call is, from the tool's side.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    ReadInside,
    ReadOutside,
    EditInside,
    EditOutside,
    Protected,
    Interaction,
}

const KINDS: [Kind; 6] = [
    Kind::ReadInside,
    Kind::ReadOutside,
    Kind::EditInside,
    Kind::EditOutside,
    Kind::Protected,
    Kind::Interaction,
];

fn facts(kind: Kind) -> CallFacts {
    let (tool, path) = match kind {
        Kind::ReadInside => ("Read", "/w/project/a"),
        Kind::ReadOutside => ("Read", "/etc/hosts"),
        Kind::EditInside => ("Edit", "/w/project/a"),
        Kind::EditOutside => ("Edit", "/etc/hosts"),
        Kind::Protected => ("Edit", "/w/project/.git/config"),
        Kind::Interaction => {
            let mut facts = call("AskUserQuestion", json!({}));
            facts.read_only = true;
            facts.requires_interaction = true;
            return facts;
        }
    };
    call(tool, json!({ "file_path": path }))
}

fn hooks() -> [HookOpinion; 4] {
    let hook = || "guard".to_owned();
    let reason = || "because".to_owned();
    [
        HookOpinion::None,
        HookOpinion::Allow { hook: hook() },
        HookOpinion::Ask {
            hook: hook(),
            reason: reason(),
        },
        HookOpinion::Deny {
            hook: hook(),
            reason: reason(),
        },
    ]
}

fn checks() -> [ToolCheck; 4] {
    let ask = |bypass_immune| ToolCheck::Ask {
        reason: "odd".to_owned(),
        bypass_immune,
    };
    [
        ToolCheck::Pass,
        ask(false),
        ask(true),
        ToolCheck::Deny {
            reason: "no".to_owned(),
        },
    ]
}

/// The table, said in one other way than the code says it.
fn expected(
    kind: Kind,
    rule: Option<Behavior>,
    hook: &HookOpinion,
    check: &ToolCheck,
    mode: Mode,
    trusted: bool,
) -> Behavior {
    let denied = rule == Some(DENY)
        || matches!(check, ToolCheck::Deny { .. })
        || matches!(hook, HookOpinion::Deny { .. });
    let reads_inside = matches!(kind, Kind::ReadInside | Kind::Interaction);
    if denied || (!trusted && !reads_inside) {
        return DENY;
    }
    let question = if mode == Mode::DontAsk { DENY } else { ASK };
    let forced = rule == Some(ASK)
        || matches!(kind, Kind::Protected | Kind::Interaction)
        || matches!(hook, HookOpinion::Ask { .. })
        || matches!(
            check,
            ToolCheck::Ask {
                bypass_immune: true,
                ..
            }
        );
    if forced {
        return question;
    }
    let by_rule = rule == Some(ALLOW)
        && !(mode == Mode::Plan && matches!(kind, Kind::EditInside | Kind::EditOutside));
    let by_mode = *check == ToolCheck::Pass
        && (kind == Kind::ReadInside || (mode == Mode::AcceptEdits && kind == Kind::EditInside));
    let allowed = matches!(hook, HookOpinion::Allow { .. })
        || (mode == Mode::BypassPermissions && trusted)
        || by_rule
        || by_mode;
    if allowed { ALLOW } else { question }
}

#[test]
fn every_combination() {
    let mut seen = 0;
    for kind in KINDS {
        for rule in LISTS {
            for hook in hooks() {
                for check in checks() {
                    for mode in Mode::ALL {
                        for trusted in [true, false] {
                            let mut facts = facts(kind);
                            facts.hook = hook.clone();
                            facts.tool_check = check.clone();
                            let entries = rule
                                .map(|list| entry(list, &facts.tool))
                                .into_iter()
                                .collect();
                            let mut snapshot = snapshot(mode, entries);
                            snapshot.trusted = trusted;
                            let got = decide(&snapshot, facts).behavior();
                            let want = expected(kind, rule, &hook, &check, mode, trusted);
                            assert_eq!(
                                got, want,
                                "{kind:?} {rule:?} {hook:?} {check:?} {mode:?} trusted {trusted}"
                            );
                            seen += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, 6 * 4 * 4 * 4 * 6 * 2);
}
