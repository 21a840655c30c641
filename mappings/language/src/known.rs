//! What of a mapping is known, and what is assumed: a counterexample that uses an assumed row is no
//! finding.

use super::about::Knowledge;
use super::{Mapping, Used};

impl Mapping {
    /// Is what this use says assumed?
    fn is_assumed(&self, used: &Used) -> bool {
        let evidence = |from: &super::RowSource| self.about.evidence.get(from.evidence);
        used.from.as_ref().and_then(evidence).is_some_and(|e| e.known == Knowledge::Assumed)
    }

    /// The left-hand sides of rows that are assumed, in the order of the text.
    pub fn assumed(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for row in &self.rows {
            for lowering in &row.alternatives {
                // What is assumed for all uses of a form is one row.
                let of = || lowering.uses.iter().filter(|u| self.is_assumed(u));
                if of().next().is_none() {
                    continue;
                }
                let whole = lowering.uses.iter().all(|u| self.is_assumed(u));
                let heads: Vec<String> = match whole {
                    true => vec![row.head(self.source.signature, lowering.form)],
                    false => of()
                        .map(|u| row.head_for(self.source.signature, lowering.form, u.when))
                        .collect(),
                };
                for head in heads {
                    if !out.contains(&head) {
                        out.push(head);
                    }
                }
            }
        }
        out
    }

    /// The mapping without its assumed rows: programs that need them are not asked about.
    pub fn known_only(&self) -> Mapping {
        let mut mapping = self.clone();
        let (assumed, known): (Vec<_>, Vec<_>) =
            self.about.stated.iter().cloned().partition(|stated| stated.assumed);
        mapping.about.left_out.extend(assumed.into_iter().map(|stated| stated.head));
        mapping.about.stated = known;
        for row in &mut mapping.rows {
            for lowering in &mut row.alternatives {
                if !lowering.uses.is_empty() {
                    lowering.uses.retain(|u| !self.is_assumed(u));
                    if lowering.uses.is_empty() {
                        lowering.steps.clear();
                        lowering.bits = Some(0);
                    }
                }
            }
            // Those that were emptied just now.
            row.alternatives.retain(|l| l.bits != Some(0));
        }
        mapping
    }

    /// Was it asked without its assumed rows ([`Mapping::known_only`])?
    pub fn is_known_only(&self) -> bool {
        !self.about.left_out.is_empty()
    }

    /// The mapping as a question has it: whole, or without its assumed rows.
    #[must_use]
    pub fn asked(self, known_only: bool) -> Mapping {
        if known_only { self.known_only() } else { self }
    }

    /// The best and the worst of what its rows say of where they come from; `None` for a mapping
    /// that does not say.
    pub fn known(&self) -> Option<(Knowledge, Knowledge)> {
        let all = self.rows.iter().flat_map(|r| &r.alternatives).flat_map(|l| &l.uses);
        let known: Vec<Knowledge> = all
            .filter_map(|u| Some(self.about.evidence.get(u.from.as_ref()?.evidence)?.known))
            .collect();
        Some((*known.iter().min()?, *known.iter().max()?))
    }
}
