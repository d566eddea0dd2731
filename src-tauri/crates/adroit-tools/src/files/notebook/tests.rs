use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// As Jupyter writes it.
const JUPYTER: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {"odd":  [1,2 ]},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "2\n"
     ]
    }
   ],
   "source": [
    "1 + 1"
   ]
  }
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn parsed(text: &str) -> Notebook<'_> {
    Notebook::parse(text).unwrap()
}

/// The lines that differ, as a patch program would show them.
fn patch(old: &str, new: &str) -> String {
    let mut text = String::new();
    for hunk in adroit_workspace::diff(old, new).hunks {
        for line in hunk.lines {
            let sign = match line.kind {
                adroit_protocol::view::LineChange::Context => continue,
                adroit_protocol::view::LineChange::Added => '+',
                adroit_protocol::view::LineChange::Removed => '-',
            };
            text.push_str(&format!("{sign}{}\n", line.text));
        }
    }
    text
}

#[test]
fn the_cells_with_their_names_and_sources() {
    let notebook = parsed(JUPYTER);
    assert_eq!(notebook.language.as_deref(), Some("python"));
    let sources: Vec<&str> = notebook
        .cells
        .iter()
        .map(|cell| cell.source.as_str())
        .collect();
    assert_eq!(sources, ["# Title\ntext", "1 + 1"]);
    assert_eq!(notebook.find(CellName::Id("calc")), Ok(1));
    assert_eq!(notebook.find(CellName::Id("cell-0")), Ok(0));
    assert_eq!(notebook.find(CellName::Index(1)), Ok(1));
    insta::assert_snapshot!(notebook.find(CellName::Id("nope")).unwrap_err(), @r#"no cell has the id "nope". the notebook has 2 cells: intro, calc"#);
    insta::assert_snapshot!(notebook.find(CellName::Index(9)).unwrap_err(), @"there is no cell at index 9: the notebook has 2 cells: intro, calc");
    assert_eq!(notebook.cells[1].outputs().len(), 1);
    assert_eq!(notebook.cells[1].execution_count(), Some(3));
}

#[test]
fn replacing_touches_the_source_and_the_outputs_only() {
    let notebook = parsed(JUPYTER);
    let edited = replace(&notebook, 1, "a = \"ü\"\nb", None).unwrap();
    assert!(edited.outputs_cleared);
    insta::assert_snapshot!(patch(JUPYTER, &edited.text), @r#"
    -   "execution_count": 3,
    +   "execution_count": null,
    -   "outputs": [
    -    {
    -     "name": "stdout",
    -     "output_type": "stream",
    -     "text": [
    -      "2\n"
    -     ]
    -    }
    -   ],
    +   "outputs": [],
    -    "1 + 1"
    +    "a = \"ü\"\n",
    +    "b"
    "#);
    let emptied = replace(&notebook, 0, "", None).unwrap();
    insta::assert_snapshot!(patch(JUPYTER, &emptied.text), @r##"
    -   "source": [
    -    "# Title\n",
    -    "text"
    -   ]
    +   "source": []
    "##);
    // And an empty list is filled in the manner of the others.
    let notebook = parsed(&emptied.text);
    assert_eq!(
        replace(&notebook, 0, "# Title\ntext", None).unwrap().text,
        JUPYTER
    );
}

#[test]
fn another_type_keeps_the_other_members() {
    let notebook = parsed(JUPYTER);
    let edited = replace(&notebook, 1, "prose", Some("markdown")).unwrap();
    insta::assert_snapshot!(patch(JUPYTER, &edited.text), @r#"
    -   "cell_type": "code",
    -   "execution_count": 3,
    +   "cell_type": "markdown",
    -   "outputs": [
    -    {
    -     "name": "stdout",
    -     "output_type": "stream",
    -     "text": [
    -      "2\n"
    -     ]
    -    }
    -   ],
    -    "1 + 1"
    +    "prose"
    "#);
    let edited = replace(&notebook, 0, "x", Some("code")).unwrap();
    insta::assert_snapshot!(patch(JUPYTER, &edited.text), @r##"
    -   "cell_type": "markdown",
    +   "cell_type": "code",
    +   "execution_count": null,
    +   "outputs": [],
    -    "# Title\n",
    -    "text"
    +    "x"
    "##);
}

#[test]
fn cells_come_and_go_in_the_manner_of_the_file() {
    let notebook = parsed(JUPYTER);
    let first = insert(&notebook, None, "top", "markdown").unwrap();
    assert_eq!(first.index, 0);
    let id = |text: &str, index: usize| parsed(text).cells[index].id.clone().unwrap();
    let shown = patch(JUPYTER, &first.text).replace(&id(&first.text, 0), "ID");
    insta::assert_snapshot!(shown, @r#"
    +   "id": "ID",
    +   "metadata": {},
    +   "source": [
    +    "top"
    +   ]
    +  },
    +  {
    +   "cell_type": "markdown",
    "#);
    let last = insert(&notebook, Some(1), "x\n", "code").unwrap();
    assert_eq!(last.index, 2);
    // What was inserted goes again without a trace, wherever it stands.
    for edited in [
        &first,
        &last,
        &insert(&notebook, Some(0), "", "raw").unwrap(),
    ] {
        let again = delete(&parsed(&edited.text), edited.index).unwrap();
        assert_eq!(again.text, JUPYTER);
    }
    let one = delete(&notebook, 0).unwrap();
    let none = delete(&parsed(&one.text), 0).unwrap();
    assert!(none.text.contains("\"cells\": [],"), "{}", none.text);
    let filled = insert(&parsed(&none.text), None, "x", "code").unwrap();
    let shown = patch(&none.text, &filled.text).replace(&id(&filled.text, 0), "ID");
    insta::assert_snapshot!(shown, @r#"
    - "cells": [],
    + "cells": [
    +  {
    +   "cell_type": "code",
    +   "execution_count": null,
    +   "id": "ID",
    +   "metadata": {},
    +   "outputs": [],
    +   "source": [
    +    "x"
    +   ]
    +  }
    + ],
    "#);
}

#[test]
fn one_line_tabs_crlf_and_escapes_stay_what_they_are() {
    let compact = r#"{"cells":[{"cell_type":"code","outputs":[],"execution_count":null,"metadata":{},"source":"a"}],"nbformat":4,"nbformat_minor":2}"#;
    let edited = replace(&parsed(compact), 0, "b\nc", None).unwrap();
    assert_eq!(edited.text, compact.replace("\"a\"", "\"b\\nc\""));
    let edited = insert(&parsed(compact), Some(0), "n", "markdown").unwrap();
    assert!(
        edited
            .text
            .contains(r#"},{"cell_type":"markdown","metadata":{},"source":"n"}]"#),
        "{}",
        edited.text
    );
    let spaced =
        r#"{"cells": [{"cell_type": "raw", "metadata": {}, "source": ["a"]}], "nbformat": 4}"#;
    let edited = replace(&parsed(spaced), 0, "b\nc", None).unwrap();
    assert_eq!(edited.text, spaced.replace(r#"["a"]"#, r#"["b\n", "c"]"#));
    let windows = JUPYTER.replace('\n', "\r\n").replace("\r\n ", "\r\n\t");
    let edited = insert(&parsed(&windows), Some(0), "x", "raw").unwrap();
    assert!(!edited.text.replace("\r\n", "").contains('\n'));
    let ascii = JUPYTER.replace("text", "t\\u00e4xt");
    let edited = replace(&parsed(&ascii), 1, "ö😀", None).unwrap();
    assert!(edited.text.contains(r"\u00f6\ud83d\ude00") && edited.text.is_ascii());
}

#[test]
fn what_is_no_notebook_says_so() {
    for (text, expected) in [
        (
            "{\"cells\": [",
            "it is not valid JSON: EOF while parsing a list at line 1 column 11",
        ),
        (
            "[]",
            "it is not a notebook: the whole is no object of format 4",
        ),
        (
            "{\"worksheets\": []}",
            "it is not a notebook: it has no list of cells (format 4 and later have one)",
        ),
        (
            "{\"cells\": {}}",
            "it is not a notebook: `cells` is no list",
        ),
        (
            "{\"cells\": [1]}",
            "it is not a notebook: a cell is no object",
        ),
    ] {
        assert_eq!(Notebook::parse(text).unwrap_err().to_string(), expected);
    }
    let deep = format!(
        "{{\"cells\": [{{\"metadata\": {}1{}}}]}}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    // Read or refused, but without using up the stack.
    let _ = Notebook::parse(&deep);
}

#[test]
fn an_id_that_stands_twice_names_no_cell() {
    let twice = JUPYTER.replace("calc", "intro");
    let notebook = parsed(&twice);
    insta::assert_snapshot!(notebook.find(CellName::Id("intro")).unwrap_err(), @r#"the id "intro" is ambiguous: the cells at index 0, 1 all have it. Name the cell by cell_index"#);
    assert_eq!(notebook.name(1), "cell-1");
}

proptest! {
    /// For any layout: the JSON changes as it should, and every byte outside the cell stays.
    #[test]
    fn replacing_changes_one_source_in_any_layout(
        sources in proptest::collection::vec("[a-zü\"\\\\\n\t]{0,12}", 1..4),
        pick in any::<prop::sample::Index>(),
        new in "[a-zü\"\\\\\n\t\u{1f600}]{0,12}",
        pretty: bool,
        as_text: bool,
        crlf: bool,
    ) {
        let cells: Vec<Value> = sources
            .iter()
            .map(|source| {
                let value = if as_text { json!(source) } else { json!(source.split_inclusive('\n').collect::<Vec<_>>()) };
                json!({ "cell_type": "markdown", "metadata": { "k": [1, "ü"] }, "source": value })
            })
            .collect();
        let whole = json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4 });
        let mut text = if pretty { serde_json::to_string_pretty(&whole).unwrap() } else { whole.to_string() };
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let notebook = parsed(&text);
        let index = pick.index(sources.len());
        let edited = replace(&notebook, index, &new, None).unwrap();
        let after = parsed(&edited.text);
        for (at, cell) in after.cells.iter().enumerate() {
            prop_assert_eq!(&cell.source, if at == index { &new } else { &sources[at] });
        }
        let place = notebook.cells[index].range.clone();
        prop_assert!(edited.text.starts_with(&text[..place.start]));
        prop_assert!(edited.text.ends_with(&text[place.end..]));
        let inserted = insert(&notebook, Some(index), &new, "raw").unwrap();
        prop_assert_eq!(delete(&parsed(&inserted.text), index + 1).unwrap().text, text.clone());
    }
}
