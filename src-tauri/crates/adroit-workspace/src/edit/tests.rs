use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::TextEncoding;

fn load(bytes: &[u8]) -> LoadedText {
    LoadedText::from_bytes(bytes.to_vec(), Path::new("f")).unwrap()
}

fn edit(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    plan_edit(&load(bytes), old, new, false).unwrap().bytes
}

fn refusal(bytes: &[u8], old: &str, new: &str) -> String {
    plan_edit(&load(bytes), old, new, false)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_newline_stands_for_the_ending_at_its_place() {
    assert_eq!(
        edit(b"[a]\r\nk=1\r\n[b]\r\nk=2\r\n", "[b]\nk=2", "[b]\nk=3"),
        b"[a]\r\nk=1\r\n[b]\r\nk=3\r\n"
    );
    assert_eq!(edit(b"a\r\nb\r\n", "b", "b\nc"), b"a\r\nb\r\nc\r\n");
    assert_eq!(edit(b"a\rb\rc\r", "b\nc", "b\nx\nc"), b"a\rb\rx\rc\r");
    // Mixed: untouched lines keep theirs, a new line ends as its neighbour.
    assert_eq!(
        edit(b"a\nb\r\nc\nd\r\n", "a\nb\nc", "a\nB\nB2\nc"),
        b"a\nB\r\nB2\r\nc\nd\r\n"
    );
    assert_eq!(edit(b"a\r\nb\r\n", "a\r\nb", "a\r\nc"), b"a\r\nc\r\n");
    // In a file without CRLF an explicit CRLF is meant.
    assert_eq!(edit(b"a\nb\n", "b", "b\r\nc"), b"a\nb\r\nc\n");
}

#[test]
fn bytes_of_other_encodings_stay() {
    assert_eq!(
        edit(b"nome=configura\xe7\xe3o\nmodo=0\n", "modo=0", "modo=1"),
        b"nome=configura\xe7\xe3o\nmodo=1\n"
    );
    let gbk = b"// \xd6\xd0\xce\xc4\xd7\xa2\xca\xcd\nint n = 5;\n";
    assert_eq!(
        edit(gbk, "int n = 5;", "int n = 6;"),
        b"// \xd6\xd0\xce\xc4\xd7\xa2\xca\xcd\nint n = 6;\n"
    );
    assert_eq!(
        edit(gbk, "中文", "中国"),
        b"// \xd6\xd0\xb9\xfa\xd7\xa2\xca\xcd\nint n = 5;\n"
    );
    assert_eq!(edit(b"\xef\xbb\xbfa\n", "a", "b"), b"\xef\xbb\xbfb\n");
    let mut broken = "ä ö ü ß é è\nx=1\n".as_bytes().to_vec();
    broken.extend(b"\xff\n");
    let mut expected = "ä ö ü ß é è\nx=2\n".as_bytes().to_vec();
    expected.extend(b"\xff\n");
    assert_eq!(edit(&broken, "x=1", "x=2"), expected);
}

#[test]
fn a_character_that_does_not_fit_is_refused() {
    insta::assert_snapshot!(
        refusal(b"caf\xe9 cr\xe8me br\xfbl\xe9e d\xe9j\xe0 vu\nx\n", "x", "→"),
        @"the character '→' (U+2192) cannot be written in windows-1252, the encoding of this file: use other characters, or convert the file to UTF-8 first"
    );
}

#[test]
fn replacement_is_literal() {
    let plan = plan_edit(&load(b"PID=X\nALT=X\n"), "X", "$$", true).unwrap();
    assert_eq!(
        (plan.bytes.as_slice(), plan.count),
        (b"PID=$$\nALT=$$\n".as_slice(), 2)
    );
    assert_eq!(plan.lines, [1, 2]);
    assert_eq!(edit(b"a.b\n", "a.b", r"\1 $& \n"), b"\\1 $& \\n\n");
}

#[test]
fn overlapping_occurrences_are_not_unique_and_replaced_from_the_left() {
    insta::assert_snapshot!(refusal(b"aaaa\n", "aa", "b"), @"old_string occurs 3 times in the file (line 1): add surrounding lines to make it unique, or set replace_all to replace every occurrence");
    let plan = plan_edit(&load(b"aaaa\n"), "aa", "b", true).unwrap();
    assert_eq!((plan.bytes.as_slice(), plan.count), (b"bb\n".as_slice(), 2));
}

#[test]
fn white_space_is_text() {
    assert_eq!(edit(b"if x:\n    y\n", "    y", "\ty"), b"if x:\n\ty\n");
    assert_eq!(
        edit(b"if x:\n\ty\n", "if x:\n", "if x:  \n"),
        b"if x:  \n\ty\n"
    );
    assert!(matches!(
        plan_edit(&load(b"a\r\n"), "a\r\n", "a\n", false),
        Err(EditError::Identical)
    ));
}

#[test]
fn quotes_stay_as_given() {
    let file = "// \u{201c}it\u{2019}s\u{201d}\nconst q = 0;\n";
    let new = r#"const q = ["'", '"'].join("|");"#;
    let expected = format!("// \u{201c}it\u{2019}s\u{201d}\n{new}\n");
    assert_eq!(
        edit(file.as_bytes(), "const q = 0;", new),
        expected.as_bytes()
    );
}

#[test]
fn final_newline_stays_absent_or_present() {
    assert_eq!(edit(b"x\ny", "y", "z"), b"x\nz");
    assert_eq!(edit(b"x\ny\n", "y", "z"), b"x\nz\n");
}

#[test]
fn what_comes_closest_is_explained_and_never_replaced() {
    let wide = "pub const MAX\u{a0}WAIT: u8 = 9; // \u{ff08}\u{4e0a}\u{9650}\u{ff19}\u{79d2}\u{ff09}\u{ff80}\u{ff72}\u{ff91}\n";
    insta::assert_snapshot!(refusal(wide.as_bytes(), "MAX WAIT: u8 = 9", "MAX_WAIT: u8 = 8"), @"
    old_string was not found in the file.
    The closest place begins at line 1:
         1	pub const MAX<U+00A0>WAIT: u8 = 9; // （上限９秒）ﾀｲﾑ
    - line 1: the file has a no-break space (U+00A0) where old_string has a space
    Read the file there and give old_string exactly as it stands.
    ");
    insta::assert_snapshot!(refusal(b"fn f() {\n\tlet a = 1;\n\tlet b = 2; \n}\n", "fn f() {\n    let a = 1;\n    let b = 2;\n}", "x"), @"
    old_string was not found in the file.
    The closest place begins at line 1:
         1	fn f() {
         2	→let a = 1;
         3	→let b = 2;·
         4	}
    - only white space differs
    - line 2: the file has `→let a = 1;`, old_string has `    let a = 1;`
    - line 3: the file has `→let b = 2;·`, old_string has `    let b = 2;`
    Read the file there and give old_string exactly as it stands.
    ");
    insta::assert_snapshot!(refusal(b"alpha\nlet count = items.len();\nomega\n", "let count = item.len();", "x"), @"
    old_string was not found in the file.
    The closest place begins at line 2:
         2	let count = items.len();
    - line 2: the file has `let count = items.len();`, old_string has `let count = item.len();`
    Read the file there and give old_string exactly as it stands.
    ");
    insta::assert_snapshot!(refusal(b"alpha\n", "nothing like it at all", "x"), @"old_string was not found in the file");
}

/// What models get wrong, and the sentence that says so.
#[test]
fn each_kind_of_difference_has_its_words() {
    let file = "fn one() {\n\tlet a = \"it\u{2019}s\";\n\n\treturn a;  \n}\n\nfn two(b: u8) {\n    let x = b\u{a0}+ 1;\n    say(\"x\\n\", 'y');\n}\n// cafe\u{301} na\u{ef}ve\n";
    for (old, line, sentence) in [
        ("fn one() {\n    let a", 1, "only white space differs"),
        (
            "\tlet a = \"it's\";",
            2,
            "(U+2019) where old_string has `'`",
        ),
        ("\treturn a;\n}", 4, "only white space differs"),
        ("let x = b + 1;", 8, "a no-break space (U+00A0)"),
        ("FN TWO(b: u8) {", 7, "upper and lower case differ"),
        (
            "let a = \"it\u{2019}s\";\n\treturn a;  \n}",
            2,
            "other blank lines",
        ),
        ("say(\\\"x\\\\n\\\", 'y');", 9, "escaped once too often"),
        (
            "fn two(b: u16) {",
            7,
            "`fn two(b: u8) {`, old_string has `fn two(b: u16) {`",
        ),
        ("     7\tfn two(b: u8) {", 7, "line numbers that Read shows"),
        ("fn\u{200b} two(b: u8) {", 7, "fn<U+200B> two"),
        (
            "// caf\u{e9}",
            11,
            "the file has a letter and a mark of its own, old_string one character",
        ),
        (
            "nai\u{308}ve",
            11,
            "the file has one character, old_string a letter and a mark of its own",
        ),
    ] {
        let found = match plan_edit(&load(file.as_bytes()), old, "Z", false) {
            Err(EditError::NotFound {
                nearest: Some(nearest),
            }) => nearest,
            other => panic!("{old:?}: {other:?}"),
        };
        assert_eq!(found.first_line, line, "{old:?}: {found}");
        assert!(found.to_string().contains(sentence), "{old:?}: {found}");
        // The same in a file of other line ends.
        let crlf = file.replace('\n', "\r\n");
        match plan_edit(&load(crlf.as_bytes()), old, "Z", false) {
            Err(EditError::NotFound {
                nearest: Some(same),
            }) => assert_eq!(same, found),
            other => panic!("{old:?}: {other:?}"),
        }
    }
}

/// Encodings with a text each can hold.
fn encodings() -> impl Strategy<Value = (TextEncoding, &'static str)> {
    prop_oneof![
        Just((TextEncoding::Utf8, "aäß漢😀 b\u{301}.")),
        Just((TextEncoding::Utf8Bom, "aäß漢😀 .")),
        Just((
            TextEncoding::Utf16 {
                big_endian: false,
                bom: true
            },
            "aäß漢😀 ."
        )),
        Just((
            TextEncoding::Utf16 {
                big_endian: true,
                bom: true
            },
            "aäß漢😀 ."
        )),
        Just((TextEncoding::Legacy(encoding_rs::WINDOWS_1252), "aäßé€ .")),
        Just((TextEncoding::Legacy(encoding_rs::GBK), "a中文注释 .")),
        Just((TextEncoding::Legacy(encoding_rs::SHIFT_JIS), "a日本語ﾀ .")),
        Just((TextEncoding::Legacy(encoding_rs::EUC_KR), "a한국어 .")),
        Just((TextEncoding::Legacy(encoding_rs::BIG5), "a中文字 .")),
        Just((TextEncoding::Utf8Broken, "aä\u{10ffff} .")),
    ]
}

/// Encodings with a sentence that is long enough to be known by.
fn words_of_encodings() -> impl Strategy<Value = (TextEncoding, &'static str)> {
    let utf16 = |big_endian, bom| TextEncoding::Utf16 { big_endian, bom };
    let legacy = TextEncoding::Legacy;
    proptest::sample::select(vec![
        (TextEncoding::Utf8, "Größe 漢字 😀 "),
        (TextEncoding::Utf8Bom, "Größe 漢字 😀 "),
        (utf16(false, true), "Größe 漢字 😀 "),
        (utf16(true, true), "Größe 漢字 😀 "),
        (utf16(false, false), "mostly Latin text, "),
        (
            legacy(encoding_rs::WINDOWS_1252),
            "größer für die Übung, déjà vu ",
        ),
        (
            legacy(encoding_rs::WINDOWS_1251),
            "Привет, это проверка кодировки. ",
        ),
        (
            legacy(encoding_rs::KOI8_R),
            "Привет, это проверка кодировки. ",
        ),
        (legacy(encoding_rs::GBK), "中文注释说明文字，"),
        (legacy(encoding_rs::BIG5), "中文註釋說明文字，"),
        (
            legacy(encoding_rs::SHIFT_JIS),
            "これは日本語のテキストです。",
        ),
        (legacy(encoding_rs::EUC_JP), "これは日本語のテキストです。"),
        (legacy(encoding_rs::EUC_KR), "이것은 한국어 텍스트입니다. "),
    ])
}

fn text_of(alphabet: &'static str, length: usize) -> impl Strategy<Value = String> {
    let characters: Vec<String> = alphabet
        .chars()
        .map(String::from)
        .chain(["\n", "\r\n", "\r"].map(String::from))
        .collect();
    proptest::collection::vec(proptest::sample::select(characters), 0..length)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_byte_outside_the_range_changes(
        (encoding, before, middle, after, new) in encodings().prop_flat_map(|(encoding, alphabet)| (
            Just(encoding),
            text_of(alphabet, 30),
            text_of(alphabet, 6),
            text_of(alphabet, 30),
            text_of(alphabet, 6),
        ))
    ) {
        let text = format!("{before}{middle}{after}");
        let mut bytes = encoding.mark().to_vec();
        bytes.extend(encoding.encode(&text).unwrap());
        // Built by hand: the guess of an encoding is not what is tested here.
        let original = LoadedText {
            hash: crate::ContentHash::of(&bytes),
            endings: crate::Endings::of(&text),
            encoding,
            text: text.clone(),
            bytes: bytes.clone(),
        };
        prop_assume!(encoding.decode(&bytes).as_deref() == Some(text.as_str()));
        let Ok(plan) = plan_edit(&original, &middle, &new, false) else { return Ok(()) };
        // It was unique, so it was replaced where it was put.
        let kept_before = encoding.mark().len() + encoding.encode(&before).unwrap().len();
        let kept_after = encoding.encode(&after).unwrap();
        // A line end that the cut runs through belongs to the range as a whole.
        let split_before = before.ends_with('\r') && middle.starts_with('\n');
        let split_after = middle.ends_with('\r') && after.starts_with('\n');
        if !split_before && !split_after {
            prop_assert_eq!(&plan.bytes[..kept_before], &bytes[..kept_before]);
            prop_assert!(plan.bytes.ends_with(&kept_after));
            let inserted = &plan.bytes[kept_before..plan.bytes.len() - kept_after.len()];
            let mut inserted_bytes = encoding.mark().to_vec();
            inserted_bytes.extend(inserted);
            let inserted = encoding.decode(&inserted_bytes).unwrap();
            // A lone carriage return beside a line end reads as one line end with it.
            if !new.replace("\r\n", "").contains('\r') {
                let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
                prop_assert_eq!(plain(&inserted), plain(&new));
            }
        }
        prop_assert_eq!(encoding.decode(&plan.bytes).unwrap(), plan.text);
    }

    /// From the disk to the disk, the guess of the encoding included: a replacement of ASCII in a text of
    /// any encoding changes its own bytes and no others, for one place and for all of them.
    #[test]
    fn a_file_of_any_encoding_keeps_every_other_byte(
        (encoding, words) in words_of_encodings(),
        lines in proptest::collection::vec((0..4_usize, 0..3_usize), 1..30),
        last: bool,
        new in "[a-z$\\\\]{0,8}",
    ) {
        let mut parts: Vec<Vec<u8>> = vec![encoding.mark().to_vec()];
        let mut number = 0;
        for (index, (kind, ending)) in lines.iter().enumerate() {
            let text = if *kind == 0 { String::new() } else { words.repeat(*kind) };
            let end = if index + 1 == lines.len() && !last { "" } else { ["\n", "\r\n", "\n"][*ending] };
            parts.push(encoding.encode(&text).unwrap());
            if *kind == 3 {
                parts.push(encoding.encode("UNIQUE").unwrap());
                number += 1;
            }
            parts.push(encoding.encode(end).unwrap());
        }
        let bytes = parts.concat();
        let original = load(&bytes);
        let plan = plan_edit(&original, "UNIQUE", &new, true);
        if number == 0 {
            prop_assert!(matches!(plan, Err(EditError::NotFound { .. })), "{:?}", plan);
            return Ok(());
        }
        let unique = encoding.encode("UNIQUE").unwrap();
        let replaced = encoding.encode(&new).unwrap();
        let expected: Vec<u8> = parts
            .iter()
            .flat_map(|part| if *part == unique { replaced.clone() } else { part.clone() })
            .collect();
        let plan = plan.unwrap();
        prop_assert_eq!(plan.count, number);
        prop_assert_eq!(plan.bytes, expected, "{} read as {}", encoding.name(), original.encoding.name());
    }

    #[test]
    fn replacing_back_gives_the_original(before in "[a-m\r\n]{0,40}", after in "[a-m\r\n]{0,40}") {
        let original = load(format!("{before}XYZ{after}").as_bytes());
        let there = plan_edit(&original, "XYZ", "UVW", false).unwrap();
        let back = plan_edit(&load(&there.bytes), "UVW", "XYZ", false).unwrap();
        prop_assert_eq!(back.bytes, original.bytes);
    }
}

#[test]
fn undecodable_bytes_in_the_place_are_a_reason_of_their_own() {
    let bytes = ["größe übung ähnlich öl\n".as_bytes(), b"x\xffy\nend\n"].concat();
    let original = LoadedText::from_bytes(bytes, Path::new("f")).unwrap();
    insta::assert_snapshot!(plan_edit(&original, "x\\xffy", "z", false).unwrap_err(), @r"old_string covers bytes at line 2 that are not valid UTF-8 (shown as \xff): what they mean is not known, so they are not replaced. Edit the text around them");
    let near = plan_edit(&original, "x y", "z", false)
        .unwrap_err()
        .to_string();
    assert!(near.contains(r"x\xffy"), "{near}");
    let plan = plan_edit(&original, "end", "END", false).unwrap();
    assert!(plan.bytes.ends_with(b"x\xffy\nEND\n"));
}

#[test]
fn line_numbers_of_read_are_recognised() {
    let error = plan_edit(&load(b"a\n\tb\nc\n"), "     2\t\tb\n     3\tc", "x", false);
    insta::assert_snapshot!(error.unwrap_err(), @"
    old_string was not found in the file.
    The closest place begins at line 2:
         2	→b
         3	c
    - old_string has the line numbers that Read shows; they are not part of the file
    Read the file there and give old_string exactly as it stands.
    ");
}
