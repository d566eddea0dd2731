use std::io::Write as _;

use adroit_tool::Cancellation;
use proptest::prelude::*;

use super::*;

/// A PDF with one content stream a page, in Helvetica, which no file embeds.
pub(in crate::read) fn pdf(pages: &[&str], trailer: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|page| format!("{} 0 R", 4 + page * 2))
        .collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!(
            "<</Type/Pages/Count {}/Kids[{}]>>",
            pages.len(),
            kids.join(" ")
        ),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    for (index, content) in pages.iter().enumerate() {
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents {} 0 R>>",
            5 + index * 2
        ));
        objects.push(format!(
            "<</Length {}>>stream\n{content}\nendstream",
            content.len()
        ));
    }
    document(&objects, trailer)
}

/// A PDF of these objects, of which the first is the catalogue.
fn document(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        writeln!(bytes, "{} 0 obj\n{object}\nendobj", index + 1).unwrap();
    }
    let table = bytes.len();
    write!(
        bytes,
        "xref\n0 {}\n0000000000 65535 f \n",
        objects.len() + 1
    )
    .unwrap();
    for place in places {
        writeln!(bytes, "{place:010} 00000 n ").unwrap();
    }
    writeln!(
        bytes,
        "trailer\n<</Size {}/Root 1 0 R{trailer}>>\nstartxref\n{table}\n%%EOF",
        objects.len() + 1
    )
    .unwrap();
    bytes
}

fn line(x: u32, y: u32, text: &str) -> String {
    format!("BT /F 12 Tf {x} {y} Td ({text}) Tj ET\n")
}

fn text_of(content: &str) -> String {
    let document = read("d.pdf", pdf(&[content], ""), None, &Cancellation::new()).unwrap();
    document.pages[0].text.clone()
}

