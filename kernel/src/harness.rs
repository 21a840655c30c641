//! A harness: what is asked of the kernels of a file, in a few lines beside it or in comments of
//! it.
//!
//! ```text
//! launch 2x1 2x2
//! arg 0=array:{1,2}
//! unroll 3
//!
//! kernel lock unlock      # what follows is of these kernels
//! final counter == 2
//! ```
//!
//! What stands in front of the first `kernel` is of all. `#` begins a remark. In a text of CUDA or
//! PTX each line is a comment `// margay: LINE`.

use crate::launch::{GivenArgument, Launch};
use crate::source_name::kernels_named;

/// What a comment of a harness begins with, behind `//`.
const MARK: &str = "margay:";

/// What is asked of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HarnessSection {
    /// The kernels it is of, each with the byte where its name stands; none: of all.
    pub kernels: Vec<(String, usize)>,
    pub launches: Vec<Launch>,
    /// What is passed for parameters.
    pub arguments: Vec<GivenArgument>,
    /// What must hold at the end.
    pub finals: Vec<String>,
    /// The byte where each of these stands.
    pub places: Vec<usize>,
    /// The bytes of each argument: where it begins, and where it ends.
    pub argument_places: Vec<(usize, usize)>,
    /// How often each loop is gone round.
    pub unroll: Option<usize>,
}

/// A harness, by section; the first is of all kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Harness {
    pub sections: Vec<HarnessSection>,
}

/// A line that is no line of a harness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarnessError {
    /// What is wrong.
    pub message: String,
    /// The bytes of the text that are wrong.
    pub start: usize,
    /// Where they end.
    pub end: usize,
}

impl Harness {
    /// Reads a file of a harness.
    ///
    /// # Errors
    /// The first line that is none.
    pub fn read(text: &str) -> Result<Self, HarnessError> {
        let mut start = 0;
        let lines = text.split('\n').map(|line| {
            let at = start;
            start += line.len() + 1;
            (at, line.split('#').next().unwrap_or_default())
        });
        Self::of_lines(lines)
    }

    /// Reads the comments of a text of CUDA or PTX.
    ///
    /// # Errors
    /// The first comment of a harness that is none.
    pub fn of_comments(text: &str) -> Result<Self, HarnessError> {
        let mut start = 0;
        let lines = text.split('\n').filter_map(|line| {
            let at = start;
            start += line.len() + 1;
            let comment = line.trim_start().strip_prefix("//")?.trim_start().strip_prefix(MARK)?;
            Some((at + line.len() - comment.len(), comment))
        });
        Self::of_lines(lines)
    }

