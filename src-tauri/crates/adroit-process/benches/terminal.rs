//! Throughput against a plain reader of the same terminal, and the cost of a
//! command, both measured in one run on the same machine.
//!
//! `cargo bench -p adroit-process`

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use adroit_process::{
    CommandSpec, Environment, OutputLimits, Sandbox, SandboxNetwork, SandboxPolicy, Shell,
    ShellCommand, Supervisor,
};
use portable_pty::{CommandBuilder, NativePtySystem, PtySize, PtySystem};

const FLOOD: usize = 50 << 20;
const ROUNDS: usize = 7;
const COMMANDS: usize = 100;

type Failure = Box<dyn std::error::Error>;

fn environment() -> Vec<(OsString, OsString)> {
    Environment::new(std::env::vars_os(), None).for_commands()
}

/// Runs a program in a terminal, throwing away what it prints.
fn plain(arguments: &[&str]) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let pair = NativePtySystem::default().openpty(PtySize::default())?;
    let mut command = CommandBuilder::new(arguments[0]);
    command.args(&arguments[1..]);
    let mut reader = pair.master.try_clone_reader()?;
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let mut buffer = vec![0; 64 * 1024];
    while reader.read(&mut buffer)? > 0 {}
    child.wait()?;
    Ok(begun.elapsed())
}

async fn supervised(supervisor: &Supervisor, spec: CommandSpec) -> Result<Duration, Failure> {
    let begun = Instant::now();
    supervisor.spawn(spec)?.wait().await;
    Ok(begun.elapsed())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// Processor time of this process so far in ms (clock ticks are 10 ms).
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks = fields.split(' ').skip(11).take(2);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        * 10.0
}

/// Peak resident memory of this process in MB.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|value| value.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}

fn kinds() -> [(&'static str, Vec<u8>); 3] {
    let lines = b"   Compiling something v0.1.0 (/home/dev/project/something)\n".to_vec();
    let colours =
        b"\x1b[1m\x1b[32m   Compiling\x1b[0m something v0.1.0 \x1b[2m(/home/dev)\x1b[0m\n".to_vec();
    let progress = b"\rDownloading [=========>            ] 41% of 120 MB, 3.2 MB/s".to_vec();
    [
        ("lines", lines),
        ("coloured lines", colours),
        ("progress bar", progress),
    ]
}

async fn flood(supervisor: &Supervisor, folder: &Path) -> Result<(), Failure> {
    println!("50 MB through a terminal, median of {ROUNDS} (budget: at most 1.2 x plain, 40 MB)");
    for (name, piece) in kinds() {
        let file = folder.join("flood");
        std::fs::File::create(&file)?.write_all(&piece.repeat(FLOOD / piece.len()))?;
        let path = file.display().to_string();
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        let (mut their_processor, mut our_processor) = (0.0, 0.0);
        for _ in 0..ROUNDS {
            let before = processor_time();
            theirs.push(plain(&["cat", &path])?);
            their_processor += processor_time() - before;
            let mut spec = CommandSpec::new("/bin/cat", "/", environment());
            spec.args = vec![path.clone().into()];
            spec.output_limits = OutputLimits::default();
            spec.overflow_dir = Some(folder.join("overflow"));
            let before = processor_time();
            ours.push(supervised(supervisor, spec).await?);
            our_processor += processor_time() - before;
            std::fs::remove_dir_all(folder.join("overflow")).ok();
        }
        let (theirs, ours) = (median(theirs), median(ours));
        println!(
            "  {name:15} plain {theirs:7.1} ms, ours {ours:7.1} ms, ratio {:.2}; \
             processor {:.0} and {:.0} ms",
            ours / theirs,
            their_processor / ROUNDS as f64,
            our_processor / ROUNDS as f64
        );
    }
    println!(
        "  peak memory {:.1} MB (the flood file is built in memory: 50 MB of it)",
        peak_memory()
    );
    Ok(())
}

async fn commands(supervisor: &Supervisor) -> Result<(), Failure> {
    let shell = Shell::discover(None, None)?;
    let (mut pipe, mut terminal, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..COMMANDS {
        let begun = Instant::now();
        std::process::Command::new("bash")
            .args(["--noprofile", "--norc", "-c", "true"])
            .output()?;
        pipe.push(begun.elapsed());
        terminal.push(plain(&["bash", "--noprofile", "--norc", "-c", "true"])?);
        let begun = Instant::now();
        let prepared = ShellCommand {
            shell: &shell,
            command: "true",
            cwd: Path::new("/"),
            fallback_cwd: Path::new("/"),
            env: environment(),
            definitions: None,
        }
        .prepare()?;
        supervisor.spawn(prepared.spec)?.wait().await;
        prepared.report.read();
        ours.push(begun.elapsed());
    }
    println!("`true` in bash, median of {COMMANDS}");
    println!(
        "  by pipe {:.2} ms, in a plain terminal {:.2} ms, supervised {:.2} ms",
        median(pipe),
        median(terminal),
        median(ours)
    );
    Ok(())
}

/// What a sandbox adds to a command.
async fn sandboxed(supervisor: &Supervisor, folder: &Path) -> Result<(), Failure> {
    let sandbox = Sandbox::new(supervisor.clone(), std::env::var_os("PATH"));
    let begun = Instant::now();
    let found = sandbox.find(SandboxNetwork::On).await;
    let trial = begun.elapsed();
    let backend = match &found.backend {
        Ok(backend) => backend,
        Err(unavailable) => {
            println!("no sandbox works here: {unavailable}");
            return Ok(());
        }
    };
    let policy = SandboxPolicy {
        writable: vec![folder.to_owned()],
        ..SandboxPolicy::default()
    };
    let (mut free, mut held) = (Vec::new(), Vec::new());
    for _ in 0..COMMANDS {
        let mut spec = CommandSpec::new("/bin/true", "/", environment());
        free.push(supervised(supervisor, spec.clone()).await?);
        backend.confine(&policy, &mut spec);
        held.push(supervised(supervisor, spec).await?);
    }
    println!(
        "`true`, median of {COMMANDS}: free {:.2} ms, in {} {:.2} ms; the trial took {:.1} ms",
        median(free),
        backend.name(),
        median(held),
        trial.as_secs_f64() * 1e3
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let supervisor = Supervisor::new(Some(folder.path().join("state")));
    commands(&supervisor).await?;
    sandboxed(&supervisor, folder.path()).await?;
    flood(&supervisor, folder.path()).await
}
