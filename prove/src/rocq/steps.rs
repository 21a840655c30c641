//! The steps of an argument as lemmas: each claim is opened at its events, and what refutes its obligations is applied.

use super::opening::State;
use super::proven::{Pieces, whole};
use super::text::{event, more_variables};
use super::writer::{Writer, claim_name};
use crate::argument::{Claim, Rule, Settled, Step, apart, obligations};
use crate::ground::Obligation;
use crate::logic::form::normalised;
use crate::logic::{Atom, Expr, ExprId, Form, Lit, Meaning, Pred, Term};
use crate::search::houdini::{Rule as Way, rules};
use crate::search::order::edges;
use crate::search::property::Property;
use crate::theory::Theory;

/// The obligations of a step, in order, with the lemmas that refute them.
struct Obligations<'a> {
    all: Vec<(Obligation, &'a Settled)>,
    step: usize,
}

impl Writer {
    /// Writes a step: its obligations, and a lemma for each claim.
    pub fn step(&mut self, number: usize, step: &Step, settled: &[Settled], proved: &[(Claim, String)]) -> Result<(), String> {
        self.text.names.extend(&self.theory);
        let all: Vec<(Obligation, &Settled)> = obligations(&mut self.theory, step).into_iter().zip(settled).collect();
        self.text.names.extend(&self.theory);
        self.lemmas += &format!("\n(* Step {}, {}. *)\n", number + 1, step.rule.name());
        for (at, (obligation, settled)) in all.iter().enumerate() {
            let longer = if settled.apart {
                apart(&mut self.theory, obligation).ok_or("there is nothing to take apart")?
            } else {
                obligation.clone()
            };
            self.text.names.extend(&self.theory);
            self.refuted(&obligation_name(number, at), &longer, &settled.refutation)?;
        }
        let all = Obligations { all, step: number };
        match &step.rule {
            Rule::Direct => {
                for (at, (obligation, _)) in all.all.iter().enumerate() {
                    let claim = &step.claims[obligation.claim];
                    self.direct(&claim_name((number, obligation.claim)), claim, &all, at)?;
                }
                Ok(())
            }
            Rule::Induction(group) => self.induction(number, group, &step.claims, &all),
            Rule::Orders { order, first, second } => {
                for (own, claim) in step.claims.iter().enumerate() {
                    let Claim::Acyclic(r) = claim else { return Err("the rule of orders is for `acyclic` alone".to_owned()) };
                    self.orders(&claim_name((number, own)), *r, *order, [first, second], proved)?;
                }
                Ok(())
            }
        }
    }

    /// Applies the lemma that refutes an obligation, to what was opened.
    fn apply(
        &mut self,
        all: &Obligations<'_>,
        at: usize,
        state: &mut State,
        pieces: Pieces,
        conclusion: &Pieces,
        supposed: &[String],
    ) -> Result<String, String> {
        let (obligation, settled) = &all.all[at];
        let more = obligation.events - state.next.min(obligation.events);
        let before = state.next;
        state.next = obligation.events;
        if whole(&pieces).0 != obligation.question {
            return Err(format!("`{}` was opened in two ways", obligation.what));
        }
        let atoms: Vec<(Atom, String)> = pieces
            .iter()
            .filter_map(|(f, term)| match f {
                Form::Lit(lit) if lit.positive => Some((lit.atom, term.clone())),
                _ => None,
            })
            .collect();
        let mut last: Vec<(ExprId, Atom, String)> = Vec::new();
        if settled.apart {
            for (atom, term) in atoms {
                let Meaning::Closure(step) = self.theory.symbols.get(atom.pred).meaning else { continue };
                let whole = self.theory.exprs.symbol(atom.pred);
                let more = self.theory.exprs.sequence(whole, step);
                let last_step = self.theory.exprs.union(step, more);
                let (own, opened) = (self.text.symbol(&self.theory, atom.pred), self.text.within(&self.theory, last_step, 2));
                let (x, y) = (Term::event(0), Term::event(1));
                let unfold =
                    if self.text.names.get(atom.pred).is_some() { format!("unfold {own} in H. ") } else { String::new() };
                let lemma = self.entails_by(
                    &[x, y],
                    &format!("{own} e0 e1"),
                    &format!("{opened} e0 e1"),
                    &format!("intros e0 e1 H. {unfold}apply closure_last in H. {}alone. crush.", unfold.replace(" in H", "")),
                );
                let [s, t] = atom.args;
                last.push((last_step, atom, format!("({lemma} {} {} {term})", event(s), event(t))));
            }
        }
        let finish = Finish { all, at, before, more, conclusion, supposed };
        self.take_apart(last, pieces, state, &finish)
    }

