//! Which cycles tests are made of: names of edges, shapes and cycles, what is kept and what is left
//! out.

use std::ops::ControlFlow;

use margay_models::diagnostic::Diagnostic;

use margay_models::execution::{Order, Scope};

use super::form_2015::has_edge;
use super::{
    Cycle, Direction, Edge, Family, Generated, Language, LinkKind, MemoryPath, NAMES, Places,
    Sizes, Variations, cycles, random,
};
use crate::identity::classic::CLASSICS;

/// After so many draws without a new test, there are no more to be expected.
const FRUITLESS: usize = 100_000;

/// What is asked for, by name. Errors name its parts as the options of `margay gen`.
#[derive(Debug, Clone)]
pub struct CycleSelection {
    /// Cycles; without, all of `edges`.
    pub cycles: Vec<String>,
    /// The edges; `*` stands for any letters.
    pub edges: Vec<String>,
    /// Only these edges, or tests of these shapes, are kept.
    pub only: Vec<String>,
    /// These edges, or tests of these shapes, are left out.
    pub without: Vec<String>,
    pub sizes: Sizes,
    /// Orders, scopes and places.
    pub variations: Variations,
}

/// What is to be generated.
#[derive(Debug, Clone)]
pub struct CyclePlan {
    /// Cycles given; without, all of `edges`.
    pub cycles: Vec<Cycle>,
    pub edges: Vec<Edge>,
    pub sizes: Sizes,
    /// Orders, scopes and places.
    pub variations: Variations,
    only: Vec<&'static str>,
    without: Vec<&'static str>,
}

impl CyclePlan {
    /// May there be tests of this shape?
    pub fn keeps(&self, shape: Option<&'static str>) -> bool {
        (self.only.is_empty() || shape.is_some_and(|s| self.only.contains(&s)))
            && !shape.is_some_and(|s| self.without.contains(&s))
    }

    /// Goes through the cycles, those given, all, or with a seed random ones, until it is to end.
    /// Hands on the tests of every shape.
    pub fn generate(
        &self,
        seed: Option<u64>,
        ended: &dyn Fn() -> bool,
        found: &mut impl FnMut(Generated) -> ControlFlow<()>,
    ) {
        let mut family = Family::new(self.variations.language);
        if let Some(seed) = seed {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut fruitless = 0;
            while fruitless < FRUITLESS && !ended() {
                fruitless += 1;
                let drawn = random(&self.edges, &self.sizes, &mut rng);
                let annotated = drawn.and_then(|cycle| self.variations.random(&cycle, &mut rng));
                if let Some(generated) = annotated.and_then(|a| family.add(a)) {
                    if self.keeps(generated.shape) {
                        fruitless = 0;
                    }
                    if found(generated).is_break() {
                        return;
                    }
                }
            }
        } else if self.cycles.is_empty() {
            let mut each = |cycle| {
                if ended() {
                    ControlFlow::Break(())
                } else {
                    family.add_each(&cycle, &self.variations, found)
                }
            };
            // Broken or not, that is all.
            let _ = cycles(&self.edges, &self.sizes, &mut each);
        } else {
            for cycle in &self.cycles {
                if family.add_each(cycle, &self.variations, found).is_break() {
                    return;
                }
            }
        }
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
                let near =
                    margay_models::diagnostic::nearest(word, CLASSICS.iter().map(|c| c.name));
                let help = near
                    .filter(|_| e.near.is_none())
                    .map_or_else(|| e.help(), |near| format!("did you mean `{near}`?"));
                Diagnostic::error(format!("`{word}` in {option} is neither an edge nor a shape"))
                    .help(help)
            })?;
            edges.extend(found);
        }
    }
    Ok((edges, shapes))
}

