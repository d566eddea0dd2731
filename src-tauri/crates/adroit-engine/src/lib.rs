//! Pool, pipeline, streaming executor and result store.
