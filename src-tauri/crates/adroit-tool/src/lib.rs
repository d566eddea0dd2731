//! The Tool contract, its erased twin and the context facets.
