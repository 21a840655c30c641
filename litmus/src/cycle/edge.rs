//! Edges of cycles and their names: the candidate relaxations of diy (Alglave, Maranget, Sarkar,
//! Sewell: Fences in Weak Memory Models, CAV 2010; the diy7 manual), with PTX's fences in place of
//! a machine's.

use std::fmt;
use std::str::FromStr;

use margay_models::diagnostic::nearest;
use margay_models::execution::{Order, Scope};

/// A read or a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// A read.
    R,
    /// A write.
    W,
}

/// How one access communicates with another through a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Communication {
    /// The second reads from the first.
    Rf,
    /// The second writes after what the first has read.
    Fr,
    /// The second comes later in coherence order.
    Co,
}

/// What stands between two accesses of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkKind {
    /// Nothing: program order.
    Po,
    /// An address dependency.
    Addr,
    /// A data dependency.
    Data,
    /// A control dependency.
    Ctrl,
    /// A fence of an order, and of a scope if it has one of its own.
    Fence(Order, Option<Scope>),
    /// A barrier of the cta, `bar.sync`.
    Barrier,
    /// Nothing can: they are the two halves of a read-modify-write.
    Rmw,
}

/// One edge of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// `Rfe`, `Fre`, `Coe`; `Rfi`, `Fri`, `Coi` within a thread.
    Communication {
        kind: Communication,
        /// To another thread?
        external: bool,
    },
    /// `PodWR`, `DpAddrdR`, `FenceScsWW`, `BarSyncdWR`, `Rmw`: within a thread, in program order.
    Link {
        /// What stands between.
        kind: LinkKind,
        /// Do both access one location (`s`, else `d`)?
        same: bool,
        /// The first access.
        from: Direction,
        /// The second access.
        to: Direction,
    },
}

impl Edge {
    /// All edges, in the order in which cycles are made of them: communication, program order,
    /// dependencies, fences, barriers, read-modify-writes.
    pub fn all() -> Vec<Edge> {
        use Communication::{Co, Fr, Rf};
        use Direction::{R, W};
        let mut all = Vec::new();
        for external in [true, false] {
            all.extend([Rf, Fr, Co].map(|kind| Edge::Communication { kind, external }));
        }
        let pairs = [(W, W), (W, R), (R, W), (R, R)];
        for same in [false, true] {
            all.extend(pairs.map(|(from, to)| Edge::Link { kind: LinkKind::Po, same, from, to }));
        }
        for same in [false, true] {
            for (kind, to) in [
                (LinkKind::Addr, R),
                (LinkKind::Addr, W),
                (LinkKind::Data, W),
                (LinkKind::Ctrl, W),
                (LinkKind::Ctrl, R),
            ] {
                all.push(Edge::Link { kind, same, from: R, to });
            }
        }
        let scopes = [None].into_iter().chain(Scope::ALL.map(Some));
        for order in [Order::Sc, Order::AcqRel, Order::Acq, Order::Rel] {
            for scope in scopes.clone() {
                for same in [false, true] {
                    all.extend(pairs.map(|(from, to)| Edge::Link {
                        kind: LinkKind::Fence(order, scope),
                        same,
                        from,
                        to,
                    }));
                }
            }
        }
        for same in [false, true] {
            all.extend(pairs.map(|(from, to)| Edge::Link {
                kind: LinkKind::Barrier,
                same,
                from,
                to,
            }));
        }
        all.push(Edge::Link { kind: LinkKind::Rmw, same: true, from: R, to: W });
        all
    }

    /// The first access.
    pub fn from(self) -> Direction {
        match self {
            Self::Communication { kind: Communication::Fr, .. } => Direction::R,
            Self::Communication { .. } => Direction::W,
            Self::Link { from, .. } => from,
        }
    }

    /// The second access.
    pub fn to(self) -> Direction {
        match self {
            Self::Communication { kind: Communication::Rf, .. } => Direction::R,
            Self::Communication { .. } => Direction::W,
            Self::Link { to, .. } => to,
        }
    }

    /// Does it lead to another thread?
    pub fn external(self) -> bool {
        matches!(self, Self::Communication { external: true, .. })
    }

    /// Do both access one location?
    pub fn same_location(self) -> bool {
        !matches!(self, Self::Link { same: false, .. })
    }

    /// Is it from the read to the write of a read-modify-write?
    pub fn is_rmw(self) -> bool {
        matches!(self, Self::Link { kind: LinkKind::Rmw, .. })
    }

