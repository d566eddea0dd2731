//! Holds the integration tests (`it/main.rs`); there is nothing to call here.
