//! Barriers keep accesses apart, and strong accesses that synchronise nothing order nothing: random
//! kernels of one block against all interleavings.
//!
//! Threads that meet at barriers alone are ordered by them alone, so a kernel has a race if and
//! only if some interleaving has two accesses of two threads to one place between the same
//! barriers, one of which writes and not both of which are strong (a program without races behaves
//! as its interleavings do).

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelQuestion, ask};

/// An access of a thread; a conditional one happens if what the thread read last is not zero.
#[derive(Debug, Clone, Copy)]
struct BlockAccess {
    place: usize,
    write: Option<u32>,
    strong: bool,
    conditional: bool,
}

/// `[thread][phase]`, with a barrier between phases.
type Block = Vec<Vec<Vec<BlockAccess>>>;

struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn random(chance: &mut Chance) -> Block {
    let (threads, phases) = (2 + chance.below(2), 1 + chance.below(3));
    let access = |chance: &mut Chance| BlockAccess {
        place: chance.below(2) as usize,
        write: (chance.below(2) == 0).then(|| chance.below(3) as u32),
        strong: chance.below(3) == 0,
        conditional: chance.below(3) == 0,
    };
    let phase = |chance: &mut Chance| (0..chance.below(3)).map(|_| access(chance)).collect();
    (0..threads).map(|_| (0..phases).map(|_| phase(chance)).collect()).collect()
}

fn text(block: &Block) -> String {
    let mut code = String::new();
    for (t, phases) in block.iter().enumerate() {
        code +=
            &format!("T{t}:\nsetp.ne.u32 %p1, %r1, {t};\n@%p1 bra T{};\nmov.u32 %r2, 0;\n", t + 1);
        for (n, phase) in phases.iter().enumerate() {
            if n > 0 {
                code += "barrier.sync 0;\n";
            }
            for (m, access) in phase.iter().enumerate() {
                let how = if access.strong { ".relaxed.gpu" } else { "" };
                let at = format!("[%rd1+{}]", 4 * access.place);
                if access.conditional {
                    code += &format!("setp.eq.u32 %p2, %r2, 0;\n@%p2 bra S{t}_{n}_{m};\n");
                }
                code += &match access.write {
                    Some(value) => format!("st{how}.global.u32 {at}, {value};\n"),
                    None => format!("ld{how}.global.u32 %r2, {at};\n"),
                };
                code += &format!("S{t}_{n}_{m}:\n");
            }
        }
        code += "ret;\n";
    }
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a0)\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         ld.param.u64 %rd1, [a0];\nmov.u32 %r1, %tid.x;\n{code}T{}:\nret;\n}}\n",
        block.len()
    )
}

/// Where the threads stand in a phase, what each read last, and what was accessed in it: thread,
/// place, writes, strong.
struct Interleaving<'a> {
    block: &'a Block,
    phase: usize,
    at: Vec<usize>,
    last: Vec<u32>,
    memory: [u32; 2],
    done: Vec<(usize, usize, bool, bool)>,
}

/// Does some interleaving race?
fn races(of: &mut Interleaving<'_>) -> bool {
    let threads = of.block.len();
    if (0..threads).all(|t| of.at[t] == of.block[t][of.phase].len()) {
        if of.phase + 1 == of.block[0].len() {
            return false;
        }
        let (at, done) =
            (std::mem::replace(&mut of.at, vec![0; threads]), std::mem::take(&mut of.done));
        of.phase += 1;
        let found = races(of);
        (of.phase, of.at, of.done) = (of.phase - 1, at, done);
        return found;
    }
    for t in 0..threads {
        let Some(&access) = of.block[t][of.phase].get(of.at[t]) else { continue };
        let (last, memory, count) = (of.last[t], of.memory, of.done.len());
        of.at[t] += 1;
        let mut found = false;
        if !access.conditional || last != 0 {
            let is_write = access.write.is_some();
            found = of.done.iter().any(|&(other, place, writes, strong)| {
                other != t
                    && place == access.place
                    && (writes || is_write)
                    && !(strong && access.strong)
            });
            of.done.push((t, access.place, is_write, access.strong));
            match access.write {
                Some(value) => of.memory[access.place] = value,
                None => of.last[t] = of.memory[access.place],
            }
        }
        found = found || races(of);
        of.at[t] -= 1;
        (of.last[t], of.memory) = (last, memory);
        of.done.truncate(count);
        if found {
            return true;
        }
    }
    false
}

#[test]
fn races_of_a_block_are_those_of_its_interleavings() {
    let mut chance = Chance(20_261_126);
    let mut counts = [0; 2];
    for round in 0..400 {
        let block = random(&mut chance);
        let threads = block.len();
        let text = text(&block);
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let launches: Vec<Launch> = vec![Launch::new(1, threads as u32)];
        // Zeros, and nothing else.
        let arguments = ["0=array".parse().expect("an argument")];
        let question = KernelQuestion {
            launches: &launches,
            arguments: &arguments,
            ..KernelQuestion::new(&text, &module, 0)
        };
        let answer = ask(&question).expect("an answer");
        let found =
            answer.wrong().is_some_and(|l| l.findings.iter().any(|f| f.kind == FindingKind::Race));
        assert!(
            found || answer.is_settled(false),
            "round {round}: {:?}\n{text}",
            answer.not_looked()
        );
        let mut of = Interleaving {
            block: &block,
            phase: 0,
            at: vec![0; threads],
            last: vec![0; threads],
            memory: [0; 2],
            done: Vec::new(),
        };
        let expected = races(&mut of);
        assert_eq!(found, expected, "round {round}\n{text}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 80), "{counts:?}");
}
