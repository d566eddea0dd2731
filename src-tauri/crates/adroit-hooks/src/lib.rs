//! Hooks before and after tool calls.
