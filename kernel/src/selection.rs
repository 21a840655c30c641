//! Which launches are chosen for a kernel where none is named: by what it reads. Threads that
//! cannot tell each other apart do the same, to the same places: a kernel that never asks which
//! thread it is, is not written for several threads in a block.

use margay_ptx::asynchronous::{AsyncEffect, MbarrierEffect};
use margay_ptx::effect::{Effect, MemoryScope, Window};
use margay_ptx::{Instruction, Operand, RegisterId, StateSpace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::FunctionFlow;
use crate::flow::leaves;
use crate::launch::{CHOSEN, Launch, MAX_THREADS, SMALL};
use crate::limits::PlaceLimits;
use crate::parameter::made_of;
use crate::question::KernelQuestion;
use crate::reached::reached;
use crate::thread::PreparedModule;

/// How a kernel tells threads of a block, or blocks, apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdentityUse {
    /// It does not ask.
    Unread,
    /// It only asks whether it is one of a few: so many do different things, and all others the
    /// same as the last.
    Roles(u32),
    /// In any other way, or they meet.
    Read,
}

impl IdentityUse {
    /// Is a kernel asked about with so many?
    fn allows(self, count: u32) -> bool {
        match self {
            Self::Unread => count == 1,
            Self::Roles(most) => count <= most,
            Self::Read => true,
        }
    }
}

/// By what the launches are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchSelection {
    /// Were they named? Then those are asked about, whatever the kernel reads.
    pub named: bool,
    /// How it tells the threads of a block apart.
    pub threads: IdentityUse,
    /// How it tells blocks apart.
    pub blocks: IdentityUse,
    /// How many blocks are in a cluster: as many as `.reqnctapercluster` says, 2 where the kernel
    /// asks for its place in a cluster, else 1.
    pub cluster: u32,
    /// Must clusters have so many blocks?
    pub cluster_is_required: bool,
    /// Does it ask how many threads a block has? Else it may be written for a number of its own.
    pub reads_size: bool,
    /// The most threads of a block, where the kernel says it (`.maxntid`).
    pub most_threads: Option<[u32; 3]>,
    /// Do threads meet at mbarriers, or at barriers that say how many arrive?
    pub meets_by_count: bool,
    /// Does it ask for y of a thread, and of a block, and not for z? Libraries compute with all
    /// three for blocks of any shape. Of a thread also where it asks for y and z of both.
    pub has_rows: [bool; 2],
    /// Where it asks for z of a thread, the smallest block with two threads in each dimension that
    /// it asks for.
    pub layers: Option<[u32; 3]>,
    /// And for z of a block?
    pub has_stacks: bool,
    /// The first dimension of a grid that it asks for.
    pub blocks_along: usize,
    /// How many threads a block has in which some stand behind each number that the kernel compares
    /// the place of a thread with, or divides it by; nothing where the other launches have such.
    pub widest: Option<u32>,
    /// What it multiplies the number of a block with: how many threads its blocks have, where it
    /// does not ask.
    pub block_width: Option<u32>,
    /// What it multiplies y of a thread with: how many threads a row of its blocks has, where it
    /// does not ask.
    pub row_width: Option<u32>,
}

/// Blocks behind each other.
const STACK: [u32; 3] = [1, 1, 2];

/// Registers that say how many threads a block has, or where a thread is in its warp: who reads
/// them is one of several.
const OF_THREADS: [&str; 4] = ["ntid", "laneid", "lanemask", "warpid"];

/// The same of blocks.
const OF_BLOCKS: [&str; 3] = ["nctaid", "cluster", "ncluster"];

/// Instructions at which threads of a block meet.
const MEETINGS: [&str; 8] =
    ["bar", "barrier", "shfl", "vote", "match", "redux", "elect", "activemask"];

/// Threads of a block, or blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Threads,
    Blocks,
}

impl LaunchSelection {
    /// Where launches are named, of a kernel of which nothing is known.
    pub const NAMED: Self = Self {
        named: true,
        threads: IdentityUse::Read,
        blocks: IdentityUse::Read,
        cluster: 1,
        cluster_is_required: false,
        reads_size: true,
        most_threads: None,
        meets_by_count: false,
        has_rows: [false; 2],
        layers: None,
        has_stacks: false,
        blocks_along: 0,
        widest: None,
        block_width: None,
        row_width: None,
    };