    /// Opens closures at their last steps, one after the other, and then applies the lemma.
    fn take_apart(
        &mut self,
        mut last: Vec<(ExprId, Atom, String)>,
        pieces: Pieces,
        state: &mut State,
        finish: &Finish<'_>,
    ) -> Result<String, String> {
        if last.is_empty() {
            return Ok(finish.term(state, &pieces));
        }
        let (opened, atom, term) = last.remove(0);
        let group = std::mem::take(&mut state.group);
        let [s, t] = atom.args;
        let done = self.open(opened, s, t, &term, state, &mut |w, state, all| {
            w.take_apart(last.clone(), pieces.iter().cloned().chain(all).collect(), state, finish)
        });
        state.group = group;
        done
    }

    fn direct(&mut self, name: &str, claim: &Claim, all: &Obligations<'_>, at: usize) -> Result<(), String> {
        let (x, y) = (Term::event(0), Term::event(1));
        let (of, s, t, bound) = match claim {
            Claim::Within(a, b) => (*a, x, y, Some(*b)),
            Claim::Irreflexive(e) | Claim::Empty(e, true) => (*e, x, x, None),
            Claim::Empty(e, false) => (*e, x, y, None),
            Claim::Pairs { .. } | Claim::Acyclic(_) => return Err("a claim is shown by another rule".to_owned()),
        };
        let events = if s == t { 1 } else { 2 };
        let supposed = match bound {
            Some(bound) => self.denied(bound, &all.all[at].0, s, t, "no")?,
            None => Vec::new(),
        };
        let mut state = State::new(events, &[]);
        let term = self.open(of, s, t, "holds", &mut state, &mut |w, state, pieces| {
            w.apply(all, at, state, pieces, &Vec::new(), &supposed)
        })?;
        let intros = if events == 1 { "intros e0 holds." } else { "intros e0 e1 holds." };
        let refute = if bound.is_some() { " apply NNPP. intros no." } else { "" };
        let statement = self.text.claim(&self.theory, claim);
        self.lemma(name, &statement, &format!("{intros}{refute}\nexact ({term}).\n"));
        Ok(())
    }

    /// The suppositions that say that a pair is not in a relation, each with its proof.
    fn denied(&mut self, bound: ExprId, obligation: &Obligation, s: Term, t: Term, term: &str) -> Result<Vec<String>, String> {
        let own = self.text.within(&self.theory, bound, 2);
        let given = format!("~ {own} {} {}", event(s), event(t));
        let mut all = Vec::new();
        for supposition in obligation.suppositions.clone().iter().filter(|s| s.claim.is_none()) {
            let wanted = self.text.closed_clause(&self.theory, &supposition.clause.lits, supposition.clause.variables);
            let lemma = self.entails(&[s, t], &given, &wanted);
            all.push(format!("({lemma} {} {} {term})", event(s), event(t)));
        }
        Ok(all)
    }

    /// `acyclic`, by the rule of two orders.
    fn orders(
        &mut self,
        name: &str,
        r: ExprId,
        order: Option<ExprId>,
        [first, second]: [&[ExprId]; 2],
        proved: &[(Claim, String)],
    ) -> Result<(), String> {
        let lemma = |claim: &Claim| {
            let known = proved.iter().find(|p| p.0 == *claim).map(|p| p.1.clone());
            known.ok_or_else(|| "the rule of orders needs what was not proved".to_owned())
        };
        let statement = self.text.claim(&self.theory, &Claim::Acyclic(r));
        let firsts = self.theory.exprs.union_all(first.iter().copied());
        let chain = self.theory.closure_name(firsts);
        let chain = self.theory.exprs.symbol(chain);
        self.text.names.extend(&self.theory);
        let Some(order) = order else {
            if firsts != r {
                return Err("the rule of orders without an order is for the whole relation".to_owned());
            }
            let irreflexive = lemma(&Claim::Irreflexive(chain))?;
            self.lemma(name, &statement, &format!("exact {irreflexive}."));
            return Ok(());
        };
        let seconds = self.theory.exprs.union_all(second.iter().copied());
        let [whole, a, b, s] = [r, firsts, seconds, order].map(|e| self.text.within(&self.theory, e, 2));
        let unfold = self.unfolding(r);
        let (x, y) = (Term::event(0), Term::event(1));
        let edges = self.entails_by(
            &[x, y],
            &format!("{whole} e0 e1"),
            &format!("{a} e0 e1 \\/ {b} e0 e1"),
            &format!("{unfold}alone. crush."),
        );
        let twice = self.theory.exprs.sequence(order, order);
        let irreflexive = if first.is_empty() { "(closure_of_none _)".to_owned() } else { lemma(&Claim::Irreflexive(chain))? };
        let (strict, transitive) = (lemma(&Claim::Irreflexive(order))?, lemma(&Claim::Within(twice, order))?);
        let mut posed = String::new();
        for &edge in second {
            posed += &format!(" pose proof {}.", lemma(&Claim::Within(edge, order))?);
            if !first.is_empty() {
                let both = self.theory.exprs.sequence(chain, edge);
                posed += &format!(" pose proof {}.", lemma(&Claim::Within(both, order))?);
            }
        }
        let none = if first.is_empty() { " intros e0 e1 (e2 & never & _). destruct (closure_of_none_at _ _ never)." } else { "" };
        self.lemma(
            name,
            &statement,
            &format!(
                "apply (acyclic_orders {whole} {a} {b} {s}).\n- exact {edges}.\n- exact {irreflexive}.\n- exact {strict}.\n- exact {transitive}.\n-{posed} alone. crush.\n-{none}{posed} alone. crush.\n"
            ),
        );
        Ok(())
    }

