//! Test environments: how instances are laid out, and what provokes weak outcomes (Alglave et al., ASPLOS 2015, section 4.3;
//! Sorensen and Donaldson, PLDI 2016, section 3). Each switch is independent of the others.

use std::fmt;

/// One access of a stressing thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StressAccess {
    /// `ld`
    Load,
    /// `st`
    Store,
}

/// A test environment. `KEY=VALUE,...` reads and writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// `groups`: how many groups of ctas (as many ctas, or clusters, as the test needs) run the test.
    pub groups: u32,
    /// `warps`: the warps for each thread of the test in a cta; each lane is a thread of another instance.
    pub warps: u32,
    /// `stride`: the distance of two locations in words of 8 bytes.
    pub stride: u32,
    /// `parallel`: all instances of a launch, or one alone, as in 2015.
    pub parallel: bool,
    /// `spin`: threads wait for each other before the test, this many polls at most; 0 is off ("thread synchronisation").
    pub spin: u32,
    /// `shuffle`: ctas and lanes take other parts of the test with each launch ("thread randomisation").
    pub shuffle: bool,
    /// `warm`: each thread reads its locations once before the test, so that they are in its L1 cache.
    pub warm: bool,
    /// `stress-ctas`: how many ctas do nothing but access a scratchpad ("memory stress").
    pub stress_ctas: u32,
    /// `stress-rounds`: how often each of them goes through the sequence.
    pub stress_rounds: u32,
    /// `stress-sequence`: what they do, `ld-st`, up to five accesses.
    pub stress_sequence: Vec<StressAccess>,
    /// `stress-patch`: the distance of stressed words, in words of 4 bytes (2016: patch size).
    pub stress_patch: u32,
    /// `stress-spread`: how many words are stressed at once (2016: spread).
    pub stress_spread: u32,
    /// `pre-stress`: rounds of the sequence by the threads of the test, before it.
    pub pre_stress: u32,
    /// `bank-warps`: warps of each cta that provoke bank conflicts in shared memory ("general bank conflicts").
    pub bank_warps: u32,
    /// `bank-rounds`: how often each of them does so.
    pub bank_rounds: u32,
}

impl Default for Environment {
    /// What others found to work on NVIDIA GPUs: about 1,000 ctas of 128 to 256 threads (MC Mutants, ASPLOS 2023), no stress.
    fn default() -> Self {
        Self {
            groups: 512,
            warps: 4,
            stride: 2,
            parallel: true,
            spin: 1024,
            shuffle: true,
            warm: false,
            stress_ctas: 0,
            stress_rounds: 256,
            stress_sequence: vec![StressAccess::Load, StressAccess::Store],
            stress_patch: 64,
            stress_spread: 2,
            pre_stress: 0,
            bank_warps: 0,
            bank_rounds: 64,
        }
    }
}

/// The keys.
pub const KEYS: [&str; 15] = [
    "groups",
    "warps",
    "stride",
    "parallel",
    "spin",
    "shuffle",
    "warm",
    "stress-ctas",
    "stress-rounds",
    "stress-sequence",
    "stress-patch",
    "stress-spread",
    "pre-stress",
    "bank-warps",
    "bank-rounds",
];

impl Environment {
    /// Reads `KEY=VALUE,...`; keys that are not named keep their defaults. The error says which part is wrong and what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut environment = Self::default();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(format!("`{part}` is no setting; expected KEY=VALUE, e.g. spin=1024"));
            };
            environment.set(key.trim(), value.trim())?;
        }
        Ok(environment)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = |smallest: u32, largest: u32| match value.parse::<u32>() {
            Ok(n) if (smallest..=largest).contains(&n) => Ok(n),
            _ => Err(format!("`{key}={value}`: expected a number from {smallest} to {largest}")),
        };
        let switch = || match value {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(format!("`{key}={value}`: expected on or off")),
        };
        match key {
            "groups" => self.groups = number(1, 65_536)?,
            "warps" => self.warps = number(1, 32)?,
            "stride" => self.stride = number(1, 1024)?,
            "parallel" => self.parallel = switch()?,
            "spin" => self.spin = number(0, 1 << 20)?,
            "shuffle" => self.shuffle = switch()?,
            "warm" => self.warm = switch()?,
            "stress-ctas" => self.stress_ctas = number(0, 65_536)?,
            "stress-rounds" => self.stress_rounds = number(1, 1 << 20)?,
            "stress-sequence" => self.stress_sequence = sequence(value)?,
            "stress-patch" => self.stress_patch = number(1, 4096)?,
            "stress-spread" => self.stress_spread = number(1, 64)?,
            "pre-stress" => self.pre_stress = number(0, 1 << 20)?,
            "bank-warps" => self.bank_warps = number(0, 16)?,
            "bank-rounds" => self.bank_rounds = number(1, 1 << 20)?,
            _ => return Err(format!("there is no setting `{key}`; there are {}", KEYS.join(", "))),
        }
        Ok(())
    }
}

fn sequence(text: &str) -> Result<Vec<StressAccess>, String> {
    let accesses: Option<Vec<StressAccess>> = text
        .split('-')
        .map(|a| match a {
            "ld" => Some(StressAccess::Load),
            "st" => Some(StressAccess::Store),
            _ => None,
        })
        .collect();
    match accesses {
        Some(accesses) if accesses.len() <= 5 => Ok(accesses),
        _ => Err(format!("`stress-sequence={text}`: expected one to five of ld and st, e.g. ld-st-st")),
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let switch = |on: bool| if on { "on" } else { "off" };
        let sequence: Vec<&str> =
            self.stress_sequence.iter().map(|a| if *a == StressAccess::Load { "ld" } else { "st" }).collect();
        write!(
            f,
            "groups={},warps={},stride={},parallel={},spin={},shuffle={},warm={},stress-ctas={},stress-rounds={},stress-sequence={},\
             stress-patch={},stress-spread={},pre-stress={},bank-warps={},bank-rounds={}",
            self.groups,
            self.warps,
            self.stride,
            switch(self.parallel),
            self.spin,
            switch(self.shuffle),
            switch(self.warm),
            self.stress_ctas,
            self.stress_rounds,
            sequence.join("-"),
            self.stress_patch,
            self.stress_spread,
            self.pre_stress,
            self.bank_warps,
            self.bank_rounds
        )
    }
}
