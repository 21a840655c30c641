//! What a comparison is asked to do, and what may be compared.

use std::path::PathBuf;

use margay_models::diagnostic::Diagnostic;
use margay_models::execution::{Proxy, Scope};
use margay_models::model::Model;
use margay_models::signature::{BaseRelation, BaseSet, Construct, Signature};

use crate::certificate;
use crate::encode::{ComparisonExtent, SpecialRelation, chosen_fences};
use crate::language::Mapping;
use crate::level::Level;
use crate::search::{SearchOptions, contains_search_options};

/// The largest bound that is accepted.
pub const MAX_BOUND: usize = 12;

/// Options of [`super::compare`].
#[derive(Debug, Clone)]
pub struct CompareOptions {
    /// What every search is asked.
    pub search: SearchOptions,
    /// Show at most so many smallest differences of each kind.
    pub most: usize,
    /// End with the first bound at which there is a difference in any direction.
    pub first: bool,
    /// Executions, or programs with an outcome.
    pub level: Level,
    /// An empty folder for a certificate of what no execution does; of single executions alone.
    pub certify: Option<PathBuf>,
}

impl CompareOptions {
    /// The usual options for a bound.
    pub fn new(bound: usize) -> Self {
        Self {
            search: SearchOptions::new(bound),
            most: 3,
            first: false,
            level: Level::Execution,
            certify: None,
        }
    }
}

contains_search_options!(CompareOptions);

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub enum Subjects<'a> {
    /// Two models of one signature, the older one first.
    Models(&'a Model, &'a Model),
    /// The source model of a mapping with its target model: what is compiled, and what it is
    /// compiled to.
    Mapping(&'a Mapping),
}

impl<'a> Subjects<'a> {
    /// The two models, the older (or source) first.
    pub fn models(self) -> [&'a Model; 2] {
        match self {
            Self::Models(old, new) => [old, new],
            Self::Mapping(mapping) => [&mapping.source, &mapping.target],
        }
    }
}

