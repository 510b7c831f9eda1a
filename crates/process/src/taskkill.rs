//! The command that ends a process tree on Windows. Pure words, so that it is tested on every system.

/// The program that [`arguments`] are for.
pub const PROGRAM: &str = "taskkill";

/// What `taskkill` answers when the process is already gone, which is as good as having ended it.
const NO_SUCH_PROCESS: i32 = 128;

/// Returns the arguments that end `pid` and all its descendants by force.
pub fn arguments(pid: u32) -> [String; 4] {
    ["/pid".to_owned(), pid.to_string(), "/T".to_owned(), "/F".to_owned()]
}

/// Tells whether `taskkill` left nothing running.
pub fn succeeded(code: Option<i32>) -> bool {
    matches!(code, Some(0 | NO_SUCH_PROCESS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_tree_is_ended_by_force() {
        assert_eq!(arguments(4242), ["/pid", "4242", "/T", "/F"]);
    }

    #[test]
    fn a_process_that_is_already_gone_counts_as_ended() {
        assert!(succeeded(Some(0)) && succeeded(Some(128)));
        assert!(!succeeded(Some(1)) && !succeeded(None));
    }
}
