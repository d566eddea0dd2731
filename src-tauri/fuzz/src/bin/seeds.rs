//! `seeds TARGET FOLDER`: writes what a target begins from, one file each.

use std::path::Path;
use std::process::ExitCode;

use adroit_fuzz::TARGETS;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, folder] = arguments.as_slice() else {
        eprintln!("usage: seeds TARGET FOLDER");
        return ExitCode::FAILURE;
    };
    let Some(target) = TARGETS.iter().find(|target| target.name == *name) else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!(
            "there is no target `{name}`; there are: {}",
            names.join(", ")
        );
        return ExitCode::FAILURE;
    };
    match write(&(target.seeds)(), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the seeds cannot be written to {folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(seeds: &[Vec<u8>], folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (number, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number:04}")), seed)?;
    }
    Ok(())
}
