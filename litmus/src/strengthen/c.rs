//! The sites of a thread in C: atomic operations, fences, and the places before statements that access memory.

use margay_models::execution::{Order, Scope};

use super::{Kind, Site, Strength};
use crate::test::{AtomicCall, AtomicFunction, Expression, MemoryOrder, Statement, StatementKind, ThreadId};

/// The statements with the strengths chosen.
pub(super) fn rewrite(body: &[Statement], thread: ThreadId, choose: &mut dyn FnMut(&Site) -> Option<Strength>) -> Vec<Statement> {
    Rewriter { thread, choose, open: false }.block(body)
}

struct Rewriter<'a> {
    thread: ThreadId,
    choose: &'a mut dyn FnMut(&Site) -> Option<Strength>,
    /// Is there an access before, and no fence after it?
    open: bool,
}

impl Rewriter<'_> {
    fn block(&mut self, body: &[Statement]) -> Vec<Statement> {
        let mut out = Vec::new();
        for statement in body {
            let mut statement = statement.clone();
            if accesses(&statement.kind) {
                if self.open
                    && let Some(s) = (self.choose)(&Site { thread: self.thread, kind: Kind::Slot, now: None })
                {
                    let kind = StatementKind::Fence { order: memory_order(s.order), scope: Some(s.scope) };
                    out.push(Statement { kind, place: statement.place });
                }
                self.open = true;
            }
            self.statement(&mut statement.kind);
            out.push(statement);
        }
        out
    }

    fn statement(&mut self, kind: &mut StatementKind) {
        match kind {
            StatementKind::Assign { value, .. } => value.iter_mut().for_each(|e| self.expression(e)),
            StatementKind::Store { address, value } => {
                self.expression(address);
                self.expression(value);
            }
            StatementKind::Evaluate(e) => self.expression(e),
            StatementKind::Fence { order, scope } => {
                self.open = false;
                let now = Strength { order: order.order(), scope: scope.unwrap_or(Scope::Sys) };
                if let Some(s) = (self.choose)(&Site { thread: self.thread, kind: Kind::Fence, now: Some(now) }) {
                    *order = memory_order(s.order);
                    *scope = Some(s.scope);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                *then = self.block(then);
                *otherwise = self.block(otherwise);
            }
            StatementKind::While { condition, body } => {
                self.expression(condition);
                *body = self.block(body);
            }
            StatementKind::DoWhile { body, condition } => {
                *body = self.block(body);
                self.expression(condition);
            }
            StatementKind::For { before, condition, after, body } => {
                before.iter_mut().for_each(|s| self.statement(&mut s.kind));
                condition.iter_mut().for_each(|e| self.expression(e));
                *body = self.block(body);
                after.iter_mut().for_each(|s| self.statement(&mut s.kind));
            }
            StatementKind::Break | StatementKind::Continue | StatementKind::Return => {}
        }
    }

    fn expression(&mut self, e: &mut Expression) {
        match e {
            Expression::Integer(_) | Expression::Name(_) => {}
            Expression::Dereference(e) | Expression::Unary(_, e) => self.expression(e),
            Expression::Binary(_, a, b) => {
                self.expression(a);
                self.expression(b);
            }
            Expression::Atomic(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &mut AtomicCall) {
        self.expression(&mut call.address);
        let kind = match &mut call.function {
            AtomicFunction::Load => Kind::Load,
            AtomicFunction::Store(value) => {
                self.expression(value);
                Kind::Store
            }
            AtomicFunction::Exchange(e)
            | AtomicFunction::Fetch(_, e)
            | AtomicFunction::FetchMin(e)
            | AtomicFunction::FetchMax(e)
            | AtomicFunction::CompareExchange { desired: e, .. } => {
                self.expression(e);
                Kind::Rmw
            }
        };
        let order = call.order.unwrap_or(MemoryOrder::SeqCst);
        let now = Strength { order: order.order(), scope: call.scope.unwrap_or(Scope::Sys) };
        if let Some(s) = (self.choose)(&Site { thread: self.thread, kind, now: Some(now) }) {
            let order = memory_order(s.order);
            call.order = Some(order);
            call.scope = Some(s.scope);
            // The order on failure is the strongest one that goes with it.
            if let AtomicFunction::CompareExchange { failure, .. } = &mut call.function {
                *failure = Some(order.on_failure());
            }
        }
    }
}

/// Does a statement itself access memory, first of all?
fn accesses(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Assign { value, .. } => value.as_ref().is_some_and(Expression::accesses),
        StatementKind::Store { .. } => true,
        StatementKind::Evaluate(e) => e.accesses(),
        StatementKind::If { condition, .. } | StatementKind::While { condition, .. } => condition.accesses(),
        _ => false,
    }
}

fn memory_order(order: Order) -> MemoryOrder {
    match order {
        Order::Plain | Order::Rlx => MemoryOrder::Relaxed,
        Order::Acq => MemoryOrder::Acquire,
        Order::Rel => MemoryOrder::Release,
        Order::AcqRel => MemoryOrder::AcqRel,
        Order::Sc => MemoryOrder::SeqCst,
    }
}
