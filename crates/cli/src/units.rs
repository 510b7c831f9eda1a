//! Figures as people read them; `--json` has the exact ones.

use std::time::Duration;

/// `4812` is `4,812`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1536` is `1.5 KiB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// `1830 ms` is `1.8s`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{:.1}s", time.as_secs_f64()),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `1 file`, `2 files`.
pub fn many(number: u64, one: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {one}{s}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_readable() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        let sizes = [0, 1023, 1024, 1536, 1024 * 1024 - 1, 5 * 1024 * 1024 * 1024];
        assert_eq!(sizes.map(bytes), ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "5.0 GiB"]);
        let times = [18, 1830, 61_000, 7_260_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(times, ["18 ms", "1.8s", "1m 01s", "2h 01m"]);
        assert_eq!([many(1, "file"), many(2000, "file")], ["1 file", "2,000 files"]);
    }
}
