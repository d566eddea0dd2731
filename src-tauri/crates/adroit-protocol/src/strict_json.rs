//! JSON in which nothing is said twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads JSON and refuses an object that has a key twice.
///
/// Blocks an input of which one reader sees the first and another the last value: whoever looks at
/// the text would consent to another command than the one that runs.
///
/// # Errors
/// What is wrong, with line and column.
pub fn strict_json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).map(|Strict(value)| value)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let Strict(value) = fields.next_value()?;
            if object.contains_key(&name) {
                let shown: String = name.chars().take(60).collect();
                return Err(A::Error::custom(format!(
                    "the key {shown:?} is there twice"
                )));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_there_twice_is_refused_at_any_depth() {
        for (text, key) in [
            (r#"{"command": "ls", "command": "rm -rf x"}"#, "command"),
            (r#"{"a": [{"b": {"c": 1, "c": 1}}]}"#, "c"),
            // The same key, written in another way.
            (
                r#"{"command": "ls", "c\u006fmmand": "rm -rf x"}"#,
                "command",
            ),
        ] {
            let problem = strict_json(text).unwrap_err().to_string();
            assert!(
                problem.contains(&format!("{key:?} is there twice")),
                "{problem}"
            );
        }
        let apart = r#"{"a": {"x": 1}, "b": {"x": [1, 2.5, -3, null, true, "é\n"]}}"#;
        assert_eq!(
            strict_json(apart).unwrap(),
            serde_json::from_str::<Value>(apart).unwrap()
        );
    }

    #[test]
    fn all_else_is_read_as_ever() {
        for text in [
            "",
            "{",
            "[1,]",
            "nul",
            "{\"a\":1}{}",
            "\"\\ud800\"",
            "1e999",
            "18446744073709551615",
            "18446744073709551616",
            "-1",
            "\"x\"",
            "[[[]]]",
        ] {
            let plain = serde_json::from_str::<Value>(text);
            let strict = strict_json(text);
            match (plain, strict) {
                (Ok(plain), Ok(strict)) => assert_eq!(plain, strict, "{text}"),
                (plain, strict) => assert!(plain.is_err() && strict.is_err(), "{text}"),
            }
        }
        assert!(
            strict_json(&"[".repeat(100_000)).is_err(),
            "depth is bounded"
        );
    }
}
