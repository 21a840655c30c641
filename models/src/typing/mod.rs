//! From text to typed model: names are resolved, functions and procedures inlined, sorts found,
//! recursion checked.

mod apply;
mod choice;
mod expression;
mod free;
mod includes;
mod instruction;
mod load;
mod problems;
mod recursion;
mod scope;
mod value;

pub use includes::{FilesThenBuiltIn, IncludeRefusal, Includes, OnlyBuiltIn};
pub(crate) use includes::{only_models, read};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cat;
use crate::diagnostic::{Diagnostic, SourceFile, SourcePlace, Span};
use crate::dialect::{self, ModelArchitecture, NameDialect};
use crate::model::{
    Arena, Check, DefId, Definition, DefinitionOrigin, ExprId, Loaded, Model, Node, Sort,
};
use crate::signature::{Signature, architecture};
use scope::NameScope;
use value::{Projection, TypedExpr, TypedMeaning};

/// How a model is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypingOptions {
    /// The variants for which `if "variant"` holds; herd7 takes them by `-variant`.
    pub variants: BTreeSet<String>,
    /// Texts in place of those that define the base names of a dialect, by the names of the texts
    /// (`herd7.cat`, of models/dialects): what a definition is good for shows where it is changed.
    pub texts: BTreeMap<String, String>,
}

/// How deep expressions, applications and calls may be within each other once functions are
/// inlined.
const MAX_DEPTH: usize = 500;

/// How deep expressions may be within each other through definitions. Real models stay below 100;
/// whoever translates a model may recurse over it.
const MAX_HEIGHT: usize = 400;

/// How many expressions a model may have once functions are inlined.
const MAX_STEPS: usize = 400_000;

/// The most errors that are reported.
const MAX_ERRORS: usize = 50;

/// The state of typing one model.
struct Typing<'a> {
    /// Where includes come from.
    includes: &'a dyn Includes,
    /// What the caller chose.
    options: &'a TypingOptions,
    /// Whose definitions base names have.
    dialect: &'static NameDialect,
    /// What base names there are.
    architecture: &'static ModelArchitecture,
    /// The executions that the model speaks of.
    signature: Signature,
    /// The file whose text is being typed.
    file: Arc<SourceFile>,
    /// Where definitions come from now.
    origin: DefinitionOrigin,
    /// The nodes so far.
    arena: Arena,
    /// The definitions so far.
    definitions: Vec<Definition>,
    /// The finished `let rec`s: `[let rec][definition]`.
    groups: Vec<Vec<DefId>>,
    /// The checks so far.
    checks: Vec<Check>,
    /// What is wrong so far.
    errors: Vec<Diagnostic>,
    /// Of what is wrong so far what Margay lacks.
    missing: Vec<String>,
    /// What is strange so far.
    warnings: Vec<Diagnostic>,
    /// The names that the model uses and of which no test has any.
    absent: BTreeSet<String>,
    /// The tags that an `enum` lists.
    tags: Vec<String>,
    /// The relation that is the identity here, if it is not `id`.
    identity: Option<ExprId>,
    /// The members of each `let rec` that is being typed, outermost first.
    open: Vec<Vec<DefId>>,
    /// The applications and calls that are being expanded, outermost first: the callee, and where.
    calls: Vec<(String, SourcePlace)>,
    /// The files that are being included, outermost first.
    including: Vec<String>,
    /// How many files were included.
    included: usize,
    /// How deep the recursion is.
    depth: usize,
    /// How many expressions were typed.
    steps: usize,
    /// The limit that was exceeded, if one was: typing stops there.
    exhausted: Option<Diagnostic>,
    /// Within how many constructs errors are counted, but not shown.
    quiet: usize,
    /// The next [`value::TypedFunction::id`].
    next_function: usize,
    /// Applications that were typed already.
    applications: FxHashMap<ApplicationKey, TypedExpr>,
    /// The keys of `applications` in the order of their insertion.
    application_log: Vec<ApplicationKey>,
    /// Layers that functions know, to be cleared at the end.
    captured: Vec<NameScope>,
    /// Unions, each with one of its operands and where that one is written.
    branches: Vec<(ExprId, ExprId, SourcePlace)>,
}

/// A function and its arguments (as set, as relation).
type ApplicationKey = (usize, Vec<(Option<ExprId>, Option<ExprId>)>);

