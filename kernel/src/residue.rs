//! What is left of a thread once all that is constant is computed: code in the words of litmus
//! tests, and where each piece came from.

use rustc_hash::FxHashMap;

use crate::alternatives::{with_joined_branches, without_repeated_ways};
use crate::correlated::without_correlated_branches;

/// Where a piece of code came from: the number of its function, and of the instruction there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The function in the module.
    pub function: usize,
    /// The instruction in the function.
    pub instruction: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CodePiece {
    /// Where jumps go to.
    Label(u32),
    /// A jump: with a register it is taken if that is not zero (`false`: if it is zero).
    Jump(Option<(String, bool)>, u32),
    /// The end of the thread.
    End,
    /// `bar.cta.sync 0`, with `, 64` where so many threads meet; or the barrier of some lanes of a
    /// warp.
    Barrier(String),
    /// Reads memory into a register.
    Read {
        /// The text but for register and location: `ld.weak.u32`.
        operation: String,
        /// The register.
        to: String,
        /// Where it reads.
        cell: MemoryCell,
    },
    /// Writes memory, or reads and writes it.
    Write {
        /// The text before the location: `st.weak.u32`, `atom.relaxed.gpu.cas.b32 r1,`.
        operation: String,
        /// Where.
        cell: MemoryCell,
        /// The operands behind it.
        operands: String,
        /// For a read-modify-write that leaves memory as it is if it reads a certain value, or
        /// (`false`) any other: the register, and the value.
        idle: Option<(String, Idle)>,
    },
    /// An operation on an mbarrier.
    Mbarrier(MbarrierPiece),
    /// An asynchronous operation on one cell begins.
    Issue(Issue),
    /// A group of asynchronous operations is made, or waited for.
    Group(String),
    /// `barrier.cluster.arrive`, perhaps `.relaxed`, or `barrier.cluster.wait`.
    ClusterBarrier(String),
    /// An instruction that leaves nothing in the code: where a thread went, for what is asked of
    /// barriers.
    Passed,
    /// Anything else.
    Other(String),
}

/// An operation on an mbarrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MbarrierPiece {
    /// The word: `mbarrier.arrive.release.cta`.
    pub operation: String,
    /// What stands before the location: a register, or `_`.
    pub to: Option<String>,
    pub cell: MemoryCell,
    /// What stands behind it.
    pub operands: String,
    pub how: MbarrierUse,
}

/// How an mbarrier is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MbarrierUse {
    /// It becomes one, or none.
    Initialise,
    /// An arrival, or bytes that are expected or come.
    Change,
    Wait,
}

impl MbarrierPiece {
    fn text(&self, place: &mut dyn FnMut(MemoryCell) -> String) -> String {
        let to = self.to.as_ref().map_or(String::new(), |to| format!(" {to},"));
        let operands =
            if self.operands.is_empty() { String::new() } else { format!(", {}", self.operands) };
        format!("{}{to} {}{operands}", self.operation, place(self.cell))
    }
}

/// An asynchronous operation on one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Issue {
    /// The word: `cp.async.ca.shared.global`.
    pub operation: String,
    /// What it writes.
    pub to: MemoryCell,
    pub source: IssueSource,
    /// How many bytes it is; with those of other cells that nobody asks about.
    pub bytes: u64,
    /// The mbarrier that it completes on; else it is one of a group.
    pub mbarrier: Option<MemoryCell>,
    /// Of the tensor map that it reads first, what others use.
    pub maps: Vec<MemoryCell>,
}

/// The words of copies that read a tensor map.
const TENSOR_LOAD: &str =
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
const TENSOR_STORE: &str = "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group";

/// What an asynchronous operation writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IssueSource {
    Cell(MemoryCell),
    /// An operand as litmus tests write it: a register or a number.
    Value(String),
    /// It writes no memory: a register takes what it reads, at the place that it names.
    Loaded(String),
}

/// Which groups an asynchronous operation is of, or what waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IssueFamily {
    Element,
    Bulk,
    Warpgroup,
    TensorLoad,
    TensorStore,
    TensorCore,
}

impl IssueFamily {
    /// That of an operation, or of a group, by its words.
    pub fn of(words: &str) -> Self {
        match words {
            w if w.starts_with("wgmma") => Self::Warpgroup,
            w if w.starts_with("tcgen05.ld") || w.starts_with("tcgen05.wait::ld") => {
                Self::TensorLoad
            }
            w if w.starts_with("tcgen05.st")
                || w.starts_with("tcgen05.wait::st")
                || w.starts_with("tcgen05.dealloc") =>
            {
                Self::TensorStore
            }
            w if w.starts_with("tcgen05") => Self::TensorCore,
            w if w.contains(".bulk") => Self::Bulk,
            _ => Self::Element,
        }
    }

