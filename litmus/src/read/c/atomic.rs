//! Calls of atomic operations and fences: C11's functions and C++'s methods.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Scope;

use super::CReader;
use super::names::OrderOrScope;
use super::refused;
use super::spaces::Flags;
use crate::test::{
    AtomicCall, AtomicFunction, BinaryOperator, CMemoryOrder, CScope, ExpectedPlace, Expression,
    StatementKind,
};

/// The atomic operations by their name without `atomic_` and `_explicit`, with the number of values
/// they take.
const OPERATIONS: [(&str, usize); 13] = [
    ("load", 0),
    ("store", 1),
    ("exchange", 1),
    ("fetch_add", 1),
    ("fetch_sub", 1),
    ("fetch_and", 1),
    ("fetch_or", 1),
    ("fetch_xor", 1),
    ("fetch_min", 1),
    ("fetch_max", 1),
    ("compare_exchange_strong", 2),
    ("compare_exchange_weak", 2),
    ("init", 1),
];

/// CUDA's built-in functions without `_block` and `_system`, with the operations that they are and
/// the number of values they take. They are relaxed (CUDA C++ Programming Guide, Atomic Functions).
const BUILT_IN: [(&str, &str, usize); 11] = [
    ("atomicAdd", "fetch_add", 1),
    ("atomicSub", "fetch_sub", 1),
    ("atomicExch", "exchange", 1),
    ("atomicMin", "fetch_min", 1),
    ("atomicMax", "fetch_max", 1),
    ("atomicInc", "inc", 1),
    ("atomicDec", "dec", 1),
    ("atomicCAS", "cas", 2),
    ("atomicAnd", "fetch_and", 1),
    ("atomicOr", "fetch_or", 1),
    ("atomicXor", "fetch_xor", 1),
];

/// Every function, for the nearest one to a wrong one.
const KNOWN: [&str; 20] = [
    "atomicCAS",
    "atomicExch",
    "atomicAdd",
    "atomicInc",
    "atomic_load_explicit",
    "atomic_store_explicit",
    "atomic_exchange_explicit",
    "atomic_fetch_add_explicit",
    "atomic_fetch_sub_explicit",
    "atomic_fetch_and_explicit",
    "atomic_fetch_or_explicit",
    "atomic_fetch_xor_explicit",
    "atomic_compare_exchange_strong_explicit",
    "atomic_compare_exchange_weak_explicit",
    "atomic_thread_fence",
    "atomic_work_item_fence",
    "atomic_load",
    "atomic_store",
    "atomic_exchange",
    "atomic_fetch_add",
];

/// What is said behind the values of a call: its order (of a compare-exchange those of success and
/// failure), and its scope.
#[derive(Default)]
struct Ending {
    orders: Vec<CMemoryOrder>,
    scope: Option<CScope>,
}

impl CReader<'_, '_> {
    /// Reads a fence if one is called here; the name is taken already.
    pub(super) fn fence(
        &mut self,
        name: &str,
        span: Span,
    ) -> Result<Option<StatementKind>, Diagnostic> {
        let cuda = match name {
            "__threadfence_block" => Some(Scope::Cta),
            "__threadfence" => Some(Scope::Gpu),
            "__threadfence_system" => Some(Scope::Sys),
            _ => None,
        };
        if let Some(scope) = cuda {
            self.cursor.expect('(')?;
            self.cursor.expect(')')?;
            return Ok(Some(StatementKind::Fence {
                order: CMemoryOrder::SeqCst,
                scope: Some(scope.into()),
            }));
        }
        if name != "atomic_thread_fence" && name != "atomic_work_item_fence" {
            return Ok(None);
        }
        self.cursor.expect('(')?;
        // The first argument of OpenCL's form: `CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE`.
        if let Some(flags) = self.flags()? {
            self.fences.push((flags, span));
            if !self.cursor.is(')') {
                self.cursor.expect(',')?;
            }
        }
        let ending = self.ending(self.cursor.is(')'))?;
        match ending.orders.as_slice() {
            [order] => Ok(Some(StatementKind::Fence { order: *order, scope: ending.scope })),
            [] => {
                Ok(Some(StatementKind::Fence { order: CMemoryOrder::SeqCst, scope: ending.scope }))
            }
            _ => Err(self.cursor.error(
                "a fence has one memory order",
                self.cursor.previous(),
                "more than one",
            )),
        }
    }

