//! A thread of an execution as scoped C.

use margay_models::bits::{Event, EventSet};
use margay_models::execution::{EventData, Execution, Kind, Order};

use super::RenderError;
use super::dataflow::inputs;
use super::values::{NEVER_WRITTEN, Values};
use crate::print::statement_lines;
use crate::test::{
    AtomicCall, AtomicFunction, BinaryOperator, Body, CInteger, CMemoryOrder, CParameter, CScope,
    CType, ExpectedPlace, Expression, NumberComparison, Statement, StatementKind,
};

/// A statement and the events that it stands for, under the reads that it is control-dependent on.
struct Guarded {
    statements: Vec<Statement>,
    events: Vec<Event>,
    /// The reads whose value is tested before it.
    guards: EventSet,
}

/// Program, parameters and the line of each event.
type RenderedThread = (Body, Vec<CParameter>, Vec<(Event, usize)>);

/// The program of the thread with the given events.
pub(super) fn thread(
    x: &Execution,
    events: &[Event],
    values: &Values,
) -> Result<RenderedThread, RenderError> {
    let writer = StatementWriter { x, values };
    let mut guarded = Vec::new();
    let mut i = 0;
    while i < events.len() {
        let event = events[i];
        let pair = events.get(i + 1).copied().filter(|&w| x.rmw.contains(event, w));
        let statements = writer.statements(event, pair)?;
        let events = std::iter::once(event).chain(pair).collect::<Vec<_>>();
        i += events.len();
        guarded.push(Guarded { statements, events, guards: x.ctrl.column(event) });
    }
    let mut order = Vec::new();
    let mut statements = declare_early(x, &mut guarded);
    order.extend(statements.iter().map(|_| None));
    statements.extend(writer.nest(&guarded, &EventSet::EMPTY, &mut order)?);
    let mut places = Vec::new();
    for (line, text) in statement_lines(&statements).iter().enumerate() {
        if let Some(Some(item)) = text.statement.and_then(|s| order.get(s)) {
            places.extend(guarded[*item].events.iter().map(|&e| (e, line)));
        }
    }
    let mut used: Vec<u16> = events.iter().filter_map(|e| x.events[e.index()].location).collect();
    used.sort_unstable();
    used.dedup();
    let parameter = |l: u16| {
        let ty = if is_atomic(x, l) { CType::ATOMIC_INT } else { CType::INT };
        CParameter { ty, space: None, name: values.location[usize::from(l)].clone() }
    };
    Ok((Body::Statements(statements), used.into_iter().map(parameter).collect(), places))
}

/// Declares the registers that are assigned in one `if` and used in another before all else.
fn declare_early(x: &Execution, items: &mut [Guarded]) -> Vec<Statement> {
    let mut out = Vec::new();
    for i in 0..items.len() {
        let (guards, events) = (items[i].guards.clone(), items[i].events.clone());
        let depends = |e: &Event| {
            [&x.ctrl, &x.data, &x.addr].iter().any(|d| events.iter().any(|&r| d.contains(r, *e)))
        };
        let last_use = items.iter().rposition(|item| item.events.iter().any(depends));
        let between = items.get(i..last_use.unwrap_or(i)).unwrap_or_default();
        if between.iter().all(|item| (&guards - &item.guards).is_empty()) {
            continue;
        }
        for statement in &mut items[i].statements {
            if let StatementKind::Assign { declares, name, .. } = &mut statement.kind {
                *declares = None;
                out.push(
                    StatementKind::Assign {
                        declares: Some(CInteger::Int),
                        name: name.clone(),
                        value: None,
                    }
                    .into(),
                );
            }
        }
    }
    out
}

/// A location is atomic if it is declared so, or if any access to it is.
fn is_atomic(x: &Execution, l: u16) -> bool {
    let accessed =
        |e: &EventData| e.location == Some(l) && e.order != Order::Plain && e.kind != Kind::Init;
    x.locations[usize::from(l)].atomic || x.events.iter().any(accessed)
}

struct StatementWriter<'a> {
    x: &'a Execution,
    values: &'a Values,
}

