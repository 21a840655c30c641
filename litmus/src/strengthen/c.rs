//! The sites of a thread in C: accesses, atomic or not, fences, and the places before statements
//! and at the ends of blocks.

use margay_models::execution::{Order, Scope};

use super::{Fixed, RawSite, SiteKind, SiteSlots, Strength, TestRewriting};
use crate::test::{
    AtomicCall, AtomicFunction, CMemoryOrder, CScope, ExpectedPlace, Expression, Statement,
    StatementKind, ThreadId,
};

/// The statements with the strengths chosen.
pub(super) fn rewrite(
    body: &[Statement],
    thread: ThreadId,
    rewriting: &mut TestRewriting<'_>,
) -> Vec<Statement> {
    Rewriter { thread, rewriting }.block(body)
}

struct Rewriter<'a, 'r> {
    thread: ThreadId,
    rewriting: &'a mut TestRewriting<'r>,
}

impl Rewriter<'_, '_> {
    fn block(&mut self, body: &[Statement]) -> Vec<Statement> {
        let mut out = Vec::new();
        for statement in body {
            self.gap(&mut out);
            let mut statement = statement.clone();
            if matches!(statement.kind, StatementKind::Fence { .. }) && self.rewriting.marks {
                statement.place = self.rewriting.place(self.rewriting.count);
            }
            self.statement(&mut statement.kind);
            out.push(statement);
        }
        self.gap(&mut out);
        out
    }

    fn gap(&mut self, out: &mut Vec<Statement>) {
        let scoped = self.rewriting.slots.scoped;
        for (_, s, place) in self.rewriting.gap(self.thread, false) {
            let scope = scoped.then(|| s.scope.into());
            out.push(Statement {
                kind: StatementKind::Fence { order: at_least_relaxed(s.order), scope },
                place,
            });
        }
    }

    fn site(&mut self, kind: SiteKind, now: Strength, fixed: Fixed) -> Option<Strength> {
        self.rewriting.site(self.thread, kind, Some(now), fixed)
    }

