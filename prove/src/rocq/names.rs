//! Names of Rocq for the symbols of a theory: what a name may not contain becomes `_`, and no name is taken twice.

use rustc_hash::FxHashSet;

use crate::logic::{Meaning, Pred};
use crate::theory::Theory;

/// Words of Rocq and of the prelude that no symbol may have as its name.
const TAKEN: &[&str] = &[
    "Event",
    "Lemma",
    "Prop",
    "Set",
    "Type",
    "all",
    "all_events",
    "all_pairs",
    "and",
    "as",
    "at",
    "atoms",
    "by",
    "clause",
    "closure",
    "cofix",
    "conj",
    "diagonal",
    "domain",
    "else",
    "empty",
    "end",
    "eq",
    "eq_refl",
    "eq_sym",
    "ex",
    "exists",
    "exists2",
    "fix",
    "for",
    "forall",
    "from",
    "fun",
    "if",
    "implied",
    "in",
    "inter",
    "into",
    "inverse",
    "irreflexive",
    "acyclic",
    "let",
    "list",
    "match",
    "minus",
    "mod",
    "no_event",
    "no_events",
    "no_pairs",
    "node",
    "none",
    "not",
    "of",
    "or",
    "or_introl",
    "or_intror",
    "product",
    "range",
    "return",
    "role",
    "role_of",
    "same",
    "seq",
    "set_inter",
    "set_minus",
    "set_union",
    "share",
    "status",
    "step",
    "store",
    "then",
    "union",
    "unit",
    "using",
    "values",
    "where",
    "with",
    "well_formed",
    "target_axioms",
    "made_by_rows",
    "no_undefined_behaviour",
    "source_axioms",
    "theorem",
    "id",
    "iff",
    "proj1",
    "proj2",
    "O",
    "S",
    "True",
    "False",
];

/// The name of each symbol that has one of its own; others are written as the expressions that they stand for.
#[derive(Debug, Default)]
pub struct Names {
    known: Vec<Option<String>>,
    taken: FxHashSet<String>,
}

impl Names {
    /// Names for all symbols of a theory.
    pub fn of(theory: &Theory) -> Self {
        let mut names = Self { known: Vec::new(), taken: TAKEN.iter().map(|&w| w.to_owned()).collect() };
        names.extend(theory);
        names
    }

    /// Names for symbols that were declared since.
    pub fn extend(&mut self, theory: &Theory) {
        for (pred, symbol) in theory.symbols.iter().skip(self.known.len()) {
            let has_own = match symbol.meaning {
                Meaning::Base | Meaning::Defined(_) | Meaning::Fixpoint(..) => pred != Pred::EQUAL,
                Meaning::Closure(_) => !symbol.name.ends_with('+'),
                Meaning::Sequence(..) | Meaning::Domain(_) | Meaning::Range(_) => false,
            };
            let name = has_own.then(|| self.unique(&symbol.name));
            self.known.push(name);
        }
    }

    /// A name that is not taken, made of a text.
    pub fn unique(&mut self, text: &str) -> String {
        let mut name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        // Events, hypotheses and lemmas of the proof have a letter and a number.
        let is_local = name.len() > 1 && name[1..].chars().all(|c| c.is_ascii_digit());
        if is_local
            || name.len() == 1 && name.chars().all(|c| c.is_ascii_lowercase())
            || !name.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            name = format!("r_{name}");
        }
        let (mut unique, mut number) = (name.clone(), 2);
        while !self.taken.insert(unique.clone()) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        unique
    }

    /// The name of a symbol, if it has one.
    pub fn get(&self, pred: Pred) -> Option<&str> {
        self.known.get(pred.index()).and_then(|n| n.as_deref())
    }
}
