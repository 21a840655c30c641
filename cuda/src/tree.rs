//! The tree of a program: what is declared, and what functions do.

use std::rc::Rc;

use crate::lex::CudaSpan;

/// A name with what it is qualified by and the arguments of templates: `cuda::atomic<int>`.
#[derive(Debug, Clone)]
pub(crate) struct NamePath {
    pub parts: Vec<NamePart>,
    pub at: CudaSpan,
}

#[derive(Debug, Clone)]
pub(crate) struct NamePart {
    pub name: Rc<str>,
    pub arguments: Option<Vec<TemplateArgument>>,
}

impl NamePath {
    pub fn last(&self) -> &NamePart {
        &self.parts[self.parts.len() - 1]
    }

    /// Is it of the namespace around all (`::f`)?
    pub fn is_of_all(&self) -> bool {
        self.parts.first().is_some_and(|part| part.name.is_empty())
    }

    pub fn words(&self) -> String {
        self.parts.iter().map(|p| &*p.name).collect::<Vec<_>>().join("::")
    }
}

#[derive(Debug, Clone)]
pub(crate) enum TemplateArgument {
    Type(TypeTree),
    Value(CudaExpression),
}

/// A type as it is written.
#[derive(Debug, Clone)]
pub(crate) enum TypeTree {
    Named(NamePath),
    Void,
    Bool,
    /// How many bytes, whether it has a sign, and whether it is the second type that is alike:
    /// `long long`, `signed char`.
    Integer(u8, bool, bool),
    Real(u8),
    Auto,
    /// `decltype(auto)`
    AutoAsIs,
    Constant(Box<TypeTree>),
    Volatile(Box<TypeTree>),
    Pointer(Box<TypeTree>),
    Reference(Box<TypeTree>),
    /// What `T&&` is a reference to.
    Rvalue(Box<TypeTree>),
    Array(Box<TypeTree>, Option<Box<CudaExpression>>),
    OfExpression(Box<CudaExpression>),
    /// A function; only pointers to it are of use.
    Function,
    /// `T..` of a pack, or one element of that.
    Pack(PackPattern<TypeTree>),
}

