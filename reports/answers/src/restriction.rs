//! What a question leaves out, in the words of its first line. Every first line is made with it,
//! and every `answer` in JSON, from which the pages and summaries have theirs: so no answer says
//! more than was asked.

use std::fmt;

use margay_mappings::certificate::MappingSubject;
use margay_mappings::check::{CheckOptions, Level};
use margay_mappings::compare::CompareOptions;
use margay_mappings::language::Mapping;
use margay_mappings::language::selection::construct_of;
use margay_mappings::synthesis::SynthesisOptions;
use margay_models::execution::Order;
use margay_models::signature::{BaseSet, Construct, Operation, constructs as of_signature};
use margay_theorem::theorem::once;

/// What a question leaves out. As text nothing, or
/// ` (only programs of R.RLX, W.RLX; only axiom SC)`: it stands behind what was found, and its
/// bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restriction(Vec<String>);

impl Restriction {
    /// Of a check, and of whatever asks like one. (What the table does not say is said of the
    /// table: `Mapping::not_asked_in_words`.)
    pub fn of_check(options: &CheckOptions) -> Self {
        let mut out = Self::of_constructs("programs", &options.only, &options.without);
        out.add_axioms(&options.axioms, options.typed);
        out.add_baseline(
            options.baseline.as_ref().map(|baseline| baseline.baseline.file.name.as_str()),
        );
        out.add_guards(options.guards.filter(|_| options.level == Level::Program));
        out
    }

    /// Of what a certificate of a search says that there is none of.
    pub fn of_certificate(subject: &MappingSubject) -> Self {
        match subject {
            MappingSubject::Check { given, baseline, .. } => {
                let mut out = Self::of_constructs("programs", &given.only, &given.without);
                if given.level == Level::Execution {
                    out.0.insert(0, "single executions".to_owned());
                }
                out.add_axioms(&given.axioms, given.typed);
                out.add_baseline(baseline.as_ref().map(|baseline| baseline.name.as_str()));
                out.add_guards(given.guards);
                out
            }
            MappingSubject::Diff { given, .. } => {
                Self::of_models((&given.only, &given.without), given.level, given.typed)
            }
        }
    }

    fn add_axioms(&mut self, axioms: &[String], typed: bool) {
        match &once(axioms)[..] {
            [] => {}
            [one] => self.add(format!("only axiom {one}")),
            several => self.add(format!("only axioms {}", several.join(", "))),
        }
        if !typed {
            self.add("a location may be both plain and atomic");
        }
    }

    fn add_baseline(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.add(format!("those of {name} left out"));
        }
    }

    fn add_guards(&mut self, most: Option<usize>) {
        match most {
            None => {}
            Some(1) => self.add("at most 1 guard or computed value"),
            Some(n) => self.add(format!("at most {n} guards and computed values")),
        }
    }

    /// As [`Restriction::of_check`], for an answer that does not say otherwise that it is about
    /// single executions.
    pub fn of_rows(options: &CheckOptions) -> Self {
        let mut out = Self::of_check(options);
        if options.level == Level::Execution {
            out.0.insert(0, "single executions".to_owned());
        }
        out
    }

    /// Of a comparison; nothing of `blind` was in an execution.
    pub fn of_comparison(options: &CompareOptions, blind: &[&str]) -> Self {
        let mut out =
            Self::of_models((&options.only, &options.without), options.level, options.typed);
        if !blind.is_empty() {
            out.add(format!("{} not compared", blind.join(", ")));
        }
        out
    }

    fn of_models((only, without): (&[String], &[String]), level: Level, typed: bool) -> Self {
        let mut out = Self::of_constructs("executions", only, without);
        if level == Level::Program {
            out.add("outcomes of programs");
        }
        if typed {
            out.add("no location both plain and atomic");
        }
        out
    }

    /// Of the making of tests.
    pub fn of_synthesis(options: &SynthesisOptions) -> Self {
        let mut out = Self::of_constructs("tests", &options.only, &options.without);
        if options.typed {
            out.add("no location both plain and atomic");
        }
        out
    }

    /// Of a litmus test: the optional axioms of the model that were taken in, and the axioms that
    /// were left out.
    pub fn of_axioms(taken: &[String], left_out: &[String]) -> Self {
        let mut out = Self::default();
        for (word, names) in [("with", taken), ("without", left_out)] {
            match names {
                [] => {}
                [one] => out.add(format!("{word} axiom {one}")),
                several => out.add(format!("{word} axioms {}", several.join(", "))),
            }
        }
        out
    }

    /// Of the verdicts of a corpus: those of tests with these texts in their paths, and of these
    /// models.
    pub fn of_corpus(paths: &[String], models: &[String]) -> Self {
        let mut out = Self::default();
        if !paths.is_empty() {
            out.add(format!("only tests {}", paths.join(", ")));
        }
        if !models.is_empty() {
            out.add(format!("only under {}", models.join(", ")));
        }
        out
    }

    fn of_constructs(of: &str, only: &[String], without: &[String]) -> Self {
        let mut out = Self::default();
        // A left-hand side of a table stands for its construct, with all its scopes, types and
        // forms.
        let names = |of: &[String]| {
            let names: Vec<String> = of.iter().map(|name| construct_of(name)).collect();
            once(&names).join(", ")
        };
        if !only.is_empty() {
            out.add(format!("only {of} of {}", names(only)));
        }
        if !without.is_empty() {
            out.add(format!("no {of} with {}", names(without)));
        }
        out
    }

    fn add(&mut self, what: impl Into<String>) {
        self.0.push(what.into());
    }
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " ({})", self.0.join("; ")) }
    }
}

/// What a question supposes of every program of a mapping that has plain and atomic accesses,
/// unless `--typed off` asks about all.
pub fn supposes(mapping: &Mapping, constructs: &[String], typed: bool) -> Option<&'static str> {
    let source = mapping.source.signature;
    let asked = |c: &Construct| constructs.contains(&c.name(source));
    let is_plain = |c: &Construct| c.order == Order::Plain;
    let accesses = || {
        of_signature(source).into_iter().filter(|c| c.operation != Operation::Fence).filter(asked)
    };
    let both = BaseSet::Na.is_in(source)
        && accesses().any(|c| is_plain(&c))
        && accesses().any(|c| !is_plain(&c));
    (typed && both).then_some("no location is accessed by both plain and atomic operations")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said_and_nothing_else() {
        assert_eq!(Restriction::of_check(&CheckOptions::new(4)).to_string(), "");
        let options =
            CheckOptions { axioms: vec!["SC".to_owned()], guards: Some(2), ..CheckOptions::new(4) }
                .with(|o| {
                    o.only = vec!["R.RLX".to_owned(), "W".to_owned()];
                    o.without = vec!["RMW".to_owned()];
                    o.typed = false;
                });
        assert_eq!(
            Restriction::of_check(&options).to_string(),
            " (only programs of R.RLX, W; no programs with RMW; only axiom SC; a location may be both plain and atomic; \
             at most 2 guards and computed values)"
        );
        assert_eq!(
            Restriction::of_rows(&CheckOptions::published(4)).to_string(),
            " (single executions)"
        );
        assert_eq!(
            Restriction::of_comparison(&CompareOptions::new(4), &["C"]).to_string(),
            " (C not compared)"
        );
        let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            Restriction::of_axioms(&names(&["A"]), &names(&["B", "C"])).to_string(),
            " (with axiom A; without axioms B, C)"
        );
    }
}
