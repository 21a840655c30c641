//! Which base sets and relations models may name, what these are called, and what pictures call
//! them. The lines `dependencies`, `sets`, `relations` and `print` of an architecture's text.

use super::leaked::leaked;
use super::level::{SameLevel, ScopeLevel};
use super::text::{ArchitectureReader, after, is_name};
use super::{Architecture, Tag};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::execution::{Order, Scope};
use crate::signature::base::{COMMON_SETS, NamedBases};
use crate::signature::relation::COMMON_RELATIONS;
use crate::signature::{BaseRelation, BaseSet};

/// The sets that any text can pick: of the accesses without a tag, of all fences (`MFENCE`), and of
/// barriers where threads meet.
const SETS: [BaseSet; 6] =
    [BaseSet::Na, BaseSet::Weak, BaseSet::Atomic, BaseSet::Mfence, BaseSet::B, BaseSet::Wait];

/// The other name of inclusion of scopes, beside `sr`.
pub(super) const INCLUSION: &str = "incl";

impl Architecture {
    /// The base sets that its models may name, each with its names.
    pub(in crate::signature) fn sets(self) -> &'static NamedBases<BaseSet> {
        &self.description().sets
    }

    /// The base relations that its models may name, each with its names.
    pub(in crate::signature) fn relations(self) -> &'static NamedBases<BaseRelation> {
        &self.description().relations
    }

    /// What pictures call a relation.
    pub fn printed(self, relation: BaseRelation) -> &'static str {
        let printed = self.description().printed.iter().find(|(known, _)| *known == relation);
        printed.map_or(relation.name(), |(_, name)| name)
    }
}

