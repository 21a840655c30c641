//! Scoped C to straight code.
//!
//! Operands are not sequenced (C11 6.5p2, 6.5.2.2p10): the accesses of an expression are done in
//! every order in which each comes behind those of its own operands, and behind what [`Sequencing`]
//! puts before it. A call of an atomic function is one step there ("indeterminately sequenced"). Of
//! `a && b`, `a || b` and `c ? a : b` the left side comes first and decides whether the others are
//! done at all; what stands beside them may come between. Two plain loads are unsequenced as well;
//! since they order nothing, their order matters only beside an atomic operation.

use margay_models::execution::{Order, Proxy, Spaces};
use margay_models::signature::{Construct, Operation};

use super::UnfoldError;
use super::program::{Attributes, Modification, Program, Register, Step, Term};
use super::shared::Shared;
use super::symbol::{Binary, Unary};
use crate::test::{
    AtomicCall, AtomicFunction, BinaryOperator, Body, CInteger, CMemoryOrder, CParameter, CScope,
    Evaluations, ExpectedPlace, Expression, NumberComparison, Place, Sequencing, Statement,
    StatementKind, Test, ThreadId, UnaryOperator,
};

/// The code of a thread.
pub(super) fn compile(
    test: &Test,
    thread: ThreadId,
    shared: &Shared,
) -> Result<Program, UnfoldError> {
    let Some(of) = test.threads.get(thread.index()) else { return Ok(Program::default()) };
    let mut compiler = CCompiler {
        shared,
        rules: test.sequencing,
        body: &of.body,
        parameters: &of.parameters,
        program: Program::default(),
        place: Place::default(),
        loops: Vec::new(),
        conditions: Vec::new(),
        returns: Vec::new(),
        return_conditions: Vec::new(),
        done: Vec::new(),
    };
    if let Body::Statements(statements) = &of.body {
        compiler.statements(statements)?;
    }
    for at in std::mem::take(&mut compiler.returns) {
        compiler.program.patch(at);
    }
    for branch in std::mem::take(&mut compiler.return_conditions) {
        compiler.depends_until(branch, None);
    }
    Ok(compiler.program)
}

/// A loop whose body is being compiled.
struct Loop {
    /// Jumps behind the loop, and to what is done after each turn.
    breaks: Vec<usize>,
    continues: Vec<usize>,
    /// Branches that decide whether a `break` (`continue`) is reached: the rest of the loop (of the
    /// turn) depends on them.
    break_conditions: Vec<usize>,
    continue_conditions: Vec<usize>,
    /// How many branches were open when the loop began, its own condition included.
    outer: usize,
}

struct CCompiler<'a> {
    shared: &'a Shared,
    rules: Sequencing,
    body: &'a Body,
    parameters: &'a [CParameter],
    program: Program,
    /// The statement being compiled.
    place: Place,
    /// The loops around it.
    loops: Vec<Loop>,
    /// The branches whose arms it is in.
    conditions: Vec<usize>,
    /// Jumps to the end of the thread, and the branches that decide whether one is reached: all
    /// that follows depends on them.
    returns: Vec<usize>,
    return_conditions: Vec<usize>,
    /// Parts of the expression being compiled whose accesses are done, by their addresses in the
    /// tree, with the values.
    done: Vec<(*const Expression, Register, Option<CInteger>)>,
}

/// The largest number of orders in which the accesses of an expression are done.
const MAX_ORDERS: usize = 120;

