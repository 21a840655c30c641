//! `margay run`: is the outcome of a litmus test allowed?

use crate::document::parts;
use crate::verify::RunCertificate;

parts! {
    /// A test under a model.
    pub struct Answer {
        /// The file as named.
        pub file: String,
        /// The name in its first line.
        pub name: String,
        /// The model as named.
        pub model: String,
        /// The optional axioms that `--axiom` took in.
        pub with_axioms: Vec<String>,
        /// Those that `--without-axiom` left out.
        pub without_axioms: Vec<String>,
        /// The optional axioms that decide the answer.
        pub depends_on: Vec<Dependence>,
        /// `exists`, `~exists` or `forall`.
        pub quantifier: String,
        /// Does the quantified condition hold: `reachable` for `exists`, its opposite for the others?
        pub holds: bool,
        /// Does some legal execution satisfy the condition (for `forall`: violate it)?
        pub reachable: bool,
        /// Was a loop cut off and no execution found, so that a larger `--unroll` might find one? Then the test is not decided.
        pub bounded: bool,
        /// Does some legal execution have a race, or is it otherwise undefined? Null if the model does not say what that is.
        pub racy: Option<bool>,
        /// Who answered, `explicit` or `sat`.
        pub engine: String,
        /// Complete executions that were judged.
        pub executions: u64,
        /// Wall time, without reading the test.
        pub milliseconds: f64,
    }

    /// An optional axiom that decides an answer.
    pub struct Dependence {
        /// Its name.
        pub axiom: String,
        /// Does it count in this run?
        pub counts: bool,
        /// What differs with the axiom the other way; null if that was not decided.
        pub otherwise: Option<Otherwise>,
    }

    /// What differs with an axiom the other way; null where nothing does.
    pub struct Otherwise {
        /// The other answer.
        pub reachable: Option<bool>,
        /// The other answer.
        pub racy: Option<bool>,
    }

    /// A test without an answer.
    pub struct Unanswered {
        /// The file as named.
        pub file: String,
        /// The name in its first line.
        pub name: String,
        /// The model as named.
        pub model: String,
        /// `exists`, `~exists` or `forall`.
        pub quantifier: String,
        /// Null.
        pub holds: Option<bool>,
        /// Null.
        pub reachable: Option<bool>,
        /// False: it is not a bound that is too small.
        pub bounded: bool,
        /// Null.
        pub racy: Option<bool>,
        /// Null.
        pub engine: Option<String>,
        /// Null.
        pub executions: Option<u64>,
        /// Why there is no answer.
        pub reason: String,
        /// Wall time.
        pub milliseconds: f64,
    }

    /// With `--certify`, the last line.
    pub struct Certified {
        /// The certificate.
        pub certificate: RunCertificate,
    }
}