impl ArchitectureReader<'_> {
    /// A word with several names, `gpu|dev|device`, as these.
    pub(super) fn names<'w>(&self, words: &'w str, span: Span) -> Vec<(&'w str, Span)> {
        let mut start = span.start;
        let mut names = Vec::new();
        for name in words.split('|') {
            names.push((name, Span::new(start, start + name.len())));
            start += name.len() + 1;
        }
        names
    }

    /// `dependencies addr data ctrl`.
    pub(super) fn dependencies(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let shape = Self::shape("dependencies");
        if rest.is_empty() {
            return Err(self.error(
                after(keyword),
                "expected addr, data or ctrl",
                "expected addr, data or ctrl",
                shape,
            ));
        }
        for (word, span) in rest {
            let Some(relation) = BaseRelation::DEPENDENCIES.into_iter().find(|r| r.name() == *word)
            else {
                return Err(self.error(
                    *span,
                    format!("unknown dependency `{word}`"),
                    "expected addr, data or ctrl",
                    shape,
                ));
            };
            if !self.picked_relations.iter().any(|(known, _)| *known == relation) {
                self.picked_relations.push((relation, vec![relation.name()]));
            }
        }
        Ok(())
    }

    /// `sets NA|PLAIN`: sets that the code defines, with further names.
    pub(super) fn sets(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let possible: Vec<BaseSet> = match self.description.front_end {
            Some(_) => BaseSet::ALL.to_vec(),
            None => SETS.to_vec(),
        };
        if rest.is_empty() {
            return Err(self.error(
                after(keyword),
                "expected the name of a set",
                "expected a name",
                Self::shape("sets"),
            ));
        }
        for (words, span) in rest {
            let names = self.names(words, *span);
            let (first, place) = names[0];
            let Some(set) = BaseSet::defined(first).filter(|set| possible.contains(set)) else {
                let known: Vec<&str> = possible.iter().map(|set| set.name()).collect();
                let help = match nearest(first, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        format!("a text can pick {}; a set of its own is a tag", known.join(", "))
                    }
                };
                return Err(self.error(place, format!("unknown set `{first}`"), "not a set", help));
            };
            for (name, place) in &names {
                self.new_name(name, *place)?;
            }
            let names = names.into_iter().map(|(name, _)| leaked(name)).collect();
            self.picked_sets.push((set, names));
        }
        Ok(())
    }

    /// `relations po|before`: relations that the code defines, with further names.
    pub(super) fn relations(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        if rest.is_empty() {
            return Err(self.error(
                after(keyword),
                "expected the name of a relation",
                "expected a name",
                Self::shape("relations"),
            ));
        }
        for (words, span) in rest {
            let names = self.names(words, *span);
            let (relation, first) = self.relation(names[0].0, names[0].1)?;
            let mut known = vec![first];
            for (name, place) in &names[1..] {
                self.new_name(name, *place)?;
                known.push(leaked(name));
            }
            match self.picked_relations.iter_mut().find(|(other, _)| *other == relation) {
                Some((_, names)) => names.extend(known.into_iter().skip(1)),
                None => self.picked_relations.push((relation, known)),
            }
        }
        Ok(())
    }

    /// The relation that a line `relations` or `print` names: one that every architecture has, or
    /// one that this text has said above; where a front end makes the executions, any that the code
    /// defines.
    fn relation(&self, name: &str, span: Span) -> Result<(BaseRelation, &'static str), Diagnostic> {
        let common = COMMON_RELATIONS.iter().map(|(relation, names)| (*relation, names[0]));
        let picked = self.picked_relations.iter().map(|(relation, names)| (*relation, names[0]));
        let levels = (0..self.description.levels.len())
            .filter_map(|i| self.same_level(i))
            .map(|(r, names)| (r, names[0]));
        let of_lines =
            BaseRelation::of_lines(!self.description.levels.is_empty(), self.chosen_at.is_some());
        let of_lines = of_lines.map(|relation| (relation, relation.name()));
        let mut known: Vec<(BaseRelation, &'static str)> =
            common.chain(picked).chain(levels).chain(of_lines).collect();
        known.extend(BaseRelation::OF_ANY_TEXT.map(|relation| (relation, relation.name())));
        if self.description.front_end.is_some() {
            known.extend(BaseRelation::ALL.iter().map(|relation| (*relation, relation.name())));
        }
        known.iter().copied().find(|(_, other)| *other == name).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the relations so far are {}", names.join(", ")),
            };
            self.error(span, format!("unknown relation `{name}`"), "not a relation", help)
        })
    }

    /// Is it a further name that a set or relation can have?
    fn new_name(&self, name: &str, span: Span) -> Result<(), Diagnostic> {
        if !is_name(name) {
            let help = "a name of .cat has letters, digits, `_`, `.` and `-`, and a letter first";
            return Err(self.error(span, format!("`{name}` is no name"), "not a name", help));
        }
        let taken = COMMON_SETS.iter().any(|(_, names)| names.contains(&name))
            || COMMON_RELATIONS.iter().any(|(_, names)| names.contains(&name))
            || self.is_picked(name)
            || self.is_scope(name)
            || name == INCLUSION
            || BaseRelation::defined(name).is_some_and(|relation| relation.level().is_none())
            || self.tag_index(name).is_some();
        if taken {
            return Err(self.error(
                span,
                format!("`{name}` is the name of something else already"),
                "taken",
                "choose another one",
            ));
        }
        Ok(())
    }

    /// Has a line above given a set or a relation this name?
    pub(super) fn is_picked(&self, name: &str) -> bool {
        self.picked_sets.iter().any(|(_, names)| names.contains(&name))
            || self.picked_relations.iter().any(|(_, names)| names.contains(&name))
    }

    /// `print po as sb`.
    pub(super) fn print(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let shape = Self::shape("print");
        let [(relation, at), ("as", _), (name, place)] = rest else {
            let span = rest
                .get(3)
                .or(rest.get(1).filter(|(word, _)| *word != "as"))
                .map(|(_, span)| *span);
            let span = span.unwrap_or(after(rest.last().map_or(keyword, |(_, span)| *span)));
            return Err(self.error(
                span,
                "expected a relation, `as`, and what it is called",
                "expected RELATION as NAME",
                shape,
            ));
        };
        if *relation == "architecture" {
            return self.print_header(keyword, name);
        }
        let (relation, _) = self.relation(relation, *at)?;
        if !is_name(name) {
            let help = "a name of .cat has letters, digits, `_`, `.` and `-`, and a letter first";
            return Err(self.error(*place, format!("`{name}` is no name"), "not a name", help));
        }
        if self.description.printed.iter().any(|(known, _)| *known == relation) {
            let message = format!("a second line `print {}`", rest[0].0);
            return Err(self.error(*at, message, "the second one", "drop one"));
        }
        self.description.printed.push((relation, leaked(name)));
        Ok(())
    }

    /// The set of the events with a tag: where a front end makes the executions, that of a memory
    /// order.
    pub(super) fn set_of_tag(&self, tag: Tag) -> BaseSet {
        let name = self.description.tags[tag.index()].names[0];
        let order = Order::MEMORY_ORDERS.into_iter().find(|order| order.tag() == name);
        let memory_order =
            order.filter(|_| self.description.front_end.is_some()).and_then(BaseSet::of_order);
        memory_order.unwrap_or(BaseSet::Tag(tag))
    }

    /// The relation of the threads that share a scope, with its names; none of all threads.
    fn same_level(&self, index: usize) -> Option<(BaseRelation, Vec<&'static str>)> {
        let description = &self.description.levels[index];
        if description.scope == Scope::Sys {
            return None;
        }
        let made = BaseRelation::of_level(description.scope)
            .filter(|_| self.description.front_end.is_some());
        let level = SameLevel(ScopeLevel::new(self.architecture, index));
        Some((made.unwrap_or(BaseRelation::Same(level)), vec![description.same]))
    }

    /// All sets and relations that models may name, in the order of their definitions, tags and
    /// scopes last.
    pub(super) fn add_names(&mut self) {
        let mut sets: NamedBases<BaseSet> =
            COMMON_SETS.iter().map(|(set, names)| (*set, names.to_vec())).collect();
        sets.append(&mut self.picked_sets);
        for (index, tag) in self.description.tags.iter().enumerate() {
            sets.push((self.set_of_tag(Tag::new(self.architecture, index)), tag.names.clone()));
        }
        for (index, level) in self.description.levels.iter().enumerate() {
            let made =
                BaseSet::of_scope(level.scope).filter(|_| self.description.front_end.is_some());
            sets.push((
                made.unwrap_or(BaseSet::Level(ScopeLevel::new(self.architecture, index))),
                level.sets.clone(),
            ));
        }
        sets.sort_by_key(|(set, _)| *set);
        let mut relations: NamedBases<BaseRelation> =
            COMMON_RELATIONS.iter().map(|(relation, names)| (*relation, names.to_vec())).collect();
        for relation in BaseRelation::of_lines(
            !self.description.levels.is_empty(),
            self.description.ordered_fences.is_some(),
        ) {
            let further = relation.compares_scopes().then_some(INCLUSION);
            relations.push((relation, std::iter::once(relation.name()).chain(further).collect()));
        }
        relations
            .extend((0..self.description.levels.len()).filter_map(|index| self.same_level(index)));
        for (relation, names) in std::mem::take(&mut self.picked_relations) {
            match relations.iter_mut().find(|(known, _)| *known == relation) {
                Some((_, known)) => known.extend(
                    names.into_iter().filter(|name| !known.contains(name)).collect::<Vec<_>>(),
                ),
                None => relations.push((relation, names)),
            }
        }
        relations.sort_by_key(|(relation, _)| *relation);
        (self.description.sets, self.description.relations) = (sets, relations);
    }
}
