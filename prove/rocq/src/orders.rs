//! The rule of two orders, and a sequence within a relation by what contains its parts.

use super::failure::RocqFailure;
use super::proven::each;
use super::writer::RocqWriter;
use margay_theorem::argument::by_halves;
use margay_theorem::argument::{Claim, Cut, Rule};
use margay_theorem::logic::{EventTerm, TheoryExprId};

impl RocqWriter {
    /// `a; b` within a relation, by what contains a and b.
    pub fn through(
        &mut self,
        name: &str,
        claim: &Claim,
        rule: &Rule,
        proved: &[(Claim, String)],
    ) -> Result<(), RocqFailure> {
        let (Rule::Through { parts, between }, Claim::Within(whole, bound)) = (rule, claim) else {
            return Err(RocqFailure::mismatch("this is another rule"));
        };
        // What is in a relation is in what contains it, by the lemma that says so.
        let contains = |part: TheoryExprId, within: TheoryExprId, term: &str| {
            if part == within {
                return Ok(term.to_owned());
            }
            let known = proved.iter().find(|p| p.0 == Claim::Within(part, within));
            known
                .map(|p| format!("({} _ _ {term})", p.1))
                .ok_or(RocqFailure::mismatch("a rule needs what was not proved"))
        };
        let first = contains(parts[0], between[0], "first")?;
        let second = contains(parts[1], between[1], "second")?;
        let other = self.theory.exprs.sequence(between[0], between[1]);
        let both = contains(other, *bound, &format!("(ex_intro _ e2 (conj {first} {second}))"))?;
        self.text.names.extend(&self.theory);
        let statement = self.text.claim(&self.theory, claim);
        // Parentheses are set anew.
        let grouped = self.theory.exprs.sequence(parts[0], parts[1]);
        let own = self.text.within(&self.theory, *whole, 2);
        let again = self.again(&own, grouped, ["e0", "e1"], "whole");
        self.lemma(
            name,
            &statement,
            &format!(
                "intros e0 e1 whole. destruct {again} as (e2 & first & second). exact {both}."
            ),
        );
        Ok(())
    }

    /// `acyclic`, by the rule of two orders.
    pub fn orders(
        &mut self,
        name: &str,
        r: TheoryExprId,
        (cut, order): (Cut, Option<TheoryExprId>),
        [first, second]: [&[TheoryExprId]; 2],
        proved: &[(Claim, String)],
    ) -> Result<(), RocqFailure> {
        let lemma = |claim: &Claim| {
            let known = proved.iter().find(|p| p.0 == *claim).map(|p| p.1.clone());
            known.ok_or(RocqFailure::mismatch("the rule of orders needs what was not proved"))
        };
        let statement = self.text.claim(&self.theory, &Claim::Acyclic(r));
        let firsts = self.theory.exprs.union_all(first.iter().copied());
        let chain = self.theory.closure_name(firsts);
        let chain = self.theory.exprs.symbol(chain);
        self.text.names.extend(&self.theory);
        let Some(order) = order else {
            if firsts != r {
                return Err(RocqFailure::mismatch(
                    "the rule of orders without an order is for the whole relation",
                ));
            }
            let irreflexive = lemma(&Claim::Irreflexive(chain))?;
            self.lemma(name, &statement, &format!("exact {irreflexive}."));
            return Ok(());
        };
        let seconds = self.theory.exprs.union_all(second.iter().copied());
        let [whole, a, b, s] =
            [r, firsts, seconds, order].map(|e| self.text.within(&self.theory, e, 2));
        let ends = ["e0", "e1"];
        let edges = self.by_edges(r, ends, "holds", &mut |w, edge, term| {
            w.of_two(edge, [firsts, seconds], ends, term)
        })?;
        let twice = self.theory.exprs.sequence(order, order);
        let irreflexive = if first.is_empty() {
            "closure_of_none".to_owned()
        } else {
            lemma(&Claim::Irreflexive(chain))?
        };
        let (strict, transitive) =
            (lemma(&Claim::Irreflexive(order))?, lemma(&Claim::Within(twice, order))?);
        let in_order = self.by_members(seconds, "holds", &mut |_, edge, term| {
            Ok(format!("exact (no ({} e0 e1 {term})).", lemma(&Claim::Within(edge, order))?))
        })?;
        // The lemma, and what is known of a piece: its parts in their order.
        let (rule, parts) = match cut {
            Cut::Behind => ("acyclic_orders", ["chain", "holds"]),
            Cut::Before => ("acyclic_orders_before", ["holds", "chain"]),
        };
        let with_first = if first.is_empty() {
            let [one, other] = parts.map(|part| if part == "chain" { "never" } else { "_" });
            format!("intros e0 e1 (e2 & {one} & {other}). destruct (closure_of_none_at _ _ never).")
        } else {
            let chain_text = self.text.within(&self.theory, chain, 2);
            let term = self.by_members(seconds, "holds", &mut |w, edge, term| {
                let both = cut.piece(&mut w.theory.exprs, chain, edge);
                let edge_text = w.text.within(&w.theory, edge, 2);
                let (text, halves) = match cut {
                    Cut::Behind => (format!("({chain_text} ⨾ {edge_text})"), ["chain", term]),
                    Cut::Before => (format!("({edge_text} ⨾ {chain_text})"), [term, "chain"]),
                };
                w.text.names.extend(&w.theory);
                let pair = w.again(
                    &text,
                    both,
                    ends,
                    &format!("(ex_intro _ e2 (conj {} {}))", halves[0], halves[1]),
                );
                Ok(format!("exact (no ({} e0 e1 {pair})).", lemma(&Claim::Within(both, order))?))
            })?;
            format!(
                "intros e0 e1 (e2 & {} & {}). apply NNPP. intros no.\n{term}",
                parts[0], parts[1]
            )
        };
        self.lemma(
            name,
            &statement,
            &format!(
                "apply ({rule} {whole} {a} {b} {s}).\n- intros e0 e1 holds. apply NNPP. intros no.\n{edges}\n- exact {irreflexive}.\n\
                 - exact {strict}.\n- exact {transitive}.\n- intros e0 e1 holds. apply NNPP. intros no.\n{in_order}\n- {with_first}\n"
            ),
        );
        Ok(())
    }

