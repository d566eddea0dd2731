//! The handed cases of streams, calls, hooks and requests: each is a test that names it.

use serde_json::Value;

/// Where they are. A test names its case in its comment or in its own name: `dv_stream_001`.
const TESTS: [&str; 18] = [
    include_str!("../../src-tauri/crates/adroit-engine/src/tests/executor.rs"),
    include_str!("../../src-tauri/crates/adroit-engine/src/tests/failures.rs"),
    include_str!("../../src-tauri/crates/adroit-engine/src/tests/permissions.rs"),
    include_str!("../../src-tauri/crates/adroit-engine/src/tests/schemas.rs"),
    include_str!("../../src-tauri/crates/adroit-hooks/src/tests/commands.rs"),
    include_str!("../../src-tauri/crates/adroit-model/src/anthropic/tests.rs"),
    include_str!("../../src-tauri/crates/adroit-model/src/arguments.rs"),
    include_str!("../../src-tauri/crates/adroit-model/src/openai_chat/tests.rs"),
    include_str!("../../src-tauri/crates/adroit-model/src/retry.rs"),
    include_str!("../../src-tauri/crates/adroit-model/src/sse/tests.rs"),
    include_str!("../../src-tauri/crates/adroit-session/src/transcript/replay.rs"),
    include_str!("deferred.rs"),
    include_str!("hooks.rs"),
    include_str!("rules.rs"),
    include_str!("sessions.rs"),
    include_str!("surface.rs"),
    include_str!("../../ui/test/requests.test.ts"),
    include_str!("../../ui/test/views.test.ts"),
];

/// The cases, a JSON object a line.
const CASES: [&str; 2] = [
    include_str!("../cases/protocol.jsonl"),
    include_str!("../cases/permission-gui.jsonl"),
];

#[test]
fn every_case_has_a_test() {
    for line in CASES.iter().flat_map(|cases| cases.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let name = id.replace('-', "_");
        let tested = TESTS
            .iter()
            .any(|text| text.contains(id) || text.contains(&name));
        assert!(tested, "{id} has no test: {}", case["title"]);
    }
}
