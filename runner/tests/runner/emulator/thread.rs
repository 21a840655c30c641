//! One thread.

use margay_ptx::ScalarType;
use margay_ptx::exchange::Exchange;

use super::Memory;
use super::asynchronous::PendingOperation;
use super::program::{Instruction, Operand, Program};

/// Why a thread stops for now.
pub enum Stop {
    /// It has done enough.
    Still,
    /// It has ended.
    Ended,
    /// It has come to a barrier of its cta.
    Barrier {
        id: u32,
        expected: u32,
        waits: bool,
    },
    /// The lanes of a mask give each other what they bring.
    Exchange {
        brought: u64,
        mask: u32,
    },
    /// The lanes of a mask meet.
    Meeting(u32),
    /// It has come to the barrier of its cluster.
    ClusterArrival,
    ClusterWait,
}

/// After so many instructions one of the operations under way is done.
const PATIENCE: u32 = 5;
/// An instruction takes so long.
const CYCLES: u32 = 64;

/// What a lane brings to an exchange, and the registers that take what comes of it.
struct EmulatedOffer {
    exchange: Exchange,
    ty: ScalarType,
    brought: Vec<u64>,
    to: [Option<usize>; 2],
}

pub struct Thread {
    pub cta: u32,
    ctas: u32,
    tid: u32,
    block: u32,
    next: usize,
    registers: Vec<u64>,
    /// What the lanes of its warp give each other next.
    exchange: Option<EmulatedOffer>,
    /// The phase of the cluster's barrier at which it arrived last.
    pub cluster_phase: u32,
    /// Its asynchronous operations that are under way.
    pub(super) pending: Vec<PendingOperation>,
    /// The instructions so far, and the clock that they see.
    steps: u32,
}

impl Thread {
    pub fn new(cta: u32, ctas: u32, tid: u32, block: u32) -> Self {
        Self {
            cta,
            ctas,
            tid,
            block,
            next: 0,
            registers: Vec::new(),
            exchange: None,
            cluster_phase: 0,
            pending: Vec::new(),
            steps: 0,
        }
    }

    /// The lanes have met: each with its value.
    pub fn exchanged(&mut self, all: &[(u32, u64)]) {
        let EmulatedOffer { exchange, ty, brought, to } =
            self.exchange.take().expect("it exchanges");
        let lane = self.tid % 32;
        let values = match exchange {
            Exchange::Shuffle(mode) => {
                let (source, is_inside) = mode.source(lane, brought[1] as u32, brought[2] as u32);
                // What a lane brings that takes no part is anything.
                let value =
                    all.iter().find(|(l, _)| *l == source).map_or(0xDEAD_BEEF, |(_, value)| *value);
                [value, u64::from(is_inside)]
            }
            other => other.value(ty, lane, all).expect("a result"),
        };
        for (register, value) in to.into_iter().zip(values) {
            if let Some(register) = register {
                self.registers[register] = value;
            }
        }
    }

    /// Runs so many instructions, or fewer.
    pub fn run(
        &mut self,
        program: &Program,
        parameters: &[u64],
        memory: &mut Memory,
        steps: u32,
    ) -> Stop {
        // What nobody has written is anything.
        self.registers.resize(program.registers.len(), 0xDEAD_BEEF_DEAD_BEEF);
        for _ in 0..steps {
            let i = &program.instructions[self.next];
            self.next += 1;
            self.steps += 1;
            if self.steps.is_multiple_of(PATIENCE) {
                self.complete_one(memory);
            }
            if i.guard.is_some_and(|(register, negated)| (self.registers[register] != 0) == negated)
            {
                continue;
            }
            if let Some(stop) = self.step(i, program, parameters, memory) {
                return stop;
            }
        }
        Stop::Still
    }

    pub(super) fn value(&self, operand: &Operand) -> u64 {
        match operand {
            Operand::Register(r) => self.registers[*r],
            Operand::Number(n) => *n,
            Operand::Name(name) => u64::from(match name.as_str() {
                "%tid.x" => self.tid,
                "%ctaid.x" => self.cta,
                "%ctaid.y" => 0,
                "%ntid.x" => self.block,
                "%nctaid.x" => self.ctas,
                "%laneid" => self.tid % 32,
                "%clock" => self.steps * CYCLES,
                _ => panic!("{name} has no value"),
            }),
            other => panic!("{other:?} is no value"),
        }
    }

    pub(super) fn set(&mut self, operand: &Operand, value: u64) {
        let Operand::Register(register) = operand else { panic!("{operand:?} is no register") };
        self.registers[*register] = value;
    }

