//! The source: a kernel for each thread of the test, and one that starts them where the test says.

use std::fmt::Write;

use margay_litmus::test::{
    Access, AccessOrder, Address, AtomFunction, AtomInstruction, BarrierMode, Base, Body, Dialect,
    FenceOrder, InitialValue, LocalFunction, LocationDeclaration, Operation, Proposition, Space,
    Test, TestInstruction, TestOperand, ThreadId, Type, TypeKind, Variable,
};
use margay_models::execution::{Proxy, Scope};

use super::play::played;
use super::{SourceAccess, SourceAccessKind, SourceOrder, SourceScope, SourceThread};
use crate::emit::{EmissionError, EmissionFault};

/// A test as OpenCL C 2.0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenClSource {
    pub text: String,
    /// The threads of the test, in order.
    pub threads: Vec<SourceThread>,
}

fn refused(message: impl Into<String>) -> EmissionError {
    EmissionError { fault: EmissionFault::Test, message: message.into(), place: None }
}

/// Writes a test of PTX as OpenCL C. Weak accesses are plain ones, cache operators have no
/// counterpart, and `membar` is a seq_cst fence, as in PTX.
///
/// # Errors
/// What the test has that this source cannot say, and where.
pub fn source(test: &Test) -> Result<OpenClSource, EmissionError> {
    if !matches!(test.dialect, Dialect::Ptx | Dialect::GpuPtx) {
        return Err(refused(
            "only PTX tests, in tabular form or the form of 2015, become OpenCL C here",
        ));
    }
    let spaces = spaces(test)?;
    barriers(test)?;
    let mut text = head(test);
    let mut threads = Vec::new();
    for t in 0..test.threads.len() {
        let thread = ThreadWriter::write(test, ThreadId(t as u16), &spaces)?;
        let _ = writeln!(text, "\n{}", thread.text.trim_end());
        threads.push(SourceThread {
            name: format!("margay_P{t}"),
            accesses: thread.accesses,
            results: thread.results.len(),
        });
    }
    let _ = write!(text, "\n{}", played(test, &spaces, &threads));
    Ok(OpenClSource { text, threads })
}

/// The state space of each location.
fn spaces(test: &Test) -> Result<Vec<Space>, EmissionError> {
    let first = test.placement(ThreadId(0));
    let places = || (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16)));
    let mut spaces = Vec::new();
    for (location, integer) in test.locations.iter().zip(test.location_integers()) {
        let at =
            |message: String| EmissionError { place: Some(location.place.0), ..refused(message) };
        let name = &location.name;
        if location.alias.is_some() {
            return Err(at(format!(
                "`{name}` is another name of a location, which OpenCL C has not"
            )));
        }
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || location.mbarrier {
            return Err(at(format!("`{name}` is no single location of 32 bits")));
        }
        if integer.is_some_and(|integer| integer.bits != 32) {
            return Err(at(format!("`{name}` does not have 32 bits")));
        }
        initial(location.value.as_ref())
            .map_err(|error| at(format!("`{name}` at the start: {}", error.message)))?;
        spaces.push(location.space.unwrap_or(Space::Global));
    }
    if spaces.contains(&Space::Shared) && places().any(|place| !place.shares(Scope::Cta, first)) {
        return Err(refused(
            "a location is in shared memory, but the threads are in different ctas",
        ));
    }
    Ok(spaces)
}

