//! The reader of programs. Declarations are read first; what functions do is read when a kernel
//! calls them, since by then all types are known, and since what no kernel calls need not be
//! understood. Code for the host is skipped.

mod cursor;
mod declaration;
mod declaration_scope;
mod declarator;
mod expression;
mod function;
mod local;
mod name;
mod names_of_types;
mod scope;
mod specifiers;
mod statement;
mod structure;
mod template;
mod typename;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::declaration_scope::DeclarationScope;
use self::name::is_reserved;
use self::names_of_types::with_names_of_types;
use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme};
use crate::preprocess::CudaFile;
use crate::tree::{
    CudaExpression, CudaStatement, EnumerationTree, FunctionTree, InitialTree, StructureTree,
    TemplateArgument, TemplateParameter, TypeTree, VariableTree,
};

/// How deep what stands in brackets may be nested.
const MAX_DEPTH: usize = 160;

/// The most links of a chain, as operands of one sum.
const MAX_CHAIN: usize = 256;

/// Something that a program declares.
#[derive(Debug, Clone)]
pub(crate) enum DeclaredItem {
    Function(Rc<FunctionTree>),
    Structure(Rc<StructureTree>),
    /// A structure that is declared and not defined.
    Declared,
    Enumeration(Rc<EnumerationTree>),
    /// A constant of an enumeration, by its number there.
    Enumerator(Rc<EnumerationTree>, usize),
    Variable(Rc<VariableTree>),
    Alias(Option<Rc<[TemplateParameter]>>, Rc<TypeTree>),
    /// What is asked of types, by a name.
    Concept(Rc<[TemplateParameter]>, Rc<CudaExpression>),
    /// `S(T) -> S<T>`: which structure of a template is made of such values.
    Guide(Rc<FunctionTree>),
    /// It is not understood, which is said where it is used.
    Broken(CudaRefusal),
    /// A function or a variable of the host.
    OfHost,
}

#[derive(Debug, Clone)]
pub(crate) struct ItemEntry {
    pub namespace: Rc<[Rc<str>]>,
    pub item: DeclaredItem,
    /// Is it the library's, and not the program's own?
    is_of_library: bool,
}

/// A kernel, or its name and why it is not understood.
pub(crate) type DeclaredKernel = Result<Rc<FunctionTree>, (Rc<str>, CudaRefusal)>;

/// Names that a namespace, the first, takes from elsewhere.
type NamesTaken = (Rc<[Rc<str>]>, Vec<Rc<str>>);

/// Another name of a namespace: the namespace that has it, the name, and what it is.
type NamespaceAlias = (Vec<Rc<str>>, Rc<str>, Vec<Rc<str>>);

/// A variable of the module with its namespace.
type NamespacedVariable = (Rc<[Rc<str>]>, Rc<VariableTree>);

/// What initialises a member: its name, the values, and where it stands.
type MemberInitialiser = (Rc<str>, InitialTree, CudaSpan);

/// A kernel that is launched, with the arguments of its template.
type LaunchedTemplate = (Rc<str>, Result<Vec<TemplateArgument>, CudaRefusal>);

/// A program: its tokens and what it declares.
pub(crate) struct ProgramReader {
    pub files: Vec<CudaFile>,
    pub headers: Vec<String>,
    tokens: Rc<[CudaToken]>,
    next: usize,
    /// Was the first half of `>>` taken?
    is_half: bool,
    depth: usize,
    /// Is `>` the end of the arguments of a template?
    is_in_arguments: bool,
    pub items: FxHashMap<Rc<str>, Vec<ItemEntry>>,
    /// Names of templates.
    templates: FxHashSet<Rc<str>>,
    concepts: FxHashSet<Rc<str>>,
    /// What must be true of the arguments of the template that is being read.
    constraints: Vec<CudaExpression>,
    pub aliases_of_namespaces: Vec<NamespaceAlias>,
    pub known_namespaces: FxHashSet<Vec<Rc<str>>>,
    namespace: Vec<Rc<str>>,
    scopes: Vec<DeclarationScope>,
    /// Functions of the GPU in their order.
    pub kernels: Vec<DeclaredKernel>,
    pub variables: Vec<NamespacedVariable>,
    /// Pieces of code of the host.
    host: Vec<(usize, usize)>,
    /// Arguments with which kernels that are templates are launched.
    pub instances: Vec<LaunchedTemplate>,
    /// The names of the parameters of the templates around a member that is a template itself, and
    /// is defined outside.
    names_of_owners: Vec<Rc<str>>,
    bodies: FxHashMap<usize, Rc<CudaStatement>>,
    /// What is defined a second time.
    redefined: Option<CudaRefusal>,
    unnamed: usize,
    /// Those without a scope of their own, as far as they were read.
    /// `using namespace a::b` and `using a::b::f`: in which namespace, and the names.
    pub namespaces_taken: Vec<NamesTaken>,
    pub names_taken: Vec<NamesTaken>,
    enumerations: Vec<Rc<EnumerationTree>>,
}