    fn of_lines<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Self, HarnessError> {
        let mut sections = vec![HarnessSection::default()];
        for (start, line) in lines {
            let trimmed = line.trim();
            if trimmed.is_empty() {
                continue;
            }
            let start = start + (line.len() - line.trim_start().len());
            let wrong =
                |message: String| HarnessError { message, start, end: start + trimmed.len() };
            let (word, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
            let rest = rest.trim();
            let lines = "expected `launch 2x1`, `arg 0=array:8`, `final x == 1`, `unroll 3` or `kernel NAME`";
            if !["kernel", "launch", "arg", "final", "unroll"].contains(&word) {
                return Err(wrong(format!("{lines}, found `{word}`")));
            }
            if rest.is_empty() {
                return Err(wrong(format!("nothing stands behind `{word}`; {lines}")));
            }
            let words = || rest.split_whitespace();
            if word == "kernel" {
                let kernels = words()
                    .map(|name| {
                        (
                            name.to_owned(),
                            start + (name.as_ptr() as usize - trimmed.as_ptr() as usize),
                        )
                    })
                    .collect();
                sections.push(HarnessSection { kernels, ..HarnessSection::default() });
                continue;
            }
            let Some(section) = sections.last_mut() else { continue };
            match word {
                "launch" => {
                    section.launches.extend(
                        words()
                            .map(str::parse)
                            .collect::<Result<Vec<Launch>, _>>()
                            .map_err(wrong)?,
                    );
                }
                "arg" => {
                    section.arguments.push(rest.parse().map_err(wrong)?);
                    let at = start + (rest.as_ptr() as usize - trimmed.as_ptr() as usize);
                    section.argument_places.push((at, at + rest.len()));
                }
                "final" => {
                    section.finals.push(rest.to_owned());
                    section
                        .places
                        .push(start + (rest.as_ptr() as usize - trimmed.as_ptr() as usize));
                }
                _ => {
                    let rounds = rest.parse().ok().filter(|&n: &usize| n > 0);
                    section.unroll = Some(rounds.ok_or_else(|| {
                        wrong(format!("expected a number from 1, found `{rest}`"))
                    })?);
                }
            }
        }
        Ok(Self { sections })
    }

    /// Says it nothing?
    pub fn is_empty(&self) -> bool {
        self.sections.iter().all(|s| *s == HarnessSection::default())
    }

    /// The same with the names of PTX: a kernel may be named as the source names it.
    #[must_use]
    pub fn named(&self, kernels: &[&str]) -> Self {
        let meant = |(name, start): &(String, usize)| match kernels_named(name, kernels).as_slice()
        {
            // Nobody has it, which is said to whoever wrote it.
            [] => vec![(name.clone(), *start)],
            all => all.iter().map(|name| ((*name).to_owned(), *start)).collect(),
        };
        let of = |section: &HarnessSection| HarnessSection {
            kernels: section.kernels.iter().flat_map(meant).collect(),
            ..section.clone()
        };
        Self { sections: self.sections.iter().map(of).collect() }
    }

    /// What is asked of a kernel: what is said of all and of it. Its own launches are in place of
    /// those of all; of arguments the last one counts.
    pub fn of(&self, kernel: &str) -> HarnessSection {
        let mut found = HarnessSection::default();
        let is_of = |s: &&HarnessSection| {
            s.kernels.is_empty() || s.kernels.iter().any(|(name, _)| name == kernel)
        };
        for section in self.sections.iter().filter(is_of) {
            if !section.launches.is_empty() {
                found.launches.clone_from(&section.launches);
            }
            found.arguments.extend(section.arguments.iter().cloned());
            found.argument_places.extend(&section.argument_places);
            found.finals.extend(section.finals.iter().cloned());
            found.places.extend(&section.places);
            found.unroll = section.unroll.or(found.unroll);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Harness, HarnessSection};
    use crate::launch::Launch;

    const TEXT: &str = "launch 2x1\narg 0=array:{1,2} # two\n\nkernel a b\nlaunch 1x2 2x2\nfinal arg0[0] == 2\nunroll 3\nkernel b\narg 1=4\n";

    #[test]
    fn sections_are_of_their_kernels() {
        let harness = Harness::read(TEXT).expect("it is read");
        let (a, b, c) = (harness.of("a"), harness.of("b"), harness.of("c"));
        assert_eq!(c.launches, [Launch::new(2, 1)]);
        assert_eq!((a.launches.len(), a.arguments.len(), a.unroll), (2, 1, Some(3)));
        assert!(TEXT[b.places[0]..].starts_with("arg0[0] == 2\n"));
        let argued: Vec<&str> =
            b.argument_places.iter().map(|&(start, end)| &TEXT[start..end]).collect();
        assert_eq!(argued, ["0=array:{1,2}", "1=4"]);
        assert_eq!((b.arguments.len(), b.finals), (2, vec!["arg0[0] == 2".to_owned()]));
        assert!(
            harness
                .sections
                .iter()
                .flat_map(|s| &s.kernels)
                .all(|(name, at)| TEXT[*at..].starts_with(name.as_str()))
        );
        let comments: String = TEXT
            .lines()
            .map(|l| format!("  // margay: {}\nint x;\n", l.split('#').next().unwrap_or("")))
            .collect();
        assert_eq!(
            Harness::of_comments(&comments).expect("it is read").of("a").arguments,
            a.arguments
        );
        assert!(
            Harness::of_comments("// a margay: launch\nint main() {}\n")
                .is_ok_and(|h| h.is_empty())
        );
        assert_eq!(Harness::read("").expect("empty").of("x"), HarnessSection::default());
    }

    /// An error is at its line.
    #[test]
    fn wrong_lines_are_named() {
        for (text, wrong, word) in [
            ("launch 2x1\nlunch 2x1\n", "lunch 2x1", "found `lunch`"),
            ("  launch 2y1", "launch 2y1", "blocks and threads"),
            ("arg 0=", "arg 0=", "what is passed"),
            ("kernel", "kernel", "nothing stands behind"),
            ("unroll 0", "unroll 0", "a number from 1"),
        ] {
            let error = Harness::read(text).expect_err(text);
            assert_eq!(&text[error.start..error.end], wrong);
            assert!(error.message.contains(word), "{}", error.message);
        }
        let text = "int x;\n// margay: launch 2y1\n";
        let error = Harness::of_comments(text).expect_err(text);
        assert_eq!(&text[error.start..error.end], "launch 2y1");
    }
}