/// OpenCL has one barrier in a work-group, and every work-item of it must come there.
fn barriers(test: &Test) -> Result<(), EmissionError> {
    let body = |t: usize| match &test.threads[t].body {
        Body::Instructions(body) => body.as_slice(),
        _ => &[],
    };
    let met = |t: usize| {
        body(t)
            .iter()
            .filter(|i| matches!(i.operation, Operation::Barrier { .. }))
            .collect::<Vec<_>>()
    };
    let written = |t: usize| met(t).into_iter().map(|i| i.operation.clone()).collect::<Vec<_>>();
    let place = |t: usize| test.placement(ThreadId(t as u16));
    for t in 0..test.threads.len() {
        for barrier in met(t) {
            let at =
                |message: &str| EmissionError { place: Some(barrier.place.0), ..refused(message) };
            let meets_all = matches!(
                barrier.operation,
                Operation::Barrier {
                    mode: BarrierMode::Sync,
                    scope: Scope::Cta,
                    instance: None,
                    barrier: TestOperand::Integer(_),
                    count: None
                }
            );
            if !meets_all {
                return Err(at(
                    "the barrier of OpenCL C has no number of threads, nobody only arrives there, and it reduces nothing",
                ));
            }
            let turns = |i: &TestInstruction| {
                use Operation::{BranchIf, Exit, Goto};
                matches!(i.operation, BranchIf { .. } | Goto(_) | Exit)
                    || matches!(i.operation, Operation::Barrier { .. }) && i.guard.is_some()
            };
            let same = |other: usize| {
                !place(other).shares(Scope::Cta, place(t)) || written(other) == written(t)
            };
            if body(t).iter().any(turns) || !(0..test.threads.len()).all(same) {
                return Err(at(
                    "all threads of a cta must come to the same barriers, on every way, in OpenCL C",
                ));
            }
        }
    }
    Ok(())
}

/// A number of 32 bits as C writes it.
fn number(n: i64) -> Result<String, EmissionError> {
    match i32::try_from(n).or_else(|_| u32::try_from(n).map(u32::cast_signed)) {
        Ok(i32::MIN) => Ok("(-2147483647 - 1)".to_owned()),
        Ok(n) => Ok(n.to_string()),
        Err(_) => Err(refused(format!("{n} does not fit into 32 bits"))),
    }
}

/// What a location or a register holds at the start.
fn initial(value: Option<&InitialValue>) -> Result<String, EmissionError> {
    match value {
        None => number(0),
        Some(InitialValue::Integer(n)) => number(*n),
        Some(InitialValue::AddressOf(_)) => {
            Err(refused("kernels here start from numbers, and this is an address"))
        }
    }
}

/// May a value of the test be negative as an `int`? A calculation that is no choice among values
/// may make one.
fn may_be_negative(test: &Test) -> bool {
    let is_negative = |n: i64| !(0..=i64::from(i32::MAX)).contains(&n);
    let at_start = |value: &Option<InitialValue>| matches!(value, Some(InitialValue::Integer(n)) if is_negative(*n));
    let in_value =
        |value: &TestOperand| matches!(value, TestOperand::Integer(n) if is_negative(*n));
    let in_operation = |operation: &Operation| match operation {
        Operation::Store { value, .. } => in_value(value),
        Operation::Atom(atom) => {
            use AtomFunction::{Add, And, CompareAndSwap, Exchange, Or};
            // A few small sums stay small.
            let is_small = matches!(atom.operand, TestOperand::Integer(0..=0xffff));
            let chooses = matches!(atom.function, Exchange | CompareAndSwap | And | Or)
                || atom.function == Add && is_small;
            !chooses || in_value(&atom.operand) || atom.replacement.as_ref().is_some_and(in_value)
        }
        Operation::Local { function, operands, .. } => {
            use LocalFunction::{And, Compare, Convert, Move, Or, Select, Xor};
            !matches!(function, Move | Convert(_) | And | Or | Xor | Select | Compare(_))
                || operands.iter().any(in_value)
        }
        _ => false,
    };
    let bodies = test.threads.iter().filter_map(|thread| match &thread.body {
        Body::Instructions(body) => Some(body),
        _ => None,
    });
    test.locations.iter().any(|l| at_start(&l.value))
        || test.registers.iter().any(|r| at_start(&r.value))
        || bodies.flatten().any(|i| in_operation(&i.operation))
}

/// A thread under construction.
struct ThreadWriter<'a> {
    test: &'a Test,
    spaces: &'a [Space],
    text: String,
    accesses: Vec<SourceAccess>,
    /// The registers that are read into or computed, in the order of the text.
    registers: Vec<String>,
    /// Those that are stored at the end.
    results: Vec<String>,
    /// The number of compare-exchanges so far.
    exchanges: usize,
    /// [`may_be_negative`].
    negative: bool,
}

/// A name of the test as a part of one of C: what C does not have in names is written as its
/// number.
fn identifier(name: &str) -> String {
    let part = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => c.to_string(),
        other => format!("_{:x}_", u32::from(other)),
    };
    name.chars().map(part).collect()
}

fn local(name: &str) -> String {
    format!("reg_{}", identifier(name))
}