    /// The edges that a name or pattern stands for; `*` stands for any letters, `Wse` and `Wsi` for
    /// `Coe` and `Coi`, `MembarGl` for `FenceScGpu`, which is what `membar.gl` is (PTX ISA
    /// 9.7.13.4), and likewise `MembarCta` and `MembarSys`.
    ///
    /// # Errors
    /// If there is none: the nearest name, or all of them in short.
    pub fn matching(pattern: &str) -> Result<Vec<Edge>, UnknownEdge> {
        let alias = pattern.replace("Wse", "Coe").replace("Wsi", "Coi");
        let membars = MEMBARS.iter().filter(|_| alias.starts_with("Membar"));
        let is_membar = |edge: &str| {
            let mut names = membars.clone().filter_map(|(membar, fence)| {
                Some(format!("{membar}{}", edge.strip_prefix(fence)?))
            });
            names.any(|name| glob(&alias, &name))
        };
        let is_named = |e: &Edge| glob(&alias, &e.to_string()) || is_membar(&e.to_string());
        let found: Vec<Edge> = Self::all().into_iter().filter(is_named).collect();
        if found.is_empty() { Err(UnknownEdge::new(pattern)) } else { Ok(found) }
    }
}

/// A name that no edge has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEdge {
    pub name: String,
    /// A name that is nearly the same.
    pub near: Option<String>,
}

impl UnknownEdge {
    fn new(name: &str) -> Self {
        let mut all: Vec<String> = Edge::all()
            .iter()
            .map(Edge::to_string)
            .chain(["Wse".to_owned(), "Wsi".to_owned()])
            .collect();
        let membar = |(membar, fence): &(&str, &str), name: &str| {
            Some(format!("{membar}{}", name.strip_prefix(fence)?))
        };
        let membars: Vec<String> =
            MEMBARS.iter().flat_map(|m| all.iter().filter_map(|name| membar(m, name))).collect();
        all.extend(membars);
        let near = nearest(name, all.iter().map(String::as_str)).map(str::to_owned);
        Self { name: name.to_owned(), near }
    }

    /// What to do.
    pub fn help(&self) -> String {
        match &self.near {
            Some(near) => format!("did you mean `{near}`?"),
            None => NAMES.to_owned(),
        }
    }
}

impl fmt::Display for UnknownEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no edge `{}`", self.name)
    }
}

impl std::error::Error for UnknownEdge {}

/// All edges in short.
pub const NAMES: &str = "edges are Rfe Fre Coe (or Wse), Rfi Fri Coi, Pod and Pos with RR RW WR WW, DpAddr and DpCtrl with dR dW sR sW, \
                         DpData with dW sW, and Fence with Sc AcqRel Acq Rel, then Cta Cluster Gpu Sys or nothing, then d or s and RR \
                         RW WR WW (FenceScdWR, FenceAcqRelGpudWW), Membar with Cta Gl Sys likewise (MembarGldWW), BarSync likewise (BarSyncdWR), and Rmw; `*` stands for any letters";

/// Does a text match a pattern with `*`?
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            let after = after.trim_start_matches('*');
            (0..=rest.len())
                .filter(|&i| rest.is_char_boundary(i))
                .any(|i| glob_rest(after, &rest[i..]))
        }),
    }
}

fn glob_rest(pattern: &str, text: &str) -> bool {
    if pattern.is_empty() { text.is_empty() } else { glob(pattern, text) }
}

impl FromStr for Edge {
    type Err = UnknownEdge;

    /// Reads one name, without `*`.
    fn from_str(name: &str) -> Result<Self, UnknownEdge> {
        match Self::matching(name)?.as_slice() {
            [edge] if !name.contains('*') => Ok(*edge),
            _ => Err(UnknownEdge::new(name)),
        }
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Communication { kind, external } => {
                write!(f, "{kind:?}{}", if *external { 'e' } else { 'i' })
            }
            Self::Link { kind, same, from, to } => {
                let location = if *same { 's' } else { 'd' };
                match kind {
                    LinkKind::Rmw => write!(f, "Rmw"),
                    LinkKind::Barrier => write!(f, "BarSync{location}{from:?}{to:?}"),
                    LinkKind::Po => write!(f, "Po{location}{from:?}{to:?}"),
                    LinkKind::Addr | LinkKind::Data | LinkKind::Ctrl => {
                        write!(f, "Dp{kind:?}{location}{to:?}")
                    }
                    LinkKind::Fence(order, scope) => {
                        let scope = match scope {
                            None => "",
                            Some(Scope::Warp | Scope::Cta) => "Cta",
                            Some(Scope::Cluster) => "Cluster",
                            Some(Scope::Gpu) => "Gpu",
                            Some(Scope::Sys) => "Sys",
                        };
                        write!(f, "Fence{order:?}{scope}{location}{from:?}{to:?}")
                    }
                }
            }
        }
    }
}

/// The names of edges with `membar`, and those that they have with the fence that it is.
pub(super) const MEMBARS: [(&str, &str); 3] =
    [("MembarCta", "FenceScCta"), ("MembarGl", "FenceScGpu"), ("MembarSys", "FenceScSys")];
