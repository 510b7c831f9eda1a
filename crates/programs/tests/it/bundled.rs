//! Bundled configurations against the real programs.