fn scope(scope: Option<Scope>) -> Result<SourceScope, EmissionError> {
    match scope.unwrap_or(Scope::Sys) {
        Scope::Cta => Ok(SourceScope::WorkGroup),
        Scope::Gpu => Ok(SourceScope::Device),
        Scope::Sys => Ok(SourceScope::AllDevices),
        Scope::Warp | Scope::Cluster => Err(refused("OpenCL C has no cluster scope")),
    }
}

/// The registers that an instruction writes.
fn written(operation: &Operation) -> Option<&String> {
    match operation {
        Operation::Load { destination, .. } | Operation::Local { destination, .. } => {
            Some(destination)
        }
        Operation::Atom(AtomInstruction { destination, .. }) => destination.as_ref(),
        _ => None,
    }
}

impl<'a> ThreadWriter<'a> {
    fn write(test: &'a Test, thread: ThreadId, spaces: &'a [Space]) -> Result<Self, EmissionError> {
        let body = match test.threads.get(thread.index()).map(|t| &t.body) {
            Some(Body::Instructions(body)) => body.as_slice(),
            _ => &[],
        };
        let declared: Vec<_> =
            test.registers.iter().filter(|r| r.thread == thread && r.value.is_some()).collect();
        let mut registers: Vec<String> = declared.iter().map(|r| r.name.clone()).collect();
        let mut results: Vec<String> = Vec::new();
        // What was read, and what the question is about.
        let asked: Vec<&str> = asked(test, thread);
        for operation in body.iter().map(|i| &i.operation) {
            let Some(name) = written(operation) else { continue };
            if !registers.contains(name) {
                registers.push(name.clone());
            }
            let is_result =
                !matches!(operation, Operation::Local { .. }) || asked.contains(&name.as_str());
            if is_result && !results.contains(name) {
                results.push(name.clone());
            }
        }
        results.extend(
            declared
                .iter()
                .map(|r| &r.name)
                .filter(|n| asked.contains(&n.as_str()) && !results.contains(n))
                .cloned()
                .collect::<Vec<_>>(),
        );
        let negative = may_be_negative(test);
        let mut writer = Self {
            test,
            spaces,
            text: String::new(),
            accesses: Vec::new(),
            registers,
            results,
            exchanges: 0,
            negative,
        };
        let _ = writeln!(writer.text, "kernel void margay_{thread}({})\n{{", writer.parameters());
        for register in &writer.registers {
            let declaration = declared.iter().find(|r| r.name == *register);
            let value = initial(declaration.and_then(|r| r.value.as_ref()))
                .map_err(|e| EmissionError { place: declaration.map(|r| r.place.0), ..e })?;
            let _ = writeln!(writer.text, "    int {} = {value};", local(register));
        }
        for instruction in body {
            let statement = writer
                .instruction(instruction)
                .map_err(|e| EmissionError { place: e.place.or(Some(instruction.place.0)), ..e })?;
            for line in statement.lines() {
                let _ = writeln!(writer.text, "    {line}");
            }
        }
        if body.iter().any(|i| i.operation == Operation::Exit) {
            writer.text.push_str("    margay_end:;\n");
        }
        for (i, register) in writer.results.iter().enumerate() {
            let _ = writeln!(writer.text, "    results[{i}] = {};", local(register));
        }
        writer.text.push_str("}\n");
        Ok(writer)
    }

    fn parameters(&self) -> String {
        let location = |(l, space): (&LocationDeclaration, &Space)| {
            format!("{} atomic_int *loc_{}", space_name(*space), l.name)
        };
        let mut all: Vec<String> =
            self.test.locations.iter().zip(self.spaces).map(location).collect();
        all.push("volatile global int *results".to_owned());
        all.join(", ")
    }

    fn value(&self, value: &TestOperand) -> Result<String, EmissionError> {
        match value {
            TestOperand::Integer(n) => number(*n),
            TestOperand::Register(name) if self.registers.contains(name) => Ok(local(name)),
            TestOperand::Register(name) => {
                Err(refused(format!("`{name}` is read before anything is in it")))
            }
            TestOperand::AddressOf(name) => {
                Err(refused(format!("the address of `{name}` is a value here")))
            }
        }
    }