impl CycleSelection {
    /// The edges, shapes and cycles that it names.
    ///
    /// # Errors
    /// A name is of nothing, what is kept is left out as well, or no cycle can be made of what is
    /// left.
    pub fn plan(&self) -> Result<CyclePlan, Vec<Diagnostic>> {
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
        let [(only, only_shapes), (without, without_shapes)] = &filters[..] else {
            return Err(errors);
        };
        let language = self.variations.language;
        let excluded = |e: &Edge| without.contains(e) || !only.is_empty() && !only.contains(e);
        for (cycle, edge) in cycles
            .iter()
            .flat_map(|c| c.edges().iter().filter(|e| excluded(e)).map(move |e| (c, e)))
        {
            errors.push(Diagnostic::error(format!(
                "the cycle `{cycle}` has `{edge}`, which the filters leave out"
            )));
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
                let missing = if external {
                    "within a thread (Pod, Dp, Fence ..)"
                } else {
                    "between threads (Rfe, Fre, Coe)"
                };
                errors.push(
                    Diagnostic::error(format!(
                        "--edges, --only and --without leave no edge {missing}"
                    ))
                    .help("a cycle needs edges of both kinds"),
                );
            }
        }
        if let Some(both) = only_shapes.iter().find(|s| without_shapes.contains(s)) {
            errors.push(Diagnostic::error(format!("`{both}` is in --only and in --without")));
        }
        let variations = self.variations.clone();
        for (direction, name) in [(Direction::R, "read"), (Direction::W, "write")] {
            if !variations.orders.iter().any(|&o| language.has(direction, o)) {
                let legal = match (language, direction) {
                    (Language::Generic | Language::Ptx2015, _) => "weak",
                    (Language::Ptx, Direction::R) => "weak, relaxed or acquire",
                    (Language::Ptx, Direction::W) => "weak, relaxed or release",
                    (Language::C, Direction::R) => "weak, relaxed, acquire or sc",
                    (Language::C, Direction::W) => "weak, relaxed, release or sc",
                };
                errors.push(
                    Diagnostic::error(format!(
                        "no order in --orders is one that a {name} may have"
                    ))
                    .help(format!("add {legal}")),
                );
            }
        }
        let barrier = |e: &Edge| matches!(e, Edge::Link { kind: LinkKind::Barrier, .. });
        if language == Language::Ptx2015 {
            errors.extend(
                self.beyond_2015(edges.iter().chain(cycles.iter().flat_map(|c| c.edges()))),
            );
        }
        if matches!(language, Language::C | Language::Generic)
            && (edges.iter().any(barrier) || cycles.iter().any(|c| c.edges().iter().any(barrier)))
        {
            errors.push(
                Diagnostic::error(
                    "`BarSync` is an edge of PTX: C and generic tests have no barriers",
                )
                .help("leave it out"),
            );
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(CyclePlan {
            cycles,
            edges,
            sizes: self.sizes.clone(),
            variations,
            only: only_shapes.clone(),
            without: without_shapes.clone(),
        })
    }

    /// What the form of 2015 cannot say.
    fn beyond_2015<'a>(&self, mut edges: impl Iterator<Item = &'a Edge>) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        if let Some(edge) = edges.find(|e| !has_edge(e)) {
            let error = Diagnostic::error(format!(
                "the form of 2015 cannot say `{edge}`: its only fence is `membar`"
            ));
            errors.push(error.help("write MembarCta, MembarGl or MembarSys"));
        }
        let Variations { orders, scopes, places, caches, spaces, .. } = &self.variations;
        if orders.iter().any(|&order| order != Order::Plain) {
            errors.push(
                Diagnostic::error("accesses of 2015 have no orders")
                    .help("leave out --orders; --caches has their cache operators"),
            );
        }
        if scopes.contains(&Scope::Cluster) {
            errors.push(
                Diagnostic::error("`membar` has no cluster scope")
                    .help("the scopes are cta, gpu and sys"),
            );
        }
        if places.iter().any(|place| matches!(place, Places::Together(Scope::Cluster | Scope::Sys)))
        {
            let error = Diagnostic::error("a scope tree of 2015 has warps and ctas of one gpu");
            errors.push(error.help("the places are warp, cta, gpu and all"));
        }
        for (direction, name, legal) in
            [(Direction::R, "load", "ca, cg or cv"), (Direction::W, "store", "wb, cg or wt")]
        {
            if !caches.iter().any(|&cache| MemoryPath::has(direction, cache)) {
                let error = Diagnostic::error(format!(
                    "no operator in --caches is one that a {name} may have"
                ));
                errors.push(error.help(format!("add {legal}")));
            }
        }
        if spaces.is_empty() {
            errors.push(
                Diagnostic::error("no state space is left for locations")
                    .help("give --spaces global, shared, or both"),
            );
        }
        errors
    }

    /// The cycles on the command line.
    fn written(&self, errors: &mut Vec<Diagnostic>) -> Vec<Cycle> {
        let mut cycles = Vec::new();
        // One edge is no cycle: several arguments of one edge each are a cycle that the shell has
        // taken apart.
        let apart = self.cycles.len() > 1 && self.cycles.iter().all(|c| c.parse::<Edge>().is_ok());
        if apart {
            let cycle = self.cycles.join(" ");
            let error = Diagnostic::error("a cycle is one argument, and each of these is one edge");
            errors
                .push(error.help(format!("put it into quotation marks: `margay gen \"{cycle}\"`")));
        }
        for text in &self.cycles {
            let edges: Result<Vec<Edge>, _> = text.split_whitespace().map(str::parse).collect();
            match edges {
                Ok(edges) => match Cycle::new(&edges) {
                    Ok(cycle) => cycles.push(cycle),
                    Err(_) if apart => {}
                    Err(e) => errors
                        .push(Diagnostic::error(format!("`{text}` is no cycle: {e}")).help(NAMES)),
                },
                Err(e) => {
                    errors.push(Diagnostic::error(format!("{e} (in `{text}`)")).help(e.help()))
                }
            }
        }
        cycles
    }
}