    /// `CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE`, if that is next.
    fn flags(&mut self) -> Result<Option<Flags>, Diagnostic> {
        let mut found: Option<Flags> = None;
        while let Some(word) = self.cursor.peek_word().filter(|w| w.starts_with("CLK_")) {
            let flags = found.get_or_insert_default();
            match word {
                "CLK_GLOBAL_MEM_FENCE" => flags.global = true,
                "CLK_LOCAL_MEM_FENCE" => flags.local = true,
                "CLK_IMAGE_MEM_FENCE" => {}
                _ => {
                    let known =
                        ["CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE"];
                    return Err(self.cursor.unknown("flag", word, self.cursor.span(), known));
                }
            }
            self.cursor.advance();
            if !self.cursor.eat('|') {
                break;
            }
        }
        Ok(found)
    }

    /// Reads a call of an atomic function; the name is taken already.
    pub(super) fn atomic_function(
        &mut self,
        name: &str,
        span: Span,
    ) -> Result<Expression, Diagnostic> {
        if let Some(error) = refused::function(self.cursor, name, span) {
            return Err(error);
        }
        if let Some(call) = self.built_in(name, span)? {
            return Ok(call);
        }
        let name = match name {
            // herd's names.
            "SCAS" => "atomic_compare_exchange_strong",
            "WCAS" => "atomic_compare_exchange_weak",
            other => other,
        };
        let explicit = name.ends_with("_explicit");
        let short = name.strip_suffix("_explicit").unwrap_or(name).strip_prefix("atomic_");
        let operation = short.and_then(|n| OPERATIONS.iter().find(|(known, _)| *known == n));
        let Some(&(operation, values)) = operation else {
            return Err(self.cursor.unknown("function", name, span, KNOWN));
        };
        self.cursor.expect('(')?;
        let address = self.expression()?;
        let (expected, values) = self.values(operation, values, true)?;
        let ending = self.ending(self.cursor.is(')'))?;
        if explicit && ending.orders.is_empty() {
            return Err(self.cursor.error(
                format!("`{name}` needs a memory order"),
                span.to(self.cursor.previous()),
                "no memory order",
            ));
        }
        if !explicit && (!ending.orders.is_empty() || ending.scope.is_some()) {
            let error = self.cursor.error(
                format!("`{name}` takes no memory order"),
                span,
                "without `_explicit`",
            );
            return Err(error.help(format!("write `{name}_explicit`")));
        }
        self.call(operation, (expected, values), address, &ending, span)
    }

    /// Reads a call of one of CUDA's built-in functions, if the name is that of one.
    fn built_in(&mut self, name: &str, span: Span) -> Result<Option<Expression>, Diagnostic> {
        let (short, scope) = match (name.strip_suffix("_block"), name.strip_suffix("_system")) {
            (Some(short), _) => (short, Scope::Cta),
            (_, Some(short)) => (short, Scope::Sys),
            _ => (name, Scope::Gpu),
        };
        let Some(&(_, operation, count)) = BUILT_IN.iter().find(|(known, ..)| *known == short)
        else {
            return Ok(None);
        };
        self.cursor.expect('(')?;
        let address = self.expression()?;
        let mut values = Vec::new();
        for _ in 0..count {
            self.cursor.expect(',')?;
            values.push(self.expression()?);
        }
        self.cursor.expect(')')?;
        let ending = Ending { orders: vec![CMemoryOrder::Relaxed], scope: Some(scope.into()) };
        self.call(operation, (None, values), address, &ending, span).map(Some)
    }

