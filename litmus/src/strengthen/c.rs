//! The sites of a thread in C: atomic operations, fences, and the places before statements that access memory.

use margay_models::execution::{Order, Scope};

use super::{Site, SiteKind, Strength};
use crate::test::{AtomicCall, AtomicFunction, CScope, Expression, MemoryOrder, Statement, StatementKind, ThreadId};

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
                    && let Some(s) = (self.choose)(&Site { thread: self.thread, kind: SiteKind::Slot, now: None })
                {
                    let kind = StatementKind::Fence { order: memory_order(s.order), scope: Some(s.scope.into()) };
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
                let now = strength(*order, *scope);
                if let Some(s) = (self.choose)(&Site { thread: self.thread, kind: SiteKind::Fence, now: Some(now) }) {
                    *order = memory_order(s.order);
                    *scope = Some(s.scope.into());
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
            Expression::Dereference(e) | Expression::Unary(_, e) | Expression::Cast(_, e) => self.expression(e),
            Expression::Binary(_, a, b) => {
                self.expression(a);
                self.expression(b);
            }
            Expression::Atomic(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &mut AtomicCall) {
        self.expression(&mut call.address);
        for e in call.function.operands_mut() {
            self.expression(e);
        }
        let kind = match &call.function {
            AtomicFunction::Load => SiteKind::Load,
            AtomicFunction::Store(_) => SiteKind::Store,
            // They are relaxed; what can be stronger is a fence beside them.
            function if function.is_built_in() => return,
            _ => SiteKind::Rmw,
        };
        let now = strength(call.order.unwrap_or(MemoryOrder::SeqCst), call.scope);
        if let Some(s) = (self.choose)(&Site { thread: self.thread, kind, now: Some(now) }) {
            let order = memory_order(s.order);
            call.order = Some(order);
            call.scope = Some(s.scope.into());
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

/// How strong an operation is. One of a work-item is no stronger than one of the narrowest scope, and can become that.
fn strength(order: MemoryOrder, scope: Option<CScope>) -> Strength {
    Strength { order: order.order(), scope: CScope::of_events(scope).unwrap_or(Scope::Cta) }
}

fn memory_order(order: Order) -> MemoryOrder {
    match order {
        Order::Plain | Order::Rlx | Order::Tagged(_) => MemoryOrder::Relaxed,
        Order::Acq => MemoryOrder::Acquire,
        Order::Rel => MemoryOrder::Release,
        Order::AcqRel => MemoryOrder::AcqRel,
        Order::Sc => MemoryOrder::SeqCst,
    }
}
