//! The commands of `cases/`, with the mark of each.

/// One command and what its manual says that it does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) mark: &'static str,
    pub(super) command: &'static str,
}

/// Every case, each once.
pub(super) fn cases() -> Vec<Case> {
    let files = [
        include_str!("../../cases/everyday.txt"),
        include_str!("../../cases/tools.txt"),
        include_str!("../../cases/working.txt"),
    ];
    files
        .iter()
        .flat_map(|file| file.lines())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (mark, command) = line.split_once(' ').expect("a mark and a command");
            // `␤` stands for a line break.
            let command: &'static str = if command.contains('␤') {
                Box::leak(command.replace('␤', "\n").into_boxed_str())
            } else {
                command
            };
            Case { mark, command }
        })
        .collect()
}

#[test]
fn no_case_stands_twice() {
    let mut seen = std::collections::BTreeSet::new();
    let twice: Vec<&str> = cases()
        .iter()
        .filter(|case| !seen.insert(case.command))
        .map(|case| case.command)
        .collect();
    assert!(twice.is_empty(), "{twice:#?}");
}
