//! Names of Rocq for the symbols of a theory: what a name may not contain becomes `_`, and no name
//! is taken twice.

use rustc_hash::FxHashSet;

use margay_theorem::logic::{Meaning, Pred};
use margay_theorem::theory::Theory;

/// Words of Rocq and of the prelude that no symbol may have as its name.
const TAKEN: &[&str] = &[
    "Event",
    "False",
    "Finite",
    "IH",
    "Lemma",
    "O",
    "Prop",
    "Refutation",
    "S",
    "Set",
    "True",
    "Type",
    "acyclic",
    "acyclic_first",
    "acyclic_irreflexive",
    "acyclic_orders",
    "acyclic_orders_before",
    "all",
    "all_events",
    "all_pairs",
    "and",
    "as",
    "asked_property",
    "at",
    "atoms",
    "axioms",
    "before",
    "bool",
    "by",
    "bytes_of",
    "chain",
    "clause",
    "closure",
    "closure_ends",
    "closure_last",
    "closure_more",
    "closure_of_none",
    "closure_of_none_at",
    "closure_one",
    "closure_trans",
    "cofix",
    "conclusion",
    "conj",
    "defined",
    "diagonal",
    "domain",
    "else",
    "empty",
    "end",
    "eq",
    "eq_refl",
    "eq_sym",
    "equal_one",
    "equal_two",
    "ex",
    "executions",
    "exists",
    "exists2",
    "first",
    "false",
    "fix",
    "for",
    "forall",
    "found",
    "from",
    "fun",
    "given",
    "here",
    "holds",
    "id",
    "if",
    "iff",
    "implied",
    "in",
    "inter",
    "into",
    "into_it",
    "inverse",
    "irreflexive",
    "let",
    "letter",
    "letters",
    "letters_of",
    "list",
    "made",
    "made_by_rows",
    "mapping_is_sound",
    "match",
    "minus",
    "mod",
    "model_axioms",
    "nat",
    "new_allows_what_old_allows",
    "new_axioms",
    "no",
    "no_event",
    "no_events",
    "no_more",
    "no_pairs",
    "no_undefined_behaviour",
    "node",
    "none",
    "not",
    "not_taken",
    "of",
    "old_allows_what_new_allows",
    "old_axioms",
    "one",
    "or",
    "or_introl",
    "or_intror",
    "out_of_it",
    "part",
    "predicates",
    "product",
    "proj1",
    "proj2",
    "property_holds",
    "question",
    "range",
    "refute",
    "rest",
    "return",
    "role",
    "role_of",
    "said",
    "same",
    "second",
    "seq",
    "set_inter",
    "set_minus",
    "set_union",
    "share",
    "source_axioms",
    "status",
    "step",
    "store",
    "target_axioms",
    "then",
    "theorem",
    "trans",
    "true",
    "tt",
    "union",
    "unit",
    "using",
    "values",
    "well_formed",
    "where",
    "whole",
    "with",
    "yes",
];

/// The name of each symbol that has one of its own; others are written as the expressions that they
/// stand for.
#[derive(Debug, Default)]
pub struct SymbolNames {
    known: Vec<Option<String>>,
    taken: FxHashSet<String>,
}

impl SymbolNames {
    /// Names for all symbols of a theory.
    pub fn of(theory: &Theory) -> Self {
        let mut names =
            Self { known: Vec::new(), taken: TAKEN.iter().map(|&w| w.to_owned()).collect() };
        names.extend(theory);
        names
    }

    /// Names for symbols that were declared since.
    pub fn extend(&mut self, theory: &Theory) {
        for (pred, symbol) in theory.symbols.iter().skip(self.known.len()) {
            let has_own = match symbol.meaning {
                Meaning::Base | Meaning::Defined(_) | Meaning::Fixpoint(..) => pred != Pred::EQUAL,
                Meaning::Closure(_) => !symbol.is_text,
                Meaning::Sequence(..) | Meaning::Domain(_) | Meaning::Range(_) => false,
            };
            let name = has_own.then(|| self.unique(&symbol.name));
            self.known.push(name);
        }
    }

    /// A name that is not taken, made of a text.
    pub fn unique(&mut self, text: &str) -> String {
        let mut name: String =
            text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
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

#[cfg(test)]
mod tests {
    use super::TAKEN;

    #[test]
    fn what_the_prelude_defines_is_taken() {
        let prelude = include_str!("prelude.v");
        let (before, rest) = prelude.split_once("Module Refutation.").expect("it is there");
        let (_, after) = rest.split_once("End Refutation.").expect("it ends");
        let mut seen = 0;
        for line in before.lines().chain(after.lines()) {
            let mut words = line.split_whitespace();
            if matches!(
                words.next(),
                Some("Definition" | "Fixpoint" | "Inductive" | "Lemma" | "Theorem" | "Record")
            ) {
                let name = words.next().expect("a name");
                assert!(TAKEN.contains(&name), "`{name}` is a name of the prelude");
                seen += 1;
            }
        }
        assert!(seen > 20);
    }
}
