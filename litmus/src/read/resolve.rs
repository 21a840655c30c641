//! Checks of a whole test: every name stands for something, every register is written before it is
//! read, every loop has an exit.

use std::collections::BTreeSet;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::Proxy;

use crate::test::{
    Address, AsyncAction, AtomInstruction, AtomicCall, AtomicFunction, AwaitedPhase, Base, Body,
    ConditionOperand, Dialect, ExpectedPlace, Expression, InitialValue, LocalFunction,
    MbarrierAction, MbarrierOperation, MultimemAction, MultimemOperation, Operation, Proposition,
    Statement, StatementKind, TensormapOperation, Test, TestInstruction, TestOperand, Thread,
    ThreadId, Variable, element,
};

/// The checker of one test.
struct Checker<'a> {
    test: &'a Test,
    /// The variables of the condition, with their places.
    places: &'a [(Variable, Span)],
    file: &'a Arc<SourceFile>,
    warnings: &'a mut Vec<Diagnostic>,
    errors: &'a mut Vec<Diagnostic>,
}

/// Registers of one thread on the way through its program, in the order of the text.
struct RegisterFlow<'a> {
    thread: ThreadId,
    /// Names that mean the address of a location (C parameters and locations).
    pointers: BTreeSet<&'a str>,
    /// Registers that have a value.
    written: BTreeSet<&'a str>,
    /// Registers that were read without one, so that each is warned of once.
    reported: BTreeSet<&'a str>,
}

/// Checks a test. `variables` are those of the condition, with their places.
pub(super) fn check(
    test: &Test,
    file: &Arc<SourceFile>,
    variables: &[(Variable, Span)],
    warnings: &mut Vec<Diagnostic>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut checker = Checker { test, places: variables, file, warnings, errors };
    checker.initial_state();
    checker.widths();
    checker.numbers();
    let mut registers = Vec::new();
    for (t, thread) in test.threads.iter().enumerate() {
        let id = ThreadId(t as u16);
        if thread.placement.is_none() && matches!(test.dialect, Dialect::Ptx | Dialect::GpuPtx) {
            let warning = Diagnostic::warning(format!("thread {id} has no place")).at(
                file,
                thread.place.0,
                format!("taken as cta {t} of gpu 0"),
            );
            checker.warnings.push(warning.help(format!("write e.g. `{id}@cta {t},gpu 0`")));
        }
        registers.push(checker.thread(id, thread));
    }
    for (variable, span) in variables {
        checker.variable(variable, *span, &registers);
    }
}

impl<'a> Checker<'a> {
    fn error(&mut self, message: String, span: Span, label: &str) -> &mut Diagnostic {
        let at = self.errors.len();
        self.errors.push(Diagnostic::error(message).at(self.file, span, label));
        &mut self.errors[at]
    }

