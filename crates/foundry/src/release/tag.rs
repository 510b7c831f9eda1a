//! Names of release tags: `vX.Y.Z-internal.YYYYMMDD`, with a day that exists.

use jiff::civil::Date;

use crate::FoundryError;

/// Refuses a name that is no release tag.
pub fn valid_tag(tag: &str) -> Result<(), FoundryError> {
    let refused = |reason: String| {
        FoundryError::refused(reason, "write vX.Y.Z-internal.YYYYMMDD, such as v0.2.0-internal.20260228")
    };
    let parts = || {
        let (version, date) = tag.strip_prefix('v')?.split_once("-internal.")?;
        let numbers: Vec<&str> = version.split('.').collect();
        let is_number = |text: &&str| {
            !text.is_empty()
                && text.len() <= 9
                && text.bytes().all(|byte| byte.is_ascii_digit())
                && (*text == "0" || !text.starts_with('0'))
        };
        let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
        (numbers.len() == 3 && numbers.iter().all(is_number) && is_date).then_some(date)
    };
    let date = parts().ok_or_else(|| refused(format!("{tag:?} is no release tag")))?;
    let day = Date::new(
        date[..4].parse().unwrap_or_default(),
        date[4..6].parse().unwrap_or_default(),
        date[6..].parse().unwrap_or_default(),
    );
    match day {
        Ok(_) => Ok(()),
        Err(_) => Err(refused(format!("{date} in {tag:?} is no day of the calendar"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_days_and_plain_numbers_pass() {
        for tag in ["v0.2.0-internal.20260228", "v10.0.12-internal.20240229"] {
            assert!(valid_tag(tag).is_ok(), "{tag}");
        }
        for tag in [
            "",
            "v1.2.3",
            "1.2.3-internal.20260228",
            "V0.2.0-internal.20260228",
            "v0.2.0-internal.20269928",
            "v0.2.0-internal.20260230",
            "v0.2.0-internal.20250229",
            "v0.2-internal.20260228",
            "v01.2.0-internal.20260228",
            "v0.2.0-internal.2026022",
            "v0.2.0-internal.20260228\n",
            "v0.2.0-internal.20260228 --force",
            "v0.2.0-external.20260228",
            "v٠.2.0-internal.20260228",
            "v0.2.0-internal.٢٠٢٦٠٢٢٨",
        ] {
            assert!(valid_tag(tag).is_err(), "{tag:?}");
        }
    }
}
