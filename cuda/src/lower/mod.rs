//! From the tree to PTX, without optimisation: what is called is put in place, variables are
//! registers unless their address is taken, and each access is the one that the program writes.

mod access;
mod aggregate;
mod assembly;
mod braced_list;
mod call;
mod cast;
mod choice;
mod class_deduction;
mod closure;
mod compute;
mod condition;
mod constant;
mod conversion;
mod copying;
mod deduce;
mod definition;
mod evaluate;
mod expression;
mod function_value;
mod instance;
mod kernel;
mod known_bytes;
mod layout;
mod lookup;
mod member;
mod memory;
mod namespace;
mod operator;
mod order;
mod overload;
mod pack;
mod promote;
mod reference;
mod specialise;
mod specificity;
mod statement;
mod structure;
mod template;
mod temporary;
mod typename;
mod variable;

use std::fmt::Write as _;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lex::{CudaRefusal, CudaSpan};
use crate::read::ProgramReader;
use crate::tree::{FunctionTree, NamePath};
use crate::types::{CudaType, ReferenceKind, StructureLayout, TemplateBinding, TemplateBindings};

pub(crate) use self::kernel::compiled;

/// The most instructions of a kernel, with all that it calls.
const MAX_INSTRUCTIONS: usize = 200_000;

/// How deep statements, expressions and calls may be nested in all.
const MAX_DEPTH: usize = 220;

/// How deep calls may be nested.
const MAX_CALLS: usize = 40;

/// How many calls may be put in place in all, those of code that is thrown away among them.
const MAX_PLACED: usize = 200_000;

/// After so many times that a variable turned out to need memory, all have it.
const MAX_TRIES: usize = 48;

/// Types and arrays are smaller than this.
const MAX_BYTES: u64 = 1 << 40;

/// The most parts of a structure or an array that are copied or filled one by one.
const MAX_PARTS: u64 = 1024;

/// Why a kernel is not compiled: it is not understood, or it has to be begun again with more known
/// of its variables.
#[derive(Debug)]
pub(crate) enum LoweringStop {
    Refused(CudaRefusal),
    Again,
}

impl From<CudaRefusal> for LoweringStop {
    fn from(refusal: CudaRefusal) -> Self {
        Self::Refused(refusal)
    }
}

type LoweringResult<T> = Result<T, LoweringStop>;

/// A state space that is known, or any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KnownSpace {
    Any,
    Global,
    Shared,
    Local,
    Constant,
    Parameter,
}

impl KnownSpace {
    /// The qualifier of an instruction.
    fn qualifier(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Global => ".global",
            Self::Shared => ".shared",
            Self::Local => ".local",
            Self::Constant => ".const",
            Self::Parameter => ".param",
        }
    }
}

/// Where a value lives.
#[derive(Debug, Clone, PartialEq)]
enum ValuePlace {
    Register(Rc<str>),
    Memory {
        base: Rc<str>,
        offset: i64,
        space: KnownSpace,
    },
    /// A value that does not change; to change it the variable with this name has to be begun again
    /// in a register.
    Fixed(Box<ValueForm>, CudaSpan),
    /// The bytes of a constant, from so many on.
    Known(Rc<known_bytes::KnownBytes>, i64),
    /// Some bits of a word of so many bytes: the first of them, and how many they are.
    Bits {
        word: Box<ValuePlace>,
        bytes: u8,
        first: u32,
        count: u32,
    },
}

/// What an expression became.
#[derive(Debug, Clone, PartialEq)]
enum ValueForm {
    Constant(u64),
    Register(Rc<str>),
    Address(Box<ValuePlace>),
    Place(ValuePlace),
    /// What is at a place and goes (`std::move`). Only arguments are.
    Expiring(ValuePlace),
    /// A structure that nobody else has.
    Temporary(ValuePlace),
    Text(Rc<str>),
    /// A list in braces, before its type is known.
    List(braced_list::BracedList),
    /// Of `{..}`, which has no type of its own.
    Nothing,
}

#[derive(Debug, Clone)]
struct TypedValue {
    ty: CudaType,
    form: ValueForm,
}

impl TypedValue {
    fn constant(ty: CudaType, value: u64) -> Self {
        let value = ty.cut(value);
        Self { ty, form: ValueForm::Constant(value) }
    }

    fn register(ty: CudaType, register: Rc<str>) -> Self {
        Self { ty, form: ValueForm::Register(register) }
    }

    fn nothing() -> Self {
        Self { ty: CudaType::VOID, form: ValueForm::Nothing }
    }

    fn place(ty: CudaType, place: ValuePlace) -> Self {
        Self { ty, form: ValueForm::Place(place) }
    }

    fn known(&self) -> Option<u64> {
        if let ValueForm::Constant(value) = self.form { Some(value) } else { None }
    }
}

