//! A progress bar on stderr: after half a second, on a terminal only.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mainstay_runtime::Step;

const QUIET_FOR: Duration = Duration::from_millis(500);

/// Shared with the callback that reports steps.
#[derive(Clone)]
pub struct Bar {
    bar: ProgressBar,
    began: Instant,
    hidden: bool,
}

impl Bar {
    pub fn start(hidden: bool) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        // How much there is to do is often not known, or not at first.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Bar { bar, began: Instant::now(), hidden: hidden || !std::io::stderr().is_terminal() }
    }

    pub fn show(&self, step: &Step) {
        if self.hidden || self.began.elapsed() < QUIET_FOR {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if let Some(total) = step.progress.total {
            if self.bar.length().is_none()
                && let Ok(style) = ProgressStyle::with_template("{bar:30.green} {percent:>3}%  {msg}")
            {
                self.bar.set_style(style);
            }
            self.bar.set_length(total);
        }
        self.bar.set_position(step.progress.done.unwrap_or_default());
        self.bar.set_message(step.progress.message.clone());
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
