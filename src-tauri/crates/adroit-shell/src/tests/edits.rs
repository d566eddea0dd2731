//! Which commands stand for one edit of one file, and of which.

use super::look;

/// A command, and the file that it edits where it is one `sed -i` with one plain `s` command.
const EDITS: &[(&str, Option<&str>)] = &[
    ("sed -i 's/a/b/' a.txt", Some("a.txt")),
    ("sed -i -e 's/a/b/g' src/a.rs", Some("src/a.rs")),
    ("sed -i.bak 's/a/b/' a.txt", Some("a.txt")),
    ("sed -E -i 's/(a)/\\1/' a.txt", Some("a.txt")),
    ("sed -i -E 's|a|b|g' 'a b.txt'", Some("a b.txt")),
    ("sed --in-place 's/a/b/' a.txt", Some("a.txt")),
    ("sed --in-place=.orig 's/a/b/' a.txt", Some("a.txt")),
    ("sed -i '' 's/a/b/' a.txt", None),
    ("sed -i '10s/a/b/' a.txt", Some("a.txt")),
    ("sed -i '/x/s/a/b/' a.txt", Some("a.txt")),
    ("sed -i '1,5s/a/b/g' a.txt", Some("a.txt")),
    ("sed -i '$s/a/b/' a.txt", Some("a.txt")),
    ("sed -i 's/a/b/;s/c/d/' a.txt", None),
    ("sed -i 's/a/b/' a.txt b.txt", None),
    ("sed -i 's/a/b/' *.txt", None),
    ("sed -i 's/a/b/' \"$F\"", None),
    ("sed -i \"s/a/$B/\" a.txt", None),
    ("sed -i 's/a/b/e' a.txt", None),
    ("sed -i 's/a/b/w out' a.txt", None),
    ("sed -i '/a/d' a.txt", None),
    ("sed -i '1i x' a.txt", None),
    ("sed -i 'y/a/b/' a.txt", None),
    ("sed -n -i 's/a/b/p' a.txt", None),
    ("sed 's/a/b/' a.txt", None),
    ("sed -i 's/a/b/' a.txt && ls", None),
    ("cd src && sed -i 's/a/b/' a.txt", None),
    ("sed -i 's/a/b/' ~/a.txt", None),
    ("sed -i 's/a/b/' a.txt > out", None),
    ("sed -i \"s/a/b/\" a.txt", Some("a.txt")),
    ("sed -i s/a/b/ a.txt", Some("a.txt")),
    ("sed -i -- 's/a/b/' a.txt", Some("a.txt")),
    ("LC_ALL=C sed -i 's/a/b/' a.txt", None),
    ("sudo sed -i 's/a/b/' a.txt", None),
    ("sed -i 's/a\\/b/c/' a.txt", Some("a.txt")),
    ("sed -i 's/a/b/I' a.txt", Some("a.txt")),
    ("sed -i 's/a/b/2' a.txt", Some("a.txt")),
    ("sed -i 's/a/b/' './a.txt'", Some("./a.txt")),
    ("sed -i 's/a/b/' /w/project/a.txt", Some("/w/project/a.txt")),
    ("sed -i 's#a#b#' a\\ b", Some("a b")),
    ("sed -i 's/a/b/' a{1,2}", None),
    ("sed -i 's/a/b/' -e 's/c/d/' a", None),
    ("sed -i 's/a/b/' $'a.txt'", Some("a.txt")),
    ("find . -name x -exec sed -i 's/a/b/' {} +", None),
    ("sed -i 's/a/b/'", None),
    ("sed -i 's/a/`date`/' a.txt", Some("a.txt")),
    ("sed -i \"s/a/`date`/\" a.txt", None),
    ("sed -i 's/a/b/' a.txt # c", Some("a.txt")),
];

#[test]
fn one_plain_substitution_of_one_file_is_an_edit() {
    let wrong: Vec<String> = EDITS
        .iter()
        .filter_map(|(command, expected)| {
            let edit = look(command).sed_edit.map(|edit| edit.file);
            (edit.as_deref() != *expected).then(|| format!("{command}: {edit:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