    /// An edge, or each of its parts, is in one of two relations, which is denied.
    fn of_two(
        &mut self,
        edge: TheoryExprId,
        two: [TheoryExprId; 2],
        ends: [&str; 2],
        term: &str,
    ) -> Result<String, RocqFailure> {
        let refute = |w: &Self, part: TheoryExprId, term: &str| -> Option<String> {
            let [first, second] = two;
            let left =
                w.as_member(first, part, term).map(|t| format!("exact (no (or_introl {t}))."));
            left.or_else(|| {
                w.as_member(second, part, term).map(|t| format!("exact (no (or_intror {t}))."))
            })
        };
        if let Some(done) = refute(self, edge, term) {
            return Ok(done);
        }
        // Program order is told apart by whether it goes from one half of an operation to the
        // other.
        let parts = by_halves(&mut self.theory, edge);
        self.text.names.extend(&self.theory);
        let text = |e: TheoryExprId| format!("{} e0 e1", self.text.within(&self.theory, e, 2));
        let (given, wanted) =
            (text(edge), parts.iter().map(|p| text(*p)).collect::<Vec<_>>().join(" \\/ "));
        let rmw = self
            .theory
            .symbols
            .named("rmw")
            .map(|p| self.text.symbol(&self.theory, p))
            .ok_or(RocqFailure::mismatch("there are no halves"))?;
        let orders =
            self.theory.symbols.iter().map(|(p, _)| p).filter(|&p| self.theory.is_program_order(p));
        let orders = orders
            .map(|p| format!("solve [halves {} {rmw}] | ", self.text.symbol(&self.theory, p)));
        let proof = format!("alone. first [{}crush].", orders.collect::<String>());
        let lemma =
            self.entails_by(&[EventTerm::event(0), EventTerm::event(1)], &given, &wanted, &proof);
        let mut branches = Vec::new();
        for part in parts {
            let done = refute(self, part, "part")
                .ok_or(RocqFailure::mismatch("the rule of orders leaves an edge out"))?;
            branches.push(done);
        }
        Ok(each(&format!("({lemma} {} {} {term})", ends[0], ends[1]), "part", &branches))
    }
}