/// Types a text.
fn typed(
    source: &Arc<SourceFile>,
    includes: &dyn Includes,
    options: &TypingOptions,
) -> Result<Loaded, Vec<Diagnostic>> {
    let parsed = cat::parse(source);
    if let Some(architecture) = of_text(source, &parsed.file, includes)? {
        if !parsed.errors.is_empty() {
            return Err(parsed.errors);
        }
        return typed_as(
            &parsed.file,
            (source, includes, options),
            (&dialect::MARGAY, architecture),
            None,
        )
        .map_err(|(_, e)| e);
    }
    let reading = dialect::reading(source, &parsed.file, includes).map_err(|error| vec![error])?;
    let lazy = reading.dialect.is_lazy();
    if lazy && !parsed.missing.is_empty() {
        return Err(vec![problems::refusal(
            source,
            reading.dialect,
            None,
            &parsed.missing,
            &parsed.errors,
        )]);
    }
    let candidates = match reading.dialect.candidates(&parsed.file) {
        Err(word) => return Err(vec![problems::foreign(source, reading.dialect, &word)]),
        Ok(candidates) if lazy => candidates,
        // The header of Margay's own models says it.
        Ok(candidates) => match &parsed.file.architecture {
            None => reading
                .dialect
                .architectures
                .iter()
                .filter(|a| a.signature == Signature::PLAIN)
                .collect(),
            Some(word) if !candidates[0].words().contains(&word.text.as_str()) => {
                if word.text == "mapping" {
                    return Err(vec![problems::mapping_file(source, word)]);
                }
                // The rest would be blamed for what could not be read.
                return Err(std::iter::once(problems::unknown_architecture(source, word))
                    .chain(parsed.errors)
                    .collect());
            }
            Some(_) => candidates,
        },
    };
    if !parsed.errors.is_empty() {
        // Of another tool's file the first thing that is not read is what matters: the rest may
        // follow from it.
        let first = if lazy { 1 } else { parsed.errors.len() };
        return Err(parsed.errors.into_iter().take(first).collect());
    }
    let mut guessed = reading.guessed;
    // Where the file says of what it is, and nobody knows the word, the word may be the mistake.
    if let (Some(why), Some(word)) = (&mut guessed, &parsed.file.architecture)
        && !reading.dialect.is_named_in(&word.text)
    {
        let word = &word.text;
        why.push_str(&format!(
            ", and its first word, `{word}`, is no architecture that Margay knows: there is no `{word}.arch` beside it"
        ));
    }
    let guessed = guessed.as_deref();
    let mut nearest: Option<(usize, Vec<Diagnostic>)> = None;
    for architecture in candidates {
        match typed_as(
            &parsed.file,
            (source, includes, options),
            (reading.dialect, architecture),
            guessed,
        ) {
            Ok(mut loaded) => {
                loaded.model.machine = architecture.of_tests.map(|tests| tests.word);
                if let Some(tests) = architecture.of_tests() {
                    let tagged = typed_as(
                        &parsed.file,
                        (source, includes, options),
                        (reading.dialect, tests),
                        guessed,
                    );
                    if let Ok(tagged) = tagged {
                        // Which names stand for nothing, those tests say that have the most.
                        loaded.warnings = tagged.warnings;
                        loaded.model.of_tests = Some(Arc::new(tagged.model));
                    }
                }
                return Ok(loaded);
            }
            Err((lacks, errors)) if nearest.as_ref().is_none_or(|(fewest, _)| lacks < *fewest) => {
                nearest = Some((lacks, errors))
            }
            Err(_) => {}
        }
    }
    Err(nearest.map(|(_, errors)| errors).unwrap_or_default())
}

/// The architecture whose text the first word of a file names; `None` if that is one of those that
/// every model can speak of, or none.
fn of_text(
    source: &Arc<SourceFile>,
    file: &cat::ast::CatFile,
    includes: &dyn Includes,
) -> Result<Option<&'static ModelArchitecture>, Vec<Diagnostic>> {
    let Some(word) = &file.architecture else { return Ok(None) };
    let known = || dialect::ALL.into_iter().flat_map(|d| d.architectures).flat_map(|a| a.words());
    if dialect::split_prefix(&source.name).0.is_some() || known().any(|w| *w == word.text) {
        return Ok(None);
    }
    Ok(architecture::find(&word.text, source, includes)?.map(|found| found.dialect()))
}

/// Types a file as one of an architecture. An error comes with the number of names that it lacks.
fn typed_as(
    file: &cat::ast::CatFile,
    (source, includes, options): (&Arc<SourceFile>, &dyn Includes, &TypingOptions),
    (dialect, architecture): (&'static NameDialect, &'static ModelArchitecture),
    guessed: Option<&str>,
) -> Result<Loaded, (usize, Vec<Diagnostic>)> {
    let mut typing = Typing::new(source, includes, options, dialect, architecture);
    let mut scope = typing.prelude();
    typing.instructions(&file.instructions, &mut scope);
    let lacks = typing.missing.len();
    typing.finish(scope, file.title.clone(), guessed).map_err(|errors| (lacks, errors))
}

impl<'a> Typing<'a> {
    fn new(
        source: &Arc<SourceFile>,
        includes: &'a dyn Includes,
        options: &'a TypingOptions,
        dialect: &'static NameDialect,
        architecture: &'static ModelArchitecture,
    ) -> Self {
        Self {
            includes,
            options,
            dialect,
            architecture,
            signature: architecture.signature,
            file: source.clone(),
            origin: DefinitionOrigin::StandardLibrary,
            arena: Arena::default(),
            definitions: Vec::new(),
            groups: Vec::new(),
            checks: Vec::new(),
            errors: Vec::new(),
            missing: Vec::new(),
            warnings: Vec::new(),
            absent: BTreeSet::new(),
            tags: Vec::new(),
            identity: None,
            open: Vec::new(),
            calls: Vec::new(),
            including: vec![source.name.clone()],
            included: 0,
            depth: 0,
            steps: 0,
            exhausted: None,
            quiet: 0,
            next_function: 0,
            applications: FxHashMap::default(),
            application_log: Vec::new(),
            captured: Vec::new(),
            branches: Vec::new(),
        }
    }

