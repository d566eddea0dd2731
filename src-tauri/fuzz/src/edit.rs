//! Edits: whatever the bytes of a file, what is read of it gives the bytes back, and an edit
//! changes the replaced places and nothing else.

use std::path::Path;

use adroit_workspace::{LoadedText, plan_edit};

/// The bytes of a file, what to replace and by what.
pub fn check(data: &[u8]) {
    let [old, new, bytes] = crate::parts(data);
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
        return;
    };
    let Ok(loaded) = LoadedText::from_bytes(bytes.to_vec(), Path::new("file")) else {
        return;
    };
    let back = loaded.encoding.encode(&loaded.text).map(|body| {
        let mark = loaded.encoding.mark();
        [mark, body.as_slice()].concat()
    });
    assert_eq!(
        back.as_deref().ok(),
        Some(bytes),
        "decoding and encoding lose something"
    );
    for everywhere in [false, true] {
        let Ok(plan) = plan_edit(&loaded, old, new, everywhere) else {
            continue;
        };
        assert!(plan.count > 0 && plan.lines.len() == plan.count, "{plan:?}");
        assert!(everywhere || plan.count == 1, "{plan:?}");
        let again = LoadedText::from_bytes(plan.bytes.clone(), Path::new("file"));
        if let Ok(again) = again
            && again.encoding == loaded.encoding
        {
            assert_eq!(again.text, plan.text, "the text is not what the bytes say");
        }
        // What stands before the first and behind the last place stays as it was.
        let before = common(&loaded.text, &plan.text);
        let kept: usize = loaded
            .text
            .split('\n')
            .take(plan.lines.first().map_or(0, |line| line - 1))
            .map(|line| line.len() + 1)
            .sum();
        assert!(
            before >= kept || loaded.endings.cr_only(),
            "a line before the first place was changed"
        );
    }
}

/// How many bytes two texts have in common at their beginning.
fn common(one: &str, other: &str) -> usize {
    one.bytes()
        .zip(other.bytes())
        .take_while(|(one, other)| one == other)
        .count()
}
