//! Modes, rules, precedence; the only maker of an authorised call.
