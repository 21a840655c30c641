//! Inductions: each rule of a relation, opened at its events, leads to what is claimed of each pair.

use super::opening::{Rest, State};
use super::proven::{Pieces, cases, conjunction, injection};
use super::steps::Obligations;
use super::text::{event, more_variables};
use super::writer::{Writer, claim_name};
use crate::argument::Claim;
use crate::logic::form::normalised;
use crate::logic::{Atom, Expr, ExprId, Form, Lit, Meaning, Pred, Term};
use crate::search::houdini::{Rule as Way, rules};
use crate::search::order::edges;
use crate::search::property::Property;
use crate::theory::Theory;

impl Writer {
    pub fn induction(&mut self, number: usize, group: &[Pred], claims: &[Claim], all: &Obligations<'_>) -> Result<(), String> {
        let [of] = group else {
            return Err("an induction over several relations at once is not written for Rocq yet".to_owned());
        };
        let own: Vec<(usize, &Property)> = claims
            .iter()
            .enumerate()
            .filter_map(|(i, c)| match c {
                Claim::Pairs { of: p, property } if p == of => Some((i, property)),
                _ => None,
            })
            .collect();
        let name = format!("induction_{}", number + 1);
        let relation = self.text.symbol(&self.theory, *of);
        let together = |w: &Self, x: &str, y: &str| -> String {
            let all: Vec<String> = own.iter().map(|(_, p)| w.text.property(&w.theory, p, x, y)).collect();
            all.join(" /\\ ")
        };
        let statement = format!("forall x0 x1, {relation} x0 x1 -> {}", together(self, "x0", "x1"));
        let proof = match self.theory.symbols.get(*of).meaning {
            Meaning::Closure(r) => {
                let unfold = if self.text.names.get(*of).is_some() { format!("unfold {relation}; ") } else { String::new() };
                let found = edges(&mut self.theory, r);
                let edge = self.by_edges(r, &found)?;
                let base = self.ways(*of, claims, &own, all, &found, &edge, false)?;
                let more = self.ways(*of, claims, &own, all, &found, &edge, true)?;
                format!(
                    "{unfold}intros x0 x1 holds; induction holds as [e0 e1 holds|e0 e2 e1 before IH holds].\n- exact {base}.\n- exact {more}.\n"
                )
            }
            Meaning::Fixpoint(body, _) => {
                let parts = self.theory.exprs.union_parts(body);
                let mut proof = "intros x0 x1 holds; induction holds as [".to_owned();
                let mut patterns = Vec::new();
                let mut cases = String::new();
                for (k, part) in parts.iter().enumerate() {
                    let (pattern, term) = self.recursive_way(*of, *part, claims, &own, all, k)?;
                    patterns.push(pattern);
                    cases += &format!("- exact {term}.\n");
                }
                proof += &format!("{}].\n{cases}", patterns.join("|"));
                proof
            }
            Meaning::Defined(body) => {
                let found = vec![body];
                let edge = self.by_edges(body, &found)?;
                let base = self.ways(*of, claims, &own, all, &found, &edge, false)?;
                format!("intros e0 e1 holds. exact {base}.\n")
            }
            _ => return Err("an induction is over a relation that has no rules".to_owned()),
        };
        self.lemma(&name, &statement, &proof);
        for (at, (claim, _)) in own.iter().enumerate() {
            let statement = self.text.claim(&self.theory, &claims[*claim]);
            let mut part = format!("({name} x0 x1 holds)");
            for _ in 0..at {
                part = format!("(proj2 {part})");
            }
            if at + 1 < own.len() {
                part = format!("(proj1 {part})");
            }
            self.lemma(&claim_name((number, *claim)), &statement, &format!("intros x0 x1 holds. exact {part}."));
        }
        Ok(())
    }

