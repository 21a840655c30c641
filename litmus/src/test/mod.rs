//! The syntax tree of a litmus test: what the readers produce, the printer writes and the unfolding
//! runs.
//!
//! Names stay names here (this is syntax); [`crate::unfold`] resolves them to indices.

mod access;
mod asynchronous;
mod c;
mod c_type;
mod condition;
mod division;
mod fence;
mod function;
mod meeting;
mod multimem;
mod number;
mod place;
mod ptx;
mod scalar;
mod sequencing;
mod thread_id;
mod types;

pub use access::{
    Access, AccessOrder, Address, AssemblyWidth, Base, CacheOperator, Space, TestOperand,
};
pub use asynchronous::{
    AsyncAction, AsyncCompletion, AsyncFamily, AsyncGroupAction, AsyncOperation, AwaitedPhase,
    MbarrierAction, MbarrierOperation, TensormapOperation,
};
pub use c::{
    AtomicCall, AtomicFunction, BinaryOperator, CMemoryOrder, CParameter, CScope, ExpectedPlace,
    Expression, Statement, StatementKind, UnaryOperator,
};
pub use c_type::{CInteger, CSpace, CType};
pub use condition::{Condition, ConditionOperand, Proposition, Quantifier, Variable};
pub use division::{apart, divisions};
pub use fence::{BarrierMode, ClusterBarrier, FenceOrder, MembarLevel, ProxyFenceKind};
pub use function::{AtomFunction, LocalFunction};
pub use margay_ptx::effect::NumberComparison;
pub use meeting::{HOST, LANES, LaneExchange, LaunchOrder, WarpMeeting};
pub use multimem::{MultimemAction, MultimemOperation};
pub use number::Integer;
pub use place::Place;
pub use ptx::{AtomInstruction, Guard, Operation, TestInstruction};
pub use scalar::{Type, TypeKind};
pub use sequencing::{Evaluations, Sequencing};
pub use thread_id::ThreadId;
pub use types::AskedCondition;

use margay_models::execution::{Placement, Proxy, Scope};
use margay_models::signature::{Architecture, Signature};

/// The syntax of a test, and with it the kind of machine that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `PTX name`: one column for each thread, as Dartagnan reads it.
    Ptx,
    /// `GPU_PTX name`: the form of the 2015 paper (its Fig. 12), with typed registers, scope tree
    /// and memory map.
    GpuPtx,
    /// `GENERIC name`: the tabular form without orders and scopes, for models such as SC and TSO.
    Generic,
    /// `C name`: herd's C, with OpenCL's scopes.
    C,
    /// `NAME name` with the name of an architecture that is a text: the tabular form with its
    /// mnemonics.
    Text(Architecture),
}

impl Dialect {
    /// The first word of a test.
    pub fn header(self) -> &'static str {
        match self {
            Self::Ptx => "PTX",
            Self::GpuPtx => "GPU_PTX",
            Self::Generic => "GENERIC",
            Self::C => "C",
            Self::Text(architecture) => architecture.word(),
        }
    }

    /// Where a thread runs of which nothing is said: alone in every group but that of a gpu (an
    /// agent).
    fn alone(self, thread: ThreadId) -> Placement {
        let ptx = Placement { cluster: thread.0, cta: thread.0, ..Placement::default() };
        let Self::Text(architecture) = self else { return ptx };
        let below = architecture.scopes(true).iter().filter(|&&scope| scope < Scope::Gpu);
        below.fold(Placement::default(), |place, &scope| place.with_number(scope, thread.0))
    }

    /// The executions of such a test.
    pub fn signature(self) -> Signature {
        match self {
            Self::C => Signature::C,
            Self::Ptx | Self::GpuPtx => Signature::PTX,
            Self::Generic => Signature::PLAIN,
            Self::Text(architecture) => architecture,
        }
    }

    /// The syntax in which tests of these executions are written.
    pub fn of(signature: Signature) -> Self {
        match signature.front_end() {
            Some("c") => Self::C,
            Some("ptx") => Self::Ptx,
            Some(_) => Self::Generic,
            None => Self::Text(signature),
        }
    }
}

/// What a location or register holds at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InitialValue {
    /// A number.
    Integer(i64),
    /// The address of a location, by name.
    AddressOf(String),
}

/// A second name for the memory of another location: `y @ generic aliases x`. What it names may be
/// such a name itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// How memory is accessed through the name.
    pub proxy: Proxy,
    /// The location that it is another name for.
    pub of: String,
}

