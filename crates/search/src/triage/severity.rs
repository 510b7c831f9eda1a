//! One scale of severity for all scanners, and the CVSS arithmetic behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Cvss;

/// How bad a finding is.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Severity {
    #[default]
    Unknown,
    Info,
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Unknown => "unknown",
            Severity::Info => "info",
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }

    /// Reads the words scanners use.
    pub fn parse(word: &str) -> Option<Severity> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "critical" => Severity::Critical,
            "high" | "important" | "error" => Severity::High,
            "medium" | "moderate" | "warning" => Severity::Medium,
            "low" | "minor" | "note" | "negligible" => Severity::Low,
            "info" | "informational" | "information" | "none" => Severity::Info,
            "unknown" | "untriaged" | "undefined" => Severity::Unknown,
            _ => return None,
        })
    }

    /// The rating of a CVSS score.
    pub fn of_score(score: f64) -> Severity {
        match score {
            score if score >= 9.0 => Severity::Critical,
            score if score >= 7.0 => Severity::High,
            score if score >= 4.0 => Severity::Medium,
            score if score > 0.0 => Severity::Low,
            _ => Severity::Info,
        }
    }
}

/// Reads a CVSS vector; its score is worked out for version 3 and left open for others.
pub fn cvss(vector: &str) -> Cvss {
    let version = vector.strip_prefix("CVSS:").and_then(|rest| rest.split('/').next());
    Cvss {
        score: version.filter(|version| version.starts_with("3.")).and_then(|_| base_score(vector)),
        version: version.map(str::to_owned),
        vector: Some(super::record::line(vector)),
    }
}

/// The base score of a CVSS 3 vector, as the standard computes it.
fn base_score(vector: &str) -> Option<f64> {
    let metric = |name: &str| {
        vector.split('/').find_map(|part| part.strip_prefix(name)?.strip_prefix(':')?.chars().next())
    };
    let changed = metric("S")? == 'C';
    let reach = match metric("AV")? {
        'N' => 0.85,
        'A' => 0.62,
        'L' => 0.55,
        'P' => 0.2,
        _ => return None,
    };
    let complexity = match metric("AC")? {
        'L' => 0.77,
        'H' => 0.44,
        _ => return None,
    };
    let privileges = match (metric("PR")?, changed) {
        ('N', _) => 0.85,
        ('L', false) => 0.62,
        ('L', true) => 0.68,
        ('H', false) => 0.27,
        ('H', true) => 0.5,
        _ => return None,
    };
    let interaction = match metric("UI")? {
        'N' => 0.85,
        'R' => 0.62,
        _ => return None,
    };
    let impact = |name: &str| {
        Some(match metric(name)? {
            'H' => 0.56,
            'L' => 0.22,
            'N' => 0.0,
            _ => return None,
        })
    };
    let lost: f64 = 1.0 - (1.0 - impact("C")?) * (1.0 - impact("I")?) * (1.0 - impact("A")?);
    let impact = match changed {
        false => 6.42 * lost,
        true => 7.52 * (lost - 0.029) - 3.25 * (lost - 0.02).powi(15),
    };
    if impact <= 0.0 {
        return Some(0.0);
    }
    let ease = 8.22 * reach * complexity * privileges * interaction;
    let sum = if changed { 1.08 * (impact + ease) } else { impact + ease };
    Some(round_up(sum.min(10.0)))
}

/// The smallest tenth that is not below, without the noise of binary fractions.
fn round_up(score: f64) -> f64 {
    let parts = (score * 100_000.0).round() as i64;
    if parts % 10_000 == 0 { parts as f64 / 100_000.0 } else { ((parts / 10_000) + 1) as f64 / 10.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_standard() {
        for (vector, score) in [
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10.0),
            ("CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", 7.5),
            ("CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:N", 0.0),
        ] {
            assert_eq!(cvss(vector).score, Some(score), "{vector}");
        }
        assert_eq!(cvss("CVSS:4.0/AV:N/AC:L").score, None);
        assert_eq!(cvss("CVSS:3.1/AV:Z").score, None);
    }

    #[test]
    fn words_of_all_scanners_have_one_meaning() {
        assert_eq!(Severity::parse("MODERATE"), Some(Severity::Medium));
        assert_eq!(Severity::parse("dangerous"), None);
        assert!(Severity::Critical > Severity::High);
    }
}
