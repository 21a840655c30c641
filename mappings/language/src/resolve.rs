//! From a file to a [`Mapping`]: reads the text, finds the two models, and checks that the rows are
//! complete and not doubled.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::execution::Scope;
use margay_models::library;
use margay_models::model::Model;
use margay_models::signature::constructs;
use margay_models::text::{FileKind, another};

use super::about::MappingDescription;
use super::assemble::assemble;
use super::extension::{MappingBases, joined};
use super::instruction::is_ptx;
use super::parse::{MappingLines, WrittenRow};
use super::text::{ShippedTexts, read};
use super::{Lowering, Mapping, Row, ScopePattern, StepScope};

/// Where to look for models, and what to use instead of those that the mapping names.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// A .cat file (or model name) to use as the source model.
    pub source: Option<String>,
    /// A .cat file (or model name) to use as the target model.
    pub target: Option<String>,
    /// The mappings that are built in, which others may extend; `None` for none.
    pub shipped: Option<ShippedTexts>,
}

/// A mapping and what is to be said about it.
#[derive(Debug, Clone)]
pub struct LoadedMapping {
    pub mapping: Mapping,
    /// Warnings of the mapping and of its models.
    pub warnings: Vec<Diagnostic>,
}

/// Loads a mapping from a file. Models are looked for as paths, in the mapping's folder, in
/// `../models` beside it, in `models` below the current folder, and then among the built-in ones.
///
/// # Errors
/// A file that cannot be read, text that is no mapping, models that are missing or wrong, rows that
/// are missing or doubled.
pub fn load(path: &Path, options: &LoadOptions) -> Result<LoadedMapping, Vec<Diagnostic>> {
    let file = read(path).map_err(|d| vec![d])?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    load_text(&file, Some(&folder), options)
}

/// Loads a mapping from text. `folder` is where its models may lie; `None` for built-in mappings.
///
/// # Errors
/// As [`load`].
pub fn load_text(
    file: &Arc<SourceFile>,
    folder: Option<&Path>,
    options: &LoadOptions,
) -> Result<LoadedMapping, Vec<Diagnostic>> {
    // What is of another kind is wrong from its first line on: that line says it best.
    let of_kind = |error: Diagnostic| vec![another(file, FileKind::Mapping).unwrap_or(error)];
    let lines = MappingLines::new(file).map_err(of_kind)?;
    let header = lines.header().map_err(of_kind)?;
    let mut directories = Vec::new();
    if let Some(folder) = folder {
        directories.push(folder.to_path_buf());
        directories.push(match folder.parent() {
            Some(parent) if folder.file_name().is_some() => parent.join("models"),
            _ => folder.join("../models"),
        });
        directories.push(PathBuf::from("models"));
    }
    let mut warnings = Vec::new();
    let mut model = |named: &(String, Span), instead: &Option<String>| {
        let loaded = match instead {
            Some(name) => library::load(name, &directories),
            None => library::load_named(&named.0, &directories),
        };
        loaded
            .map(|loaded| {
                warnings.extend(loaded.warnings);
                loaded.model
            })
            .map_err(|mut errors| {
                if instead.is_none()
                    && let [error] = errors.as_mut_slice()
                    && error.labels.is_empty()
                {
                    *error = error.clone().at(file, named.1, "named here");
                }
                errors
            })
    };
    let (source, target) =
        (model(&header.source, &options.source), model(&header.target, &options.target));
    let (source, target) = match (source, target) {
        (Ok(s), Ok(t)) => (s, t),
        (s, t) => return Err(s.err().into_iter().chain(t.err()).flatten().collect()),
    };
    let read = load_between(file, folder, options.shipped, source, target);
    // Rows that are not understood may be so because a model was taken for another architecture's,
    // which is a warning.
    match read {
        Ok(mapping) => Ok(LoadedMapping { mapping, warnings }),
        Err(errors) => Err(errors.into_iter().chain(warnings).collect()),
    }
}

/// Loads a mapping from text, whatever models its header names. `folder` is where the mapping may
/// lie that it extends, as in [`load_text`].
///
/// # Errors
/// Text that is no mapping, rows that are missing or doubled; a mapping that it extends and that
/// cannot be read.
pub fn load_between(
    file: &Arc<SourceFile>,
    folder: Option<&Path>,
    shipped: Option<ShippedTexts>,
    source: Model,
    target: Model,
) -> Result<Mapping, Vec<Diagnostic>> {
    match joined(file, MappingBases { folder, shipped }, (&source, &target))? {
        None => Mapping::between(file, source, target),
        Some(table) => {
            Mapping::between(&table.file, source, target).map_err(|errors| table.shown(errors))
        }
    }
}