#[test]
fn words_lines_and_paragraphs() {
    let content = [
        line(50, 700, "First line"),
        line(50, 686, "second line"),
        line(50, 640, "A new paragraph."),
        // Words placed one by one, with the space left out.
        line(50, 600, "one"),
        line(76, 600, "two"),
        // Drawn twice, to look bold.
        line(50, 560, "bold"),
        line(50, 560, "bold"),
    ]
    .concat();
    insta::assert_snapshot!(text_of(&content), @"
    First line
    second line

    A new paragraph.

    one two

    bold
    ");
}

#[test]
fn columns_stay_apart_and_a_page_without_order_is_read_from_the_top() {
    let left = ["l1", "l2", "l3"];
    let right = ["r1", "r2", "r3"];
    let column = |x, words: [&str; 3]| -> String {
        (0..3)
            .map(|row| line(x, 700 - row * 14, words[row as usize]))
            .collect()
    };
    assert_eq!(
        text_of(&(column(50, left) + &column(350, right))),
        "l1\nl2\nl3\n\nr1\nr2\nr3"
    );
    let shuffled: String = [5, 1, 4, 0, 3, 6, 2, 8, 7, 9, 11, 10]
        .iter()
        .map(|row| line(50, 700 - row * 14, &format!("row {row}")))
        .collect();
    let sorted: Vec<String> = (0..12).map(|row| format!("row {row}")).collect();
    assert_eq!(text_of(&shuffled), sorted.join("\n"));
}

#[test]
fn page_ranges() {
    let parse = |text| {
        PageRange::parse(text, 12).map(|range| {
            let numbers = range.numbers();
            format!(
                "{}-{}{}",
                numbers.start(),
                numbers.end(),
                if range.past_end { " past" } else { "" }
            )
        })
    };
    assert_eq!(parse("3-5").unwrap(), "3-5");
    assert_eq!(parse("12-20").unwrap(), "12-12 past");
    assert_eq!(parse("7").unwrap(), "7-7");
    assert_eq!(parse("11-").unwrap(), "11-12");
    assert_eq!(parse("1-99999999999999999999999").unwrap(), "1-12 past");
    for text in [
        "0",
        "5-3",
        "1,3",
        "abc",
        "-2",
        "",
        "13",
        "0-3",
        "3-5-7",
        "\u{0663}",
        "+1",
        "4294967296",
    ] {
        let message = parse(text).unwrap_err();
        assert!(
            message.contains("(\"3-5\")") && message.contains("12 pages"),
            "{text}: {message}"
        );
    }
    insta::assert_snapshot!(parse("5-3").unwrap_err(), @r#"pages "5-3" runs backwards. Give one page ("3"), a range ("3-5"), or a range to the end ("3-"); the document has 12 pages."#);
}

#[test]
fn encrypted_broken_and_empty_ones_say_what_they_are() {
    let fail = |bytes: Vec<u8>| {
        let failure = read("d.pdf", bytes, None, &Cancellation::new()).unwrap_err();
        format!("{}: {failure}", failure.code)
    };
    let locked = format!(
        "/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O<{0}>/U<{0}>>>/ID[<00><00>]",
        "00".repeat(32)
    );
    insta::assert_snapshot!(fail(pdf(&[&line(9, 9, "x")], &locked)), @"encrypted_pdf: d.pdf is encrypted and needs a password, so its text cannot be read. Ask for a version without, or use `qpdf --decrypt --password=…` in Bash where the password is known.");
    insta::assert_snapshot!(fail(b"%PDF-1.7\nnothing\n".to_vec()), @"broken_pdf: d.pdf cannot be read as a PDF: it is damaged or cut off. Nothing of it was sent.");
    insta::assert_snapshot!(fail(pdf(&["0 0 m 9 9 l S"], "")), @"no_text: d.pdf has no text on page 1 of 1: nothing is written there. `pdftoppm` and `tesseract` in Bash help where they are installed.");
    let scanned = "q 600 0 0 800 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \u{1} EI Q";
    assert!(fail(pdf(&[scanned], "")).contains("the document was scanned"));
}

/// Forms of which each draws the next one ten times: a few kilobytes that draw more than anybody waits
/// for. The thread that reads them ends too.
#[test]
fn forms_that_multiply_are_given_up() {
    const DEPTH: usize = 12;
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</XObject<</X 5 0 R>>>>/Contents 4 0 R>>".to_owned(),
        "<</Length 5>>stream\n/X Do\nendstream".to_owned(),
    ];
    for depth in 0..DEPTH {
        let content = if depth + 1 < DEPTH {
            "/X Do ".repeat(10)
        } else {
            "0 0 m 9 9 l S".to_owned()
        };
        objects.push(format!(
            "<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X {} 0 R>>>>/Length {}>>stream\n{content}\nendstream",
            6 + depth,
            content.len()
        ));
    }
    let bytes = document(&objects, "");
    assert!(bytes.len() < 8 << 10);
    let bounds = Bounds {
        time: Duration::from_secs(600),
        steps: 5_000,
    };
    let read = read_within("d.pdf", bytes, None, &Cancellation::new(), bounds);
    insta::assert_snapshot!(read.unwrap_err(), @"d.pdf draws more than 5000 things on the pages that were asked for, and was given up. Ask for fewer pages; `pdftotext` in Bash may do better.");
}

/// A stream that stands for gigabytes is not unpacked after the call was given up.
#[test]
fn measuring_ends_when_it_is_told_to() {
    let zeros = vec![0; 4 << 20];
    let mut flate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    flate.write_all(&zeros).unwrap();
    let mut bytes = b"1 0 obj<</Filter /FlateDecode>>stream\n".to_vec();
    bytes.extend(flate.finish().unwrap());
    bytes.extend(b"\nendstream\n".repeat(2));
    bytes.extend(b"2 0 obj<<>>stream\nx\nendstream");
    let asked = std::cell::Cell::new(0);
    let stop = |after: u32| {
        let asked = &asked;
        move || {
            asked.set(asked.get() + 1);
            asked.get() > after
        }
    };
    assert_eq!(
        unpack::must_be_bounded(&bytes, 1 << 30, &stop(u32::MAX)),
        Ok(())
    );
    // Once a block of 16 KB, and once a stream.
    assert!(asked.replace(0) >= 4 << 20 >> 14);
    assert!(unpack::must_be_bounded(&bytes, 1 << 30, &stop(5)).is_err());
    assert!(asked.get() <= 7, "{}", asked.get());
}

#[test]
fn a_cancelled_call_ends() {
    let cancellation = Cancellation::new();
    cancellation.cancel(adroit_tool::CancelReason::Stopped);
    let failure = read("d.pdf", pdf(&[&line(9, 9, "x")], ""), None, &cancellation).unwrap_err();
    assert_eq!(failure.code, "cancelled");
}

#[test]
fn what_unpacks_without_end_is_refused_before() {
    let never = || false;
    let zeros = vec![0; 1 << 20];
    let mut flate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    flate.write_all(&zeros).unwrap();
    let flate = flate.finish().unwrap();
    let lzw = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
        .encode(&zeros)
        .unwrap();
    let hex: String = flate.iter().map(|byte| format!("{byte:02X}")).collect();
    let cases = [
        ("/FlateDecode", flate.clone()),
        ("/Fl", flate.clone()),
        // The dictionary does not say how it is packed.
        ("5 0 R", flate.clone()),
        ("/LZWDecode", lzw),
        ("[/ASCIIHexDecode /FlateDecode]", hex.into_bytes()),
        ("[/ASCII85Decode/FlateDecode]", ascii85(&flate)),
    ];
    for (filter, packed) in cases {
        assert!(packed.len() < 16 << 10, "{filter}");
        let mut bytes = format!("1 0 obj<</Filter {filter}/Flags 4>>stream\r\n").into_bytes();
        bytes.extend(packed);
        bytes.extend(b"\nendstream");
        assert_eq!(
            unpack::must_be_bounded(&bytes, 1 << 20, &never),
            Ok(()),
            "{filter}"
        );
        assert!(
            unpack::must_be_bounded(&bytes, (1 << 20) - 1, &never).is_err(),
            "{filter}"
        );
    }
    let twice = b"1 0 obj<</Filter[/FlateDecode /LZWDecode]>>stream\nx";
    assert!(unpack::must_be_bounded(twice, 9, &never).is_err());
    assert!(unpack::must_be_bounded(b"a stream of words", 0, &never).is_ok());
}

fn ascii85(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for chunk in bytes.chunks(4) {
        let mut group = [0; 4];
        group[..chunk.len()].copy_from_slice(chunk);
        let mut value = u32::from_be_bytes(group);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = b'!' + u8::try_from(value % 85).unwrap();
            value /= 85;
        }
        text.extend(&digits[..=chunk.len()]);
    }
    text.extend(b"~>");
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Whatever the bytes: an answer, and no panic that reaches anybody.
    #[test]
    fn damage_of_any_kind_ends_in_an_answer(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
        cuts: bool,
    ) {
        let mut bytes = pdf(&[&line(50, 700, "some text"), &line(50, 700, "more")], "");
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = read("d.pdf", bytes, Some("1-2"), &Cancellation::new());
    }
}
