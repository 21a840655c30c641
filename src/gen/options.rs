//! Options of `gen`, and what they select.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use margay_litmus::cycle::{Cycle, Direction, Edge, Language, LinkKind, NAMES, Places, Sizes, Variations};
use margay_litmus::identity::classic::CLASSICS;
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::{Order, Scope};

/// Options of `gen`.
#[derive(Debug, Args)]
pub struct Gen {
    /// Cycles, each in one argument, e.g. "PodWW Rfe PodRR Fre" [default: all cycles of --edges]
    #[arg(value_name = "CYCLE", conflicts_with_all = ["edges", "size", "threads", "seed"])]
    pub cycles: Vec<String>,
    /// Make cycles of these edges; `*` stands for any letters
    #[arg(long, value_name = "EDGE,..", value_delimiter = ',', default_value = "Rfe,Fre,Coe,Pod**")]
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
    /// Orders of accesses: each access has any of those that it may have [default: weak; in C relaxed]
    #[arg(long, value_enum, value_name = "ORDER,..", value_delimiter = ',')]
    pub orders: Vec<AccessOrder>,
    /// Scopes of accesses and fences, one for a test [default: gpu]
    #[arg(long, value_enum, value_name = "SCOPE,..", value_delimiter = ',')]
    pub scopes: Vec<AccessScope>,
    /// Any scope for each access and fence
    #[arg(long)]
    pub mixed_scopes: bool,
    /// Where the threads run: in one cta, in ctas of a cluster or gpu, on gpus of the system; `all` for every division
    #[arg(long, value_enum, value_name = "WHERE,..", value_delimiter = ',', default_value = "gpu")]
    pub places: Vec<Where>,
    /// The language of the tests
    #[arg(long, value_enum, value_name = "NAME", default_value_t = TestLanguage::Ptx)]
    pub language: TestLanguage,
    /// Stop after so many tests
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Draw cycles and annotations at random; the same seed draws the same tests
    #[arg(long, value_name = "S", requires = "count")]
    pub seed: Option<u64>,
    /// Instead: the classic shapes in PTX and scoped C, with every annotation, scope and placement (1,760 tests)
    #[arg(long, requires = "out", conflicts_with_all = ["cycles", "edges", "only", "without", "size", "threads", "orders", "scopes",
        "mixed_scopes", "places", "language", "count", "seed"])]
    pub shapes: bool,
    /// Write the tests and an index into this folder [default: on standard output]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Orders of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AccessOrder {
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

/// Where threads run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Where {
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
    /// Scoped C.
    #[value(alias = "c++", alias = "cpp")]
    C,
    /// Without orders and scopes, for sc and tso.
    Generic,
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |t: &str| t.parse::<usize>().map_err(|_| format!("`{t}` is no number; expected e.g. `4` or `3..6`"));
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

/// What is to be generated.
pub struct Plan {
    /// Cycles given; without, all of `edges`.
    pub cycles: Vec<Cycle>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// The sizes of cycles.
    pub sizes: Sizes,
    /// Orders, scopes and places.
    pub variations: Variations,
    only: Vec<&'static str>,
    without: Vec<&'static str>,
}

impl Plan {
    /// May there be tests of this shape?
    pub fn keeps(&self, shape: Option<&'static str>) -> bool {
        (self.only.is_empty() || shape.is_some_and(|s| self.only.contains(&s)))
            && !shape.is_some_and(|s| self.without.contains(&s))
    }
}

/// Edges and shapes of a filter.
fn filter(option: &str, words: &[String]) -> Result<(Vec<Edge>, Vec<&'static str>), Diagnostic> {
    let (mut edges, mut shapes) = (Vec::new(), Vec::new());
    for word in words {
        if let Some(classic) = CLASSICS.iter().find(|c| c.name == word) {
            shapes.push(classic.name);
        } else {
            let found = Edge::matching(word).map_err(|e| {
                let near = margay_models::diagnostic::nearest(word, CLASSICS.iter().map(|c| c.name));
                let help = near.filter(|_| e.near.is_none()).map_or_else(|| e.help(), |near| format!("did you mean `{near}`?"));
                Diagnostic::error(format!("`{word}` in {option} is neither an edge nor a shape")).help(help)
            })?;
            edges.extend(found);
        }
    }
    Ok((edges, shapes))
}

