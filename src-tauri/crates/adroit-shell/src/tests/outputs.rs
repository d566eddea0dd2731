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
        "git reflog wri\"$x\" refs/heads/x a b m",
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

#[test]
fn filters_that_read_other_files() {
    refuses(&[
        "jq -n 'module {a:1}; import \"./secrets\" as $s {search:\"/outside\"}; $s'",
        "jq -n '# note\nimport \"a\" as $a; $a'",
        "jq -n '# note \\\nx\nimport \"a\" as $a; $a'",
        "jq \"$x\" a.json",
        "jq \"imp$x\" a.json",
        "yq -n 'import \"./a\" as $a; $a'",
        "yq \"$x\" a.yml",
        "yq '.a = load (\"/etc/passwd\")' a.yml",
        "yq eval \"$x\" a.yml",
        "yq 'eval(\"lo\" + \"ad(1)\")' a.yml",
        "awk 'BEGIN{ARGV[1]=\".env\";ARGC=2}1'",
    ]);
    reads(&[
        "jq '.import' a.json",
        "jq '.[] | select(.name == \"include\")' a.json",
        "jq \".[] | .$x\" a.json",
        "yq .a \"./$f\"",
        "yq eval .a a.yml",
    ]);
}
