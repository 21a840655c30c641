//! Which integers a location and a register hold, by the types in the text; and conditions, with
//! their numbers said in those types.

use super::{
    AtomInstruction, Base, Body, CInteger, ConditionOperand, Expression, InitialValue, Integer,
    LocalFunction, Operation, Proposition, Statement, StatementKind, Test, TestInstruction,
    ThreadId, Type, Variable, element,
};

/// What a test asks of final states, its numbers said in the types of the variables that they are
/// compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCondition {
    /// The condition's proposition.
    pub condition: Proposition,
    pub filter: Option<Proposition>,
}

impl AskedCondition {
    /// Does it stay the same when two threads are exchanged, whatever the order of its parts?
    pub(crate) fn is_alike(&self, s: usize, t: usize) -> bool {
        let exchanged = |thread: usize| match thread {
            thread if thread == s => t,
            thread if thread == t => s,
            thread => thread,
        };
        let parts = [Some(&self.condition), self.filter.as_ref()];
        parts
            .into_iter()
            .flatten()
            .all(|p| p.canonical(&|thread| thread) == p.canonical(&exchanged))
    }
}

impl Test {
    /// For each location the integers that it holds: of a C parameter as declared; of PTX as wide
    /// as the first access in the text that has a type, with a sign if any such access has one.
    /// `None` where nothing says a type, and where values are no narrower than all are.
    pub fn location_integers(&self) -> Vec<Option<Integer>> {
        let mut found: Vec<Option<Integer>> = vec![None; self.locations.len()];
        let mut set = |name: &str, integer: Integer| {
            for (l, _) in
                self.locations.iter().enumerate().filter(|(_, l)| array(&l.name) == array(name))
            {
                let known = found[self.owner(l)].get_or_insert(integer);
                known.signed |= integer.signed && known.bits == integer.bits;
            }
        };
        for (t, thread) in self.threads.iter().enumerate() {
            for parameter in &thread.parameters {
                set(&parameter.name, parameter.ty.integer.integer());
            }
            let Body::Instructions(instructions) = &thread.body else { continue };
            for i in instructions {
                let Some((access, address)) = i.operation.memory() else { continue };
                let location = match &address.base {
                    Base::Location(name) => Some(name.as_str()),
                    Base::Register(register) => {
                        self.pointed_to(ThreadId(t as u16), instructions, register)
                    }
                };
                if let (Some(location), Some(ty)) = (location, access.ty) {
                    set(location, ty.integer().unwrap_or(Integer::WORD));
                }
            }
        }
        (0..self.locations.len())
            .map(|l| found[self.owner(l)].filter(|i| *i != Integer::WORD))
            .collect()
    }

    /// The location that owns the memory behind a name.
    pub(crate) fn owner(&self, location: usize) -> usize {
        // Names that alias each other in a circle are an error elsewhere.
        self.named(location).map_or(location, |named| named.physical)
    }

    /// The location whose address a register holds from the start to the end.
    fn pointed_to(
        &self,
        thread: ThreadId,
        instructions: &[TestInstruction],
        register: &str,
    ) -> Option<&str> {
        let declared = self.registers.iter().find(|r| r.thread == thread && r.name == register)?;
        match &declared.value {
            Some(InitialValue::AddressOf(name))
                if !instructions.iter().any(|i| i.operation.writes(register)) =>
            {
                Some(name)
            }
            _ => None,
        }
    }

    /// The integers that a register holds, if the text says one type for it.
    pub fn register_integer(&self, thread: ThreadId, name: &str) -> Option<Integer> {
        self.register_integer_with(thread, name, &self.location_integers())
    }

    fn register_integer_with(
        &self,
        thread: ThreadId,
        name: &str,
        locations: &[Option<Integer>],
    ) -> Option<Integer> {
        match &self.threads.get(thread.index())?.body {
            Body::Statements(statements) => declared(statements, name).map(CInteger::integer),
            Body::Instructions(instructions) => {
                let writers: Vec<Option<Integer>> = instructions
                    .iter()
                    .filter(|i| i.operation.writes(name))
                    .map(|i| self.written_integer(&i.operation, locations))
                    .collect();
                let declared = self
                    .registers
                    .iter()
                    .find(|r| r.thread == thread && r.name == name)
                    .and_then(|r| r.ty);
                let first = *writers.first().unwrap_or(&declared.and_then(Type::integer));
                writers.iter().all(|w| *w == first).then_some(first).flatten()
            }
        }
    }

    /// The integers that an instruction leaves in its register.
    fn written_integer(
        &self,
        operation: &Operation,
        locations: &[Option<Integer>],
    ) -> Option<Integer> {
        match operation {
            Operation::Load { access, address, .. }
            | Operation::VectorLoad { access, address, .. }
            | Operation::Atom(AtomInstruction { access, address, .. }) => {
                match (access.ty, &address.base) {
                    (Some(ty), _) if ty.packed => None,
                    (Some(ty), _) => ty.integer(),
                    (None, Base::Location(name)) => {
                        self.location(name).and_then(|l| locations.get(l).copied().flatten())
                    }
                    (None, Base::Register(_)) => None,
                }
            }
            Operation::Local {
                function:
                    LocalFunction::Compare(_)
                    | LocalFunction::MultiplyWide
                    | LocalFunction::MultiplyAddWide,
                ..
            } => None,
            Operation::Local { ty, .. } => ty.filter(|ty| !ty.packed).and_then(Type::integer),
            Operation::Warp(meeting) => meeting.integer(),
            _ => None,
        }
    }

