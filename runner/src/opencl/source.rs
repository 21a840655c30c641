//! The source: a kernel for each thread of the test, and one that starts them where the test says.

use std::fmt::Write;

use margay_litmus::test::{
    Access, AccessOrder, Address, Atom, AtomFunction, Base, Body, Comparison, Dialect, FenceOrder, InitialValue, Instruction,
    LocalFunction, LocationDeclaration, Operation, Space, Test, ThreadId, Value,
};
use margay_models::execution::{Proxy, Scope};

use super::{SourceAccess, SourceAccessKind, SourceOrder, SourceScope, SourceThread};
use crate::emit::{EmissionError, EmissionFault};

/// Work-items of one wavefront, or more than a sub-group has: threads of a test in different warps are so far apart.
const APART: u8 = 64;

/// A test as OpenCL C 2.0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenClSource {
    /// The text.
    pub text: String,
    /// The threads of the test, in order.
    pub threads: Vec<SourceThread>,
}

fn refused(message: impl Into<String>) -> EmissionError {
    EmissionError { fault: EmissionFault::Test, message: message.into(), place: None }
}

/// Writes a test of PTX as OpenCL C. Weak accesses are plain ones, cache operators have no counterpart, and `membar` is a seq_cst fence, as in
/// PTX.
///
/// # Errors
/// What the test has that this source cannot say, and where.
pub fn source(test: &Test) -> Result<OpenClSource, EmissionError> {
    if !matches!(test.dialect, Dialect::Ptx | Dialect::GpuPtx) {
        return Err(refused("only PTX tests, in tabular form or the form of 2015, become OpenCL C here"));
    }
    let spaces = spaces(test)?;
    let mut text = head(test);
    let mut threads = Vec::new();
    for t in 0..test.threads.len() {
        let thread = ThreadWriter::write(test, ThreadId(t as u16), &spaces)?;
        let _ = writeln!(text, "\n{}", thread.text.trim_end());
        threads.push(SourceThread { name: format!("margay_P{t}"), accesses: thread.accesses, results: thread.results.len() });
    }
    let _ = write!(text, "\n{}", whole(test, &spaces, &threads));
    Ok(OpenClSource { text, threads })
}

/// The state space of each location.
fn spaces(test: &Test) -> Result<Vec<Space>, EmissionError> {
    let first = test.placement(ThreadId(0));
    let places = || (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16)));
    if places().any(|place| place.gpu != first.gpu) {
        return Err(refused("threads are on several gpus; a kernel of OpenCL runs on one device"));
    }
    let mut spaces = Vec::new();
    for (location, integer) in test.locations.iter().zip(test.location_integers()) {
        let at = |message: String| EmissionError { place: Some(location.place.0), ..refused(message) };
        let name = &location.name;
        if location.alias.is_some() {
            return Err(at(format!("`{name}` is another name of a location, which OpenCL C has not")));
        }
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || location.mbarrier {
            return Err(at(format!("`{name}` is no single location of 32 bits")));
        }
        if integer.is_some_and(|integer| integer.bits != 32) {
            return Err(at(format!("`{name}` does not have 32 bits")));
        }
        if let Some(InitialValue::AddressOf(_)) = location.value {
            return Err(at(format!("`{name}` holds an address at the start; kernels here start from numbers")));
        }
        spaces.push(location.space.unwrap_or(Space::Global));
    }
    if spaces.contains(&Space::Shared) && places().any(|place| !place.shares(Scope::Cta, first)) {
        return Err(refused("a location is in shared memory, but the threads are in different ctas"));
    }
    Ok(spaces)
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
}

fn local(name: &str) -> String {
    format!("reg_{name}")
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
        Operation::Load { destination, .. } | Operation::Local { destination, .. } => Some(destination),
        Operation::Atom(Atom { destination, .. }) => destination.as_ref(),
        _ => None,
    }
}