/// What a name of a scope stands for.
#[derive(Debug, Clone)]
enum NameBinding {
    Value(TypedValue),
    Type(CudaType),
    Pack(Vec<TypedValue>),
    /// What a namespace has under the name.
    Taken(NamePath),
}

#[derive(Debug, Default)]
struct LocalNames {
    names: FxHashMap<Rc<str>, NameBinding>,
    /// Those that were declared as references, and as which.
    references: FxHashMap<Rc<str>, ReferenceKind>,
    /// The same for each element of a pack.
    references_of_packs: FxHashMap<Rc<str>, Vec<Option<ReferenceKind>>>,
    /// The namespaces whose names are seen (`using namespace a;`).
    namespaces: Vec<Vec<Rc<str>>>,
    /// Other names of namespaces (`namespace b = a;`).
    aliases_of_namespaces: FxHashMap<Rc<str>, Vec<Rc<str>>>,
    /// What has to be destroyed at its end.
    destroyed: Vec<(ValuePlace, usize)>,
}

/// The labels of a loop or a `switch`.
#[derive(Debug, Clone)]
struct JumpTargets {
    leave: u32,
    again: Option<u32>,
    scopes: usize,
}

/// A function that is being put in place.
struct InlinedCall {
    function: Option<Rc<FunctionTree>>,
    owner: Option<usize>,
    this: Option<ValuePlace>,
    /// Whether what it is called for is constant, or volatile, to it.
    object: CudaType,
    bindings: Rc<TemplateBindings>,
    namespace: Rc<[Rc<str>]>,
    scopes: Vec<LocalNames>,
    targets: Vec<JumpTargets>,
    /// What expressions made that is to be destroyed, and its structures.
    temporaries: Vec<(ValuePlace, usize)>,
    result: CudaType,
    /// Is a reference returned?
    is_reference: bool,
    slot: Option<TypedValue>,
    end: u32,
    is_end_used: bool,
    /// Is the next statement the last one of the function?
    is_last: bool,
    /// Does the last statement always leave the function, so that no thread comes to what stands
    /// behind it?
    is_left: bool,
    /// Is the type of what it returns that of its first `return`?
    is_auto: bool,
    /// Labels of `goto`, where they are named, and whether they were come to.
    labels: FxHashMap<Rc<str>, (u32, CudaSpan, bool)>,
    direct: Option<TypedValue>,
}

impl InlinedCall {
    fn outside(namespace: Rc<[Rc<str>]>) -> Self {
        Self {
            function: None,
            owner: None,
            this: None,
            object: CudaType::VOID,
            bindings: Rc::default(),
            namespace,
            scopes: vec![LocalNames::default()],
            targets: Vec::new(),
            temporaries: Vec::new(),
            result: CudaType::VOID,
            is_reference: false,
            slot: None,
            end: 0,
            is_end_used: false,
            is_last: false,
            is_left: false,
            is_auto: false,
            labels: FxHashMap::default(),
            direct: None,
        }
    }
}

/// Where each line of a file begins.
struct LineStarts(Vec<u32>);

/// A program while it becomes PTX.
pub(crate) struct KernelLowering {
    program: ProgramReader,
    lines: Vec<LineStarts>,
    structures: Vec<StructureLayout>,
    /// Variables of the module, by the tree.
    globals: FxHashMap<usize, TypedValue>,
    declarations: String,
    /// Constants that are in memory, and where.
    constants: FxHashMap<Rc<known_bytes::KnownBytes>, Rc<str>>,
    symbols: FxHashSet<Rc<str>>,
    /// How many instructions may still be executed for what is computed when the program is
    /// compiled.
    steps_left: u64,
    /// Variables that need memory, and parameters that are changed, by where they are declared.
    in_memory: FxHashSet<CudaSpan>,
    changed: FxHashSet<CudaSpan>,
    are_all_in_memory: bool,
    // Of the kernel that is being compiled.
    body: String,
    variables: String,
    registers: [u32; 6],
    labels: u32,
    instructions: usize,
    /// How many calls were put in place, those of code that is thrown away among them.
    placed_calls: usize,
    /// Is only the type asked for of what is lowered? Then no body of a function whose result is
    /// declared is looked at.
    is_type_asked: bool,
    depth: usize,
    frames: Vec<InlinedCall>,
    position: CudaSpan,
    line: (u16, u32),
    /// Registers and parameters that are variables, and where these are declared.
    mutable: FxHashMap<Rc<str>, CudaSpan>,
    /// Parameters that all threads have as one, `__grid_constant__`: their address is that of the
    /// parameter, and nothing is copied.
    grid_constants: FxHashSet<Rc<str>>,
    /// Each `c ? a : b` that something is put to, or that is referred to, by where it is.
    places_chosen: FxHashSet<CudaSpan>,
    /// Registers that hold 1 or 0, and the predicate that says which.
    truths: FxHashMap<Rc<str>, Rc<str>>,
    /// Variables of functions that are there once for all calls, `__shared__` or `static`, by where
    /// they are declared and the arguments of templates.
    placed: FxHashMap<(CudaSpan, String), TypedValue>,
    /// Functions that call themselves, which get a function of PTX.
    recursive: Vec<(Rc<str>, CudaSpan)>,
    /// What lambdas see, by the number of the structure that each is.
    lambdas: FxHashMap<usize, function_value::LambdaScope>,
    /// Functions whose addresses are taken: an address is the number of one, from 1.
    functions: Vec<function_value::AddressedFunction>,
    /// How many of them the first call by an address was compared with.
    compared_functions: Option<usize>,
    needs_assertions: bool,
    /// Enumerations whose type is being found, by where their trees are.
    open_enumerations: Vec<usize>,
    grid_barriers: usize,
}

