//! The UI's types, from the types here.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use ts_rs::{Config, TS, TypeVisitor};

use crate::WireError;
#[allow(clippy::wildcard_imports)] // The table names every type of that module.
use crate::command::*;
use crate::event::{EventBatch, SessionSnapshot};

struct Collector<'a> {
    config: &'a Config,
    seen: HashSet<TypeId>,
    declarations: BTreeMap<String, String>,
}

impl Collector<'_> {
    fn add<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Only types of our own have an output path; the rest is inlined.
        if T::output_path().is_some() {
            let mut text = T::docs().unwrap_or_default();
            text.push_str("export ");
            text.push_str(&T::decl(self.config));
            self.declarations.insert(T::ident(self.config), text);
        }
        T::visit_dependencies(self);
    }
}

impl TypeVisitor for Collector<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        self.add::<T>();
    }
}

macro_rules! commands {
    ($($(#[doc = $doc:literal])* $wire:literal $method:ident($input:ident) -> $output:ident;)*) => {
        fn command_lines(collector: &mut Collector<'_>) -> String {
            let mut lines = String::new();
            $(
                collector.add::<$input>();
                collector.add::<$output>();
                $(lines.push_str(concat!("  /**", $doc, " */\n"));)*
                lines.push_str(concat!(
                    "  \"", $wire, "\": { input: ", stringify!($input), "; output: ", stringify!($output), " };\n"
                ));
            )*
            lines
        }
    };
}

crate::command_table!(commands);

/// The whole of `ui/src/generated/protocol.ts`.
#[must_use]
pub fn protocol() -> String {
    let config = Config::default();
    let mut collector = Collector {
        config: &config,
        seen: HashSet::new(),
        declarations: BTreeMap::new(),
    };
    collector.add::<EventBatch>();
    collector.add::<SessionSnapshot>();
    collector.add::<WireError>();
    let lines = command_lines(&mut collector);
    let mut text = String::from(
        "// Written by `cargo xtask codegen` from src-tauri/crates/adroit-protocol. Do not edit.\n\n",
    );
    for declaration in collector.declarations.values() {
        text.push_str(declaration);
        text.push_str("\n\n");
    }
    text.push_str(
        "/** Every command with its input and its output. */\nexport interface Commands {\n",
    );
    text.push_str(&lines);
    text.push_str("}\n");
    text
}
