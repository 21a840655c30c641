//! The environments in which applications run: memories of the machine of the CPU, and on a GPU
//! those of PLDI 2016, section 4.2.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use margay_machine::{MemoryKind, ReorderedPair};
use margay_runner::emit::Stress;

/// The memories of the machine of the CPU in which an application may be wrong that is right in
/// order: the weak one, and those that reorder one kind of pairs.
const MEMORIES: [MemoryKind; 5] = [
    MemoryKind::Weak,
    MemoryKind::Reordering(ReorderedPair::StoreStore),
    MemoryKind::Reordering(ReorderedPair::StoreLoad),
    MemoryKind::Reordering(ReorderedPair::LoadLoad),
    MemoryKind::Reordering(ReorderedPair::LoadStore),
];

/// One of the eight environments of the paper: `sys-str+`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationEnvironment {
    /// `no-str-`
    pub name: String,
    /// What the stressing blocks do; nothing where there are none.
    pub(crate) stress: Option<Stress>,
    /// Do blocks and warps change places?
    pub(crate) shuffle: bool,
}

/// The kinds of stress, as the paper calls them.
const KINDS: [(&str, Option<Stress>); 4] = [
    ("no-str", None),
    ("sys-str", Some(Stress::Sequence)),
    ("rand-str", Some(Stress::Random)),
    ("cache-str", Some(Stress::Cache)),
];

/// All environments, in the order of the paper.
pub(crate) fn environments() -> Vec<ApplicationEnvironment> {
    let of = |(name, stress): &(&str, Option<Stress>)| {
        [("-", false), ("+", true)].map(|(sign, shuffle)| ApplicationEnvironment {
            name: format!("{name}{sign}"),
            stress: *stress,
            shuffle,
        })
    };
    KINDS.iter().flat_map(of).collect()
}

/// A GPU, and how applications run on it.
#[derive(Debug, Clone)]
pub struct GpuSettings {
    /// A file that `gpu tune` wrote, whose stress `sys-str` takes.
    pub profile: Option<PathBuf>,
    /// A run that takes longer has no end (the paper: 30 s).
    pub watchdog: Duration,
    pub environments: Vec<ApplicationEnvironment>,
}

/// An environment that is asked for by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedEnvironment {
    /// A memory of the machine of the CPU.
    OnCpu(MemoryKind),
    /// One of the eight on a GPU.
    OnGpu(ApplicationEnvironment),
}

/// A name of no environment; it says which there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchEnvironment;

impl fmt::Display for NoSuchEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<NamedEnvironment> = NamedEnvironment::all().collect();
        let names: Vec<&str> = all.iter().map(NamedEnvironment::name).collect();
        write!(f, "there is no such environment: {}", names.join(", "))
    }
}

impl std::error::Error for NoSuchEnvironment {}

impl NamedEnvironment {
    fn all() -> impl Iterator<Item = Self> {
        let on_gpu = environments().into_iter().map(Self::OnGpu);
        MEMORIES.map(Self::OnCpu).into_iter().chain(on_gpu)
    }

    pub fn from_name(name: &str) -> Result<Self, NoSuchEnvironment> {
        Self::all().find(|e| e.name() == name).ok_or(NoSuchEnvironment)
    }

    pub fn name(&self) -> &str {
        match self {
            Self::OnCpu(memory) => memory.name(),
            Self::OnGpu(environment) => &environment.name,
        }
    }

    pub fn is_on_gpu(&self) -> bool {
        matches!(self, Self::OnGpu(_))
    }
}

/// The memories that are named, each once; the weak one where none is.
pub fn memories(named: &[NamedEnvironment]) -> Vec<MemoryKind> {
    let named = once(named, |e| match e {
        NamedEnvironment::OnCpu(memory) => Some(*memory),
        NamedEnvironment::OnGpu(_) => None,
    });
    if named.is_empty() { vec![MemoryKind::Weak] } else { named }
}

/// The environments of a GPU that are named, each once; where none is, `all` of them or `sys-str+`.
pub fn on_gpu(named: &[NamedEnvironment], all: bool) -> Vec<ApplicationEnvironment> {
    let named = once(named, |e| match e {
        NamedEnvironment::OnGpu(environment) => Some(environment.clone()),
        NamedEnvironment::OnCpu(_) => None,
    });
    match named.is_empty() {
        false => named,
        true => environments().into_iter().filter(|e| all || e.name == "sys-str+").collect(),
    }
}

/// What is chosen of those that are named, without what was chosen before.
fn once<T: PartialEq>(
    named: &[NamedEnvironment],
    choose: impl Fn(&NamedEnvironment) -> Option<T>,
) -> Vec<T> {
    named.iter().filter_map(choose).fold(Vec::new(), |mut all, one| {
        if !all.contains(&one) {
            all.push(one);
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::{MemoryKind, NamedEnvironment, environments, memories, on_gpu};

    #[test]
    fn an_environment_that_is_named_twice_is_run_once() {
        let of = |names: &[&str]| -> Vec<_> {
            names.iter().map(|n| NamedEnvironment::from_name(n).expect("one")).collect()
        };
        let names = |all: bool, named: &[&str]| {
            on_gpu(&of(named), all).into_iter().map(|e| e.name).collect::<Vec<_>>()
        };
        assert_eq!(names(true, &["rand-str+", "no-str-", "rand-str+"]), ["rand-str+", "no-str-"]);
        assert_eq!(
            (names(false, &[]), on_gpu(&[], true)),
            (vec!["sys-str+".to_owned()], environments())
        );
        let named = |names: &[&str]| {
            memories(&of(names)).into_iter().map(MemoryKind::name).collect::<Vec<_>>()
        };
        assert_eq!(named(&["store-load", "weak", "store-load"]), ["store-load", "weak"]);
        assert_eq!(named(&[]), ["weak"]);
    }

    #[test]
    fn every_environment_has_a_name_of_its_own_and_is_found_by_it() {
        for name in [
            "weak",
            "store-store",
            "store-load",
            "load-load",
            "load-store",
            "no-str-",
            "cache-str+",
        ] {
            assert_eq!(
                NamedEnvironment::from_name(name).map(|e| e.name().to_owned()),
                Ok(name.to_owned())
            );
        }
        assert!(
            NamedEnvironment::from_name("sys-str")
                .map_err(|why| why.to_string())
                .is_err_and(|why| why.contains("store-store") && why.contains("sys-str+"))
        );
    }
}