    fn step(
        &mut self,
        i: &Instruction,
        program: &Program,
        parameters: &[u64],
        memory: &mut Memory,
    ) -> Option<Stop> {
        let words: Vec<&str> = i.words.iter().map(String::as_str).collect();
        let ty = *words.last().expect("an opcode");
        let (bytes, signed) = width(ty);
        let o = &i.operands;
        // The operand as a number of the type.
        let get = |thread: &Self, n: usize| extend(thread.value(&o[n]), bytes, signed);
        match words.as_slice() {
            ["bra", ..] => {
                let Operand::Name(label) = &o[0] else { panic!("{}", i.text) };
                self.next = program.labels[label];
            }
            ["ret"] => {
                assert!(
                    self.pending.is_empty(),
                    "a thread ends while its operations are under way"
                );
                return Some(Stop::Ended);
            }
            ["barrier", "cluster", "arrive", ..] => return Some(Stop::ClusterArrival),
            ["barrier", "cluster", "wait", ..] => return Some(Stop::ClusterWait),
            ["mapa", ..] => {
                let cta = self.cta - self.cta % program.cluster + self.value(&o[2]) as u32;
                self.set(&o[0], Memory::mapped(cta, self.value(&o[1])));
            }
            ["mbarrier" | "cp" | "st" | "red", ..]
                if self.asynchronous(&words, o, program.cluster, memory) => {}
            ["pmevent", ..] | ["fence" | "membar", ..] => {}
            ["bar", "warp", "sync"] => match self.value(&o[0]) as u32 {
                // Of the harness, before a barrier of the cta.
                u32::MAX => {}
                mask => return Some(Stop::Meeting(mask)),
            },
            [opcode @ ("shfl" | "redux" | "elect" | "vote" | "match"), qualifiers @ ..] => {
                let exchange =
                    Exchange::named(opcode, qualifiers).unwrap_or_else(|| panic!("{}", i.text));
                let ty = qualifiers.iter().rev().find_map(|q| ScalarType::from_name(q));
                let ty = if exchange.is_vote() {
                    ScalarType::from_name("pred")
                } else {
                    ty.or(ScalarType::from_name("u32"))
                };
                let ty = ty.expect("a type");
                let register = |operand: &Operand| {
                    if let Operand::Register(n) = operand { Some(*n) } else { None }
                };
                let to = match &o[0] {
                    Operand::Vector(both) => [0, 1].map(|n| both.get(n).and_then(register)),
                    one => [register(one), None],
                };
                let brought: Vec<u64> =
                    o[1..=exchange.brought()].iter().map(|v| ty.cut(self.value(v))).collect();
                let mine = brought.first().copied().unwrap_or(0);
                self.exchange = Some(EmulatedOffer { exchange, ty, brought, to });
                return Some(Stop::Exchange {
                    brought: mine,
                    mask: self.value(o.last().expect("a mask")) as u32,
                });
            }
            ["bar" | "barrier", mode @ ("sync" | "arrive")] => {
                let (id, expected) = (self.value(&o[0]) as u32, self.value(&o[1]) as u32);
                return Some(Stop::Barrier { id, expected, waits: *mode == "sync" });
            }
            ["activemask", _] => self.set(&o[0], 1 << (self.tid % 32)),
            ["bfind", _] => {
                let n = get(self, 1) as u32;
                self.set(&o[0], u64::from(n.checked_ilog2().unwrap_or(u32::MAX)));
            }
            ["popc", _] => self.set(&o[0], u64::from((get(self, 1) as u32).count_ones())),
            ["mov", "pred"] => self.set(&o[0], self.value(&o[1])),
            ["mov", _] => self.set(&o[0], get(self, 1)),
            ["cvta", ..] => self.set(&o[0], self.value(&o[1])),
            ["cvt", to, from] => {
                let ((from, sign), (to, _)) = (width(from), width(to));
                self.set(&o[0], extend(extend(self.value(&o[1]), from, sign), to, false));
            }
            ["selp", _] => {
                self.set(&o[0], if self.value(&o[3]) != 0 { get(self, 1) } else { get(self, 2) })
            }
            ["setp", comparison, _] => {
                let (a, b) = (get(self, 1), get(self, 2));
                let order = if signed { (a as i64).cmp(&(b as i64)) } else { a.cmp(&b) };
                let holds = match *comparison {
                    "eq" => order.is_eq(),
                    "ne" => order.is_ne(),
                    "lt" => order.is_lt(),
                    "le" => order.is_le(),
                    "gt" => order.is_gt(),
                    "ge" => order.is_ge(),
                    other => panic!("{other}"),
                };
                self.set(&o[0], u64::from(holds));
            }
            ["mul", "wide", _] => self.set(&o[0], get(self, 1).wrapping_mul(get(self, 2))),
            ["mul", "hi", _] => {
                self.set(&o[0], get(self, 1).wrapping_mul(get(self, 2)) >> (8 * bytes))
            }
            ["mul", "lo", _] => {
                self.set(&o[0], extend(get(self, 1).wrapping_mul(get(self, 2)), bytes, false))
            }
            ["mad", "wide", _] => {
                let product = get(self, 1).wrapping_mul(get(self, 2));
                self.set(&o[0], product.wrapping_add(self.value(&o[3])));
            }
            ["mad", "lo", _] => {
                let product = get(self, 1).wrapping_mul(get(self, 2));
                self.set(&o[0], extend(product.wrapping_add(get(self, 3)), bytes, false));
            }
            ["shl", _] => self.set(
                &o[0],
                extend(
                    get(self, 1).checked_shl(self.value(&o[2]) as u32).unwrap_or(0),
                    bytes,
                    false,
                ),
            ),
            ["shr", _] => {
                let (a, by) = (get(self, 1), self.value(&o[2]) as u32);
                let shifted = if signed {
                    (a as i64 >> by.min(63)) as u64
                } else {
                    a.checked_shr(by).unwrap_or(0)
                };
                self.set(&o[0], extend(shifted, bytes, false));
            }
            ["neg", _] => self.set(&o[0], extend(get(self, 1).wrapping_neg(), bytes, false)),
            ["not", _] => self.set(&o[0], extend(!get(self, 1), bytes, false)),
            [op @ ("add" | "sub" | "and" | "or" | "xor" | "rem" | "div" | "min" | "max"), _] => {
                let (a, b) = (get(self, 1), get(self, 2));
                self.set(&o[0], extend(apply(op, a, b, signed), bytes, false));
            }
            ["ld", "param", _] => {
                let Operand::Address(name, 0) = &o[1] else { panic!("{}", i.text) };
                let number = program
                    .parameters
                    .iter()
                    .position(|p| **name == Operand::Name(p.clone()))
                    .expect("a parameter");
                self.set(&o[0], parameters[number]);
            }
            ["ld", ..] => {
                let (to, from) =
                    (elements(&o[0]), self.place(&o[1], elements(&o[0]).len() * bytes));
                for (n, to) in to.iter().enumerate() {
                    let value = memory.load(self.cta, from + (n * bytes) as u64, bytes);
                    self.set(to, extend(value, bytes, signed));
                }
            }
            ["st", ..] => {
                let (values, to) =
                    (elements(&o[1]), self.place(&o[0], elements(&o[1]).len() * bytes));
                for (n, value) in values.iter().enumerate() {
                    memory.store(self.cta, to + (n * bytes) as u64, bytes, self.value(value));
                }
            }
            ["red" | "atom", ..] => {
                let brings = usize::from(words[0] == "atom");
                let at = self.place(&o[brings], bytes);
                let old = extend(memory.load(self.cta, at, bytes), bytes, signed);
                let operand = get(self, brings + 1);
                let new = match words[words.len() - 2] {
                    "exch" => operand,
                    "cas" => {
                        if old == operand {
                            get(self, brings + 2)
                        } else {
                            old
                        }
                    }
                    op => apply(op, old, operand, signed),
                };
                memory.store(self.cta, at, bytes, new);
                if brings == 1 {
                    self.set(&o[0], old);
                }
            }
            _ => panic!("the emulator does not know `{}`", i.text),
        }
        None
    }

