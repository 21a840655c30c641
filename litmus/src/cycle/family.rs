//! Distinct tests of many cycles: each once up to renaming.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::Cycle;
use super::annotate::{Annotated, Language};
use crate::identity::{IdentityForm, Name};
use crate::test::Test;

/// A test made from a cycle.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The test, with its name.
    pub test: Test,
    /// What it was made from.
    pub from: Annotated,
    /// The classic name of its shape, if it has one.
    pub shape: Option<&'static str>,
    /// Its canonical form.
    pub form: IdentityForm,
}

/// Names longer than this get the hash of the form instead of what the threads do: file systems
/// have limits.
const LONGEST_NAME: usize = 160;

/// What has been generated so far.
#[derive(Debug, Clone)]
pub struct Family {
    language: Language,
    seen: FxHashSet<IdentityForm>,
    names: FxHashSet<String>,
}

impl Family {
    /// Nothing yet.
    pub fn new(language: Language) -> Self {
        Self { language, seen: FxHashSet::default(), names: FxHashSet::default() }
    }

    /// The number of tests so far.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// None so far?
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The test of a cycle; `None` if it is one that was there before, or the language cannot say
    /// it.
    pub fn add(&mut self, mut from: Annotated) -> Option<Generated> {
        let in_2015 = self.language == Language::Ptx2015;
        let mut test = from.test(self.language, "test").ok()?;
        let form = match in_2015 {
            true => IdentityForm::of(&from.stand_in().test(Language::Ptx, "test").ok()?).ok()?,
            false => IdentityForm::of(&test).ok()?,
        };
        if !self.seen.insert(form.clone()) {
            return None;
        }
        let name = Name::of(&test).ok()?;
        // Threads in the order in which the literature has them.
        let first = name.threads.first().filter(|_| name.classic.is_some());
        if let Some(rotated) = first.and_then(|t| from.starting_at(t.index())) {
            test = rotated.test(self.language, "test").ok()?;
            from = rotated;
        }
        let base = name.classic.map_or_else(|| edges(&from.cycle, self.language), str::to_owned);
        let mut full = match name.classic {
            Some(_) => name.to_string(),
            None if name.suffix.starts_with('@') || name.suffix.is_empty() => {
                format!("{base}{}", name.suffix)
            }
            None => format!("{base}+{}", name.suffix),
        };
        if in_2015 {
            let shape = full.rsplit_once('@').map_or(full.as_str(), |(shape, _)| shape);
            let membars = [
                ("fence.sc.cta", "membar.cta"),
                ("fence.sc.gpu", "membar.gl"),
                ("fence.sc.sys", "membar.sys"),
            ];
            let shape = membars
                .iter()
                .fold(shape.to_owned(), |name, (fence, membar)| name.replace(fence, membar));
            full = format!("{shape}@{}{}", from.tree(), from.paths());
        }
        if full.len() > LONGEST_NAME {
            full = format!(
                "{}+{:016x}",
                base.chars().take(LONGEST_NAME / 2).collect::<String>(),
                form.digest()
            );
        }
        if !self.names.insert(full.clone()) {
            // Another test of this name: what differs is not in it.
            full = format!("{full}+{:016x}", form.digest());
            self.names.insert(full.clone());
        }
        test.name = full;
        Some(Generated { test, from, shape: name.classic, form })
    }

    /// Goes on with every variation of a cycle; stops when `found` breaks.
    pub fn add_each(
        &mut self,
        cycle: &Cycle,
        variations: &super::Variations,
        found: &mut impl FnMut(Generated) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        variations.each(cycle, &mut |annotated| match self.add(annotated) {
            Some(generated) => found(generated),
            None => ControlFlow::Continue(()),
        })
    }
}

/// As diy names a cycle that has no name: its edges.
fn edges(cycle: &Cycle, language: Language) -> String {
    cycle.written(language).replace(' ', "-")
}
