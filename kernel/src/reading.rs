//! The readings of PTX's chapter 8 by which a kernel is judged, each with data races as a reason
//! why a program is undefined.

use std::fmt;
use std::sync::OnceLock;

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::{OnlyBuiltIn, TypingOptions};

/// The model `ptx-8` with data races (PTX ISA 8.7.1): a text that `margay run --model` takes.
const RACES: &str = include_str!("../races.cat");

/// The model `ptx-8` with reads that are out of date, each of which it flags.
const STALE: &str = include_str!("../stale.cat");

/// In that text the flag, and in the one that is written for `margay run` the axiom that some read
/// is out of date.
const STALE_FLAG: [&str; 2] = ["flag ~empty", "~empty"];

/// A model by which a kernel is judged. A reading is here only if it allows no more than `ptx-8`:
/// what a kernel is not asked about, since that model forbids it, the reading must forbid, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelReading {
    /// The letter of the chapter.
    #[default]
    Letter,
    /// An mbarrier orders accesses of shared memory whatever the scopes of its operations
    /// (docs/ptx-isa-derivation.md, M1).
    MbarriersOrderShared,
    /// The same, and an asynchronous access of shared memory is performed by the block whose memory
    /// it is (docs/ptx-isa-derivation.md, A8).
    ClustersOrderShared,
}

type ReadModel = Result<Model, Vec<Diagnostic>>;

impl KernelReading {
    /// All of them, the letter first; each allows no more than the one in front of it.
    pub const ALL: [Self; 3] =
        [Self::Letter, Self::MbarriersOrderShared, Self::ClustersOrderShared];

    /// The built-in model.
    pub fn name(self) -> &'static str {
        match self {
            Self::Letter => "ptx-8",
            Self::MbarriersOrderShared => "ptx-8-mbarriers-order-shared",
            Self::ClustersOrderShared => "ptx-8-clusters-order-shared",
        }
    }

    /// What the reading supposes beyond the letter, and what the letter says: two clauses. None for
    /// the letter.
    pub fn supposition(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Letter => None,
            Self::MbarriersOrderShared => Some([
                "mbarriers order shared memory whatever the scopes",
                "of PTX ISA 8.7 a wait or an arrival of scope .cta orders nothing between blocks",
            ]),
            Self::ClustersOrderShared => Some([
                "asynchronous accesses of shared memory are performed by the block whose memory it is, and mbarriers order it whatever the scopes",
                "of PTX ISA 8.9.5 two asynchronous accesses that two blocks issued need a fence.proxy.async between them",
            ]),
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.name() == name)
    }

    /// The text of the model with races.
    pub fn races_text(self) -> String {
        self.including(RACES)
    }

    /// A text that includes the letter, including this reading.
    fn including(self, text: &str) -> String {
        text.replace("include \"ptx-8.cat\"", &format!("include \"{}.cat\"", self.name()))
    }

    /// The name of that text as a file.
    pub fn races_file(self) -> String {
        format!("{}-races.cat", self.name())
    }

    /// The text of a model that allows the executions of this one in which a read is out of date.
    pub fn stale_text(self) -> String {
        let [flag, axiom] = STALE_FLAG;
        self.including(STALE).replace(flag, axiom)
    }

    /// The name of that text as a file.
    pub fn stale_file(self) -> String {
        format!("{}-stale.cat", self.name())
    }

    /// That model.
    ///
    /// # Errors
    /// It cannot be read: a bug of Margay.
    pub fn only_stale(self) -> Result<&'static Model, UnreadableModel> {
        static MODELS: [OnceLock<ReadModel>; KernelReading::ALL.len()] =
            [const { OnceLock::new() }; KernelReading::ALL.len()];
        let load = || {
            read(SourceFile::new(format!("<built-in>/{}", self.stale_file()), self.stale_text()))
        };
        MODELS[self as usize]
            .get_or_init(load)
            .as_ref()
            .map_err(|errors| unreadable("stale reads", errors))
    }

    /// The model that flags reads which are out of date.
    pub(crate) fn stale(self) -> Result<&'static Model, UnreadableModel> {
        static MODELS: [OnceLock<ReadModel>; KernelReading::ALL.len()] =
            [const { OnceLock::new() }; KernelReading::ALL.len()];
        let name = format!("<built-in>/{}-flagging-stale.cat", self.name());
        let load = || read(SourceFile::new(name.clone(), self.including(STALE)));
        MODELS[self as usize]
            .get_or_init(load)
            .as_ref()
            .map_err(|errors| unreadable("stale reads", errors))
    }

    /// The model with races.
    ///
    /// # Errors
    /// It cannot be read: a bug of Margay.
    pub fn races(self) -> Result<&'static Model, Vec<Diagnostic>> {
        static MODELS: [OnceLock<ReadModel>; KernelReading::ALL.len()] =
            [const { OnceLock::new() }; KernelReading::ALL.len()];
        let load = || {
            read(SourceFile::new(format!("<built-in>/{}", self.races_file()), self.races_text()))
        };
        MODELS[self as usize].get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// The same, with the first error alone.
    pub(crate) fn races_or_why(self) -> Result<&'static Model, UnreadableModel> {
        self.races().map_err(|errors| unreadable("races", &errors))
    }

    /// The model without races.
    ///
    /// # Errors
    /// It cannot be read: a bug of Margay.
    pub fn model(self) -> Result<&'static Model, UnreadableModel> {
        static MODELS: [OnceLock<ReadModel>; KernelReading::ALL.len()] =
            [const { OnceLock::new() }; KernelReading::ALL.len()];
        let name = self.name();
        let load =
            || {
                read(library::built_in(name).ok_or_else(|| {
                    vec![Diagnostic::error(format!("there is no model `{name}`"))]
                })?)
            };
        let read = MODELS[self as usize].get_or_init(load).as_ref();
        read.map_err(|errors| {
            UnreadableModel(match errors.first() {
                Some(error) => error.message.clone(),
                None => format!("`{name}` cannot be read"),
            })
        })
    }
}

/// A model that is part of the program cannot be read: a bug of Margay, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableModel(String);

impl fmt::Display for UnreadableModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnreadableModel {}

/// Whoever asks a question with it tells why the question stays open.
impl From<UnreadableModel> for String {
    fn from(model: UnreadableModel) -> Self {
        model.0
    }
}

fn unreadable(of: &str, errors: &[Diagnostic]) -> UnreadableModel {
    let why = errors.first().map_or_else(String::new, |e| e.message.clone());
    UnreadableModel(format!("the model of {of} cannot be read: {why}"))
}

fn read(source: std::sync::Arc<SourceFile>) -> ReadModel {
    Model::parse_with(source, &OnlyBuiltIn, &TypingOptions::default()).map(|loaded| loaded.model)
}
