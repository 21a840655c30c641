//! The order in which the elements of a vector are accessed: PTX gives none ("a set of equivalent
//! memory operations with a scalar data-type, executed in an unspecified order on the elements in
//! the vector", PTX ISA 8.2.4). A kernel is asked about with the first element first, and where
//! nothing goes wrong so, from the last to the first in loads, in stores, and in both: any two
//! elements come in either order.

use margay_ptx::effect::{Effect, MemoryAccess, MemoryOrder};

use crate::answer::{FindingKind, NotLooked, RepairAnswer};
use crate::condition::{FinalCondition, asked_bytes};
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::mark::MarkKind;
use crate::program::Executed;
use crate::reached::reached;
use crate::thread::{PreparedModule, VectorOrder};

/// All but that in which the text has them.
const OTHERS: [VectorOrder; 3] = [
    VectorOrder { last_loaded_first: false, last_stored_first: true },
    VectorOrder { last_loaded_first: true, last_stored_first: false },
    VectorOrder { last_loaded_first: true, last_stored_first: true },
];

impl Inquiry<'_, '_> {
    /// Asks again with the elements of vectors in other orders, where nothing goes wrong and the
    /// kernel has strong accesses of that kind. (Weak ones tell nobody anything.)
    pub fn vectors(
        &self,
        finals: &[FinalCondition],
        found: &mut LaunchFindings,
    ) -> Result<(), String> {
        if !found.findings.is_empty() || !self.has_strong_vectors() {
            return Ok(());
        }
        for vectors in OTHERS {
            let prepared = PreparedModule::new(self.question.module).with_vectors(vectors);
            let other = Inquiry { prepared: &prepared, ..*self };
            let asked = asked_bytes(finals);
            let executed = match Executed::new(
                &prepared,
                self.layout,
                self.question.kernel,
                self.launch,
                &asked,
                &|| self.is_over(),
            ) {
                Ok(executed) => executed,
                Err(why) => {
                    found.open(why);
                    return Ok(());
                }
            };
            other.race(&executed, found)?;
            for (kind, as_kind) in [
                (MarkKind::Trap, FindingKind::Trap),
                (MarkKind::Outside, FindingKind::Outside),
                (MarkKind::Misaligned, FindingKind::Misaligned),
            ] {
                other.stops(&executed, kind, Some(as_kind), found)?;
            }
            for condition in finals {
                other.holds(&executed, condition, found)?;
            }
            other.stale(&executed, found)?;
            if found.findings.is_empty() {
                continue;
            }
            for finding in &mut found.findings {
                let which = match vectors {
                    VectorOrder { last_loaded_first: false, .. } => "stores",
                    VectorOrder { last_stored_first: false, .. } => "loads",
                    _ => "loads and stores",
                };
                finding.why.push(format!(
                    "The elements of a vector are accessed in no order (PTX ISA 8.2.4): in {which} here from the last one to the first."
                ));
                finding.repair = unrepaired();
            }
            return Ok(());
        }
        Ok(())
    }

    /// What is asked about in one order alone, where others are not asked about.
    pub fn vectors_left_out(&self) -> Option<NotLooked> {
        let why = || {
            format!(
                "launch {}, vectors: their elements in other orders than from the first to the last one",
                self.launch
            )
        };
        self.has_strong_vectors().then(|| NotLooked {
            line: None,
            text: None,
            why: why(),
            guessed: false,
        })
    }

    fn has_strong_vectors(&self) -> bool {
        let is_strong = |access: &MemoryAccess| access.order != MemoryOrder::Weak;
        let is_one = |effect: &Effect<'_>| match effect {
            Effect::Load { access, to, .. } => is_strong(access) && to.len() > 1,
            Effect::Store { access, values, .. } => is_strong(access) && values.len() > 1,
            _ => false,
        };
        reached(self.prepared, self.question.kernel)
            .into_iter()
            .any(|f| self.prepared.effects[f].iter().any(is_one))
    }
}

/// Of a finding that one order of a vector's elements shows: in another order, what orders them in
/// this one does not.
pub(crate) fn unrepaired() -> RepairAnswer {
    RepairAnswer::Open("what orders the elements of a vector is not looked for".to_owned())
}