impl StatementWriter<'_> {
    /// Puts runs of statements with a common guard into one `if`. `order` gets, for each statement
    /// of the result in order of appearance, the item that it is (`None` for an `if`).
    fn nest(
        &self,
        items: &[Guarded],
        open: &EventSet,
        order: &mut Vec<Option<usize>>,
    ) -> Result<Vec<Statement>, RenderError> {
        self.nest_from(items, 0, items.len(), open, order)
    }

    fn nest_from(
        &self,
        items: &[Guarded],
        from: usize,
        to: usize,
        open: &EventSet,
        order: &mut Vec<Option<usize>>,
    ) -> Result<Vec<Statement>, RenderError> {
        let mut out = Vec::new();
        let mut i = from;
        while i < to {
            let pending = &items[i].guards - open;
            let Some(guard) = pending.iter().next() else {
                // What stands before the operation itself declares its register.
                order.extend(std::iter::repeat_n(None, items[i].statements.len() - 1));
                order.push(Some(i));
                out.extend(items[i].statements.iter().cloned());
                i += 1;
                continue;
            };
            let end = (i..to).find(|&j| !items[j].guards.contains(guard)).unwrap_or(to);
            let value = self.values.of_event[guard.index()].unwrap_or(0);
            let condition = Expression::Binary(
                BinaryOperator::Compare(NumberComparison::Equal),
                Box::new(self.read(guard)?),
                Box::new(Expression::Integer(value)),
            );
            order.push(None);
            let mut inner = open.clone();
            inner.insert(guard);
            let then = self.nest_from(items, i, end, &inner, order)?;
            out.push(StatementKind::If { condition, then, otherwise: Vec::new() }.into());
            i = end;
        }
        Ok(out)
    }

    /// The register of a read.
    fn read(&self, r: Event) -> Result<Expression, RenderError> {
        self.values.register[r.index()]
            .clone()
            .map(Expression::Name)
            .ok_or(RenderError::Dependency(r, r))
    }

    /// `start + (r ^ r) + ..` for the reads of the set.
    fn plus_zeros(&self, start: Expression, reads: EventSet) -> Result<Expression, RenderError> {
        let mut sum = start;
        for r in reads.iter() {
            let r = self.read(r)?;
            let zero = Expression::Binary(BinaryOperator::Xor, Box::new(r.clone()), Box::new(r));
            sum = Expression::Binary(BinaryOperator::Add, Box::new(sum), Box::new(zero));
        }
        Ok(sum)
    }

    fn address(&self, e: Event, partner: Option<Event>) -> Result<Expression, RenderError> {
        let location = self.x.events[e.index()].location.ok_or(RenderError::NoInstruction(e))?;
        let mut reads = self.x.addr.column(e);
        if let Some(partner) = partner {
            reads |= &self.x.addr.column(partner);
        }
        self.plus_zeros(
            Expression::Name(self.values.location[usize::from(location)].clone()),
            reads,
        )
    }

    fn value(&self, w: Event) -> Result<Expression, RenderError> {
        let value = self.values.of_event[w.index()].ok_or(RenderError::NoInstruction(w))?;
        let reads = inputs(self.x, w);
        if let Some(r) = reads.iter().next().filter(|_| self.values.dataflow.copies.contains(w)) {
            return self.read(r);
        }
        let Some(spread) = self.values.dataflow.spread else {
            return self.plus_zeros(Expression::Integer(value), reads);
        };
        let binary = |operator, a, b| Expression::Binary(operator, Box::new(a), Box::new(b));
        let mut sum: Option<Expression> = None;
        for r in reads.iter() {
            let expected = self.values.of_event[r.index()].ok_or(RenderError::Dependency(r, w))?;
            let difference =
                binary(BinaryOperator::Xor, self.read(r)?, Expression::Integer(expected));
            sum = Some(match sum {
                Some(sum) => binary(BinaryOperator::Add, sum, difference),
                None => difference,
            });
        }
        Ok(match sum {
            Some(sum) => {
                let other = binary(BinaryOperator::Multiply, sum, Expression::Integer(spread));
                binary(BinaryOperator::Add, other, Expression::Integer(value))
            }
            None => Expression::Integer(value),
        })
    }

    /// The statements of an operation, itself last.
    fn statements(&self, e: Event, pair: Option<Event>) -> Result<Vec<Statement>, RenderError> {
        if self.x.events[e.index()].compare && self.x.events[e.index()].kind == Kind::Read {
            return self.compare_exchange(e, pair);
        }
        Ok(vec![self.statement(e, pair)?])
    }

    /// A compare-exchange that succeeds if there is a write, else one that expects what is never
    /// written. The register holds the expected value before and what was read after it.
    fn compare_exchange(
        &self,
        e: Event,
        pair: Option<Event>,
    ) -> Result<Vec<Statement>, RenderError> {
        let data = &self.x.events[e.index()];
        let expected =
            self.values.register[e.index()].clone().ok_or(RenderError::NoInstruction(e))?;
        let read = self.values.of_event[e.index()].ok_or(RenderError::NoInstruction(e))?;
        let other = match data.other_order {
            Some(other) => {
                Some(CMemoryOrder::with_order(other).ok_or(RenderError::NoInstruction(e))?)
            }
            None => None,
        };
        let (before, desired, order, failure) = match pair {
            Some(w) => {
                let order = self.rmw_order(e, w)?;
                (read, self.value(w)?, order, other.unwrap_or(order.on_failure()))
            }
            None => {
                let failure =
                    CMemoryOrder::with_order(data.order).ok_or(RenderError::NoInstruction(e))?;
                (NEVER_WRITTEN, Expression::Integer(0), other.unwrap_or(failure), failure)
            }
        };
        let function = AtomicFunction::CompareExchange {
            weak: false,
            expected: ExpectedPlace::Variable(expected.clone()),
            desired,
            failure: Some(failure),
        };
        let call = AtomicCall {
            function,
            address: self.address(e, pair)?,
            order: Some(order),
            scope: data.scope.map(CScope::from),
            object_first: false,
        };
        let declaration = StatementKind::Assign {
            declares: Some(CInteger::Int),
            name: expected,
            value: Some(Expression::Integer(before)),
        };
        Ok(vec![
            declaration.into(),
            StatementKind::Evaluate(Expression::Atomic(Box::new(call))).into(),
        ])
    }

    /// The order of the operation whose halves these are.
    fn rmw_order(&self, read: Event, write: Event) -> Result<CMemoryOrder, RenderError> {
        Ok(match (self.x.events[read.index()].order, self.x.events[write.index()].order) {
            (Order::Sc, Order::Sc) => CMemoryOrder::SeqCst,
            (Order::Acq, Order::Rel) => CMemoryOrder::AcqRel,
            (Order::Acq, Order::Rlx) => CMemoryOrder::Acquire,
            (Order::Rlx, Order::Rel) => CMemoryOrder::Release,
            (Order::Rlx, Order::Rlx) => CMemoryOrder::Relaxed,
            _ => return Err(RenderError::NoInstruction(read)),
        })
    }

    fn statement(&self, e: Event, pair: Option<Event>) -> Result<Statement, RenderError> {
        let data = &self.x.events[e.index()];
        let no_instruction = RenderError::NoInstruction(e);
        let order = |o: Order| CMemoryOrder::with_order(o).ok_or(RenderError::NoInstruction(e));
        let call = |function: AtomicFunction, address: Expression, order: CMemoryOrder| {
            Expression::Atomic(Box::new(AtomicCall {
                function,
                address,
                order: Some(order),
                scope: data.scope.map(CScope::from),
                object_first: false,
            }))
        };
        let assign = |value: Expression| -> Result<StatementKind, RenderError> {
            let name =
                self.values.register[e.index()].clone().ok_or(RenderError::NoInstruction(e))?;
            Ok(StatementKind::Assign { declares: Some(CInteger::Int), name, value: Some(value) })
        };
        let kind = match (data.kind, pair) {
            (Kind::Read, Some(w)) => {
                let order = self.rmw_order(e, w)?;
                let function = match self.x.events[w.index()].writes_back {
                    true => AtomicFunction::Fetch(
                        BinaryOperator::Add,
                        self.plus_zeros(Expression::Integer(0), inputs(self.x, w))?,
                    ),
                    // What computes adds, to what it has read.
                    false if data.computes => {
                        let read =
                            self.values.of_event[e.index()].ok_or(RenderError::NoInstruction(e))?;
                        AtomicFunction::Fetch(BinaryOperator::Add, less(self.value(w)?, read))
                    }
                    false => AtomicFunction::Exchange(self.value(w)?),
                };
                assign(call(function, self.address(e, Some(w))?, order))?
            }
            (Kind::Read, None) if data.order == Order::Plain => {
                assign(Expression::Dereference(Box::new(self.address(e, None)?)))?
            }
            (Kind::Read, None) => {
                assign(call(AtomicFunction::Load, self.address(e, None)?, order(data.order)?))?
            }
            (Kind::Write, _) if data.order == Order::Plain => {
                StatementKind::Store { address: self.address(e, None)?, value: self.value(e)? }
            }
            (Kind::Write, _) => {
                let function = AtomicFunction::Store(self.value(e)?);
                StatementKind::Evaluate(call(function, self.address(e, None)?, order(data.order)?))
            }
            (Kind::Fence, _) => StatementKind::Fence {
                order: order(data.order)?,
                scope: data.scope.map(CScope::from),
            },
            (
                Kind::Init
                | Kind::ProxyFence
                | Kind::BarrierArrive
                | Kind::BarrierWait
                | Kind::AsyncWait,
                _,
            ) => {
                return Err(no_instruction);
            }
        };
        Ok(kind.into())
    }
}

/// A value without another one.
fn less(value: Expression, by: i64) -> Expression {
    match value {
        Expression::Integer(value) => Expression::Integer(value - by),
        value => Expression::Binary(
            BinaryOperator::Subtract,
            Box::new(value),
            Box::new(Expression::Integer(by)),
        ),
    }
}
