//! What the model gets to read.

use adroit_process::OutputLimits;

use crate::support::{run, sh, text};

#[tokio::test]
async fn streams_are_merged_in_true_order() {
    let exit = run(sh("echo o1; echo e1 >&2; echo o2; echo e2 >&2")).await;
    assert_eq!(text(&exit), "o1\ne1\no2\ne2\n");
}

#[tokio::test]
async fn no_output_is_empty() {
    let exit = run(sh("true")).await;
    assert!(exit.output.is_empty());
    assert!(exit.status.success());
}

#[tokio::test]
async fn a_progress_bar_collapses() {
    let exit = run(sh(
        "for i in $(seq 1 2000); do printf '\\rDownloading %d%%' $((i/20)); done; echo; echo done",
    ))
    .await;
    assert_eq!(text(&exit), "Downloading 100%\ndone\n");
    let exit = run(sh("printf 'one\\r\\ntwo\\r\\n'")).await;
    assert_eq!(text(&exit), "one\ntwo\n");
}

#[tokio::test]
async fn characters_are_whole_at_and_around_the_limit() {
    for length in [3333, 3334, 3335] {
        let mut spec = sh(&format!("printf '─%.0s' $(seq 1 {length})"));
        spec.output_limits = OutputLimits {
            memory_bytes: 10_001,
            file_bytes: 0,
        };
        let exit = run(spec).await;
        let shown = text(&exit);
        assert!(!shown.contains('\u{FFFD}'), "{length}");
        assert_eq!(exit.output.total_bytes, length * 3);
        assert_eq!(shown.contains("bytes left out"), length * 3 > 10_001);
    }
}

#[tokio::test]
async fn a_flood_is_bounded_and_the_whole_is_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    // 1,000,000 lines of 51 bytes.
    let mut spec = sh("yes 01234567890123456789012345678901234567890123456789 | head -n 1000000");
    spec.output_limits = OutputLimits {
        memory_bytes: 30_000,
        file_bytes: 20 << 20,
    };
    spec.overflow_dir = Some(folder.path().join("overflow"));
    let exit = run(spec).await;
    let output = &exit.output;
    assert_eq!(output.total_bytes, 51_000_000);
    assert_eq!(output.raw_bytes, 52_000_000);
    assert!(output.head.len() + output.tail.len() <= 30_000);
    assert!(output.file_is_partial);
    let file = output.file.as_ref().expect("a file");
    let size = std::fs::metadata(file).expect("its size").len();
    assert_eq!(size, 20 << 20);
}

#[tokio::test]
async fn binary_is_named() {
    let exit = run(sh(
        "echo before; head -c 200000 /dev/urandom; echo; sleep 0.2; echo after",
    ))
    .await;
    let shown = text(&exit);
    assert!(
        shown.starts_with("before\n") || shown.starts_with("[binary data, "),
        "{shown}"
    );
    assert!(shown.ends_with("after\n"), "{shown}");
    assert!(shown.contains("[binary data, "), "{shown}");
    assert!(shown.len() < 20_000, "{} bytes shown", shown.len());
}

#[tokio::test]
async fn a_signal_is_told_from_a_code() {
    let exit = run(sh("kill -9 $$")).await;
    assert_eq!(exit.status, adroit_process::ExitStatus::Signal(9));
    assert_eq!(exit.status.shell_code(), 137);
}