    /// An unknown name, with the nearest known one.
    fn unknown<'k>(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let near = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        self.error(format!("unknown {what} `{name}`"), span, "not known").help = near;
    }

    fn location_names(&self) -> Vec<&'a str> {
        self.test.locations.iter().map(|l| l.name.as_str()).collect()
    }

    fn initial_state(&mut self) {
        let names = self.location_names();
        for (l, location) in self.test.locations.iter().enumerate() {
            let place = location.place.0;
            if let Some(alias) = &location.alias {
                if self.test.location(&alias.of).is_none() {
                    self.unknown("location", &alias.of, place, names.iter().copied());
                } else if self.is_alias_of_itself(l) {
                    let message = format!("`{}` is an alias of itself", location.name);
                    self.error(message, place, "the chain of aliases comes back here").help =
                        Some("one of the names must own the memory: declare it without `aliases`, e.g. `x=0`".to_owned());
                }
            }
            if let Some(InitialValue::AddressOf(of)) = &location.value
                && self.test.location(of).is_none()
            {
                self.unknown("location", of, place, names.iter().copied());
            }
        }
        for register in &self.test.registers {
            if register.thread.index() >= self.test.threads.len() {
                self.error(
                    format!("there is no thread {}", register.thread),
                    register.place.0,
                    "a register of this thread",
                );
            }
            if let Some(InitialValue::AddressOf(of)) = &register.value
                && self.test.location(of).is_none()
            {
                self.unknown("location", of, register.place.0, names.iter().copied());
            }
        }
    }

    /// Numbers that are no values of the type that the program has for a location or register.
    fn numbers(&mut self) {
        let integers = self.test.location_integers();
        for (location, integer) in self.test.locations.iter().zip(&integers) {
            if let (Some(InitialValue::Integer(n)), Some(integer)) = (&location.value, integer)
                && !integer.says(*n)
            {
                let name = &location.name;
                let warning = Diagnostic::warning(format!(
                    "`{name}` has {} bits, and {n} needs more",
                    integer.bits
                ));
                let label = format!("it holds {} at the start", integer.wrap(*n));
                self.warnings.push(warning.at(self.file, location.place.0, label));
            }
        }
        let asked = [Some(&self.test.condition.proposition), self.test.filter.as_ref()];
        let compared: Vec<(&ConditionOperand, &ConditionOperand)> =
            asked.into_iter().flatten().flat_map(Proposition::comparisons).collect();
        for (a, b) in compared {
            for (variable, number) in [(a, b), (b, a)] {
                let (ConditionOperand::Variable(v), ConditionOperand::Integer(n)) =
                    (variable, number)
                else {
                    continue;
                };
                let Some(integer) =
                    self.test.operand_integer(variable, &integers).filter(|i| !i.says(*n))
                else {
                    continue;
                };
                let name = crate::print::variable(v, self.test.dialect);
                let warning = Diagnostic::warning(format!(
                    "`{name}` is never {n}: it has {} bits",
                    integer.bits
                ));
                let place = self.places.iter().find(|(known, _)| known == v).map(|(_, span)| *span);
                self.warnings.push(match place {
                    Some(span) => warning.at(self.file, span, "asked here"),
                    None => warning,
                });
            }
        }
    }

    /// Does the chain of aliases lead back to the location?
    fn is_alias_of_itself(&self, location: usize) -> bool {
        let further = |at: usize| {
            let alias = self.test.locations[at].alias.as_ref()?;
            self.test.location(&alias.of).filter(|&of| of != at)
        };
        let chain = std::iter::successors(further(location), |&at| further(at));
        chain.take(self.test.locations.len()).any(|at| at == location)
    }

    /// Warns where accesses of a location have two widths (PTX ISA 8.7.2), and where one is wider
    /// than a scalar.
    fn widths(&mut self) {
        let mut known: Vec<(&str, u8)> = Vec::new();
        let mut of_two: Vec<&str> = Vec::new();
        for thread in &self.test.threads {
            let Body::Instructions(instructions) = &thread.body else { continue };
            for i in instructions {
                let Some((access, address)) = i.operation.memory() else { continue };
                let (Base::Location(name), Some(ty)) = (&address.base, access.ty) else { continue };
                let name = element(name).map_or(name.as_str(), |(array, _)| array);
                if ty.bits > 64 && !known.iter().any(|(l, _)| *l == name) {
                    let warning =
                        Diagnostic::warning("an access of 128 bits is taken as one of a scalar");
                    let help = "the memory consistency model speaks of scalars of up to 64 bits (PTX ISA 8.2.4); values here have 64";
                    self.warnings
                        .push(warning.at(self.file, i.place.0, "beyond the model").help(help));
                }
                match known.iter().find(|(l, _)| *l == name) {
                    Some(&(_, bits)) => {
                        if bits != ty.bits && !of_two.contains(&name) {
                            let message = format!(
                                "accesses of {bits} and of {} bits to `{name}`: each is taken as accesses to cells",
                                ty.bits
                            );
                            let help = format!(
                                "cells are as wide as the narrowest access, `{name}[0]` has the lowest bits; the memory model has no axioms \
                                 for accesses of different size that race (PTX ISA 8.7.2)"
                            );
                            let warning = Diagnostic::warning(message).at(
                                self.file,
                                i.place.0,
                                "another width than before",
                            );
                            self.warnings.push(warning.help(help));
                            of_two.push(name);
                        }
                    }
                    None => known.push((name, ty.bits)),
                }
            }
        }
    }

    /// Checks a thread; gives the registers that it has.
    fn thread(&mut self, id: ThreadId, thread: &'a Thread) -> BTreeSet<&'a str> {
        let of_thread =
            self.test.registers.iter().filter(|r| r.thread == id).map(|r| r.name.as_str());
        let mut pointers: BTreeSet<&str> = self.location_names().into_iter().collect();
        pointers.extend(thread.parameters.iter().map(|p| p.name.as_str()));
        let mut flow = RegisterFlow {
            thread: id,
            pointers,
            written: of_thread.collect(),
            reported: BTreeSet::new(),
        };
        match &thread.body {
            Body::Instructions(instructions) => {
                for i in instructions {
                    self.instruction(i, &mut flow);
                }
                self.bases(instructions, &flow);
                self.labels(instructions);
            }
            Body::Statements(statements) => self.statements(statements, &mut flow),
        }
        flow.written.extend(flow.reported);
        flow.written
    }

    /// A register that holds an address, and that nothing writes, holds none.
    fn bases(&mut self, instructions: &'a [TestInstruction], flow: &RegisterFlow<'a>) {
        for i in instructions {
            let all = i
                .operation
                .memory()
                .map(|(_, address)| address)
                .into_iter()
                .chain(i.operation.further_addresses());
            let unset = |a: &&Address| matches!(&a.base, Base::Register(name) if !flow.written.contains(name.as_str()));
            let Some(Address { base: Base::Register(name), .. }) = all.into_iter().find(unset)
            else {
                continue;
            };
            let message = format!(
                "register `{name}` of {} is an address, and nothing writes it",
                flow.thread
            );
            let help = format!("give it one in the initial state, e.g. `{}:{name}=x`", flow.thread);
            self.error(message, i.place.0, "it holds no address").help = Some(help);
        }
    }

    fn read(&mut self, name: &'a str, span: Span, flow: &mut RegisterFlow<'a>) {
        // What an architecture's text calls a register is none of the test, such as the flags.
        let is_of_text =
            name.starts_with('%') && !self.file.text[span.start..span.end].contains(name);
        if !is_of_text && !flow.written.contains(name) && flow.reported.insert(name) {
            let message =
                format!("register `{name}` of {} is read before it is written", flow.thread);
            self.warnings.push(Diagnostic::warning(message).at(self.file, span, "it holds 0 here"));
        }
    }

    fn value(&mut self, value: &'a TestOperand, span: Span, flow: &mut RegisterFlow<'a>) {
        if let TestOperand::Register(name) = value {
            self.read(name, span, flow);
        }
    }

    fn address(&mut self, address: &'a Address, span: Span, flow: &mut RegisterFlow<'a>) {
        if let Base::Register(name) = &address.base {
            self.read(name, span, flow);
        }
        if let Some(offset) = &address.offset {
            self.value(offset, span, flow);
        }
    }

    /// `ld` and `st` are generic accesses whatever the name is: a name for another proxy looks as
    /// if more were meant.
    fn proxy(&mut self, i: &'a TestInstruction) {
        let Some((access, address)) = i.operation.memory() else { return };
        let Base::Location(name) = &address.base else { return };
        let declared = self.test.location(name).and_then(|l| self.test.locations[l].alias.as_ref());
        let (what, help) =
            match declared.map(|alias| alias.proxy).filter(|_| access.proxy == Proxy::Generic) {
                None | Some(Proxy::Generic | Proxy::Alias) => return,
                Some(Proxy::Surface) => ("a surface", "`suld` and `sust` access surfaces"),
                Some(Proxy::Texture) => ("a texture", "`tld` reads textures"),
                Some(Proxy::Constant) => ("constants", "`cld` reads constants"),
                Some(Proxy::Async | Proxy::Tensormap) => return,
            };
        let warning =
            Diagnostic::warning(format!("a generic access by `{name}`, a name for {what}"));
        self.warnings
            .push(warning.at(self.file, i.place.0, "goes through the generic proxy").help(help));
    }

    fn instruction(&mut self, i: &'a TestInstruction, flow: &mut RegisterFlow<'a>) {
        let span = i.place.0;
        self.proxy(i);
        if let Some(guard) = &i.guard {
            self.read(&guard.register, span, flow);
        }
        match &i.operation {
            Operation::Load { destination, address, .. } => {
                self.address(address, span, flow);
                flow.written.insert(destination);
            }
            Operation::Store { address, value, .. } => {
                self.address(address, span, flow);
                self.value(value, span, flow);
            }
            Operation::StoreConditional { status, address, value, .. } => {
                self.address(address, span, flow);
                self.value(value, span, flow);
                flow.written.insert(status);
            }
            Operation::VectorLoad { destinations, address, .. } => {
                self.address(address, span, flow);
                flow.written.extend(destinations.iter().map(String::as_str));
            }
            Operation::VectorStore { address, values, .. } => {
                self.address(address, span, flow);
                for value in values {
                    self.value(value, span, flow);
                }
            }
            Operation::Atom(AtomInstruction {
                destination, address, operand, replacement, ..
            }) => {
                self.address(address, span, flow);
                self.value(operand, span, flow);
                if let Some(replacement) = replacement {
                    self.value(replacement, span, flow);
                }
                flow.written.extend(destination.as_deref());
            }
            // Whatever a register holds, this is 0.
            Operation::Local {
                function: LocalFunction::Xor | LocalFunction::Subtract,
                destination,
                operands,
                ..
            } if matches!(&operands[..], [a @ TestOperand::Register(_), b] if a == b) => {
                flow.written.insert(destination);
            }
            Operation::Local { destination, operands, .. } => {
                for operand in operands {
                    self.value(operand, span, flow);
                }
                flow.written.insert(destination);
            }
            Operation::BranchIf { left, right, .. } => {
                self.value(left, span, flow);
                self.value(right, span, flow);
            }
            Operation::Barrier { barrier, .. } => self.value(barrier, span, flow),
            Operation::Warp(meeting) => {
                for brought in meeting.brought() {
                    self.value(brought, span, flow);
                }
                flow.written.extend(meeting.destination());
            }
            Operation::PendingCount { destination, token } => {
                self.value(token, span, flow);
                flow.written.insert(destination);
            }
            Operation::Mbarrier(_)
            | Operation::Async(_)
            | Operation::AsyncArrive { .. }
            | Operation::BulkStore { .. }
            | Operation::Tensormap(_)
            | Operation::Multimem(_) => self.beside_memory(&i.operation, span, flow),
            Operation::MbarrierInitFence
            | Operation::WarpgroupFence
            | Operation::SharedFence { .. }
            | Operation::TensorFence { .. }
            | Operation::AsyncGroup { .. }
            | Operation::Fence { .. }
            | Operation::Membar(_)
            | Operation::ProxyFence(_)
            | Operation::ClusterBarrier(_)
            | Operation::Launches(_)
            | Operation::Goto(_)
            | Operation::Exit
            | Operation::Label(_) => {}
        }
    }

    /// An operation on an mbarrier, one that is asynchronous, or one at several locations.
    fn beside_memory(&mut self, operation: &'a Operation, span: Span, flow: &mut RegisterFlow<'a>) {
        for address in operation.further_addresses() {
            self.address(address, span, flow);
        }
        match operation {
            Operation::Mbarrier(MbarrierOperation { action, .. }) => match action {
                MbarrierAction::Arrive { token, .. } => flow.written.extend(token.as_deref()),
                MbarrierAction::Wait {
                    destination,
                    phase: AwaitedPhase::Token(value) | AwaitedPhase::Parity(value),
                    ..
                } => {
                    self.value(value, span, flow);
                    flow.written.insert(destination);
                }
                _ => {}
            },
            Operation::Async(operation) => match &operation.action {
                AsyncAction::Store { values, .. } => {
                    values.iter().for_each(|value| self.value(value, span, flow))
                }
                AsyncAction::Reduce { value, .. } => self.value(value, span, flow),
                AsyncAction::Multiply { to, .. } => {
                    flow.written.extend(to.iter().map(String::as_str))
                }
                AsyncAction::TensorLoad { to, .. } => _ = flow.written.insert(to),
                AsyncAction::TensorStore { value, .. } => self.value(value, span, flow),
                AsyncAction::Copy { .. }
                | AsyncAction::ReduceFrom { .. }
                | AsyncAction::Tile { .. }
                | AsyncAction::TensorFree { .. }
                | AsyncAction::TensorCompute { .. } => {}
            },
            Operation::Tensormap(TensormapOperation::Replace { value: Some(value), .. }) => {
                self.value(value, span, flow)
            }
            Operation::Multimem(MultimemOperation { action, .. }) => match action {
                MultimemAction::LoadReduce { destination, .. } => {
                    _ = flow.written.insert(destination)
                }
                MultimemAction::Store { value } | MultimemAction::Reduce { operand: value, .. } => {
                    self.value(value, span, flow)
                }
            },
            _ => {}
        }
    }

    /// Every label is there once, and the end of the program can be reached from everywhere.
    fn labels(&mut self, instructions: &'a [TestInstruction]) {
        let mut labels: Vec<(&str, usize)> = Vec::new();
        for (n, i) in instructions.iter().enumerate() {
            if let Operation::Label(label) = &i.operation {
                if labels.iter().any(|(l, _)| l == label) {
                    self.error(
                        format!("label `{label}` is there twice"),
                        i.place.0,
                        "the second one",
                    );
                }
                labels.push((label, n));
            }
        }
        let target = |label: &str| labels.iter().find(|(l, _)| *l == label).map(|(_, n)| *n);
        let mut successors: Vec<Vec<usize>> = Vec::new();
        for (n, i) in instructions.iter().enumerate() {
            if i.operation == Operation::Exit {
                let falls_through = i.guard.is_some().then_some(n + 1);
                successors.push(falls_through.into_iter().chain([instructions.len()]).collect());
                continue;
            }
            let (jump, falls_through) = match &i.operation {
                Operation::BranchIf { target, .. } => (Some(target), true),
                Operation::Goto(target) => (Some(target), i.guard.is_some()),
                _ => (None, true),
            };
            let mut next: Vec<usize> = if falls_through { vec![n + 1] } else { Vec::new() };
            if let Some(label) = jump {
                match target(label) {
                    Some(place) => next.push(place),
                    None => {
                        self.unknown("label", label, i.place.0, labels.iter().map(|(l, _)| *l));
                        next.push(n + 1);
                    }
                }
            }
            successors.push(next);
        }
        let mut ends = vec![false; instructions.len() + 1];
        ends[instructions.len()] = true;
        // Backwards until nothing changes; each round makes progress over at least one backward
        // jump.
        while (0..instructions.len()).rev().fold(false, |changed, n| {
            let reaches = !ends[n] && successors[n].iter().any(|&s| ends[s]);
            ends[n] |= reaches;
            changed || reaches
        }) {}
        let mut reached = vec![false; instructions.len() + 1];
        let mut work = vec![0];
        while let Some(n) = work.pop() {
            if !std::mem::replace(&mut reached[n], true) {
                work.extend(successors.get(n).into_iter().flatten());
            }
        }
        if let Some(stuck) = (0..instructions.len()).find(|&n| reached[n] && !ends[n]) {
            self.error(
                "a loop without an exit".to_string(),
                instructions[stuck].place.0,
                "the end of the thread cannot be reached from here",
            );
        }
    }

    fn statements(&mut self, statements: &'a [Statement], flow: &mut RegisterFlow<'a>) {
        for s in statements {
            let span = s.place.0;
            match &s.kind {
                StatementKind::Assign { name, value, .. } => {
                    if flow.pointers.contains(name.as_str()) {
                        let message = format!("`{name}` is a location, not a variable");
                        self.error(message, span, "assigned to here").help =
                            Some(format!("write `*{name} = ..`"));
                    }
                    if let Some(value) = value {
                        self.expression(value, span, flow);
                        flow.written.insert(name);
                    }
                }
                StatementKind::Store { address, value } => {
                    self.expression(address, span, flow);
                    self.expression(value, span, flow);
                }
                StatementKind::Update { target, value, .. } => {
                    self.expression(target, span, flow);
                    self.expression(value, span, flow);
                }
                StatementKind::Evaluate(e) => self.expression(e, span, flow),
                StatementKind::Fence { .. } => {}
                StatementKind::If { condition, then, otherwise } => {
                    self.expression(condition, span, flow);
                    self.statements(then, flow);
                    self.statements(otherwise, flow);
                }
                StatementKind::While { condition, body } => {
                    self.expression(condition, span, flow);
                    self.statements(body, flow);
                    self.exit(Some(condition), body, span);
                }
                StatementKind::DoWhile { body, condition } => {
                    self.statements(body, flow);
                    self.expression(condition, span, flow);
                    self.exit(Some(condition), body, span);
                }
                StatementKind::For { before, condition, after, body } => {
                    self.statements(before, flow);
                    if let Some(condition) = condition {
                        self.expression(condition, span, flow);
                    }
                    self.statements(body, flow);
                    self.statements(after, flow);
                    self.exit(condition.as_ref(), body, span);
                }
                StatementKind::Break | StatementKind::Continue | StatementKind::Return => {}
            }
        }
    }

    fn exit(&mut self, condition: Option<&Expression>, body: &[Statement], span: Span) {
        let always = condition.is_none_or(|c| matches!(c, Expression::Integer(n) if *n != 0));
        if always && !leaves(body) {
            self.error("a loop without an exit".to_string(), span, "its condition always holds");
        }
    }

    fn expression(&mut self, e: &'a Expression, span: Span, flow: &mut RegisterFlow<'a>) {
        match e {
            Expression::Integer(_) => {}
            Expression::Name(name) => {
                if !flow.pointers.contains(name.as_str()) {
                    self.read(name, span, flow);
                }
            }
            Expression::Dereference(e) | Expression::Unary(_, e) | Expression::Cast(_, e) => {
                self.expression(e, span, flow);
            }
            Expression::Binary(_, a, b) => {
                self.expression(a, span, flow);
                self.expression(b, span, flow);
            }
            Expression::Conditional(parts) => {
                parts.iter().for_each(|e| self.expression(e, span, flow))
            }
            Expression::Atomic(call) => self.call(call, span, flow),
        }
    }

    fn call(&mut self, call: &'a AtomicCall, span: Span, flow: &mut RegisterFlow<'a>) {
        if let Expression::Name(name) = &call.address
            && !flow.pointers.contains(name.as_str())
            && !flow.written.contains(name.as_str())
        {
            let known: Vec<&str> = flow.pointers.iter().copied().collect();
            self.unknown("location", name, span, known);
            return;
        }
        self.expression(&call.address, span, flow);
        // CUDA and C++ pass the variable itself, C its address.
        let expected = match &call.function {
            AtomicFunction::CompareExchange { expected: ExpectedPlace::Variable(name), .. } => {
                Some(name)
            }
            _ => None,
        };
        if let Some(name) = expected {
            self.read(name, span, flow);
        }
        for e in call.function.operands() {
            self.expression(e, span, flow);
        }
        if let Some(name) = expected {
            flow.written.insert(name);
        }
    }

    fn variable(&mut self, variable: &Variable, span: Span, registers: &[BTreeSet<&'a str>]) {
        match variable {
            Variable::Location(name) => {
                let names = self.location_names();
                if !names.contains(&name.as_str()) {
                    self.unknown("location", name, span, names);
                }
            }
            Variable::Register { thread, name } => match registers.get(thread.index()) {
                None => {
                    self.error(
                        format!("there is no thread {thread}"),
                        span,
                        "a register of this thread",
                    );
                }
                Some(known) if !known.contains(name.as_str()) => {
                    self.unknown(
                        &format!("register of {thread}"),
                        name,
                        span,
                        known.iter().copied(),
                    );
                }
                Some(_) => {}
            },
        }
    }
}

/// Is there a way out of the loop with this body, other than its condition?
fn leaves(body: &[Statement]) -> bool {
    body.iter().any(|s| match &s.kind {
        StatementKind::Break | StatementKind::Return => true,
        StatementKind::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        // Only the thread can be left from an inner loop.
        StatementKind::While { body, .. }
        | StatementKind::DoWhile { body, .. }
        | StatementKind::For { body, .. } => returns(body),
        _ => false,
    })
}

fn returns(body: &[Statement]) -> bool {
    body.iter().any(|s| match &s.kind {
        StatementKind::Return => true,
        StatementKind::If { then, otherwise, .. } => returns(then) || returns(otherwise),
        StatementKind::While { body, .. }
        | StatementKind::DoWhile { body, .. }
        | StatementKind::For { body, .. } => returns(body),
        _ => false,
    })
}