/// The classes of registers: their names and types.
const CLASSES: [(&str, &str); 6] = [
    ("%p", ".pred"),
    ("%rs", ".b16"),
    ("%r", ".b32"),
    ("%rd", ".b64"),
    ("%f", ".f32"),
    ("%fd", ".f64"),
];

impl KernelLowering {
    fn frame(&mut self) -> &mut InlinedCall {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn current(&self) -> &InlinedCall {
        &self.frames[self.frames.len() - 1]
    }

    fn refuse<T>(
        &self,
        at: CudaSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> LoweringResult<T> {
        Err(LoweringStop::Refused(CudaRefusal::new(at, message, help)))
    }

    /// The line and column of a place, from 1.
    pub(crate) fn line_of(&self, at: CudaSpan) -> (u32, u32) {
        let Some(LineStarts(starts)) = self.lines.get(at.file as usize) else { return (0, 0) };
        let line = starts.partition_point(|&start| start <= at.start);
        (line as u32, at.start - starts[line - 1] + 1)
    }

    fn emit(&mut self, text: impl AsRef<str>) -> LoweringResult<()> {
        self.instructions += 1;
        if self.instructions > MAX_INSTRUCTIONS {
            let what = format!(
                "the kernel has more than {MAX_INSTRUCTIONS} instructions once what it calls is put in place"
            );
            return self.refuse(self.position, what, "make it smaller");
        }
        let (line, column) = self.line_of(self.position);
        if line > 0 && (self.position.file, line) != self.line {
            self.line = (self.position.file, line);
            let _ = writeln!(self.body, "\t.loc\t{} {line} {column}", self.position.file);
        }
        let _ = writeln!(self.body, "\t{};", text.as_ref());
        Ok(())
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn put_label(&mut self, label: u32) {
        let _ = writeln!(self.body, "$L_{label}:");
    }

    fn jump(&mut self, label: u32) -> LoweringResult<()> {
        self.emit(format!("bra $L_{label}"))
    }

    fn new_register_of(&mut self, class: usize) -> Rc<str> {
        self.registers[class] += 1;
        format!("{}{}", CLASSES[class].0, self.registers[class]).into()
    }

    /// A new register for values of a type.
    fn new_register(&mut self, ty: &CudaType) -> Rc<str> {
        let class = match ty.of_register() {
            "f32" => 4,
            "f64" => 5,
            "s64" | "u64" => 3,
            _ => 2,
        };
        self.new_register_of(class)
    }

    fn predicate(&mut self) -> Rc<str> {
        self.new_register_of(0)
    }

    /// A name of PTX that nothing else has.
    fn symbol(&mut self, name: &str) -> Rc<str> {
        let clean: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' })
            .collect();
        let clean = if clean.starts_with(|c: char| c.is_ascii_digit()) || clean.is_empty() {
            format!("_{clean}")
        } else {
            clean
        };
        let mut found: Rc<str> = clean.as_str().into();
        let mut n = 1;
        while !self.symbols.insert(found.clone()) {
            n += 1;
            found = format!("{clean}_{n}").into();
        }
        found
    }

    fn enter(&mut self, at: CudaSpan) -> LoweringResult<()> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => self.refuse(
                at,
                format!("statements, expressions and calls are nested more than {MAX_DEPTH} deep"),
                "write it flatter",
            ),
            false => Ok(()),
        }
    }

    /// Is the code that is put in place the user's own?
    fn set_position(&mut self, at: CudaSpan) {
        if at.file > 0 {
            // What is called stands at its own line.
            self.position = at;
        }
    }

    /// The variable at a place has to live in memory: once more, with that known.
    fn needs_memory<T>(&mut self, at: CudaSpan) -> LoweringResult<T> {
        self.in_memory.insert(at);
        Err(LoweringStop::Again)
    }

    fn binding_of(&self, name: &str) -> Option<&TemplateBinding> {
        let frame = self.current();
        frame.bindings.iter().find(|(n, _)| &**n == name).map(|(_, b)| b)
    }
}
