//! Which values may be renamed: those of a location that are only stored, copied and compared for
//! equality. Locations between which values are copied or compared form a class with one renaming;
//! a class with whose values something is computed (`atom.add`, `r0 < 2`) keeps its numbers.

use super::condition::ConditionQuestion;
use crate::test::{ConditionOperand, NumberComparison, Proposition, Variable};
use crate::unfold::{Binary, Path, Symbol, SymbolNode, Symbols, Unary, Unfolding};

/// The classes of locations.
#[derive(Debug, Clone)]
pub(super) struct ValueClasses {
    /// For each location its class.
    pub of: Vec<usize>,
    /// For each class: do its values keep their numbers?
    pub rigid: Vec<bool>,
}

/// A supposition of a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Supposition {
    /// Two values are equal (or not); `None` is 0.
    Equal(bool, Symbol, Option<Symbol>),
    /// A value is different from 0 (or not).
    Other(bool, Symbol),
}

/// Brings a supposition into that form.
pub(super) fn supposition(symbols: &Symbols, symbol: Symbol, holds: bool) -> Supposition {
    match symbols.node(symbol) {
        SymbolNode::Binary(Binary::Compare(NumberComparison::Equal), a, b) => {
            Supposition::Equal(holds, a, Some(b))
        }
        SymbolNode::Binary(Binary::Compare(NumberComparison::NotEqual), a, b) => {
            Supposition::Equal(!holds, a, Some(b))
        }
        SymbolNode::Unary(Unary::LogicalNot, a) => supposition(symbols, a, !holds),
        SymbolNode::Read(_) => Supposition::Equal(!holds, symbol, None),
        _ => Supposition::Other(holds, symbol),
    }
}

impl ValueClasses {
    /// The classes of a test.
    pub fn of(unfolding: &Unfolding, question: &ConditionQuestion) -> Self {
        let n = unfolding.locations().len();
        let mut builder =
            ClassBuilder { unfolding, parent: (0..n).collect(), computed: vec![false; n] };
        for t in 0..unfolding.threads().len() {
            let (paths, symbols) = unfolding.thread(t);
            for path in paths {
                builder.path(path, symbols);
            }
        }
        builder.question(question);
        let of: Vec<usize> =
            (0..n).map(|l| builder.find(usize::from(unfolding.locations()[l].physical))).collect();
        let mut rigid = vec![false; n];
        for (&class, computed) in of.iter().zip(builder.computed) {
            rigid[class] |= computed;
        }
        Self { of, rigid }
    }
}

struct ClassBuilder<'a> {
    unfolding: &'a Unfolding,
    parent: Vec<usize>,
    computed: Vec<bool>,
}

