//! Tools for judging the server from outside, registered only with `--conformance-fixtures`.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use mainstay_contract::{Call, CancelToken, Fault, FaultResult, Policy, Progress, Tool, ToolDef, Toolset};
use mainstay_process::{Command, EndedBy, Env, Launcher, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fixture tools of this crate.
pub fn tools(launcher: &Arc<Launcher>, env: &Env) -> Vec<Tool> {
    let (launcher, env) = (Arc::clone(launcher), env.clone());
    vec![
        ToolDef::new("test_slow", Toolset::Search)
            .title("Slow fixture")
            .summary("Run for a while with a tree of child processes, reporting progress")
            .policy(Policy::interactive().timeout(Duration::from_secs(60)))
            .handler(move |call: &Call, args: SlowArgs| slow(call, &launcher, &env, &args)),
        ToolDef::new("test_echo", Toolset::Search)
            .title("Echo fixture")
            .summary("Repeat a message")
            .policy(Policy::instant())
            .handler(|_: &Call, args: Echo| Ok::<_, Fault>(args)),
    ]
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    /// What to repeat.
    message: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SlowArgs {
    /// How long to run, in milliseconds.
    millis: u64,
    /// Shell script to run meanwhile; a tree of sleeping processes when absent.
    script: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Slow {
    /// Whether the script ended by itself.
    finished: bool,
}

struct StopOn<'a>(&'a CancelToken);

impl Stop for StopOn<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_cancelled()
    }

    fn on_stop(&self, wake: Box<dyn FnOnce() + Send>) -> Box<dyn Any> {
        Box::new(self.0.on_cancel(wake))
    }
}

/// Three generations: a shell, its child, and a grandchild in a session of its own.
const TREE: &str = r#"
    sleep "$1" &
    sh -c 'setsid sleep "$1" & sleep "$1"' tree "$1" &
    i=0; while [ "$i" -lt "$2" ]; do i=$((i + 1)); echo "step $i"; sleep 0.05; done
"#;

fn slow(call: &Call, launcher: &Launcher, env: &Env, args: &SlowArgs) -> FaultResult<Slow> {
    let seconds = format!("{:.3}", args.millis as f64 / 1000.0);
    let steps = (args.millis / 50).to_string();
    let script = args.script.as_deref().unwrap_or(TREE);
    let command = Command::new("sh", env.clone()).args(["-c", script, "slow", &seconds, &steps]);
    let mut done = 0;
    let ended = launcher.run(&command, &StopOn(call.cancel()), &mut |_, _| {
        done += 1;
        call.report(Progress {
            phase: "slow".into(),
            message: format!("step {done}"),
            done: Some(done),
            ..Progress::default()
        });
    });
    let ended = ended.map_err(|error| Fault::internal(&error))?;
    call.cancel().check()?;
    Ok(Slow { finished: ended.ended_by == EndedBy::Natural })
}
