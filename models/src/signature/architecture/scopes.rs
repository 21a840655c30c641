//! Reads the lines `scopes` and `optional` of an architecture's text:
//! `scopes wave < wg|workgroup < agent < system`.

use super::ArchitectureInstruction;
use super::leaked::leaked;
use super::level::{LevelDescription, Optional, ScopeKnowledge};
use super::text::{ArchitectureReader, after, is_name};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::execution::Scope;
use crate::signature::base::COMMON_SETS;

/// The word behind the tags of an instruction that takes a scope.
pub(super) const SCOPED: &str = "scoped";

/// Which levels so many scopes are, where the text does not say.
fn usual(scopes: usize) -> &'static [Scope] {
    match scopes {
        1 => &[Scope::Sys],
        2 => &[Scope::Cta, Scope::Sys],
        3 => &[Scope::Cta, Scope::Gpu, Scope::Sys],
        4 => &[Scope::Warp, Scope::Cta, Scope::Gpu, Scope::Sys],
        _ => &Scope::LEVELS,
    }
}

impl ArchitectureReader<'_> {
    /// `scopes wg < agent < system`, `scopes wave = warp < wg = cta < system = sys`.
    pub(super) fn scopes(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let shape = Self::shape("scopes");
        if let Some(first) = self.scopes_at {
            let error = self.error(
                keyword,
                "a second line `scopes`",
                "the second one",
                "write all scopes in one line",
            );
            return Err(error.at(self.file, first, "the first one"));
        }
        let mut read: Vec<(&str, Span, Option<Scope>)> = Vec::new();
        let mut words = rest.iter().copied().peekable();
        let mut end = keyword;
        loop {
            let Some((name, span)) = words.next().filter(|(word, _)| !matches!(*word, "<" | "="))
            else {
                return Err(self.error(
                    after(end),
                    "expected the name of a scope",
                    "expected a name",
                    shape,
                ));
            };
            let mut own: Vec<(&str, Span)> = Vec::new();
            for (name, place) in self.names(name, span) {
                let before = read
                    .iter()
                    .flat_map(|(names, at, _)| self.names(names, *at))
                    .chain(own.iter().copied());
                self.scope_name(name, place, before)?;
                own.push((name, place));
            }
            if read.len() == Scope::LEVELS.len() {
                let message = format!("more than {} scopes", Scope::LEVELS.len());
                return Err(self.error(
                    span,
                    message,
                    "one too many",
                    "leave out those that no mapping and no model needs",
                ));
            }
            let mut level = None;
            if let Some((_, equals)) = words.next_if(|(word, _)| *word == "=") {
                let Some((word, at)) = words.next() else {
                    return Err(self.error(
                        after(equals),
                        "expected a level",
                        "expected a level",
                        shape,
                    ));
                };
                level = Some(self.level(word, at, read.last().and_then(|(_, _, level)| *level))?);
            }
            read.push((name, span, level));
            match words.next() {
                None => break,
                Some(("<", at)) => end = at,
                Some((_, at)) => {
                    let help = format!("the narrower scope first, and blanks around `<`; {shape}");
                    return Err(self.error(
                        at,
                        "expected `<` between scopes",
                        "expected `<`",
                        help,
                    ));
                }
            }
        }
        self.scopes_at = Some(keyword);
        self.add_scopes(&read)
    }

    /// Is it a name that a scope can have, beside those before it?
    fn scope_name<'w>(
        &self,
        name: &str,
        span: Span,
        mut before: impl Iterator<Item = (&'w str, Span)>,
    ) -> Result<(), Diagnostic> {
        let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !letters || !is_name(name) || name == SCOPED {
            let help = "a scope is a word of letters, digits and `_` that begins with a letter";
            return Err(self.error(
                span,
                format!("`{name}` is no name for a scope"),
                "not a name",
                help,
            ));
        }
        let set = name.to_ascii_uppercase();
        let is_base = COMMON_SETS.iter().any(|(_, names)| names.contains(&set.as_str()));
        let same = format!("same-{name}");
        if self.tag_index(&same).is_some() || self.is_picked(&same) {
            let help = format!(
                "in .cat `{same}` relates the threads that share the scope, and a line above has this name"
            );
            return Err(self.error(
                span,
                format!("`{name}` is no name for a scope"),
                "taken",
                help,
            ));
        }
        if is_base || self.tag_index(&set).is_some() || self.is_picked(&set) {
            let help = format!(
                "in .cat the operations of a scope are the set of its name in sets, and `{set}` is something else"
            );
            return Err(self.error(
                span,
                format!("`{name}` is no name for a scope"),
                "taken",
                help,
            ));
        }
        if let Some((_, first)) = before.find(|(other, _)| other.eq_ignore_ascii_case(name)) {
            let error =
                self.error(span, format!("two scopes `{name}`"), "the second one", "drop one");
            return Err(error.at(self.file, first, "the first one"));
        }
        Ok(())
    }

    /// The level that a word names, wider than the one before.
    fn level(&self, word: &str, at: Span, before: Option<Scope>) -> Result<Scope, Diagnostic> {
        let names = Scope::LEVELS.map(Scope::name);
        let Some(level) = Scope::LEVELS.into_iter().find(|s| s.name() == word) else {
            let help = match nearest(word, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the levels are, from narrow to wide: {}", names.join(", ")),
            };
            return Err(self.error(at, format!("unknown level `{word}`"), "not a level", help));
        };
        if before.is_some_and(|before| before >= level) {
            let help = format!("the levels are, from narrow to wide: {}", names.join(", "));
            return Err(self.error(
                at,
                "this level is not wider than the one before",
                "not wider",
                help,
            ));
        }
        Ok(level)
    }

    fn add_scopes(&mut self, read: &[(&str, Span, Option<Scope>)]) -> Result<(), Diagnostic> {
        let shape = Self::shape("scopes");
        let said = read.iter().filter(|(_, _, level)| level.is_some()).count();
        if said > 0
            && let Some((name, span, _)) = read.iter().find(|(_, _, level)| level.is_none())
        {
            let message = format!("of `{name}` the line does not say which level it is");
            return Err(self.error(*span, message, "no level", shape));
        }
        if let Some((name, span, Some(level))) = read.last()
            && *level != Scope::Sys
        {
            let help = "the widest scope is that of all threads: write `= sys` behind it, or add one that is";
            return Err(self.error(
                *span,
                format!("`{name}` is the widest scope and not `sys`"),
                "the widest",
                help,
            ));
        }
        let usual = usual(read.len());
        for (i, (name, _, level)) in read.iter().enumerate() {
            let scope = level.unwrap_or(usual[i]);
            self.description.scopes.push(scope);
            let words: Vec<&'static str> = name.split('|').map(leaked).collect();
            self.description.levels.push(LevelDescription {
                scope,
                sets: words.iter().map(|name| leaked(&name.to_ascii_uppercase())).collect(),
                same: leaked(&format!("same-{}", words[0])),
                words,
            });
        }
        Ok(())
    }

    /// `optional cluster if named`, `optional cluster except ptx-6.0`.
    pub(super) fn optional(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let shape = Self::shape("optional");
        let Some((name, span)) = rest.first() else {
            return Err(self.error(
                after(keyword),
                "expected the name of a scope",
                "expected a scope",
                shape,
            ));
        };
        let Some(level) = self.description.levels.iter().find(|level| level.words.contains(name))
        else {
            let names: Vec<&str> =
                self.description.levels.iter().map(|level| level.words[0]).collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write this line below the line `scopes`, with one of its names".to_owned(),
            };
            return Err(self.error(*span, format!("unknown scope `{name}`"), "not a scope", help));
        };
        let scope = level.scope;
        if scope == Scope::Sys {
            let help = "the widest scope includes all threads, and every model knows it";
            return Err(self.error(
                *span,
                format!("`{name}` cannot be optional"),
                "the widest",
                help,
            ));
        }
        if self.description.optional.is_some() {
            return Err(self.error(
                keyword,
                "a second optional scope",
                "the second one",
                "one scope can be optional: drop a line",
            ));
        }
        let known = match &rest[1..] {
            [("if", _), ("named", _)] => ScopeKnowledge::IfNamed,
            [("except", _), models @ ..] if !models.is_empty() => {
                ScopeKnowledge::Except(models.iter().map(|(model, _)| leaked(model)).collect())
            }
            [("except", place)] => {
                return Err(self.error(
                    after(*place),
                    "expected the names of models",
                    "expected names",
                    shape,
                ));
            }
            more => {
                let place = more.first().map_or(after(*span), |(_, place)| *place);
                return Err(self.error(
                    place,
                    "expected `if named` or `except`",
                    "expected `if named` or `except`",
                    shape,
                ));
            }
        };
        let others =
            self.description.scopes.iter().copied().filter(|other| *other != scope).collect();
        self.description.optional = Some(Optional { scope, others, known });
        Ok(())
    }

    /// Is it the set of a scope's operations, or the relation of those whose threads share it?
    pub(super) fn is_scope(&self, name: &str) -> bool {
        self.description.levels.iter().any(|l| l.sets.contains(&name) || l.same == name)
    }

    /// A mnemonic that is another one with a scope behind it, and scopes that no instruction takes.
    pub(super) fn scopes_are_used(&self) -> Option<Diagnostic> {
        let instructions = &self.description.instructions;
        for (i, scoped) in instructions.iter().enumerate().filter(|(_, i)| i.scoped) {
            let clash = |other: &ArchitectureInstruction| {
                let behind = other
                    .mnemonic
                    .strip_prefix(scoped.mnemonic)
                    .and_then(|rest| rest.strip_prefix('.'));
                behind.is_some_and(|word| {
                    self.description.levels.iter().any(|l| l.words.contains(&word))
                })
            };
            if let Some(second) = instructions.iter().position(clash) {
                let message = format!(
                    "`{}` is `{}` with a scope",
                    instructions[second].mnemonic, scoped.mnemonic
                );
                let help = "every scope of an instruction that is `scoped` is written behind its mnemonic: drop this line, or rename it";
                let error =
                    self.error(self.places[second], message, "written in the same way", help);
                return Some(error.at(self.file, self.places[i], "takes a scope"));
            }
        }
        let place = self.scopes_at.filter(|_| !instructions.iter().any(|i| i.scoped))?;
        let help = "write `scoped` behind the tags of those that do: read ld.acquire ACQ scoped";
        Some(self.error(place, "no instruction takes a scope", "these scopes", help))
    }
}