impl ClassBuilder<'_> {
    fn find(&self, mut l: usize) -> usize {
        while self.parent[l] != l {
            l = self.parent[l];
        }
        l
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }

    fn location(&self, path: &Path, position: u16) -> Option<usize> {
        let location = path.events.get(usize::from(position))?.data.location?;
        Some(usize::from(self.unfolding.locations()[usize::from(location)].physical))
    }

    /// Something is computed with the reads in a value.
    fn keep(&mut self, path: &Path, symbols: &Symbols, symbol: Symbol) {
        match symbols.node(symbol) {
            SymbolNode::Constant(_) => {}
            SymbolNode::Read(position) => {
                if let Some(l) = self.location(path, position) {
                    self.computed[l] = true;
                }
            }
            SymbolNode::Unary(_, a) => self.keep(path, symbols, a),
            SymbolNode::Binary(_, a, b) => {
                self.keep(path, symbols, a);
                self.keep(path, symbols, b);
            }
        }
    }

    fn path(&mut self, path: &Path, symbols: &Symbols) {
        for e in &path.events {
            let (Some(location), Some(value)) = (e.data.location, e.value) else { continue };
            let location = usize::from(self.unfolding.locations()[usize::from(location)].physical);
            match symbols.node(value) {
                SymbolNode::Constant(_) => {}
                SymbolNode::Read(position) => {
                    if let Some(source) = self.location(path, position) {
                        self.unite(location, source);
                    }
                }
                _ => {
                    self.computed[location] = true;
                    self.keep(path, symbols, value);
                }
            }
        }
        for &(symbol, holds) in &path.suppositions {
            match supposition(symbols, symbol, holds) {
                Supposition::Equal(_, a, b) => self.equate(path, symbols, a, b),
                Supposition::Other(_, symbol) => self.keep(path, symbols, symbol),
            }
        }
    }

    fn equate(&mut self, path: &Path, symbols: &Symbols, a: Symbol, b: Option<Symbol>) {
        match (symbols.node(a), b.map_or(SymbolNode::Constant(0), |b| symbols.node(b))) {
            (SymbolNode::Read(_) | SymbolNode::Constant(_), SymbolNode::Constant(_))
            | (SymbolNode::Constant(_), SymbolNode::Read(_)) => {}
            (SymbolNode::Read(p), SymbolNode::Read(q)) => {
                if let (Some(p), Some(q)) = (self.location(path, p), self.location(path, q)) {
                    self.unite(p, q);
                }
            }
            _ => {
                self.keep(path, symbols, a);
                b.iter().for_each(|&b| self.keep(path, symbols, b));
            }
        }
    }

    fn question(&mut self, question: &ConditionQuestion) {
        let unfolding = self.unfolding;
        for atom in &question.atoms {
            if atom.thread >= unfolding.threads().len() {
                continue;
            }
            let (paths, symbols) = unfolding.thread(atom.thread);
            for path in paths {
                let Some(symbol) = last(path, &atom.register) else { continue };
                let equality = atom.comparison.is_of_equality();
                if !equality || !matches!(symbols.node(symbol), SymbolNode::Read(_)) {
                    self.keep(path, symbols, symbol);
                }
            }
        }
        for (_, p) in &question.others {
            self.proposition(p);
        }
    }

    fn proposition(&mut self, p: &Proposition) {
        match p {
            Proposition::True | Proposition::False => {}
            Proposition::Not(p) => self.proposition(p),
            Proposition::And(parts) | Proposition::Or(parts) => {
                parts.iter().for_each(|p| self.proposition(p))
            }
            Proposition::Compare { comparison, left, right } => {
                let equality = comparison.is_of_equality();
                let mut located = Vec::new();
                for operand in [left, right] {
                    match operand {
                        ConditionOperand::Variable(Variable::Location(name)) => {
                            located.extend(self.unfolding.physical(name).map(usize::from));
                        }
                        ConditionOperand::Variable(Variable::Register { thread, name }) => {
                            self.register(thread.index(), name)
                        }
                        ConditionOperand::Integer(_) | ConditionOperand::AddressOf(_) => {}
                    }
                }
                let compares_with_number =
                    matches!(right, ConditionOperand::Integer(_) | ConditionOperand::AddressOf(_));
                if !(equality && (compares_with_number || located.len() == 2)) {
                    located.iter().for_each(|&l| self.computed[l] = true);
                } else if let [a, b] = located[..] {
                    self.unite(a, b);
                }
            }
        }
    }

    /// A register in a disjunction: its values keep their numbers.
    fn register(&mut self, thread: usize, name: &str) {
        if thread >= self.unfolding.threads().len() {
            return;
        }
        let (paths, symbols) = self.unfolding.thread(thread);
        for path in paths {
            if let Some(symbol) = last(path, name) {
                self.keep(path, symbols, symbol);
            }
        }
    }
}

/// The value of a register at the end of a path.
pub(super) fn last(path: &Path, register: &str) -> Option<Symbol> {
    path.registers.iter().find(|(name, _)| name == register).map(|(_, symbol)| *symbol)
}
