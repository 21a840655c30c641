//! Which tests of a corpus are run: all, or those of a name and under a model.

use std::path::{Path, PathBuf};

use margay_models::diagnostic::{Diagnostic, nearest};

use super::{CorpusFolder, ExpectationLine};

/// Which tests are meant, and under which models; all where nothing is said.
#[derive(Debug, Clone)]
pub struct Filter {
    pub folder: PathBuf,
    /// Texts that paths have, in which `*` stands for anything. A path begins in the folder: where
    /// the folder itself lies chooses no test.
    pub paths: Vec<String>,
    /// Names of models.
    pub models: Vec<String>,
}

/// A test, and the verdicts that are expected of it and asked about.
#[derive(Debug)]
pub struct ChosenTests<'a> {
    /// The index of its folder.
    pub folder: usize,
    /// Its file in the folder.
    pub file: &'a str,
    /// The lines of the folder, each with its index.
    pub lines: Vec<(usize, &'a ExpectationLine)>,
    /// The path of its folder.
    pub path: &'a Path,
}

/// What is run, and the tests of which nothing is expected.
#[derive(Debug)]
pub struct CorpusChoice<'a> {
    /// The tests, in the order of the folders.
    pub tests: Vec<ChosenTests<'a>>,
    /// The paths of tests without a verdict.
    pub unmentioned: Vec<String>,
}

/// The tests that the filter means.
///
/// # Errors
/// There is none.
pub fn choose<'a>(
    folders: &'a [CorpusFolder],
    filter: &Filter,
) -> Result<CorpusChoice<'a>, Diagnostic> {
    let named = |folder: &CorpusFolder, file: &str| {
        let path = folder.path.join(file);
        let within = path.strip_prefix(&filter.folder).unwrap_or(&path).display().to_string();
        // A path that was copied from the output begins with the folder as it was given.
        let is_whole = |text: &String| {
            Path::new(text).starts_with(&filter.folder) && has(&path.display().to_string(), text)
        };
        filter.paths.is_empty()
            || filter.paths.iter().any(|text| has(&within, text) || is_whole(text))
    };
    let mut choice = CorpusChoice { tests: Vec::new(), unmentioned: Vec::new() };
    for (number, folder) in folders.iter().enumerate() {
        for (at, line) in folder.lines.iter().enumerate() {
            let asked = filter.models.is_empty() || filter.models.contains(&line.model);
            if !asked || !named(folder, &line.file) {
                continue;
            }
            match choice.tests.last_mut() {
                Some(test) if test.folder == number && test.file == line.file => {
                    test.lines.push((at, line))
                }
                _ => choice.tests.push(ChosenTests {
                    folder: number,
                    file: &line.file,
                    lines: vec![(at, line)],
                    path: &folder.path,
                }),
            }
        }
        let unmentioned = folder.unmentioned.iter().filter(|file| named(folder, file));
        choice
            .unmentioned
            .extend(unmentioned.map(|file| folder.path.join(file).display().to_string()));
    }
    let is_filtered = !filter.paths.is_empty() || !filter.models.is_empty();
    if is_filtered && choice.tests.is_empty() && choice.unmentioned.is_empty() {
        return Err(nothing(folders, filter));
    }
    Ok(choice)
}

/// The error where no test is left, with a name that was perhaps meant.
fn nothing(folders: &[CorpusFolder], filter: &Filter) -> Diagnostic {
    let lines = || folders.iter().flat_map(|f| &f.lines);
    let near = |texts: &[String], known: &mut dyn Iterator<Item = &str>| {
        let known: Vec<&str> = known.collect();
        let unknown = texts.iter().find(|text| !known.iter().any(|name| has(name, text)))?;
        nearest(unknown, known).map(|near| format!("did you mean `{near}`?"))
    };
    let stems = &mut lines().map(|l| l.file.trim_end_matches(".litmus"));
    let help = near(&filter.models, &mut lines().map(|l| l.model.as_str()))
        .or_else(|| near(&filter.paths, stems));
    let under = match filter.models.as_slice() {
        [] => String::new(),
        models => format!(" under {}", models.join(", ")),
    };
    let of = match filter.paths.as_slice() {
        [] => String::new(),
        texts => format!(
            " whose path has {}",
            texts.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(" or ")
        ),
    };
    let count: usize = lines().count();
    let error =
        Diagnostic::error(format!("there is no test{of}{under} in `{}`", filter.folder.display()));
    error.help(
        help.unwrap_or_else(|| format!("without filters, {count} verdicts would be compared")),
    )
}

/// Does a path have this text, in which `*` stands for any characters?
fn has(path: &str, text: &str) -> bool {
    let mut rest = Some(path);
    for part in text.split('*') {
        rest = rest.and_then(|rest| rest.split_once(part)).map(|(_, rest)| rest);
    }
    rest.is_some()
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn a_star_stands_for_anything() {
        let path = "tests/corpus/ptx/mp-fence.litmus";
        for text in ["mp", "", "*", "ptx/mp", "ptx*fence", "*mp*.litmus", "mp-fence.litmus"] {
            assert!(has(path, text), "{text}");
        }
        for text in ["sb", "fence*mp", "mp*mp", "litmus*.litmus*x", "?"] {
            assert!(!has(path, text), "{text}");
        }
    }
}
