//! Mbarriers, as the models have them, and asynchronous operations: each is done some time after it
//! is issued, in any order, by its thread.

use margay_models::mbarrier::Mbarrier;

use super::Memory;
use super::program::Operand;
use super::thread::{Thread, apply, elements};

/// An operation under way.
pub struct PendingOperation {
    /// Is it done by `cp.async`, or an arrival of these?
    element: bool,
    /// Where words are written, each from an address or as a value, and with what function.
    words: Vec<(u64, WordSource)>,
    function: Option<String>,
    /// Arrives at an mbarrier when all `cp.async` before it are done.
    arrives: Option<u64>,
    /// The bytes that come to mbarriers.
    transfers: Vec<(u64, i64)>,
}

enum WordSource {
    Memory(u64),
    Value(u64),
}

impl Thread {
    fn mbarrier_at(
        &self,
        memory: &mut Memory,
        at: u64,
        change: impl Fn(Mbarrier) -> Mbarrier,
    ) -> Mbarrier {
        let before = Mbarrier(memory.load(self.cta, at, 8) as i64);
        assert!(before.is_valid(), "an mbarrier that is not initialised");
        memory.store(self.cta, at, 8, change(before).0 as u64);
        before
    }

    /// One of the operations under way is done.
    pub(super) fn complete_one(&mut self, memory: &mut Memory) {
        if self.pending.is_empty() {
            return;
        }
        let chosen =
            (self.value(&Operand::Name("%clock".to_owned())) / 64) as usize % self.pending.len();
        let element = |p: &PendingOperation| p.element && p.arrives.is_none();
        let chosen = match self.pending[chosen].arrives {
            Some(_) => self.pending[..chosen].iter().position(element).unwrap_or(chosen),
            None => chosen,
        };
        let done = self.pending.remove(chosen);
        for (to, from) in done.words {
            let value = match from {
                WordSource::Memory(from) => memory.load(self.cta, from, 4),
                WordSource::Value(value) => value,
            };
            let value = match &done.function {
                Some(function) => {
                    apply(function, memory.load(self.cta, to, 4), value, false) & 0xFFFF_FFFF
                }
                None => value,
            };
            memory.store(self.cta, to, 4, value);
        }
        for (at, bytes) in done.transfers {
            self.mbarrier_at(memory, at, |m| m.transferred(bytes));
        }
        if let Some(at) = done.arrives {
            self.mbarrier_at(memory, at, |m| m.arrived(1));
        }
    }

    fn complete_all(&mut self, memory: &mut Memory) {
        while !self.pending.is_empty() {
            self.complete_one(memory);
        }
    }

