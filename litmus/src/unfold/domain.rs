//! The values that reads and writes of a test can have: a finite set for each, computed without
//! looking at any model.
//!
//! In an execution without a cycle of data and reads-from, a value comes from a number in the
//! program or an initial write, on a way that passes each computed write once at most. So passing
//! values on from writes to the reads that may read them, and from reads to what is computed from
//! them, as often as there are computed writes on a path of every thread, reaches all.
//!
//! On a cycle, values determine themselves: any that do are an execution (models without an axiom
//! against thin air allow it). There may be infinitely many; those that follow, in as many steps,
//! from 0, 1, and the numbers of the program and the condition count. This is a bound, the same for
//! all engines. Where a model forbids every such cycle, none is looked for.

use super::merge::{DATA, Merged, MergedValue};
use super::{UnfoldError, ValueId, contents};
use margay_models::execution::Kind;

/// The largest number of values of a read or of an intermediate result.
const MAX_VALUES: usize = 4096;

/// The largest number of pairs of values that an operator is applied to.
const MAX_PAIRS: usize = 1 << 22;

/// For each event and each intermediate result the values that it can have, ascending.
#[derive(Debug, Clone)]
pub(crate) struct Domains {
    /// What reads return, by event; empty for other events.
    pub reads: Vec<Vec<i64>>,
    /// By [`ValueId`].
    pub values: Vec<Vec<i64>>,
    /// For each read the writes that it may read from.
    pub sources: Vec<Vec<usize>>,
    /// For each read: is it of an mbarrier, whose contents are known?
    is_known: Vec<bool>,
}

impl Domains {
    /// `mentioned`: the numbers of the condition; `from_thin_air`: may values determine themselves,
    /// where they do so through data and read-modify-writes alone?
    pub fn new(
        merged: &Merged,
        locations: &impl Fn(u16) -> u16,
        mentioned: &[i64],
        from_thin_air: bool,
    ) -> Result<Self, UnfoldError> {
        let n = merged.events.len();
        let physical = |e: usize| merged.events[e].data.location.map(locations);
        let sources: Vec<Vec<usize>> = (0..n)
            .map(|r| match merged.events[r].data.kind {
                Kind::Read => (0..n)
                    .filter(|&w| {
                        merged.events[w].value.is_some()
                            && physical(w) == physical(r)
                            && merged.coexist(w, r)
                    })
                    .collect(),
                _ => Vec::new(),
            })
            .collect();
        let (reads, values) = (vec![Vec::new(); n], vec![Vec::new(); merged.values.len()]);
        let mut domains = Self { reads, values, sources, is_known: vec![false; n] };
        let inputs = inputs(merged);
        if from_thin_air || !passes_by_dependencies(merged, &inputs) {
            let seeds = seeds(merged, mentioned);
            for r in domains.on_cycles(merged, &inputs) {
                domains.reads[r].clone_from(&seeds);
            }
        }
        for (r, values) in contents::contents(merged, locations).into_iter().enumerate() {
            let Some(mut values) = values else { continue };
            tidy(&mut values)?;
            domains.reads[r] = values;
            domains.is_known[r] = true;
        }
        for _ in 0..=most_computed(merged) {
            domains.compute(merged)?;
            if !domains.pass_on(merged)? {
                return Ok(domains);
            }
        }
        domains.compute(merged)?;
        Ok(domains)
    }

    /// The values of everything that is computed.
    fn compute(&mut self, merged: &Merged) -> Result<(), UnfoldError> {
        let mut pairs = 0;
        for (v, value) in merged.values.iter().enumerate() {
            let of = |id: ValueId| &self.values[id.index()];
            let mut found: Vec<i64> = match *value {
                MergedValue::Number(n) => vec![n],
                MergedValue::Read(r) => self.reads[r].clone(),
                MergedValue::Unary(operator, a) => {
                    of(a).iter().map(|&a| operator.apply(a)).collect()
                }
                MergedValue::Binary(operator, a, b) => {
                    pairs += of(a).len() * of(b).len();
                    if pairs > MAX_PAIRS {
                        return Err(too_many());
                    }
                    of(a)
                        .iter()
                        .flat_map(|&a| of(b).iter().map(move |&b| operator.apply(a, b)))
                        .collect()
                }
            };
            tidy(&mut found)?;
            self.values[v] = found;
        }
        Ok(())
    }

    /// From writes to reads; `false` if nothing is new.
    fn pass_on(&mut self, merged: &Merged) -> Result<bool, UnfoldError> {
        let mut changed = false;
        for r in (0..self.reads.len()).filter(|&r| !self.is_known[r]).collect::<Vec<_>>() {
            let mut found = self.reads[r].clone();
            let written = self.sources[r].iter().filter_map(|&w| merged.events[w].value);
            written.for_each(|v| found.extend_from_slice(&self.values[v.index()]));
            tidy(&mut found)?;
            changed |= found.len() > self.reads[r].len();
            self.reads[r] = found;
        }
        Ok(changed)
    }

