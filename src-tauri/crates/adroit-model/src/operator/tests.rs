use adroit_protocol::message::{CallInput, Content, Message, ResultContent, Role};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{EndedPart, StreamEvent};

/// A conversation with tools that answer from a table.
struct Conversation {
    messages: Vec<Message>,
    calls: usize,
}

impl Conversation {
    fn new(request: &str) -> Self {
        Self {
            messages: vec![Message::user(request)],
            calls: 0,
        }
    }

    fn next(&self) -> Reply {
        reply(&self.messages, Vec::new())
    }

    /// Answers the calls of a reply: text, or an error for text that begins with `!`.
    fn answer(&mut self, reply: &Reply, results: &[&str]) {
        assert_eq!(reply.calls.len(), results.len(), "{reply:?}");
        let mut said = Vec::new();
        let mut answers = Vec::new();
        for (call, result) in reply.calls.iter().zip(results) {
            self.calls += 1;
            let id = adroit_protocol::CallId::from(format!("c{}", self.calls));
            said.push(Content::ToolUse {
                id: id.clone(),
                name: call.tool.into(),
                input: call.input.clone(),
            });
            let error = result.strip_prefix('!');
            answers.push(Content::ToolResult {
                tool_use_id: id,
                content: vec![ResultContent::text(error.unwrap_or(result))],
                is_error: error.is_some(),
            });
        }
        self.messages.push(Message {
            role: Role::Assistant,
            content: said,
        });
        self.messages.push(Message {
            role: Role::User,
            content: answers,
        });
    }
}

/// The whole turn as text: what it says, what it calls, what it is told.
fn turn(request: &str, results: &[&[&str]]) -> String {
    let mut conversation = Conversation::new(request);
    let mut shown = String::new();
    let mut results = results.iter();
    loop {
        let reply = conversation.next();
        shown.push_str(&reply.text);
        shown.push('\n');
        if reply.calls.is_empty() {
            assert!(results.next().is_none(), "the turn ended early: {shown}");
            return shown;
        }
        for call in &reply.calls {
            shown.push_str(&format!("  → {} {}\n", call.tool, call.input));
        }
        let Some(results) = results.next() else {
            panic!("the turn goes on: {shown}")
        };
        conversation.answer(&reply, results);
    }
}

/// The examples of the documentation: request and expected calls.
fn examples() -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    let mut in_request = false;
    for line in include_str!("language.md").lines() {
        match line {
            "```text" => (inside, in_request) = (true, false),
            "```" => inside = false,
            _ if !inside => {}
            "" => in_request = false,
            _ => {
                if let Some(request) = line.strip_prefix("> ") {
                    if in_request {
                        let last = examples.last_mut().unwrap();
                        last.0 = format!("{}\n{request}", last.0);
                    } else {
                        examples.push((request.into(), Vec::new()));
                    }
                    in_request = true;
                } else {
                    examples.last_mut().unwrap().1.push(line.into());
                    in_request = false;
                }
            }
        }
    }
    examples
}

