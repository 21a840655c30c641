//! The quotes of the shell's language: paths are put into a command so that each stays one word,
//! and the program that a command starts is found.

/// Where a reader of a command is: behind which quote, and behind a backslash.
#[derive(Debug, Clone, Copy, Default)]
struct Quotes {
    open: Option<char>,
    escaped: bool,
}

impl Quotes {
    /// Goes on by one character. Does it end a word?
    fn ends(&mut self, c: char) -> bool {
        if std::mem::take(&mut self.escaped) {
            return false;
        }
        match (self.open, c) {
            (None | Some('"'), '\\') => self.escaped = true,
            (None, '\'' | '"') => self.open = Some(c),
            (Some(quote), c) if quote == c => self.open = None,
            (None, c) => return c.is_whitespace(),
            _ => {}
        }
        false
    }

    /// A text as the shell reads it back here.
    fn quoted(self, text: &str) -> String {
        let harmless = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
        match self.open {
            None if text.chars().all(harmless) => text.to_owned(),
            None => format!("'{}'", text.replace('\'', "'\\''")),
            Some('"') => {
                let escape = |c: char| if "\"\\$`".contains(c) { vec!['\\', c] } else { vec![c] };
                text.chars().flat_map(escape).collect()
            }
            Some(_) => text.replace('\'', "'\\''"),
        }
    }
}

/// A command in which names in braces are replaced: paths as they must be written there, words as
/// they are.
pub(super) fn filled(template: &str, paths: &[(&str, &str)], words: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut quotes = Quotes::default();
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        let name = rest.strip_prefix('{').and_then(|r| r.split_once('}')).map(|(name, _)| name);
        let of = |all: &[(&str, &str)]| {
            name.and_then(|n| all.iter().find(|(of, _)| *of == n))
                .map(|(_, text)| (*text).to_owned())
        };
        let text = of(paths).map(|path| quotes.quoted(&path)).or_else(|| of(words));
        match (text, name) {
            (Some(text), Some(name)) => {
                out.push_str(&text);
                rest = &rest[name.len() + 2..];
            }
            _ => {
                out.push(c);
                quotes.ends(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// Programs that start others: their version is not the compiler's.
const STARTERS: &[&str] = &[
    "bash", "ccache", "dash", "docker", "env", "exec", "nice", "node", "perl", "python", "sh",
    "time", "timeout", "zsh",
];

/// The program that a command of the shell starts, quotes and all; `None` where it is one that
/// starts another. Variables that are set first are passed over.
pub fn program(command: &str) -> Option<&str> {
    let is_name = |name: &str| {
        !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let mut rest = command.trim_start();
    loop {
        let mut quotes = Quotes::default();
        let word = &rest[..rest.find(|c| quotes.ends(c)).unwrap_or(rest.len())];
        if word.split_once('=').is_some_and(|(name, _)| is_name(name)) {
            rest = rest[word.len()..].trim_start();
            continue;
        }
        let name = word
            .rsplit('/')
            .next()
            .unwrap_or(word)
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        return (!word.is_empty() && !STARTERS.contains(&name)).then_some(word);
    }
}

#[cfg(test)]
mod tests {
    use super::{filled, program};

    #[test]
    fn the_program_of_a_command() {
        for (command, expected) in [
            ("llc -mcpu={arch} {in}", Some("llc")),
            ("  build/bin/llc {in}", Some("build/bin/llc")),
            ("'/opt/my build/llc' -x {in}", Some("'/opt/my build/llc'")),
            ("\"/opt/it's here/llc\" {in}", Some("\"/opt/it's here/llc\"")),
            ("/opt/my\\ build/llc {in}", Some("/opt/my\\ build/llc")),
            ("LD_LIBRARY_PATH='a b' X=1 llc {in}", Some("llc")),
            ("python3.11 driver.py {in}", None),
            ("/usr/bin/env llc {in}", None),
            ("sh -c 'llc {in}'", None),
            ("", None),
            ("X=1", None),
        ] {
            assert_eq!(program(command), expected, "{command}");
        }
    }

    /// What the shell makes of a path, wherever it stands in a command.
    #[test]
    fn paths_stay_one_word() {
        for path in
            ["/plain/path-1.2", "/with a blank", "/it's", "/a \"b\" $HOME `c` \\ d", "/semi;colon&"]
        {
            for (template, around) in [
                ("printf %s {in}", ("", "")),
                ("printf %s \"{in}\"", ("", "")),
                ("printf %s '{in}'", ("", "")),
                ("printf %s -I{in}/x", ("-I", "/x")),
            ] {
                let command = filled(template, &[("in", path)], &[("arch", "sm_90")]);
                let run = std::process::Command::new("sh")
                    .arg("-c")
                    .arg(&command)
                    .output()
                    .expect("a shell");
                let (before, behind) = around;
                assert_eq!(
                    String::from_utf8_lossy(&run.stdout),
                    format!("{before}{path}{behind}"),
                    "{command}"
                );
            }
        }
        let left = filled(
            "awk '{ print } {x} {arch}' {mattr}|{in}",
            &[("in", "a")],
            &[("arch", "sm_90"), ("mattr", "-m +p")],
        );
        assert_eq!(left, "awk '{ print } {x} sm_90' -m +p|a");
    }
}