impl<'a> ThreadWriter<'a> {
    fn write(test: &'a Test, thread: ThreadId, spaces: &'a [Space]) -> Result<Self, EmissionError> {
        let body = match test.threads.get(thread.index()).map(|t| &t.body) {
            Some(Body::Instructions(body)) => body.as_slice(),
            _ => &[],
        };
        let mut registers: Vec<String> = Vec::new();
        let mut results: Vec<String> = Vec::new();
        for operation in body.iter().map(|i| &i.operation) {
            let Some(name) = written(operation) else { continue };
            if !registers.contains(name) {
                registers.push(name.clone());
            }
            if !matches!(operation, Operation::Local { .. }) && !results.contains(name) {
                results.push(name.clone());
            }
        }
        let mut writer = Self { test, spaces, text: String::new(), accesses: Vec::new(), registers, results, exchanges: 0 };
        let _ = writeln!(writer.text, "kernel void margay_{thread}({})\n{{", writer.parameters());
        for register in &writer.registers {
            let _ = writeln!(writer.text, "    int {} = 0;", local(register));
        }
        for instruction in body {
            let statement = writer
                .instruction(instruction)
                .map_err(|e| EmissionError { place: e.place.or(Some(instruction.place.0)), ..e })?;
            for line in statement.lines() {
                let _ = writeln!(writer.text, "    {line}");
            }
        }
        for (i, register) in writer.results.iter().enumerate() {
            let _ = writeln!(writer.text, "    results[{i}] = {};", local(register));
        }
        writer.text.push_str("}\n");
        Ok(writer)
    }

    fn parameters(&self) -> String {
        let location = |(l, space): (&LocationDeclaration, &Space)| format!("{} atomic_int *loc_{}", space_name(*space), l.name);
        let mut all: Vec<String> = self.test.locations.iter().zip(self.spaces).map(location).collect();
        all.push("volatile global int *results".to_owned());
        all.join(", ")
    }

    fn value(&self, value: &Value) -> Result<String, EmissionError> {
        match value {
            Value::Integer(n) => match i32::try_from(*n).or_else(|_| u32::try_from(*n).map(u32::cast_signed)) {
                Ok(i32::MIN) => Ok("(-2147483647 - 1)".to_owned()),
                Ok(n) => Ok(n.to_string()),
                Err(_) => Err(refused(format!("{n} does not fit into 32 bits"))),
            },
            Value::Register(name) if self.registers.contains(name) => Ok(local(name)),
            Value::Register(name) => Err(refused(format!("`{name}` is read before anything is in it"))),
            Value::AddressOf(name) => Err(refused(format!("the address of `{name}` is a value here"))),
        }
    }

    /// The pointer, and where it points to.
    fn pointer(&self, address: &Address) -> Result<(String, Space), EmissionError> {
        let Base::Location(name) = &address.base else {
            return Err(refused("the address is in a register; write the name of the location"));
        };
        let location = self.test.location(name).ok_or_else(|| refused(format!("there is no location `{name}`")))?;
        let base = format!("loc_{}", self.test.locations[location].name);
        let pointer = match &address.offset {
            None | Some(Value::Integer(0)) => base,
            Some(Value::Register(name)) => format!("({base} + {})", self.value(&Value::Register(name.clone()))?),
            Some(_) => return Err(refused("the access is beside its location")),
        };
        Ok((pointer, self.spaces[location]))
    }