    /// The reads that may return what they themselves make be written.
    fn on_cycles(&self, merged: &Merged, inputs: &[Vec<usize>]) -> Vec<usize> {
        let before = |r: usize| -> Vec<usize> {
            let written = self.sources[r].iter().filter_map(|&w| merged.events[w].value);
            written.flat_map(|v| inputs[v.index()].iter().copied()).collect()
        };
        let before: Vec<Vec<usize>> = (0..merged.events.len()).map(before).collect();
        let reaches_itself = |r: &usize| {
            let mut seen = vec![false; before.len()];
            let mut open = before[*r].clone();
            while let Some(next) = open.pop() {
                if !std::mem::replace(&mut seen[next], true) {
                    open.extend(&before[next]);
                }
            }
            seen[*r]
        };
        (0..merged.events.len()).filter(reaches_itself).collect()
    }
}

/// For each value the reads that it is computed from.
fn inputs(merged: &Merged) -> Vec<Vec<usize>> {
    let mut inputs: Vec<Vec<usize>> = Vec::with_capacity(merged.values.len());
    for value in &merged.values {
        let mut reads = match *value {
            MergedValue::Number(_) => Vec::new(),
            MergedValue::Read(r) => vec![r],
            MergedValue::Unary(_, a) => inputs[a.index()].clone(),
            MergedValue::Binary(_, a, b) => {
                [inputs[a.index()].as_slice(), &inputs[b.index()]].concat()
            }
        };
        reads.sort_unstable();
        reads.dedup();
        inputs.push(reads);
    }
    inputs
}

/// Does each write depend on the reads that its value is computed from, by data or as a
/// read-modify-write? Then values that determine themselves are a cycle of these and of reads-from.
fn passes_by_dependencies(merged: &Merged, inputs: &[Vec<usize>]) -> bool {
    merged.events.iter().all(|event| {
        let reads = event.value.map_or(&[][..], |value| inputs[value.index()].as_slice());
        reads.iter().all(|read| event.depends[DATA].contains(read) || event.modifies == Some(*read))
    })
}

/// Where the values of cycles start from.
fn seeds(merged: &Merged, mentioned: &[i64]) -> Vec<i64> {
    let mut seeds = vec![0, 1];
    seeds.extend_from_slice(mentioned);
    seeds.extend(merged.events.iter().filter_map(|e| match merged.values[e.value?.index()] {
        MergedValue::Number(n) => Some(n),
        _ => None,
    }));
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

/// The largest number of computed writes in one execution.
fn most_computed(merged: &Merged) -> usize {
    let computed = |&e: &usize| {
        merged.events[e]
            .value
            .is_some_and(|v| !matches!(merged.values[v.index()], MergedValue::Number(_)))
    };
    merged
        .paths
        .iter()
        .map(|paths| {
            paths
                .iter()
                .map(|p| p.events.iter().copied().filter(computed).count())
                .max()
                .unwrap_or(0)
        })
        .sum()
}

fn tidy(values: &mut Vec<i64>) -> Result<(), UnfoldError> {
    values.sort_unstable();
    values.dedup();
    if values.len() > MAX_VALUES { Err(too_many()) } else { Ok(()) }
}

fn too_many() -> UnfoldError {
    UnfoldError::new(format!(
        "a value is one of more than {MAX_VALUES}; the explicit engine may do without knowing them"
    ))
}

#[cfg(test)]
mod tests {
    use margay_models::diagnostic::SourceFile;
    use margay_models::execution::Kind;

    use super::{DATA, Domains};
    use crate::outcome::condition_numbers;
    use crate::unfold::{Merged, Unfolding, UnfoldingBounds};

    /// Two threads that copy what they read, each to where the other one reads: a 42 that nobody
    /// writes is a value on a cycle.
    const COPIES: &str = "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n \
        ld.relaxed.gpu.u32 r0, x | ld.relaxed.gpu.u32 r1, y ;\n \
        st.relaxed.gpu.u32 y, r0 | st.relaxed.gpu.u32 x, r1 ;\n\
        exists (P0:r0 == 42)\n";

    #[test]
    fn values_from_thin_air_count_where_no_axiom_forbids_all_of_their_cycles() {
        let test = crate::read::test(&SourceFile::new("t.litmus", COPIES.to_owned()))
            .expect("it is read")
            .test;
        let unfolding = Unfolding::new(&test, test.dialect.signature(), UnfoldingBounds::default())
            .expect("it is unfolded");
        let mut merged = Merged::new(&unfolding).expect("it is merged");
        let read = |merged: &Merged, from_thin_air: bool| {
            let physical = |l: u16| unfolding.locations()[usize::from(l)].physical;
            let domains =
                Domains::new(merged, &physical, &condition_numbers(&unfolding), from_thin_air)
                    .expect("they are few");
            let is_read = |&e: &usize| merged.events[e].data.kind == Kind::Read;
            (0..merged.events.len())
                .filter(is_read)
                .map(|e| domains.reads[e].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(read(&merged, true), [[0, 1, 42], [0, 1, 42]]);
        assert_eq!(read(&merged, false), [[0], [0]]);
        // A value that is passed on without a dependency is on no cycle that the axiom forbids.
        let write = (0..merged.events.len())
            .find(|&e| merged.events[e].data.kind == Kind::Write)
            .expect("a write");
        merged.events[write].depends[DATA].clear();
        assert_eq!(read(&merged, false), [[0, 1, 42], [0, 1, 42]]);
    }
}