impl Gen {
    /// What the options select.
    pub fn plan(&self) -> Result<Plan, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        for pattern in &self.edges {
            match Edge::matching(pattern) {
                Ok(found) => edges.extend(found),
                Err(e) => errors.push(Diagnostic::error(e.to_string()).help(e.help())),
            }
        }
        let mut filters = Vec::new();
        for (option, words) in [("--only", &self.only), ("--without", &self.without)] {
            match filter(option, words) {
                Ok(found) => filters.push(found),
                Err(e) => errors.push(e),
            }
        }
        let cycles = self.written(&mut errors);
        let [(only, only_shapes), (without, without_shapes)] = &filters[..] else { return Err(errors) };
        let language = match self.language {
            TestLanguage::Ptx => Language::Ptx,
            TestLanguage::C => Language::C,
            TestLanguage::Generic => Language::Generic,
        };
        let excluded = |e: &Edge| without.contains(e) || !only.is_empty() && !only.contains(e);
        for (cycle, edge) in cycles.iter().flat_map(|c| c.edges().iter().filter(|e| excluded(e)).map(move |e| (c, e))) {
            errors.push(Diagnostic::error(format!("the cycle `{cycle}` has `{edge}`, which the filters leave out")));
        }
        edges.retain(|e| !excluded(e));
        // In the order of all edges: the same tests whatever the order of the options.
        edges.sort();
        edges.dedup();
        if cycles.is_empty() {
            let external = edges.iter().any(|e| e.external());
            let link = edges.iter().any(|e| matches!(e, Edge::Link { .. }));
            if let Some(both) = only.iter().find(|e| without.contains(e)) {
                errors.push(Diagnostic::error(format!("`{both}` is in --only and in --without")));
            } else if !external || !link {
                let missing = if external { "within a thread (Pod, Dp, Fence ..)" } else { "between threads (Rfe, Fre, Coe)" };
                errors.push(
                    Diagnostic::error(format!("--edges, --only and --without leave no edge {missing}"))
                        .help("a cycle needs edges of both kinds"),
                );
            }
        }
        if let Some(both) = only_shapes.iter().find(|s| without_shapes.contains(s)) {
            errors.push(Diagnostic::error(format!("`{both}` is in --only and in --without")));
        }
        let variations = self.variations(language);
        for (direction, name) in [(Direction::R, "read"), (Direction::W, "write")] {
            if !variations.orders.iter().any(|&o| language.has(direction, o)) {
                let legal = match (language, direction) {
                    (Language::Generic, _) => "weak",
                    (Language::Ptx, Direction::R) => "weak, relaxed or acquire",
                    (Language::Ptx, Direction::W) => "weak, relaxed or release",
                    (Language::C, Direction::R) => "weak, relaxed, acquire or sc",
                    (Language::C, Direction::W) => "weak, relaxed, release or sc",
                };
                errors.push(
                    Diagnostic::error(format!("no order in --orders is one that a {name} may have")).help(format!("add {legal}")),
                );
            }
        }
        let barrier = |e: &Edge| matches!(e, Edge::Link { kind: LinkKind::Barrier, .. });
        if language != Language::Ptx && (edges.iter().any(barrier) || cycles.iter().any(|c| c.edges().iter().any(barrier))) {
            errors.push(
                Diagnostic::error("`BarSync` is an edge of PTX: C and generic tests have no barriers").help("leave it out"),
            );
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let sizes = Sizes { edges: self.size.clone(), threads: self.threads.clone() };
        Ok(Plan { cycles, edges, sizes, variations, only: only_shapes.clone(), without: without_shapes.clone() })
    }

    /// The cycles on the command line.
    fn written(&self, errors: &mut Vec<Diagnostic>) -> Vec<Cycle> {
        let mut cycles = Vec::new();
        // One edge is no cycle: several arguments of one edge each are a cycle that the shell has taken apart.
        let apart = self.cycles.len() > 1 && self.cycles.iter().all(|c| c.parse::<Edge>().is_ok());
        if apart {
            let cycle = self.cycles.join(" ");
            let error = Diagnostic::error("a cycle is one argument, and each of these is one edge");
            errors.push(error.help(format!("put it into quotation marks: `margay gen \"{cycle}\"`")));
        }
        for text in &self.cycles {
            let edges: Result<Vec<Edge>, _> = text.split_whitespace().map(str::parse).collect();
            match edges {
                Ok(edges) => match Cycle::new(&edges) {
                    Ok(cycle) => cycles.push(cycle),
                    Err(_) if apart => {}
                    Err(e) => errors.push(Diagnostic::error(format!("`{text}` is no cycle: {e}")).help(NAMES)),
                },
                Err(e) => errors.push(Diagnostic::error(format!("{e} (in `{text}`)")).help(e.help())),
            }
        }
        cycles
    }

    fn variations(&self, language: Language) -> Variations {
        let mut orders: Vec<Order> = (self.orders.iter())
            .map(|o| match o {
                AccessOrder::Weak => Order::Plain,
                AccessOrder::Relaxed => Order::Rlx,
                AccessOrder::Acquire => Order::Acq,
                AccessOrder::Release => Order::Rel,
                AccessOrder::Sc => Order::Sc,
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
                Where::Cta => Places::Together(Scope::Cta),
                Where::Cluster => Places::Together(Scope::Cluster),
                Where::Gpu => Places::Together(Scope::Gpu),
                Where::Sys => Places::Together(Scope::Sys),
                Where::All => Places::All,
            })
            .collect();
        Variations { language, orders, scopes, mixed_scopes: self.mixed_scopes, places }
    }
}
