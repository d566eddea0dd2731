//! Arithmetic of which every value is known to be a whole number.
//!
//! Bash evaluates the text of a variable as an expression again, subscripts and the commands
//! in them included: `x='a[$(touch y)]'; echo $((x + 1))`. Only where every name in the
//! expression holds digits is there nothing left to evaluate.

use super::state::{State, Value};
use crate::syntax::is_name;
use crate::variables;

/// What an expression does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It only computes.
    Computes,
    /// It assigns whole numbers to names in it.
    Assigns,
}

/// What `expression` does where nothing in it is evaluated twice; `None` where something may be.
pub(super) fn effect(expression: &str, state: &State) -> Option<Effect> {
    let names = names(expression)?;
    let known = names
        .iter()
        .all(|name| state.variables.get(*name).is_some_and(is_integer));
    if !known {
        return None;
    }
    if !assigns(expression) {
        return Some(Effect::Computes);
    }
    names
        .iter()
        .all(|name| variables::is_local_name(name))
        .then_some(Effect::Assigns)
}

/// What holds after an expression that assigns: still whole numbers, and not known which.
pub(super) fn assign(expression: &str, state: &mut State) {
    for name in names(expression).unwrap_or_default() {
        state.assign(name, Value::Integer);
    }
}

/// The names in `expression`; `None` where it holds anything but names, numbers and operators.
fn names(expression: &str) -> Option<Vec<&str>> {
    const OPERATORS: &[u8] = b"+-*/%()<>&|^~!?:,= \t";
    let bytes = expression.as_bytes();
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        if length > 0 {
            let word = &expression[at..at + length];
            if is_name(word) {
                names.push(word);
            } else if !is_constant(word) {
                return None;
            }
            at += length;
            // `16#ff`: digits in a base, no name.
            if bytes.get(at) == Some(&b'#') {
                let digits = bytes[at + 1..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric())
                    .count();
                if is_name(word) || digits == 0 {
                    return None;
                }
                at += 1 + digits;
            }
        } else if ["$#", "$?"]
            .iter()
            .any(|count| expression[at..].starts_with(count))
        {
            // How many arguments there are, and what the last command returned.
            at += 2;
        } else if byte == b'$' {
            // `$x` and `${x}` stand for the text of `x`: digits like any other.
            let rest = &expression[at + 1..];
            let (name, skip) = match rest.strip_prefix('{') {
                Some(braced) => {
                    let name = braced.split_once('}')?.0;
                    (name, name.len() + 3)
                }
                None => {
                    let length = rest
                        .bytes()
                        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                        .count();
                    (&rest[..length], length + 1)
                }
            };
            if !is_name(name) {
                return None;
            }
            names.push(name);
            at += skip;
        } else if OPERATORS.contains(&byte) {
            at += 1;
        } else {
            return None;
        }
    }
    Some(names)
}

/// `42`, `0x2a`.
fn is_constant(word: &str) -> bool {
    let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => word.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// `=` that compares nothing, `++`, `--`. A text of digits after an operator may make one of
/// them, too: `3-$x` where `x` is -1.
fn assigns(expression: &str) -> bool {
    let compared = ["==", "!=", "<=", ">="]
        .iter()
        // `<<=` and `>>=` assign.
        .fold(
            expression.replace("<<=", "=").replace(">>=", "="),
            |text, operator| text.replace(operator, " "),
        );
    compared.contains('=') || compared.contains("++") || compared.contains("--")
}

/// Whether a variable holds the digits of a whole number.
pub(super) fn is_integer(value: &Value) -> bool {
    match value {
        Value::Known(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        Value::Number | Value::Integer | Value::Digits => true,
        Value::Glob(_) | Value::Objects | Value::Temporary | Value::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn only_digits_are_never_evaluated_again() {
        let mut state = State::new(Path::new("/w"));
        state.assign("x", Value::Known("5".to_owned()));
        state.assign("n", Value::Integer);
        state.assign("bad", Value::Known("a[$(id)]".to_owned()));
        state.assign("u", Value::Unknown);
        state.assign("PATH", Value::Known("1".to_owned()));
        for (expression, expected) in [
            ("x+1", Some(Effect::Computes)),
            (" $x * (n - 3) ", Some(Effect::Computes)),
            ("${x} >= 3 && n != 4", Some(Effect::Computes)),
            ("x == 5 ? 1 : 0", Some(Effect::Computes)),
            ("x++", Some(Effect::Assigns)),
            ("x <<= 2", Some(Effect::Assigns)),
            ("n = x", Some(Effect::Assigns)),
            ("PATH + 1", Some(Effect::Computes)),
            ("PATH++", None),
            ("bad + 1", None),
            ("u + 1", None),
            ("missing", None),
            ("x[0]", None),
            ("x[$(id)]", None),
            ("$1 + 1", None),
            ("${x:-1}", None),
            ("${x", None),
            ("$(id)", None),
            ("`id`", None),
            ("0x10 + 0XfF", Some(Effect::Computes)),
            ("16#ff * 2#101", Some(Effect::Computes)),
            ("$# + $?", Some(Effect::Computes)),
            ("0xg", None),
            ("10x", None),
            ("x#1", None),
            ("16#", None),
            ("16#$x", None),
            ("16#a[0]", None),
            ("'x'", None),
        ] {
            assert_eq!(effect(expression, &state), expected, "{expression}");
        }
    }
}
