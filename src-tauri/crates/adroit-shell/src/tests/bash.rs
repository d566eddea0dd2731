//! The analysis beside the real shell: what it calls reading is run, and must
//! change nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::{ShellContext, analyze};

/// Samples that need nothing but bash, coreutils, grep, sed, awk and find.
const SAMPLES: &[&str] = &[
    "ls -la",
    "cat a.txt | head -2 | tail -1",
    "grep -rn one . 2>/dev/null | wc -l",
    "find . -type f -name '*.txt' | sort | xargs wc -l",
    "sed -n '1,2p;$p' a.txt; sed 's/one/two/g' a.txt",
    "awk '{ n += length($0) } END { print (n > 3 ? \"long\" : \"short\") }' a.txt",
    "awk 'length($0) > 2 {print FILENAME}' a.txt",
    "sort a.txt | uniq -c | sort -rn",
    "cut -c1-2 a.txt | tr a-z A-Z",
    "diff a.txt sub/b.txt; cmp a.txt sub/b.txt; comm -12 <(sort a.txt) <(sort sub/b.txt)",
    "for f in *.txt sub/*; do wc -c \"$f\"; done",
    "while IFS= read -r line; do echo \"[$line]\"; done < a.txt",
    "if [ -f a.txt ] && [[ -d sub ]]; then echo both; else echo no; fi",
    "case x in x) echo x ;; *) echo 'touch never' ;; esac",
    "cat <<'E'\n$(touch never) `touch never` > never\nE",
    "cat <<E | grep -c o\none\ntwo\nE",
    "echo \"$(cd sub && pwd) $(ls | wc -l)\"; pwd",
    "cd sub && cat ../a.txt; cd .. ; ls",
    "timeout 5 nice stdbuf -oL env LC_ALL=C sort a.txt",
    "nohup cat a.txt | head -1",
    "echo '> never' \"; touch never\" \\; touch never",
    "echo a # ; touch never\n# touch never\nls",
    "printf '%s|%5.1f\\n' a 3; date +%Y; seq 3; expr 1 + 2; echo $((6 * 7))",
    "x=a.txt; cat \"$x\"; y=${x%.txt}; echo ${#x} ${x:0:1} ${x/a/b} ${z:-none}",
    "tar -tf none.tar; od -c a.txt | head -1; base64 a.txt; md5sum a.txt; stat -c %s a.txt",
    "test ! -e never && echo none; true; false; :; ! true",
    "echo {a,b}{1..3} ~ $HOME *.txt s?b [a-z].txt",
    "$'cat' a.txt; l''s; \\ls; 'ls' sub",
    "ls nothing >/dev/null 2>&1 || echo none >&2",
    "ls \\\n  -l \\\n  | wc -l",
    "{ ls; (pwd); } | cat; time -p ls",
];

/// Pieces for the search: each may turn a reading text into a writing one.
const PIECES: &[&str] = &[
    "touch never",
    "touch never",
    "echo a",
    "ls",
    "cat a.txt",
    "grep one a.txt",
    "> never",
    ">never",
    " ",
    " ",
    ";",
    "&&",
    "||",
    "|",
    "\n",
    "\n",
    "\\\n",
    "(",
    ")",
    "{ ",
    "; }",
    "$(",
    ")",
    "`",
    "'",
    "'",
    "\"",
    "\"",
    "$'",
    "\\",
    "\\\\",
    "#",
    " #",
    "<<E",
    "<<'E'",
    "<<-E",
    "\nE\n",
    "E",
    "<<<",
    "<(",
    "${x:-",
    "${x#",
    "}",
    "$((",
    "))",
    "[[ ",
    " ]]",
    "[ ",
    " ]",
    "if ",
    "; then ",
    "; else ",
    "; fi",
    "for f in a b; do ",
    "; done",
    "while ",
    "until ",
    "case a in a) ",
    ";; esac",
    "! ",
    "time ",
    "time -p ",
    "timeout 1 ",
    "nice ",
    "env ",
    "command ",
    "xargs ",
    "x=a ",
    "x=touch;",
    "$x",
    "*",
    "a.txt",
    "~",
    "{a,b}",
    "{touch,never}",
    "=",
    "-n",
    "-v",
    "a[$(touch never)]",
    "sed -n p ",
    "sed 'w never' ",
    "sed p\\;",
    "awk '{print > \"never\"}' ",
    "awk '{print}' ",
    "sort -o never ",
    "sort ",
    "-o",
    "never",
    "find . -fprint never",
    "find . ",
    "-name a",
    "printf ",
    "printf -v ",
    "%s",
    "é",
    "2>&1",
    ">&2",
    ">/dev/null",
    "&",
    "coproc ",
    "f() ",
    "eval ",
    "read x",
    "exit",
    "cd sub",
    "cd ..",
    "uniq ",
    "tee never",
    "set -e",
    "$[",
    "]",
    "@",
    "!",
    "?",
    "+(",
    "$\"",
];

