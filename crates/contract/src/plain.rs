//! Text from outside, without the characters that hide or change what a reader sees.

use std::borrow::Cow;

/// Whether a character shows nothing of its own but changes how the others are read: controls of terminals, of
/// writing direction, joiners and spaces of no width, and tags that only a model can see.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' // tab and newline stay
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text without hidden characters; escape sequences of terminals go whole.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' || c == '\u{9b}' || c == '\u{9d}' {
            let kind = if c == '\u{1b}' { rest.next() } else { None };
            match (c, kind) {
                // Control sequence: parameters, then one letter.
                ('\u{9b}', _) | (_, Some('[')) => {
                    while rest.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {}
                }
                // Commands to the terminal, such as its title or a link: up to the bell or a terminator.
                ('\u{9d}', _) | (_, Some(']' | 'P' | 'X' | '^' | '_')) => {
                    while let Some(c) = rest.next() {
                        if c == '\u{7}' || c == '\u{9c}' {
                            break;
                        }
                        if c == '\u{1b}' {
                            rest.next_if_eq(&'\\');
                            break;
                        }
                    }
                }
                _ => {}
            }
        } else if !is_hidden(c) {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_seen_is_kept() {
        for (text, want) in [
            ("Straße, naïve, 日本語, Ω, 👍\n\tnext", "Straße, naïve, 日本語, Ω, 👍\n\tnext"),
            ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
            ("x\u{1b}]0;title\u{7}y\u{1b}]8;;http://e\u{1b}\\z", "xyz"),
            ("\u{9b}2Jgone\u{9d}0;t\u{9c}!", "gone!"),
            ("safe\u{202e}txet.exe", "safetxet.exe"),
            ("ig\u{200b}no\u{2060}re\u{feff}", "ignore"),
            ("list\u{e0041}\u{e0042}\u{e007f}", "list"),
            ("cr\rover\u{8}write", "croverwrite"),
            ("cut\u{1b}", "cut"),
            ("cut\u{1b}[31", "cut"),
        ] {
            assert_eq!(plain(text), want, "{text:?}");
        }
        assert!(matches!(plain("nothing to do"), Cow::Borrowed(_)));
    }
}
