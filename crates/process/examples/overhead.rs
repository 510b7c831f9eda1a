//! Measures a call through a supervisor against a bare spawn of the same program.
//!
//! `cargo run --release -p mainstay-process --example overhead`
#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use mainstay_process::{Command, Env, Launcher, Never, SUPERVISE_WORD, SpawnError, supervise_main};

const ROUNDS: usize = 500;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(SUPERVISE_WORD) {
        return supervise_main();
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let launcher = Launcher::this_program()?;
    let command = Command::new("/bin/echo", Env::new()).args(["hello"]);
    let call = |launcher: &Launcher| launcher.run(&command, &Never, &mut |_, _| ()).map(|_| ());
    call(&launcher)?;
    let (mut bare, mut kept, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
    // In turns, so that a noisy moment hits all three.
    for _ in 0..ROUNDS {
        bare.push(time(|| {
            std::process::Command::new("/bin/echo").env_clear().arg("hello").output().map(|_| ())
        })?);
        kept.push(time(|| call(&launcher))?);
        fresh.push(time(|| {
            let launcher = Launcher::this_program().map_err(|_| SpawnError::Stopped)?;
            call(&launcher)
        })?);
    }
    let bare = report("bare spawn", bare, None);
    report("call, supervisor kept", kept, Some(bare));
    report("call, supervisor started for it", fresh, Some(bare));
    Ok(())
}

fn time<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let began = Instant::now();
    work().map(|()| began.elapsed())
}

fn report(what: &str, mut times: Vec<Duration>, base: Option<Duration>) -> Duration {
    times.sort();
    let (median, p95) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    let ratio =
        base.map_or(String::new(), |base| format!("  {:.2}x", median.as_secs_f64() / base.as_secs_f64()));
    println!("{what:<32} median {median:>10.1?}  p95 {p95:>10.1?}{ratio}");
    median
}
