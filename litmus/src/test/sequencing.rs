//! In which order the accesses of an expression are done: those of C, and those of C++ since 2017.

use super::{AtomicFunction, BinaryOperator, Body, Expression, Statement, StatementKind, Test};

/// Whose rules of evaluation a test in C follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sequencing {
    /// C11: operands and arguments are not sequenced (6.5p2, 6.5.2.2p10), but for those of `&&`,
    /// `||` and `?:` (6.5.13p4, 6.5.14p4, 6.5.15p4).
    #[default]
    C11,
    /// C++17: the right side of `=` and of `+=` comes before the left one ([expr.ass]), the left
    /// one of `<<` and `>>` before the right one ([expr.shift]), `a` of `a[b]` before `b`
    /// ([expr.sub]), the object of a member call before its arguments, and arguments do not
    /// interleave ([expr.call]). The reader says so only of a test where that makes a difference.
    Cpp17,
}

/// A part of an expression that accesses memory in one step, behind others.
#[derive(Debug)]
pub struct Evaluation<'e> {
    pub part: &'e Expression,
    /// Those that come before it, as a mask.
    pub after: u64,
    /// It is done only where each of these is true or false.
    pub guards: Vec<(&'e Expression, bool)>,
    /// Is it more than a plain load?
    orders: bool,
}

/// The accesses of what is evaluated as one: an expression, or both sides of an assignment.
#[derive(Debug)]
pub struct Evaluations<'e> {
    rules: Sequencing,
    all: Vec<Evaluation<'e>>,
    /// Of two sets one comes before the other, as a whole.
    apart: Vec<(u64, u64)>,
}

/// The largest number of accesses whose orders are looked at.
const MOST: usize = 63;

impl<'e> Evaluations<'e> {
    pub fn of_expression(rules: Sequencing, e: &'e Expression) -> Self {
        let mut found = Self { rules, all: Vec::new(), apart: Vec::new() };
        found.add(e, 0, &[]);
        found
    }

    /// Of `*address = value`.
    pub fn of_store(rules: Sequencing, address: &'e Expression, value: &'e Expression) -> Self {
        let mut found = Self { rules, all: Vec::new(), apart: Vec::new() };
        let of_address = found.add(address, 0, &[]);
        let of_value = found.add(value, 0, &[]);
        if rules == Sequencing::Cpp17 {
            for (at, evaluation) in found.all.iter_mut().enumerate() {
                evaluation.after |= if of_address >> at & 1 == 1 { of_value } else { 0 };
            }
        }
        found
    }

    /// Of `target += value`, whose target is read and written.
    pub fn of_update(rules: Sequencing, target: &'e Expression, value: &'e Expression) -> Self {
        Self::of_store(rules, target, value)
    }

