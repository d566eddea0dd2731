use proptest::prelude::*;

use super::*;

const SIZE: TerminalSize = TerminalSize {
    rows: 10,
    columns: 80,
};

fn limits(memory_bytes: usize) -> OutputLimits {
    OutputLimits {
        memory_bytes,
        file_bytes: 0,
    }
}

/// The clean text, the same however the bytes are cut.
fn clean(bytes: &[u8]) -> String {
    let whole = clean_in_pieces(bytes, bytes.len().max(1));
    for size in [1, 2, 3, 7] {
        assert_eq!(clean_in_pieces(bytes, size), whole, "pieces of {size}");
    }
    whole
}

fn clean_in_pieces(bytes: &[u8], size: usize) -> String {
    let mut recorder = Recorder::new(limits(1 << 20), None, SIZE);
    bytes.chunks(size).for_each(|piece| recorder.feed(piece));
    recorder.finish().text(usize::MAX)
}

#[test]
fn a_progress_bar_collapses_to_its_last_state() {
    let mut bytes = Vec::new();
    for number in 1..=5000 {
        bytes.extend(format!("\rDownloading {}%", number / 50).bytes());
    }
    bytes.extend(b"\r\ndone\r\n");
    assert_eq!(clean(&bytes), "Downloading 100%\ndone\n");
}

#[test]
fn crlf_overwrites_nothing() {
    assert_eq!(clean(b"one\r\ntwo\r\r\nthree\r\n"), "one\ntwo\nthree\n");
}

