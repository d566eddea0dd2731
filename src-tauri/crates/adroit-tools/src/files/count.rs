//! Numbers that a model writes: how many, which one.
//!
//! A number may come as `10` or, from some models, as `10.0`. The engine reads `"10"` as 10 before (see its
//! coercions). Beyond that a number is refused in words that name the limits, never cut or wrapped.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};

/// The largest whole number that every JSON reader holds exactly (RFC 8259, section 6).
pub(crate) const MAX: u64 = (1 << 53) - 1;

/// A whole number from 0 to [`MAX`], which may be absent.
pub(crate) fn optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    deserializer.deserialize_any(Optional)
}

/// The same for fields that hold 32 bits; larger numbers mean the largest, "as many as there are".
pub(crate) fn optional_u32<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    let count = optional(deserializer)?;
    Ok(count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
}

struct Optional;

impl Optional {
    fn refused<E: de::Error>(came: impl fmt::Display) -> E {
        E::custom(format!(
            "expected a whole number from 0 to {MAX}, and got {came}"
        ))
    }
}

impl<'de> Visitor<'de> for Optional {
    type Value = Option<u64>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a whole number from 0 to {MAX}")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        if value <= MAX {
            Ok(Some(value))
        } else {
            Err(Self::refused(value))
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(Self::refused(value)),
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        if value.fract() == 0.0 && (0.0..=MAX as f64).contains(&value) {
            // Whole and within 53 bits, so nothing is lost.
            Ok(Some(value as u64))
        } else {
            Err(Self::refused(value))
        }
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn read(value: &Value) -> Result<Option<u64>, String> {
        super::optional(value).map_err(|error| error.to_string())
    }

    #[test]
    fn whole_numbers_in_either_form() {
        assert_eq!(read(&json!(10)), Ok(Some(10)));
        assert_eq!(read(&json!(10.0)), Ok(Some(10)));
        assert_eq!(read(&json!(null)), Ok(None));
        assert_eq!(read(&json!(super::MAX)), Ok(Some(super::MAX)));
    }

    #[test]
    fn everything_else_is_refused_in_words() {
        for value in [
            json!(-1),
            json!(1.5),
            json!(1_u64 << 63),
            serde_json::from_str("1180591620717411303424").unwrap(),
        ] {
            let message = read(&value).unwrap_err();
            assert!(
                message.starts_with("expected a whole number from 0 to"),
                "{message}"
            );
        }
        assert!(
            super::optional_u32(&json!(1_u64 << 40)).is_ok_and(|count| count == Some(u32::MAX))
        );
    }
}
