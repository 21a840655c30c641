//! The machine against the rules of the thesis (section 4.2) as they are printed: one transition
//! for each Murphi rule, with a queue for each address, a load pool, and the flags B, LS and GS. No
//! step is merged with another here.

use std::collections::{BTreeSet, HashSet};

use margay_litmus::read;
use margay_models::diagnostic::SourceFile;
use margay_runner::sim::{ExplorationLimits, MachineModel, SimulatedMachine};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Ins {
    Load { a: usize, reg: usize },
    Store { a: usize, data: i64 },
    Tf,
    Tfb,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Mem {
    data: i64,
    b: bool,
    ls: bool,
    gs: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    pc: Vec<usize>,
    reg: Vec<Vec<i64>>,
    pool: Vec<Vec<(usize, usize)>>,
    /// For each thread and address.
    queue: Vec<Vec<Vec<Ins>>>,
    mem: Vec<Vec<Mem>>,
}

struct Program {
    threads: Vec<Vec<Ins>>,
    block: Vec<usize>,
    /// For each address.
    global: Vec<bool>,
}

impl Program {
    fn successors(&self, s: &State) -> Vec<State> {
        let mut out = Vec::new();
        let (threads, addrs) = (self.threads.len(), self.global.len());
        for t in 0..threads {
            if let Some(&ins) = self.threads[t].get(s.pc[t]) {
                let mut n = s.clone();
                n.pc[t] += 1;
                match ins {
                    Ins::Load { a, .. } | Ins::Store { a, .. } => n.queue[t][a].push(ins),
                    Ins::Tf | Ins::Tfb => n.queue[t].iter_mut().for_each(|q| q.push(ins)),
                }
                out.push(n);
            }
            for a in 0..addrs {
                match s.queue[t][a].first() {
                    Some(&Ins::Store { data, .. }) if s.pool[t].iter().all(|&(b, _)| b != a) => {
                        let mut n = s.clone();
                        n.mem[t][a] = Mem { data, b: false, ls: false, gs: !self.global[a] };
                        n.queue[t][a].remove(0);
                        out.push(n);
                    }
                    Some(&Ins::Load { reg, .. }) => {
                        let mut n = s.clone();
                        n.pool[t].push((a, reg));
                        n.pool[t].sort_unstable();
                        n.queue[t][a].remove(0);
                        out.push(n);
                    }
                    _ => {}
                }
            }
            for i in 0..s.pool[t].len() {
                let (a, reg) = s.pool[t][i];
                let mut load = |from: usize| {
                    let mut n = s.clone();
                    n.reg[t][reg] = s.mem[from][a].data;
                    if from != t {
                        n.mem[t][a] =
                            Mem { data: s.mem[from][a].data, b: true, ls: true, gs: true };
                    }
                    n.pool[t].remove(i);
                    out.push(n);
                };
                load(t);
                for u in (0..threads).filter(|&u| u != t && !s.mem[t][a].b) {
                    let same = self.block[t] == self.block[u];
                    if (same && !s.mem[u][a].ls) || (!same && self.global[a] && !s.mem[u][a].gs) {
                        load(u);
                    }
                }
            }
            for a in 0..addrs {
                let m = s.mem[t][a];
                if self.global[a] && !m.gs {
                    let mut n = s.clone();
                    for u in (0..threads)
                        .filter(|&u| u != t && (!m.ls || self.block[u] != self.block[t]))
                    {
                        n.mem[u][a] = Mem { data: m.data, b: false, ls: true, gs: true };
                    }
                    n.mem[t][a] = Mem { ls: true, gs: true, ..m };
                    out.push(n);
                } else if !self.global[a] && !m.ls && !m.b {
                    let mut n = s.clone();
                    for u in (0..threads).filter(|&u| u != t && self.block[u] == self.block[t]) {
                        n.mem[u][a] = Mem { data: m.data, b: false, ls: true, gs: true };
                    }
                    n.mem[t][a] = Mem { ls: true, ..m };
                    out.push(n);
                }
            }
            for fence in [Ins::Tf, Ins::Tfb] {
                if s.pool[t].is_empty() && s.queue[t].iter().all(|q| q.first() == Some(&fence)) {
                    let mut n = s.clone();
                    n.queue[t].iter_mut().for_each(|q| {
                        q.remove(0);
                    });
                    for u in (0..threads).filter(|&u| u != t) {
                        let same = self.block[t] == self.block[u];
                        if fence == Ins::Tfb && !same {
                            continue;
                        }
                        for a in (0..addrs).filter(|&a| self.global[a] || same) {
                            let m = s.mem[t][a];
                            if !m.ls || (self.global[a] && !m.gs && !same) {
                                n.mem[u][a] = Mem { data: m.data, b: false, ls: true, gs: true };
                            }
                        }
                    }
                    for a in 0..addrs {
                        n.mem[t][a].ls = true;
                        n.mem[t][a].gs |= fence == Ins::Tf;
                    }
                    out.push(n);
                }
            }
        }
        out
    }

    /// The final values of all registers, and of all addresses once everything is shared.
    fn outcomes(&self) -> BTreeSet<Vec<i64>> {
        let addrs = self.global.len();
        let threads = self.threads.len();
        let start = State {
            pc: vec![0; threads],
            reg: vec![vec![0; 4]; threads],
            pool: vec![Vec::new(); threads],
            queue: vec![vec![Vec::new(); addrs]; threads],
            mem: vec![vec![Mem { data: 0, b: false, ls: true, gs: true }; addrs]; threads],
        };
        let (mut seen, mut stack, mut out) =
            (HashSet::from([start.clone()]), vec![start], BTreeSet::new());
        while let Some(s) = stack.pop() {
            let next = self.successors(&s);
            if next.is_empty() {
                let registers = self.threads.iter().zip(&s.reg).flat_map(|(code, reg)| {
                    code.iter().filter_map(|i| {
                        if let Ins::Load { reg: r, .. } = i { Some(reg[*r]) } else { None }
                    })
                });
                out.insert(registers.chain(s.mem[0].iter().map(|m| m.data)).collect());
            }
            for n in next {
                if seen.insert(n.clone()) {
                    stack.push(n);
                }
            }
        }
        out
    }

    fn text(&self) -> String {
        let rows = self.threads.iter().map(Vec::len).max().unwrap_or(0);
        let names = ["a", "b"];
        let mut text = String::from("GPU_PTX random\n{ }\n");
        let line = |cells: Vec<String>| format!(" {} ;\n", cells.join(" | "));
        text += &line((0..self.threads.len()).map(|t| format!("T{t}")).collect());
        for row in 0..rows {
            let cell = |code: &Vec<Ins>| match code.get(row) {
                Some(Ins::Load { a, reg }) => format!("ld r{reg},[{}]", names[*a]),
                Some(Ins::Store { a, data }) => format!("st [{}],{data}", names[*a]),
                Some(Ins::Tf) => "membar.gl".to_owned(),
                Some(Ins::Tfb) => "membar.cta".to_owned(),
                None => String::new(),
            };
            text += &line(self.threads.iter().map(cell).collect());
        }
        text += "ScopeTree(grid";
        for block in 0..2 {
            let members: Vec<String> = (0..self.threads.len())
                .filter(|&t| self.block[t] == block)
                .map(|t| format!("(warp T{t})"))
                .collect();
            if !members.is_empty() {
                text += &format!("(cta{})", members.join(" "));
            }
        }
        text += ")\n";
        let map: Vec<String> = names
            .iter()
            .zip(&self.global)
            .map(|(n, &g)| format!("{n}: {}", if g { "global" } else { "shared" }))
            .collect();
        text += &map.join(", ");
        let mut asked: Vec<String> = Vec::new();
        for (t, code) in self.threads.iter().enumerate() {
            for i in code {
                if let Ins::Load { reg, .. } = i {
                    asked.push(format!("{t}:r{reg}=0"));
                }
            }
        }
        asked.extend(names.iter().map(|n| format!("{n}=0")));
        text += &format!("\nexists ({})\n", asked.join(" /\\ "));
        text
    }
}

fn random(rng: &mut fastrand::Rng) -> Program {
    let count = rng.usize(2..=3);
    let blocks = rng.bool();
    let block: Vec<usize> =
        (0..count).map(|t| if blocks && t > 0 { rng.usize(..2) } else { 0 }).collect();
    let global = (0..2).map(|_| blocks || rng.bool()).collect();
    let mut data = 0;
    let threads = (0..count)
        .map(|_| {
            let mut reg = 0;
            (0..rng.usize(1..=3))
                .map(|_| match rng.u8(..6) {
                    0 | 1 => {
                        data += 1;
                        Ins::Store { a: rng.usize(..2), data }
                    }
                    2 | 3 => {
                        reg += 1;
                        Ins::Load { a: rng.usize(..2), reg }
                    }
                    4 => Ins::Tf,
                    _ => Ins::Tfb,
                })
                .collect()
        })
        .collect();
    Program { threads, block, global }
}

#[test]
fn the_weak_model_is_the_printed_one() {
    let mut rng = fastrand::Rng::with_seed(2013);
    let mut several = 0;
    for _ in 0..400 {
        let program = random(&mut rng);
        let text = program.text();
        let file = SourceFile::new("random", text.clone());
        let test = read::test(&file).unwrap_or_else(|e| panic!("{text}\n{e:?}")).test;
        let explored = SimulatedMachine::new(&test, MachineModel::Weak)
            .unwrap()
            .explore(&ExplorationLimits::default())
            .unwrap();
        let printed = program.outcomes();
        several += usize::from(printed.len() > 1);
        assert_eq!(explored.outcomes, printed, "{text}");
        // "An alternative model which is strictly stronger" (4.3).
        let strong = SimulatedMachine::new(&test, MachineModel::Strong)
            .unwrap()
            .explore(&ExplorationLimits::default())
            .unwrap();
        assert!(strong.outcomes.is_subset(&explored.outcomes), "{text}");
    }
    assert!(several > 200, "programs with one outcome show nothing: {several}");
}