    /// The proof of all properties of a pair that comes into a closure by an edge, alone or behind an earlier pair.
    #[allow(clippy::too_many_arguments)]
    fn ways(
        &mut self,
        of: Pred,
        claims: &[Claim],
        own: &[(usize, &Property)],
        all: &Obligations<'_>,
        edges: &[ExprId],
        by_edges: &str,
        behind: bool,
    ) -> Result<String, String> {
        let (first, second) = if behind { (Term::event(2), Term::event(1)) } else { (Term::event(0), Term::event(1)) };
        let mut proofs = Vec::new();
        for (at, (_, property)) in own.iter().enumerate() {
            let mut branches = Vec::new();
            for (k, &edge) in edges.iter().enumerate() {
                let way = if behind { edges.len() + k } else { k };
                let holds = format!("edge_{k}");
                let term = self.one_way(
                    of,
                    way,
                    claims,
                    own,
                    at,
                    all,
                    &|w, state, rest| {
                        if behind {
                            let earlier = Form::Lit(Lit::yes(Atom::binary(of, Term::event(0), Term::event(2))));
                            w.open(edge, first, second, &holds, state, &mut |w, state, pieces| {
                                rest(w, state, std::iter::once((earlier.clone(), "before".to_owned())).chain(pieces).collect())
                            })
                        } else {
                            w.open(edge, first, second, &holds, state, rest)
                        }
                    },
                    if behind { 3 } else { 2 },
                )?;
                branches.push(format!("(fun {holds} => {term})"));
            }
            let split = if by_edges.is_empty() {
                format!("({} holds)", branches[0])
            } else {
                let given = format!("({by_edges} {} {} holds)", event(first), event(second));
                cases(&given, branches.len(), 0, &mut |i, t| format!("({} {t})", branches[i]))
            };
            proofs.push(self.concluded(property, &split));
        }
        Ok(conjoined(&proofs))
    }

    /// The properties of a pair that comes into a recursive relation by one part of its body.
    fn recursive_way(
        &mut self,
        of: Pred,
        part: ExprId,
        claims: &[Claim],
        own: &[(usize, &Property)],
        all: &Obligations<'_>,
        k: usize,
    ) -> Result<(String, String), String> {
        let mut pattern = Vec::new();
        let mut proofs = Vec::new();
        for (at, (_, property)) in own.iter().enumerate() {
            let binders = std::cell::RefCell::new((Vec::new(), Vec::new()));
            let term = self.one_way(
                of,
                k,
                claims,
                own,
                at,
                all,
                &|w, state, rest| {
                    *binders.borrow_mut() = (Vec::new(), Vec::new());
                    let whole = vec![(part, Term::event(0), Term::event(1))];
                    w.by_premises(of, whole, &binders, state, Vec::new(), rest)
                },
                2,
            )?;
            let (events, premises) = binders.into_inner();
            pattern = [vec!["e0".to_owned(), "e1".to_owned()], events, premises].concat();
            proofs.push(self.concluded(property, &term));
        }
        Ok((pattern.join(" "), conjoined(&proofs)))
    }

    /// Opens the premises of a rule of a recursive relation, one after the other; `binders` are the rule's events and premises.
    #[allow(clippy::type_complexity)]
    fn by_premises(
        &mut self,
        of: Pred,
        mut open: Vec<(ExprId, Term, Term)>,
        binders: &std::cell::RefCell<(Vec<String>, Vec<String>)>,
        state: &mut State,
        pieces: Pieces,
        rest: Rest<'_>,
    ) -> Result<String, String> {
        if open.is_empty() {
            return rest(self, state, pieces);
        }
        let (first, s, t) = open.remove(0);
        if let Some((parts, between)) = premises_of(&self.theory, first, s, t, Term::event(state.next)) {
            if between {
                binders.borrow_mut().0.push(event(Term::event(state.next)));
                state.next += 1;
            }
            let all = parts.into_iter().chain(open).collect();
            return self.by_premises(of, all, binders, state, pieces, rest);
        }
        let holds = format!("m{}", binders.borrow().1.iter().filter(|n| n.starts_with('m')).count());
        let is_earlier = self.theory.as_symbol(first) == Some(of);
        {
            let mut binders = binders.borrow_mut();
            let earlier = binders.1.iter().filter(|n| n.starts_with("IH")).count();
            binders.1.push(holds.clone());
            if is_earlier {
                binders.1.push(induction_name(earlier));
            }
        }
        self.open(first, s, t, &holds, state, &mut |w, state, more| {
            let pieces = pieces.iter().cloned().chain(more).collect();
            w.by_premises(of, open.clone(), binders, state, pieces, rest)
        })
    }

    /// From False to a property: what is denied is named.
    fn concluded(&self, property: &Property, split: &str) -> String {
        match property {
            Property::Clause(lits) => {
                let more: Vec<String> = (2..2 + more_variables(lits)).map(|v| format!("z{v}")).collect();
                let premises: Vec<String> = (0..lits.iter().filter(|l| !l.positive).count()).map(|i| format!("l{i}")).collect();
                let names = [more, premises].concat().join(" ");
                let binder = if names.is_empty() { String::new() } else { format!("fun {names} => ") };
                if lits.iter().any(|l| l.positive) {
                    format!("({binder}NNPP _ (fun no => {split}))")
                } else {
                    format!("({binder}{split})")
                }
            }
            Property::Within(_) => format!("(NNPP _ (fun no => {split}))"),
        }
    }