/// Checks that the two can be compared, and resolves the names in the options.
pub(super) fn extent(
    subjects: Subjects<'_>,
    options: &CompareOptions,
) -> Result<ComparisonExtent, Vec<Diagnostic>> {
    let [old, new] = subjects.models();
    let mut errors = Vec::new();
    if options.bound == 0 {
        errors.push(
            Diagnostic::error("a bound of 0 events compares nothing")
                .help("give a bound of at least 1"),
        );
    }
    if options.bound > MAX_BOUND {
        errors.push(
            Diagnostic::error(format!("a bound of {} events is out of reach; the largest is {MAX_BOUND}", options.bound))
                .help("each event more takes about five times as long; bounds of 3 to 6 find what is to be found"),
        );
    }
    if options.most == 0 {
        errors.push(
            Diagnostic::error("0 differences are too few to show").help("ask for at least 1"),
        );
    }
    if options.certify.is_some() {
        errors.extend(certificate::without_proofs(&options.backend));
    }
    match subjects {
        // Two texts of one name, as a copy that was changed and what it was copied from.
        Subjects::Models(..) if old.signature != new.signature && old.signature.to_string() == new.signature.to_string() => {
            errors.push(
                Diagnostic::error(format!(
                    "`{}` and `{}` are models of {} executions by two texts of that name, which differ: they have none in common",
                    old.name, new.name, old.signature
                ))
                .help(format!("put both models beside the same `{}.arch`, or copies of it", old.signature)),
            )
        }
        Subjects::Models(..) if old.signature != new.signature => errors.push(
            Diagnostic::error(format!(
                "`{}` is a model of {} executions and `{}` one of {} executions: they have none in common",
                old.name, old.signature, new.name, new.signature
            ))
            .help("say what becomes of each instruction: `--mapping M` (`margay mappings` lists some)"),
        ),
        Subjects::Mapping(_) if !old.signature.total_coherence() => errors.push(
            Diagnostic::error(format!("`{}` cannot be the source of a mapping: its coherence order is partial", old.name))
                .help("source models are of C++ (`C`) or plain (`X86`, `SC`) executions"),
        ),
        Subjects::Mapping(_) if options.level == Level::Program => errors.push(
            Diagnostic::error("outcomes are compared for models of one signature")
                .help("`margay check --level program` asks about the outcomes of compiled programs"),
        ),
        Subjects::Models(..) | Subjects::Mapping(_) => {}
    }
    // What is special is selected by its own names, the rest by those of constructs.
    let named = |list: &[String]| -> (Vec<OperationGroup>, Vec<String>) {
        let group = |name: &String| {
            GROUPS.iter().find(|g| g.name == name.to_uppercase() && g.is_in(old.signature))
        };
        (
            list.iter().filter_map(group).copied().collect(),
            list.iter().filter(|n| group(n).is_none()).cloned().collect(),
        )
    };
    let ((only, only_constructs), (without, without_constructs)) =
        (named(&options.only), named(&options.without));
    if only_constructs.is_empty() && !only.is_empty() {
        let error = Diagnostic::error("--only leaves no construct to make programs of");
        errors.push(error.help("name loads and stores, too, e.g. `--only R,W,B`"));
    }
    let possible: Vec<&OperationGroup> = match subjects {
        Subjects::Models(..) => groups([old, new], options.level).collect(),
        Subjects::Mapping(_) => Vec::new(),
    };
    for group in only.iter().filter(|g| !possible.contains(g)) {
        let error = Diagnostic::error(format!("`{}` in --only is not compared here", group.name));
        errors.push(error.help(match subjects {
            Subjects::Models(..)
                if mentioned([old, new]).any(|g| g == group) && group.name == "RED" =>
            {
                "what a reduction reads is no outcome: leave out `--program`"
            }
            Subjects::Models(..) if group.specials.is_empty() => {
                "searches make no such operations: run tests under both models"
            }
            Subjects::Models(..) if mentioned([old, new]).any(|g| g == group) => {
                "one of the two models is of an older ISA"
            }
            Subjects::Models(..) => "neither model speaks of it",
            Subjects::Mapping(_) => "mappings have none",
        }));
    }
    let named = SearchOptions {
        only: only_constructs,
        without: without_constructs,
        ..options.search.clone()
    };
    match named.constructs(old.signature) {
        Ok(constructs) if errors.is_empty() => {
            if let Subjects::Mapping(mapping) = subjects
                && let Some(error) = of_one_order(mapping, &constructs)
            {
                return Err(vec![error]);
            }
            let chosen = |g: &&OperationGroup| {
                !without.contains(g) && (options.only.is_empty() || only.contains(g))
            };
            let specials =
                possible.into_iter().filter(chosen).flat_map(|g| g.specials).copied().collect();
            let scopes = match subjects {
                Subjects::Models(..) => scopes([old, new]),
                Subjects::Mapping(mapping) => mapping.scopes(),
            };
            Ok(ComparisonExtent { constructs, specials, scopes, typed: options.typed })
        }
        Ok(_) => Err(errors),
        Err(more) => Err(errors.into_iter().chain(more).collect()),
    }
}

/// Single executions are compared, each with one order of its fences; the source forbids one only
/// if it does so for every order.
fn of_one_order(mapping: &Mapping, constructs: &[Construct]) -> Option<Diagnostic> {
    let source = &mapping.source;
    let fences: Vec<String> =
        chosen_fences(source, constructs).iter().map(|c| c.name(source.signature)).collect();
    let without = fences.join(",");
    (!fences.is_empty()).then(|| {
        let order = Signature::order_of_fences();
        let error = format!(
            "single executions of `{}` cannot be compared with those of `{}`: one of them chooses the order `{order}` of {without}",
            source.name, mapping.target.name
        );
        Diagnostic::error(error).help(format!(
            "`margay check` asks about all orders; or leave the fences out with `--without {without}`"
        ))
    })
}

/// Operations that occur together or not at all, by the name that `--only` and `--without` know
/// them by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationGroup {
    /// Also the base set by which models speak of them.
    pub name: &'static str,
    pub specials: &'static [SpecialRelation],
    sets: &'static [BaseSet],
    relations: &'static [BaseRelation],
    /// Is it in the newer ISA only? Then both models must be of that.
    newer: bool,
}

impl OperationGroup {
    /// Can models of the signature speak of them?
    fn is_in(&self, signature: Signature) -> bool {
        self.sets.iter().any(|set| set.is_in(signature))
            || self.relations.iter().any(|relation| relation.is_in(signature))
    }
}

const fn marked(
    name: &'static str,
    specials: &'static [SpecialRelation],
    sets: &'static [BaseSet],
    newer: bool,
) -> OperationGroup {
    OperationGroup { name, specials, sets, relations: &[], newer }
}