/// What stands in front of `...`: a pattern that is one for each element of the packs that it
/// names.
#[derive(Debug, Clone)]
pub(crate) struct PackPattern<T> {
    pub pattern: Rc<T>,
    /// The names in it.
    pub words: Rc<[Rc<str>]>,
    /// The element that is meant; all of them where none is.
    pub number: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct CudaExpression {
    pub what: ExpressionKind,
    pub at: CudaSpan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CudaUnary {
    Minus,
    Plus,
    Not,
    Complement,
    Content,
    Address,
    Increment,
    Decrement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CudaBinary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    Left,
    Right,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    BothTrue,
    OneTrue,
    /// `<=>`
    Order,
}

impl CudaBinary {
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Left => "<<",
            Self::Right => ">>",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::BothTrue => "&&",
            Self::OneTrue => "||",
            Self::Order => "<=>",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum ExpressionKind {
    Integer {
        value: u64,
        bytes: u8,
        is_signed: bool,
        is_second: bool,
    },
    Real(f64, bool),
    Text(Rc<str>),
    Character(u8),
    Truth(bool),
    Null,
    This,
    Name(NamePath),
    Unary(CudaUnary, Box<CudaExpression>),
    /// `x++` (`true`) and `x--`.
    Behind(bool, Box<CudaExpression>),
    Binary(CudaBinary, Box<CudaExpression>, Box<CudaExpression>),
    Assign(Option<CudaBinary>, Box<CudaExpression>, Box<CudaExpression>),
    Choice(Box<CudaExpression>, Box<CudaExpression>, Box<CudaExpression>),
    Comma(Box<CudaExpression>, Box<CudaExpression>),
    Call(Box<CudaExpression>, Vec<CudaExpression>),
    Index(Box<CudaExpression>, Box<CudaExpression>),
    /// `a.b`, or `a->b` (`true`).
    Member(Box<CudaExpression>, NamePart, bool),
    /// `(T)x` and its like; are the bits taken as those of another type (`true`,
    /// `reinterpret_cast`)?
    Cast(TypeTree, Box<CudaExpression>, bool),
    /// `T(x, y)`.
    Construct(TypeTree, Vec<CudaExpression>),
    /// `T{x, y}`.
    ConstructByList(TypeTree, Vec<CudaExpression>),
    List(Vec<CudaExpression>),
    /// `.x = 1` in a list.
    Designated(Rc<str>, Box<CudaExpression>),
    SizeOfType(TypeTree),
    SizeOfValue(Box<CudaExpression>),
    AlignmentOfType(TypeTree),
    /// How many elements an array has.
    CountOfArray(Box<CudaExpression>),
    Lambda(Rc<LambdaTree>),
    /// A member, or an element, by its number among so many.
    Part(Box<CudaExpression>, usize, usize),
    Pack(PackPattern<CudaExpression>),
    /// `sizeof...(T)`.
    CountOfPack(Rc<str>),
    Fold(FoldTree),
    /// `requires (T x) { .. }`: is all of it so?
    Requires(Rc<RequirementsTree>),
    /// A fold with a first operand, on the left or on the right: the pattern is the one that names
    /// a pack.
    FoldOfEither(Box<[FoldTree; 2]>),
}

/// What `requires` asks of values of types.
#[derive(Debug, Clone)]
pub(crate) struct RequirementsTree {
    pub parameters: Vec<ParameterTree>,
    pub all: Vec<RequirementTree>,
}

#[derive(Debug, Clone)]
pub(crate) enum RequirementTree {
    /// It can be computed.
    Expression(CudaExpression),
    /// It can be computed, and its type is what a concept asks for.
    Typed(CudaExpression, NamePath),
    /// There is such a type.
    Type(TypeTree),
    /// It is true.
    Condition(CudaExpression),
}

/// `(a + ... + xs)`.
#[derive(Debug, Clone)]
pub(crate) struct FoldTree {
    pub pack: PackPattern<CudaExpression>,
    /// Of none it is a comma.
    pub operator: Option<CudaBinary>,
    /// What it begins with.
    pub first: Option<Box<CudaExpression>>,
    /// Is the last pair computed first?
    pub is_from_right: bool,
}

/// `[=](int i) { .. }`.
#[derive(Debug, Clone)]
pub(crate) struct LambdaTree {
    /// Its `operator()`.
    pub function: Rc<FunctionTree>,
    pub captures: Vec<CaptureTree>,
    /// Is it `[]`, which is a function as well?
    pub is_plain: bool,
    /// May it change the variables that it has copies of?
    pub is_mutable: bool,
    /// Are variables that are not named copied (`=`), or referred to (`&`, or neither)?
    pub copies: bool,
    /// `[*this]`: is the structure around it copied?
    pub copies_this: bool,
    /// The names in its body.
    pub words: Vec<Rc<str>>,
}

/// A variable that a lambda names in front of its parameters.
#[derive(Debug, Clone)]
pub(crate) struct CaptureTree {
    pub name: Rc<str>,
    pub is_reference: bool,
    pub value: Option<CudaExpression>,
}

#[derive(Debug, Clone)]
pub(crate) struct CudaStatement {
    pub what: CudaStatementKind,
    pub at: CudaSpan,
}

#[derive(Debug, Clone)]
pub(crate) enum CudaStatementKind {
    Empty,
    Block(Vec<CudaStatement>),
    Variables(Vec<VariableTree>),
    Expression(CudaExpression),
    /// With a declaration in front of the condition, where there is one.
    If {
        /// `if constexpr`: the other branch need not be understood.
        is_computed: bool,
        first: Option<Box<CudaStatement>>,
        condition: CudaExpression,
        then: Box<CudaStatement>,
        otherwise: Option<Box<CudaStatement>>,
    },
    While(CudaExpression, Box<CudaStatement>),
    DoWhile(Box<CudaStatement>, CudaExpression),
    For {
        first: Option<Box<CudaStatement>>,
        condition: Option<CudaExpression>,
        step: Option<CudaExpression>,
        body: Box<CudaStatement>,
    },
    Switch(CudaExpression, Box<CudaStatement>),
    Range(RangeTree),
    Case(CudaExpression),
    Default,
    Break,
    Continue,
    Return(Option<CudaExpression>),
    Assembly(AssemblyTree),
    Alias(Rc<str>, TypeTree),
    /// `static_assert`.
    Asserted(CudaExpression),
    /// `using a::f;`
    Taken(NamePath),
    /// `using namespace a;`
    NamespaceTaken(Vec<Rc<str>>),
    /// `namespace b = a;`
    NamespaceNamed(Rc<str>, Vec<Rc<str>>),
    Goto(Rc<str>),
    Label(Rc<str>),
    /// Several that have no scope of their own.
    Together(Vec<CudaStatement>),
}

/// A loop over a range, which has a name: as it is over an array, and over what has a beginning and
/// an end.
#[derive(Debug, Clone)]
pub(crate) struct RangeTree {
    pub range: CudaExpression,
    pub by_index: Box<CudaStatement>,
    pub by_iterator: Box<CudaStatement>,
}

/// Inline PTX.
#[derive(Debug, Clone)]
pub(crate) struct AssemblyTree {
    pub text: String,
    pub outputs: Vec<(Rc<str>, CudaExpression)>,
    pub inputs: Vec<(Rc<str>, CudaExpression)>,
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Storage {
    #[default]
    Automatic,
    Shared,
    Constant,
    Device,
}

#[derive(Debug, Clone)]
pub(crate) enum InitialTree {
    Value(CudaExpression),
    Arguments(Vec<CudaExpression>),
    List(Vec<CudaExpression>),
}

#[derive(Debug, Clone)]
pub(crate) struct VariableTree {
    pub name: Rc<str>,
    pub ty: TypeTree,
    pub initial: Option<InitialTree>,
    pub storage: Storage,
    pub is_extern: bool,
    pub is_constant: bool,
    /// `mutable`
    pub is_mutable: bool,
    /// Is it computed when the program is compiled (`constexpr`)?
    pub is_computed: bool,
    pub alignment: Option<Box<CudaExpression>>,
    /// How many bits of its type a member has.
    pub bits: Option<Box<CudaExpression>>,
    /// The parameters of a constant that is a template.
    pub template: Option<Rc<[TemplateParameter]>>,
    pub at: CudaSpan,
}

#[derive(Debug, Clone)]
pub(crate) enum TemplateParameter {
    Type(Rc<str>, Option<TypeTree>),
    Value(Rc<str>, TypeTree, Option<CudaExpression>),
    /// Any number of types.
    Types(Rc<str>),
    /// Any number of numbers.
    Values(Rc<str>, TypeTree),
    Template(Rc<str>, Option<NamePath>),
}

impl TemplateParameter {
    pub fn name(&self) -> &Rc<str> {
        match self {
            Self::Type(name, _)
            | Self::Value(name, ..)
            | Self::Types(name)
            | Self::Values(name, _)
            | Self::Template(name, _) => name,
        }
    }

    pub fn is_type(&self) -> bool {
        matches!(self, Self::Type(..) | Self::Types(_))
    }

    pub fn is_pack(&self) -> bool {
        matches!(self, Self::Types(_) | Self::Values(..))
    }

    /// What it is called within its own template: `T`, or `Ts...` of any number.
    pub fn as_argument(&self, at: CudaSpan) -> TemplateArgument {
        let name = self.name().clone();
        let path = NamePath { parts: vec![NamePart { name: name.clone(), arguments: None }], at };
        let words: Rc<[Rc<str>]> = [name].into();
        match self {
            Self::Type(..) | Self::Template(..) => TemplateArgument::Type(TypeTree::Named(path)),
            Self::Types(_) => {
                let pattern = Rc::new(TypeTree::Named(path));
                TemplateArgument::Type(TypeTree::Pack(PackPattern { pattern, words, number: None }))
            }
            Self::Value(..) => {
                TemplateArgument::Value(CudaExpression { what: ExpressionKind::Name(path), at })
            }
            Self::Values(..) => {
                let pattern = Rc::new(CudaExpression { what: ExpressionKind::Name(path), at });
                let what = ExpressionKind::Pack(PackPattern { pattern, words, number: None });
                TemplateArgument::Value(CudaExpression { what, at })
            }
        }
    }

    /// Of `Types` and `Values` the parameter for one of their elements, under the same name; any
    /// other is as it was.
    pub fn element(&self) -> Self {
        match self {
            Self::Types(name) => Self::Type(name.clone(), None),
            Self::Values(name, ty) => Self::Value(name.clone(), ty.clone(), None),
            other => other.clone(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ParameterTree {
    pub name: Rc<str>,
    pub ty: TypeTree,
    pub default: Option<CudaExpression>,
    /// Is it any number of them?
    pub is_pack: bool,
    /// Is it `__grid_constant__`: no thread has a copy of its own?
    pub is_grid_constant: bool,
    /// What its type must be, in front of `auto`.
    pub concept: Option<NamePath>,
    /// `...`: whatever is given, and nobody looks at it.
    pub is_any: bool,
    pub at: CudaSpan,
}

/// For which objects a method is, behind its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ObjectTree {
    pub is_constant: bool,
    pub is_volatile: bool,
    /// `&`
    pub is_left: bool,
    /// `&&`
    pub is_right: bool,
}

/// What a function is to its structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionRole {
    Plain,
    Constructor,
    Destructor,
    /// `operator T`.
    Conversion,
}

#[derive(Debug, Clone)]
pub(crate) struct FunctionTree {
    pub name: Rc<str>,
    pub namespace: Rc<[Rc<str>]>,
    pub template: Option<Rc<[TemplateParameter]>>,
    pub is_kernel: bool,
    /// May it run on the GPU?
    pub is_device: bool,
    pub is_static: bool,
    /// May no conversion that nobody writes use it (`explicit`)?
    pub is_explicit: bool,
    /// What a method says of the object that it is called for.
    pub object: ObjectTree,
    pub role: FunctionRole,
    pub result: TypeTree,
    pub parameters: Vec<ParameterTree>,
    /// The tokens of what initialises members, and of the body with its braces.
    pub initialisers: Option<(usize, usize)>,
    pub body: Option<(usize, usize)>,
    pub is_defaulted: bool,
    /// `__launch_bounds__`.
    pub most_threads: Option<CudaExpression>,
    /// Sizes of a cluster.
    pub cluster: Vec<CudaExpression>,
    /// With which arguments it takes the place of a template.
    pub specialises: Option<Vec<TemplateArgument>>,
    /// The arguments of the structure's template that it is a member of, where it is defined
    /// outside (`S<int>::f`).
    pub of_owner: Option<Vec<TemplateArgument>>,
    /// The names of the parameters of the templates around, of a member that is a template itself
    /// and is defined outside.
    pub names_of_owners: Rc<[Rc<str>]>,
    /// What must be true of the arguments of its template.
    pub constraints: Rc<[CudaExpression]>,
    pub at: CudaSpan,
}

impl FunctionTree {
    /// Does it take any number of arguments?
    pub fn takes_any_number(&self) -> bool {
        self.parameters.last().is_some_and(|p| p.is_pack)
    }

    /// May so many arguments be given?
    pub fn takes(&self, count: usize) -> bool {
        let least = self.parameters.iter().filter(|p| p.default.is_none() && !p.is_pack).count();
        least <= count && (count <= self.parameters.len() || self.takes_any_number())
    }
}

#[derive(Debug, Clone)]
pub(crate) struct StructureTree {
    pub name: Rc<str>,
    pub namespace: Rc<[Rc<str>]>,
    pub template: Option<Rc<[TemplateParameter]>>,
    pub is_union: bool,
    pub bases: Vec<TypeTree>,
    pub fields: Vec<VariableTree>,
    /// Members that are constants of all.
    pub constants: Vec<VariableTree>,
    pub methods: Vec<Rc<FunctionTree>>,
    pub aliases: Vec<(Rc<str>, TypeTree)>,
    /// `using B::f`: what it has of its bases beside its own.
    pub taken: Vec<NamePath>,
    /// Enumerations within it, whose constants are its own.
    pub enumerations: Vec<Rc<EnumerationTree>>,
    pub alignment: Option<CudaExpression>,
    /// Its first virtual function: objects of it know their type, and calls go by that.
    pub virtual_at: Option<CudaSpan>,
    /// With which arguments it takes the place of a template; they may be patterns of its own
    /// parameters.
    pub specialises: Option<Vec<TemplateArgument>>,
    /// What must be true of the arguments of its template.
    pub constraints: Rc<[CudaExpression]>,
    pub at: CudaSpan,
}

#[derive(Debug, Clone)]
pub(crate) struct EnumerationTree {
    pub is_scoped: bool,
    pub base: Option<TypeTree>,
    pub constants: Vec<(Rc<str>, Option<CudaExpression>)>,
}