/// The rows of a text as they are written, those of scopes as they are meant between these models.
pub(super) fn written_rows(
    lines: &MappingLines,
    (source, target): (&Model, &Model),
    about: &MappingDescription,
) -> Result<Vec<WrittenRow>, Vec<Diagnostic>> {
    let written = lines.written(source.signature, target.signature, about)?;
    match source.is_scoped() {
        true => Ok(written),
        false => without_scopes(&lines.file, written).map_err(|error| vec![error]),
    }
}

impl Mapping {
    /// The mapping of a text between two models, whatever models its header names.
    ///
    /// # Errors
    /// Text that is no mapping, rows that are missing or doubled.
    pub fn between(
        file: &Arc<SourceFile>,
        source: Model,
        target: Model,
    ) -> Result<Self, Vec<Diagnostic>> {
        let lines = MappingLines::new(file).map_err(|d| vec![d])?;
        let header = lines.header().map_err(|d| vec![d])?;
        let about = lines.about(source.signature, target.signature)?;
        let written = written_rows(&lines, (&source, &target), &about)?;
        let title = header.title.unwrap_or_else(|| file.name.clone());
        let mut mapping =
            Mapping { title, file: file.clone(), source, target, rows: Vec::new(), about };
        assemble(&mut mapping, &lines, written)?;
        complete(&mapping, header.source.1)?;
        Ok(mapping)
    }

    /// The scopes that operations of the source can have, narrowest first: none if the source model
    /// does not speak of scopes; of C++ and PTX cluster scope only if both models know clusters, or
    /// the target has no scopes at all.
    pub fn scopes(&self) -> Vec<Scope> {
        if !self.source.is_scoped() {
            return Vec::new();
        }
        // A target without scopes takes those of the source, whichever they are.
        let clusters = self.source.knows_clusters()
            && (self.target.knows_clusters() || !self.target.signature.has_places());
        let exists =
            |s: &&Scope| self.about.scopes.as_ref().is_none_or(|scopes| scopes.contains(s));
        self.source.signature.scopes(clusters).iter().filter(exists).copied().collect()
    }

    /// Has it loads that are read-modify-writes, which write back what they read?
    pub fn writes_back(&self) -> bool {
        self.rows
            .iter()
            .any(|row| row.alternatives.iter().any(|l| l.writes_back(row.construct.operation)))
    }

    /// A row for all scopes is also that of a construct without one.
    pub fn row(
        &self,
        construct: margay_models::signature::Construct,
        scope: Option<Scope>,
    ) -> Option<&Row> {
        self.rows.iter().find(|row| {
            row.construct == construct
                && match row.scope {
                    ScopePattern::Any(_) => true,
                    ScopePattern::Named(named) => scope == Some(named),
                }
        })
    }
}

/// The rows of a table with scopes for a source that does not speak of them: those for all scopes,
/// and of rows for single scopes those for `sys`; where a construct has rows for one scope alone,
/// these.
fn without_scopes(
    file: &Arc<SourceFile>,
    written: Vec<WrittenRow>,
) -> Result<Vec<WrittenRow>, Diagnostic> {
    let named = |w: &WrittenRow| match w.row.scope {
        ScopePattern::Named(scope) => Some(scope),
        ScopePattern::Any(_) => None,
    };
    let of = |construct| written.iter().filter(move |w| w.row.construct == construct);
    let mut out = Vec::new();
    for w in &written {
        let Some(scope) = named(w) else {
            out.push(w.clone());
            continue;
        };
        // A row for all scopes is for `sys`, too. Of two rows that say as much as each other
        // neither is dropped: they are one too many.
        let for_sys = |other: &WrittenRow| named(other).is_none_or(|other| other == Scope::Sys);
        let doubled = |other: &WrittenRow| {
            named(other).is_none() && (other.form, other.when) == (w.form, w.when)
        };
        let only_one = of(w.row.construct).all(|other| named(other) == Some(scope))
            || of(w.row.construct).any(doubled);
        if scope == Scope::Sys || only_one {
            let mut w = w.clone();
            w.row.scope = ScopePattern::Any(None);
            out.push(w);
        } else if !of(w.row.construct).any(for_sys) {
            return Err(Diagnostic::error(
                "the source model does not speak of scopes, and this construct has rows for several, none of them for `sys`",
            )
            .at(file, w.row.span, "one of them")
            .help(
                "an operation without a scope is one of the whole system: add the row for `sys`, or keep the rows of one scope",
            ));
        }
    }
    Ok(out)
}

