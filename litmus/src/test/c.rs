//! Scoped C: the fragment of C11 that herd's litmus tests use, with OpenCL's scopes. The CUDA
//! spelling reads into the same tree.

use margay_models::execution::{Order, Scope};

use super::{CInteger, CSpace, CType, NumberComparison, Place};

/// A C++ memory order. (`consume` is read as acquire.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CMemoryOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl CMemoryOrder {
    pub const ALL: [CMemoryOrder; 5] =
        [Self::Relaxed, Self::Acquire, Self::Release, Self::AcqRel, Self::SeqCst];

    /// The strongest order that a compare-exchange of this order may have where it fails (C++20
    /// [atomics.types.operations]).
    pub fn on_failure(self) -> CMemoryOrder {
        match self {
            Self::SeqCst => Self::SeqCst,
            Self::Acquire | Self::AcqRel => Self::Acquire,
            Self::Relaxed | Self::Release => Self::Relaxed,
        }
    }

    /// What is left of it for a load: its acquire part.
    pub fn of_load(self) -> CMemoryOrder {
        self.on_failure()
    }

    /// The order of its events.
    pub fn order(self) -> Order {
        match self {
            Self::Relaxed => Order::Rlx,
            Self::Acquire => Order::Acq,
            Self::Release => Order::Rel,
            Self::AcqRel => Order::AcqRel,
            Self::SeqCst => Order::Sc,
        }
    }

    /// The one whose events have this order; plain accesses have none.
    pub fn with_order(order: Order) -> Option<Self> {
        Self::ALL.into_iter().find(|memory_order| memory_order.order() == order)
    }

    /// The name without `memory_order_`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcqRel => "acq_rel",
            Self::SeqCst => "seq_cst",
        }
    }
}

/// A scope as C names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CScope {
    /// `memory_scope_work_item`: the thread alone (OpenCL C). Operations of it are atomic, and of
    /// no scope that another thread is in.
    WorkItem,
    /// The threads of a scope of the models.
    Threads(Scope),
}

impl CScope {
    /// The scope of its events, which is none that includes another thread for a work-item.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::WorkItem => None,
            Self::Threads(scope) => Some(scope),
        }
    }

    /// The scope of the events of an operation: that which is written, or the whole system.
    pub fn of_events(written: Option<CScope>) -> Option<Scope> {
        written.unwrap_or(Self::Threads(Scope::Sys)).scope()
    }
}

impl From<Scope> for CScope {
    fn from(scope: Scope) -> Self {
        Self::Threads(scope)
    }
}

/// A parameter `atomic_int* x`: the address of the location of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CParameter {
    /// What it points to.
    pub ty: CType,
    /// The memory that it points to, where that is written.
    pub space: Option<CSpace>,
    pub name: String,
}

/// Where the expected value of a compare-exchange is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedPlace {
    /// `&r0`: in a local variable.
    Variable(String),
    /// `e`: in memory, at this address. It is read before (a plain load), and written if the
    /// exchange fails (a plain store).
    Memory(Expression),
}

/// `-e`, `!e`, `~e`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`
    LogicalNot,
    /// `~`
    BitwiseNot,
}

impl UnaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Negate => "-",
            Self::LogicalNot => "!",
            Self::BitwiseNot => "~",
        }
    }
}

/// A binary operator of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `*`
    Multiply,
    /// `/`; by zero gives zero.
    Divide,
    /// `%`; by zero gives zero.
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `==` and its kin
    Compare(NumberComparison),
    /// `&`
    And,
    /// `^`
    Xor,
    /// `|`
    Or,
    /// `&&`; both sides are evaluated, which only matters if the right one accesses memory (an
    /// error then).
    LogicalAnd,
    /// `||`; as for `&&`.
    LogicalOr,
    /// The address of `a[b]`, where `a` accesses memory: then it matters that C++ sequences it
    /// before `b`. Else it is a sum.
    Subscript,
}