    fn order(order: Option<AccessOrder>) -> Result<Option<SourceOrder>, EmissionError> {
        Ok(match order {
            None | Some(AccessOrder::Weak | AccessOrder::Volatile) => None,
            Some(AccessOrder::Relaxed) => Some(SourceOrder::Relaxed),
            Some(AccessOrder::Acquire) => Some(SourceOrder::Acquire),
            Some(AccessOrder::Release) => Some(SourceOrder::Release),
            Some(AccessOrder::AcqRel) => Some(SourceOrder::AcqRel),
            Some(AccessOrder::Mmio | AccessOrder::Text(_)) => return Err(refused("OpenCL C has no such access")),
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
        Self::order(access.order)?.map(|order| Ok((order, scope(access.scope)?))).transpose()
    }

    fn add(&mut self, kind: SourceAccessKind, space: Space, atomic: Option<(SourceOrder, SourceScope)>, text: &str) {
        self.accesses.push(SourceAccess { kind, space, atomic, text: text.to_owned() });
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<String, EmissionError> {
        let statement = self.operation(&instruction.operation)?;
        Ok(match &instruction.guard {
            None => statement,
            Some(guard) => {
                let register = self.value(&Value::Register(guard.register.clone()))?;
                format!("if ({}{register}) {{ {} }}", if guard.negated { "!" } else { "" }, statement.replace('\n', " "))
            }
        })
    }

    fn operation(&mut self, operation: &Operation) -> Result<String, EmissionError> {
        use SourceAccessKind::{Fence, Load, Rmw, Store};
        match operation {
            Operation::Load { access, destination, address } => {
                let (pointer, space) = self.pointer(address)?;
                let atomic = self.atomic(access)?;
                let value = match atomic {
                    Some((order, scope)) => format!("atomic_load_explicit({pointer}, {}, {})", order.name(), scope.name()),
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
                        format!("atomic_store_explicit({pointer}, {value}, {}, {});", order.name(), scope.name())
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
                let order = Self::order(atom.access.order)?.unwrap_or(SourceOrder::Relaxed);
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
            Operation::Membar(level) => self.fence(SourceOrder::SeqCst, scope(Some(level.scope()))?, Fence),
            Operation::Local { function, destination, operands, .. } => {
                let operands: Result<Vec<String>, EmissionError> = operands.iter().map(|value| self.value(value)).collect();
                Ok(format!("{} = {};", local(destination), computed(*function, &operands?)?))
            }
            Operation::BranchIf { comparison, left, right, target } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                Ok(format!("if ({left} {} {right}) goto label_{target};", comparison.symbol()))
            }
            Operation::Goto(target) => Ok(format!("goto label_{target};")),
            Operation::Label(name) => Ok(format!("label_{name}:;")),
            _ => Err(refused("this instruction has no counterpart in OpenCL C here")),
        }
    }

    fn fence(&mut self, order: SourceOrder, scope: SourceScope, kind: SourceAccessKind) -> Result<String, EmissionError> {
        let shared = if self.spaces.contains(&Space::Shared) { " | CLK_LOCAL_MEM_FENCE" } else { "" };
        let text = format!("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE{shared}, {}, {});", order.name(), scope.name());
        self.add(kind, Space::Global, Some((order, scope)), &text);
        Ok(text)
    }

    fn atom(&mut self, atom: &Atom, pointer: &str, order: SourceOrder, scope: SourceScope) -> Result<String, EmissionError> {
        let operand = self.value(&atom.operand)?;
        let assigned = atom.destination.as_ref().map_or_else(String::new, |d| format!("{} = ", local(d)));
        let (order_name, scope) = (order.name(), scope.name());
        let function = match atom.function {
            AtomFunction::Exchange => "exchange",
            AtomFunction::Add => "fetch_add",
            AtomFunction::And => "fetch_and",
            AtomFunction::Or => "fetch_or",
            AtomFunction::Xor => "fetch_xor",
            AtomFunction::CompareAndSwap => {
                let desired = atom.replacement.as_ref().ok_or_else(|| refused("a compare-and-swap without a new value"))?;
                let desired = self.value(desired)?;
                let failed = if order.acquires() { SourceOrder::Acquire } else { SourceOrder::Relaxed }.name();
                let expected = format!("expected_{}", self.exchanges);
                self.exchanges += 1;
                return Ok(format!(
                    "int {expected} = {operand};\natomic_compare_exchange_strong_explicit({pointer}, &{expected}, {desired}, {order_name}, \
                     {failed}, {scope});\n{assigned}{expected};"
                ));
            }
            _ => return Err(refused("this read-modify-write has no counterpart in OpenCL C here")),
        };
        Ok(format!("{assigned}atomic_{function}_explicit({pointer}, {operand}, {order_name}, {scope});"))
    }
}

fn space_name(space: Space) -> &'static str {
    if space == Space::Shared { "local" } else { "global" }
}

/// An access that is no atomic operation.
fn plain(pointer: &str, space: Space, access: &Access) -> String {
    let volatile = if access.order == Some(AccessOrder::Volatile) { "volatile " } else { "" };
    format!("*({volatile}{} int *){pointer}", space_name(space))
}

fn computed(function: LocalFunction, operands: &[String]) -> Result<String, EmissionError> {
    let unsigned = |operator: &str| format!("(int)((uint){} {operator} (uint){})", operands[0], operands[1]);
    Ok(match function {
        LocalFunction::Move | LocalFunction::Convert(_) => operands[0].clone(),
        LocalFunction::Not => format!("~{}", operands[0]),
        LocalFunction::Add => unsigned("+"),
        LocalFunction::Subtract => unsigned("-"),
        LocalFunction::Multiply => unsigned("*"),
        LocalFunction::And => unsigned("&"),
        LocalFunction::Or => unsigned("|"),
        // 0 for what is not negative, which a compiler does not know (ASPLOS 2015, section 4.5).
        LocalFunction::Xor if operands[0] == operands[1] => format!("(int)((uint){} & 0x80000000u)", operands[0]),
        LocalFunction::Xor => unsigned("^"),
        LocalFunction::Select => format!("{} ? {} : {}", operands[2], operands[0], operands[1]),
        LocalFunction::Compare(comparison) => compared(comparison, operands),
        _ => return Err(refused("this arithmetic has no counterpart in OpenCL C here")),
    })
}

fn compared(comparison: Comparison, operands: &[String]) -> String {
    format!("{} {} {}", operands[0], comparison.symbol(), operands[1])
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

/// The kernel that plays the whole test once: each thread in the work-group and, for other warps, so far apart, as the test says.
fn whole(test: &Test, spaces: &[Space], threads: &[SourceThread]) -> String {
    let places: Vec<_> = (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16))).collect();
    let mut groups = Vec::new();
    let mut items: Vec<(usize, usize)> = Vec::new();
    for (t, place) in places.iter().enumerate() {
        let cta = groups.iter().position(|other| place.shares(Scope::Cta, *other)).unwrap_or_else(|| {
            groups.push(*place);
            groups.len() - 1
        });
        let earlier = (0..t).filter(|&other| places[other].shares(Scope::Cta, *place));
        // Only the form of 2015 says which threads are in one warp.
        let item = match test.dialect {
            Dialect::GpuPtx => {
                let lane = earlier.filter(|&other| places[other] == *place).count();
                usize::from(place.warp) * usize::from(APART) + lane
            }
            _ => earlier.count() * usize::from(APART),
        };
        items.push((cta, item));
    }
    let size = items.iter().map(|(_, item)| item / usize::from(APART) + 1).max().unwrap_or(1) * usize::from(APART);
    let mut out = format!("// Once: {} work-groups of {size} work-items.\nkernel void margay_test(", groups.len());
    let parameter = |(l, space): (&LocationDeclaration, &Space)| format!("{} atomic_int *loc_{}, ", space_name(*space), l.name);
    out.extend(test.locations.iter().zip(spaces).map(parameter));
    out.push_str("volatile global int *results)\n{\n");
    let shared: Vec<_> = test.locations.iter().zip(spaces).filter(|(_, space)| **space == Space::Shared).collect();
    if !shared.is_empty() {
        out.push_str("    if (get_local_id(0) == 0) {\n");
        for (location, _) in &shared {
            let value = if let Some(InitialValue::Integer(n)) = location.value { n } else { 0 };
            let _ = writeln!(out, "        *(local int *)loc_{} = {value};", location.name);
        }
        out.push_str("    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n");
    }
    let arguments: String = test.locations.iter().map(|l| format!("loc_{}, ", l.name)).collect();
    let mut from = 0;
    for (t, ((group, item), thread)) in items.iter().zip(threads).enumerate() {
        let otherwise = if t == 0 { "    " } else { "    else " };
        let _ = writeln!(
            out,
            "{otherwise}if (get_group_id(0) == {group} && get_local_id(0) == {item}) {}({arguments}results + {from});",
            thread.name
        );
        from += thread.results;
    }
    out.push_str("}\n");
    out
}
