//! The query loop, approvals, transcript store and settings.
