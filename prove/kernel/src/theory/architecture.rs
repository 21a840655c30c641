//! What the names of an architecture that is a text mean: which events its tags are on, and how its
//! scopes nest. It is what prove/facts says of C++ and PTX, made from the text.

use margay_models::execution::Scope;
use margay_models::model::CheckKind;
use margay_models::signature::{Architecture, BaseRelation, BaseSet, SameLevel};

use super::{BaseMeaning, SentenceReason, Theory};
use crate::logic::{TheoryExpr, TheoryExprId};

impl Theory {
    /// Assumes what an architecture's own base names mean.
    pub(super) fn assume_architecture(&mut self, architecture: Architecture, base: &BaseMeaning) {
        let [reads, writes, fences, initial] =
            [BaseSet::R, BaseSet::W, BaseSet::F, BaseSet::Iw].map(|set| base.sets[&set]);
        for tag in architecture.tags() {
            let kinds = [reads, writes, fences]
                .into_iter()
                .zip(tag.kinds())
                .filter(|(_, on)| *on)
                .map(|(kind, _)| kind);
            let kinds = self.exprs.union_all(kinds.collect::<Vec<_>>());
            let kinds = self.exprs.make(TheoryExpr::Difference(kinds, initial));
            let name = format!("{}-is-on-its-kinds-of-events", tag.names()[0]);
            self.no_event(TheoryExpr::Difference(base.sets[&BaseSet::Tag(tag)], kinds), &name);
        }
        self.assume_picked(architecture, base);
        if !architecture.scopes(true).is_empty() {
            self.assume_levels(architecture, base);
        }
    }

    /// The sets that a text can pick: accesses without a tag, operations with one, all fences.
    fn assume_picked(&mut self, architecture: Architecture, base: &BaseMeaning) {
        let pickable = [BaseSet::Na, BaseSet::Weak, BaseSet::Atomic, BaseSet::Mfence];
        if !pickable.iter().any(|set| base.sets.contains_key(set)) {
            return;
        }
        let tagged: Vec<TheoryExprId> =
            architecture.tags().map(|tag| base.sets[&BaseSet::Tag(tag)]).collect();
        let tagged = self.exprs.union_all(tagged);
        let untagged = self.exprs.make(TheoryExpr::Difference(base.sets[&BaseSet::M], tagged));
        let fences = base.sets[&BaseSet::F];
        for (set, members) in pickable.into_iter().zip([untagged, untagged, tagged, fences]) {
            let Some(&picked) = base.sets.get(&set) else { continue };
            self.no_event(
                TheoryExpr::Difference(picked, members),
                &format!("{}-has-no-others", set.name()),
            );
            self.no_event(
                TheoryExpr::Difference(members, picked),
                &format!("{}-has-all-of-them", set.name()),
            );
        }
    }

    /// Operations have one scope, each level is an equivalence on threads within the next wider
    /// one, and scopes include each other by them.
    fn assume_levels(&mut self, architecture: Architecture, base: &BaseMeaning) {
        let all = self.exprs.make(TheoryExpr::All);
        let initial = base.sets[&BaseSet::Iw];
        let threads = self.exprs.make(TheoryExpr::Difference(all, initial));
        let placed = self.exprs.make(TheoryExpr::Product(threads, threads));
        let mut narrower = self.exprs.intersection(base.relations.int(), placed);
        let (mut includes, mut seen) = (Vec::new(), initial);
        for level in architecture.levels() {
            let (name, own) = (level.name(), base.sets[&BaseSet::Level(level)]);
            self.no_event(TheoryExpr::Intersection(own, seen), &format!("{name}-is-one-scope"));
            seen = self.exprs.union(seen, own);
            if level.scope() == Scope::Sys {
                includes.push(self.exprs.make(TheoryExpr::Product(own, threads)));
                continue;
            }
            let same = base.relations[BaseRelation::Same(SameLevel(level))];
            let (back, twice) =
                (self.exprs.make(TheoryExpr::Inverse(same)), self.exprs.sequence(same, same));
            self.no_pair(
                TheoryExpr::Difference(narrower, same),
                &format!("{name}-contains-narrower-levels"),
            );
            self.no_pair(TheoryExpr::Difference(same, placed), &format!("{name}-is-of-threads"));
            self.no_pair(TheoryExpr::Difference(back, same), &format!("{name}-is-symmetric"));
            self.no_pair(TheoryExpr::Difference(twice, same), &format!("{name}-is-transitive"));
            narrower = same;
            let of = self.exprs.make(TheoryExpr::Product(own, all));
            includes.push(self.exprs.intersection(of, same));
        }
        let one_way = self.exprs.union_all(includes);
        let other_way = self.exprs.make(TheoryExpr::Inverse(one_way));
        let both = self.exprs.intersection(one_way, other_way);
        let inclusive = base.relations.sr();
        self.no_pair(TheoryExpr::Difference(inclusive, both), "scopes-that-include-each-other");
        self.no_pair(
            TheoryExpr::Difference(both, inclusive),
            "inclusive-scopes-are-all-that-include-each-other",
        );
    }

    fn no_event(&mut self, of: TheoryExpr, name: &str) {
        self.nothing(of, true, name);
    }

    /// Assumes that there is no such pair in any execution.
    pub(super) fn no_pair(&mut self, of: TheoryExpr, name: &str) {
        self.nothing(of, false, name);
    }

    fn nothing(&mut self, of: TheoryExpr, is_set: bool, name: &str) {
        let of: TheoryExprId = self.exprs.make(of);
        self.assume_check(
            CheckKind::Empty,
            of,
            is_set,
            false,
            &SentenceReason::WellFormed(name.to_owned()),
        );
    }
}
