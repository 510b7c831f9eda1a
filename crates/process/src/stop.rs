//! How a caller tells a running program to end. Who cancels, and why, is the caller's business.

use std::any::Any;

/// Something that can ask a run to stop, once and for good.
pub trait Stop: Send + Sync {
    /// Tells whether the run should end.
    fn is_stopped(&self) -> bool;

    /// Calls `wake` once when the run should end, on any thread; at once when it already should.
    ///
    /// Dropping the returned guard forgets `wake`.
    fn on_stop(&self, wake: Box<dyn FnOnce() + Send>) -> Box<dyn Any>;
}

/// A [`Stop`] that never stops anything.
pub struct Never;

impl Stop for Never {
    fn is_stopped(&self) -> bool {
        false
    }

    fn on_stop(&self, _wake: Box<dyn FnOnce() + Send>) -> Box<dyn Any> {
        Box::new(())
    }
}