    /// Reads a method call such as `.store(1, cuda::std::memory_order_release)`; name and point are
    /// taken already.
    pub(super) fn method(
        &mut self,
        name: &str,
        span: Span,
        address: Expression,
        scope: Option<CScope>,
    ) -> Result<Expression, Diagnostic> {
        let Some(&(operation, values)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
            return Err(self.cursor.unknown(
                "method",
                name,
                span,
                OPERATIONS.iter().map(|(n, _)| *n),
            ));
        };
        self.cursor.expect('(')?;
        let (expected, values) = self.values(operation, values, false)?;
        // The scope is that of the object.
        let mut ending = Ending { scope, ..self.ending(true)? };
        // Without an order it is seq_cst; a scope wants the order written out.
        if ending.orders.is_empty() && scope.is_some() {
            ending.orders.push(CMemoryOrder::SeqCst);
        }
        let mut call = self.call(operation, (expected, values), address, &ending, span)?;
        if let Expression::Atomic(call) = &mut call {
            call.object_first = call.address.accesses() && call.function.has_accessing_operands();
        }
        Ok(call)
    }

    /// The values of a call, after its address (`comma`: with a comma before the first one, as
    /// functions have it), and where the expected value of a compare-exchange is, which comes
    /// first.
    fn values(
        &mut self,
        operation: &str,
        count: usize,
        comma: bool,
    ) -> Result<(Option<ExpectedPlace>, Vec<Expression>), Diagnostic> {
        let (mut expected, mut values) = (None, Vec::new());
        for n in 0..count {
            if comma || n > 0 {
                self.cursor.expect(',')?;
            }
            if operation.starts_with("compare") && n == 0 {
                expected = Some(self.expected(comma)?);
            } else {
                values.push(self.expression()?);
            }
        }
        Ok((expected, values))
    }

    /// `&r0` or `y` for a function, which takes a pointer; `r0` or `*y` for a method, which takes
    /// what it points to (tests write `&r0` there, too, and `r0` for functions).
    fn expected(&mut self, pointer: bool) -> Result<ExpectedPlace, Diagnostic> {
        let span = self.cursor.span();
        let address = self.cursor.eat('&');
        if address
            && let Some(name) = self.cursor.peek_word().filter(|name| !self.is_location(name))
            && !self.cursor.is_at(1, '(')
        {
            self.cursor.advance();
            return Ok(ExpectedPlace::Variable(name.to_string()));
        }
        let value = if address { self.unary()? } else { self.expression()? };
        match value {
            Expression::Dereference(place) if address || !pointer => {
                Ok(ExpectedPlace::Memory(*place))
            }
            Expression::Name(name)
                if !(self.is_location(&name) || pointer && self.pointers.contains(&name)) =>
            {
                Ok(ExpectedPlace::Variable(name))
            }
            Expression::Name(_) => Ok(ExpectedPlace::Memory(value)),
            value if pointer && !address && !matches!(value, Expression::Integer(_)) => {
                Ok(ExpectedPlace::Memory(value))
            }
            _ => {
                let error = self.cursor.error(
                    "the expected value must be in a variable or in memory",
                    span,
                    "a value",
                );
                Err(error.help("write the name of a local variable, or `*x`"))
            }
        }
    }

    /// Orders and scope up to the closing parenthesis. `first`: nothing stands before them, so
    /// there is no comma.
    fn ending(&mut self, mut first: bool) -> Result<Ending, Diagnostic> {
        let mut ending = Ending::default();
        loop {
            if self.cursor.eat(')') {
                return Ok(ending);
            }
            if !self.cursor.eat(',') && !first && self.order_is_not_next() {
                return Err(self.cursor.expected("`,` or `)`"));
            }
            first = false;
            let span = self.cursor.span();
            match self.order_or_scope()? {
                Some(OrderOrScope::Order(order))
                    if ending.scope.is_none() && ending.orders.len() < 2 =>
                {
                    ending.orders.push(order)
                }
                Some(OrderOrScope::Scope(scope)) if ending.scope.is_none() => {
                    ending.scope = Some(scope)
                }
                Some(_) => {
                    return Err(self.cursor.error(
                        "one argument too many",
                        span,
                        "not expected here",
                    ));
                }
                None => return Err(self.cursor.expected("a memory order or scope")),
            }
        }
    }

