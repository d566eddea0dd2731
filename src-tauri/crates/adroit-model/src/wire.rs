//! What both wires need: names and ids that every server accepts, and notes in place of images.

use std::borrow::Cow;

use serde_json::Value;

/// The longest id that every server takes.
const MAX_ID: usize = 40;
/// The longest tool name that every server takes.
const MAX_NAME: usize = 64;

/// A call's id as every server takes it: letters, digits, `_` and `-`. An id of another
/// server with anything else in it is spelled differently, always in the same way, so that
/// call and result stay a pair after a change of provider.
pub(crate) fn portable_id(id: &str) -> Cow<'_, str> {
    portable(id, MAX_ID)
}

/// A tool's name in the history, which may be anything that a model once invented.
pub(crate) fn portable_name(name: &str) -> Cow<'_, str> {
    portable(name, MAX_NAME)
}

fn portable(text: &str, longest: usize) -> Cow<'_, str> {
    let fits =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !text.is_empty() && text.len() <= longest && text.chars().all(fits) {
        return Cow::Borrowed(text);
    }
    let cleaned: String = text
        .chars()
        .map(|character| if fits(character) { character } else { '_' })
        .take(longest - 9)
        .collect();
    Cow::Owned(format!("{cleaned}_{:08x}", fnv(text)))
}

/// FNV-1a: the same in every run and on every machine, which the standard hasher does not promise.
fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// The value of a field, taken out; null where there is none, whatever `value` is.
pub(crate) fn take(value: &mut Value, field: &str) -> Value {
    value.get_mut(field).map(Value::take).unwrap_or_default()
}

/// What stands in place of an image for a model that takes none.
pub(crate) fn image_note(media_type: &str, data: &str) -> String {
    format!(
        "[An image ({media_type}, {} KB) was here. This model does not take images.]",
        (data.len() * 3 / 4).div_ceil(1024)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_every_server_takes() {
        assert_eq!(portable_id("toolu_01A-b"), "toolu_01A-b");
        assert_eq!(portable_id("functions.Read:0"), "functions_Read_0_12018a4e");
        assert_ne!(portable_id("a.b"), portable_id("a:b"));
        assert!(portable_id(&"x".repeat(90)).len() <= MAX_ID);
        assert!(!portable_name("").is_empty());
    }
}