    /// What is chosen for a kernel.
    pub(crate) fn of(question: &KernelQuestion<'_>, prepared: &PreparedModule<'_>) -> Self {
        // Blocks that must have several threads are of several threads, whatever they read.
        let required = question.module.functions[question.kernel]
            .required_threads
            .is_some_and(|r| r != [1, 1, 1]);
        let threads = if required { IdentityUse::Read } else { IdentityUse::Unread };
        let function = &question.module.functions[question.kernel];
        let cluster = function.required_cluster;
        let mut all = Self {
            named: !question.launches.is_empty(),
            threads,
            blocks: IdentityUse::Unread,
            cluster: cluster.map_or(1, |c| c[0]),
            cluster_is_required: cluster.is_some(),
            reads_size: false,
            most_threads: function.most_threads.filter(|_| function.required_threads.is_none()),
            meets_by_count: false,
            has_rows: [false; 2],
            layers: None,
            has_stacks: false,
            blocks_along: 0,
            widest: None,
            block_width: None,
            row_width: None,
        };
        let mut dimensions: FxHashSet<String> = FxHashSet::default();
        let mut has_turns = false;
        let reached = reached(prepared, question.kernel);
        let limits = PlaceLimits::of(question.module, &reached);
        let is_shared = |o: &Operand| matches!(o, Operand::Variable(id, _) if question.module.variable(*id).space == StateSpace::Shared);
        // That is asked of accesses for the threads of a block alone, where nobody says of what
        // memory they are.
        let is_doubtful = |effect: &Effect<'_>| match effect {
            Effect::Modify { access, .. } | Effect::Load { access, .. } => {
                access.window == Window::Generic && access.scope == Some(MemoryScope::Cta)
            }
            _ => false,
        };
        let has_doubtful =
            reached.iter().any(|&function| prepared.effects[function].iter().any(is_doubtful));
        let of_shared =
            if has_doubtful { made_of(prepared, &is_shared) } else { FxHashSet::default() };
        for function in reached {
            let body = question.module.functions[function].body.as_deref().unwrap_or(&[]);
            let asking: Vec<&Instruction> = without_unused_copies(body);
            all.read_widths(body);
            all.read(&asking);
            let names = asking.iter().flat_map(|i| leaves(&i.operands)).filter_map(|o| match o {
                Operand::Special(name) => Some(name.clone()),
                _ => None,
            });
            let of_shared = of_shared
                .iter()
                .filter(|(of, _)| *of == function)
                .map(|(_, register)| *register)
                .collect();
            let flow =
                FunctionFlow { body, effects: &prepared.effects[function], of_shared: &of_shared };
            let of_first = ["tid.y", "tid.z", "ctaid.y", "ctaid.z"]
                .map(|name| (name, flow.is_only_of_the_first(name)));
            dimensions.extend(names.filter(|name| !of_first.contains(&(name.as_str(), true))));
            for (at, (i, effect)) in body.iter().zip(&prepared.effects[function]).enumerate() {
                if MEETINGS.contains(&i.opcode.as_str()) {
                    all.threads = IdentityUse::Read;
                }
                all.meets_by_count |= matches!(
                    prepared.effects[function][at],
                    Effect::Barrier(_, _, Some(_))
                        | Effect::Async(AsyncEffect::Mbarrier(
                            _,
                            MbarrierEffect::Initialise { .. }
                        ))
                );
                if matches!(prepared.effects[function][at], Effect::Cluster(_)) && cluster.is_none()
                {
                    all.cluster = 2;
                }
                if i.opcode == "barrier" && i.has("cluster")
                    || prepared.is_in_loop(function, at) && flow.takes_a_lock(effect)
                {
                    all.blocks = IdentityUse::Read;
                }
            }
            if flow.has_a_doubtful_scope() {
                all.blocks = IdentityUse::Read;
            }
            has_turns |= flow.waits_for_a_turn(&|at| prepared.is_in_loop(function, at))
                || flow.writes_where_it_drew();
        }
        // Where threads are alike several blocks are asked about anyhow.
        if has_turns && all.threads != IdentityUse::Unread {
            all.blocks = IdentityUse::Read;
        }
        if dimensions.iter().any(|name| name.starts_with("cluster_")) && cluster.is_none() {
            all.cluster = 2;
        }
        let has = |name: &str| dimensions.contains(name);
        all.reads_size =
            dimensions.iter().any(|name| name.starts_with("ntid") || name.starts_with("nwarpid"));
        // Libraries ask for z, too, where they number the threads of blocks of any shape; but not
        // where a block lies in all three dimensions, as code does whose own index has three.
        let is_volume = ["tid.y", "tid.z", "ctaid.y", "ctaid.z"].into_iter().all(has);
        all.has_rows =
            [has("tid.y") && (is_volume || !has("tid.z")), has("ctaid.y") && !has("ctaid.z")];
        // Nor do they leave out y.
        let has_layers =
            is_volume || has("tid.z") && (!has("tid.y") || !has("ntid.z") && !has("ntid.y"));
        all.layers = has_layers
            .then(|| ["tid.x", "tid.y", "tid.z"].map(|name| if has(name) { 2 } else { 1 }));
        all.has_stacks = is_volume
            || has("ctaid.z") && (!has("ctaid.y") || !has("nctaid.z") && !has("nctaid.y"));
        all.blocks_along = ["ctaid.x", "ctaid.y", "ctaid.z"].into_iter().position(has).unwrap_or(0);
        all.widest = limits
            .block(CHOSEN.iter().map(|l| l.threads).max().unwrap_or(0))
            .filter(|_| all.threads == IdentityUse::Read);
        all
    }

    /// The smallest numbers that places of blocks and rows are multiplied with.
    fn read_widths(&mut self, body: &[Instruction]) {
        let mut copies: FxHashMap<RegisterId, &str> = FxHashMap::default();
        let mut numbers: FxHashMap<RegisterId, i64> = FxHashMap::default();
        for i in body {
            match (i.opcode.as_str(), i.operands.as_slice()) {
                ("mov", [Operand::Register(to), Operand::Special(name)]) => {
                    copies.insert(*to, name);
                }
                ("mov", [Operand::Register(to), Operand::Register(from)]) => {
                    if let Some(name) = copies.get(from).copied() {
                        copies.insert(*to, name);
                    }
                }
                ("mov", [Operand::Register(to), Operand::Integer(n)]) => {
                    numbers.insert(*to, *n as i64);
                }
                _ => {}
            }
        }
        let number = |o: &Operand| match o {
            Operand::Integer(n) => Some(*n as i64),
            Operand::Register(register) => numbers.get(register).copied(),
            _ => None,
        };
        fn asked<'a>(o: &'a Operand, copies: &FxHashMap<RegisterId, &'a str>) -> Option<&'a str> {
            match o {
                Operand::Register(register) => copies.get(register).copied(),
                Operand::Special(name) => Some(name.as_str()),
                _ => None,
            }
        }
        for i in body {
            let (opcode, [_, a, b, ..]) = (i.opcode.as_str(), i.operands.as_slice()) else {
                continue;
            };
            let (name, by) = match (asked(a, &copies), number(b), asked(b, &copies), number(a)) {
                (Some(name), Some(by), ..) => (name, by),
                (.., Some(name), Some(by)) if opcode != "shl" => (name, by),
                _ => continue,
            };
            let width = match opcode {
                "mul" | "mad" if !i.has("wide") && !i.has("hi") => u32::try_from(by).ok(),
                "shl" => u32::try_from(by).ok().and_then(|by| 1u32.checked_shl(by)),
                _ => None,
            };
            let kept = match name {
                "ctaid.x" | "ctaid.y" => &mut self.block_width,
                "tid.y" => &mut self.row_width,
                _ => continue,
            };
            *kept = width
                .filter(|width| *width > 1)
                .map_or(*kept, |width| Some(kept.map_or(width, |known| known.min(width))));
        }
    }

    /// What the instructions of a function read of their place in the launch.
    fn read(&mut self, body: &[&Instruction]) {
        let mut copies: FxHashMap<RegisterId, Axis> = FxHashMap::default();
        for i in body {
            if let ("mov", [Operand::Register(to), Operand::Special(name)]) =
                (i.opcode.as_str(), i.operands.as_slice())
                && let Some(axis) = number(name)
            {
                copies.insert(*to, axis);
                self.note(axis, IdentityUse::Roles(2));
            }
        }
        let axis_of = |o: &Operand| match o {
            Operand::Register(register) => copies.get(register).copied(),
            Operand::Special(name) => number(name),
            _ => None,
        };
        for i in body {
            let is_copy = matches!(
                (i.opcode.as_str(), i.operands.as_slice()),
                ("mov", [_, Operand::Special(_)])
            );
            let of = (i.opcode.as_str(), i.operands.as_slice());
            let is_equality = i.has("eq") || i.has("ne");
            for operand in leaves(&i.operands) {
                if let Operand::Special(name) = operand {
                    let has = |all: &[&str]| all.iter().any(|start| name.starts_with(start));
                    if has(&OF_THREADS) {
                        self.threads = IdentityUse::Read;
                    }
                    if has(&OF_BLOCKS) {
                        self.blocks = IdentityUse::Read;
                    }
                }
                let Some(axis) = axis_of(operand).filter(|_| !is_copy) else { continue };
                let role = match of {
                    ("setp", [_, a, Operand::Integer(n)]) if is_equality && a == operand => {
                        u32::try_from(*n).ok()
                    }
                    _ => None,
                };
                self.note(
                    axis,
                    role.map_or(IdentityUse::Read, |n| IdentityUse::Roles(n.saturating_add(2))),
                );
            }
        }
    }

    fn note(&mut self, axis: Axis, how: IdentityUse) {
        let of = match axis {
            Axis::Threads => &mut self.threads,
            Axis::Blocks => &mut self.blocks,
        };
        *of = how.max(*of);
    }

    /// Is a launch among those that are asked about?
    fn has(self, launch: Launch) -> bool {
        // Where all threads do the same, those of several blocks are looked at.
        let are_alike = (self.threads, self.blocks) == (IdentityUse::Unread, IdentityUse::Unread);
        self.threads.allows(launch.threads) && (are_alike || self.blocks.allows(launch.blocks))
    }

    /// The launches. Blocks that differ in x alone are no others where only y or z is asked for.
    pub(crate) fn launches(self, question: &KernelQuestion<'_>) -> Vec<Launch> {
        let mut found: Vec<Launch> = Vec::new();
        for mut launch in self.launches_along_x(question) {
            if !self.named && launch.cluster == 1 && self.blocks_along > 0 && launch.grid[0] > 1 {
                launch.grid.swap(0, self.blocks_along);
                launch = Launch::shaped([1, launch.grid[1], launch.grid[2]], launch.block);
            }
            if self.named || !found.contains(&launch) {
                found.push(launch);
            }
        }
        found
    }

    fn launches_along_x(self, question: &KernelQuestion<'_>) -> Vec<Launch> {
        if self.named {
            // Where a kernel says how many blocks are in a cluster, that need not be said again.
            let in_clusters = |l: &Launch| match self.cluster_is_required
                && l.cluster == 1
                && l.blocks.is_multiple_of(self.cluster.max(1))
            {
                true => l.in_clusters(self.cluster),
                false => *l,
            };
            return question.launches.iter().map(in_clusters).collect();
        }
        let function = &question.module.functions[question.kernel];
        let all = match (function.required_threads, function.most_threads) {
            (Some(shape), _) => {
                vec![Launch::shaped([1; 3], shape), Launch::shaped([2, 1, 1], shape)]
            }
            (None, Some(shape)) if self.is_of_one_size() => return self.of_one_size(shape),
            _ => CHOSEN.to_vec(),
        };
        if self.cluster > 1 {
            let in_clusters = |l: Launch| {
                Launch::shaped([l.blocks * self.cluster, 1, 1], l.block).in_clusters(self.cluster)
            };
            let one_thread = Launch::new(1, 1);
            let has_one = question.module.functions[question.kernel].required_threads.is_none();
            let all = has_one.then_some(one_thread).into_iter().chain(all);
            let fits = |l: &Launch| {
                l.blocks <= 2 && (l.threads == 1 || self.threads != IdentityUse::Unread)
            };
            let most = self.most_threads.map_or(u32::MAX, |shape| shape.iter().product());
            let narrow = |l: Launch| if l.threads > most { Launch::new(l.blocks, most) } else { l };
            let mut found: Vec<Launch> = Vec::new();
            for launch in
                all.filter(fits).map(narrow).map(in_clusters).filter(|l| l.total() <= MAX_THREADS)
            {
                if !found.contains(&launch) {
                    found.push(launch);
                }
            }
            return found;
        }
        let fixed = question.module.functions[question.kernel].required_threads.is_some();
        let [threads, blocks] = self.has_rows;
        if let Some(layers) = self.layers.filter(|_| !fixed) {
            let along = |n: usize| std::array::from_fn(|at| if at == n { 2 } else { 1 });
            let lines = (0..3).filter(|&n| layers[n] > 1).map(along).filter(|line| *line != layers);
            let all = lines.chain([layers]).map(|shape| Launch::shaped([1; 3], shape));
            let several = [[2, 1, 1], [2, 2, 1]].map(|grid| Launch::shaped(grid, layers));
            let grids = if blocks { 2 } else { usize::from(self.blocks != IdentityUse::Unread) };
            let stacked = self.has_stacks.then(|| Launch::shaped(STACK, layers));
            return all.chain(several.into_iter().take(grids)).chain(stacked).collect();
        }
        if !fixed && (threads || blocks) {
            // Tiles: blocks, and grids, of two by two and of four by four.
            let square = |rows: bool, n: u32| if rows { [n, n, 1] } else { [n, 1, 1] };
            let one = [1; 3];
            let small = square(threads, 2);
            let all = [
                Launch::shaped(one, small),
                Launch::shaped([2, 1, 1], small),
                Launch::shaped(square(blocks, 2), small),
            ];
            let stacked = self.has_stacks.then(|| Launch::shaped(STACK, small));
            let large = threads.then(|| Launch::shaped(one, [4, 4, 1])).into_iter().chain(stacked);
            let most = self.most_threads.map_or(u32::MAX, |shape| shape.iter().product());
            let mut found: Vec<Launch> = all
                .into_iter()
                .chain(large)
                .filter(|l| l.threads <= most && self.blocks.allows(l.blocks))
                .collect();
            found.dedup();
            return found;
        }
        // Where it says how many threads its blocks have, or have at most, they have no more.
        let width = self.block_width.filter(|width| !self.reads_size && *width > SMALL);
        let most = self.most_threads.map(|shape| shape.iter().product::<u32>());
        let limit = width.into_iter().chain(most).min().filter(|_| !fixed);
        let fitting = |l: Launch| match limit {
            Some(limit) if l.threads > limit => Launch::new(l.blocks, limit),
            _ => l,
        };
        let mut found: Vec<Launch> = Vec::new();
        let wide = self.widest.filter(|_| !fixed).map(|threads| Launch::new(1, threads));
        let stacked = self.has_stacks.then(|| {
            if fixed { all[0].block } else { [if self.threads.allows(2) { 2 } else { 1 }, 1, 1] }
        });
        let stacked = stacked.map(|block| Launch::shaped(STACK, block));
        for launch in all
            .iter()
            .copied()
            .chain(wide)
            .map(fitting)
            .chain(stacked)
            .filter(|&l| l.total() == 1 || self.has(l))
        {
            if !found.contains(&launch) {
                found.push(launch);
            }
        }
        found
    }

    /// What is passed for a number that nobody gives, and what it is in words: how many threads
    /// there are, or would be in a row of blocks as wide as the kernel takes them to be, where they
    /// are narrower.
    pub(crate) fn number(self, launch: Launch) -> (i64, String) {
        let width = self
            .block_width
            .filter(|width| !self.named && !self.reads_size && *width > launch.block[0]);
        let total = i64::from(launch.total());
        match width {
            Some(width) => {
                let blocks = launch.grid.into_iter().max().unwrap_or(1);
                let row = i64::from(width.saturating_mul(blocks));
                (
                    row.max(total),
                    format!("what blocks of {width} threads have in a row of the grid"),
                )
            }
            None => (total, "the number of threads".to_owned()),
        }
    }

    /// Is it written for blocks of one size? It never asks how many threads there are, and has
    /// roles for them that meet by counts.
    fn is_of_one_size(self) -> bool {
        self.meets_by_count && !self.reads_size
    }

    /// Has a launch the blocks of the one size that it is written for?
    pub(crate) fn is_its_size(self, launch: Launch) -> bool {
        self.is_of_one_size() && self.most_threads == Some(launch.block)
    }

    /// The launches of a kernel that is written for blocks of one size: a block and, where it asks
    /// which one it is in, two; or one cluster.
    fn of_one_size(self, shape: [u32; 3]) -> Vec<Launch> {
        if self.cluster > 1 {
            return vec![Launch::shaped([self.cluster, 1, 1], shape).in_clusters(self.cluster)];
        }
        let blocks = if self.blocks.allows(2) { 2 } else { 1 };
        (1..=blocks).map(|blocks| Launch::shaped([blocks, 1, 1], shape)).collect()
    }

    /// Do all threads the same?
    pub(crate) fn is_alike(self) -> bool {
        !self.named && (self.threads, self.blocks) == (IdentityUse::Unread, IdentityUse::Unread)
    }

    /// Why other launches were not asked about, in words; nothing where none was left out.
    pub fn why(self) -> Option<String> {
        if self.named {
            return None;
        }
        if self.is_alike() {
            return Some(
                "blocks of one thread: it asks neither which thread it is nor which block it is in"
                    .to_owned(),
            );
        }
        let most = |of: fn(&Launch) -> u32| CHOSEN.iter().map(of).max().unwrap_or(0);
        let threads = match self.threads {
            IdentityUse::Unread => {
                Some("blocks of one thread: it does not ask which thread it is".to_owned())
            }
            IdentityUse::Roles(n) if n < most(|l| l.threads) => {
                Some(format!("at most {n} threads in a block: others do the same"))
            }
            _ => None,
        };
        let blocks = match self.blocks {
            IdentityUse::Unread => {
                Some("one block: it does not ask which block it is in".to_owned())
            }
            IdentityUse::Roles(n) if n < most(|l| l.blocks) => {
                Some(format!("at most {n} blocks: others do the same"))
            }
            _ => None,
        };
        let clusters = (self.cluster > 1 && !self.cluster_is_required)
            .then(|| format!("clusters of {} blocks: it asks for its place in one", self.cluster));
        let blocks = blocks.filter(|_| self.cluster == 1);
        if let Some(shape) = self.most_threads.filter(|_| self.is_of_one_size()) {
            let threads = shape.iter().product::<u32>();
            let blocks = match self.cluster {
                0 | 1 => format!("blocks of {threads} threads"),
                cluster => format!("a cluster of {cluster} blocks of {threads} threads"),
            };
            return Some(format!(
                "{blocks}: it has roles for them, and does not ask how many there are"
            ));
        }
        if self.layers.is_some() && self.cluster == 1 {
            return Some("blocks of three dimensions: it asks for z".to_owned());
        }
        if self.has_rows != [false; 2] && self.cluster == 1 {
            let shape = "blocks or grids of two dimensions: it asks for y".to_owned();
            return Some(
                [Some(shape), blocks].into_iter().flatten().collect::<Vec<_>>().join("; "),
            );
        }
        let all: Vec<String> = threads.into_iter().chain(blocks).chain(clusters).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// The instructions of a function but for copies that nothing reads: code that is not optimised
/// copies all three numbers of a place where it asks for one.
fn without_unused_copies(body: &[Instruction]) -> Vec<&Instruction> {
    let target = |i: &Instruction| match (i.opcode.as_str(), i.operands.first()) {
        ("mov", Some(Operand::Register(to))) => Some(*to),
        _ => None,
    };
    let mut read: FxHashSet<RegisterId> = FxHashSet::default();
    loop {
        let before = read.len();
        for i in body {
            let copied = target(i);
            if copied.is_some_and(|to| !read.contains(&to)) {
                continue;
            }
            let from = if copied.is_some() { &i.operands[1..] } else { &i.operands[..] };
            read.extend(
                leaves(from)
                    .into_iter()
                    .filter_map(|o| if let Operand::Register(of) = o { Some(*of) } else { None }),
            );
        }
        if read.len() == before {
            return body.iter().filter(|i| target(i).is_none_or(|to| read.contains(&to))).collect();
        }
    }
}

/// Which number a special register holds.
fn number(name: &str) -> Option<Axis> {
    match name.split('.').next()? {
        "tid" => Some(Axis::Threads),
        "ctaid" => Some(Axis::Blocks),
        _ => None,
    }
}
