//! From text to typed model: names are resolved, functions and procedures inlined, sorts found, recursion checked.

mod apply;
mod expression;
mod instruction;
mod load;
mod problems;
mod recursion;
mod scope;
mod value;

pub use load::{FilesThenBuiltIn, Includes, OnlyBuiltIn};
pub(crate) use load::{only_models, read};

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cat::{self, ast};
use crate::diagnostic::{Diagnostic, Place, SourceFile, Span};
use crate::model::{Arena, Check, DefId, Definition, ExprId, Loaded, Model, Node, Origin, Sort};
use crate::signature::Signature;
use scope::Scope;
use value::{Projection, Typed, Value};

/// How a model is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The variants for which `if "variant"` holds; herd7 takes them by `-variant`.
    pub variants: BTreeSet<String>,
}

/// How deep expressions, applications and calls may be within each other once functions are inlined.
const MAX_DEPTH: usize = 500;

/// How deep expressions may be within each other through definitions. Real models stay below 100; whoever translates a
/// model may recurse over it.
const MAX_HEIGHT: usize = 400;

/// How many expressions a model may have once functions are inlined.
const MAX_STEPS: usize = 400_000;

/// The most errors that are reported.
const MAX_ERRORS: usize = 50;

/// The names that models expect without defining them.
const STANDARD_LIBRARY: &str = include_str!("standard.cat");

/// The state of typing one model.
struct Typing<'a> {
    /// Where includes come from.
    includes: &'a dyn Includes,
    /// What the caller chose.
    options: &'a Options,
    /// What base names there are.
    signature: Signature,
    /// The file whose text is being typed.
    file: Arc<SourceFile>,
    /// Where definitions come from now.
    origin: Origin,
    /// The nodes so far.
    arena: Arena,
    /// The definitions so far.
    definitions: Vec<Definition>,
    /// The finished `let rec`s.
    groups: Vec<Vec<DefId>>,
    /// The checks so far.
    checks: Vec<Check>,
    /// What is wrong so far.
    errors: Vec<Diagnostic>,
    /// What is strange so far.
    warnings: Vec<Diagnostic>,
    /// The members of each `let rec` that is being typed, outermost first.
    open: Vec<Vec<DefId>>,
    /// The applications and calls that are being expanded, outermost first: the callee, and where.
    calls: Vec<(String, Place)>,
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
    /// The next [`value::Function::id`].
    next_function: usize,
    /// Applications that were typed already.
    applications: FxHashMap<ApplicationKey, Typed>,
    /// The keys of `applications` in the order of their insertion.
    application_log: Vec<ApplicationKey>,
    /// Layers that functions know, to be cleared at the end.
    captured: Vec<Scope>,
    /// Unions, each with one of its operands and where that one is written.
    branches: Vec<(ExprId, ExprId, Place)>,
}

/// A function and its arguments (as set, as relation).
type ApplicationKey = (usize, Vec<(Option<ExprId>, Option<ExprId>)>);

/// Types a text.
fn typed(source: &Arc<SourceFile>, includes: &dyn Includes, options: &Options) -> Result<Loaded, Vec<Diagnostic>> {
    let parsed = cat::parse(source);
    let mut typing = Typing::new(source, includes, options);
    let unknown = typing.read_header(&parsed.file);
    if !parsed.errors.is_empty() {
        // The rest would be blamed for what could not be read.
        return Err(unknown.into_iter().chain(parsed.errors).collect());
    }
    typing.errors.extend(unknown);
    let mut scope = typing.standard_library();
    typing.instructions(&parsed.file.instructions, &mut scope);
    typing.finish(scope, parsed.file.title)
}

impl<'a> Typing<'a> {
    fn new(source: &Arc<SourceFile>, includes: &'a dyn Includes, options: &'a Options) -> Self {
        Self {
            includes,
            options,
            signature: Signature::Plain,
            file: source.clone(),
            origin: Origin::StandardLibrary,
            arena: Arena::default(),
            definitions: Vec::new(),
            groups: Vec::new(),
            checks: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
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

    /// Takes the signature from the header; an error if its architecture is not known.
    fn read_header(&mut self, file: &ast::File) -> Option<Diagnostic> {
        let architecture = file.architecture.as_ref()?;
        match Signature::from_header(&architecture.text) {
            Some(signature) => {
                self.signature = signature;
                None
            }
            None => Some(self.unknown_architecture(architecture)),
        }
    }

    /// The scope that every model starts from.
    fn standard_library(&mut self) -> Scope {
        let source = SourceFile::new("<built-in>/standard.cat", STANDARD_LIBRARY);
        let parsed = cat::parse(&source);
        debug_assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let mut scope = Scope::new();
        scope.bind("domain", Value::Projection(Projection::Domain), false);
        scope.bind("range", Value::Projection(Projection::Range), false);
        let file = std::mem::replace(&mut self.file, source);
        self.instructions(&parsed.file.instructions, &mut scope);
        self.file = file;
        self.origin = Origin::Let;
        scope.capture()
    }

    fn finish(mut self, scope: Scope, title: Option<String>) -> Result<Loaded, Vec<Diagnostic>> {
        for captured in std::mem::take(&mut self.captured) {
            captured.clear();
        }
        scope.clear();
        self.errors.extend(self.exhausted.take());
        if self.errors.is_empty() && self.checks.is_empty() {
            let end = Span::new(self.file.text.len(), self.file.text.len());
            let error = Diagnostic::error("the model has no checks").at(&self.file, end, "expected a check before the end");
            self.errors.push(error.help("a model allows what its checks allow, e.g. `acyclic po | rf | co | fr as sc`"));
        }
        if !self.errors.is_empty() {
            self.errors.truncate(MAX_ERRORS);
            return Err(self.errors);
        }
        self.warn_of_equal_names();
        let mut branches: FxHashMap<(ExprId, ExprId), Vec<Place>> = FxHashMap::default();
        for (union, operand, place) in self.branches {
            branches.entry((union, operand)).or_default().push(place);
        }
        let model = Model {
            name: model_name(&self.file.name),
            title,
            signature: self.signature,
            source: self.file,
            arena: self.arena,
            definitions: self.definitions,
            groups: self.groups,
            checks: self.checks,
            branches,
        };
        Ok(Loaded { model, warnings: self.warnings })
    }

    /// A place in the file that is being typed.
    fn place(&self, span: Span) -> Place {
        Place { file: self.file.clone(), span }
    }

    fn intern(&mut self, node: Node, sort: Sort) -> ExprId {
        self.arena.intern(node, sort)
    }
}

/// The name of a model: its file's, without folder and extension.
fn model_name(file: &str) -> String {
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
