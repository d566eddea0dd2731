//! Command bodies over a narrow Host trait; event fan-out.
