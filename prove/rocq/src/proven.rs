//! Proof terms of formulas, conjunctions as lists of what holds, disjunctions as a choice that is
//! put in its place; and tactics that take such formulas apart.

use margay_theorem::logic::TheoryFormula;

/// What holds, each with its proof term.
pub type Pieces = Vec<(TheoryFormula, String)>;

/// The parts of a conjunction that a term proves.
pub fn pieces(form: &TheoryFormula, term: &str) -> Pieces {
    match form {
        TheoryFormula::And(parts) => {
            let mut rest = term.to_owned();
            let mut found = Vec::new();
            for (i, part) in parts.iter().enumerate() {
                if i + 1 == parts.len() {
                    found.push((part.clone(), rest.clone()));
                } else {
                    found.push((part.clone(), format!("(proj1 {rest})")));
                    rest = format!("(proj2 {rest})");
                }
            }
            found
        }
        TheoryFormula::Const(true) => Vec::new(),
        _ => vec![(form.clone(), term.to_owned())],
    }
}

/// The conjunction of what holds, and its proof term.
pub fn whole(pieces: &Pieces) -> (TheoryFormula, String) {
    if let Some((form, term)) = pieces.iter().find(|p| p.0 == TheoryFormula::Const(false)) {
        return (form.clone(), term.clone());
    }
    let form = TheoryFormula::and(pieces.iter().map(|p| p.0.clone()));
    let terms: Vec<&str> = pieces.iter().map(|p| p.1.as_str()).collect();
    (form, conjunction(&terms))
}

/// The proof term of a conjunction.
pub fn conjunction(terms: &[&str]) -> String {
    match terms {
        [] => "I".to_owned(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("(conj {first} {})", conjunction(rest)),
    }
}

/// The members of a disjunction.
pub fn alternatives(form: &TheoryFormula) -> Vec<TheoryFormula> {
    match form {
        TheoryFormula::Or(parts) => parts.clone(),
        TheoryFormula::Const(false) => Vec::new(),
        _ => vec![form.clone()],
    }
}

/// The proof term of a disjunction of so many, of which one is proven.
pub fn injection(at: usize, of: usize, term: &str) -> String {
    if of <= 1 {
        return term.to_owned();
    }
    if at == 0 {
        format!("(or_introl {term})")
    } else {
        format!("(or_intror {})", injection(at - 1, of - 1, term))
    }
}

/// The proof term of a disjunction, from one of its members from number `at` on.
pub fn behind(at: usize, term: &str) -> String {
    (0..at).fold(term.to_owned(), |term, _| format!("(or_intror {term})"))
}

/// A term that looks at each case of a disjunction of so many; `case` is given the number and a
/// term for what holds.
pub fn cases(
    term: &str,
    of: usize,
    depth: usize,
    case: &mut dyn FnMut(usize, &str) -> String,
) -> String {
    fn from(
        term: &str,
        at: usize,
        of: usize,
        depth: usize,
        case: &mut dyn FnMut(usize, &str) -> String,
    ) -> String {
        if at + 1 >= of {
            return case(at, term);
        }
        let (own, rest) = (format!("a{depth}"), format!("b{depth}"));
        let first = case(at, &own);
        let later = from(&rest, at + 1, of, depth + 1, case);
        format!("match {term} with or_introl {own} => {first} | or_intror {rest} => {later} end")
    }
    if of == 0 {
        return format!("(False_ind _ {term})");
    }
    format!("({})", from(term, 0, of, depth, case))
}

/// Tactics that take both parts of a conjunction, which get names.
pub fn both(term: &str, [left, right]: [&str; 2], then: &str) -> String {
    format!("destruct {term} as ({left} & {right}).\n{then}")
}

/// Tactics for either side of a disjunction: the name of what holds there, and what to do.
pub fn either(term: &str, [left, first]: [&str; 2], [right, second]: [&str; 2]) -> String {
    format!("destruct {term} as [{left}|{right}].\n{{ {first} }}\n{{ {second} }}")
}

/// Tactics for each member of a disjunction, which gets a name.
pub fn each(term: &str, name: &str, branches: &[String]) -> String {
    match branches {
        [] => format!("destruct {term}."),
        [only] if term == "rest" => format!("rename rest into {name}. {only}"),
        [only] => format!("pose proof {term} as {name}. {only}"),
        [first, rest @ ..] => either(term, [name, first], ["rest", &each("rest", name, rest)]),
    }
}