impl CCompiler<'_> {
    fn push(&mut self, step: Step) -> usize {
        self.program.push(step, self.place)
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), UnfoldError> {
        for s in statements {
            self.place = s.place;
            match &s.kind {
                StatementKind::Assign { name, value, .. } => {
                    let register = self.program.register(name);
                    if let Some(value) = value {
                        self.evaluate(&Evaluations::of_expression(self.rules, value))?;
                        let value = self.expression(value)?.converted(self.body.declared(name));
                        self.push(Step::Assign(register, value));
                    }
                }
                StatementKind::Store { address: at, value } => {
                    self.evaluate(&Evaluations::of_store(self.rules, at, value))?;
                    let address = self.expression(at)?.term;
                    let value = self.stored(at, value)?;
                    self.push(Step::Store {
                        address,
                        value,
                        attributes: Attributes::new(Order::Plain, None),
                    });
                }
                StatementKind::Update { target, operator, value } => {
                    self.evaluate(&Evaluations::of_update(self.rules, target, value))?;
                    self.update(target, *operator, value)?;
                }
                StatementKind::Evaluate(e) => {
                    self.evaluate(&Evaluations::of_expression(self.rules, e))?;
                    self.expression(e)?;
                }
                // C11 7.17.4.1: a relaxed fence has no effects.
                StatementKind::Fence { order: CMemoryOrder::Relaxed, .. } => {}
                StatementKind::Fence { order: o, scope } => {
                    self.push(Step::Fence {
                        order: o.order(),
                        scope: CScope::of_events(*scope),
                        spaces: Spaces::NONE,
                        proxy: Proxy::Generic,
                    });
                }
                StatementKind::If { condition, then, otherwise } => {
                    let condition = self.condition(condition)?;
                    let branch = self.branch(condition);
                    self.conditions.push(branch);
                    self.statements(then)?;
                    if otherwise.is_empty() {
                        self.program.patch(branch);
                    } else {
                        let over = self.push(Step::Jump(0));
                        self.program.patch(branch);
                        self.statements(otherwise)?;
                        self.program.patch(over);
                        // What depends on the condition ends behind both arms.
                        let end = self.program.steps.len();
                        self.depends_until(branch, Some(end));
                    }
                    self.conditions.pop();
                }
                StatementKind::While { condition, body } => {
                    let start = self.program.steps.len();
                    let condition = self.condition(condition)?;
                    let branch = self.branch(condition);
                    self.turns(start, Some(branch), body, &[])?;
                }
                StatementKind::For { before, condition, after, body } => {
                    self.statements(before)?;
                    self.place = s.place;
                    let start = self.program.steps.len();
                    let branch = match condition {
                        Some(condition) => {
                            let condition = self.condition(condition)?;
                            Some(self.branch(condition))
                        }
                        None => None,
                    };
                    self.turns(start, branch, body, after)?;
                }
                StatementKind::DoWhile { body, condition } => {
                    let start = self.program.steps.len();
                    let returns = self.returns.len();
                    let this = self.body(body)?;
                    self.place = s.place;
                    let condition = self.condition(condition)?;
                    let branch = self.branch(condition);
                    self.push(Step::Jump(start));
                    self.program.patch(branch);
                    if self.returns.len() > returns {
                        // Whether there is another turn decides whether a `return` is reached.
                        self.return_conditions.push(branch);
                    }
                    self.leave(this);
                }
                StatementKind::Break | StatementKind::Continue => {
                    let jump = self.push(Step::Jump(0));
                    if let Some(innermost) = self.loops.last_mut() {
                        let deciding = self.conditions.get(innermost.outer..).unwrap_or_default();
                        if matches!(s.kind, StatementKind::Break) {
                            innermost.breaks.push(jump);
                            innermost.break_conditions.extend(deciding);
                        } else {
                            innermost.continues.push(jump);
                            innermost.continue_conditions.extend(deciding);
                        }
                    }
                }
                StatementKind::Return => {
                    let jump = self.push(Step::Jump(0));
                    self.returns.push(jump);
                    self.return_conditions.extend(&self.conditions);
                }
            }
        }
        Ok(())
    }

    /// The body of a loop and what comes back to its start; `branch` is the branch out of it.
    fn turns(
        &mut self,
        start: usize,
        branch: Option<usize>,
        body: &[Statement],
        after: &[Statement],
    ) -> Result<(), UnfoldError> {
        let place = self.place;
        self.conditions.extend(branch);
        let this = self.body(body)?;
        self.statements(after)?;
        self.place = place;
        self.push(Step::Jump(start));
        if let Some(branch) = branch {
            self.program.patch(branch);
            self.conditions.pop();
        }
        self.leave(this);
        Ok(())
    }

    /// The body of a loop, up to where `continue` goes to.
    fn body(&mut self, body: &[Statement]) -> Result<Loop, UnfoldError> {
        self.loops.push(Loop {
            breaks: Vec::new(),
            continues: Vec::new(),
            break_conditions: Vec::new(),
            continue_conditions: Vec::new(),
            outer: self.conditions.len(),
        });
        self.statements(body)?;
        let mut this =
            self.loops.pop().ok_or_else(|| UnfoldError::new("a loop ends that did not begin"))?;
        let here = self.program.steps.len();
        for at in std::mem::take(&mut this.continues) {
            self.program.patch(at);
        }
        for &branch in &this.continue_conditions {
            self.depends_until(branch, Some(here));
        }
        Ok(this)
    }

    /// The end of a loop: where `break` goes to.
    fn leave(&mut self, this: Loop) {
        let here = self.program.steps.len();
        for at in this.breaks {
            self.program.patch(at);
        }
        for branch in this.break_conditions {
            self.depends_until(branch, Some(here));
        }
    }

    /// Says up to where the steps after a branch depend on its condition (`None`: to the end).
    fn depends_until(&mut self, branch: usize, end: Option<usize>) {
        if let Step::BranchIfZero { until, .. } = &mut self.program.steps[branch].0 {
            *until = end;
        }
    }

    /// The condition of a statement.
    fn condition(&mut self, e: &Expression) -> Result<Term, UnfoldError> {
        self.evaluate(&Evaluations::of_expression(self.rules, e))?;
        Ok(self.expression(e)?.term)
    }

    /// Does the accesses of operands that are not sequenced, in every order. If there is only one,
    /// that of the text, or none that makes a difference, they are left to [`Self::expression`].
    fn evaluate(&mut self, evaluations: &Evaluations<'_>) -> Result<(), UnfoldError> {
        let Some(orders) = evaluations.orders(MAX_ORDERS) else {
            let message = format!(
                "the operands here are not sequenced (C11 6.5p2), and have more than {MAX_ORDERS} orders"
            );
            return Err(UnfoldError::at(message, self.place));
        };
        let values: Vec<Register> =
            evaluations.all().iter().map(|_| self.program.fresh()).collect();
        let (before, mut ends) = (self.done.len(), Vec::new());
        for (number, order) in orders.iter().enumerate() {
            let fork = (number + 1 < orders.len()).then(|| self.push(Step::Fork(0)));
            self.done.truncate(before);
            for &next in order {
                let evaluation = &evaluations.all()[next];
                if !evaluation.guards.is_empty() {
                    // What is not done has no value; that of an earlier turn of a loop is none
                    // either.
                    self.push(Step::Assign(values[next], Term::Constant(0)));
                }
                let mut branches = Vec::with_capacity(evaluation.guards.len());
                for &(condition, holds) in &evaluation.guards {
                    let condition = self.expression(condition)?.term;
                    let goes_on = if holds {
                        condition
                    } else {
                        Term::Unary(Unary::LogicalNot, Box::new(condition))
                    };
                    branches.push(self.branch(goes_on));
                }
                let CTypedValue { term, ty } = self.expression(evaluation.part)?;
                self.push(Step::Assign(values[next], term));
                branches.into_iter().for_each(|branch| self.program.patch(branch));
                self.done.push((std::ptr::from_ref(evaluation.part), values[next], ty));
            }
            if let Some(fork) = fork {
                ends.push(self.push(Step::Jump(0)));
                self.program.patch(fork);
            }
        }
        for end in ends {
            self.program.patch(end);
        }
        Ok(())
    }

    /// Are the accesses of a part done?
    fn is_done(&self, e: &Expression) -> bool {
        let is_done =
            |part: &Expression| self.done.iter().any(|(known, ..)| std::ptr::eq(*known, part));
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match e {
                _ if is_done(e) => return true,
                Expression::Integer(_) | Expression::Name(_) => {}
                Expression::Dereference(e) | Expression::Unary(_, e) | Expression::Cast(_, e) => {
                    open.push(e)
                }
                Expression::Binary(_, a, b) => open.extend([&**a, &**b]),
                Expression::Conditional(parts) => open.extend(parts.iter()),
                Expression::Atomic(call) => {
                    open.push(&call.address);
                    open.extend(call.function.operands());
                }
            }
        }
        false
    }

    fn branch(&mut self, condition: Term) -> usize {
        self.push(Step::BranchIfZero { condition, target: 0, until: Some(0) })
    }

    fn name(&mut self, name: &str) -> CTypedValue {
        match self.shared.address_of(name) {
            Ok(address) => CTypedValue { term: Term::Constant(address), ty: None },
            Err(_) => CTypedValue {
                term: Term::Register(self.program.register(name)),
                ty: Some(self.body.declared(name)),
            },
        }
    }

    /// The type of what a pointer points to, if it is that of a parameter or of an element behind
    /// it.
    fn pointed(&self, pointer: &Expression) -> Option<CInteger> {
        match pointer {
            Expression::Name(name) => {
                self.parameters.iter().find(|p| p.name == *name).map(|p| p.ty.integer)
            }
            Expression::Binary(
                BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Subscript,
                a,
                b,
            ) => self.pointed(a).or_else(|| self.pointed(b)),
            _ => None,
        }
    }

    /// A value on its way to memory. It becomes one of the location's type there; only `bool` is
    /// not a matter of its lowest bits.
    fn stored(&mut self, pointer: &Expression, value: &Expression) -> Result<Term, UnfoldError> {
        let value = self.expression(value)?;
        Ok(if self.pointed(pointer) == Some(CInteger::Bool) {
            value.converted(CInteger::Bool)
        } else {
            value.term
        })
    }

    /// `*x += e`, whose pointer is evaluated once.
    fn update(
        &mut self,
        target: &Expression,
        operator: BinaryOperator,
        value: &Expression,
    ) -> Result<(), UnfoldError> {
        let Expression::Dereference(pointer) = target else { return Ok(()) };
        let address = self.expression(pointer)?.term;
        let known = self.done.iter().rev().find(|(part, ..)| std::ptr::eq(*part, target)).copied();
        let read = match known {
            Some((_, register, ty)) => CTypedValue { term: Term::Register(register), ty },
            None => {
                let to = self.program.fresh();
                self.push(Step::Load {
                    to,
                    address: address.clone(),
                    attributes: Attributes::new(Order::Plain, None),
                });
                CTypedValue {
                    term: Term::Register(to),
                    ty: Some(self.pointed(pointer).unwrap_or(CInteger::Long)),
                }
            }
        };
        let value = computed(operator, read, self.expression(value)?);
        let value = if self.pointed(pointer) == Some(CInteger::Bool) {
            value.converted(CInteger::Bool)
        } else {
            value.term
        };
        self.push(Step::Store { address, value, attributes: Attributes::new(Order::Plain, None) });
        Ok(())
    }

    /// A term, with the accesses in it done before. Reads go to registers of their own, so that
    /// later ones do not disturb.
    fn expression(&mut self, e: &Expression) -> Result<CTypedValue, UnfoldError> {
        if let Some(&(_, value, ty)) =
            self.done.iter().rev().find(|(part, ..)| std::ptr::eq(*part, e))
        {
            return Ok(CTypedValue { term: Term::Register(value), ty });
        }
        Ok(match e {
            Expression::Integer(n) => {
                CTypedValue { term: Term::Constant(*n), ty: Some(Expression::of_number(*n)) }
            }
            Expression::Name(name) => self.name(name),
            Expression::Dereference(pointer) => {
                let address = self.expression(pointer)?.term;
                let to = self.program.fresh();
                self.push(Step::Load {
                    to,
                    address,
                    attributes: Attributes::new(Order::Plain, None),
                });
                CTypedValue {
                    term: Term::Register(to),
                    ty: Some(self.pointed(pointer).unwrap_or(CInteger::Long)),
                }
            }
            Expression::Unary(UnaryOperator::LogicalNot, e) => CTypedValue::truth(Term::Unary(
                Unary::LogicalNot,
                Box::new(self.expression(e)?.term),
            )),
            Expression::Unary(operator, e) => {
                let operator = if *operator == UnaryOperator::Negate {
                    Unary::Negate
                } else {
                    Unary::BitwiseNot
                };
                let CTypedValue { term, ty } = self.expression(e)?;
                let ty = ty.map(CInteger::promoted);
                CTypedValue {
                    term: Term::Unary(operator, Box::new(term)).convert(ty.map(CInteger::integer)),
                    ty,
                }
            }
            Expression::Cast(to, e) => {
                CTypedValue { term: self.expression(e)?.converted(*to), ty: Some(*to) }
            }
            Expression::Binary(
                operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr),
                a,
                b,
            ) if b.accesses() && !self.is_done(b) => CTypedValue::truth(self.short_circuit(
                *operator == BinaryOperator::LogicalAnd,
                a,
                b,
            )?),
            Expression::Binary(operator, a, b) => {
                let a = self.expression(a)?;
                let b = self.expression(b)?;
                computed(*operator, a, b)
            }
            Expression::Conditional(parts) => self.conditional(parts)?,
            Expression::Atomic(call) => {
                let register = Term::Register(self.call(call)?);
                if matches!(call.function, AtomicFunction::CompareExchange { .. }) {
                    return Ok(CTypedValue::truth(register));
                }
                CTypedValue {
                    term: register,
                    ty: Some(self.pointed(&call.address).unwrap_or(CInteger::Long)),
                }
            }
        })
    }

    fn short_circuit(
        &mut self,
        is_and: bool,
        a: &Expression,
        b: &Expression,
    ) -> Result<Term, UnfoldError> {
        let truth = |t: Term| {
            Term::binary(Binary::Compare(NumberComparison::NotEqual), t, Term::Constant(0))
        };
        let to = self.program.fresh();
        let a = self.condition(a)?;
        self.push(Step::Assign(to, truth(a)));
        let goes_on = Term::Register(to);
        let goes_on =
            if is_and { goes_on } else { Term::Unary(Unary::LogicalNot, Box::new(goes_on)) };
        let branch = self.branch(goes_on);
        let b = self.condition(b)?;
        self.push(Step::Assign(to, truth(b)));
        self.program.patch(branch);
        Ok(Term::Register(to))
    }

    /// `c ? a : b`, of the type that both have in common (C11 6.5.15p5).
    fn conditional(&mut self, parts: &[Expression; 3]) -> Result<CTypedValue, UnfoldError> {
        let [condition, then, otherwise] = parts;
        let is_done = parts.iter().any(|e| self.is_done(e));
        let part = |compiler: &mut Self, e: &Expression| {
            if !is_done {
                compiler.evaluate(&Evaluations::of_expression(compiler.rules, e))?;
            }
            compiler.expression(e)
        };
        let to = self.program.fresh();
        let condition = part(self, condition)?.term;
        let branch = self.branch(condition);
        let then = part(self, then)?;
        let assigned = self.push(Step::Assign(to, then.term));
        let over = self.push(Step::Jump(0));
        self.program.patch(branch);
        let otherwise = part(self, otherwise)?;
        let ty = then.ty.zip(otherwise.ty).map(|(a, b)| a.common(b));
        let integer = ty.map(CInteger::integer);
        self.push(Step::Assign(to, otherwise.term.convert(integer)));
        self.program.patch(over);
        let end = self.program.steps.len();
        self.depends_until(branch, Some(end));
        if let Step::Assign(_, term) = &mut self.program.steps[assigned].0 {
            *term = std::mem::replace(term, Term::Constant(0)).convert(integer);
        }
        Ok(CTypedValue { term: Term::Register(to), ty })
    }

    /// Does the call; gives the register with its value.
    fn call(&mut self, call: &AtomicCall) -> Result<Register, UnfoldError> {
        let address = self.expression(&call.address)?.term;
        let scope = CScope::of_events(call.scope);
        let memory_order = call.order.unwrap_or(CMemoryOrder::SeqCst).order();
        let construct = Construct { operation: Operation::Rmw, order: memory_order };
        let read = Attributes::new(construct.read_order(), scope);
        let write = Attributes::new(construct.write_order(), scope);
        let to = self.program.fresh();
        let swap = |expected: Term,
                    new: Term,
                    success: Option<Register>,
                    failure: Attributes,
                    spurious: bool| {
            Modification::CompareAndSwap { expected, new, success, failure, spurious }
        };
        let modification = match &call.function {
            AtomicFunction::Load => {
                self.push(Step::Load {
                    to,
                    address,
                    attributes: Attributes::new(memory_order, scope),
                });
                return Ok(to);
            }
            AtomicFunction::Store(value) => {
                let value = self.stored(&call.address, value)?;
                self.push(Step::Store {
                    address,
                    value,
                    attributes: Attributes::new(memory_order, scope),
                });
                return Ok(to);
            }
            AtomicFunction::Exchange(value) => {
                Modification::Exchange(self.stored(&call.address, value)?)
            }
            AtomicFunction::Fetch(operator, value) => {
                Modification::Apply(binary(*operator), self.expression(value)?.term)
            }
            AtomicFunction::FetchMin(value) => {
                Modification::Apply(Binary::Min, self.expression(value)?.term)
            }
            AtomicFunction::FetchMax(value) => {
                Modification::Apply(Binary::Max, self.expression(value)?.term)
            }
            AtomicFunction::Increment(value) => {
                Modification::Apply(Binary::Increment, self.expression(value)?.term)
            }
            AtomicFunction::Decrement(value) => {
                Modification::Apply(Binary::Decrement, self.expression(value)?.term)
            }
            AtomicFunction::CompareAndSwap { expected, desired } => {
                let expected = self.stored(&call.address, expected)?;
                let new = self.stored(&call.address, desired)?;
                swap(expected, new, None, read, false)
            }
            AtomicFunction::CompareExchange { weak, expected, desired, failure } => {
                // A failure is a load: what a release would do for it nobody can tell (C11 7.17.7.4
                // has no such order). Without an order of its own a failure has that of the
                // success, less its release part.
                let failure = failure.map_or(construct.read_order(), |o| o.of_load().order());
                let success = self.program.fresh();
                let failure = Attributes::new(failure, scope);
                match expected {
                    ExpectedPlace::Variable(name) => {
                        let new = self.stored(&call.address, desired)?;
                        let expected = self.program.register(name);
                        let modification =
                            swap(Term::Register(expected), new, Some(success), failure, *weak);
                        self.push(Step::Modify {
                            to: Some(to),
                            address,
                            modification,
                            read,
                            write,
                        });
                        // On success `expected` keeps its value, which is what was read then too.
                        let value = CTypedValue { term: Term::Register(to), ty: None }
                            .converted(self.body.declared(name));
                        self.push(Step::Assign(expected, value));
                    }
                    ExpectedPlace::Memory(pointer) => {
                        let place = self.expression(pointer)?.term;
                        let new = self.stored(&call.address, desired)?;
                        let plain = Attributes::new(Order::Plain, None);
                        let old = self.program.fresh();
                        self.push(Step::Load {
                            to: old,
                            address: place.clone(),
                            attributes: plain,
                        });
                        let modification =
                            swap(Term::Register(old), new, Some(success), failure, *weak);
                        self.push(Step::Modify {
                            to: Some(to),
                            address,
                            modification,
                            read,
                            write,
                        });
                        let failed =
                            Term::Unary(Unary::LogicalNot, Box::new(Term::Register(success)));
                        let over = self.branch(failed);
                        self.push(Step::Store {
                            address: place,
                            value: Term::Register(to),
                            attributes: plain,
                        });
                        self.program.patch(over);
                    }
                }
                return Ok(success);
            }
        };
        self.push(Step::Modify { to: Some(to), address, modification, read, write });
        Ok(to)
    }
}

