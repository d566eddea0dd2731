//! Which expansions only look, and what an escape stands for.

use super::word::is_name;

/// The character of a numeric escape, and the bytes of `rest` that belong to it.
/// Only plain ASCII is decoded.
pub(super) fn numeric(kind: char, rest: &str) -> Option<(char, usize)> {
    let (radix, most, first) = match kind {
        'x' => (16, 2, None),
        'u' => (16, 4, None),
        'U' => (16, 8, None),
        digit => (8, 2, digit.to_digit(8)),
    };
    let mut value = first.unwrap_or(0);
    let mut length = 0;
    for character in rest.chars().take(most) {
        let Some(digit) = character.to_digit(radix) else {
            break;
        };
        value = value.checked_mul(radix)?.checked_add(digit)?;
        length += 1;
    }
    if length == 0 && first.is_none() {
        return None;
    }
    let character = char::from_u32(value)?;
    (character != '\0' && character.is_ascii()).then_some((character, length))
}

/// Expansions that only look at a variable: length, default, removal of a
/// pattern, replacement, letter case, literal substring.
pub(super) fn is_harmless_parameter(inner: &str) -> bool {
    // A whole array, or an element whose subscript is a number.
    if let Some((name, rest)) = inner.trim_start_matches('#').split_once('[') {
        let subscript = rest.strip_suffix(']').unwrap_or_default();
        let is_number =
            !subscript.is_empty() && subscript.bytes().all(|byte| byte.is_ascii_digit());
        return is_name(name) && (is_number || matches!(subscript, "@" | "*"));
    }
    if let Some(name) = inner.strip_prefix('#') {
        return name.is_empty() || is_name(name) || name == "@" || name == "*";
    }
    let length = inner
        .bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
        .unwrap_or(inner.len());
    let (name, operation) = inner.split_at(length);
    let is_positional = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if !is_name(name) && !is_positional {
        return false;
    }
    let is_flat = |text: &str| !text.contains(['$', '`', '\\', '"', '\'', '{', '~']);
    let bytes = operation.as_bytes();
    match (bytes.first(), bytes.get(1)) {
        (None, _) => is_positional,
        (Some(b':'), Some(b'-' | b'+' | b'?')) => is_flat(&operation[2..]),
        (Some(b':'), Some(b'0'..=b'9' | b' ')) => operation[1..]
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b' ' | b'-')),
        (Some(b'-' | b'+' | b'?' | b'#' | b'%' | b'^' | b',' | b'/'), _) => {
            is_flat(&operation[1..])
        }
        _ => false,
    }
}
