//! A plain `sed -i` as an edit.

use adroit_protocol::view::Block;
use adroit_tool::{Stage, Tool};

use super::{Fixture, input};

fn diff_of(blocks: &[Block]) -> Option<(String, u64, u64)> {
    blocks.iter().find_map(|block| match block {
        Block::Diff(diff) => Some((
            diff.path.clone(),
            u64::from(diff.added),
            u64::from(diff.removed),
        )),
        _ => None,
    })
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_plain_sed_in_place_is_shown_and_done_as_an_edit() {
    let fixture = Fixture::new();
    let file = fixture.root.join("a b.txt");
    std::fs::write(&file, "one\ntwo one\r\nlast one").expect("a file");
    let input = input("sed -i 's/one/1/' 'a b.txt'");
    let view = fixture.bash.preview(&input, &fixture.context).await;
    assert_eq!(diff_of(&view.blocks), Some(("a b.txt".to_owned(), 3, 3)));
    let outcome = fixture.run_with(input.clone()).await.expect("success");
    assert_eq!(
        std::fs::read_to_string(&file).expect("the file"),
        "1\ntwo 1\r\nlast 1"
    );
    assert!(outcome.data.terminal.is_none(), "no process was started");
    let view = fixture.bash.present(Stage::Succeeded {
        input: &input,
        output: &outcome.data,
    });
    assert_eq!(diff_of(&view.blocks), Some(("a b.txt".to_owned(), 3, 3)));
    assert_eq!(outcome.data.for_model(), "(no output)\na b.txt (+3 −3)");
    // Again there is nothing to replace.
    let text = fixture.text("sed -i 's/one/1/' 'a b.txt'").await;
    assert_eq!(
        text,
        "(no output)\nNothing in the file fits: it is unchanged."
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_sed_whose_file_changed_after_it_was_shown_writes_nothing() {
    let fixture = Fixture::new();
    let file = fixture.root.join("a.txt");
    std::fs::write(&file, "one\n").expect("a file");
    let input = input("sed -i 's/one/1/' a.txt");
    fixture.bash.preview(&input, &fixture.context).await;
    std::fs::write(&file, "one and one\n").expect("a file");
    let failure = fixture.run_with(input.clone()).await.expect_err("stale");
    assert_eq!(failure.code, "stale");
    assert_eq!(
        std::fs::read_to_string(&file).expect("the file"),
        "one and one\n"
    );
    // Not shown, it is done on what is there.
    fixture.run_with(input).await.expect("success");
    assert_eq!(
        std::fs::read_to_string(&file).expect("the file"),
        "1 and one\n"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_not_surely_sed_runs_as_sed() {
    let fixture = Fixture::new();
    let file = fixture.root.join("a.txt");
    std::fs::write(&file, "one\n").expect("a file");
    std::os::unix::fs::symlink("a.txt", fixture.root.join("link")).expect("a link");
    std::fs::hard_link(&file, fixture.root.join("twin")).expect("a link");
    for command in [
        // Sed itself takes the names apart, so this one comes first.
        "sed -i 's/one/1/' twin",
        "sed -i 's/one\\|two/1/' a.txt",
        "sed -i 's/1/one/' link",
        "sed -i.bak 's/one/1/' a.txt",
        "sed -i 's/one/\\U&/' a.txt",
    ] {
        let view = fixture
            .bash
            .preview(&input(command), &fixture.context)
            .await;
        assert_eq!(diff_of(&view.blocks), None, "{command}");
        let outcome = fixture.run(command).await.expect("success");
        assert!(outcome.data.terminal.is_some(), "{command}");
    }
}
