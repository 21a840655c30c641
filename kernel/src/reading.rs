//! The readings of PTX's chapter 8 by which a kernel is judged, each with data races as a reason why a program is undefined.

use std::sync::OnceLock;

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::{OnlyBuiltIn, TypingOptions};

/// The model `ptx-8` with data races (PTX ISA 8.7.1): a text that `margay run --model` takes.
const RACES: &str = include_str!("../races.cat");

/// A model by which a kernel is judged. A reading is here only if it allows no more than `ptx-8`: what a kernel is not asked about, since that model
/// forbids it, the reading must forbid, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelReading {
    /// The letter of the chapter.
    #[default]
    Letter,
    /// An mbarrier orders accesses of shared memory whatever the scopes of its operations (docs/ptx-isa-derivation.md, M1).
    MbarriersOrderShared,
    /// The same, and an asynchronous access of shared memory is performed by the block whose memory it is (docs/ptx-isa-derivation.md, A8).
    ClustersOrderShared,
}

type ReadModel = Result<Model, Vec<Diagnostic>>;

impl KernelReading {
    /// All of them, the letter first; each allows no more than the one in front of it.
    pub const ALL: [Self; 3] = [Self::Letter, Self::MbarriersOrderShared, Self::ClustersOrderShared];

    /// The built-in model.
    pub fn name(self) -> &'static str {
        match self {
            Self::Letter => "ptx-8",
            Self::MbarriersOrderShared => "ptx-8-mbarriers-order-shared",
            Self::ClustersOrderShared => "ptx-8-clusters-order-shared",
        }
    }

    /// What the reading supposes beyond the letter, and what the letter says: two clauses. None for the letter.
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

    /// The reading of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.name() == name)
    }

    /// The text of the model with races.
    pub fn races_text(self) -> String {
        RACES.replace("include \"ptx-8.cat\"", &format!("include \"{}.cat\"", self.name()))
    }

    /// The name of that text as a file.
    pub fn races_file(self) -> String {
        format!("{}-races.cat", self.name())
    }

    /// The model with races.
    ///
    /// # Errors
    /// It cannot be read: a bug of Margay.
    pub fn races(self) -> Result<&'static Model, Vec<Diagnostic>> {
        static MODELS: [OnceLock<ReadModel>; KernelReading::ALL.len()] = [const { OnceLock::new() }; KernelReading::ALL.len()];
        let load = || read(SourceFile::new(format!("<built-in>/{}", self.races_file()), self.races_text()));
        MODELS[self as usize].get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// The same, with the error as a sentence.
    pub(crate) fn races_or_why(self) -> Result<&'static Model, String> {
        let why = |errors: Vec<Diagnostic>| errors.first().map_or_else(String::new, |e| e.message.clone());
        self.races().map_err(|errors| format!("the model of races cannot be read: {}", why(errors)))
    }

    /// The model without races.
    ///
    /// # Errors
    /// It cannot be read: a bug of Margay.
    pub fn model(self) -> Result<&'static Model, String> {
        static MODELS: [OnceLock<ReadModel>; KernelReading::ALL.len()] = [const { OnceLock::new() }; KernelReading::ALL.len()];
        let name = self.name();
        let load =
            || read(library::built_in(name).ok_or_else(|| vec![Diagnostic::error(format!("there is no model `{name}`"))])?);
        let read = MODELS[self as usize].get_or_init(load).as_ref();
        read.map_err(|errors| errors.first().map_or_else(|| format!("`{name}` cannot be read"), |e| e.message.clone()))
    }
}

fn read(source: std::sync::Arc<SourceFile>) -> ReadModel {
    Model::parse_with(source, &OnlyBuiltIn, &TypingOptions::default()).map(|loaded| loaded.model)
}