    /// An address, aligned to the whole access.
    pub(super) fn place(&self, operand: &Operand, whole: usize) -> u64 {
        let Operand::Address(base, offset) = operand else { panic!("{operand:?} is no address") };
        let address = self.value(base).wrapping_add(*offset);
        assert!(
            address.is_multiple_of(whole as u64),
            "{address:#x} is not aligned to {whole} bytes"
        );
        address
    }
}

pub(super) fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(all) => all,
        one => std::slice::from_ref(one),
    }
}

pub(super) fn apply(op: &str, a: u64, b: u64, signed: bool) -> u64 {
    match op {
        "min" if signed => (a as i64).min(b as i64) as u64,
        "max" if signed => (a as i64).max(b as i64) as u64,
        "rem" if signed => (a as i64).wrapping_rem(b as i64) as u64,
        "div" if signed => (a as i64).wrapping_div(b as i64) as u64,
        "min" => a.min(b),
        "max" => a.max(b),
        "inc" => {
            if a >= b {
                0
            } else {
                a + 1
            }
        }
        "dec" => {
            if a == 0 || a > b {
                b
            } else {
                a - 1
            }
        }
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "rem" => a % b,
        "div" => a / b,
        other => panic!("{other}"),
    }
}

/// The bytes of a type, and whether it is signed.
fn width(ty: &str) -> (usize, bool) {
    let bits = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap_or(64);
    (bits / 8, ty.starts_with('s'))
}

/// The lowest bytes of a number, as a number of 64 bits.
fn extend(value: u64, bytes: usize, signed: bool) -> u64 {
    let unused = 64 - 8 * bytes as u32;
    if signed { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused }
}