impl ProgramReader {
    /// Reads the declarations of a program.
    pub fn new(
        files: Vec<CudaFile>,
        headers: Vec<String>,
        tokens: Vec<CudaToken>,
    ) -> Result<Self, CudaRefusal> {
        let last = files.len().max(2) as u16 - 1;
        let length = files.get(1).or(files.first()).map_or(0, |f| f.text.len() as u32);
        let end = CudaSpan { file: 1.min(last), start: length, end: length, written: 0 };
        let mut tokens = with_names_of_types(tokens);
        tokens.push(CudaToken { lexeme: Lexeme::End, at: end, is_apart: true, is_kept: false });
        let mut reader = Self {
            files,
            headers,
            tokens: tokens.into(),
            next: 0,
            is_half: false,
            depth: 0,
            is_in_arguments: false,
            items: FxHashMap::default(),
            templates: FxHashSet::default(),
            concepts: FxHashSet::default(),
            constraints: Vec::new(),
            aliases_of_namespaces: Vec::new(),
            known_namespaces: FxHashSet::default(),
            namespace: Vec::new(),
            scopes: Vec::new(),
            kernels: Vec::new(),
            variables: Vec::new(),
            host: Vec::new(),
            instances: Vec::new(),
            names_of_owners: Vec::new(),
            bodies: FxHashMap::default(),
            redefined: None,
            unnamed: 0,
            namespaces_taken: Vec::new(),
            names_taken: Vec::new(),
            enumerations: Vec::new(),
        };
        reader.program()?;
        reader.launched();
        Ok(reader)
    }

    /// What a function does, and in front of it what initialises its members. It is read once.
    pub fn body(
        &mut self,
        function: &FunctionTree,
        owner: Option<&StructureTree>,
    ) -> Result<Rc<CudaStatement>, CudaRefusal> {
        let Some((start, _)) = function.body else {
            let text =
                format!("`{}` is declared here, and not defined in what was read", function.name);
            return Err(CudaRefusal::new(
                function.at,
                text,
                "include the file that defines it with #include \"..\"",
            ));
        };
        if let Some(found) = self.bodies.get(&start) {
            return Ok(found.clone());
        }
        self.scopes.clear();
        self.enter_function(function, owner);
        (self.next, self.is_half, self.depth, self.is_in_arguments) = (start, false, 0, false);
        let body = Rc::new(self.statement()?);
        self.bodies.insert(start, body.clone());
        Ok(body)
    }

    /// What the members of a structure are initialised with by a constructor.
    pub fn initialisers(
        &mut self,
        function: &FunctionTree,
        owner: Option<&StructureTree>,
    ) -> Result<Vec<MemberInitialiser>, CudaRefusal> {
        let Some((start, end)) = function.initialisers else { return Ok(Vec::new()) };
        self.scopes.clear();
        self.enter_function(function, owner);
        (self.next, self.is_half, self.depth, self.is_in_arguments) = (start, false, 0, false);
        let mut found = Vec::new();
        while self.next < end {
            let at = self.at();
            let path = self.path()?;
            let values = match self.is("{") {
                true => InitialTree::List(self.braced()?),
                false => InitialTree::Arguments(self.arguments()?),
            };
            found.push((path.last().name.clone(), values, self.since(at)));
            if !self.eat(",") {
                break;
            }
        }
        Ok(found)
    }

    fn declare(&mut self, name: Rc<str>, item: DeclaredItem) {
        let namespace: Rc<[Rc<str>]> = self.namespace.clone().into();
        let is_of_library = self.at().file == 0;
        if !is_of_library && self.scopes.is_empty() && self.redefined.is_none() {
            self.redefined = self.is_defined_once(&name, &item).err();
        }
        self.items.entry(name).or_default().push(ItemEntry { namespace, item, is_of_library });
    }
}
