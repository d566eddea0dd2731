use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::*;

struct Tree {
    _temporary: tempfile::TempDir,
    root: PathBuf,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        let tree = Self {
            _temporary: temporary,
            root,
        };
        for (path, content) in files {
            tree.write(path, content.as_bytes());
        }
        tree
    }

    fn write(&self, path: impl AsRef<Path>, content: &[u8]) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn scope(&self, path: &str) -> Scope {
        let path = if path.is_empty() {
            self.root.clone()
        } else {
            self.root.join(path)
        };
        Scope {
            path,
            root: self.root.clone(),
            hidden: super::Hidden::default(),
        }
    }

    fn request(&self, pattern: &str) -> GrepRequest {
        GrepRequest {
            pattern: pattern.to_owned(),
            scope: Scope {
                path: self.root.clone(),
                root: self.root.clone(),
                hidden: super::Hidden::default(),
            },
            glob: None,
            file_type: None,
            case_insensitive: false,
            multiline: false,
            before: 0,
            after: 0,
            wanted: Wanted::Lines,
            limits: SearchLimits::default(),
        }
    }

    async fn grep(&self, pattern: &str) -> GrepOutcome {
        grep(self.request(pattern), CancellationToken::new())
            .await
            .unwrap()
    }

    fn shown(&self, outcome: &GrepOutcome) -> Vec<String> {
        let name = |path: &Path| crate::display_path(path.strip_prefix(&self.root).unwrap());
        outcome
            .files
            .iter()
            .flat_map(|file| {
                file.lines.iter().map(move |line| {
                    let sign = if line.context { '-' } else { ':' };
                    format!(
                        "{}{sign}{}{sign}{}",
                        name(&file.path),
                        line.number,
                        line.text
                    )
                })
            })
            .collect()
    }

    async fn names(&self, pattern: &str) -> Vec<String> {
        let (folder, rest) = split_pattern(pattern);
        let path = std::fs::canonicalize(self.root.join(folder)).unwrap();
        let request = GlobRequest {
            pattern: rest,
            written: pattern.to_owned(),
            scope: Scope {
                path,
                root: self.root.clone(),
                hidden: super::Hidden::default(),
            },
            limits: SearchLimits::default(),
        };
        let outcome = glob(request, CancellationToken::new()).await.unwrap();
        let mut names: Vec<String> = outcome
            .files
            .iter()
            .map(|path| crate::display_path(path.strip_prefix(&self.root).unwrap_or(path)))
            .collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn ignored_files_are_skipped_named_and_searched_when_asked_for() {
    let tree = Tree::new(&[
        (".gitignore", ".env\n*.log\n"),
        (".env", "TOKEN=1\n"),
        ("a.log", "TOKEN=1\n"),
        ("b.txt", "x\n"),
    ]);
    let outcome = tree.grep("TOKEN").await;
    assert!(outcome.ignores_apply && outcome.files.is_empty());
    let reason = outcome.empty.unwrap();
    assert_eq!(
        reason.ignored,
        [tree.root.join(".env"), tree.root.join("a.log")]
    );
    assert_eq!(reason.ignored_by, Some(tree.root.join(".gitignore")));
    let mut explicit = tree.request("TOKEN");
    explicit.scope = tree.scope(".env");
    let outcome = grep(explicit, CancellationToken::new()).await.unwrap();
    assert_eq!(tree.shown(&outcome), [".env:1:TOKEN=1"]);
}

#[tokio::test]
async fn an_ignored_folder_is_searched_when_it_is_named() {
    let tree = Tree::new(&[
        (".gitignore", "build/\n"),
        ("build/out/a.txt", "needle\n"),
        ("src/a.txt", "needle\n"),
    ]);
    assert_eq!(
        tree.shown(&tree.grep("needle").await),
        ["src/a.txt:1:needle"]
    );
    let mut explicit = tree.request("needle");
    explicit.scope = tree.scope("build/out");
    assert_eq!(
        grep(explicit, CancellationToken::new())
            .await
            .unwrap()
            .totals
            .files,
        1
    );
    assert_eq!(tree.names("build/**/*.txt").await, ["build/out/a.txt"]);
    assert_eq!(tree.names("**/*.txt").await, ["src/a.txt"]);
}

#[tokio::test]
async fn ignore_files_between_root_and_scope_count_and_those_above_the_root_do_not() {
    let tree = Tree::new(&[
        (".gitignore", "*.tmp\n"),
        ("src/a.rs", ""),
        ("src/b.tmp", ""),
    ]);
    std::fs::write(tree.root.parent().unwrap().join(".gitignore"), "*\n").unwrap();
    assert_eq!(tree.names("src/*").await, ["src/a.rs"]);
    assert_eq!(tree.names("**/*.rs").await, ["src/a.rs"]);
    // Within one repository the file above is the project's own; then it is named.
    let above = tree.root.parent().unwrap().join(".gitignore");
    std::fs::create_dir(above.with_file_name(".git")).unwrap();
    // Unless it hides the project itself: who works in an ignored folder means it.
    assert_eq!(tree.names("**/*.rs").await, ["src/a.rs"]);
    std::fs::write(&above, "*.rs\n").unwrap();
    let request = GlobRequest {
        pattern: "**/*.rs".into(),
        written: "**/*.rs".into(),
        scope: tree.scope(""),
        limits: SearchLimits::default(),
    };
    let outcome = glob(request, CancellationToken::new()).await.unwrap();
    let reason = outcome.empty.unwrap();
    assert_eq!(reason.ignored_total, 1);
    assert_eq!(reason.ignored_by, Some(above));
}

#[tokio::test]
async fn link_circles_end_and_files_come_once() {
    let tree = Tree::new(&[
        ("l/x.txt", "x\n"),
        (".git/config", "x\n"),
        (".github/y.txt", "y\n"),
    ]);
    symlink("..", tree.root.join("l/up")).unwrap();
    symlink("self", tree.root.join("self")).unwrap();
    assert_eq!(tree.names("**/*").await, [".github/y.txt", "l/x.txt"]);
    let outcome = tree.grep("x").await;
    assert_eq!((outcome.totals.files, outcome.unreadable), (1, 0));
}

#[tokio::test]
async fn nested_repositories_have_rules_of_their_own() {
    let tree = Tree::new(&[
        (".git/HEAD", ""),
        (".gitignore", "*.o\n"),
        ("sub/.git/HEAD", ""),
        ("sub/a.o", ""),
        ("b.o", ""),
        ("c.c", ""),
    ]);
    assert_eq!(tree.names("**/*.{c,o}").await, ["c.c", "sub/a.o"]);
}

#[tokio::test]
async fn literal_looking_patterns() {
    let tree = Tree::new(&[("g.go", "interface{}\nmap[string]int\n")]);
    let outcome = tree.grep("interface{}").await;
    assert_eq!(tree.shown(&outcome), ["g.go:1:interface{}"]);
    assert!(outcome.literal_braces);
    let outcome = tree.grep("map[string]int").await;
    assert!(outcome.empty.unwrap().literal);
    assert!(matches!(
        grep(tree.request("a("), CancellationToken::new()).await,
        Err(SearchError::Pattern { .. })
    ));
    assert_eq!(tree.grep("-e").await.totals.files, 0);
}

#[tokio::test]
async fn line_ends_of_any_kind() {
    let tree = Tree::new(&[("c.txt", "one\r\ntwo\r\n"), ("d.txt", "one\n")]);
    assert_eq!(
        tree.shown(&tree.grep("one$").await),
        ["c.txt:1:one", "d.txt:1:one"]
    );
    assert_eq!(tree.shown(&tree.grep("^two$").await), ["c.txt:2:two"]);
    let mut across = tree.request("one.*two");
    across.multiline = true;
    let outcome = grep(across, CancellationToken::new()).await.unwrap();
    assert_eq!(tree.shown(&outcome), ["c.txt:1:one", "c.txt:2:two"]);
}

#[tokio::test]
async fn bytes_that_are_not_utf8() {
    let tree = Tree::new(&[]);
    tree.write("lat.txt", b"na\xefve TODO\n");
    tree.write(OsString::from_vec(b"b\xff.txt".to_vec()), b"TODO\n");
    let wide: Vec<u8> = "\u{feff}TODO wide\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    tree.write("w.txt", &wide);
    assert_eq!(
        tree.shown(&tree.grep("TODO").await),
        [
            "b\\xff.txt:1:TODO",
            "lat.txt:1:na\\xefve TODO",
            "w.txt:1:TODO wide"
        ]
    );
    assert_eq!(
        tree.names("*.txt").await,
        ["b\\xff.txt", "lat.txt", "w.txt"]
    );
}

#[tokio::test]
async fn counts_types_and_globs() {
    let tree = Tree::new(&[
        ("Foo.h", "fooBar FOO foo\n"),
        ("a.mts", "foo\n"),
        ("b.cjs", "foo\n"),
        ("deep/c.ts", "foo\n"),
    ]);
    let mut request = tree.request("foo");
    (request.case_insensitive, request.wanted) = (true, Wanted::Counts);
    let outcome = grep(request.clone(), CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(
        outcome.totals,
        Totals {
            files: 4,
            lines: 4,
            occurrences: 6
        }
    );
    request.file_type = Some("ts".into());
    assert_eq!(
        grep(request.clone(), CancellationToken::new())
            .await
            .unwrap()
            .totals
            .files,
        2
    );
    request.file_type = Some("nosuchtype".into());
    assert!(matches!(
        grep(request.clone(), CancellationToken::new()).await,
        Err(SearchError::Filter(FilterError::Type { .. }))
    ));
    (request.file_type, request.glob) = (None, Some("*.{h,cjs}".into()));
    assert_eq!(
        grep(request, CancellationToken::new())
            .await
            .unwrap()
            .totals
            .files,
        2
    );
}

#[tokio::test]
async fn context_has_gaps() {
    let text: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    let tree = Tree::new(&[("f", &text)]);
    let mut request = tree.request("line [28]");
    (request.before, request.after) = (1, 1);
    let outcome = grep(request, CancellationToken::new()).await.unwrap();
    assert_eq!(
        tree.shown(&outcome),
        [
            "f-1-line 1",
            "f:2:line 2",
            "f-3-line 3",
            "f-7-line 7",
            "f:8:line 8",
            "f-9-line 9"
        ]
    );
    let gaps: Vec<bool> = outcome.files[0]
        .lines
        .iter()
        .map(|line| line.gap_before)
        .collect();
    assert_eq!(gaps, [false, false, false, true, false, false]);
}

#[tokio::test]
async fn the_limit_keeps_the_first_and_counts_all() {
    let many: String = "hit\n".repeat(50);
    let files: Vec<(String, String)> = (0..40)
        .map(|number| (format!("{number:02}.txt"), many.clone()))
        .collect();
    let borrowed: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let tree = Tree::new(&borrowed);
    let mut request = tree.request("hit");
    request.limits.entries = 70;
    let outcome = grep(request, CancellationToken::new()).await.unwrap();
    assert_eq!(
        outcome.totals,
        Totals {
            files: 40,
            lines: 2_000,
            occurrences: 0
        }
    );
    let shown = tree.shown(&outcome);
    assert_eq!((shown.len(), shown[69].as_str()), (70, "01.txt:20:hit"));
}

#[tokio::test]
async fn a_binary_file_is_left_at_its_first_nul() {
    let tree = Tree::new(&[]);
    tree.write("b.bin", b"hit\n\0\nhit\n");
    let outcome = tree.grep("hit").await;
    assert!(outcome.totals.lines <= 1);
    let mut explicit = tree.request("hit");
    explicit.scope = tree.scope("b.bin");
    assert_eq!(
        grep(explicit, CancellationToken::new())
            .await
            .unwrap()
            .totals
            .lines,
        2
    );
}

#[tokio::test]
async fn newest_first_and_no_more_than_asked() {
    let tree = Tree::new(&[("a.rs", ""), ("b.rs", ""), ("c.rs", "")]);
    for (age, name) in [(30, "b.rs"), (20, "c.rs"), (10, "a.rs")] {
        let file = std::fs::File::options()
            .write(true)
            .open(tree.root.join(name))
            .unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age))
            .unwrap();
    }
    let limits = SearchLimits {
        entries: 2,
        ..SearchLimits::default()
    };
    let outcome = glob(
        GlobRequest {
            pattern: "**/*.rs".into(),
            written: "**/*.rs".into(),
            scope: tree.scope(""),
            limits,
        },
        CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!(
        outcome.files,
        [tree.root.join("a.rs"), tree.root.join("c.rs")]
    );
    assert_eq!(outcome.total, 3);
}

#[tokio::test]
async fn patterns_that_lead_elsewhere() {
    let tree = Tree::new(&[("src/a.c", ""), ("sub/x", "")]);
    assert_eq!(tree.names("sub/../src/*.c").await, ["src/a.c"]);
    assert_eq!(
        tree.names(&format!("{}/src/*.c", tree.root.display()))
            .await,
        ["src/a.c"]
    );
    let request = GlobRequest {
        pattern: "*/../a".into(),
        written: "*/../a".into(),
        scope: tree.scope(""),
        limits: SearchLimits::default(),
    };
    assert!(matches!(
        glob(request, CancellationToken::new()).await,
        Err(SearchError::Filter(FilterError::Glob { .. }))
    ));
    let request = GlobRequest {
        pattern: "*".into(),
        written: "*".into(),
        scope: tree.scope("none"),
        limits: SearchLimits::default(),
    };
    assert!(matches!(
        glob(request, CancellationToken::new()).await,
        Err(SearchError::NotFound { .. })
    ));
}

#[tokio::test]
async fn out_of_time_is_partial_and_cancelled_is_an_error() {
    let tree = Tree::new(&[("a.rb", "x\n")]);
    let mut request = tree.request("y");
    request.limits.time = Duration::ZERO;
    let outcome = grep(request.clone(), CancellationToken::new())
        .await
        .unwrap();
    assert!(outcome.partial && outcome.empty.is_none());
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(matches!(
        grep(request, cancel).await,
        Err(SearchError::Cancelled)
    ));
}

#[tokio::test]
async fn a_thread_that_hangs_is_left_behind() {
    let control = super::control::Control::new(Duration::ZERO);
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let ended = control
        .run(&CancellationToken::new(), move || {
            let _ = wait.recv();
        })
        .await;
    assert!(ended == super::control::Ended::Late && control.stop());
    drop(release);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_named_and_the_rest_is_found() {
    let tree = Tree::new(&[("a.txt", "needle\n")]);
    let mut long = b"needle\n".to_vec();
    long.resize(40 << 20, b'x');
    tree.write("long.min.js", &long);
    let mut request = tree.request("needle");
    request.wanted = Wanted::Lines;
    let outcome = grep(request, CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.too_long, [tree.root.join("long.min.js")]);
    assert_eq!((outcome.too_long_total, outcome.unreadable), (1, 0));
    // What came before the long line is found.
    assert_eq!(outcome.totals.files, 2);
}

#[tokio::test]
async fn a_cancelled_search_ends_while_it_reads() {
    // Only the cancelling can end this work.
    let control = super::control::Control::new(Duration::from_secs(60));
    let cancel = CancellationToken::new();
    let (started, begun) = tokio::sync::oneshot::channel();
    let watched = control.clone();
    let canceller = cancel.clone();
    tokio::spawn(async move {
        begun.await.unwrap();
        canceller.cancel();
    });
    let ended = control
        .run(&cancel, move || {
            started.send(()).unwrap();
            while !watched.stop() {
                std::thread::yield_now();
            }
        })
        .await;
    assert_eq!(ended, super::control::Ended::Cancelled);
}

/// Their bytes are not those of the pattern, their text is.
#[tokio::test]
async fn files_in_other_encodings_are_searched_as_text() {
    let tree = Tree::new(&[("utf8.txt", "配置 one\nNOTE 配置\n")]);
    let encoded =
        |encoding: &'static encoding_rs::Encoding, text: &str| encoding.encode(text).0.into_owned();
    let chinese = "// 这是一个配置文件\r\nint n = 5; // NOTE 配置\r\n";
    tree.write("gbk.c", &encoded(encoding_rs::GBK, chinese));
    let japanese = "これは日本語の設定ファイルです。\nNOTE 設定\n";
    tree.write("sjis.txt", &encoded(encoding_rs::SHIFT_JIS, japanese));
    tree.write("latin.txt", b"nome=configura\xe7\xe3o\n");
    let wide: Vec<u8> = "plain = 1\nname = value\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    tree.write("wide.ini", &wide);
    tree.write("image.bin", b"\0\0\x89\xff value \xc5\xe4");
    let found = tree.grep("配置").await;
    assert_eq!(
        tree.shown(&found),
        [
            "gbk.c:1:// 这是一个配置文件",
            "gbk.c:2:int n = 5; // NOTE 配置",
            "utf8.txt:1:配置 one",
            "utf8.txt:2:NOTE 配置"
        ]
    );
    assert_eq!(
        tree.shown(&tree.grep("設定ファイル").await),
        ["sjis.txt:1:これは日本語の設定ファイルです。"]
    );
    assert_eq!(
        tree.shown(&tree.grep("configuração$").await),
        ["latin.txt:1:nome=configuração"]
    );
    assert_eq!(tree.shown(&tree.grep(r"NOTE \p{Han}+").await).len(), 3);
    assert_eq!(
        tree.shown(&tree.grep("^name = val").await),
        ["wide.ini:2:name = value"]
    );
    let mut counted = tree.request("配置");
    counted.wanted = Wanted::Counts;
    let counted = grep(counted, CancellationToken::new()).await.unwrap();
    assert_eq!((counted.totals.files, counted.totals.occurrences), (2, 4));
}

#[tokio::test]
async fn links_to_files_are_listed_and_links_elsewhere_are_told() {
    let tree = Tree::new(&[("a/real.txt", "word\n"), ("b/other.txt", "word\n")]);
    let outside = tree.root.parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret.txt"), "word\n").unwrap();
    symlink("a/real.txt", tree.root.join("link.txt")).unwrap();
    symlink("a", tree.root.join("inside")).unwrap();
    symlink(&outside, tree.root.join("away")).unwrap();
    symlink(outside.join("secret.txt"), tree.root.join("away.txt")).unwrap();
    symlink("nowhere.txt", tree.root.join("broken.txt")).unwrap();
    let glob_in = |place: &str| {
        let request = GlobRequest {
            pattern: "**/*.txt".to_owned(),
            written: "*.txt".to_owned(),
            scope: tree.scope(place),
            limits: SearchLimits::default(),
        };
        glob(request, CancellationToken::new())
    };
    let found = glob_in("").await.unwrap();
    let mut names: Vec<_> = found
        .files
        .iter()
        .map(|file| file.strip_prefix(&tree.root).unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["a/real.txt", "away.txt", "b/other.txt", "link.txt"].map(PathBuf::from)
    );
    let elsewhere = LinksElsewhere {
        named: vec![tree.root.join("away"), tree.root.join("away.txt")],
        total: 2,
    };
    assert_eq!(found.links, elsewhere);
    assert_eq!(glob_in("b").await.unwrap().links.total, 0);
    // A search reads each file once, by its own name, and none that lies elsewhere.
    let found = tree.grep("word").await;
    assert_eq!(
        tree.shown(&found),
        ["a/real.txt:1:word", "b/other.txt:1:word"]
    );
    assert_eq!(found.links, elsewhere);
}

/// A link does not show what a rule hides.
#[tokio::test]
async fn a_link_to_a_hidden_file_is_hidden() {
    let tree = Tree::new(&[(".env", "KEY=1\n")]);
    symlink(".env", tree.root.join("link.txt")).unwrap();
    let mut scope = tree.scope("");
    scope.hidden = super::Hidden::new(|path| path.ends_with(".env"));
    let request = GlobRequest {
        pattern: "**/*".to_owned(),
        written: "**/*".to_owned(),
        scope,
        limits: SearchLimits::default(),
    };
    assert_eq!(
        glob(request, CancellationToken::new()).await.unwrap().total,
        0
    );
}