    /// Opens one way into a relation and each choice among what earlier pairs are in.
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn one_way(
        &mut self,
        of: Pred,
        way: usize,
        claims: &[Claim],
        own: &[(usize, &Property)],
        at: usize,
        all: &Obligations<'_>,
        body: &dyn Fn(&mut Self, &mut State, Rest<'_>) -> Result<String, String>,
        next: usize,
    ) -> Result<String, String> {
        let ways = rules(&mut self.theory, &[of], true);
        self.text.names.extend(&self.theory);
        let (claim, property) = own[at];
        // The obligations of earlier ways come first: for each choice one of each claim.
        let choices = |w: &Way| -> Vec<(Atom, Vec<ExprId>, String)> {
            let bounded = |a: &Atom| {
                claims.iter().find_map(|c| match c {
                    Claim::Pairs { of, property: Property::Within(e) } if *of == a.pred => {
                        Some(self.theory.exprs.union_parts(*e))
                    }
                    _ => None,
                })
            };
            let all = w.earlier.iter().enumerate();
            all.filter_map(|(k, a)| bounded(a).map(|parts| (*a, parts, induction_name(k)))).collect()
        };
        let count = |w: &Way| choices(w).iter().map(|c| c.1.len()).product::<usize>() * own.len();
        let before: usize = ways[..way].iter().map(count).sum();
        let chosen = choices(&ways[way]);
        let earlier = ways[way].earlier.clone();
        let claim_at = own.iter().position(|o| o.0 == claim).unwrap_or(0);
        let mut state = State::new(next, &[of]);
        let total = own.len();
        let ends = [Term::event(0), Term::event(1)];
        body(self, &mut state, &mut |w, state, pieces| {
            w.choose(&chosen, 0, state, pieces, own, &mut |w, state, pieces, choice| {
                let number = before + choice * total + claim_at;
                let obligation = all.all.get(number).ok_or("there are fewer obligations than ways")?.0.clone();
                if obligation.claim != claim {
                    return Err("obligations come in another order".to_owned());
                }
                let mut supposed = Vec::new();
                for (i, claim) in claims.iter().enumerate() {
                    let Claim::Pairs { of: p, property: Property::Clause(lits) } = claim else { continue };
                    for (k, atom) in earlier.iter().enumerate().filter(|(_, a)| a.pred == *p) {
                        supposed.extend(w.supposed(lits, *atom, &hypothesis(own, i, k))?);
                    }
                }
                let conclusion = match property {
                    Property::Clause(lits) => w.negated(lits, ends, state.next)?,
                    Property::Within(bound) => {
                        supposed.extend(w.denied(*bound, &obligation, ends[0], ends[1], "no")?);
                        Vec::new()
                    }
                };
                w.apply(all, number, state, pieces, &conclusion, &supposed)
            })
        })
    }

    /// Opens what each earlier pair is known to be in, for each choice.
    #[allow(clippy::type_complexity)]
    fn choose(
        &mut self,
        chosen: &[(Atom, Vec<ExprId>, String)],
        number: usize,
        state: &mut State,
        pieces: Pieces,
        own: &[(usize, &Property)],
        rest: &mut dyn FnMut(&mut Self, &mut State, Pieces, usize) -> Result<String, String>,
    ) -> Result<String, String> {
        let Some(((atom, parts, name), later)) = chosen.split_first() else { return rest(self, state, pieces, number) };
        let bound = own.iter().position(|(_, p)| matches!(p, Property::Within(_))).ok_or("there is no bound")?;
        let given = projected(name, bound, own.len());
        let mut terms = Vec::new();
        for (k, &part) in parts.iter().enumerate() {
            let mut inner = State { group: Vec::new(), ..state.clone() };
            let held = format!("part_{}_{k}", later.len());
            let group = state.group.clone();
            let term = self.open(part, atom.args[0], atom.args[1], &held, &mut inner, &mut |w, inner, all| {
                let opened = std::mem::replace(&mut inner.group, group.clone());
                let pieces = pieces.iter().cloned().chain(all).collect();
                let done = w.choose(later, number * parts.len() + k, inner, pieces, own, rest);
                inner.group = opened;
                done
            })?;
            state.fresh = inner.fresh;
            terms.push((held, term));
        }
        Ok(unions(&given, &terms))
    }

    /// The supposition that an induction makes of an earlier pair, with its proof; none if it says nothing.
    fn supposed(&mut self, lits: &[Lit], atom: Atom, hypothesis: &str) -> Result<Option<String>, String> {
        let mut values = atom.args.to_vec();
        values.extend((0..16).map(Term::variable));
        let Some((clause, variables)) = normalised(lits.iter().map(|l| l.with(&values)).collect()) else { return Ok(None) };
        let wanted = self.text.closed_clause(&self.theory, &clause, variables);
        let [s, t] = atom.args;
        let given = self.text.property(&self.theory, &Property::Clause(lits.to_vec()), &event(s), &event(t));
        let lemma = self.entails(&[s, t], &given, &wanted);
        Ok(Some(format!("({lemma} {} {} {hypothesis})", event(s), event(t))))
    }

    /// The literals of a property that is denied, of a pair and the events behind a number, with their proofs.
    fn negated(&mut self, lits: &[Lit], ends: [Term; 2], next: usize) -> Result<Pieces, String> {
        let mut values = ends.to_vec();
        values.extend((0..more_variables(lits)).map(|k| Term::event(next + k)));
        let conclusions = lits.iter().filter(|l| l.positive).count();
        let (mut premise, mut conclusion) = (0, 0);
        let mut all = Vec::new();
        for lit in lits {
            let own = Form::lit(!lit.with(&values));
            let raw = lit.atom.args.map(|t| t.with(&values));
            let swapped = lit.with(&values).atom.args != raw;
            let term = if lit.positive {
                conclusion += 1;
                let held = if swapped { "(eq_sym held)" } else { "held" };
                format!("(fun held => no {})", injection(conclusion - 1, conclusions, held))
            } else {
                premise += 1;
                if swapped { format!("(eq_sym l{})", premise - 1) } else { format!("l{}", premise - 1) }
            };
            match own {
                Form::Const(true) => {}
                own => all.push((own, term)),
            }
        }
        Ok(all)
    }
}

/// One of so many conjuncts of a term.
fn projected(term: &str, at: usize, of: usize) -> String {
    let mut part = term.to_owned();
    for _ in 0..at {
        part = format!("(proj2 {part})");
    }
    if at + 1 < of { format!("(proj1 {part})") } else { part }
}

/// The hypothesis of an induction about an earlier pair.
fn hypothesis(own: &[(usize, &Property)], claim: usize, earlier: usize) -> String {
    let at = own.iter().position(|o| o.0 == claim).unwrap_or(0);
    projected(&induction_name(earlier), at, own.len())
}

/// What an induction knows of an earlier pair.
fn induction_name(earlier: usize) -> String {
    if earlier == 0 { "IH".to_owned() } else { format!("IH{earlier}") }
}

/// The premises that a part of a rule's body is split into, and whether the given event is between them; `None` if it is one premise.
#[allow(clippy::type_complexity)]
pub fn premises_of(theory: &Theory, part: ExprId, s: Term, t: Term, between: Term) -> Option<(Vec<(ExprId, Term, Term)>, bool)> {
    Some(match theory.exprs.get(part) {
        Expr::Intersection(a, b) => (vec![(a, s, t), (b, s, t)], false),
        Expr::Inverse(a) => (vec![(a, t, s)], false),
        Expr::Sequence(a, b) => match (theory.exprs.get(a), theory.exprs.get(b)) {
            (Expr::Diagonal(set), _) => (vec![(set, s, s), (b, s, t)], false),
            (_, Expr::Diagonal(set)) => (vec![(a, s, t), (set, t, t)], false),
            _ => (vec![(a, s, between), (b, between, t)], true),
        },
        _ => return None,
    })
}

/// The members of a union, nested to the left, each with what to do there.
fn unions(term: &str, cases: &[(String, String)]) -> String {
    match cases {
        [] => format!("(False_ind _ {term})"),
        [(name, one)] => format!("((fun {name} => {one}) {term})"),
        [rest @ .., (name, last)] => {
            let inner = unions("rest", rest);
            format!("match {term} with or_introl rest => {inner} | or_intror {name} => {last} end")
        }
    }
}

fn conjoined(proofs: &[String]) -> String {
    let all: Vec<&str> = proofs.iter().map(String::as_str).collect();
    conjunction(&all)
}