    fn statement(&mut self, kind: &mut StatementKind) {
        match kind {
            StatementKind::Assign { value, .. } => {
                value.iter_mut().for_each(|e| self.expression(e))
            }
            StatementKind::Store { address, value } => {
                self.expression(address);
                self.expression(value);
                if let Some(s) = self.site(SiteKind::Store, PLAIN, Fixed::Nothing) {
                    let call =
                        self.atomic(AtomicFunction::Store(value.clone()), address.clone(), s);
                    *kind = StatementKind::Evaluate(call);
                }
            }
            // Its own read and write are plain: an atomic operation in their place would be another
            // one.
            StatementKind::Update { target, value, .. } => {
                if let Expression::Dereference(address) = target {
                    self.expression(address);
                }
                self.expression(value);
            }
            StatementKind::Evaluate(e) => self.expression(e),
            StatementKind::Fence { order, scope } => {
                let now = strength(*order, *scope);
                if let Some(s) = self.site(SiteKind::Fence, now, Fixed::Nothing) {
                    *order = at_least_relaxed(s.order);
                    set_scope(scope, now, s);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                *then = self.block(then);
                if !otherwise.is_empty() {
                    *otherwise = self.block(otherwise);
                }
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
            Expression::Dereference(address) => {
                self.expression(address);
                if let Some(s) = self.site(SiteKind::Load, PLAIN, Fixed::Nothing) {
                    *e = self.atomic(AtomicFunction::Load, (**address).clone(), s);
                }
            }
            Expression::Unary(_, e) | Expression::Cast(_, e) => self.expression(e),
            Expression::Binary(_, a, b) => {
                self.expression(a);
                self.expression(b);
            }
            Expression::Conditional(parts) => parts.iter_mut().for_each(|e| self.expression(e)),
            Expression::Atomic(call) => self.call(call),
        }
    }

    /// An access that was plain.
    fn atomic(&mut self, function: AtomicFunction, address: Expression, s: Strength) -> Expression {
        if let Expression::Name(name) = &address {
            self.rewriting.retyped.push(name.clone());
        }
        let scope = self.rewriting.slots.scoped.then(|| s.scope.into());
        Expression::Atomic(Box::new(AtomicCall {
            function,
            address,
            order: Some(at_least_relaxed(s.order)),
            scope,
            object_first: false,
        }))
    }

    fn call(&mut self, call: &mut AtomicCall) {
        self.expression(&mut call.address);
        for e in call.function.operands_mut() {
            self.expression(e);
        }
        if let Some((_, scope)) = self
            .rewriting
            .widens
            .filter(|(name, _)| call.address == Expression::Name((*name).to_owned()))
            && CScope::of_events(call.scope).is_none_or(|now| now < scope)
        {
            call.scope = Some(scope.into());
        }
        let kind = match &call.function {
            AtomicFunction::Load => SiteKind::Load,
            AtomicFunction::Store(_) => SiteKind::Store,
            _ => SiteKind::Rmw,
        };
        let now = strength(call.order.unwrap_or(CMemoryOrder::SeqCst), call.scope);
        let fixed = match &call.function {
            AtomicFunction::CompareExchange { expected: ExpectedPlace::Memory(_), .. } => {
                Fixed::ExpectedValue
            }
            function if function.is_built_in() => Fixed::Order,
            _ => Fixed::Nothing,
        };
        if let Some(s) = self.site(kind, now, fixed) {
            let order = at_least_relaxed(s.order);
            // An order on failure that is not written is what goes with the order; one that is
            // stays at least what it was.
            if let AtomicFunction::CompareExchange { failure, .. } = &mut call.function {
                *failure = match *failure {
                    Some(failure) => Some(stronger_load(failure.of_load(), order.on_failure())),
                    // The form without orders becomes one with both.
                    None if call.order.is_none() => Some(order.on_failure()),
                    None => None,
                };
            }
            call.order = Some(order);
            set_scope(&mut call.scope, now, s);
            if let Expression::Name(name) = &call.address
                && s.scope != now.scope
            {
                self.rewriting.widened.push((name.clone(), s.scope));
            }
        }
    }
}

/// Makes every operation on what a parameter points to one of a scope.
pub(super) fn widen(body: &mut [Statement], thread: ThreadId, parameter: &str, scope: Scope) {
    let slots = SiteSlots { proxies: Vec::new(), fences: 0, scoped: true };
    let mut choose = |_: RawSite| None;
    let mut rewriting = TestRewriting::new(&slots, &mut choose);
    rewriting.widens = Some((parameter, scope));
    let mut rewriter = Rewriter { thread, rewriting: &mut rewriting };
    body.iter_mut().for_each(|s| rewriter.statement(&mut s.kind));
}

/// An access that is not atomic.
const PLAIN: Strength = Strength { order: Order::Plain, scope: Scope::Cta };

/// The stronger one of two orders of loads.
fn stronger_load(a: CMemoryOrder, b: CMemoryOrder) -> CMemoryOrder {
    if a.order().is_at_most(b.order()) { b } else { a }
}

/// A scope that stays what it is stays as it is written.
fn set_scope(written: &mut Option<CScope>, now: Strength, new: Strength) {
    if new.scope != now.scope {
        *written = Some(new.scope.into());
    }
}

/// How strong an operation is. One of a work-item is narrower than any scope that another thread is
/// in.
fn strength(order: CMemoryOrder, scope: Option<CScope>) -> Strength {
    Strength { order: order.order(), scope: CScope::of_events(scope).unwrap_or(Scope::Warp) }
}

/// The order of an operation that is an atomic one from now on.
fn at_least_relaxed(order: Order) -> CMemoryOrder {
    CMemoryOrder::with_order(order).unwrap_or(CMemoryOrder::Relaxed)
}
