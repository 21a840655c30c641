//! The lemma that a closure is contained in the ends of its chains.

use super::text::event;
use super::writer::RocqWriter;
use margay_theorem::argument::LastStep;
use margay_theorem::logic::{EventAtom, EventTerm, Pred, TheoryExprId};

impl RocqWriter {
    /// What the ends of a closure's chains are at a pair, and the proof of that, of which `term`
    /// proves that the pair is in the closure.
    pub fn last_step(&mut self, atom: EventAtom, term: &str) -> Option<(TheoryExprId, String)> {
        let last = LastStep::of(&mut self.theory, atom.pred)?;
        let lemma = self.contained_in_ends(atom.pred, last);
        let [s, t] = atom.args;
        Some((last.ends, format!("({lemma} {} {} {term})", event(s), event(t))))
    }

    fn contained_in_ends(&mut self, closure: Pred, last: LastStep) -> String {
        let (own, ends) =
            (self.text.symbol(&self.theory, closure), self.text.within(&self.theory, last.ends, 2));
        let named = self.text.names.get(closure).is_some();
        let unfold = |at: &str| if named { format!("unfold {own}{at}. ") } else { String::new() };
        let (into, both) = (unfold(" in H"), unfold(""));
        let proof = match last.parts {
            None => format!("intros e0 e1 H. {into}apply closure_last in H. {both}alone. crush."),
            Some((transitive, others, sentence)) => {
                let says = &self.sentences[sentence];
                let [t, s] = [transitive, others].map(|e| self.text.within(&self.theory, e, 2));
                format!(
                    "intros e0 e1 H. {into}apply (closure_ends _ {t} {s}) in H.\n- {both}alone. crush.\n- alone. crush.\n- pose proof {says} as given. alone. crush.\n"
                )
            }
        };
        let (x, y) = (EventTerm::event(0), EventTerm::event(1));
        self.entails_by(&[x, y], &format!("{own} e0 e1"), &format!("{ends} e0 e1"), &proof)
    }
}
