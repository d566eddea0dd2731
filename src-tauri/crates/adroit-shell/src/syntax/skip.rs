//! Where a substitution ends.

/// Index of the `)` that closes what begins at `at`.
///
/// Follows quotes, nested substitutions, comments and here-documents. A `case`
/// pattern without its opening parenthesis ends it too early: the second
/// parser then sees another end, and the text is not trusted.
pub(super) fn closing_parenthesis(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut documents: Vec<(Vec<u8>, bool)> = Vec::new();
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'\\' => at += 2,
            b'\'' => at = after_single(bytes, at + 1)?,
            b'"' => at = after_double(bytes, at + 1)?,
            b'`' => at = after_backquote(bytes, at + 1)?,
            b'$' if bytes.get(at + 1) == Some(&b'{') => at = closing_brace(bytes, at + 2)? + 1,
            b'$' if bytes.get(at + 1) == Some(&b'\'') => at = after_ansi(bytes, at + 2)?,
            b'#' if starts_word(bytes, at) => {
                while *bytes.get(at)? != b'\n' {
                    at += 1;
                }
            }
            b'<' if bytes.get(at + 1) == Some(&b'<') => {
                if bytes.get(at + 2) == Some(&b'<') {
                    at += 3;
                } else {
                    let (delimiter, strip, after) = document_start(bytes, at + 2)?;
                    documents.push((delimiter, strip));
                    at = after;
                }
            }
            b'\n' => {
                at += 1;
                for (delimiter, strip) in documents.drain(..) {
                    at = after_document(bytes, at, &delimiter, strip)?;
                }
            }
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' => {
                if depth == 0 {
                    return Some(at);
                }
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Index of the `}` that closes what begins at `at`.
pub(super) fn closing_brace(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'\'' => at = after_single(bytes, at + 1)?,
            b'"' => at = after_double(bytes, at + 1)?,
            b'`' => at = after_backquote(bytes, at + 1)?,
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                at = closing_parenthesis(bytes, at + 2)? + 1;
            }
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                depth += 1;
                at += 2;
            }
            b'}' => {
                if depth == 0 {
                    return Some(at);
                }
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'(' | b'|' | b'&'))
}

fn after_single(bytes: &[u8], mut at: usize) -> Option<usize> {
    while *bytes.get(at)? != b'\'' {
        at += 1;
    }
    Some(at + 1)
}

fn after_ansi(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'\'' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

fn after_double(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            b'`' => at = after_backquote(bytes, at + 1)?,
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                at = closing_parenthesis(bytes, at + 2)? + 1;
            }
            b'$' if bytes.get(at + 1) == Some(&b'{') => at = closing_brace(bytes, at + 2)? + 1,
            _ => at += 1,
        }
    }
}

fn after_backquote(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'`' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Delimiter of a here-document whose operator ended before `at`, whether tabs
/// are stripped, and where the line goes on.
fn document_start(bytes: &[u8], mut at: usize) -> Option<(Vec<u8>, bool, usize)> {
    let strip = bytes.get(at) == Some(&b'-');
    if strip {
        at += 1;
    }
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    let mut delimiter = Vec::new();
    loop {
        match *bytes.get(at)? {
            b'\\' => {
                delimiter.push(*bytes.get(at + 1)?);
                at += 2;
            }
            quote @ (b'\'' | b'"') => {
                at += 1;
                while *bytes.get(at)? != quote {
                    delimiter.push(bytes[at]);
                    at += 1;
                }
                at += 1;
            }
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
            byte => {
                delimiter.push(byte);
                at += 1;
            }
        }
    }
    Some((delimiter, strip, at))
}

fn after_document(bytes: &[u8], mut at: usize, delimiter: &[u8], strip: bool) -> Option<usize> {
    loop {
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| *byte == b'\n')?;
        let mut line = &rest[..length];
        if strip {
            while let [b'\t', after @ ..] = line {
                line = after;
            }
        }
        at += length + 1;
        if line == delimiter {
            return Some(at);
        }
    }
}