    /// An instruction of these; `false` if it is another one.
    pub(super) fn asynchronous(
        &mut self,
        words: &[&str],
        o: &[Operand],
        cluster: u32,
        memory: &mut Memory,
    ) -> bool {
        let has = |word: &str| words.contains(&word);
        let function = || {
            let named = words
                .iter()
                .find(|w| ["add", "min", "max", "and", "or", "xor", "inc", "dec"].contains(w));
            named.map(|w| (*w).to_owned())
        };
        match words {
            ["mbarrier", "pending_count", _] => {
                self.set(&o[0], Mbarrier(self.value(&o[1]) as i64).pending() as u64)
            }
            ["mbarrier", "init", ..] => {
                let at = self.place(&o[0], 8);
                memory.store(self.cta, at, 8, Mbarrier::new(self.value(&o[1]) as i64).0 as u64);
            }
            ["mbarrier", "inval", ..] => {
                let at = self.place(&o[0], 8);
                self.mbarrier_at(memory, at, |_| Mbarrier::INVALID);
            }
            ["mbarrier", "expect_tx", ..] => {
                let (at, bytes) = (self.place(&o[0], 8), self.value(&o[1]) as i64);
                self.mbarrier_at(memory, at, |m| m.expecting(bytes));
            }
            ["mbarrier", "complete_tx", ..] => {
                let (at, bytes) = (self.place(&o[0], 8), self.value(&o[1]) as i64);
                self.mbarrier_at(memory, at, |m| m.transferred(bytes));
            }
            ["mbarrier", name @ ("arrive" | "arrive_drop"), ..] => {
                let at = self.place(&o[1], 8);
                let operand = o.get(2).map_or(1, |n| self.value(n) as i64);
                let (count, bytes) = if has("expect_tx") { (1, operand) } else { (operand, 0) };
                let before = self.mbarrier_at(memory, at, |m| {
                    assert!(m.pending() >= count, "more arrivals than the phase waits for");
                    let m = m.expecting(bytes);
                    if *name == "arrive" { m.arrived(count) } else { m.dropped(count) }
                });
                if let Operand::Register(_) = &o[0] {
                    self.set(&o[0], before.0 as u64);
                }
            }
            ["mbarrier", "test_wait" | "try_wait", ..] => {
                let at = self.place(&o[1], 8);
                let now = self.mbarrier_at(memory, at, |m| m).phase();
                let asked = self.value(&o[2]);
                let over = if has("parity") {
                    now as u64 & 1 != asked
                } else {
                    now != Mbarrier(asked as i64).phase()
                };
                self.set(&o[0], u64::from(over));
            }
            ["cp", "async", "mbarrier", ..] => {
                let at = self.place(&o[0], 8);
                if !has("noinc") {
                    self.mbarrier_at(memory, at, |m| m.raised(1));
                }
                let (words, transfers) = (Vec::new(), Vec::new());
                self.pending.push(PendingOperation {
                    element: true,
                    words,
                    function: None,
                    arrives: Some(at),
                    transfers,
                });
            }
            ["cp", ..] if has("commit_group") => {}
            ["cp", ..] if has("wait_group") || has("wait_all") => self.complete_all(memory),
            ["cp", "async", "bulk", ..] | ["cp", "reduce", ..] => {
                let bytes = self.value(&o[2]);
                let (to, from) = (self.place(&o[0], 16), self.place(&o[1], 16));
                assert!(bytes.is_multiple_of(16), "{bytes} bytes");
                let bars = o.get(3).map(|bar| self.place(bar, 8));
                // The same place in each cta of the mask.
                let ctas: Vec<Option<u32>> = match o.get(4) {
                    Some(mask) => {
                        let (mask, first) = (self.value(mask), self.cta - self.cta % cluster);
                        (0..cluster)
                            .filter(|n| mask >> n & 1 == 1)
                            .map(|n| Some(first + n))
                            .collect()
                    }
                    None => vec![None],
                };
                let at = |cta: Option<u32>, address: u64| {
                    cta.map_or(address, |cta| Memory::mapped(cta, address & 0xFFFF_FFFF))
                };
                let word = |cta, n: u64| (at(cta, to + 4 * n), WordSource::Memory(from + 4 * n));
                self.pending.push(PendingOperation {
                    element: false,
                    words: ctas
                        .iter()
                        .flat_map(|&cta| (0..bytes / 4).map(move |n| word(cta, n)))
                        .collect(),
                    function: if words[1] == "reduce" { function() } else { None },
                    arrives: None,
                    transfers: bars
                        .iter()
                        .flat_map(|&bar| ctas.iter().map(move |&cta| (at(cta, bar), bytes as i64)))
                        .collect(),
                });
            }
            ["cp", "async", ..] => {
                let bytes = self.value(&o[2]);
                let (to, from) =
                    (self.place(&o[0], bytes as usize), self.place(&o[1], bytes as usize));
                let words = (0..bytes / 4)
                    .map(|n| (to + 4 * n, WordSource::Memory(from + 4 * n)))
                    .collect();
                self.pending.push(PendingOperation {
                    element: true,
                    words,
                    function: None,
                    arrives: None,
                    transfers: Vec::new(),
                });
            }
            ["st" | "red", "async", ..] => {
                assert!(
                    !words.last().is_some_and(|ty| ty.ends_with("64")),
                    "the emulator has 32 bits here"
                );
                let values: Vec<u64> = elements(&o[1]).iter().map(|v| self.value(v)).collect();
                let (to, bar) = (self.place(&o[0], 4 * values.len()), self.place(&o[2], 8));
                let bytes = 4 * values.len() as i64;
                self.pending.push(PendingOperation {
                    element: false,
                    words: values
                        .into_iter()
                        .enumerate()
                        .map(|(n, v)| (to + 4 * n as u64, WordSource::Value(v)))
                        .collect(),
                    function: if words[0] == "red" { function() } else { None },
                    arrives: None,
                    transfers: vec![(bar, bytes)],
                });
            }
            _ => return false,
        }
        true
    }
}