/// A value with its type; `None` for pointers, which no conversion cuts off.
struct CTypedValue {
    term: Term,
    ty: Option<CInteger>,
}

impl CTypedValue {
    /// The result of a comparison.
    fn truth(term: Term) -> Self {
        Self { term, ty: Some(CInteger::Int) }
    }

    /// The value as one of a type (C11 6.3.1.2, 6.3.1.3).
    fn converted(self, ty: CInteger) -> Term {
        match ty {
            CInteger::Bool if self.ty != Some(CInteger::Bool) => Term::binary(
                Binary::Compare(NumberComparison::NotEqual),
                self.term,
                Term::Constant(0),
            ),
            _ => self.term.convert(Some(ty.integer())),
        }
    }
}

/// `a operator b`, in the type that both have in common (C11 6.3.1.8), or of a pointer.
fn computed(operator: BinaryOperator, a: CTypedValue, b: CTypedValue) -> CTypedValue {
    let of = binary(operator);
    let common = a.ty.zip(b.ty).map(|(x, y)| x.common(y));
    match operator {
        BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
            CTypedValue::truth(Term::binary(of, a.term, b.term))
        }
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
            let ty = a.ty.map(CInteger::promoted);
            let integer = ty.map(CInteger::integer);
            CTypedValue { term: Term::binary(of.of(integer), a.term, b.term).convert(integer), ty }
        }
        _ => {
            let integer = common.map(CInteger::integer);
            let term = Term::typed(of, a.term, b.term, integer);
            CTypedValue {
                term,
                ty: if matches!(operator, BinaryOperator::Compare(_)) {
                    Some(CInteger::Int)
                } else {
                    common
                },
            }
        }
    }
}

fn binary(operator: BinaryOperator) -> Binary {
    match operator {
        BinaryOperator::Multiply => Binary::Multiply,
        BinaryOperator::Divide => Binary::Divide,
        BinaryOperator::Remainder => Binary::Remainder,
        BinaryOperator::Add | BinaryOperator::Subscript => Binary::Add,
        BinaryOperator::Subtract => Binary::Subtract,
        BinaryOperator::ShiftLeft => Binary::ShiftLeft,
        BinaryOperator::ShiftRight => Binary::ShiftRight,
        BinaryOperator::Compare(comparison) => Binary::Compare(comparison),
        BinaryOperator::And => Binary::And,
        BinaryOperator::Xor => Binary::Xor,
        BinaryOperator::Or => Binary::Or,
        BinaryOperator::LogicalAnd => Binary::LogicalAnd,
        BinaryOperator::LogicalOr => Binary::LogicalOr,
    }
}
