//! Every target on every seed, cut and with flipped bytes: what a fuzzer begins with holds in
//! every run of the tests.

use adroit_fuzz::TARGETS;

/// Changes of one seed: deterministic, so that a failure is the same in every run.
fn changed(seed: &[u8], step: usize) -> Vec<Vec<u8>> {
    const BYTES: &[u8] = b"\0\n\r\t \"'$(){}[]|;&<>\\`*?~#=!,:/-\xff\xc3a0";
    let mut found = vec![seed.to_vec()];
    let stride = (seed.len() / 4).max(1);
    for at in (step % stride..seed.len()).step_by(stride) {
        found.push(seed[..at].to_vec());
        let mut flipped = seed.to_vec();
        flipped[at] = BYTES[(at + step) % BYTES.len()];
        found.push(flipped);
        let mut doubled = seed[..at].to_vec();
        doubled.push(BYTES[(at * 7 + step) % BYTES.len()]);
        doubled.extend(&seed[at..]);
        found.push(doubled);
    }
    found
}

fn holds(name: &str, every: usize) {
    let found: Vec<_> = TARGETS
        .iter()
        .filter(|target| target.name == name)
        .collect();
    assert_eq!(found.len(), 1, "one target is called {name}");
    for target in found {
        let seeds = (target.seeds)();
        assert!(seeds.len() > 8, "{}", seeds.len());
        for (step, seed) in seeds.iter().enumerate() {
            (target.check)(seed);
            if step % every == 0 {
                for input in changed(seed, step) {
                    (target.check)(&input);
                }
            }
        }
    }
}

#[test]
fn commands() {
    holds("shell", 7);
}

#[test]
fn rules() {
    holds("rules", 3);
}

#[test]
fn settings() {
    holds("settings", 1);
}

#[test]
fn inputs() {
    holds("input", 1);
}

#[test]
fn edits() {
    holds("edit", 1);
}

#[test]
fn each_target_has_its_binary() {
    let manifest = include_str!("../Cargo.toml");
    let binaries = manifest.matches("[[bin]]").count();
    assert_eq!(binaries, TARGETS.len());
    for target in TARGETS {
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)));
    }
}
