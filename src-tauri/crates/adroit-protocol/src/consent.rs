//! What the UI sends and gets where a person decides: answers to requests, changes before them,
//! rules that are remembered.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::permission::{Answer, Behavior, Mode, PermissionRequest, RuleEntry};
use crate::record::DecisionSummary;
use crate::wire::wire;
use crate::{CallId, RequestId, SessionId};

wire! {
    /// An answer to a request.
    struct AnswerRequest {
        /// Of which session.
        session: SessionId,
        /// Which request.
        request: RequestId,
        /// The nonce that came with it.
        nonce: String,
        /// The answer.
        answer: Answer,
    }
    /// Asks for the text of a waiting call.
    struct DraftQuery {
        /// Of which session.
        session: SessionId,
        /// Which request.
        request: RequestId,
        /// Places of the diff that are left out of it.
        rejected: Vec<u32>,
    }
    /// The text of a waiting call.
    struct DraftText {
        /// It.
        text: String,
    }
    /// A change to look at.
    struct PreviewChange {
        /// Of which session.
        session: SessionId,
        /// Which request.
        request: RequestId,
        /// The change.
        change: crate::permission::DraftChange,
    }
    /// What a change would do.
    struct ChangePreview {
        /// The call as it would run, absent where it cannot.
        view: Option<crate::view::View>,
        /// Why it cannot.
        problem: Option<String>,
    }
    /// A rule to check against a pending request.
    struct CheckRule {
        /// Of which session.
        session: SessionId,
        /// Which request.
        request: RequestId,
        /// The rule's text.
        rule: String,
    }
    /// What a rule would cover.
    struct RuleCheck {
        /// True where the rule is valid and covers the pending call.
        covers: bool,
        /// What it covers, or what is wrong with it.
        text: String,
        /// The broadest that it would allow, in words; absent where it covers nothing here.
        broadest: Option<String>,
        /// Calls of before that it would have let through without a question.
        past: Vec<PastMatch>,
        /// How many more of these there are.
        more: u32,
        /// How many calls of this project were looked at.
        looked_at: u32,
    }
    /// A call of before.
    struct PastMatch {
        /// Its tool.
        tool: String,
        /// What it was about: the command, the path.
        subject: String,
        /// How it was decided then, absent where that is not known.
        decided: Option<Behavior>,
    }
    /// Something that a person should know about a rule.
    struct RuleReport {
        /// The rule.
        rule: RuleEntry,
        /// What kind of oddity.
        kind: RuleOddity,
        /// One sentence.
        text: String,
    }
    /// Other rules, another mode.
    struct WhatIf {
        /// From which session on.
        session: SessionId,
        /// The mode; the present one when absent.
        mode: Option<Mode>,
        /// All rules; the present ones when absent.
        rules: Option<Vec<WhatIfRule>>,
        /// Look at the calls of all sessions of the project and not of this one only.
        whole_project: bool,
    }
    /// A rule that is tried.
    struct WhatIfRule {
        /// In which list.
        behavior: Behavior,
        /// The rule.
        rule: String,
    }
    /// What would have been decided otherwise.
    struct WhatIfAnswer {
        /// How many calls were looked at.
        looked_at: u32,
        /// Calls that would have been decided otherwise, newest first.
        changed: Vec<WhatIfChange>,
        /// How many more of these there are.
        more: u32,
        /// What is wrong with the rules that were tried.
        problems: Vec<String>,
    }
    /// A call that would have been decided otherwise.
    struct WhatIfChange {
        /// Of which session.
        session: SessionId,
        /// Which call.
        call: CallId,
        /// Its tool.
        tool: String,
        /// What it was about.
        subject: String,
        /// How it was decided then, by the person where they were asked.
        decided: Option<Behavior>,
        /// What the present rules and mode say.
        now: DecisionSummary,
        /// What the tried ones say.
        tried: DecisionSummary,
    }
    /// What waits for an answer, in all open sessions.
    struct Inbox {
        /// The requests, oldest first.
        requests: Vec<PermissionRequest>,
        /// The sessions that they are of.
        sessions: Vec<InboxSession>,
    }
    /// A session with requests.
    struct InboxSession {
        /// Which.
        session: SessionId,
        /// What it is about.
        title: String,
        /// Its project's folder.
        project: String,
    }
}

/// What may be odd about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleOddity {
    /// It cannot be read.
    Invalid,
    /// Another rule, which goes before it, matches whatever it matches.
    Unreachable,
    /// The same list says it already.
    Repeated,
    /// There is no call that it could match.
    MatchesNothing,
    /// It has ceased to hold.
    Expired,
}
