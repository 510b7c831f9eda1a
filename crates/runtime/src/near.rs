//! "Did you mean": the names closest to a mistyped one.

/// Returns up to `limit` names close to `wanted`, closest first.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| {
            let lower = name.to_lowercase();
            let mut score = strsim::jaro_winkler(&wanted, &lower);
            if !wanted.is_empty() && (lower.contains(&wanted) || wanted.contains(&lower)) {
                score += 0.2;
            }
            (score, name)
        })
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(limit).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name() {
        let names = ["index_status", "config_status", "search", "tokens.build"];
        assert_eq!(nearest("serach", names, 1), ["search"]);
        assert_eq!(nearest("index_stat", names, 1), ["index_status"]);
        assert!(nearest("zzzz", names, 3).is_empty());
    }
}