    /// The scope that every model of the architecture starts from.
    fn prelude(&mut self) -> NameScope {
        let mut scope = NameScope::new();
        scope.bind("domain", TypedMeaning::Projection(Projection::Domain), false);
        scope.bind("range", TypedMeaning::Projection(Projection::Range), false);
        for (name, text) in self.architecture.prelude {
            let text = self.options.texts.get(*name).map_or(*text, String::as_str);
            let source =
                SourceFile::new(format!("{}{name}", crate::shipped::BUILT_IN_FOLDER), text);
            let parsed = cat::parse(&source);
            debug_assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
            let file = std::mem::replace(&mut self.file, source);
            self.instructions(&parsed.file.instructions, &mut scope);
            self.file = file;
        }
        debug_assert!(self.errors.is_empty(), "{:?}", self.errors);
        if let Some(TypedMeaning::Typed(identity)) =
            self.architecture.identity.and_then(|name| scope.get(name))
        {
            self.identity = identity.relation;
        }
        self.origin = DefinitionOrigin::Let;
        scope.capture()
    }

    fn finish(
        mut self,
        scope: NameScope,
        title: Option<String>,
        guessed: Option<&str>,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        for captured in std::mem::take(&mut self.captured) {
            captured.clear();
        }
        scope.clear();
        self.errors.extend(self.exhausted.take());
        if self.dialect.is_lazy() && !self.missing.is_empty() {
            let architecture = Some(self.architecture);
            return Err(vec![problems::refusal(
                &self.file,
                self.dialect,
                architecture,
                &self.missing,
                &self.errors,
            )]);
        }
        if self.errors.is_empty() && self.checks.is_empty() {
            self.has_no_checks();
        }
        if !self.errors.is_empty() {
            self.errors.truncate(MAX_ERRORS);
            return Err(self.errors);
        }
        self.warn_of_equal_names();
        self.warn_of_dialect(guessed);
        let mut branches: FxHashMap<(ExprId, ExprId), Vec<SourcePlace>> = FxHashMap::default();
        for (union, operand, place) in self.branches {
            branches.entry((union, operand)).or_default().push(place);
        }
        let model = Model {
            name: model_name(&self.file.name),
            title,
            dialect: self.dialect,
            signature: self.signature,
            source: self.file,
            arena: self.arena,
            definitions: self.definitions,
            groups: self.groups,
            checks: self.checks,
            branches,
            machine: None,
            of_tests: None,
        };
        let mut warnings = self.warnings;
        warnings.extend(free::warnings(&model));
        Ok(Loaded { model, warnings })
    }

    /// A place in the file that is being typed.
    fn place(&self, span: Span) -> SourcePlace {
        SourcePlace { file: self.file.clone(), span }
    }

    fn intern(&mut self, node: Node, sort: Sort) -> ExprId {
        self.arena.intern(node, sort)
    }
}

/// The name of a model: its file's, without folder and extension.
fn model_name(file: &str) -> String {
    let (_, file) = dialect::split_prefix(file);
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".cat").unwrap_or(name).to_owned()
}

/// What typing had done at some time, to return to.
struct Checkpoint {
    nodes: usize,
    definitions: usize,
    groups: usize,
    checks: usize,
    errors: usize,
    missing: usize,
    warnings: usize,
    applications: usize,
    branches: usize,
    /// The number of members of each open `let rec`.
    open: Vec<usize>,
}

impl Typing<'_> {
    fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            nodes: self.arena.len(),
            definitions: self.definitions.len(),
            groups: self.groups.len(),
            checks: self.checks.len(),
            errors: self.errors.len(),
            missing: self.missing.len(),
            warnings: self.warnings.len(),
            applications: self.application_log.len(),
            branches: self.branches.len(),
            open: self.open.iter().map(Vec::len).collect(),
        }
    }

    /// Undoes everything since the checkpoint; returns the errors since then.
    fn rollback(&mut self, to: &Checkpoint) -> Vec<Diagnostic> {
        self.arena.truncate(to.nodes);
        self.definitions.truncate(to.definitions);
        self.groups.truncate(to.groups);
        self.checks.truncate(to.checks);
        self.warnings.truncate(to.warnings);
        self.missing.truncate(to.missing);
        self.branches.truncate(to.branches);
        for key in self.application_log.drain(to.applications..) {
            self.applications.remove(&key);
        }
        for (members, &length) in self.open.iter_mut().zip(&to.open) {
            members.truncate(length);
        }
        self.errors.split_off(to.errors.min(self.errors.len()))
    }
}
