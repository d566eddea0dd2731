//! A model server for benches and journeys: plays a script from a JSON file.
//!
//! `scripted_model SCRIPT.json [--repeat]` prints its base URL on the first line, then one
//! JSON line per request: its number, the microseconds since the last bytes of the answer
//! before it (none for the first), and its body. With `--repeat` the script begins again
//! after its end. It serves until it is killed or its standard input closes.

use std::process::ExitCode;

use adroit_testkit::{ScriptedModel, Turn, turns_from_json};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let repeat = arguments.iter().any(|argument| argument == "--repeat");
    let Some(path) = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"))
    else {
        eprintln!("usage: scripted_model SCRIPT.json [--repeat]");
        return ExitCode::from(2);
    };
    let turns = match read(path) {
        Ok(turns) => turns,
        Err(message) => {
            eprintln!("{path}: {message}");
            return ExitCode::from(2);
        }
    };
    tokio::select! {
        () = serve(turns, repeat) => {}
        () = closed() => {}
    }
    ExitCode::SUCCESS
}

fn read(path: &str) -> Result<Vec<Turn>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let script = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let turns = turns_from_json(&script).map_err(|error| error.to_string())?;
    if turns.is_empty() {
        Err("the script has no turns".into())
    } else {
        Ok(turns)
    }
}

/// Serves for ever.
async fn serve(turns: Vec<Turn>, repeat: bool) {
    let model = ScriptedModel::start(turns.clone()).await;
    println!("{}", model.base_url());
    let mut again = turns.into_iter().cycle();
    if repeat {
        // One turn ahead, so that no request finds the script at its end.
        again.next().into_iter().for_each(|turn| model.push(turn));
    }
    for number in 0.. {
        let request = model.request(number).await;
        if repeat {
            again.next().into_iter().for_each(|turn| model.push(turn));
        }
        let since = number
            .checked_sub(1)
            .and_then(|before| model.answer_ended(before))
            .map(|ended| request.at.saturating_duration_since(ended).as_micros());
        println!(
            "{}",
            json!({"request": number, "sinceAnswerMicros": since, "body": request.body})
        );
    }
}

/// Returns when standard input is at its end.
async fn closed() {
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        // An unreadable input counts as closed.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        drop(end);
    });
    let _ = ended.await;
}