impl BinaryOperator {
    /// All that are written between two operands.
    pub const ALL: [BinaryOperator; 18] = [
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Add,
        Self::Subtract,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Compare(NumberComparison::Less),
        Self::Compare(NumberComparison::LessOrEqual),
        Self::Compare(NumberComparison::Greater),
        Self::Compare(NumberComparison::GreaterOrEqual),
        Self::Compare(NumberComparison::Equal),
        Self::Compare(NumberComparison::NotEqual),
        Self::And,
        Self::Xor,
        Self::Or,
        Self::LogicalAnd,
        Self::LogicalOr,
    ];

    pub fn symbol(self) -> &'static str {
        match self {
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Add | Self::Subscript => "+",
            Self::Subtract => "-",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Compare(comparison) => comparison.symbol(),
            Self::And => "&",
            Self::Xor => "^",
            Self::Or => "|",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
        }
    }

    /// How tightly it binds; higher is tighter (C11 6.5).
    pub fn precedence(self) -> u8 {
        match self {
            Self::Multiply | Self::Divide | Self::Remainder => 10,
            Self::Add | Self::Subtract | Self::Subscript => 9,
            Self::ShiftLeft | Self::ShiftRight => 8,
            Self::Compare(NumberComparison::Equal | NumberComparison::NotEqual) => 6,
            Self::Compare(_) => 7,
            Self::And => 5,
            Self::Xor => 4,
            Self::Or => 3,
            Self::LogicalAnd => 2,
            Self::LogicalOr => 1,
        }
    }
}

/// What an atomic call does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtomicFunction {
    /// `atomic_load`
    Load,
    /// `atomic_store`, of the value
    Store(Expression),
    /// `atomic_exchange`, with the value
    Exchange(Expression),
    /// `atomic_fetch_OP`, with the operand; the operator is one of `+ - & ^ |`
    Fetch(BinaryOperator, Expression),
    /// `atomic_fetch_min`
    FetchMin(Expression),
    /// `atomic_fetch_max`
    FetchMax(Expression),
    /// `atomic_compare_exchange_strong(x, &expected, desired)`; 1 on success, else 0, and
    /// `expected` takes the value read. A weak one may also fail without a reason.
    CompareExchange {
        /// `_weak`
        weak: bool,
        /// Where the expected value is.
        expected: ExpectedPlace,
        /// The new value.
        desired: Expression,
        /// The order on failure; `None` where it is not written.
        failure: Option<CMemoryOrder>,
    },
    /// `atomicCAS(x, expected, desired)` of CUDA: gives the old value.
    CompareAndSwap {
        /// The value that is exchanged.
        expected: Expression,
        /// The new value.
        desired: Expression,
    },
    /// `atomicInc(x, limit)` of CUDA: to 0 from the limit or above, else one more.
    Increment(Expression),
    /// `atomicDec(x, limit)` of CUDA: to the limit from 0 or above the limit, else one less.
    Decrement(Expression),
}

/// The expressions of an atomic function, shared or to be changed as the function is.
macro_rules! operands {
    ($function:expr) => {
        match $function {
            AtomicFunction::Load => Vec::new(),
            AtomicFunction::Store(e)
            | AtomicFunction::Exchange(e)
            | AtomicFunction::Fetch(_, e)
            | AtomicFunction::FetchMin(e)
            | AtomicFunction::FetchMax(e)
            | AtomicFunction::Increment(e)
            | AtomicFunction::Decrement(e) => vec![e],
            AtomicFunction::CompareExchange {
                expected: ExpectedPlace::Memory(address),
                desired,
                ..
            } => vec![address, desired],
            AtomicFunction::CompareExchange { desired, .. } => vec![desired],
            AtomicFunction::CompareAndSwap { expected, desired } => vec![expected, desired],
        }
    };
}

impl AtomicFunction {
    /// Is it one that only CUDA's built-in functions have, which are relaxed (CUDA C++ Programming
    /// Guide, Atomic Functions)?
    pub fn is_built_in(&self) -> bool {
        matches!(self, Self::CompareAndSwap { .. } | Self::Increment(_) | Self::Decrement(_))
    }

