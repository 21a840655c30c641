//! Clauses over events: what is assumed of all events of an execution.

use super::symbol::{Pred, TheorySymbols};

/// An event in a formula: a variable, or one of the events of an obligation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventTerm(u8);

/// How many events an obligation and what exists for it may have together: so many have a bit in
/// the words of a structure.
pub const MAX_EVENTS: usize = 128;

impl EventTerm {
    /// The highest bit tells it from an event.
    #[inline]
    pub const fn variable(number: u8) -> Self {
        Self(0x80 | number)
    }

    /// Panics from [`MAX_EVENTS`] on.
    #[inline]
    pub fn event(number: usize) -> Self {
        assert!(number < MAX_EVENTS, "events are numbered below variables");
        Self(number as u8)
    }

    /// The number, if it is a variable.
    #[inline]
    pub fn as_variable(self) -> Option<u8> {
        (self.0 & 0x80 != 0).then_some(self.0 & 0x7f)
    }

    /// The number of an event.
    #[inline]
    pub fn index(self) -> usize {
        debug_assert!(self.0 & 0x80 == 0);
        usize::from(self.0)
    }

    /// Puts terms in the place of variables.
    #[inline]
    pub fn with(self, values: &[EventTerm]) -> Self {
        self.as_variable().map_or(self, |v| values[usize::from(v)])
    }
}

/// A predicate of one event (twice the same term) or of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventAtom {
    pub pred: Pred,
    /// Its arguments.
    pub args: [EventTerm; 2],
}

impl EventAtom {
    /// `p(a)`
    #[inline]
    pub fn unary(pred: Pred, a: EventTerm) -> Self {
        Self { pred, args: [a, a] }
    }

    /// `p(a, b)`
    #[inline]
    pub fn binary(pred: Pred, a: EventTerm, b: EventTerm) -> Self {
        // Equality is symmetric.
        let args = if pred == Pred::EQUAL && b < a { [b, a] } else { [a, b] };
        Self { pred, args }
    }

    /// Puts terms in the place of variables.
    #[inline]
    pub fn with(self, values: &[EventTerm]) -> Self {
        Self::binary(self.pred, self.args[0].with(values), self.args[1].with(values))
    }
}

/// An atom or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit {
    pub atom: EventAtom,
    /// Not negated?
    pub positive: bool,
}

impl Lit {
    /// Not negated.
    #[inline]
    pub fn yes(atom: EventAtom) -> Self {
        Self { atom, positive: true }
    }

    /// The atom's negation.
    #[inline]
    pub fn no(atom: EventAtom) -> Self {
        Self { atom, positive: false }
    }

    /// Puts terms in the place of variables.
    #[inline]
    pub fn with(self, values: &[EventTerm]) -> Self {
        Self { atom: self.atom.with(values), ..self }
    }

    /// Its value if that is the same everywhere: an event is equal to itself.
    #[inline]
    pub fn constant(self) -> Option<bool> {
        let EventAtom { pred, args } = self.atom;
        (pred == Pred::EQUAL && args[0] == args[1]).then_some(self.positive)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit { positive: !self.positive, ..self }
    }
}

/// A disjunction of literals; variables stand for all events.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    /// The literals.
    pub lits: Vec<Lit>,
    /// How many variables there are, numbered from 0.
    pub variables: u8,
}

/// "Where the guard holds, there are events such that one of the cases holds." Variables of the
/// guard come first, then one for each event that exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Existence {
    /// Literals over the first `variables` variables, all of which hold.
    pub guard: Vec<Lit>,
    /// How many variables the guard has.
    pub variables: u8,
    /// How many events exist.
    pub events: u8,
    /// In each case all literals hold.
    pub cases: Vec<Vec<Lit>>,
}

/// A clause as an implication, e.g. `po(x,y), po(y,z) -> po(x,z)`.
pub fn implication(
    symbols: &TheorySymbols,
    lits: &[Lit],
    name: &dyn Fn(EventTerm) -> String,
) -> String {
    let side = |positive: bool| -> Vec<String> {
        lits.iter()
            .filter(|l| l.positive == positive)
            .map(|l| atom_text(symbols, l.atom, name))
            .collect()
    };
    let (premises, conclusions) = (side(false), side(true));
    let then = if conclusions.is_empty() { "false".to_owned() } else { conclusions.join(" or ") };
    if premises.is_empty() { then } else { format!("{} -> {then}", premises.join(", ")) }
}

/// An atom's text.
pub fn atom_text(
    symbols: &TheorySymbols,
    atom: EventAtom,
    name: &dyn Fn(EventTerm) -> String,
) -> String {
    let [a, b] = atom.args;
    if atom.pred == Pred::EQUAL {
        return format!("{} = {}", name(a), name(b));
    }
    let symbol = symbols.get(atom.pred);
    if symbol.arity == 1 {
        format!("{}({})", symbol.name, name(a))
    } else if symbol.name.contains([' ', ';', '|', '&']) {
        format!("({})({}, {})", symbol.name, name(a), name(b))
    } else {
        format!("{}({}, {})", symbol.name, name(a), name(b))
    }
}

/// The name of a variable: x, y, z, u, v, w, ...
pub fn variable_name(term: EventTerm) -> String {
    const NAMES: [&str; 6] = ["x", "y", "z", "u", "v", "w"];
    match term.as_variable() {
        Some(v) => NAMES.get(usize::from(v)).map_or_else(|| format!("v{v}"), |n| (*n).to_owned()),
        None => format!("e{}", term.index()),
    }
}
