//! Steps on real folders, undone, redone and interrupted.

mod collect;
mod conflicts;
mod crash;
mod desk;
mod full;
mod laws;
mod steps;