    /// The expressions in it, in the order in which they are evaluated.
    pub fn operands(&self) -> Vec<&Expression> {
        operands!(self)
    }

    /// The same, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Expression> {
        operands!(self)
    }
}

/// A call of an atomic operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomicCall {
    /// What it does.
    pub function: AtomicFunction,
    /// The pointer to the location.
    pub address: Expression,
    /// The order; `None` for the forms without `_explicit`, which are seq_cst.
    pub order: Option<CMemoryOrder>,
    /// The scope; `None` where it is not written, which means the whole system.
    pub scope: Option<CScope>,
    /// Is it a member call whose object and arguments access memory, so that it matters that the
    /// object comes first ([`super::Sequencing::Cpp17`])?
    pub object_first: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Integer(i64),
    /// A local variable, or a parameter (then its value is the address).
    Name(String),
    /// `*e`: a plain load.
    Dereference(Box<Expression>),
    /// `-e`
    Unary(UnaryOperator, Box<Expression>),
    /// `(int)e`
    Cast(CInteger, Box<Expression>),
    /// `a + b`
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `c ? a : b`
    Conditional(Box<[Expression; 3]>),
    /// An atomic operation.
    Atomic(Box<AtomicCall>),
}

impl Expression {
    /// Does it access memory?
    pub fn accesses(&self) -> bool {
        match self {
            Self::Integer(_) | Self::Name(_) => false,
            Self::Dereference(_) | Self::Atomic(_) => true,
            Self::Unary(_, e) | Self::Cast(_, e) => e.accesses(),
            Self::Binary(_, a, b) => a.accesses() || b.accesses(),
            Self::Conditional(parts) => parts.iter().any(Self::accesses),
        }
    }
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `int r0;`, `int r0 = e;` or `r0 = e;`
    Assign {
        /// With a type before it: this one.
        declares: Option<CInteger>,
        /// The variable.
        name: String,
        /// The value; `None` only with `declares`.
        value: Option<Expression>,
    },
    /// `*x = e;`: a plain store.
    Store {
        /// The pointer.
        address: Expression,
        value: Expression,
    },
    /// `*x += e;`, where the pointer or the operand accesses memory: each is evaluated once, and
    /// C++ sequences the operand before the pointer. Else it is a store of `*x + e`.
    Update {
        /// What is read and written: a [`Expression::Dereference`].
        target: Expression,
        /// `+` of `+=`
        operator: BinaryOperator,
        /// The operand.
        value: Expression,
    },
    /// `e;`: for what it does to memory.
    Evaluate(Expression),
    /// `atomic_thread_fence(memory_order_seq_cst, memory_scope_device);`
    Fence {
        order: CMemoryOrder,
        /// The scope; `None`: the whole system.
        scope: Option<CScope>,
    },
    /// `if (e) { .. } else { .. }`
    If {
        condition: Expression,
        /// Where it holds.
        then: Vec<Statement>,
        /// Where it does not.
        otherwise: Vec<Statement>,
    },
    /// `while (e) { .. }`
    While { condition: Expression, body: Vec<Statement> },
    /// `do { .. } while (e);`
    DoWhile { body: Vec<Statement>, condition: Expression },
    /// `for (int i = 0; i < 2; i++) { .. }`
    For {
        /// What is done before: assignments, stores and calls.
        before: Vec<Statement>,
        /// The condition; `None` where nothing is written, which is true.
        condition: Option<Expression>,
        /// What is done after each turn, also after `continue`.
        after: Vec<Statement>,
        body: Vec<Statement>,
    },
    /// `break;`: leaves the innermost loop.
    Break,
    /// `continue;`: ends this turn of the innermost loop.
    Continue,
    /// `return;`: ends the thread.
    Return,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands.
    pub place: Place,
}

impl From<StatementKind> for Statement {
    fn from(kind: StatementKind) -> Self {
        Self { kind, place: Place::default() }
    }
}
