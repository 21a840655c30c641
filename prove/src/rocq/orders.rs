//! Edges: a relation as the union of the ways through it, and the rule of two orders.

use super::writer::Writer;
use crate::argument::{Claim, Rule};
use crate::logic::{Expr, ExprId, Meaning, Term};

impl Writer {
    /// The lemma that a relation is the union of its edges.
    pub fn by_edges(&mut self, r: ExprId, found: &[ExprId]) -> Result<String, String> {
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
    pub fn unfolding(&mut self, r: ExprId) -> String {
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

    /// `a; b` within a relation, by what contains a and b.
    pub fn through(&mut self, name: &str, claim: &Claim, rule: &Rule, proved: &[(Claim, String)]) -> Result<(), String> {
        let (Rule::Through { parts, between }, Claim::Within(whole, bound)) = (rule, claim) else {
            return Err("this is another rule".to_owned());
        };
        // What is in a relation is in what contains it, by the lemma that says so.
        let contains = |part: ExprId, within: ExprId, term: &str| {
            if part == within {
                return Ok(term.to_owned());
            }
            let known = proved.iter().find(|p| p.0 == Claim::Within(part, within));
            known.map(|p| format!("({} _ _ {term})", p.1)).ok_or("a rule needs what was not proved")
        };
        let first = contains(parts[0], between[0], "first")?;
        let second = contains(parts[1], between[1], "second")?;
        let other = self.theory.exprs.sequence(between[0], between[1]);
        let both = contains(other, *bound, &format!("(ex_intro _ e2 (conj {first} {second}))"))?;
        self.text.names.extend(&self.theory);
        let statement = self.text.claim(&self.theory, claim);
        // Parentheses are set anew.
        let grouped = self.theory.exprs.sequence(parts[0], parts[1]);
        let [own, grouped] = [*whole, grouped].map(|e| self.text.within(&self.theory, e, 2));
        let again = if own == grouped {
            "intros e0 e1 whole.".to_owned()
        } else {
            let lemma = self.entails(&[Term::event(0), Term::event(1)], &format!("{own} e0 e1"), &format!("{grouped} e0 e1"));
            format!("intros e0 e1 whole. apply {lemma} in whole.")
        };
        self.lemma(name, &statement, &format!("{again} destruct whole as (e2 & first & second). exact {both}."));
        Ok(())
    }

    /// `acyclic`, by the rule of two orders.
    pub fn orders(
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
        let irreflexive = if first.is_empty() { "closure_of_none".to_owned() } else { lemma(&Claim::Irreflexive(chain))? };
        let (strict, transitive) = (lemma(&Claim::Irreflexive(order))?, lemma(&Claim::Within(twice, order))?);
        let mut posed = String::new();
        for &edge in second {
            posed += &format!(" pose proof {}.", lemma(&Claim::Within(edge, order))?);
            if !first.is_empty() {
                let both = self.theory.exprs.sequence(chain, edge);
                posed += &format!(" pose proof {}.", lemma(&Claim::Within(both, order))?);
            }
        }
        let behind_first = if first.is_empty() {
            "intros e0 e1 (e2 & never & _). destruct (closure_of_none_at _ _ never).".to_owned()
        } else {
            format!("{posed} alone. crush.")
        };
        self.lemma(
            name,
            &statement,
            &format!(
                "apply (acyclic_orders {whole} {a} {b} {s}).\n- exact {edges}.\n- exact {irreflexive}.\n- exact {strict}.\n- exact {transitive}.\n-{posed} alone. crush.\n- {behind_first}\n"
            ),
        );
        Ok(())
    }
}