    /// Does it access tensor memory?
    pub fn is_of_tensors(self) -> bool {
        matches!(self, Self::TensorLoad | Self::TensorStore | Self::TensorCore)
    }
}

impl Issue {
    /// The memory that it reads, if any.
    pub fn from(&self) -> Option<MemoryCell> {
        if let IssueSource::Cell(cell) = self.source { Some(cell) } else { None }
    }

    /// Which groups it is of.
    pub fn family(&self) -> IssueFamily {
        IssueFamily::of(&self.operation)
    }

    /// Is another one of a tensor core that accesses the same, so that one of them is enough where
    /// nothing is between them?
    pub fn repeats(&self, other: &Self) -> bool {
        let is_same = match (self.family(), &self.source, &other.source) {
            (IssueFamily::TensorCore, IssueSource::Cell(a), IssueSource::Cell(b)) => {
                match self.operation.starts_with("tcgen05.mma") {
                    true => self.to == other.to && other.operation.starts_with("tcgen05.mma"),
                    false => {
                        a == b
                            && self.operation == other.operation
                            && matches!(a.object, crate::layout::Object::Shared(..))
                    }
                }
            }
            (_, IssueSource::Loaded(_), IssueSource::Loaded(_)) => {
                self.to == other.to && self.operation == other.operation
            }
            _ => false,
        };
        is_same && self.mbarrier.is_none() && other.mbarrier.is_none()
    }

    /// Does it write the place that it names first?
    pub fn writes(&self) -> bool {
        !matches!(self.source, IssueSource::Loaded(_))
    }

    fn text(&self, place: &mut dyn FnMut(MemoryCell) -> String) -> String {
        let to = place(self.to);
        if let (IssueSource::Cell(from), false) = (&self.source, self.maps.is_empty()) {
            let (from, maps) =
                (place(*from), self.maps.iter().map(|&m| place(m)).collect::<Vec<_>>().join(", "));
            let bytes = self.bytes;
            return match self.mbarrier {
                Some(mbarrier) => format!(
                    "{TENSOR_LOAD} {to}, [{{{maps}}}, {from}], {bytes}, {}",
                    place(mbarrier)
                ),
                None => format!("{TENSOR_STORE} [{{{maps}}}, {to}], {from}, {bytes}"),
            };
        }
        match (self.operation.as_str(), &self.source) {
            ("tcgen05.ld", IssueSource::Loaded(register)) => {
                return format!("tcgen05.ld.sync.aligned.32x32b.x1.b32 {register}, {to}");
            }
            ("wgmma.mma_async", IssueSource::Loaded(register)) => {
                return format!("wgmma.mma_async.sync.aligned {{{register}}}, {to}");
            }
            ("tcgen05.st", IssueSource::Value(value)) => {
                return format!("tcgen05.st.sync.aligned.32x32b.x1.b32 {to}, {value}");
            }
            ("tcgen05.dealloc", _) => {
                return format!("tcgen05.dealloc.cta_group::1.sync.aligned.b32 {to}, 32");
            }
            ("tcgen05.cp", IssueSource::Cell(from)) => {
                return format!("tcgen05.cp.cta_group::1.128x256b {to}, {}", place(*from));
            }
            ("tcgen05.mma" | "tcgen05.mma.adds", IssueSource::Cell(from)) => {
                let (from, adds) = (place(*from), u8::from(self.operation.ends_with("adds")));
                return format!("tcgen05.mma.cta_group::1.kind::f16 {to}, {from}, {from}, {adds}");
            }
            _ => {}
        }
        let rest = match &self.source {
            IssueSource::Cell(from) => format!("{}, {}", place(*from), self.bytes),
            IssueSource::Value(value) | IssueSource::Loaded(value) => value.clone(),
        };
        let mbarrier = self.mbarrier.map_or(String::new(), |m| format!(", {}", place(m)));
        format!("{} {to}, {rest}{mbarrier}", self.operation)
    }
}

/// When a read-modify-write changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Idle {
    /// If it reads this: an exchange with what is there.
    Reads(i64),
    /// If it reads anything else: a compare-and-swap that fails.
    ReadsNot(i64),
    /// Always: `atom.add` of 0.
    Always,
}

