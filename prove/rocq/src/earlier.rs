//! What an induction knows of earlier pairs: each choice among what they are in, and what is
//! supposed of them.

use super::failure::RocqFailure;
use super::induction::Induction;
use super::opening::{HeldPair, OpeningState, RemainingTactics};
use super::proven::{Pieces, either, injection};
use super::text::{event, more_variables};
use super::writer::RocqWriter;
use margay_theorem::argument::Claim;
use margay_theorem::argument::Property;
use margay_theorem::argument::{InductionCase, induction_cases};
use margay_theorem::logic::form::normalised;
use margay_theorem::logic::{EventAtom, EventTerm, Lit, TheoryExprId, TheoryFormula};

/// Opens one way into a relation, and hands what holds there to the rest.
type OpeningBody<'a> = &'a dyn Fn(
    &mut RocqWriter,
    &mut OpeningState,
    RemainingTactics<'_>,
) -> Result<String, RocqFailure>;

impl RocqWriter {
    /// Opens one way into a relation and each choice among what earlier pairs are in.
    pub(super) fn one_way(
        &mut self,
        about: &Induction<'_>,
        way: usize,
        at: usize,
        body: OpeningBody<'_>,
        next: usize,
    ) -> Result<String, RocqFailure> {
        let &Induction { of, claims, ref own, all } = about;
        let ways = induction_cases(&mut self.theory, &[of], true);
        self.text.names.extend(&self.theory);
        let (claim, property) = own[at];
        // The obligations of earlier ways come first: for each choice one of each claim.
        let choices = |w: &InductionCase| -> Vec<(EventAtom, Vec<TheoryExprId>, String)> {
            let bounded = |a: &EventAtom| {
                claims.iter().find_map(|c| match c {
                    Claim::Pairs { of, property: Property::Within(e) } if *of == a.pred => {
                        Some(self.theory.exprs.union_parts(*e))
                    }
                    _ => None,
                })
            };
            let all = w.earlier.iter().enumerate();
            all.filter_map(|(k, a)| bounded(a).map(|parts| (*a, parts, induction_name(k))))
                .collect()
        };
        let count =
            |w: &InductionCase| choices(w).iter().map(|c| c.1.len()).product::<usize>() * own.len();
        let before: usize = ways[..way].iter().map(count).sum();
        let chosen = choices(&ways[way]);
        let earlier = ways[way].earlier.clone();
        let claim_at = own.iter().position(|o| o.0 == claim).unwrap_or(0);
        let mut state = OpeningState::new(next, &[of]);
        let total = own.len();
        let ends = [EventTerm::event(0), EventTerm::event(1)];
        body(self, &mut state, &mut |w, state, pieces| {
            w.choose(&chosen, 0, state, pieces, own, &mut |w, state, pieces, choice| {
                let number = before + choice * total + claim_at;
                let obligation = all
                    .all
                    .get(number)
                    .ok_or(RocqFailure::mismatch("there are fewer obligations than ways"))?
                    .0
                    .clone();
                if obligation.claim != claim {
                    return Err(RocqFailure::mismatch("obligations come in another order"));
                }
                let mut supposed = Vec::new();
                for (i, claim) in claims.iter().enumerate() {
                    let Claim::Pairs { of: p, property: Property::Clause(lits) } = claim else {
                        continue;
                    };
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
        chosen: &[(EventAtom, Vec<TheoryExprId>, String)],
        number: usize,
        state: &mut OpeningState,
        pieces: Pieces,
        own: &[(usize, &Property)],
        rest: &mut dyn FnMut(
            &mut Self,
            &mut OpeningState,
            Pieces,
            usize,
        ) -> Result<String, RocqFailure>,
    ) -> Result<String, RocqFailure> {
        let Some(((atom, parts, name), later)) = chosen.split_first() else {
            return rest(self, state, pieces, number);
        };
        let bound = own
            .iter()
            .position(|(_, p)| matches!(p, Property::Within(_)))
            .ok_or(RocqFailure::mismatch("there is no bound"))?;
        let given = projected(name, bound, own.len());
        let mut terms = Vec::new();
        for (k, &part) in parts.iter().enumerate() {
            let mut inner = OpeningState { group: Vec::new(), ..state.clone() };
            let held = format!("part_{}_{k}", later.len());
            let group = state.group.clone();
            let term = self.open(
                HeldPair { of: part, ends: [atom.args[0], atom.args[1]], term: &held },
                &mut inner,
                &mut |w, inner, all| {
                    let opened = std::mem::replace(&mut inner.group, group.clone());
                    let pieces = pieces.iter().cloned().chain(all).collect();
                    let done = w.choose(later, number * parts.len() + k, inner, pieces, own, rest);
                    inner.group = opened;
                    done
                },
            )?;
            state.fresh = inner.fresh;
            terms.push((held, term));
        }
        Ok(unions(&given, &terms))
    }

    /// The supposition that an induction makes of an earlier pair, with its proof; none if it says
    /// nothing.
    fn supposed(
        &mut self,
        lits: &[Lit],
        atom: EventAtom,
        hypothesis: &str,
    ) -> Result<Option<String>, RocqFailure> {
        let mut values = atom.args.to_vec();
        values.extend((0..16).map(EventTerm::variable));
        let Some((clause, variables)) = normalised(lits.iter().map(|l| l.with(&values)).collect())
        else {
            return Ok(None);
        };
        let wanted = self.text.closed_clause(&self.theory, &clause, variables);
        let [s, t] = atom.args;
        let given = self.text.property(
            &self.theory,
            &Property::Clause(lits.to_vec()),
            &event(s),
            &event(t),
        );
        let lemma = self.entails(&[s, t], &given, &wanted);
        Ok(Some(format!("({lemma} {} {} {hypothesis})", event(s), event(t))))
    }

    /// The literals of a property that is denied, of a pair and the events behind a number, with
    /// their proofs.
    fn negated(
        &mut self,
        lits: &[Lit],
        ends: [EventTerm; 2],
        next: usize,
    ) -> Result<Pieces, RocqFailure> {
        let mut values = ends.to_vec();
        values.extend((0..more_variables(lits)).map(|k| EventTerm::event(next + k)));
        let conclusions = lits.iter().filter(|l| l.positive).count();
        let (mut premise, mut conclusion) = (0, 0);
        let mut all = Vec::new();
        for lit in lits {
            let own = TheoryFormula::lit(!lit.with(&values));
            let raw = lit.atom.args.map(|t| t.with(&values));
            let swapped = lit.with(&values).atom.args != raw;
            let term = if lit.positive {
                conclusion += 1;
                let held = if swapped { "(eq_sym held)" } else { "held" };
                format!("(fun held => no {})", injection(conclusion - 1, conclusions, held))
            } else {
                premise += 1;
                if swapped {
                    format!("(eq_sym l{})", premise - 1)
                } else {
                    format!("l{}", premise - 1)
                }
            };
            match own {
                TheoryFormula::Const(true) => {}
                own => all.push((own, term)),
            }
        }
        Ok(all)
    }
}

/// One of so many conjuncts of a term.
pub fn projected(term: &str, at: usize, of: usize) -> String {
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
pub fn induction_name(earlier: usize) -> String {
    if earlier == 0 { "IH".to_owned() } else { format!("IH{earlier}") }
}

/// The members of a union, nested to the left, each with what to do there.
fn unions(term: &str, cases: &[(String, String)]) -> String {
    match cases {
        [] => format!("destruct {term}."),
        [(name, one)] if term == "rest" => format!("rename rest into {name}. {one}"),
        [(name, one)] => format!("pose proof {term} as {name}. {one}"),
        [rest @ .., (name, last)] => {
            let inner = unions("rest", rest);
            either(term, ["rest", &inner], [name, last])
        }
    }
}
