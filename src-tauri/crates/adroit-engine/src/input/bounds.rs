//! Bounds that come before anything that recurses over an input.

use serde_json::Value;

/// The deepest nesting that is looked at. `serde_json` itself stops at 128 when it
/// parses; a value can also be built in other ways.
pub(crate) const MAX_DEPTH: usize = 100;
/// The most values in one input. Checking costs time for each of them.
pub(crate) const MAX_VALUES: usize = 100_000;

/// What an input has too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// It is nested deeper than [`MAX_DEPTH`].
    Depth,
    /// It has more than [`MAX_VALUES`] values.
    Values,
}

/// Looks at the size without recursion: a depth of 2,000 must not use up the stack.
pub(crate) fn check(value: &Value) -> Result<(), Excess> {
    let mut waiting = vec![(value, 1)];
    let mut seen = 0_usize;
    while let Some((value, depth)) = waiting.pop() {
        seen += 1;
        if depth > MAX_DEPTH {
            return Err(Excess::Depth);
        }
        let inside = match value {
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            _ => continue,
        };
        if seen + waiting.len() + inside > MAX_VALUES {
            return Err(Excess::Values);
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                waiting.extend(fields.values().map(|field| (field, depth + 1)))
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refuses_depth_and_number() {
        let mut deep = json!(1);
        for _ in 0..2_000 {
            deep = Value::Array(vec![deep]);
        }
        assert_eq!(check(&deep), Err(Excess::Depth));
        assert_eq!(check(&json!(vec![0; MAX_VALUES])), Err(Excess::Values));
        assert_eq!(check(&json!({"text": "x".repeat(10_000_000)})), Ok(()));
    }
}
