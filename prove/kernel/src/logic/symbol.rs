//! Predicate symbols: every set and relation that a proof speaks of, by name.

use rustc_hash::FxHashMap;

use super::expr::TheoryExprId;

/// A unary or binary predicate over events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pred(pub(crate) u16);

impl Pred {
    /// Equality of events, which every table has.
    pub const EQUAL: Pred = Pred(0);

    /// Its place in the table; that of equality is 0.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Something that an execution consists of: it is what it is.
    Base,
    /// Exactly the value of an expression.
    Defined(TheoryExprId),
    /// `a; b`
    Sequence(TheoryExprId, TheoryExprId),
    /// `r+`
    Closure(TheoryExprId),
    /// A member of a recursive definition, with its body; the group is a number.
    Fixpoint(TheoryExprId, u16),
    /// The domain of a relation.
    Domain(TheoryExprId),
    /// The range of a relation.
    Range(TheoryExprId),
}

/// A symbol. It is found by what it stands for; its name is for readers and for files.
#[derive(Debug, Clone)]
pub struct TheorySymbol {
    /// The name to show. No other symbol has it.
    pub name: String,
    /// 1 for sets, 2 for relations.
    pub arity: u8,
    /// What it stands for.
    pub meaning: Meaning,
    /// Is the name the text of what it stands for? Then it has none of its own.
    pub is_text: bool,
}

/// All symbols of a theory.
#[derive(Debug, Clone)]
pub struct TheorySymbols {
    all: Vec<TheorySymbol>,
    by_name: FxHashMap<String, Pred>,
    /// The base names of the level that lemmas are about.
    base: FxHashMap<String, Pred>,
}

impl Default for TheorySymbols {
    fn default() -> Self {
        let mut symbols =
            Self { all: Vec::new(), by_name: FxHashMap::default(), base: FxHashMap::default() };
        symbols.declare_base("id", 2);
        symbols
    }
}

impl TheorySymbols {
    /// A new symbol. If the name is taken it gets a number behind.
    pub fn declare(&mut self, name: &str, arity: u8, meaning: Meaning) -> Pred {
        let pred = Pred(
            u16::try_from(self.all.len()).expect("models are limited to far fewer definitions"),
        );
        let mut unique = name.to_owned();
        let mut number = 2;
        while self.by_name.contains_key(&unique) {
            unique = format!("{name}#{number}");
            number += 1;
        }
        self.by_name.insert(unique.clone(), pred);
        let is_text = matches!(
            meaning,
            Meaning::Sequence(..) | Meaning::Closure(_) | Meaning::Domain(_) | Meaning::Range(_)
        );
        self.all.push(TheorySymbol { name: unique, arity, meaning, is_text });
        pred
    }

    /// A new symbol for a base name of the level that lemmas are about: [`TheorySymbols::named`]
    /// finds it.
    pub fn declare_base(&mut self, name: &str, arity: u8) -> Pred {
        let pred = self.declare(name, arity, Meaning::Base);
        self.base.insert(name.to_owned(), pred);
        pred
    }

    pub fn get(&self, pred: Pred) -> &TheorySymbol {
        &self.all[pred.index()]
    }

    /// The base set or relation of this name, of the level that lemmas are about: a definition, a
    /// role of a mapping or a name of its source is never found so, whatever it is called.
    pub fn named(&self, name: &str) -> Option<Pred> {
        self.base.get(name).copied()
    }

    /// The symbol that is shown by a name: what a file means that was written from this table.
    pub fn shown(&self, name: &str) -> Option<Pred> {
        self.by_name.get(name).copied()
    }

    pub fn name(&self, pred: Pred) -> &str {
        &self.all[pred.index()].name
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Equality is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All symbols.
    pub fn iter(&self) -> impl Iterator<Item = (Pred, &TheorySymbol)> {
        self.all.iter().enumerate().map(|(i, s)| (Pred(i as u16), s))
    }

    /// Gives a symbol another name, unless that is taken.
    pub(crate) fn rename(&mut self, pred: Pred, name: &str) {
        if !self.by_name.contains_key(name) {
            let symbol = &mut self.all[pred.index()];
            self.by_name.remove(&symbol.name);
            symbol.name = name.to_owned();
            symbol.is_text = false;
            self.by_name.insert(name.to_owned(), pred);
        }
    }

    /// Gives a symbol its meaning once that is known.
    pub(crate) fn define(&mut self, pred: Pred, meaning: Meaning) {
        self.all[pred.index()].meaning = meaning;
    }
}
