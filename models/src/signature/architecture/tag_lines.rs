//! Reads the lines of an architecture's text about tags: `tag`, `order` and `halves`.

use super::MAX_TAGS;
use super::leaked::leaked;
use super::names::INCLUSION;
use super::scopes::SCOPED;
use super::tag::{TagDescription, TagEvents};
use super::text::{ArchitectureReader, after, is_name};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::signature::base::COMMON_SETS;
use crate::signature::relation::COMMON_RELATIONS;
use crate::signature::{BaseRelation, Operation};

impl ArchitectureReader<'_> {
    /// `tag A on R`, `tag X|EX on R W apart`.
    pub(super) fn tag(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let shape = Self::shape("tag");
        let [(words, span), rest @ ..] = rest else {
            return Err(self.error(
                after(keyword),
                "expected the name of a tag",
                "expected a name",
                shape,
            ));
        };
        let names = self.names(words, *span);
        for (name, place) in &names {
            self.tag_name(name, *place)?;
        }
        if self.description.tags.len() == MAX_TAGS {
            return Err(self.error(
                *span,
                format!("more than {MAX_TAGS} tags"),
                "one too many",
                "drop tags that no model names",
            ));
        }
        let rest = match rest {
            [("on", _), rest @ ..] if !rest.is_empty() => rest,
            [("on", place)] => {
                return Err(self.error(
                    after(*place),
                    "expected R, W or F",
                    "expected R, W or F",
                    shape,
                ));
            }
            [(_, place), ..] => {
                return Err(self.error(*place, "expected `on`", "expected `on`", shape));
            }
            [] => return Err(self.error(after(*span), "expected `on`", "expected `on`", shape)),
        };
        let (mut on, mut apart) = (TagEvents::default(), false);
        for (i, (word, place)) in rest.iter().enumerate() {
            match *word {
                "R" => on.read = true,
                "W" => on.write = true,
                "F" => on.fence = true,
                "apart" if i > 0 && i + 1 == rest.len() => apart = true,
                other => {
                    return Err(self.error(
                        *place,
                        format!("expected R, W or F, not `{other}`"),
                        "expected R, W or F",
                        shape,
                    ));
                }
            }
        }
        let names = names.into_iter().map(|(name, _)| leaked(name)).collect();
        self.description.tags.push(TagDescription { names, on, apart, weaker: 0, halves: None });
        self.tags_at.push(*span);
        Ok(())
    }

    /// Is it a name that a tag can have?
    fn tag_name(&self, name: &str, span: Span) -> Result<(), Diagnostic> {
        let no_name = format!("`{name}` is no name for a tag");
        let is_common = COMMON_SETS.iter().any(|(_, names)| names.contains(&name));
        let is_relation = BaseRelation::ALL.iter().any(|r| r.name() == name)
            || COMMON_RELATIONS.iter().any(|(_, names)| names.contains(&name))
            || name == INCLUSION;
        if is_common || is_relation {
            return Err(self.error(
                span,
                no_name,
                "taken",
                "every architecture has this name; choose another one",
            ));
        }
        if !is_name(name) {
            let help = "a tag is a name of .cat: letters, digits, `_`, `.` and `-`, and a letter first, that is no word of the language (`let`, `acyclic`, ..)";
            return Err(self.error(span, no_name, "not a name", help));
        }
        if name == SCOPED || self.is_scope(name) {
            let help = "`scoped` says that an instruction takes a scope, and each scope is a set of its name in capitals; choose another name";
            return Err(self.error(span, no_name, "taken", help));
        }
        if self.tag_index(name).is_some() {
            return Err(self.error(
                span,
                format!("two tags `{name}`"),
                "the second one",
                "drop one",
            ));
        }
        if self.is_picked(name) {
            return Err(self.error(
                span,
                no_name,
                "taken",
                "a line `sets` or `relations` above has this name; choose another one",
            ));
        }
        Ok(())
    }

    /// A tag that no instruction carries would be an empty set in every model, which so would not
    /// say what its author reads in it.
    pub(super) fn tags_are_used(&self) -> Option<Diagnostic> {
        let tags = &self.description.tags;
        let mut carried = self.description.instructions.iter().fold(0, |bits, i| bits | i.bits);
        for i in self.description.instructions.iter().filter(|i| i.operation == Operation::Rmw) {
            carried |= i.names[1].0 | i.names[2].0;
        }
        let unused = (0..tags.len()).find(|i| carried & (1 << i) == 0)?;
        let name = tags[unused].names[0];
        Some(self.error(
            self.tags_at[unused],
            format!("no instruction carries the tag `{name}`"),
            "declared here",
            format!("write it behind the mnemonic of an instruction, e.g. `fence MNEMONIC {name}`, or drop the line"),
        ))
    }

    pub(super) fn tag_index(&self, name: &str) -> Option<usize> {
        self.description.tags.iter().position(|t| t.names.contains(&name))
    }

    pub(super) fn known_tag(&self, name: &str, span: Span) -> Result<usize, Diagnostic> {
        self.tag_index(name).ok_or_else(|| {
            let names: Vec<&str> = self.description.tags.iter().flat_map(|t| t.names.iter().copied()).collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => format!("declare it above, with what it is on (R, W or F): `tag {name} on F`"),
                None => format!(
                    "the tags above are {}; declare it there, with what it is on (R, W or F): `tag {name} on F`",
                    names.join(", ")
                ),
            };
            self.error(span, format!("unknown tag `{name}`"), "not a tag", help)
        })
    }

    /// `order Q < A`.
    pub(super) fn order(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let shape = Self::shape("order");
        let [(weaker, at), ("<", _), (stronger, place)] = rest else {
            let span = rest.get(3).or(rest.get(1)).map_or(after(keyword), |(_, s)| *s);
            return Err(self.error(
                span,
                "expected two tags with `<` between them",
                "expected WEAKER < STRONGER",
                shape,
            ));
        };
        let (weaker, stronger) = (self.known_tag(weaker, *at)?, self.known_tag(stronger, *place)?);
        let tags = &mut self.description.tags;
        let below = tags[weaker].weaker | 1 << weaker;
        if below & (1 << stronger) != 0 {
            let help = "an order has no cycle: drop one of its lines";
            return Err(self.error(
                at.to(*place),
                "the second tag is weaker than the first already",
                "this order",
                help,
            ));
        }
        for (i, tag) in tags.iter_mut().enumerate() {
            if i == stronger || tag.weaker & (1 << stronger) != 0 {
                tag.weaker |= below;
            }
        }
        Ok(())
    }

    /// `halves ACQ = ACQ RLX`: what the read and the write of a read-modify-write carry that is
    /// declared with the tag.
    pub(super) fn halves(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let shape = Self::shape("halves");
        let [(tag, at), ("=", _), (read, of_read), (write, of_write)] = rest else {
            let span = rest.get(4).or(rest.get(1).filter(|(word, _)| *word != "=")).map_or_else(
                || after(rest.last().map_or(keyword, |(_, span)| *span)),
                |(_, span)| *span,
            );
            return Err(self.error(
                span,
                "expected a tag, `=`, and the tags of both halves",
                "expected TAG = READ WRITE",
                shape,
            ));
        };
        let index = self.known_tag(tag, *at)?;
        let mut halves = [0; 2];
        let parts = [(read, *of_read, "read"), (write, *of_write, "write")];
        for (half, (name, place, what)) in halves.iter_mut().zip(parts) {
            let found = self.known_tag(name, place)?;
            let on = self.description.tags[found].on;
            if !(if what == "read" { on.read } else { on.write }) {
                let help = "the line of the tag says `on` which events it is: R, W, F";
                let message = format!("a {what} does not carry the tag `{name}`");
                return Err(self.error(place, message, "not of this half", help));
            }
            *half = 1 << found;
        }
        if self.description.tags[index].halves.is_some() {
            return Err(self.error(
                *at,
                format!("a second line `halves` of `{tag}`"),
                "the second one",
                "drop one",
            ));
        }
        if let Some(used) = self
            .description
            .instructions
            .iter()
            .find(|i| i.operation == Operation::Rmw && i.bits & (1 << index) != 0)
        {
            let message = format!("`{}` above has the tag `{tag}` already", used.mnemonic);
            return Err(self.error(
                *at,
                message,
                "too late",
                "write this line above the first instruction with the tag",
            ));
        }
        self.description.tags[index].halves = Some(halves);
        Ok(())
    }
}