    fn induction(&mut self, number: usize, group: &[Pred], claims: &[Claim], all: &Obligations<'_>) -> Result<(), String> {
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

    /// The lemma that a relation is the union of its edges.
    fn by_edges(&mut self, r: ExprId, found: &[ExprId]) -> Result<String, String> {
        if found == [r] {
            return Ok(String::new());
        }
        let (x, y) = (Term::event(0), Term::event(1));
        let whole = self.text.within(&self.theory, r, 2);
        let parts: Vec<String> = found.iter().map(|e| format!("{} e0 e1", self.text.within(&self.theory, *e, 2))).collect();
        let unfold = self.unfolding(r);
        Ok(self.entails_by(&[x, y], &format!("{whole} e0 e1"), &parts.join(" \\/ "), &format!("{unfold}alone. crush.")))
    }

    /// A tactic that unfolds the definitions that edges look through.
    fn unfolding(&mut self, r: ExprId) -> String {
        let mut open = vec![r];
        let mut names = Vec::new();
        while let Some(e) = open.pop() {
            match self.theory.exprs.get(e) {
                Expr::Union(a, b) | Expr::Sequence(a, b) | Expr::Intersection(a, b) => open.extend([a, b]),
                Expr::Inverse(a) => open.push(a),
                Expr::Symbol(p) if !self.theory.is_local(p) => {
                    if let Meaning::Defined(body) = self.theory.symbols.get(p).meaning {
                        let name = self.text.symbol(&self.theory, p);
                        if !names.contains(&name) {
                            names.push(name);
                            open.push(body);
                        }
                    }
                }
                _ => {}
            }
        }
        if names.is_empty() { String::new() } else { format!("unfold {}. ", names.join(", ")) }
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
        for (at, (claim, property)) in own.iter().enumerate() {
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
            let _ = claim;
            let split = if by_edges.is_empty() {
                format!("({} holds)", branches[0])
            } else {
                let given = format!("({by_edges} {} {} holds)", event(first), event(second));
                super::proven::cases(&given, branches.len(), 0, &mut |i, t| format!("({} {t})", branches[i]))
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
        rest: super::opening::Rest<'_>,
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
        body: &dyn Fn(&mut Self, &mut State, super::opening::Rest<'_>) -> Result<String, String>,
        next: usize,
    ) -> Result<String, String> {
        let ways = rules(&mut self.theory, &[of], true);
        self.text.names.extend(&self.theory);
        let (claim, property) = own[at];
        // The obligations of earlier ways come first: for each choice one of each claim.
        let choices = |w: &Way| -> Vec<(Atom, Vec<ExprId>, String)> {
            let bounded = |a: &Atom| {
                claims.iter().enumerate().find_map(|(_, c)| match c {
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
                format!("(fun held => no {})", super::proven::injection(conclusion - 1, conclusions, held))
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

/// How an application ends.
struct Finish<'a> {
    all: &'a Obligations<'a>,
    at: usize,
    before: usize,
    more: usize,
    conclusion: &'a Pieces,
    supposed: &'a [String],
}

impl Finish<'_> {
    fn term(&self, state: &State, pieces: &Pieces) -> String {
        let name = obligation_name(self.all.step, self.at);
        let events: Vec<String> = (0..state.next)
            .map(|e| {
                // Further events of a property are bound where that is introduced.
                if (self.before..self.before + self.more).contains(&e) {
                    format!("z{}", 2 + e - self.before)
                } else {
                    event(Term::event(e))
                }
            })
            .collect();
        let mut term = format!("{name} {} {}", events.join(" "), whole(pieces).1);
        if self.all.all[self.at].0.conclusion != Form::Const(true) {
            term += &format!(" {}", whole(self.conclusion).1);
        }
        for supposed in self.supposed {
            term += &format!(" {supposed}");
        }
        format!("({term})")
    }
}

fn obligation_name(step: usize, at: usize) -> String {
    format!("obligation_{}_{}", step + 1, at + 1)
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
    super::proven::conjunction(&all)
}