/// Bytes of memory that threads share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryCell {
    /// The array.
    pub object: crate::layout::Object,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl MemoryCell {
    /// Do they have a byte in common?
    pub fn overlaps(&self, other: &Self) -> bool {
        self.object == other.object
            && self.offset < other.offset + other.bytes
            && other.offset < self.offset + self.bytes
    }
}

/// A piece of code and where it came from.
pub(crate) type Line = (CodePiece, Option<Origin>);

impl CodePiece {
    /// The registers that it reads.
    pub fn reads(&self) -> Vec<&str> {
        match self {
            Self::Jump(Some((register, _)), _) => vec![register],
            Self::Write { operands, .. } => words(operands).collect(),
            Self::Mbarrier(piece) => words(&piece.operands).collect(),
            Self::Issue(Issue { source: IssueSource::Value(value), .. }) => vec![value],
            Self::Other(text) if !text.starts_with("fence") => words(text).skip(2).collect(),
            _ => Vec::new(),
        }
    }

    /// The register that it writes.
    pub fn writes(&self) -> Option<&str> {
        match self {
            Self::Read { to, .. } => Some(to),
            Self::Write { operation, .. } => words(operation).nth(1),
            Self::Mbarrier(piece) => piece.to.as_deref().filter(|to| *to != "_"),
            Self::Other(text) if !text.starts_with("fence") => words(text).nth(1),
            _ => None,
        }
    }