#[test]
fn escape_sequences_vanish() {
    let bytes = b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b(B\x1b=\x1b[?25l.\x1b[>4;2m\x1bPq#0\x1b\\!\r\n";
    assert_eq!(clean(bytes), "red link .!\n");
}

#[test]
fn an_unterminated_title_does_not_swallow_the_rest() {
    assert_eq!(clean(b"a\x1b]0;title\r\nb\r\n"), "a\nb\n");
}

#[test]
fn several_progress_lines_are_rewritten_in_place() {
    let bytes = b"start\r\na 1%\r\nb 1%\r\n\x1b[2A\x1b[2Ka 50%\r\n\x1b[2Kb 60%\r\n\x1b[2A\x1b[Ka ok\r\n\x1b[Kb ok\r\nend\r\n";
    assert_eq!(clean(bytes), "start\na ok\nb ok\nend\n");
}

#[test]
fn erasing_shortens_and_blanks_at_the_end_of_an_edited_line_go() {
    assert_eq!(
        clean(b"Building [====>  ] 3/4\r\x1b[KFinished\r\n"),
        "Finished\n"
    );
    assert_eq!(clean(b"working...\r          \rok\r\n"), "ok\n");
    assert_eq!(clean(b"kept   \r\n"), "kept   \n");
    assert_eq!(clean(b"b\x08bo\x08ol\x08ld _\x08u\r\n"), "bold u\n");
}

#[test]
fn clear_leaves_what_came_after_it() {
    assert_eq!(clean(b"old\r\nold\r\n\x1b[H\x1b[2J\x1b[3Jnew\r\n"), "new\n");
}

#[test]
fn a_full_screen_program_that_ends_leaves_nothing() {
    assert_eq!(
        clean(b"before\r\n\x1b[?1049h\x1b[2J\x1b[5;5Hvim\x1b[?1049lafter\r\n"),
        "before\nafter\n"
    );
}

#[test]
fn the_last_screen_of_a_full_screen_program_is_shown_when_it_was_killed() {
    assert_eq!(
        clean(b"before\r\n\x1b[?1049h\x1b[2J\x1b[1;3Htop\x1b[2;1Hload 1"),
        "before\n[the last screen of a full-screen program]\n  top\nload 1\n"
    );
}

#[test]
fn characters_cut_between_reads_stay_whole() {
    assert_eq!(clean("─é漢🎉\r\n".as_bytes()), "─é漢🎉\n");
    assert_eq!(clean(b"a\xC3"), "a\u{FFFD}");
    assert_eq!(clean(b"a\xFFb\r\n"), "a\u{FFFD}b\n");
    assert_eq!(clean("é\rü\r\n".as_bytes()), "ü\n");
}

#[test]
fn binary_is_named_and_text_around_it_stays() {
    let mut recorder = Recorder::new(limits(1 << 20), None, SIZE);
    recorder.feed(b"before\r\n");
    let noise: Vec<u8> = (0..8192u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    noise.chunks(4096).for_each(|piece| recorder.feed(piece));
    recorder.feed(b"after\r\n");
    let output = recorder.finish();
    assert_eq!(output.binary_bytes, 8192);
    assert_eq!(
        output.text(1000),
        "before\n[binary data, 8192 bytes, not shown]\nafter\n"
    );
}

#[test]
fn nul_between_names_stays_text() {
    assert_eq!(
        clean_in_pieces(b"src/lib.rs\0src/main.rs\0", 100),
        "src/lib.rs\u{2400}src/main.rs\u{2400}"
    );
}

#[test]
fn a_flood_is_held_in_fixed_memory_and_counted() {
    let mut recorder = Recorder::new(limits(10_000), None, SIZE);
    let line = b"0123456789012345678901234567890123456789012345678\r\n";
    let piece = line.repeat(80);
    let pieces = (8 << 20) / piece.len();
    for _ in 0..pieces {
        recorder.feed(&piece);
    }
    assert!(recorder.sink.held() < 40_000, "{}", recorder.sink.held());
    let output = recorder.finish();
    assert_eq!(output.raw_bytes, (pieces * piece.len()) as u64);
    assert_eq!(output.total_bytes, (pieces * 80 * 50) as u64);
    assert!(output.head.len() + output.tail.len() <= 10_000);
    assert!(output.text(10_000).contains("bytes left out"));
}

#[test]
fn a_line_without_end_is_held_in_fixed_memory() {
    let mut recorder = Recorder::new(limits(10_000), None, SIZE);
    let piece = [b'x'; 4096];
    for _ in 0..2560 {
        recorder.feed(&piece);
    }
    let output = recorder.finish();
    assert_eq!(output.total_bytes, 10 << 20);
    assert!(output.head.len() + output.tail.len() <= 10_000);
}

#[test]
fn the_last_lines_are_known_while_it_runs() {
    let mut recorder = Recorder::new(limits(1000), None, SIZE);
    recorder.feed(b"one\r\ntwo\r\nContinue? [y/N] ");
    assert_eq!(recorder.last_lines(2), "two\nContinue? [y/N] ");
}

/// Bytes as programs write them: text, line ends, the sequences that matter,
/// and anything else.
fn output(full_screen: bool) -> impl Strategy<Value = Vec<u8>> {
    let enter = if full_screen { "\x1b[?1049h" } else { "" };
    let token = prop_oneof![
        4 => "[a-zé漢🎉 ]{0,12}".prop_map(String::into_bytes),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(b"\x08".to_vec()),
        1 => Just(b"\t".to_vec()),
        3 => (0u16..40, 0u16..300, "[A-Za-z@`]")
            .prop_map(|(one, two, end)| format!("\x1b[{one};{two}{end}").into_bytes()),
        1 => "\\x1b[\\]PX78MDEc(=]".prop_map(String::into_bytes),
        1 => Just(enter.as_bytes().to_vec()),
        1 => Just(b"\x1b[?1049l".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn any_output_is_bounded_clean_and_accounted_for(bytes in output(true), limit in 0usize..200) {
        let mut recorder = Recorder::new(limits(limit), None, SIZE);
        recorder.feed(&bytes);
        let output = recorder.finish();
        prop_assert_eq!(output.raw_bytes, bytes.len() as u64);
        prop_assert!(output.head.len() + output.tail.len() <= limit);
        prop_assert_eq!(
            (output.head.len() + output.tail.len()) as u64 + output.dropped_bytes,
            output.total_bytes
        );
        let clean = |c: char| !c.is_control() || c == '\n' || c == '\t';
        prop_assert!(output.head.chars().chain(output.tail.chars()).all(clean));
    }

    /// Not of full screens: the library for those does not promise it.
    #[test]
    fn where_the_reads_cut_makes_no_difference(bytes in output(false), size in 1usize..9) {
        // In pieces of less than eight bytes nothing counts as binary data.
        let cut = clean_in_pieces(&bytes, size.min(7));
        prop_assert_eq!(cut, clean_in_pieces(&bytes, 1));
    }
}
