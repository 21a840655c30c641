//! Where the text of an architecture is found: beside the model or test that names it, then among
//! the built-in ones.

use std::sync::Arc;

use super::{Architecture, EXTENSION};
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::shipped;
use crate::typing::{FilesThenBuiltIn, Includes};

/// Is it the text of an architecture whose tests a front end reads? Such a one is known by other
/// words.
fn has_front_end(file: &SourceFile) -> bool {
    Architecture::FRONT_ENDS.iter().any(|a| {
        file.name.starts_with(shipped::BUILT_IN_FOLDER)
            && a.word() == super::number::word_of(&file.name)
    })
}

/// The words of the built-in architectures whose tests no front end reads.
pub fn built_in_words() -> Vec<String> {
    let texts = shipped::architectures().filter(|file| !has_front_end(file));
    texts.map(|file| super::number::word_of(&file.name).to_owned()).collect()
}

/// The architecture that a word in the first line of a model or test stands for; `None` if there is
/// no such text.
///
/// # Errors
/// There is a text of this name, and it describes no architecture.
pub fn find(
    word: &str,
    from: &SourceFile,
    includes: &dyn Includes,
) -> Result<Option<Architecture>, Vec<Diagnostic>> {
    match opened(word, from, includes)? {
        Some(file) if !has_front_end(&file) => Architecture::read(&file).map(Some),
        _ => Ok(None),
    }
}

/// The text of that name, if there is one.
///
/// # Errors
/// There is one, and it is not read. (Without it the word would be called unknown, or taken for
/// another tool's.)
fn opened(
    word: &str,
    from: &SourceFile,
    includes: &dyn Includes,
) -> Result<Option<Arc<SourceFile>>, Vec<Diagnostic>> {
    let path = format!("{word}.{EXTENSION}");
    match includes.open(from, &path) {
        Ok(file) => Ok(Some(file)),
        Err(why) if includes.has(from, &path) => {
            let error = Diagnostic::error(format!(
                "cannot read the architecture `{word}`, which `{}` names: {why}",
                from.name
            ));
            Err(vec![
                error.help(format!(
                    "put the text itself at `{path}`, beside the file that names it"
                )),
            ])
        }
        Err(_) => Ok(None),
    }
}

/// The first words of tests in the assembly of the built-in architectures.
pub fn built_in_assembly() -> Vec<&'static str> {
    let texts = built_in_words();
    let spoken = texts.iter().filter_map(|word| Architecture::built_in(word)?.assembly());
    spoken.flat_map(|assembly| assembly.words.iter().copied()).collect()
}

/// The architecture in whose assembly a test is written that begins with a word: one whose text
/// lies beside the test (under the word, in any case), one that was read, or a built-in one.
///
/// # Errors
/// There is such a text beside the test, and it describes no architecture.
pub fn of_assembly(word: &str, file: &SourceFile) -> Result<Option<Architecture>, Vec<Diagnostic>> {
    let speaks =
        |a: &Architecture| a.assembly().is_some_and(|assembly| assembly.words.contains(&word));
    for name in [word.to_owned(), word.to_ascii_lowercase()] {
        if let Some(found) = beside(&name, file)?.filter(speaks) {
            return Ok(Some(found));
        }
    }
    let built_in =
        || built_in_words().iter().filter_map(|word| Architecture::built_in(word)).find(speaks);
    Ok(Architecture::all_read().into_iter().rev().find(speaks).or_else(built_in))
}

/// The architecture whose text lies beside a file.
///
/// # Errors
/// There is a text of this name, and it describes no architecture.
pub fn beside(word: &str, file: &SourceFile) -> Result<Option<Architecture>, Vec<Diagnostic>> {
    match opened(word, file, &FilesThenBuiltIn)? {
        Some(text) if !text.name.starts_with(shipped::BUILT_IN_FOLDER) => {
            Architecture::read(&text).map(Some)
        }
        _ => Ok(None),
    }
}

impl Architecture {
    /// A built-in architecture whose tests no front end reads.
    ///
    /// # Panics
    /// Its text is wrong; tests read them all.
    pub fn built_in(word: &str) -> Option<Architecture> {
        let file: Arc<SourceFile> = shipped::architectures()
            .find(|file| super::number::word_of(&file.name) == word && !has_front_end(file))?;
        Some(
            Self::read(&file).expect(
                "the texts of architectures/ are part of the program and read without errors",
            ),
        )
    }
}