/// Checks that every construct of the source has exactly one row for each scope, and that no row
/// needs what the target lacks.
fn complete(mapping: &Mapping, header: Span) -> Result<(), Vec<Diagnostic>> {
    let file = &mapping.file;
    let signature = mapping.source.signature;
    let scopes = mapping.scopes();
    let mut errors = Vec::new();
    for (i, row) in mapping.rows.iter().enumerate() {
        let clash = mapping.rows[..i].iter().find(|earlier| {
            earlier.construct == row.construct
                && match (&earlier.scope, &row.scope) {
                    (ScopePattern::Named(a), ScopePattern::Named(b)) => a == b,
                    _ => true,
                }
        });
        if let Some(earlier) = clash {
            errors.push(
                Diagnostic::error(format!("two rows for `{}`", row.construct.name(signature)))
                    .at(file, row.span, "the second row")
                    .at(file, earlier.span, "the first row")
                    .help("drop one; lowerings that the compiler may choose between are written in one row with `or`"),
            );
        }
        // A mapping that says which scopes there are may have rows for some that these two models
        // do not know.
        if let ScopePattern::Named(scope) = row.scope
            && !scopes.contains(&scope)
            && !mapping.about.scopes.as_ref().is_some_and(|s| s.contains(&scope))
        {
            let known: Vec<&str> = scopes.iter().map(|&s| signature.scope_name(s)).collect();
            let (message, help) = if known.is_empty() {
                let message =
                    format!("the source model `{}` does not speak of scopes", mapping.source.name);
                (message, "drop the scope on the left-hand side".to_owned())
            } else {
                let message = format!(
                    "between `{}` and `{}` there is no {} scope",
                    mapping.source.name,
                    mapping.target.name,
                    signature.scope_name(scope)
                );
                (message, format!("scopes: {}", known.join(", ")))
            };
            errors.push(Diagnostic::error(message).at(file, row.span, "this scope").help(help));
        }
        let cluster = row
            .alternatives
            .iter()
            .find(|l| l.steps.iter().any(|s| s.scope == StepScope::Named(Scope::Cluster)));
        if let Some(lowering) = cluster
            && is_ptx(mapping.target.signature)
            && !mapping.target.knows_clusters()
        {
            errors.push(
                Diagnostic::error(format!(
                    "the target model `{}` has no cluster scope",
                    mapping.target.name
                ))
                .at(file, lowering.span, "cluster scope here")
                .help("use cta or gpu scope, or a model of PTX ISA 7.8 or later (`to ptx-8`)"),
            );
        }
        errors.extend(without_level(mapping, row, &scopes));
    }
    errors.extend(super::mbarrier::wrong(mapping));
    let mut missing = Vec::new();
    for construct in constructs(signature) {
        let name = construct.name(signature);
        if scopes.is_empty() || !construct.has_scope(signature) {
            if mapping.row(construct, None).is_none() {
                missing.push(name);
            }
        } else {
            let lacking: Vec<Scope> = scopes
                .iter()
                .copied()
                .filter(|&s| mapping.row(construct, Some(s)).is_none())
                .collect();
            if lacking.len() == scopes.len() {
                missing.push(name);
            } else {
                missing
                    .extend(lacking.iter().map(|&s| format!("{name}.{}", signature.scope_name(s))));
            }
        }
    }
    if !missing.is_empty() {
        errors.push(
            Diagnostic::error(format!("no row for {}", missing.join(", ")))
                .at(file, header, "this source model has them")
                .help("add a row for each; to leave constructs out of a search use `--without` on a complete mapping"),
        );
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// A row that passes on a scope of the source which the target does not have.
fn without_level(mapping: &Mapping, row: &Row, scopes: &[Scope]) -> Option<Diagnostic> {
    let (source, target) = (mapping.source.signature, mapping.target.signature);
    let passed: &[Scope] = match &row.scope {
        ScopePattern::Named(scope) => std::slice::from_ref(scope),
        ScopePattern::Any(_) => scopes,
    };
    let lacking: Vec<Scope> =
        passed.iter().copied().filter(|s| !target.scopes(true).contains(s)).collect();
    let passes = |l: &&Lowering| {
        l.steps.iter().any(|s| match s.scope {
            StepScope::None => false,
            StepScope::Same => !lacking.is_empty(),
            // In a row of one scope its variable has become that scope.
            StepScope::Named(scope) => lacking.contains(&scope),
        })
    };
    let lowering = row.alternatives.iter().find(passes)?;
    let names = |scopes: &[Scope]| {
        scopes.iter().map(|&s| source.scope_name(s)).collect::<Vec<_>>().join(", ")
    };
    let (name, first) = (row.construct.name(source), lacking[0]);
    let message = format!(
        "of the scopes of `{}`, {target} has none for {}",
        mapping.source.name,
        names(&lacking)
    );
    let wider = target.scopes(true).iter().copied().find(|&s| s >= first).unwrap_or(Scope::Sys);
    Some(Diagnostic::error(message).at(&mapping.file, lowering.span, "the scope is passed on here").help(format!(
        "write a row for each scope, and in that of {} a scope of {target}, e.g. `{name}.{} => ... .{}`; it has {}",
        source.scope_name(first),
        source.scope_name(first),
        target.scope_name(wider),
        target.scope_names(),
    )))
}
