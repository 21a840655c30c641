//! How many rows of a table are asked about: what does not exist, what no row can say and what
//! nobody looked at is counted, so that no answer about the others passes for one about all.

use super::{Mapping, RowHead};

/// The rows of a table that an answer is about, and those that it is not about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// All rows of the constructs that are asked about.
    pub rows: usize,
    /// Those of what compiles to something that no row can say (`other`).
    pub other: usize,
    /// Those of what does not compile, or does not exist (`absent`).
    pub absent: usize,
    /// Those that are for no operation that there is.
    pub idle: usize,
    /// Those that are assumed and were left out.
    pub assumed: usize,
    /// Those that are assumed and were asked about as if they were known.
    pub taken: usize,
}

impl Coverage {
    /// How many were not asked about.
    pub fn not_asked(self) -> usize {
        self.other + self.absent + self.idle + self.assumed
    }

    /// As the end of a first line: empty, or
    /// `; 13 of 57 rows were not asked about (4 other, 9 absent)`.
    pub fn words(self) -> String {
        let parts = [
            (self.other, "other"),
            (self.absent, "absent"),
            (self.idle, "for nothing that there is"),
            (self.assumed, "assumed"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        let verb =
            |n: usize, one: &'static str, more: &'static str| if n == 1 { one } else { more };
        let mut out = match self.not_asked() {
            0 => String::new(),
            n => format!(
                "; {n} of {} rows {} not asked about ({})",
                self.rows,
                verb(n, "was", "were"),
                parts.join(", ")
            ),
        };
        match self.taken {
            0 => {}
            n => out.push_str(&format!(
                "; {n} of {} rows {} assumed",
                self.rows,
                verb(n, "is", "are")
            )),
        }
        out
    }
}

impl Mapping {
    /// The rows that an answer about the mapping is about; of the constructs with these names, if
    /// programs are made of no others.
    pub fn coverage(&self, only: Option<&[String]>) -> Coverage {
        let signature = self.source.signature;
        let is_asked = |head: &&RowHead| {
            only.is_none_or(|names| names.contains(&head.construct.name(signature)))
        };
        let known = || self.about.stated.iter().filter(|stated| is_asked(&&stated.head));
        let idle = known().filter(|stated| stated.idle).count();
        let taken = known().filter(|stated| stated.assumed && !stated.idle).count();
        let left = |exists: bool| {
            let heads =
                self.about.left.iter().filter(|left| left.exists == exists).map(|left| &left.head);
            heads.filter(is_asked).count()
        };
        let (other, absent) = (left(true), left(false));
        let assumed = self.about.left_out.iter().filter(is_asked).count();
        Coverage {
            rows: known().count() + other + absent + assumed,
            other,
            absent,
            idle,
            assumed,
            taken,
        }
    }

    /// What an answer about the mapping is not about, as the end of its first line.
    pub fn not_asked_in_words(&self, constructs: Option<&[String]>) -> String {
        let undefined = self
            .undefined_at_target()
            .map_or(String::new(), |what| format!("; {what} was not looked at"));
        format!("{}{undefined}", self.rows_not_asked_in_words(constructs))
    }

    /// The same of its rows alone.
    pub fn rows_not_asked_in_words(&self, constructs: Option<&[String]>) -> String {
        let phases = if self.has_barriers(constructs) {
            "; each barrier had one phase, and no arrival a condition"
        } else {
            ""
        };
        format!(
            "{}{}{phases}",
            self.coverage(constructs).words(),
            self.unknown_failures_in_words(constructs)
        )
    }

    /// Is one of its rows, of those that are asked about, of an operation on a barrier? Searches
    /// know one phase of each (docs/decisions/0014).
    fn has_barriers(&self, constructs: Option<&[String]>) -> bool {
        let source = self.source.signature;
        let is_asked = |name: String| constructs.is_none_or(|asked| asked.contains(&name));
        self.rows
            .iter()
            .any(|row| source.is_of_barrier(row.construct) && is_asked(row.construct.name(source)))
    }

    /// What the target leaves undefined, in words, if there is such a thing. A compiled program
    /// that is undefined may do anything, and no question about a mapping asks whether it is:
    /// executions of the target are those that its axioms allow.
    pub fn undefined_at_target(&self) -> Option<String> {
        let undefined = self.target.checks.iter().filter(|check| check.is_undefined_behaviour());
        let names: Vec<String> = undefined.map(margay_models::Check::display_name).collect();
        (!names.is_empty())
            .then(|| format!("what `{}` leaves undefined ({})", self.target.name, names.join(", ")))
    }
}
