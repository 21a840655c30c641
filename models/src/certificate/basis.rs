//! What a certificate rests on: texts, each under a name. Whoever seals a certificate chooses both,
//! so that a name alone means nothing. The name of a built-in text is accepted for that text only;
//! other texts are compared with the files that the reader holds, where there are some, and
//! otherwise said to be the certificate's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::texts::{ModelText, Text};
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect::{MARGAY, split_prefix};
use crate::digest::digest;
use crate::shipped::BUILT_IN_FOLDER;

/// A text that a certificate rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// What it is: `mapping`, `source`, `test`, or the name of the text that includes it.
    pub role: String,
    /// Its name in the certificate.
    pub name: String,
    /// The SHA-256 of its text.
    pub sha256: String,
    /// What is known of it.
    pub standing: BasisStanding,
}

/// What is known of a text beside what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BasisStanding {
    /// It is the built-in one of its name.
    BuiltIn,
    /// It is the one that the reader holds under this name, or a built-in one that was read as a
    /// file.
    Held(String),
    /// It was compared with nothing.
    Own,
}

/// A model that the reader holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldModel {
    /// As the reader named it.
    pub name: String,
    pub texts: ModelText,
}

impl Basis {
    /// Is it known to be what its name says?
    pub fn is_known(&self) -> bool {
        self.standing != BasisStanding::Own
    }

    /// The name to show: the reader's, if there is one.
    pub fn shown(&self) -> &str {
        match &self.standing {
            BasisStanding::Held(name) => name,
            BasisStanding::BuiltIn | BasisStanding::Own => &self.name,
        }
    }

    /// A text of a certificate; `held` is the reader's, with the name to show for it.
    ///
    /// # Errors
    /// It is not the one that the reader holds, or has the name of a built-in text and is not that.
    pub fn of(
        role: &str,
        text: &Text,
        held: Option<(&str, &str)>,
        mut built_in: impl Iterator<Item = Arc<SourceFile>>,
    ) -> Result<Self, Diagnostic> {
        if text.name.trim().is_empty() {
            return Err(Diagnostic::error(format!(
                "the certificate is wrong: its {role} has no name"
            )));
        }
        let sha256 = digest(text.text.as_bytes());
        let standing = match held {
            Some((name, held)) if held == text.text => BasisStanding::Held(name.to_owned()),
            Some((name, held)) => {
                return Err(another(role, (&text.name, &text.text), (name, held)));
            }
            None if is_named_built_in(&text.name) => {
                if !built_in.any(|f| f.name == split_prefix(&text.name).1 && f.text == text.text) {
                    let what = format!(
                        "the certificate calls a text `{}`, which is not the built-in one of that name",
                        text.name
                    );
                    let help = "it is forged, or was written by a Margay with another text of that name; to verify it for a file \
                                that you hold, name that (`--mapping`, `--source`, `--model` and so on)";
                    return Err(Diagnostic::error(what).help(help));
                }
                BasisStanding::BuiltIn
            }
            None => built_in
                .find(|f| f.text == text.text)
                .map_or(BasisStanding::Own, |f| BasisStanding::Held(f.name.clone())),
        };
        Ok(Self { role: role.to_owned(), name: text.name.clone(), sha256, standing })
    }

    /// The texts of a model, its own first.
    ///
    /// # Errors
    /// They are not those that the reader holds, or one has the name of a built-in text and is not
    /// that.
    pub fn of_model(
        role: &str,
        model: &ModelText,
        held: Option<&HeldModel>,
    ) -> Result<Vec<Self>, Diagnostic> {
        // Whose definitions the base names have can depend on a name, and a text says another thing
        // under others.
        let dialect = dialect(model)?;
        let role = match dialect {
            _ if dialect == MARGAY.name => role.to_owned(),
            other => format!("{role} (read as one of {other}'s)"),
        };
        if let Some(held) = held
            && let yours = self::dialect(&held.texts)?
            && yours != dialect
        {
            let name = &model.model.name;
            let what = format!(
                "the certificate reads `{name}` by {dialect}'s definitions, and `{}` is read by {yours}'s",
                held.name
            );
            return Err(Diagnostic::error(what)
                .help(format!("give `{dialect}:FILE` to compare with your file read like that")));
        }
        let built_in = || {
            crate::library::all()
                .filter(|_| dialect == MARGAY.name || is_named_built_in(&model.model.name))
        };
        let own = held.map(|h| (h.name.as_str(), h.texts.model.text.as_str()));
        let mut all = vec![Self::of(&role, &model.model, own, built_in())?];
        if let Some(held) = held {
            same_includes(model, held)?;
        }
        for (i, included) in model.includes.iter().enumerate() {
            let held = held.and_then(|h| h.texts.includes.get(i));
            let held = held.map(|h| (h.file.name.as_str(), h.file.text.as_str()));
            let role = format!("included by {}", included.by);
            let basis = Self::of(&role, &included.file, held, crate::library::all_files())?;
            // What a built-in text includes is built in.
            let from_outside =
                included.by.starts_with(BUILT_IN_FOLDER) && basis.standing == BasisStanding::Own;
            if from_outside {
                let what = format!(
                    "the certificate has `{}` include another text than it does, `{}`",
                    included.by, basis.name
                );
                return Err(Diagnostic::error(what));
            }
            all.push(basis);
        }
        Ok(all)
    }
}

