//! Questions to a person: on a terminal only, and never the only way to answer.

use std::io::{BufRead, IsTerminal, Write};

use crate::output::{DIM, NAME};

/// Somebody who can answer.
pub struct Person<R, W> {
    input: R,
    output: W,
}

/// The person at the terminal, if there is one: questions go to stderr, because stdout is for results.
pub fn person() -> Option<Person<impl BufRead, impl Write>> {
    let is_there = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    is_there.then(|| Person { input: std::io::stdin().lock(), output: anstream::stderr() })
}

impl<R: BufRead, W: Write> Person<R, W> {
    /// The answer, or `default` for an empty line; asks again until `read` takes it. Nothing at the end of input.
    pub fn ask<T>(
        &mut self,
        question: &str,
        default: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        loop {
            let _ = write!(self.output, "{NAME}{question}{NAME:#} {DIM}[{default}]{DIM:#} ");
            let _ = self.output.flush();
            let mut line = String::new();
            if self.input.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match read(Some(line.trim()).filter(|line| !line.is_empty()).unwrap_or(default)) {
                Ok(answer) => return Some(answer),
                Err(reason) => drop(writeln!(self.output, "  {reason}")),
            }
        }
    }

    /// Yes or no; the end of input is a no.
    pub fn agrees(&mut self, question: &str, default: bool) -> bool {
        self.ask(question, if default { "yes" } else { "no" }, yes_or_no).unwrap_or(false)
    }
}

pub fn yes_or_no(answer: &str) -> Result<bool, String> {
    match answer.to_lowercase().as_str() {
        "y" | "yes" | "true" => Ok(true),
        "n" | "no" | "false" => Ok(false),
        _ => Err("answer yes or no".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_is_the_default_and_nonsense_is_asked_again() {
        let mut output = Vec::new();
        let mut person = Person { input: &b"\nperhaps\nNO\n"[..], output: &mut output };
        assert!(person.agrees("Sure?", true));
        assert!(!person.agrees("Sure?", true));
        assert!(!person.agrees("Still there?", true));
        let said = String::from_utf8(output).unwrap();
        assert_eq!(said.matches("answer yes or no").count(), 1, "{said}");
    }
}
