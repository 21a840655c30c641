//! The claims of a step for people: in the notation of .cat, those that are alike together.

use margay_theorem::argument::{Claim, ClaimStep};
use margay_theorem::argument::{Property, X, Y, Z};
use margay_theorem::logic::{EventTerm, Lit, Meaning, Pred};
use margay_theorem::theory::Theory;

/// Claims that say the same of several sets or relations: `before`, these, `after`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimFamily {
    /// What comes before them.
    pub before: String,
    /// The sets or relations.
    pub of: Vec<String>,
    /// What stands between two of them.
    pub between: &'static str,
    /// What comes behind them.
    pub after: String,
}

impl ClaimFamily {
    /// The claims in a line; with `most` only so many of the sets or relations.
    pub fn text(&self, most: Option<usize>) -> String {
        let shown = most.filter(|&m| m + 1 < self.of.len()).unwrap_or(self.of.len());
        let more = match self.of.len() - shown {
            0 => String::new(),
            n => format!("{}... {n} more ...", self.between),
        };
        format!("{}{}{more}{}", self.before, self.of[..shown].join(self.between), self.after)
    }

    /// How many claims it stands for.
    pub fn claims(&self) -> usize {
        self.of.len()
    }
}

/// What a step claims. Inclusions between relations come first: they are what the argument rests
/// on.
pub fn shown(theory: &Theory, step: &ClaimStep) -> Vec<ClaimFamily> {
    let mut all: Vec<ClaimFamily> = Vec::new();
    let (invariants, facts): (Vec<&Claim>, Vec<&Claim>) = step
        .claims
        .iter()
        .partition(|c| !matches!(c, Claim::Pairs { property: Property::Clause(_), .. }));
    for claim in invariants.into_iter().chain(facts) {
        let one = match claim {
            Claim::Pairs { of, property: Property::Clause(lits) } => fact(theory, *of, lits),
            _ => None,
        };
        let one = one.unwrap_or_else(|| ClaimFamily {
            before: String::new(),
            of: vec![claim.text(theory)],
            between: "; ",
            after: String::new(),
        });
        let alike = |s: &&mut ClaimFamily| {
            s.before == one.before && s.between == one.between && s.after == one.after
        };
        match all.iter_mut().find(alike).filter(|_| one.between != "; ") {
            Some(shown) => shown.of.extend(one.of),
            None => all.push(one),
        }
    }
    all
}

/// A fact about the pairs of a relation with at most one further event, in the notation of .cat.
/// `None` if it is of another form.
fn fact(theory: &Theory, of: Pred, lits: &[Lit]) -> Option<ClaimFamily> {
    let relation = named(theory, of);
    let shown = |before: &str, of: String, between, after: &str| {
        Some(ClaimFamily {
            before: before.to_owned(),
            of: vec![of],
            between,
            after: after.to_owned(),
        })
    };
    match lits {
        [lit] if theory.symbols.get(lit.atom.pred).arity == 1 => {
            let end = if lit.atom.args[0] == X { "starts" } else { "ends" };
            let no = if lit.positive { "" } else { "no " };
            shown(
                &format!("{relation} {end} in {no}"),
                theory.symbols.name(lit.atom.pred).to_owned(),
                ", ",
                "",
            )
        }
        [lit] if lit.positive => {
            shown("", relation, " | ", &format!(" in {}", directed(theory, lit, [X, Y])?))
        }
        [lit] if lit.atom.pred == Pred::EQUAL => shown("irreflexive ", relation, " | ", ""),
        [lit] if lit.atom.args == [Y, X] => shown(
            "irreflexive ",
            format!("{relation}; {}", named(theory, lit.atom.pred)),
            " | ",
            "",
        ),
        [lit] => {
            shown("empty ", format!("{relation} & {}", named(theory, lit.atom.pred)), " | ", "")
        }
        [a, b] if a.positive != b.positive => {
            let (premise, conclusion) = if a.positive { (b, a) } else { (a, b) };
            let (path, ends) = if let Some(next) = directed(theory, premise, [Y, Z]) {
                (format!("{relation}; {next}"), [X, Z])
            } else {
                (format!("{}; {relation}", directed(theory, premise, [Z, X])?), [Z, Y])
            };
            shown("", path, " | ", &format!(" in {}", directed(theory, conclusion, ends)?))
        }
        _ => None,
    }
}

/// The relation of a literal between two variables, or its inverse. `None` if it is between others.
fn directed(theory: &Theory, lit: &Lit, ends: [EventTerm; 2]) -> Option<String> {
    let [a, b] = lit.atom.args;
    match [a, b] {
        _ if lit.atom.pred == Pred::EQUAL => None,
        args if args == ends => Some(named(theory, lit.atom.pred)),
        _ if [b, a] == ends => Some(format!("{}^-1", named(theory, lit.atom.pred))),
        _ => None,
    }
}

/// The name of a relation, in parentheses if it is an expression that is looser than a sequence.
fn named(theory: &Theory, pred: Pred) -> String {
    let symbol = theory.symbols.get(pred);
    let is_compound = symbol.name.contains([' ', ';', '|', '&'])
        && !matches!(symbol.meaning, Meaning::Closure(_));
    if is_compound { format!("({})", symbol.name) } else { symbol.name.clone() }
}

/// Short names for closures whose own names are long expressions, with these.
pub fn short_names(theory: &Theory, steps: &mut [Vec<ClaimFamily>]) -> Vec<(String, String)> {
    /// Longer names are hard to recognise when they come again.
    const LONG: usize = 30;
    let mut long: Vec<&str> = theory
        .symbols
        .iter()
        .filter(|(_, s)| matches!(s.meaning, Meaning::Closure(_)) && s.name.len() > LONG)
        .map(|(_, s)| s.name.as_str())
        .collect();
    // A closure within another one is named after that one.
    long.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut names = Vec::new();
    for name in long {
        let texts =
            || steps.iter().flatten().flat_map(|s| [&s.before, &s.after].into_iter().chain(&s.of));
        if !texts().any(|t| t.contains(name)) {
            continue;
        }
        let short = (1..)
            .map(|n| format!("chain{n}"))
            .find(|c| theory.symbols.shown(c).is_none() && names.iter().all(|(s, _)| s != c));
        let short = short.expect("numbers do not end");
        for shown in steps.iter_mut().flatten() {
            for text in [&mut shown.before, &mut shown.after].into_iter().chain(&mut shown.of) {
                *text = text.replace(&format!("({name})"), &short).replace(name, &short);
            }
        }
        names.push((short, name.to_owned()));
    }
    names
}