/// Is it the name of a built-in text, whatever dialect it names?
fn is_named_built_in(name: &str) -> bool {
    split_prefix(name).1.starts_with(BUILT_IN_FOLDER)
}

/// The dialect that a model is read in.
fn dialect(texts: &ModelText) -> Result<&'static str, Diagnostic> {
    let wrong = |errors: Vec<Diagnostic>| {
        errors.into_iter().next().unwrap_or_else(|| Diagnostic::error("the model is wrong"))
    };
    texts.read().map(|model| model.dialect.name).map_err(wrong)
}

/// The error of a text that is not the reader's.
fn another(role: &str, (name, text): (&str, &str), (held_name, held): (&str, &str)) -> Diagnostic {
    let lines = text.lines().zip(held.lines());
    let line = lines.take_while(|(a, b)| a == b).count() + 1;
    let what = format!(
        "the certificate is about another {role} than `{held_name}`: its `{name}` differs from line {line} on"
    );
    let digests = format!(
        "SHA-256 of the certificate's text {}, of yours {}",
        digest(text.as_bytes()),
        digest(held.as_bytes())
    );
    Diagnostic::error(what).help(digests)
}

/// Do both include the same texts in the same places? Names of files may differ: a certificate may
/// come from another folder.
fn same_includes(model: &ModelText, held: &HeldModel) -> Result<(), Diagnostic> {
    let places = |texts: &ModelText| -> Vec<(usize, String, usize, String)> {
        // Names by the order in which they appear.
        let mut names: BTreeMap<String, usize> = BTreeMap::from([(texts.model.name.clone(), 0)]);
        let mut number = |name: &str| {
            let next = names.len();
            *names.entry(name.to_owned()).or_insert(next)
        };
        let place = |i: &super::texts::Included| {
            (number(&i.by), i.path.clone(), number(&i.file.name), i.file.text.clone())
        };
        texts.includes.iter().map(place).collect()
    };
    if places(model) == places(&held.texts) {
        return Ok(());
    }
    let what = format!(
        "the certificate is about another model than `{}`: what that includes is not the same",
        held.name
    );
    Err(Diagnostic::error(what))
}

/// Does each name stand for one text? A certificate with two texts of one name could not say which
/// of them it is about.
///
/// # Errors
/// The name that does not.
pub fn one_text_for_each_name(bases: &[Basis]) -> Result<(), Diagnostic> {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for basis in bases {
        if known.insert(&basis.name, &basis.sha256).is_some_and(|other| other != basis.sha256) {
            return Err(Diagnostic::error(format!(
                "the certificate is wrong: it has two texts of the name `{}`",
                basis.name
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Basis, BasisStanding, HeldModel, ModelText, Text};

    fn model(name: &str, text: &str) -> ModelText {
        ModelText {
            model: Text { name: name.to_owned(), text: text.to_owned() },
            includes: Vec::new(),
        }
    }

    /// A text says another thing by other definitions, and the name chooses these.
    #[test]
    fn a_name_does_not_change_whose_definitions_count_unseen() {
        let built_in = crate::library::built_in("sc").expect("it is built in").text.clone();
        let own = "\"SC\"\nacyclic po | rf | co | fr as SC\n";
        let standing = |name: &str, text: &str| {
            Basis::of_model("model", &model(name, text), None).map(|all| all[0].clone())
        };
        assert!(matches!(
            standing("a/sc.cat", &built_in).expect("it is one").standing,
            BasisStanding::Held(_)
        ));
        for text in [built_in.as_str(), own] {
            for name in ["herd7:a/sc.cat", "dat3m/sc.cat"] {
                // A dialect that has not all that the text needs refuses it.
                let Ok(basis) = standing(name, text) else { continue };
                assert_eq!(basis.standing, BasisStanding::Own, "{name}");
                assert!(basis.role.contains("read as one of"), "{}", basis.role);
            }
        }
        assert!(standing("herd7:sc.cat", own).is_ok());
        assert!(
            standing("herd7:<built-in>/sc.cat", own)
                .is_err_and(|e| e.message.contains("not the built-in one"))
        );
        let held = HeldModel { name: "my.cat".to_owned(), texts: model("my.cat", own) };
        assert!(Basis::of_model("model", &model("other.cat", own), Some(&held)).is_ok());
        let error = Basis::of_model("model", &model("herd7:other.cat", own), Some(&held))
            .expect_err("it says another thing");
        assert!(error.message.contains("by herd7's definitions"), "{}", error.message);
    }
}
