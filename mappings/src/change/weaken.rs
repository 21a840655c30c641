//! Is a mapping tight? For every lowering, the weaker ones that would do as well up to a bound, and
//! what goes wrong with the others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use margay_models::diagnostic::Diagnostic;

use super::need::{Need, need};
use super::{ChangeAnswer, ChangeAsker, CounterexamplePool, LoweringSlot, Steps};
use crate::check::{CheckOptions, Progress};
use crate::language::{Lowering, Mapping};

/// What becomes of a mapping with one lowering weakened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// No counterexample up to the bound.
    Sound,
    /// It falls by this counterexample of the pool.
    Falls(usize),
    /// A limit was reached; the reason in words.
    Undecided(String),
}

#[derive(Debug, Clone)]
pub struct WeakerLowering {
    pub lowering: Lowering,
    /// What becomes of it.
    pub fate: Fate,
}

/// What was found about one lowering of the mapping.
#[derive(Debug, Clone)]
pub struct RowReport {
    pub slot: LoweringSlot,
    /// The weakest lowerings that are sound, and the strongest that are not: what is weaker than
    /// these is not asked about.
    pub weaker: Vec<WeakerLowering>,
    /// The bound that the row needs before a sound weaker lowering means anything. Where there is
    /// none, the bound by which all had fallen; `None` if nothing is weaker.
    pub need: Option<Need>,
}

impl RowReport {
    /// Is no weaker lowering sound?
    pub fn is_tight(&self) -> bool {
        self.weaker.iter().all(|w| matches!(w.fate, Fate::Falls(_)))
    }

    /// Is a weaker lowering sound up to a bound that means something?
    pub fn is_loose(&self, bound: usize) -> bool {
        self.has_sound() && self.need.as_ref().is_some_and(|n| n.is_met(bound))
    }

    /// Is the bound too small to say whether the row could be weaker?
    pub fn is_untold(&self, bound: usize) -> bool {
        self.has_sound() && !self.is_loose(bound)
    }

    fn has_sound(&self) -> bool {
        self.weaker.iter().any(|w| w.fate == Fate::Sound)
    }
}

/// The answer of [`weaken`].
#[derive(Debug)]
pub struct WeakenReport {
    /// How the mapping falls as it is; nothing else is then asked.
    pub fallen: Option<usize>,
    /// Lowering by lowering.
    pub rows: Vec<RowReport>,
    pub pool: CounterexamplePool,
    /// How many searches there were; the other questions were answered by counterexamples of
    /// earlier ones.
    pub searches: usize,
    /// Why it is not complete.
    pub stopped: Option<String>,
}

impl WeakenReport {
    /// The counterexamples of the weaker mappings: for each axiom, how many there are of each size
    /// in events. Beyond the largest size up to the bound nothing new went wrong with them.
    pub fn sizes(&self) -> BTreeMap<&str, BTreeMap<usize, usize>> {
        let fates = self.rows.iter().flat_map(|r| &r.weaker).map(|w| &w.fate);
        let used: BTreeSet<usize> = fates
            .filter_map(|f| if let Fate::Falls(index) = f { Some(*index) } else { None })
            .collect();
        let mut sizes: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
        for index in used {
            let found = &self.pool.get(index).counterexample;
            *sizes.entry(&found.axiom).or_default().entry(found.events).or_default() += 1;
        }
        sizes
    }
}

/// Weakens one lowering at a time, by single steps, for as long as the mapping stays sound up to
/// the bound of the options. Rows of constructs that the options leave out are not in the report.
///
/// # Errors
/// As [`crate::check::check`].
pub fn weaken(
    mapping: &Mapping,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<WeakenReport, Vec<Diagnostic>> {
    let mut asker = ChangeAsker::new(mapping, options, progress)?;
    let (mut fallen, mut stopped, mut rows) = (None, None, Vec::new());
    match asker.ask(mapping)? {
        ChangeAnswer::Sound => {}
        ChangeAnswer::Falls(index) => fallen = Some(index),
        ChangeAnswer::Undecided(why) => stopped = Some(why),
    }
    let steps = Steps::new(mapping);
    let mut needs: BTreeMap<String, Need> = BTreeMap::new();
    let slots =
        if fallen.is_none() && stopped.is_none() { LoweringSlot::all(mapping) } else { Vec::new() };
    for slot in slots {
        let row = &mapping.rows[slot.row];
        if !asker.constructs.contains(&row.construct.name(mapping.source.signature)) {
            continue;
        }
        let text = |lowering: &Lowering| row.lowering_text(mapping.target.signature, lowering);
        let mut weaker: Vec<WeakerLowering> = Vec::new();
        // What was asked about, and what is weaker than something that falls: that falls, too.
        let mut settled = BTreeSet::new();
        let mut open = VecDeque::from(steps.weaker(row, slot.lowering(mapping)));
        while let Some(lowering) = open.pop_front() {
            if !settled.insert(text(&lowering)) || row.alternatives.contains(&lowering) {
                continue;
            }
            let mut changed = mapping.clone();
            slot.set(&mut changed, lowering.clone());
            let fate = match asker.ask_for_the_smallest(&changed)? {
                ChangeAnswer::Sound => {
                    open.extend(steps.weaker(row, &lowering));
                    Fate::Sound
                }
                ChangeAnswer::Falls(index) => {
                    settled.extend(steps.all_weaker(row, &lowering));
                    Fate::Falls(index)
                }
                ChangeAnswer::Undecided(why) => {
                    stopped.get_or_insert_with(|| why.clone());
                    Fate::Undecided(why)
                }
            };
            weaker.push(WeakerLowering { lowering, fate });
        }
        // Of the sound ones the weakest say all.
        let sound: Vec<String> =
            weaker.iter().filter(|w| w.fate == Fate::Sound).map(|w| text(&w.lowering)).collect();
        weaker.retain(|w| {
            w.fate != Fate::Sound
                || sound.iter().all(|s| !steps.all_weaker(row, &w.lowering).contains(s))
        });
        let mut row = RowReport { slot, weaker, need: None };
        row.need = if row.has_sound() {
            let construct = mapping.rows[slot.row].construct;
            let name = construct.name(mapping.source.signature);
            if !needs.contains_key(&name) {
                let (need, searches) = need(&mapping.source, construct, options, progress)?;
                asker.searches += searches;
                needs.insert(name.clone(), need);
            }
            needs.get(&name).cloned()
        } else {
            let events = |w: &WeakerLowering| match w.fate {
                Fate::Falls(index) => Some(asker.pool.get(index).counterexample.events),
                Fate::Sound | Fate::Undecided(_) => None,
            };
            row.weaker.iter().filter_map(events).max().map(Need::Events)
        };
        rows.push(row);
    }
    Ok(WeakenReport { fallen, rows, pool: asker.pool, searches: asker.searches, stopped })
}