/// What a location's name stands for (PTX ISA 8.2.2, 8.6), by positions of locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedLocation {
    /// The name that has the generic address: the name itself, unless it is one of a surface, a
    /// texture or a constant; then that of what it names.
    pub generic: usize,
    /// The name that has the memory: the end of the chain of aliases.
    pub physical: usize,
}

/// The array and the number of an element, from its name `x[1]`. Arrays are declared element by
/// element, in order.
pub fn element(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.split_once('[')?;
    Some((array, index.parse().ok()?))
}

/// A memory location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationDeclaration {
    /// The name; `x[1]` for the element of an array.
    pub name: String,
    /// The initial value; `None` where the text gives none (the tests then start from 0).
    pub value: Option<InitialValue>,
    /// The location that it is another name for.
    pub alias: Option<Alias>,
    /// The state space of the 2015 memory map.
    pub space: Option<Space>,
    /// How wide it is, or an element of the array, where a test in assembly declares a type.
    pub width: AssemblyWidth,
    /// Is it an mbarrier? Its initial value is the number of arrivals that it was initialised for;
    /// without one it is not initialised.
    pub mbarrier: bool,
    /// Where it is declared.
    pub place: Place,
}

/// A register of a thread that the initial state mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterDeclaration {
    pub thread: ThreadId,
    pub name: String,
    /// Its type (2015 form).
    pub ty: Option<Type>,
    /// Its initial value; `None` where it is only declared.
    pub value: Option<InitialValue>,
    /// Where it is declared.
    pub place: Place,
}

/// The program of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A column of instructions ([`Dialect::Ptx`], [`Dialect::GpuPtx`], [`Dialect::Generic`],
    /// [`Dialect::Text`]).
    Instructions(Vec<TestInstruction>),
    /// Statements ([`Dialect::C`]).
    Statements(Vec<Statement>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Where it runs; `None` where the text does not say ([`Test::placement`] then gives each
    /// thread a cta of its own on gpu 0).
    pub placement: Option<Placement>,
    /// The pointer parameters of a C thread.
    pub parameters: Vec<CParameter>,
    /// The program.
    pub body: Body,
    /// Where its header stands.
    pub place: Place,
}

/// A litmus test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The syntax.
    pub dialect: Dialect,
    /// In C, whose rules of evaluation it follows.
    pub sequencing: Sequencing,
    /// The name, one word.
    pub name: String,
    /// The description, without the quotation marks.
    pub description: Option<String>,
    /// The locations, in order of declaration.
    pub locations: Vec<LocationDeclaration>,
    /// The registers that the initial state mentions.
    pub registers: Vec<RegisterDeclaration>,
    pub threads: Vec<Thread>,
    /// What `locations [..]` asks to show.
    pub observed: Vec<Variable>,
    /// Only executions that satisfy `filter (..)` count.
    pub filter: Option<Proposition>,
    /// The question.
    pub condition: Condition,
}

impl Test {
    /// Where a thread runs, also if the text does not say.
    pub fn placement(&self, thread: ThreadId) -> Placement {
        let alone = self.dialect.alone(thread);
        self.threads.get(thread.index()).and_then(|t| t.placement).unwrap_or(alone)
    }

    /// The location of that name, by its position; the name of an array means its first element.
    pub fn location(&self, name: &str) -> Option<usize> {
        let first = || self.locations.iter().position(|l| element(&l.name) == Some((name, 0)));
        self.locations.iter().position(|l| l.name == name).or_else(first)
    }

    /// What a name stands for; `None` if it is an alias of itself, or of a location that does not
    /// exist.
    pub fn named(&self, location: usize) -> Option<NamedLocation> {
        let mut at = location;
        let mut generic = None;
        for _ in 0..self.locations.len() {
            let further = match &self.locations.get(at)?.alias {
                // `x @ surface aliases x` says how x is accessed.
                Some(alias) => Some(self.location(&alias.of)?).filter(|&of| of != at),
                None => None,
            };
            let proxied = self.locations[at]
                .alias
                .as_ref()
                .is_some_and(|alias| alias.proxy != Proxy::Generic);
            let Some(further) = further else {
                return Some(NamedLocation { generic: generic.unwrap_or(at), physical: at });
            };
            if !proxied {
                generic = generic.or(Some(at));
            }
            at = further;
        }
        None
    }

    /// The instructions of a thread; none of one in C.
    pub fn instructions(&self, thread: ThreadId) -> &[TestInstruction] {
        match self.threads.get(thread.index()).map(|t| &t.body) {
            Some(Body::Instructions(instructions)) => instructions,
            _ => &[],
        }
    }
}
