//! `executor: docker`: the program runs in a container that ends with the call.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Job, Placed};
use crate::config::Config;
use crate::environment;
use crate::expand;
use crate::policy::{Dialect, Docker};
use crate::run::Runner;

/// Variables the docker client itself obeys: their values go on its command line, not into its environment.
const CLIENT_VARIABLES: &[&str] = &["PATH", "HOME"];

static NEXT: AtomicU64 = AtomicU64::new(0);

pub fn place(docker: &Docker, runner: &Runner, config: &Config, job: Job) -> Placed {
    let mut words: Vec<String> = vec!["run".into(), "--rm".into()];
    if job.has_stdin {
        words.push("-i".into());
    }
    let name = format!("mainstay-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    // The original names no container, and its users' wrappers see its exact words.
    let is_named = runner.dialect == Dialect::Strict;
    if is_named {
        words.extend(["--name".into(), name.clone()]);
    }
    for volume in &docker.volumes {
        words.extend(["-v".into(), expand::variables(volume, &runner.vars)]);
    }
    if let Some(network) = &docker.network {
        words.extend(["--network".into(), network.clone()]);
    }
    let operators = docker.working_dir.as_ref().map(|dir| expand::variables(dir, &runner.vars));
    let configured = job.working_dir.map(|dir| dir.display().to_string());
    let cwd = job.cwd.map(|dir| dir.display().to_string()).or(operators).or(configured);
    if let Some(cwd) = cwd {
        words.extend(["-w".into(), cwd]);
    }
    // The client runs with our environment; only what the configuration sets enters the container.
    let mut env = environment::let_through(config, &runner.vars);
    env.extend(
        runner.vars.iter().filter(|(key, _)| starts_with_docker(key)).map(|(k, v)| (k.clone(), v.clone())),
    );
    for (key, value) in &config.env {
        let is_clients = CLIENT_VARIABLES.contains(&key.as_str()) || key.starts_with("DOCKER_");
        words.push("-e".into());
        match is_clients {
            true => words.push(format!("{key}={value}")),
            // By name alone the value stays out of the process list.
            false => {
                words.push(key.clone());
                env.insert(key.into(), value.into());
            }
        }
    }
    words.push(docker.image.clone());
    words.push(job.program);
    words.extend(job.words);
    let cleaning = is_named.then(|| vec!["rm".into(), "-f".into(), name]);
    Placed { program: "docker".into(), words, cwd: None, env, cleaning }
}

fn starts_with_docker(key: &std::ffi::OsStr) -> bool {
    key.to_str().is_some_and(|key| key.starts_with("DOCKER_"))
}