/// All of them.
const GROUPS: [OperationGroup; 9] = [
    OperationGroup {
        name: "B",
        specials: &[SpecialRelation::Arrival, SpecialRelation::Wait],
        sets: &[BaseSet::B, BaseSet::Wait],
        relations: &BaseRelation::BARRIERS,
        newer: false,
    },
    marked("RED", &[SpecialRelation::Red], &[BaseSet::Red], false),
    marked("VOLATILE", &[SpecialRelation::Volatile], &[BaseSet::Volatile], false),
    marked("MMIO", &[SpecialRelation::Mmio], &[BaseSet::Mmio], true),
    OperationGroup {
        name: "ALIAS",
        specials: &[SpecialRelation::ProxyFence(Proxy::Alias), SpecialRelation::Alias],
        sets: &[BaseSet::Alias],
        relations: &[BaseRelation::Vloc],
        newer: true,
    },
    marked(
        "SUR",
        &[SpecialRelation::ProxyFence(Proxy::Surface), SpecialRelation::Through(Proxy::Surface)],
        &[BaseSet::Sur, BaseSet::Gen],
        true,
    ),
    marked(
        "TEX",
        &[SpecialRelation::ProxyFence(Proxy::Texture), SpecialRelation::Through(Proxy::Texture)],
        &[BaseSet::Tex],
        true,
    ),
    marked(
        "CON",
        &[SpecialRelation::ProxyFence(Proxy::Constant), SpecialRelation::Through(Proxy::Constant)],
        &[BaseSet::Con],
        true,
    ),
    // No search makes asynchronous operations or operations on mbarriers: only tests have them.
    OperationGroup {
        name: "ASYNC",
        specials: &[],
        sets: &[
            BaseSet::Async,
            BaseSet::Tensormap,
            BaseSet::Shared,
            BaseSet::Global,
            BaseSet::Mbarrier,
        ],
        relations: &BaseRelation::ASYNCHRONOUS,
        newer: true,
    },
];

/// Those of which one of the models speaks, and both know (by [`Model::knows_clusters`]). What a
/// `red` reads is no outcome, so there is none at program level.
fn groups(models: [&Model; 2], level: Level) -> impl Iterator<Item = &'static OperationGroup> {
    let newer = models.iter().all(|m| m.knows_clusters());
    let possible = move |g: &&OperationGroup| {
        !g.specials.is_empty()
            && (newer || !g.newer)
            && (level == Level::Execution || g.name != "RED")
    };
    mentioned(models).filter(possible)
}

/// Those of which one of the models speaks.
fn mentioned(models: [&Model; 2]) -> impl Iterator<Item = &'static OperationGroup> {
    let named = move |g: &&OperationGroup| {
        models.iter().any(|m| {
            g.sets.iter().any(|&s| m.mentions_set(s))
                || g.relations.iter().any(|&r| m.mentions_relation(r))
        })
    };
    GROUPS.iter().filter(named)
}

/// The names of those that occur.
pub(super) fn special_names(extent: &ComparisonExtent) -> impl Iterator<Item = &'static str> {
    GROUPS.iter().filter(|g| g.specials.iter().any(|s| extent.specials.contains(s))).map(|g| g.name)
}

/// The names of those of which one of the models speaks and of which the executions have nothing.
pub(super) fn blind(subjects: Subjects<'_>, extent: &ComparisonExtent) -> Vec<&'static str> {
    let missing = |g: &&OperationGroup| !g.specials.iter().any(|s| extent.specials.contains(s));
    mentioned(subjects.models()).filter(missing).map(|g| g.name).collect()
}

/// The scopes that operations have where two models are compared: none if neither looks at them
/// (PTX instructions cannot do without one), an optional one (clusters) only if a model names it
/// and both know it. A model that sees scopes by inclusion alone cannot tell a cluster from a gpu.
pub(crate) fn scopes(models: [&Model; 2]) -> Vec<Scope> {
    let signature = models[0].signature;
    if !models.iter().any(|m| m.is_scoped()) {
        let needs = signature.has_places() && !signature.can_be_unscoped();
        return if needs { vec![Scope::Sys] } else { Vec::new() };
    }
    let named = |optional: Scope| {
        models.iter().all(|m| m.knows_clusters()) && models.iter().any(|m| m.names_scope(optional))
    };
    signature.scopes(signature.optional_scope().is_none_or(named)).to_vec()
}
