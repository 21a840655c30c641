//! The texts that a certificate rests on, for people and as JSON.

use margay_models::certificate::{Basis, BasisStanding};
use margay_models::library::BUILT_IN_FOLDER;
use margay_reports::verify as document;

use margay_console::output::Output;
use margay_console::wrapped::{indented, wrapped};

/// How many texts are shown.
const SHOWN: usize = 20;

/// Prints the texts with their digests, and says what is not known of them.
pub fn print(bases: &[&Basis], output: &Output) -> std::io::Result<()> {
    output.print("It rests on these texts (SHA-256):")?;
    for basis in bases.iter().take(SHOWN) {
        let standing = match &basis.standing {
            BasisStanding::Held(name)
                if *name == basis.name && !name.starts_with(BUILT_IN_FOLDER) =>
            {
                "the same as yours".to_owned()
            }
            BasisStanding::BuiltIn => "built in".to_owned(),
            BasisStanding::Held(name) if *name == basis.name => "built in".to_owned(),
            BasisStanding::Held(name) if name.starts_with(BUILT_IN_FOLDER) => {
                format!("built in; `{}` in the certificate", basis.name)
            }
            BasisStanding::Held(_) => {
                format!("the same as yours; `{}` in the certificate", basis.name)
            }
            BasisStanding::Own => "not compared".to_owned(),
        };
        output.print(&indented(
            &format!("  {} {}, {standing}", basis.role, basis.shown()),
            output.width(),
        ))?;
        output.print(&format!("    {}", basis.sha256))?;
    }
    if bases.len() > SHOWN {
        output
            .print(&format!("  and {} more, which `--format json` lists", bases.len() - SHOWN))?;
    }
    let own: Vec<&&Basis> = bases.iter().filter(|b| !b.is_known()).collect();
    let Some(first) = own.first() else { return Ok(()) };
    let what = match own.len() {
        1 => format!("`{}` is a text", first.name),
        2 => format!("`{}` and another one are texts", first.name),
        n => format!("`{}` and {} others are texts", first.name, n - 1),
    };
    let options = options(&own);
    let or_name =
        if options.is_empty() { String::new() } else { format!(", or name your file ({options})") };
    let said = format!(
        "{what} of the certificate's own, compared with no file: the name is what its author wrote. Compare the SHA-256 with that of \
         your file{or_name}."
    );
    output.print("")?;
    output.print(&wrapped(&said, output.width()))
}

/// The options that compare these texts.
fn options(bases: &[&&Basis]) -> String {
    let mut options: Vec<String> = Vec::new();
    for basis in bases {
        // What a model includes is compared with the model.
        let (role, rest) = basis.role.split_once(' ').unwrap_or((&basis.role, ""));
        let option = match role {
            // A property is the author's, and shown.
            "property" => continue,
            role => format!("`--{role}`"),
        };
        if !rest.starts_with("by ") && !options.contains(&option) {
            options.push(option);
        }
    }
    options.join(", ")
}

/// A name of a text with what is known of it, where that is nothing.
pub fn named(basis: &Basis) -> String {
    match basis.standing {
        BasisStanding::Own => format!("{} (not compared)", basis.name),
        BasisStanding::BuiltIn | BasisStanding::Held(_) => basis.shown().to_owned(),
    }
}

/// The same as a part of a document.
pub fn report<'a>(bases: impl IntoIterator<Item = &'a Basis>) -> Vec<document::CertificateText> {
    let one = |basis: &Basis| {
        let (standing, file) = match &basis.standing {
            BasisStanding::BuiltIn => (document::TextStanding::BuiltIn, None),
            BasisStanding::Held(name) => (document::TextStanding::Same, Some(name.clone())),
            BasisStanding::Own => (document::TextStanding::NotCompared, None),
        };
        document::CertificateText {
            role: basis.role.clone(),
            name: basis.name.clone(),
            sha256: basis.sha256.clone(),
            standing,
            compared_with: file,
        }
    };
    bases.into_iter().map(one).collect()
}