    /// Adds those of a part that come behind others, where guards hold; gives them as a mask.
    fn add(&mut self, e: &'e Expression, after: u64, guards: &[(&'e Expression, bool)]) -> u64 {
        let guarded = |by: &'e Expression, holds: bool| [guards, &[(by, holds)]].concat();
        let (inside, orders) = match e {
            Expression::Integer(_) | Expression::Name(_) => return 0,
            Expression::Unary(_, e) | Expression::Cast(_, e) => return self.add(e, after, guards),
            Expression::Binary(
                operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr),
                a,
                b,
            ) => {
                let left = self.add(a, after, guards);
                let goes_on = guarded(a, *operator == BinaryOperator::LogicalAnd);
                return left | self.add(b, after | left, &goes_on);
            }
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let first = self.add(condition, after, guards);
                let then = self.add(then, after | first, &guarded(condition, true));
                return first
                    | then
                    | self.add(otherwise, after | first, &guarded(condition, false));
            }
            Expression::Binary(operator, a, b) => {
                let left = self.add(a, after, guards);
                let left_first = matches!(
                    operator,
                    BinaryOperator::ShiftLeft
                        | BinaryOperator::ShiftRight
                        | BinaryOperator::Subscript
                );
                let before = if left_first && self.rules == Sequencing::Cpp17 { left } else { 0 };
                return left | self.add(b, after | before, guards);
            }
            Expression::Dereference(pointer) => (self.add(pointer, after, guards), false),
            Expression::Atomic(call) => {
                let object = self.add(&call.address, after, guards);
                let before =
                    if call.object_first && self.rules == Sequencing::Cpp17 { object } else { 0 };
                let mut arguments = if before == 0 { vec![object] } else { Vec::new() };
                for operand in call.function.operands() {
                    arguments.push(self.add(operand, after | before, guards));
                }
                if self.rules == Sequencing::Cpp17 {
                    let pairs = (0..arguments.len())
                        .flat_map(|a| (a + 1..arguments.len()).map(move |b| (a, b)));
                    self.apart.extend(
                        pairs
                            .map(|(a, b)| (arguments[a], arguments[b]))
                            .filter(|(a, b)| *a != 0 && *b != 0),
                    );
                }
                (arguments.into_iter().fold(before, |all, of| all | of), true)
            }
        };
        let itself = 1 << self.all.len().min(MOST);
        self.all.push(Evaluation {
            part: e,
            after: after | inside,
            guards: guards.to_vec(),
            orders,
        });
        inside | itself
    }

    /// The accesses, in the order of the text.
    pub fn all(&self) -> &[Evaluation<'e>] {
        &self.all
    }

    /// Can the order of the accesses make a difference?
    fn matters(&self) -> bool {
        self.all.len() > 1 && self.all.iter().any(|e| e.orders)
    }

    /// Every order in which they may be done, that of the text first if it is one. Nothing where it
    /// makes no difference, or where the only one is that of the text; `None` if there are more
    /// than `most`.
    pub fn orders(&self, most: usize) -> Option<Vec<Vec<usize>>> {
        if !self.matters() {
            return Some(Vec::new());
        }
        if self.all.len() > MOST {
            return None;
        }
        let is_next = |n: usize, done: u64| {
            let begun = |of: u64| done & of != 0 && done & of != of;
            let is_in = |of: u64| of >> n & 1 == 1;
            let waits = |&(a, b): &(u64, u64)| is_in(a) && begun(b) || is_in(b) && begun(a);
            done >> n & 1 == 0 && self.all[n].after & !done == 0 && !self.apart.iter().any(waits)
        };
        let (mut found, mut open) = (Vec::new(), vec![(Vec::new(), 0_u64)]);
        while let Some((order, done)) = open.pop() {
            if order.len() == self.all.len() {
                found.push(order);
                if found.len() > most {
                    return None;
                }
                continue;
            }
            for next in (0..self.all.len()).rev().filter(|&n| is_next(n, done)) {
                let longer: Vec<usize> = order.iter().copied().chain([next]).collect();
                open.push((longer, done | 1 << next));
            }
        }
        let only_text = matches!(found.as_slice(), [only] if only.is_sorted());
        Some(if only_text { Vec::new() } else { found })
    }
}

impl Sequencing {
    /// Is there anything in a test that C++17 sequences otherwise than C11?
    pub fn matters(test: &Test) -> bool {
        test.threads.iter().any(|thread| match &thread.body {
            Body::Statements(statements) => statements.iter().any(in_statement),
            Body::Instructions(_) => false,
        })
    }
}

/// Has a statement fewer orders by the rules of C++17?
fn in_statement(statement: &Statement) -> bool {
    const MOST_ORDERS: usize = 10_000;
    let fewer = |of: &dyn Fn(Sequencing) -> Option<Vec<Vec<usize>>>| {
        of(Sequencing::C11) != of(Sequencing::Cpp17)
    };
    let in_expression =
        |e: &Expression| fewer(&|rules| Evaluations::of_expression(rules, e).orders(MOST_ORDERS));
    let in_all = |statements: &[Statement]| statements.iter().any(in_statement);
    match &statement.kind {
        StatementKind::Assign { value, .. } => value.as_ref().is_some_and(in_expression),
        StatementKind::Store { address, value } => {
            fewer(&|rules| Evaluations::of_store(rules, address, value).orders(MOST_ORDERS))
        }
        StatementKind::Update { target, value, .. } => {
            fewer(&|rules| Evaluations::of_update(rules, target, value).orders(MOST_ORDERS))
        }
        StatementKind::Evaluate(e) => in_expression(e),
        StatementKind::If { condition, then, otherwise } => {
            in_expression(condition) || in_all(then) || in_all(otherwise)
        }
        StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
            in_expression(condition) || in_all(body)
        }
        StatementKind::For { before, condition, after, body } => {
            condition.as_ref().is_some_and(in_expression)
                || in_all(before)
                || in_all(after)
                || in_all(body)
        }
        StatementKind::Fence { .. }
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Return => false,
    }
}

impl AtomicFunction {
    /// Has a call of it an operand that accesses memory?
    pub fn has_accessing_operands(&self) -> bool {
        self.operands().into_iter().any(Expression::accesses)
    }
}
