//! `margay gen`: litmus tests from cycles of candidate relaxations.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use margay_answers::generated::{self, shapes};
use margay_console::output::Output;
use margay_litmus::cycle::{CycleSelection, Language, Places, Sizes, Variations};
use margay_litmus::test::{CacheOperator, Space};
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::{Order, Scope};

use crate::CommandOutcome;

/// Options of `gen`.
#[derive(Debug, Args)]
pub struct GenArguments {
    /// Cycles, each in one argument, e.g. "PodWW Rfe PodRR Fre" [default: all cycles of --edges]
    #[arg(value_name = "CYCLE", conflicts_with_all = ["edges", "size", "threads", "seed"])]
    pub cycles: Vec<String>,
    /// Make cycles of these edges; `*` stands for any letters
    #[arg(
        long,
        value_name = "EDGE,..",
        value_delimiter = ',',
        default_value = "Rfe,Fre,Coe,Pod**"
    )]
    pub edges: Vec<String>,
    /// Keep only these edges, or tests of these shapes (MP, IRIW)
    #[arg(long, value_name = "EDGE|SHAPE,..", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Leave out these edges, or tests of these shapes
    #[arg(long, value_name = "EDGE|SHAPE,..", value_delimiter = ',')]
    pub without: Vec<String>,
    /// The number of edges, e.g. `4` or `3..6`
    #[arg(long, value_name = "N", default_value = "3..4", value_parser = range)]
    pub size: RangeInclusive<usize>,
    /// The number of threads, e.g. `2` or `2..4`
    #[arg(long, value_name = "N", default_value = "2..8", value_parser = range)]
    pub threads: RangeInclusive<usize>,
    /// Orders of accesses: each access has any of those that it may have [default: weak; in C
    /// relaxed]
    #[arg(long, value_enum, value_name = "ORDER,..", value_delimiter = ',')]
    pub orders: Vec<AccessOrderChoice>,
    /// Scopes of accesses and fences, one for a test [default: gpu]
    #[arg(long, value_enum, value_name = "SCOPE,..", value_delimiter = ',')]
    pub scopes: Vec<AccessScope>,
    /// Any scope for each access and fence
    #[arg(long)]
    pub mixed_scopes: bool,
    /// Where the threads run: in one warp (ptx-2015), in one cta, in ctas of a cluster or gpu, on
    /// gpus of the system; `all` for every division
    #[arg(long, value_enum, value_name = "WHERE,..", value_delimiter = ',', default_value = "gpu")]
    pub places: Vec<Where>,
    /// The language of the tests
    #[arg(long, value_enum, value_name = "NAME", default_value_t = TestLanguage::Ptx)]
    pub language: TestLanguage,
    /// With --language ptx-2015, cache operators of accesses: each access has any of those that it
    /// may have [default: cg]
    #[arg(long, value_enum, value_name = "OPERATOR,..", value_delimiter = ',')]
    pub caches: Vec<AccessCache>,
    /// With --language ptx-2015, state spaces: each location is in any of them, in shared memory if
    /// all its threads are in one cta [default: global]
    #[arg(long, value_enum, value_name = "SPACE,..", value_delimiter = ',')]
    pub spaces: Vec<LocationSpace>,
    /// Stop after so many tests
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Draw cycles and annotations at random; the same seed draws the same tests
    #[arg(long, value_name = "S", requires = "count")]
    pub seed: Option<u64>,
    /// Instead: the classic shapes in PTX and scoped C, with every annotation, scope and placement
    /// (1,760 tests)
    #[arg(long, requires = "out", conflicts_with_all = ["cycles", "edges", "only", "without", "size", "threads", "orders", "scopes",
        "mixed_scopes", "places", "language", "caches", "spaces", "count", "seed", "published"])]
    pub shapes: bool,
    /// Instead: the tests of this table of outcomes that others saw (tests/seen-elsewhere), written
    /// anew from their names
    #[arg(long, value_name = "TABLE", requires = "out", conflicts_with_all = ["cycles", "edges", "only", "without", "size", "threads",
        "orders", "scopes", "mixed_scopes", "places", "language", "caches", "spaces", "count", "seed"])]
    pub published: Option<PathBuf>,
    /// Write the tests and an index into this folder [default: on standard output]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Orders of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AccessOrderChoice {
    /// `.weak`; in C an access that is not atomic.
    #[value(alias = "plain")]
    Weak,
    /// Relaxed.
    Relaxed,
    /// Loads only.
    Acquire,
    /// Stores only.
    Release,
    /// Sequentially consistent; C only.
    #[value(alias = "seq_cst")]
    Sc,
}

/// Scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AccessScope {
    /// The cta (block).
    Cta,
    /// The cluster.
    Cluster,
    /// The gpu (device).
    Gpu,
    /// The system.
    Sys,
}

/// Cache operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AccessCache {
    /// Loads: at all levels.
    Ca,
    /// Loads and stores: at the level of the gpu, in L2.
    Cg,
    /// Loads: not at all.
    Cv,
    /// Stores: written back.
    Wb,
    /// Stores: written through.
    Wt,
}

/// State spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LocationSpace {
    /// Of all threads.
    Global,
    /// Of the threads of a cta.
    Shared,
}

/// Where threads run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Where {
    /// All in one warp; ptx-2015 only.
    Warp,
    /// All in one cta.
    Cta,
    /// In ctas of one cluster.
    Cluster,
    /// In ctas of one gpu.
    Gpu,
    /// Each on a gpu of its own.
    Sys,
    /// Every division into gpus and ctas.
    All,
}

/// Languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestLanguage {
    /// PTX.
    Ptx,
    /// PTX in the form of 2015, with scope trees, memory maps, cache operators and membar.
    #[value(name = "ptx-2015", alias = "gpu-ptx")]
    Ptx2015,
    /// Scoped C.
    #[value(alias = "c++", alias = "cpp")]
    C,
    /// Without orders and scopes, for sc and tso.
    Generic,
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |t: &str| {
        t.parse::<usize>().map_err(|_| format!("`{t}` is no number; expected e.g. `4` or `3..6`"))
    };
    let (from, to) = match text.split_once("..") {
        Some((from, to)) => (number(from)?, number(to.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    if from > to {
        return Err(format!("{from} is more than {to}"));
    }
    if to > margay_litmus::cycle::MAX_EDGES {
        return Err(format!("at most {}", margay_litmus::cycle::MAX_EDGES));
    }
    Ok(from..=to)
}

impl GenArguments {
    /// What is asked for.
    fn selection(&self) -> CycleSelection {
        CycleSelection {
            cycles: self.cycles.clone(),
            edges: self.edges.clone(),
            only: self.only.clone(),
            without: self.without.clone(),
            sizes: Sizes { edges: self.size.clone(), threads: self.threads.clone() },
            variations: self.variations(match self.language {
                TestLanguage::Ptx => Language::Ptx,
                TestLanguage::Ptx2015 => Language::Ptx2015,
                TestLanguage::C => Language::C,
                TestLanguage::Generic => Language::Generic,
            }),
        }
    }

    fn variations(&self, language: Language) -> Variations {
        let mut orders: Vec<Order> = (self.orders.iter())
            .map(|o| match o {
                AccessOrderChoice::Weak => Order::Plain,
                AccessOrderChoice::Relaxed => Order::Rlx,
                AccessOrderChoice::Acquire => Order::Acq,
                AccessOrderChoice::Release => Order::Rel,
                AccessOrderChoice::Sc => Order::Sc,
            })
            .collect();
        if orders.is_empty() {
            orders.push(if language == Language::C { Order::Rlx } else { Order::Plain });
        }
        orders.sort();
        orders.dedup();
        let mut scopes: Vec<Scope> = (self.scopes.iter())
            .map(|s| match s {
                AccessScope::Cta => Scope::Cta,
                AccessScope::Cluster => Scope::Cluster,
                AccessScope::Gpu => Scope::Gpu,
                AccessScope::Sys => Scope::Sys,
            })
            .collect();
        if scopes.is_empty() {
            scopes.push(Scope::Gpu);
        }
        scopes.sort();
        scopes.dedup();
        let places = (self.places.iter())
            .map(|w| match w {
                Where::Warp => Places::Together(Scope::Warp),
                Where::Cta => Places::Together(Scope::Cta),
                Where::Cluster => Places::Together(Scope::Cluster),
                Where::Gpu => Places::Together(Scope::Gpu),
                Where::Sys => Places::Together(Scope::Sys),
                Where::All => Places::All,
            })
            .collect();
        Variations {
            language,
            orders,
            scopes,
            mixed_scopes: self.mixed_scopes,
            places,
            caches: self.caches(),
            spaces: self.spaces(),
        }
    }

    fn caches(&self) -> Vec<CacheOperator> {
        let operator = |cache: &AccessCache| match cache {
            AccessCache::Ca => CacheOperator::Ca,
            AccessCache::Cg => CacheOperator::Cg,
            AccessCache::Cv => CacheOperator::Cv,
            AccessCache::Wb => CacheOperator::Wb,
            AccessCache::Wt => CacheOperator::Wt,
        };
        // In the order of all operators, each once, whatever the order of the options.
        let asked: Vec<CacheOperator> = self.caches.iter().map(operator).collect();
        let asked = if asked.is_empty() { vec![CacheOperator::Cg] } else { asked };
        CacheOperator::ALL.into_iter().filter(|operator| asked.contains(operator)).collect()
    }

    fn spaces(&self) -> Vec<Space> {
        let all = [(LocationSpace::Global, Space::Global), (LocationSpace::Shared, Space::Shared)];
        let is_asked = |space: LocationSpace| {
            self.spaces.contains(&space) || self.spaces.is_empty() && space == LocationSpace::Global
        };
        all.into_iter().filter(|(asked, _)| is_asked(*asked)).map(|(_, space)| space).collect()
    }
}

pub fn run(options: &GenArguments, output: &Output) -> CommandOutcome {
    let in_2015 = options.language == TestLanguage::Ptx2015;
    let of_2015 =
        [("--caches", !options.caches.is_empty()), ("--spaces", !options.spaces.is_empty())];
    if let Some((option, _)) = of_2015.iter().find(|(_, given)| *given && !in_2015) {
        let error =
            Diagnostic::error(format!("{option} is for --language ptx-2015, whose tests say it"));
        return output.wrong(&[error.help("add --language ptx-2015")]);
    }
    if options.places.contains(&Where::Warp) && !in_2015 {
        let error = Diagnostic::error(
            "--places warp is for --language ptx-2015: elsewhere a warp orders nothing",
        );
        return output.wrong(&[error.help("write --places cta, or add --language ptx-2015")]);
    }
    if let (true, Some(folder)) = (options.shapes, &options.out) {
        return shapes::run(folder, output);
    }
    if let (Some(table), Some(folder)) = (&options.published, &options.out) {
        return shapes::published(table, folder, output);
    }
    let asked = generated::GenerationOptions {
        out: options.out.clone(),
        count: options.count,
        seed: options.seed,
    };
    generated::run(&options.selection(), &asked, output)
}