    /// The pointer, and where it points to.
    fn pointer(&self, address: &Address) -> Result<(String, Space), EmissionError> {
        let Base::Location(name) = &address.base else {
            return Err(refused("the address is in a register; write the name of the location"));
        };
        let location = self
            .test
            .location(name)
            .ok_or_else(|| refused(format!("there is no location `{name}`")))?;
        let base = format!("loc_{}", self.test.locations[location].name);
        let pointer = match &address.offset {
            None | Some(TestOperand::Integer(0)) => base,
            Some(TestOperand::Register(name)) => {
                format!("({base} + {})", self.value(&TestOperand::Register(name.clone()))?)
            }
            Some(_) => return Err(refused("the access is beside its location")),
        };
        Ok((pointer, self.spaces[location]))
    }

    fn order(&self, order: Option<AccessOrder>) -> Result<Option<SourceOrder>, EmissionError> {
        Ok(match order {
            // PTX has a volatile access for a relaxed one of the whole system; the model of 2015
            // for any other.
            Some(AccessOrder::Volatile) if self.test.dialect == Dialect::Ptx => {
                Some(SourceOrder::Relaxed)
            }
            None | Some(AccessOrder::Weak | AccessOrder::Volatile) => None,
            Some(AccessOrder::Relaxed) => Some(SourceOrder::Relaxed),
            Some(AccessOrder::Acquire) => Some(SourceOrder::Acquire),
            Some(AccessOrder::Release) => Some(SourceOrder::Release),
            Some(AccessOrder::AcqRel) => Some(SourceOrder::AcqRel),
            Some(AccessOrder::Mmio | AccessOrder::Text(_)) => {
                return Err(refused("OpenCL C has no such access"));
            }
        })
    }

    /// Order and scope of a load or store; `None` for a plain one.
    fn atomic(&self, access: &Access) -> Result<Option<(SourceOrder, SourceScope)>, EmissionError> {
        if access.proxy != Proxy::Generic {
            return Err(refused("OpenCL C accesses images by functions of its own"));
        }
        if access.ty.is_some_and(|ty| ty.bits != 32 || ty.packed || ty.kind.is_float()) {
            return Err(refused("the access is not one of 32 bits"));
        }
        self.order(access.order)?.map(|order| Ok((order, scope(access.scope)?))).transpose()
    }

    fn add(
        &mut self,
        kind: SourceAccessKind,
        space: Space,
        atomic: Option<(SourceOrder, SourceScope)>,
        text: &str,
    ) {
        self.accesses.push(SourceAccess { kind, space, atomic, text: text.to_owned() });
    }

    fn instruction(&mut self, instruction: &TestInstruction) -> Result<String, EmissionError> {
        let statement = self.operation(&instruction.operation)?;
        Ok(match &instruction.guard {
            None => statement,
            Some(guard) => {
                let register = self.value(&TestOperand::Register(guard.register.clone()))?;
                format!(
                    "if ({}{register}) {{ {} }}",
                    if guard.negated { "!" } else { "" },
                    statement.replace('\n', " ")
                )
            }
        })
    }