    /// Condition and filter, where a number that is compared with a variable for equality is that
    /// value of the variable's type which has its bits (`x == -1` of a `.u32` is
    /// `x == 4294967295`).
    pub fn asked(&self) -> AskedCondition {
        let locations = self.location_integers();
        let typed = |p: &Proposition| self.rewritten(p, &locations);
        AskedCondition {
            condition: typed(&self.condition.proposition),
            filter: self.filter.as_ref().map(typed),
        }
    }

    fn rewritten(&self, p: &Proposition, locations: &[Option<Integer>]) -> Proposition {
        let all =
            |parts: &[Proposition]| parts.iter().map(|p| self.rewritten(p, locations)).collect();
        match p {
            Proposition::True => Proposition::True,
            Proposition::False => Proposition::False,
            Proposition::Not(p) => Proposition::Not(Box::new(self.rewritten(p, locations))),
            Proposition::And(parts) => Proposition::And(all(parts)),
            Proposition::Or(parts) => Proposition::Or(all(parts)),
            Proposition::Compare { comparison, left, right } => {
                let equality = comparison.is_of_equality();
                let said = |number: &ConditionOperand, by: &ConditionOperand| match (
                    number,
                    self.operand_integer(by, locations),
                ) {
                    (ConditionOperand::Integer(n), Some(integer))
                        if equality && integer.says(*n) =>
                    {
                        ConditionOperand::Integer(integer.wrap(*n))
                    }
                    _ => number.clone(),
                };
                Proposition::Compare {
                    comparison: *comparison,
                    left: said(left, right),
                    right: said(right, left),
                }
            }
        }
    }

    /// The integers that a register or location holds at the end, if the text says one type for it,
    /// narrower than all values.
    pub fn variable_integer(&self, variable: &Variable) -> Option<Integer> {
        self.operand_integer(
            &ConditionOperand::Variable(variable.clone()),
            &self.location_integers(),
        )
        .filter(|i| i.bits < 64)
    }

    /// The integers that one side of a comparison may be.
    pub(crate) fn operand_integer(
        &self,
        operand: &ConditionOperand,
        locations: &[Option<Integer>],
    ) -> Option<Integer> {
        match operand {
            ConditionOperand::Variable(Variable::Location(name)) => {
                self.location(name).and_then(|l| locations.get(l).copied().flatten())
            }
            ConditionOperand::Variable(Variable::Register { thread, name }) => {
                self.register_integer_with(*thread, name, locations)
            }
            ConditionOperand::Integer(_) | ConditionOperand::AddressOf(_) => None,
        }
    }
}

impl Operation {
    /// The registers that it writes.
    pub fn written(&self) -> Vec<&str> {
        match self {
            Self::Load { destination, .. } | Self::Local { destination, .. } => vec![destination],
            Self::StoreConditional { status, .. } => vec![status],
            Self::VectorLoad { destinations, .. } => {
                destinations.iter().map(String::as_str).collect()
            }
            Self::Atom(atom) => atom.destination.iter().map(String::as_str).collect(),
            Self::Warp(meeting) => meeting.destination().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Does it write a register?
    pub fn writes(&self, register: &str) -> bool {
        self.written().contains(&register)
    }
}

/// The array that an element is of; other names are themselves.
fn array(name: &str) -> &str {
    element(name).map_or(name, |(array, _)| array)
}

/// The type that a variable is declared with.
fn declared(statements: &[Statement], variable: &str) -> Option<CInteger> {
    statements.iter().find_map(|s| match &s.kind {
        StatementKind::Assign { declares, name, .. } if name == variable => *declares,
        StatementKind::If { then, otherwise, .. } => {
            declared(then, variable).or_else(|| declared(otherwise, variable))
        }
        StatementKind::While { body, .. } | StatementKind::DoWhile { body, .. } => {
            declared(body, variable)
        }
        StatementKind::For { before, body, .. } => {
            declared(before, variable).or_else(|| declared(body, variable))
        }
        _ => None,
    })
}

impl Body {
    /// The type that a C variable is declared with; `long` where it is not.
    pub(crate) fn declared(&self, variable: &str) -> CInteger {
        match self {
            Self::Statements(statements) => {
                declared(statements, variable).unwrap_or(CInteger::Long)
            }
            Self::Instructions(_) => CInteger::Long,
        }
    }
}

impl Expression {
    /// The type of a number.
    pub(crate) fn of_number(n: i64) -> CInteger {
        if CInteger::Int.integer().contains(n) { CInteger::Int } else { CInteger::Long }
    }
}