    /// At the start of an ending: is there no order or scope right here?
    fn order_is_not_next(&mut self) -> bool {
        let here = self.cursor.position();
        let next = matches!(self.order_or_scope(), Ok(Some(_)) | Err(_));
        self.cursor.go_to(here);
        !next
    }

    /// What a call does, from its parts.
    fn call(
        &mut self,
        operation: &str,
        (expected, values): (Option<ExpectedPlace>, Vec<Expression>),
        address: Expression,
        ending: &Ending,
        span: Span,
    ) -> Result<Expression, Diagnostic> {
        let (order, scope) = (ending.orders.first().copied(), ending.scope);
        let mut values = values.into_iter();
        let mut value = || values.next().unwrap_or(Expression::Integer(0));
        let exchange = operation.starts_with("compare");
        if ending.orders.len() > 1 && !exchange {
            return Err(self.cursor.error(
                format!("`{operation}` has one memory order"),
                span,
                "two are given",
            ));
        }
        let fetch =
            |operator: BinaryOperator, value: Expression| AtomicFunction::Fetch(operator, value);
        let function = match operation {
            "load" => AtomicFunction::Load,
            "store" => AtomicFunction::Store(value()),
            "exchange" => AtomicFunction::Exchange(value()),
            "fetch_add" => fetch(BinaryOperator::Add, value()),
            "fetch_sub" => fetch(BinaryOperator::Subtract, value()),
            "fetch_and" => fetch(BinaryOperator::And, value()),
            "fetch_or" => fetch(BinaryOperator::Or, value()),
            "fetch_xor" => fetch(BinaryOperator::Xor, value()),
            "fetch_min" => AtomicFunction::FetchMin(value()),
            "fetch_max" => AtomicFunction::FetchMax(value()),
            "inc" => AtomicFunction::Increment(value()),
            "dec" => AtomicFunction::Decrement(value()),
            "cas" => AtomicFunction::CompareAndSwap { expected: value(), desired: value() },
            "compare_exchange_strong" | "compare_exchange_weak" => {
                let expected =
                    expected.ok_or_else(|| self.cursor.expected("the expected value"))?;
                let failure = ending.orders.get(1).copied();
                if matches!(failure, Some(CMemoryOrder::Release | CMemoryOrder::AcqRel)) {
                    let warning = Diagnostic::warning(
                        "a failed compare-exchange is a load: it releases nothing",
                    );
                    let warning = warning.at(
                        self.cursor.file,
                        span.to(self.cursor.previous()),
                        "with this order on failure",
                    );
                    self.warnings.push(warning.help(
                        "C11 has no such order (7.17.7.4); it is read as what is left for a load",
                    ));
                }
                AtomicFunction::CompareExchange {
                    weak: operation.ends_with("weak"),
                    expected,
                    desired: value(),
                    failure,
                }
            }
            _ => {
                return Err(self.cursor.error(
                    format!("`atomic_{operation}` is not supported in a thread"),
                    span,
                    "give initial values in the initial state",
                ));
            }
        };
        let wrong = match (&function, order) {
            (AtomicFunction::Load, Some(CMemoryOrder::Release | CMemoryOrder::AcqRel)) => {
                Some("a load cannot release")
            }
            (AtomicFunction::Store(_), Some(CMemoryOrder::Acquire | CMemoryOrder::AcqRel)) => {
                Some("a store cannot acquire")
            }
            _ => None,
        };
        match wrong {
            Some(wrong) => Err(self.cursor.error(
                wrong,
                span.to(self.cursor.previous()),
                "with this memory order",
            )),
            None => Ok(Expression::Atomic(Box::new(AtomicCall {
                function,
                address,
                order,
                scope,
                object_first: false,
            }))),
        }
    }
}