    fn operation(&mut self, operation: &Operation) -> Result<String, EmissionError> {
        use SourceAccessKind::{Barrier, Fence, Load, Rmw, Store};
        match operation {
            Operation::Load { access, destination, address } => {
                let (pointer, space) = self.pointer(address)?;
                let atomic = self.atomic(access)?;
                let value = match atomic {
                    Some((order, scope)) => format!(
                        "atomic_load_explicit({pointer}, {}, {})",
                        order.name(),
                        scope.name()
                    ),
                    None => plain(&pointer, space, access),
                };
                let text = format!("{} = {value};", local(destination));
                self.add(Load, space, atomic, &text);
                Ok(text)
            }
            Operation::Store { access, address, value } => {
                let (pointer, space) = self.pointer(address)?;
                let atomic = self.atomic(access)?;
                let value = self.value(value)?;
                let text = match atomic {
                    Some((order, scope)) => {
                        format!(
                            "atomic_store_explicit({pointer}, {value}, {}, {});",
                            order.name(),
                            scope.name()
                        )
                    }
                    None => format!("{} = {value};", plain(&pointer, space, access)),
                };
                self.add(Store, space, atomic, &text);
                Ok(text)
            }
            Operation::Atom(atom) => {
                let (pointer, space) = self.pointer(&atom.address)?;
                let scope = scope(Some(atom.access.scope.unwrap_or(Scope::Gpu)))?;
                self.atomic(&Access { scope: None, order: None, ..atom.access })?;
                let order = self.order(atom.access.order)?.unwrap_or(SourceOrder::Relaxed);
                let text = self.atom(atom, &pointer, order, scope)?;
                self.add(Rmw, space, Some((order, scope)), &text);
                Ok(text)
            }
            Operation::Fence { order, scope: of } => {
                let order = match order {
                    Some(FenceOrder::Acquire) => SourceOrder::Acquire,
                    Some(FenceOrder::Release) => SourceOrder::Release,
                    None | Some(FenceOrder::AcqRel) => SourceOrder::AcqRel,
                    Some(FenceOrder::Sc) => SourceOrder::SeqCst,
                    Some(FenceOrder::Text(_)) => return Err(refused("OpenCL C has no such fence")),
                };
                self.fence(order, scope(*of)?, Fence)
            }
            Operation::Membar(level) => {
                self.fence(SourceOrder::SeqCst, scope(Some(level.scope()))?, Fence)
            }
            Operation::Local { function, ty, destination, operands } => {
                // Values of 64 bits are those of 32 bits where none is negative.
                let fits = |ty: &Type| match ty.bits {
                    _ if ty.packed || ty.kind.is_float() => false,
                    64 => !self.negative,
                    bits => [1, 32].contains(&bits),
                };
                let source =
                    if let LocalFunction::Convert(from) = function { Some(from) } else { None };
                if !ty.iter().chain(source).all(fits) {
                    return Err(refused("the arithmetic is not one of 32 bits"));
                }
                let operands = operands.iter().map(|value| self.value(value)).collect::<Result<
                    Vec<String>,
                    EmissionError,
                >>(
                )?;
                let is_zero = *function == LocalFunction::Xor && operands[0] == operands[1];
                if is_zero && self.negative {
                    return Err(refused(
                        "a register combined with itself by `xor` in a test with values that may be negative: what compilers take \
                                        for no 0 is none then",
                    ));
                }
                let unsigned = ty.is_some_and(|ty| ty.kind == TypeKind::Unsigned);
                Ok(format!(
                    "{} = {};",
                    local(destination),
                    computed(*function, unsigned, &operands)?
                ))
            }
            Operation::BranchIf { comparison, left, right, target } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                Ok(format!(
                    "if ({left} {} {right}) goto label_{};",
                    comparison.symbol(),
                    identifier(target)
                ))
            }
            Operation::Goto(target) => Ok(format!("goto label_{};", identifier(target))),
            Operation::Label(name) => Ok(format!("label_{}:;", identifier(name))),
            // The results are still stored.
            Operation::Exit => Ok("goto margay_end;".to_owned()),
            Operation::Barrier { .. } => {
                let text = format!("barrier({});", self.memory());
                self.add(
                    Barrier,
                    Space::Global,
                    Some((SourceOrder::SeqCst, SourceScope::WorkGroup)),
                    &text,
                );
                Ok(text)
            }
            _ => Err(refused("this instruction has no counterpart in OpenCL C here")),
        }
    }

    /// What a fence or a barrier orders.
    fn memory(&self) -> String {
        let shared =
            if self.spaces.contains(&Space::Shared) { " | CLK_LOCAL_MEM_FENCE" } else { "" };
        format!("CLK_GLOBAL_MEM_FENCE{shared}")
    }

    fn fence(
        &mut self,
        order: SourceOrder,
        scope: SourceScope,
        kind: SourceAccessKind,
    ) -> Result<String, EmissionError> {
        let text = format!(
            "atomic_work_item_fence({}, {}, {});",
            self.memory(),
            order.name(),
            scope.name()
        );
        self.add(kind, Space::Global, Some((order, scope)), &text);
        Ok(text)
    }

    fn atom(
        &mut self,
        atom: &AtomInstruction,
        pointer: &str,
        order: SourceOrder,
        scope: SourceScope,
    ) -> Result<String, EmissionError> {
        let operand = self.value(&atom.operand)?;
        let assigned =
            atom.destination.as_ref().map_or_else(String::new, |d| format!("{} = ", local(d)));
        let (order_name, scope) = (order.name(), scope.name());
        let function = match atom.function {
            AtomFunction::Exchange => "exchange",
            AtomFunction::Add => "fetch_add",
            AtomFunction::And => "fetch_and",
            AtomFunction::Or => "fetch_or",
            AtomFunction::Xor => "fetch_xor",
            AtomFunction::CompareAndSwap => {
                let desired = atom
                    .replacement
                    .as_ref()
                    .ok_or_else(|| refused("a compare-and-swap without a new value"))?;
                let desired = self.value(desired)?;
                let failed =
                    if order.acquires() { SourceOrder::Acquire } else { SourceOrder::Relaxed }
                        .name();
                let expected = format!("expected_{}", self.exchanges);
                self.exchanges += 1;
                return Ok(format!(
                    "int {expected} = {operand};\natomic_compare_exchange_strong_explicit({pointer}, &{expected}, {desired}, {order_name}, \
                     {failed}, {scope});\n{assigned}{expected};"
                ));
            }
            AtomFunction::Increment | AtomFunction::Decrement => {
                return Err(refused(
                    "OpenCL C has no read-modify-write that begins again at a bound",
                ));
            }
            _ => return Err(refused("this read-modify-write has no counterpart in OpenCL C here")),
        };
        Ok(format!(
            "{assigned}atomic_{function}_explicit({pointer}, {operand}, {order_name}, {scope});"
        ))
    }
}

