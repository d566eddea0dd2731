//! Prints the UI's types; `cargo xtask codegen` writes them where they belong.

fn main() {
    print!("{}", adroit_protocol::typescript::protocol());
}