/// Lines of here-documents and what may end them.
const LINES: &[&str] = &[
    "cat <<E\n",
    "cat <<'E'\n",
    "cat <<-E\n",
    "cat <<\"E\"\n",
    "cat <<\\E\n",
    "cat <<''\n",
    "cat <<E <<F\n",
    "cat <<E; cat <<F\n",
    "cat << E | cat\n",
    "cat <<EE\n",
    "E\n",
    "E\n",
    "\tE\n",
    "E \n",
    " E\n",
    "F\n",
    "EE\n",
    "E\\\n",
    "\\\n",
    "\\\\\n",
    "\\E\n",
    "'E'\n",
    "\n",
    "a\n",
    "touch never\n",
    "touch never\n",
    "$(touch never)\n",
    "`touch never`\n",
    "\\$(touch never)\n",
    "$(cat <<E\n",
    "echo \"$(cat <<'E'\n",
    ")\n",
    ")\"\n",
    "# E\n",
    "echo 'E\n",
    "'\n",
    "\"\n",
    "echo \"\n",
    "ls",
    "; ",
    "ls # <<E\n",
    "cat <<E # x\n",
    "(cat <<E\n",
    "{ cat <<E\n",
    "}\n",
    "cat <\\\n<E\n",
    "cat <<\\\nE\n",
    "cat <<E\\\nE\n",
    "if cat <<E\n",
    "then touch never\n",
    "then ls\n",
    "fi\n",
    "cat <<$x\n",
    "$x\n",
    "cat <<<E\n",
    "cat <<E && touch never\n",
];

/// Comments, continued lines and quotes.
const MARKS: &[&str] = &[
    "ls",
    "echo ",
    "touch never",
    "touch never",
    "\n",
    "\n",
    "\\\n",
    "\\\n",
    " \\\n",
    "#",
    " #",
    "# ",
    "'",
    "\"",
    "\\",
    "\\'",
    "\\\"",
    " ",
    " ",
    ";",
    "&",
    "|",
    "$",
    "`",
    "(",
    ")",
    "$(",
    "${",
    "}",
    "{",
    "a",
    "$'",
    "\\x27",
    "!",
    "[",
    "]",
    "[[",
    "]]",
    "<",
    ">",
    "/dev/null",
    "=",
    "~",
    ",",
    "*",
    "?",
    "-",
    "+",
    "@",
    "%",
    "^",
    ":",
    "0",
    "1",
    "<(",
    "in",
    "do",
    "case ",
    "esac",
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("sub/b.txt"), "two\n").unwrap();
    folder
}

fn is_read_only(command: &str, folder: &Path) -> bool {
    analyze(
        command,
        &ShellContext {
            cwd: folder,
            workspace: folder,
            additional_directories: &[],
            home: Path::new("/nonexistent"),
        },
    )
    .read_only
}

fn run(command: &str, folder: &Path) {
    Command::new("timeout")
        .args(["5", "bash", "--norc", "--noprofile", "-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
}

fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                found.insert(name, Vec::new());
                pending.push(path);
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn samples_change_nothing() {
    let folder = folder();
    let before = content(folder.path());
    for command in SAMPLES {
        assert!(is_read_only(command, folder.path()), "{command}");
        run(command, folder.path());
        assert_eq!(content(folder.path()), before, "{command}");
    }
}

/// A search for texts that the analysis calls reading and bash does not:
/// `ADROIT_SHELL_SEARCH=100000 cargo test -p adroit-shell -- --ignored search`.
#[test]
#[ignore = "runs bash many thousand times"]
fn search_for_texts_that_write() {
    let count: usize = std::env::var("ADROIT_SHELL_SEARCH")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(20_000);
    let folder = folder();
    let before = content(folder.path());
    let texts = |pieces: &'static [&'static str]| {
        proptest::collection::vec(proptest::sample::select(pieces), 1..12)
            .prop_map(|pieces| pieces.concat())
    };
    let strategy = proptest::prop_oneof![texts(PIECES), texts(LINES), texts(MARKS)];
    let mut runner = TestRunner::default();
    let mut run_count = 0;
    for _ in 0..count {
        let command = strategy.new_tree(&mut runner).unwrap().current();
        let dangerous =
            command.contains("never") || command.contains('>') || command.contains("$x");
        if !dangerous || !is_read_only(&command, folder.path()) {
            continue;
        }
        run_count += 1;
        run(&command, folder.path());
        assert_eq!(content(folder.path()), before, "{command:?}");
    }
    println!("{run_count} of {count} texts were run");
}