pub(super) fn space_name(space: Space) -> &'static str {
    if space == Space::Shared { "local" } else { "global" }
}

/// An access that is no atomic operation.
fn plain(pointer: &str, space: Space, access: &Access) -> String {
    let volatile = if access.order == Some(AccessOrder::Volatile) { "volatile " } else { "" };
    format!("*({volatile}{} int *){pointer}", space_name(space))
}

fn computed(
    function: LocalFunction,
    is_unsigned: bool,
    operands: &[String],
) -> Result<String, EmissionError> {
    let unsigned =
        |operator: &str| format!("(int)((uint){} {operator} (uint){})", operands[0], operands[1]);
    Ok(match function {
        LocalFunction::Move | LocalFunction::Convert(_) => operands[0].clone(),
        LocalFunction::Not => format!("~{}", operands[0]),
        LocalFunction::Add => unsigned("+"),
        LocalFunction::Subtract => unsigned("-"),
        LocalFunction::Multiply => unsigned("*"),
        LocalFunction::And => unsigned("&"),
        LocalFunction::Or => unsigned("|"),
        // 0 for what is not negative, which a compiler does not know (ASPLOS 2015, section 4.5).
        LocalFunction::Xor if operands[0] == operands[1] => {
            format!("(int)((uint){} & 0x80000000u)", operands[0])
        }
        LocalFunction::Xor => unsigned("^"),
        LocalFunction::Select => format!("{} ? {} : {}", operands[2], operands[0], operands[1]),
        LocalFunction::Compare(comparison) if is_unsigned => {
            format!("(uint){} {} (uint){}", operands[0], comparison.symbol(), operands[1])
        }
        LocalFunction::Compare(comparison) => {
            format!("{} {} {}", operands[0], comparison.symbol(), operands[1])
        }
        _ => return Err(refused("this arithmetic has no counterpart in OpenCL C here")),
    })
}

/// The registers of a thread that the question is about.
fn asked(test: &Test, thread: ThreadId) -> Vec<&str> {
    let of_condition = test.condition.proposition.variables();
    let of_filter = test.filter.iter().flat_map(Proposition::variables);
    let all = of_condition.into_iter().chain(of_filter).chain(&test.observed);
    let named = all.filter_map(|variable| match variable {
        Variable::Register { thread: of, name } if *of == thread => Some(name.as_str()),
        _ => None,
    });
    named.collect()
}

/// What the text says of itself.
fn head(test: &Test) -> String {
    let mut out = format!("// The litmus test {} in OpenCL C 2.0, written by margay.\n", test.name);
    let initial: Vec<String> = (test.locations.iter())
        .map(|l| match &l.value {
            Some(InitialValue::Integer(n)) => format!("{} = {n}", l.name),
            _ => format!("{} = 0", l.name),
        })
        .collect();
    let _ = writeln!(
        out,
        "// At the start {}; each thread stores its registers to `results` after its last access.",
        initial.join(", ")
    );
    out
}
