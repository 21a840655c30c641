//! Finding the dialect of a model: what stands in front of its path, what the file says, and else
//! what it looks like. A guess is said.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::evidence::DialectEvidence;
use super::{ALL, DARTAGNAN, HERD7, MARGAY, NameDialect, named, split_prefix};
use crate::cat::{self, ast};
use crate::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use crate::shipped::BUILT_IN_FOLDER;
use crate::signature::{BaseRelation, BaseSet};
use crate::typing::Includes;

/// How deep the files that a file includes are looked at.
const MAX_DEPTH: usize = 4;

/// The dialect of a file.
pub(crate) struct DialectReading {
    pub dialect: &'static NameDialect,
    /// Why it was chosen, if neither the caller nor the file named it.
    pub guessed: Option<String>,
}

/// The dialect of a file.
///
/// # Errors
/// The file names a dialect that there is not.
pub(crate) fn reading(
    source: &Arc<SourceFile>,
    file: &ast::CatFile,
    includes: &dyn Includes,
) -> Result<DialectReading, Diagnostic> {
    let said = |dialect| Ok(DialectReading { dialect, guessed: None });
    if let (Some(dialect), _) = split_prefix(&source.name) {
        return said(dialect);
    }
    if let Some((word, span)) = pragma(&source.text) {
        return match named(word) {
            Some(dialect) => said(dialect),
            None => {
                let names = ALL.map(|d| d.name);
                let error = Diagnostic::error(format!("there is no dialect `{word}`")).at(
                    source,
                    span,
                    "named here",
                );
                let near = nearest(word, names).map(|near| format!("did you mean `{near}`?"));
                Err(error.help(near.unwrap_or_else(|| format!("there are {}", names.join(", ")))))
            }
        };
    }
    if source.name.starts_with(BUILT_IN_FOLDER) {
        return said(&MARGAY);
    }
    Ok(match guess(source, file, includes, 0) {
        Some((dialect, why)) => DialectReading { dialect, guessed: Some(why) },
        None => DialectReading { dialect: &MARGAY, guessed: None },
    })
}

/// What a file says: a comment of its own on a line, `(* dialect: herd7 *)`, `// dialect: herd7` or
/// `# dialect: herd7`.
fn pragma(text: &str) -> Option<(&str, Span)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let inner = line
            .trim()
            .trim_end_matches("*)")
            .trim_start_matches("(*")
            .trim_start_matches("//")
            .trim_start_matches('#');
        let is_comment =
            ["(*", "//", "#"].iter().any(|opening| line.trim_start().starts_with(opening));
        if is_comment && let Some(word) = inner.trim().strip_prefix("dialect:") {
            let word = word.trim();
            let at = start + line.find(word).unwrap_or(0);
            return Some((word, Span::new(at, at + word.len())));
        }
        start += line.len();
    }
    None
}

/// Whose a file is by its looks, or by those of a file that it includes, and what it is that looks
/// so; `None` for Margay's own.
fn guess(
    source: &SourceFile,
    file: &ast::CatFile,
    includes: &dyn Includes,
    depth: usize,
) -> Option<(&'static NameDialect, String)> {
    let lower = source.name.to_lowercase();
    if let Some(folder) = ["dat3m", "dartagnan"].into_iter().find(|word| lower.contains(word)) {
        return Some((&DARTAGNAN, format!("`{folder}` is in its path")));
    }
    if lower.contains("herdtools") {
        return Some((&HERD7, "`herdtools` is in its path".into()));
    }
    let header = file.architecture.as_ref().map(|a| a.text.as_str());
    let evidence = DialectEvidence::of(file);
    let own = dartagnan(header, &evidence).map(|why| (&DARTAGNAN, why));
    own.or_else(|| herd7(header, &evidence).map(|why| (&HERD7, why))).or_else(|| {
        let included = |path: &String| {
            let opened = includes.open(source, path).ok().filter(|_| depth < MAX_DEPTH)?;
            if opened.name.starts_with(BUILT_IN_FOLDER) {
                return None;
            }
            let (dialect, why) = guess(&opened, &cat::parse(&opened).file, includes, depth + 1)?;
            Some((dialect, format!("it includes `{path}`, and {why}")))
        };
        evidence.includes.iter().find_map(included)
    })
}

