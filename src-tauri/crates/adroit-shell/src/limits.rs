//! Limits that hold before anything is parsed, and the stack that parsing gets.

use crate::syntax::Refusal;
use crate::types::ReasonCode;

/// Longest command, in bytes.
pub(crate) const COMMAND_BYTES: usize = 64 * 1024;
/// Bytes that all nested parses of one command may read together.
pub(crate) const NESTED_BYTES: usize = 256 * 1024;
/// Tokens of one parse. 20,000 pipes take the second parser seconds.
pub(crate) const TOKENS: usize = 3_000;
/// Levels of nesting of the syntax tree.
pub(crate) const NESTING: usize = 100;
/// Openers (of groups, substitutions, compound commands) up to which the caller's stack is enough.
const OPENERS_ON_SMALL_STACK: usize = 12;
/// Openers beyond which a text is refused: they bound the recursion of the parsers.
const OPENERS: usize = 16_000;
/// Open parentheses allowed in a text with `((`: the first parser tries them in exponential time.
pub(crate) const PARENTHESES_WITH_DOUBLE: usize = 10;

/// Refuses what must not reach a parser.
pub(crate) fn check(command: &str) -> Result<(), Refusal> {
    if command.len() > COMMAND_BYTES {
        return Err(Refusal::new(
            ReasonCode::Limit,
            0..0,
            format!(
                "the command is {} bytes long; up to {COMMAND_BYTES} are analysed",
                command.len()
            ),
        ));
    }
    if command.is_ascii() {
        // The common case costs one pass over bytes.
        if let Some(at) = command
            .bytes()
            .position(|byte| (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7f)
        {
            return Err(deceptive(at, char::from(command.as_bytes()[at])));
        }
        return check_runs(command);
    }
    for (at, character) in command.char_indices() {
        if is_deceptive(character) {
            return Err(deceptive(at, character));
        }
    }
    check_runs(command)
}

fn deceptive(at: usize, character: char) -> Refusal {
    Refusal::new(
        ReasonCode::DeceptiveCharacter,
        at..at + character.len_utf8(),
        format!(
            "the command holds the character U+{:04X}, which is not shown as it acts",
            u32::from(character)
        ),
    )
}

/// Control, invisible, direction-changing and look-alike space characters.
fn is_deceptive(character: char) -> bool {
    if character == '\n' || character == '\t' {
        return false;
    }
    character.is_control()
        || matches!(character,
            '\u{00a0}' | '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}'
            | '\u{1680}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
            | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The first parser panics on a descriptor number that does not fit 32 bits.
fn check_runs(command: &str) -> Result<(), Refusal> {
    let mut digits = 0_usize;
    for (at, byte) in command.bytes().enumerate() {
        if byte.is_ascii_digit() {
            digits += 1;
            continue;
        }
        if digits > 9 && matches!(byte, b'<' | b'>') {
            return Err(Refusal::new(
                ReasonCode::Limit,
                at - digits..at,
                "the descriptor number is too large",
            ));
        }
        digits = 0;
    }
    Ok(())
}

/// What a text needs to be parsed without overflowing the stack.
pub(crate) enum Stack {
    Caller,
    Own,
    Refused,
}

/// Counts everything that might open a level of nesting, quoted or not: an
/// upper bound of the depth that no quoting can lower.
pub(crate) fn stack_for(command: &str) -> Stack {
    let mut openers = 0_usize;
    let bytes = command.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' | b'`' | b'!' => openers += 1,
            b'i' | b'f' | b'w' | b'u' | b'c' => {
                let word_start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
                if word_start
                    && ["if", "for", "while", "until", "case", "coproc", "function"]
                        .iter()
                        .any(|keyword| command.as_bytes()[at..].starts_with(keyword.as_bytes()))
                {
                    openers += 1;
                }
            }
            _ => {}
        }
    }
    if openers <= OPENERS_ON_SMALL_STACK {
        Stack::Caller
    } else if openers <= OPENERS {
        Stack::Own
    } else {
        Stack::Refused
    }
}

/// Runs `work` on a thread with a stack that holds [`OPENERS`] levels of a parser.
/// `None` when the thread cannot start or `work` panics.
pub(crate) fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    const STACK_BYTES: usize = 512 * 1024 * 1024;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("shell-analysis".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .ok()
            .and_then(|thread| thread.join().ok())
    })
}
