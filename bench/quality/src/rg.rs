//! What an agent gets from grep: files by the number of distinct words of the query in them, then by all matches.

use crate::Files;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

pub fn search(repo: &Path, query: &str) -> Files {
    let mut words: Vec<String> = query
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.len() > 2)
        .map(str::to_lowercase)
        .collect();
    words.sort_unstable();
    words.dedup();
    let mut found: HashMap<String, (u32, u64)> = HashMap::new();
    for word in words {
        let output = Command::new("rg")
            .args(["--count-matches", "--ignore-case", "--fixed-strings", "--no-messages", &word, "."])
            .current_dir(repo)
            .output()
            .expect("ripgrep is installed");
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if let Some((path, count)) = line.rsplit_once(':') {
                let entry = found.entry(path.trim_start_matches("./").to_owned()).or_default();
                entry.0 += 1;
                entry.1 += count.parse::<u64>().unwrap_or(0);
            }
        }
    }
    let mut files: Vec<(String, (u32, u64))> = found.into_iter().collect();
    files.sort_unstable_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    files.into_iter().map(|(path, _)| path).collect()
}