fn dartagnan(header: Option<&str>, evidence: &DialectEvidence) -> Option<String> {
    let is = |words: &[&str]| header.is_some_and(|h| words.contains(&h));
    if is(&["PTX", "GPU_PTX"]) {
        if evidence.defines_sync_barrier {
            return Some("it defines `sync_barrier` by `syncbar`".into());
        }
        if evidence.sync_fence_contains
            && !evidence.inverts_sync_fence
            && !evidence.checks.contains("Fence-SC-Order")
        {
            return Some("it says what `sync_fence` contains, and not that it is total".into());
        }
        return None;
    }
    if is(&["RC11", "IMM", "SPIRV", "VULKAN"]) {
        return Some(format!("its first word is `{}`", header.unwrap_or_default()));
    }
    // A read-modify-write of C is one event in herd7, so that its models have no use for `rmw`
    // alone.
    if is(&["C", "C11"])
        && evidence.uses("rmw")
        && !evidence.uses("RMW")
        && herd7(header, evidence).is_some()
    {
        return Some("it is a model of C that uses `rmw`".into());
    }
    if let Some(name) = included(evidence, &[("basic.cat", "")]) {
        return Some(format!("it includes `{name}`"));
    }
    let own = own_name(&DARTAGNAN, header, evidence)?;
    (!knows(&HERD7, header).contains(&own)).then(|| format!("it uses `{own}`"))
}

fn herd7(header: Option<&str>, evidence: &DialectEvidence) -> Option<String> {
    if header.is_some_and(|h| matches!(h, "PTX" | "GPU_PTX")) {
        // Margay's own, unless it has the fences of the paper of 2015.
        let membar = evidence.free.iter().find(|name| name.starts_with("membar."))?;
        return Some(format!("it uses `{membar}`"));
    }
    if let Some(name) = included(evidence, HERD7.includes) {
        return Some(format!("it includes `{name}`"));
    }
    if evidence.generates {
        return Some("it has `with .. from ..`".into());
    }
    let foreign = |h: &&str| HERD7.architecture(h).is_some() || HERD7.foreign.contains(h);
    if let Some(word) = header.filter(|h| MARGAY.architecture(h).is_none()).filter(foreign) {
        return Some(format!("its first word is `{word}`"));
    }
    // Margay's own architectures come first.
    if header.is_some_and(|h| MARGAY.architecture(h).is_some() && HERD7.architecture(h).is_none()) {
        return None;
    }
    own_name(&HERD7, header, evidence).map(|own| format!("it uses `{own}`"))
}

/// The first file that is included and is one of these, wherever it lies.
fn included<'a>(evidence: &'a DialectEvidence, files: &[(&str, &str)]) -> Option<&'a str> {
    let names =
        evidence.includes.iter().map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path));
    names.into_iter().find(|name| files.iter().any(|(known, _)| known == name))
}

/// A name that a file uses and does not define, that the dialect has and Margay has not. Names of
/// one letter say little.
fn own_name(
    dialect: &'static NameDialect,
    header: Option<&str>,
    evidence: &DialectEvidence,
) -> Option<String> {
    let known = knows(dialect, header);
    let margay = knows(&MARGAY, header);
    let bases: BTreeSet<&str> =
        BaseSet::names_of_front_ends().chain(BaseRelation::names_of_front_ends()).collect();
    let is_own = |name: &&String| {
        name.len() > 1
            && known.contains(*name)
            && !margay.contains(*name)
            && !bases.contains(name.as_str())
    };
    evidence.free.iter().find(is_own).cloned()
}

/// The names that a dialect defines for the architecture in a header, or for any, those among them
/// of which no test has any.
fn knows(dialect: &'static NameDialect, header: Option<&str>) -> BTreeSet<String> {
    let said = header.and_then(|h| dialect.architecture(h));
    let architectures: Vec<_> = match said {
        Some(architecture) => vec![architecture],
        None => dialect.architectures.iter().collect(),
    };
    let mut names = BTreeSet::new();
    for architecture in architectures {
        for (name, text) in architecture.prelude {
            names
                .extend(DialectEvidence::defined(&cat::parse(&SourceFile::new(*name, *text)).file));
        }
        let absent = architecture.absent_sets.iter().chain(architecture.absent_relations);
        names.extend(absent.map(|n| (*n).to_owned()));
    }
    names
}
