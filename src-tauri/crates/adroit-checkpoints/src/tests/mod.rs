//! Steps on real folders, undone, redone and interrupted.

mod collect;
mod conflicts;
mod crash;
mod desk;
mod full;
mod hostile;
mod laws;
mod originals;
mod steps;
