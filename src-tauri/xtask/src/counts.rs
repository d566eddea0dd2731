//! How many tests ran, read from what each runner prints.

use std::fmt;
use std::ops::AddAssign;

/// How many passed, failed and were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Passed.
    pub(crate) passed: usize,
    /// Failed.
    pub(crate) failed: usize,
    /// Left out: ignored, or skipped by the test itself.
    pub(crate) skipped: usize,
}

impl Counts {
    /// One check that is not made of tests.
    pub(crate) fn one(passed: bool) -> Self {
        Self {
            passed: usize::from(passed),
            failed: usize::from(!passed),
            skipped: 0,
        }
    }

    /// How many there are.
    pub(crate) fn total(self) -> usize {
        self.passed + self.failed + self.skipped
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

/// Who prints the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runner {
    /// `cargo nextest run`: `Summary [1.2s] 5 tests run: 4 passed, 1 failed, 2 skipped`.
    Nextest,
    /// `cargo test`: a `test result:` line for each binary.
    CargoTest,
    /// `vitest run`: `Tests  1 failed | 4 passed | 2 skipped (7)`.
    Vitest,
    /// `node --test`: lines `pass 4`, `fail 1`, `skipped 2`, marked by `ℹ` or `#`.
    NodeTest,
}

/// The counts in a runner's output; nothing where it printed none, because it
/// did not get so far.
pub(crate) fn read(runner: Runner, output: &str) -> Option<Counts> {
    let plain = without_escapes(output);
    match runner {
        Runner::Nextest => {
            let line = plain.lines().rev().find(|line| {
                line.trim_start().starts_with("Summary [") && line.contains(" run: ")
            })?;
            let (_, counts) = line.split_once(" run: ")?;
            Some(Counts {
                passed: number_before(counts, "passed"),
                failed: number_before(counts, "failed")
                    + number_before(counts, "timed out")
                    + number_before(counts, "exec failed"),
                skipped: number_before(counts, "skipped"),
            })
        }
        Runner::CargoTest => {
            let mut sum = Counts::default();
            let mut seen = false;
            for line in plain
                .lines()
                .filter(|line| line.starts_with("test result:"))
            {
                seen = true;
                sum += Counts {
                    passed: number_before(line, "passed"),
                    failed: number_before(line, "failed"),
                    skipped: number_before(line, "ignored"),
                };
            }
            seen.then_some(sum)
        }
        Runner::Vitest => {
            let line = plain
                .lines()
                .rev()
                .map(str::trim)
                .find(|line| line.starts_with("Tests ") && line.ends_with(')'))?;
            Some(Counts {
                passed: number_before(line, "passed"),
                failed: number_before(line, "failed"),
                skipped: number_before(line, "skipped") + number_before(line, "todo"),
            })
        }
        Runner::NodeTest => {
            let value = |name: &str| {
                plain.lines().rev().find_map(|line| {
                    let rest = line
                        .strip_prefix("ℹ ")
                        .or_else(|| line.strip_prefix("# "))?;
                    rest.strip_prefix(name)?.trim().parse::<usize>().ok()
                })
            };
            Some(Counts {
                passed: value("pass ")?,
                failed: value("fail ")? + value("cancelled ").unwrap_or(0),
                skipped: value("skipped ").unwrap_or(0) + value("todo ").unwrap_or(0),
            })
        }
    }
}

/// The number that stands right before a word, or none.
fn number_before(text: &str, word: &str) -> usize {
    text.match_indices(word)
        .find_map(|(at, _)| {
            text.get(..at)?
                .trim_end()
                .rsplit([' ', ',', '|'])
                .next()?
                .parse()
                .ok()
        })
        .unwrap_or(0)
}

/// The text without colours.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        // A control sequence ends with a letter.
        for inside in characters.by_ref() {
            if inside.is_ascii_alphabetic() {
                break;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: usize, failed: usize, skipped: usize) -> Option<Counts> {
        Some(Counts {
            passed,
            failed,
            skipped,
        })
    }

    #[test]
    fn nextest() {
        let output = "     Summary [   1.234s] 5 tests run: 3 passed (1 slow), 1 failed, 1 timed out, 2 skipped\n        FAIL x\nerror: test run failed\n";
        assert_eq!(read(Runner::Nextest, output), counts(3, 2, 2));
        let coloured = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m1\u{1b}[0m test run: \u{1b}[1m1\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m \u{1b}[33;1mskipped\u{1b}[0m";
        assert_eq!(read(Runner::Nextest, coloured), counts(1, 0, 0));
        assert_eq!(read(Runner::Nextest, "error: could not compile `x`"), None);
    }

    #[test]
    fn cargo_test_sums_its_binaries() {
        let output = "test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\ntest result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured\n";
        assert_eq!(read(Runner::CargoTest, output), counts(6, 3, 1));
        assert_eq!(read(Runner::CargoTest, ""), None);
    }

    #[test]
    fn vitest() {
        let output = " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 4 passed | 2 skipped (7)\n   Start at  10:00:00\n";
        assert_eq!(read(Runner::Vitest, output), counts(4, 1, 2));
        assert_eq!(
            read(Runner::Vitest, "      Tests  12 passed (12)\n"),
            counts(12, 0, 0)
        );
        assert_eq!(read(Runner::Vitest, "No test files found"), None);
    }

    #[test]
    fn node_test() {
        let output =
            "ℹ tests 7\nℹ suites 0\nℹ pass 4\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n";
        assert_eq!(read(Runner::NodeTest, output), counts(4, 2, 1));
        assert_eq!(
            read(Runner::NodeTest, &output.replace('ℹ', "#")),
            counts(4, 2, 1)
        );
        assert_eq!(read(Runner::NodeTest, "Error: cannot find module"), None);
    }

    #[test]
    fn the_closing_line() {
        let mut sum = Counts::one(true);
        sum += Counts {
            passed: 2,
            failed: 1,
            skipped: 3,
        };
        assert_eq!(sum.to_string(), "3 passed, 1 failed, 3 skipped");
        assert_eq!(sum.total(), 7);
    }
}
