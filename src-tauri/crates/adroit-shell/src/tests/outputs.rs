//! Options and operands by which programs that seem to read write, run or look elsewhere.

use super::look;

fn refuses(commands: &[&str]) {
    for command in commands {
        assert!(!look(command).read_only, "{command}");
    }
}

fn reads(commands: &[&str]) {
    for command in commands {
        assert!(look(command).read_only, "{command}");
    }
}

#[test]
fn unpackers_name_an_output() {
    refuses(&[
        "zstdcat f.zst -o src/main.rs",
        "zstdcat f.zst --output-dir-flat=.",
        "zstdcat --trace=x f.zst",
        "xzcat --files=list",
        "lz4cat a b",
        "lz4cat a -o b",
    ]);
    reads(&["zcat a.gz", "zstdcat -q f.zst", "xzcat a b", "lz4cat a.lz4"]);
}

#[test]
fn values_that_are_commands_or_files() {
    refuses(&[
        "cloc --vcs='touch x' .",
        "cloc --vcs=evil .",
        "cloc --report-file=x .",
        "rustc --print=cfg=out",
        "rustc --print cfg=out",
        "rustc --print \"$x\"",
        "git reflog write refs/heads/x a b m",
        "git reflog drop x",
        "arch touch x",
    ]);
    reads(&[
        "cloc --by-file .",
        "rustc --print=target-list",
        "rustc --print sysroot",
        "git reflog main",
        "git reflog show main",
        "arch",
    ]);
}