    /// The memory that it names.
    pub fn cells(&self) -> Vec<MemoryCell> {
        match self {
            Self::Read { cell, .. } | Self::Write { cell, .. } => vec![*cell],
            Self::Mbarrier(piece) => vec![piece.cell],
            Self::Issue(issue) => {
                let named = [Some(issue.to), issue.from(), issue.mbarrier].into_iter().flatten();
                named.chain(issue.maps.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What it is as text, with names for places and labels.
    pub fn text(
        &self,
        place: &mut dyn FnMut(MemoryCell) -> String,
        label: &dyn Fn(u32) -> String,
    ) -> String {
        match self {
            Self::Label(of) => format!("{}:", label(*of)),
            Self::Jump(None, to) => format!("bra {}", label(*to)),
            Self::Jump(Some((register, true)), to) => format!("@{register} bra {}", label(*to)),
            Self::Jump(Some((register, false)), to) => format!("@!{register} bra {}", label(*to)),
            Self::End => "exit".to_owned(),
            Self::Passed => String::new(),
            Self::Barrier(text)
            | Self::ClusterBarrier(text)
            | Self::Group(text)
            | Self::Other(text) => text.clone(),
            Self::Read { operation, to, cell } => format!("{operation} {to}, {}", place(*cell)),
            Self::Write { operation, cell, operands, .. } => {
                format!("{operation} {}, {operands}", place(*cell))
            }
            Self::Mbarrier(piece) => piece.text(place),
            Self::Issue(issue) => issue.text(place),
        }
    }

    /// Reads one register in place of another.
    fn replace(&mut self, of: &str, by: &str) {
        let replaced = |text: &str, skip: usize| {
            let mut number = 0;
            let parts = text.split(' ').map(|part| {
                number += 1;
                match part.trim_end_matches(',') == of && number > skip {
                    true => format!("{by}{}", if part.ends_with(',') { "," } else { "" }),
                    false => part.to_owned(),
                }
            });
            parts.collect::<Vec<_>>().join(" ")
        };
        match self {
            Self::Jump(Some((register, _)), _) if register == of => by.clone_into(register),
            Self::Write { operands, .. } => *operands = replaced(operands, 0),
            Self::Mbarrier(piece) => piece.operands = replaced(&piece.operands, 0),
            Self::Issue(Issue { source: IssueSource::Value(value), .. }) if value == of => {
                by.clone_into(value)
            }
            Self::Other(text) if !text.starts_with("fence") => *text = replaced(text, 2),
            _ => {}
        }
    }
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',']).filter(|word| !word.is_empty())
}

/// Is it a register that nobody asks about at the end?
pub(crate) fn is_inner(word: &str) -> bool {
    word.strip_prefix(['r', 't'])
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Reads the source of a copy in place of the copy, and takes away what nothing reads.
fn simplify(code: &mut Vec<Line>) {
    let mut copies: Vec<(String, String)> = Vec::new();
    for (piece, _) in code.iter_mut() {
        if matches!(piece, CodePiece::Label(_)) {
            copies.clear();
        }
        for (of, by) in &copies {
            piece.replace(of, by);
        }
        let Some(to) = piece.writes().map(str::to_owned) else { continue };
        copies.retain(|(of, by)| *of != to && *by != to);
        if let CodePiece::Other(text) = piece
            && text.starts_with("mov")
            && let Some(from) = words(text).nth(2).filter(|from| is_inner(from) && **from != to)
        {
            copies.push((to, from.to_owned()));
        }
    }
    loop {
        let read: rustc_hash::FxHashSet<String> =
            code.iter().flat_map(|(p, _)| p.reads()).map(str::to_owned).collect();
        let before = code.len();
        let is_dead = |p: &CodePiece| {
            matches!(p, CodePiece::Other(_))
                && p.writes().is_some_and(|to| is_inner(to) && !read.contains(to))
        };
        code.retain(|(p, _)| !is_dead(p));
        if code.len() == before {
            break;
        }
    }
    without_copies_of_results(code);
}

/// Has memory be read into the register that alone is to have the value: what stands in front of a
/// waiting loop is then what stands at the end of its rounds
/// (`s = load(); while (s != turn) s = load();`), as where compilers give registers their names.
fn without_copies_of_results(code: &mut Vec<Line>) {
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    code.iter()
        .flat_map(|(piece, _)| piece.reads())
        .for_each(|register| *count.entry(register).or_default() += 1);
    let target = |at: usize| {
        let (CodePiece::Read { .. } | CodePiece::Write { .. }, Some((CodePiece::Other(copy), _))) =
            (&code[at].0, code.get(at + 1))
        else {
            return None;
        };
        let result = code[at].0.writes()?;
        let all: Vec<&str> = words(copy).collect();
        let [word, to, from] = all[..] else { return None };
        let is_copy =
            word.starts_with("mov.") && from == result && [to, from].into_iter().all(is_inner);
        (is_copy && count.get(from) == Some(&1) && !code[at].0.reads().contains(&to))
            .then(|| to.to_owned())
    };
    let targets: Vec<(usize, String)> =
        (0..code.len()).filter_map(|at| target(at).map(|to| (at, to))).collect();
    for (at, register) in targets.into_iter().rev() {
        match &mut code[at].0 {
            CodePiece::Read { to, .. } => *to = register,
            CodePiece::Write { operation, idle, .. } => {
                let Some(word) = words(operation).next().map(str::to_owned) else { continue };
                *operation = format!("{word} {register},");
                if let Some((of, _)) = idle {
                    *of = register;
                }
            }
            _ => continue,
        }
        code.remove(at + 1);
    }
}

/// Where labels stand.
fn labels(code: &[Line]) -> FxHashMap<u32, usize> {
    let all = code.iter().enumerate().rev();
    all.filter_map(
        |(at, (piece, _))| {
            if let CodePiece::Label(label) = piece { Some((*label, at)) } else { None }
        },
    )
    .collect()
}

/// For each piece those that may come next; one behind the last piece is the end.
pub(crate) fn successors(code: &[Line]) -> Vec<Vec<usize>> {
    let labels = labels(code);
    let target = |label: u32| labels.get(&label).copied().unwrap_or(code.len());
    let next = |(at, (piece, _)): (usize, &Line)| match piece {
        CodePiece::End => Vec::new(),
        CodePiece::Jump(None, to) => vec![target(*to)],
        CodePiece::Jump(Some(_), to) => vec![at + 1, target(*to)],
        _ => vec![at + 1],
    };
    code.iter().enumerate().map(next).collect()
}

/// May a thread come to a place twice?
pub(crate) fn has_loop(code: &[Line]) -> bool {
    let next = successors(code);
    // Taken away are places that nothing is behind, until none is left, or all that are left are on
    // a way to a loop.
    let mut open: Vec<usize> =
        next.iter().map(|to| to.iter().filter(|&&to| to < code.len()).count()).collect();
    let mut before = vec![Vec::new(); code.len()];
    for (at, to) in next.iter().enumerate() {
        to.iter().filter(|&&to| to < code.len()).for_each(|&to| before[to].push(at));
    }
    let mut ended: Vec<usize> = (0..code.len()).filter(|&at| open[at] == 0).collect();
    let mut gone = 0;
    while let Some(at) = ended.pop() {
        gone += 1;
        for &from in &before[at] {
            open[from] -= 1;
            if open[from] == 0 {
                ended.push(from);
            }
        }
    }
    gone < code.len()
}

/// Where a thread that comes to a place goes on: past labels and jumps that nothing decides; `None`
/// where it ends.
fn comes_to(code: &[Line], labels: &FxHashMap<u32, usize>, from: usize) -> Option<usize> {
    let mut at = from;
    // A jump to itself comes to nothing else.
    for _ in 0..=code.len() {
        match code.get(at).map(|(piece, _)| piece) {
            None | Some(CodePiece::End) => return None,
            Some(CodePiece::Label(_)) => at += 1,
            Some(CodePiece::Jump(None, to)) => at = *labels.get(to)?,
            Some(_) => return Some(at),
        }
    }
    Some(from)
}

/// Takes away jumps that lead, over other ones, where the thread goes on anyway, and ends it where
/// a jump only leads to its end.
fn without_detours(code: &mut Vec<Line>) {
    let mut detours = vec![false; code.len()];
    // Labels stay where they are until the end.
    let labels = labels(code);
    for at in 0..code.len() {
        let CodePiece::Jump(guard, to) = &code[at].0 else { continue };
        let Some(&label) = labels.get(to) else { continue };
        let target = comes_to(code, &labels, label);
        match guard {
            None if target.is_none() => code[at].0 = CodePiece::End,
            Some(_) => detours[at] = target == comes_to(code, &labels, at + 1),
            None => {}
        }
    }
    let mut number = 0;
    code.retain(|_| {
        number += 1;
        !detours[number - 1]
    });
}

/// Has a jump lead at once where one that it alone comes to leads, and all that come to a jump back
/// lead back themselves: a round of a loop that goes back from within a branch ends with that
/// branch.
fn without_stopovers(code: &mut [Line]) {
    let labels = labels(code);
    let mut jumps: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (at, (piece, _)) in code.iter().enumerate() {
        if let CodePiece::Jump(_, to) = piece {
            jumps.entry(*to).or_default().push(at);
        }
    }
    for (to, all) in jumps {
        let Some(&label) = labels.get(&to) else { continue };
        let is_alone = label
            .checked_sub(1)
            .is_some_and(|n| matches!(code[n].0, CodePiece::End | CodePiece::Jump(None, _)));
        let Some((CodePiece::Jump(None, further), _)) = code.get(label + 1).filter(|_| is_alone)
        else {
            continue;
        };
        let further = *further;
        if further == to || all.len() > 1 && labels.get(&further).is_none_or(|&head| head > label) {
            continue;
        }
        for at in all {
            if let CodePiece::Jump(_, target) = &mut code[at].0 {
                *target = further;
            }
        }
    }
}

/// Takes away labels that nothing goes to, jumps to what follows, and copies of registers.
pub(crate) fn tidy(mut code: Vec<Line>) -> Vec<Line> {
    code.retain(|(p, _)| *p != CodePiece::Passed);
    simplify(&mut code);
    loop {
        let before = code.len();
        without_detours(&mut code);
        without_stopovers(&mut code);
        without_correlated_branches(&mut code);
        without_repeated_ways(&mut code);
        with_joined_branches(&mut code);
        let mut used = rustc_hash::FxHashSet::default();
        let follows = |code: &[Line], at: usize, to: u32| {
            code[at + 1..]
                .iter()
                .take_while(|(p, _)| matches!(p, CodePiece::Label(_)))
                .any(|(p, _)| *p == CodePiece::Label(to))
        };
        let idle: Vec<bool> = (0..code.len())
            .map(|at| matches!(code[at].0, CodePiece::Jump(_, to) if follows(&code, at, to)))
            .collect();
        let mut number = 0;
        code.retain(|_| {
            number += 1;
            !idle[number - 1]
        });
        used.extend(
            code.iter()
                .filter_map(|(p, _)| if let CodePiece::Jump(_, to) = p { Some(*to) } else { None }),
        );
        code.retain(|(p, _)| !matches!(p, CodePiece::Label(label) if !used.contains(label)));
        // An end before the end is needed only where something follows.
        while code.last().is_some_and(|(p, _)| *p == CodePiece::End) {
            code.pop();
        }
        // What stands behind a jump or an end, and before a label, is never come to.
        let mut dead = false;
        code.retain(|(p, _)| {
            if matches!(p, CodePiece::Label(_)) {
                dead = false;
            }
            let keep = !dead;
            if matches!(p, CodePiece::End | CodePiece::Jump(None, _)) {
                dead = true;
            }
            keep
        });
        if code.len() == before {
            return code;
        }
    }
}

/// Lines of no instruction, for tests.
#[cfg(test)]
pub(crate) mod lines {
    use super::{CodePiece, Line};

    pub fn other(text: &str) -> Line {
        (CodePiece::Other(text.to_owned()), None)
    }

    pub fn jump(register: &str, when: bool, to: u32) -> Line {
        (CodePiece::Jump(Some((register.to_owned(), when)), to), None)
    }
}