#[test]
fn every_example_of_the_documentation() {
    let examples = examples();
    assert!(examples.len() > 40, "{}", examples.len());
    let wrong: Vec<String> = examples
        .iter()
        .filter_map(|(request, expected)| {
            let reply = Conversation::new(request).next();
            let calls: Vec<String> = reply
                .calls
                .iter()
                .map(|call| format!("{} {}", call.tool, call.input))
                .collect();
            (calls != *expected)
                .then(|| format!("{request}\n  expected {expected:#?}\n  got {calls:#?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn plain_phrasings() {
    use super::command::{Command, Scope};
    let replace = |old: &str, new: &str, scope: Scope| Command::Replace {
        old: old.into(),
        new: new.into(),
        all: false,
        scope,
    };
    let file = |name: &str| Scope {
        files: vec![name.into()],
        ..Scope::default()
    };
    for (request, expected) in [
        (
            "Could you please read the file a.txt?",
            Command::Read {
                paths: vec!["a.txt".into()],
                first: None,
                count: None,
            },
        ),
        (
            "cat a.txt, b.txt",
            Command::Read {
                paths: vec!["a.txt".into(), "b.txt".into()],
                first: None,
                count: None,
            },
        ),
        (
            "show me the files in src/",
            Command::List {
                folder: "src/".into(),
            },
        ),
        (
            "replace foo by bar in a.txt",
            replace("foo", "bar", file("a.txt")),
        ),
        (
            "replace foo bar with built in x in a.txt",
            replace("foo bar", "built in x", file("a.txt")),
        ),
        (
            "replace \"with in\" with 'in with' in \"a b.txt\"",
            replace("with in", "in with", file("a b.txt")),
        ),
        (
            "change the text `a` to `b` in Makefile",
            replace("a", "b", file("Makefile")),
        ),
        (
            "replace foo with nothing in a.txt",
            replace("foo", "", file("a.txt")),
        ),
        (
            "replace foo with \"\" in a.txt",
            replace("foo", "", file("a.txt")),
        ),
        (
            "replace all occurrences of foo with bar in a.txt",
            Command::Replace {
                old: "foo".into(),
                new: "bar".into(),
                all: true,
                scope: file("a.txt"),
            },
        ),
        (
            "replace foo with bar in a.txt and b.txt",
            replace(
                "foo",
                "bar",
                Scope {
                    files: vec!["a.txt".into(), "b.txt".into()],
                    ..Scope::default()
                },
            ),
        ),
        (
            "replace colour with color in all markdown files in docs/",
            replace(
                "colour",
                "color",
                Scope {
                    glob: Some("*.md".into()),
                    folder: Some("docs/".into()),
                    ..Scope::default()
                },
            ),
        ),
        (
            "change color to colour across all files",
            replace("color", "colour", Scope::default()),
        ),
        (
            "run cargo test.",
            Command::Run {
                command: "cargo test".into(),
                outside: false,
            },
        ),
        (
            "run ls .",
            Command::Run {
                command: "ls .".into(),
                outside: false,
            },
        ),
        (
            "execute `ls -la`",
            Command::Run {
                command: "ls -la".into(),
                outside: false,
            },
        ),
        (
            "create out.txt that says \"it's done\"",
            Command::Create {
                path: "out.txt".into(),
                content: "it's done".into(),
            },
        ),
        (
            "write hello world into out.txt",
            Command::Create {
                path: "out.txt".into(),
                content: "hello world".into(),
            },
        ),
        ("what is this project about?", Command::Tour),
        ("explain this codebase", Command::Tour),
        ("what can you do?", Command::Help),
        ("hello", Command::Help),
    ] {
        assert_eq!(parse::commands(request), [expected], "{request}");
    }
}

#[test]
fn several_steps() {
    let steps = |request: &str| parse::commands(request).len();
    assert_eq!(steps("read a.txt and then run ls"), 2);
    assert_eq!(steps("create a.txt with \"x\" and run cat a.txt"), 2);
    assert_eq!(steps("create a.txt with this and run that"), 1);
    assert_eq!(steps("run make; make install"), 1);
    assert_eq!(
        steps("read a.txt; read b.txt, then list src. Then run ls"),
        4
    );
    assert_eq!(steps("- read a.txt\n- read b.txt\n\n- tour"), 3);
    assert_eq!(steps("read a.txt and b.txt"), 1);
    assert_eq!(
        steps("create a.md with:\n```\nrun x\nthen run y\n```\nthen run cat a.md"),
        2
    );
}

#[test]
fn words_that_are_no_command_get_the_list() {
    let shown = turn("sing <b>me</b> a song", &[]);
    assert!(
        shown.starts_with("I do not know how to do this: *sing bme/b a song*"),
        "{shown}"
    );
    assert!(shown.contains("| `tour` |"));
}

#[test]
fn a_file_is_shown() {
    insta::assert_snapshot!(turn("read a.rs", &[&["     1\tfn main() {}\n     2\t"]]), @r#"
    I read `a.rs`.
      → Read {"file_path":"a.rs"}
    **a.rs**, 2 lines:

    ```rust
    fn main() {}

    ```
    "#);
}

#[test]
fn a_folder_is_listed_where_it_was_to_be_read() {
    insta::assert_snapshot!(turn("read src", &[&["!src is a directory"], &["src/a.rs\nsrc/b/c.rs"]]), @r#"
    I read `src`.
      → Read {"file_path":"src"}
    `src` is a folder.

    I list `src`.
      → Glob {"pattern":"**/*","path":"src"}
    In `src`:

    - `b/` (1 file)
    - `a.rs`
    "#);
}

#[test]
fn replacing_across_files() {
    let shown = turn(
        "replace foo with bar in all files",
        &[
            &["a.txt\nb.txt\nc.txt\n[a remark]"],
            &["     1\tfoo", "     1\tfoo foo", "!gone"],
            &["ok", "!The user declined: not this one"],
        ],
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn each_occurrence_in_a_file() {
    let mut conversation = Conversation::new("replace foo with bar in a.txt");
    let first = conversation.next();
    let edit =
        |conversation: &Conversation| conversation.next().calls[0].input["replace_all"].clone();
    conversation.answer(&first, &["     1\tfoo\n     2\tfoo"]);
    assert_eq!(edit(&conversation), json!(true));
    conversation.messages.truncate(1);
    conversation.answer(&first, &["     1\tfoo"]);
    assert_eq!(edit(&conversation), json!(false));
}

#[test]
fn a_denied_call_ends_the_request_and_is_not_repeated() {
    let shown = turn(
        "create a.txt with \"hi\" then run cat a.txt",
        &[&["!The user declined this call and says: use b.txt"]],
    );
    insta::assert_snapshot!(shown, @r#"
    I write `a.txt` (1 line).
      → Write {"file_path":"a.txt","content":"hi"}
    Writing `a.txt` did not happen. What I was told:

    > The user declined this call and says: use b.txt

    So I did not go on: 1 step of the request left undone.
    "#);
}

#[test]
fn an_existing_file_is_read_before_it_is_replaced() {
    let shown = turn(
        "create a.txt with \"hi\"",
        &[
            &["!a.txt has not been read yet. Read it first."],
            &["     1\told"],
            &["ok"],
        ],
    );
    insta::assert_snapshot!(shown, @r#"
    I write `a.txt` (1 line).
      → Write {"file_path":"a.txt","content":"hi"}
    `a.txt` is there already, so I read it before I propose to replace it.
      → Read {"file_path":"a.txt"}

      → Write {"file_path":"a.txt","content":"hi"}
    `a.txt` is written.
    "#);
}

#[test]
fn commands_show_their_output() {
    insta::assert_snapshot!(turn("run ls then run false", &[&["a\nb"], &["!Exit code 1\nno"]]), @r#"
    I run `ls`.
      → Bash {"command":"ls","description":"Run ls"}
    It succeeded:

    ```
    a
    b
    ```

    I run `false`.
      → Bash {"command":"false","description":"Run false"}
    `false` did not succeed:

    ```
    Exit code 1
    no
    ```
    "#);
    let benign = turn("run grep x f", &[&["(no output)\nExit code 1: no match."]]);
    assert!(
        benign.contains("It ended with this") && !benign.contains("succeeded"),
        "{benign}"
    );
    let denied = turn("run rm x", &[&["!Permission denied: no"]]);
    assert!(
        denied.contains("The run of `rm x` did not happen"),
        "{denied}"
    );
    assert!(
        turn("run the tests", &[&["package.json\nCargo.toml"], &["ok"]]).contains("cargo test")
    );
    assert!(turn("run the tests", &[&["[no files match]"]]).contains("Tell me the command"));
}

#[test]
fn a_tour_reads_in_parallel_and_sums_up() {
    let shown = turn(
        "tour",
        &[
            &[
                "README.md\nCargo.toml\nsrc/main.rs\nsrc/a.rs",
                "README.md\nCargo.toml\nsrc/main.rs",
            ],
            &[
                "     1\t# Thing\n     2\t\n     3\tIt counts sheep.",
                "     1\t[package]\n     2\tname = \"thing\"",
                "     1\tfn main() {}",
            ],
        ],
    );
    insta::assert_snapshot!(shown);
    let empty = turn("tour", &[&["[no files match]", "[no files match]"]]);
    assert!(empty.contains("There are no files here yet"), "{empty}");
}

#[test]
fn a_missing_tool_is_said() {
    let reply = reply(&[Message::user("run ls")], vec!["Read".into()]);
    assert!(
        reply.calls.is_empty() && reply.text.contains("**Bash**"),
        "{reply:?}"
    );
}

#[test]
fn a_new_request_forgets_the_old_results() {
    let mut conversation = Conversation::new("read a.txt");
    let first = conversation.next();
    conversation.answer(&first, &["     1\tx"]);
    conversation
        .messages
        .push(Message::user("<system-reminder>be brief</system-reminder>"));
    assert!(
        conversation.next().calls.is_empty(),
        "a note of the program is no request"
    );
    conversation.messages.push(Message::user("read b.txt"));
    assert_eq!(
        conversation.next().calls[0].input,
        json!({"file_path": "b.txt"})
    );
}

fn ask(messages: Vec<Message>, delay: Duration) -> ModelStream {
    let request = crate::testing::request(messages);
    Operator::new(delay).stream(Arc::new(request), CancellationToken::new())
}

#[tokio::test]
async fn it_streams_in_pieces_like_a_model() {
    let content = "word ".repeat(400);
    let events: Vec<StreamEvent> = ask(
        vec![Message::user(format!("create a.txt with \"{content}\""))],
        Duration::ZERO,
    )
    .map(|event| event.unwrap())
    .collect()
    .await;
    let json: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::Arguments { json, .. } => Some(json.as_str()),
            _ => None,
        })
        .collect();
    assert!(json.len() > 50 && json.len() <= 160, "{}", json.len());
    let whole: Value = serde_json::from_str(&json.concat()).unwrap();
    let ended = events.iter().find_map(|event| match event {
        StreamEvent::End {
            content: EndedPart::Call(call),
            ..
        } => Some(call),
        _ => None,
    });
    assert_eq!(ended.unwrap().input, CallInput::Object(whole));
    assert!(matches!(events.last(), Some(StreamEvent::Finish { .. })));
    crate::testing::check_order(&events);
}

#[tokio::test(start_paused = true)]
async fn it_pauses_before_pieces_and_stops_at_once() {
    let begun = tokio::time::Instant::now();
    let mut stream = ask(vec![Message::user("help")], Duration::from_millis(8));
    while stream.next().await.is_some() {}
    assert!(begun.elapsed() > Duration::from_millis(8 * 20));

    let cancel = CancellationToken::new();
    let request = crate::testing::request(vec![Message::user("help")]);
    let mut stream =
        Operator::new(Duration::from_secs(60)).stream(Arc::new(request), cancel.clone());
    assert!(stream.next().await.unwrap().is_ok());
    cancel.cancel();
    assert_eq!(stream.next().await.unwrap(), Err(ModelError::Cancelled));
    assert!(stream.next().await.is_none());
}

proptest::proptest! {
    #[test]
    fn any_words_give_an_answer(request in "(read|list|find|create|replace|run|edit|in|then|and|with|to|all|\"|'|`|```\n|;|->|[a-z.*/]{1,5}|\n| ){0,20}") {
        let reply = reply(&[Message::user(request)], Vec::new());
        assert!(!reply.text.is_empty() || !reply.calls.is_empty());
    }
}
