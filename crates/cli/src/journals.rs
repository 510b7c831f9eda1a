//! What watches the calls of a server, as the settings ask.

use std::path::Path;
use std::sync::Arc;

use mainstay_contract::{Fault, FaultResult};
use mainstay_runtime::Runtime;
use mainstay_runtime::audit::AuditLog;
use mainstay_runtime::recording::Recorder;

use crate::settings::Settings;

/// Tokens of a text as current models count them.
pub fn tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// Starts the audit log and the recording.
pub fn start(settings: &Settings, runtime: &Runtime) -> FaultResult<()> {
    let failed = |what: &str, path: &Path, error: std::io::Error| {
        Fault::invalid(format!("could not open the {what} {}: {error}", path.display()))
            .hint("name another place, or leave the setting out")
    };
    if let Some(dir) = settings.path("audit") {
        let dir = settings.work_dir.join(dir);
        let log = AuditLog::open(&dir).map_err(|error| failed("audit log", &dir, error))?;
        runtime.watch(Arc::new(log));
        runtime.count_answers();
    }
    if let Some(file) = settings.path("record") {
        let file = settings.work_dir.join(file);
        let recorder = Recorder::create(&file, jiff::Timestamp::now())
            .map_err(|error| failed("recording", &file, error))?;
        runtime.watch(Arc::new(recorder));
    }
    Ok(())
}
