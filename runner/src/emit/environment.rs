//! Test environments: how instances are laid out, and what provokes weak outcomes (Alglave et al.,
//! ASPLOS 2015, section 4.3; Sorensen and Donaldson, PLDI 2016, section 3). Each switch is
//! independent of the others.

use std::fmt;

/// One access of a stressing thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StressAccess {
    /// `ld`
    Load,
    /// `st`
    Store,
}

/// What stressing threads do to the scratchpad (Sorensen and Donaldson, PLDI 2016, sections 3 and
/// 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stress {
    /// `sequence`: the access sequence at few words, each in a region of its own (their *sys-str*).
    Sequence,
    /// `random`: a load or a store, at random, of any word (*rand-str*).
    Random,
    /// `cache`: each thread loads and stores word after word, so that the ctas go through the cache
    /// together (*cache-str*).
    Cache,
}

/// A number, or as many as the device makes best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Count {
    /// So many.
    Fixed(u32),
    /// `auto`: what the device can run at once decides ([`crate::device::DeviceShape`]); without a
    /// device, the number of `or`.
    Auto {
        /// The number without a device.
        or: u32,
    },
}

impl Count {
    /// The number, where no device says better.
    pub fn number(self) -> u32 {
        match self {
            Self::Fixed(n) | Self::Auto { or: n } => n,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Auto { .. } => f.write_str("auto"),
        }
    }
}

/// A test environment. `KEY=VALUE,...` reads and writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// `groups`: how many groups of ctas (as many ctas, or clusters, as the test needs) run the
    /// test.
    pub groups: Count,
    /// `warps`: the warps for each thread of the test in a cta; each lane is a thread of another
    /// instance.
    pub warps: u32,
    /// `same-warp`: threads of the test that are in one cta are in one warp, as lanes beside each
    /// other, and not in different warps.
    pub same_warp: bool,
    /// `stride`: the distance of two locations in words of 8 bytes.
    pub stride: u32,
    /// `distance`: so many words of 4 bytes (8, if the test has accesses of 8 bytes) lie between
    /// two locations of an instance (2016: distance); `None` is `far`, each location in a part of
    /// memory of its own.
    pub distance: Option<u32>,
    /// `parallel`: all instances of a launch, or one alone, as in 2015.
    pub parallel: bool,
    /// `spin`: threads wait for each other before the test, this many polls at most; 0 is off
    /// ("thread synchronisation").
    pub spin: u32,
    /// `shuffle`: ctas, warps and lanes take other parts of the test with each launch, drawn at
    /// random ("thread randomisation").
    pub shuffle: bool,
    /// `idle-warps`: with `shuffle`, each launch has up to so many more warps in each cta, which
    /// run no test (2015: the number of threads varies).
    pub idle_warps: Count,
    /// `warm`: each thread reads its locations once before the test, so that they are in its L1
    /// cache.
    pub warm: bool,
    /// `stress-ctas`: how many ctas do nothing but access a scratchpad ("memory stress").
    pub stress_ctas: Count,
    /// `stress-idle`: with `parallel=off`, the threads of the test's ctas that run no test stress,
    /// too, as in 2015.
    pub stress_idle: bool,
    /// `stress`: what they do to it.
    pub stress: Stress,
    /// `stress-rounds`: how often each of them goes through the sequence, accesses a word, or loads
    /// and stores one. `auto`: 256, and for `cache` as often as it takes each cta to go over the
    /// whole scratchpad.
    pub stress_rounds: Count,
    /// `stress-sequence`: what they do, `ld-st`, up to five accesses.
    pub stress_sequence: Vec<StressAccess>,
    /// `stress-patch`: the distance of stressed words, in words of 4 bytes (2016: patch size).
    pub stress_patch: u32,
    /// `stress-spread`: how many words are stressed at once (2016: spread).
    pub stress_spread: u32,
    /// `stress-regions`: the regions of one patch each that the stressed words are drawn from
    /// (2016: maximum spread).
    pub stress_regions: u32,
    /// `stress-first`: the place of the stressed word in its region, in words of 4 bytes (2016:
    /// location).
    pub stress_first: u32,
    /// `stress-words`: the words of the scratchpad for `random` and `cache`; `auto` is the L2 cache
    /// of the device.
    pub stress_words: Count,
    /// `pre-stress`: rounds of the sequence by the threads of the test, before it.
    pub pre_stress: u32,
    /// `bank`: with `parallel=off`, the other lanes of a warp that runs the test do the same at
    /// locations beside, in the same banks or in others, as chance has it ("general bank
    /// conflicts").
    pub bank: bool,
    /// `bank-warps`: warps of each cta that provoke bank conflicts in shared memory.
    pub bank_warps: u32,
    /// `bank-rounds`: how often each of them does so.
    pub bank_rounds: u32,
}

impl Default for Environment {
    /// What others found to work on NVIDIA GPUs: about 1,000 ctas of 128 to 256 threads (MC
    /// Mutants, ASPLOS 2023), no stress.
    fn default() -> Self {
        Self {
            groups: Count::Auto { or: 512 },
            warps: 4,
            same_warp: false,
            stride: 2,
            distance: None,
            parallel: true,
            spin: 1024,
            shuffle: true,
            idle_warps: Count::Auto { or: 1 },
            warm: false,
            stress_ctas: Count::Fixed(0),
            stress_idle: false,
            stress: Stress::Sequence,
            stress_rounds: Count::Auto { or: 256 },
            stress_sequence: vec![StressAccess::Load, StressAccess::Store],
            stress_patch: 64,
            stress_spread: 2,
            stress_regions: 64,
            stress_first: 0,
            stress_words: Count::Auto { or: 1 << 20 },
            pre_stress: 0,
            bank: false,
            bank_warps: 0,
            bank_rounds: 64,
        }
    }
}

pub const KEYS: [&str; 24] = [
    "groups",
    "warps",
    "same-warp",
    "stride",
    "distance",
    "parallel",
    "spin",
    "shuffle",
    "idle-warps",
    "warm",
    "stress-ctas",
    "stress-idle",
    "stress",
    "stress-rounds",
    "stress-sequence",
    "stress-patch",
    "stress-spread",
    "stress-regions",
    "stress-first",
    "stress-words",
    "pre-stress",
    "bank",
    "bank-warps",
    "bank-rounds",
];

/// Why a text says no environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingRefusal {
    /// A part that is not `KEY=VALUE`.
    NoSetting(String),
    UnknownKey(String),
    /// A setting whose value is another one than these words say.
    Value {
        setting: String,
        expected: String,
    },
}

impl SettingRefusal {
    fn value(key: &str, value: &str, expected: impl Into<String>) -> Self {
        Self::Value { setting: format!("{key}={value}"), expected: expected.into() }
    }

    /// The value may also be a word.
    fn or(self, word: &str) -> Self {
        match self {
            Self::Value { setting, expected } => {
                Self::Value { setting, expected: format!("{expected}, or {word}") }
            }
            other => other,
        }
    }
}

impl fmt::Display for SettingRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSetting(part) => {
                write!(f, "`{part}` is no setting; expected KEY=VALUE, e.g. spin=1024")
            }
            Self::UnknownKey(key) => {
                write!(f, "there is no setting `{key}`; there are {}", KEYS.join(", "))
            }
            Self::Value { setting, expected } => write!(f, "`{setting}`: expected {expected}"),
        }
    }
}

impl std::error::Error for SettingRefusal {}

impl Environment {
    /// Reads `KEY=VALUE,...`; keys that are not named keep their defaults.
    pub fn parse(text: &str) -> Result<Self, SettingRefusal> {
        Self::default().with(text)
    }

    /// The same with other settings, `KEY=VALUE,...`.
    pub fn with(mut self, text: &str) -> Result<Self, SettingRefusal> {
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(SettingRefusal::NoSetting(part.to_owned()));
            };
            self.set(key.trim(), value.trim())?;
        }
        Ok(self)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), SettingRefusal> {
        let number = |smallest: u32, largest: u32| match value.parse::<u32>() {
            Ok(n) if (smallest..=largest).contains(&n) => Ok(n),
            _ => Err(SettingRefusal::value(
                key,
                value,
                format!("a number from {smallest} to {largest}"),
            )),
        };
        let switch = || match value {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(SettingRefusal::value(key, value, "on or off")),
        };
        let count = |smallest: u32, largest: u32, or: u32| match value {
            "auto" => Ok(Count::Auto { or }),
            _ => number(smallest, largest).map(Count::Fixed).map_err(|e| e.or("auto")),
        };
        match key {
            "groups" => self.groups = count(1, 65_536, 512)?,
            "warps" => self.warps = number(1, 32)?,
            "same-warp" => self.same_warp = switch()?,
            "stride" => self.stride = number(1, 1024)?,
            "distance" if value == "far" => self.distance = None,
            "distance" => self.distance = Some(number(0, 4096).map_err(|e| e.or("far"))?),
            "parallel" => self.parallel = switch()?,
            "spin" => self.spin = number(0, 1 << 20)?,
            "shuffle" => self.shuffle = switch()?,
            "idle-warps" => self.idle_warps = count(0, 31, 1)?,
            "warm" => self.warm = switch()?,
            "stress-ctas" => self.stress_ctas = count(0, 65_536, 64)?,
            "stress-idle" => self.stress_idle = switch()?,
            "stress" => {
                self.stress = match value {
                    "sequence" => Stress::Sequence,
                    "random" => Stress::Random,
                    "cache" => Stress::Cache,
                    _ => {
                        return Err(SettingRefusal::value(key, value, "sequence, random or cache"));
                    }
                }
            }
            "stress-rounds" => self.stress_rounds = count(1, 1 << 24, 256)?,
            "stress-sequence" => self.stress_sequence = sequence(value)?,
            "stress-patch" => self.stress_patch = number(1, 4096)?,
            "stress-spread" => self.stress_spread = number(1, 64)?,
            "stress-regions" => self.stress_regions = number(1, 64)?,
            "stress-first" => self.stress_first = number(0, 4096)?,
            "stress-words" => self.stress_words = count(1, 1 << 26, 1 << 20)?,
            "pre-stress" => self.pre_stress = number(0, 1 << 20)?,
            "bank" => self.bank = switch()?,
            "bank-warps" => self.bank_warps = number(0, 16)?,
            "bank-rounds" => self.bank_rounds = number(1, 1 << 20)?,
            _ => return Err(SettingRefusal::UnknownKey(key.to_owned())),
        }
        Ok(())
    }
}

/// Reads `ld-st-st`.
pub fn sequence(text: &str) -> Result<Vec<StressAccess>, SettingRefusal> {
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
        _ => Err(SettingRefusal::value(
            "stress-sequence",
            text,
            "one to five of ld and st, e.g. ld-st-st",
        )),
    }
}

/// Writes it.
pub fn sequence_text(accesses: &[StressAccess]) -> String {
    let names: Vec<&str> =
        accesses.iter().map(|a| if *a == StressAccess::Load { "ld" } else { "st" }).collect();
    names.join("-")
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            KEYS.iter().map(|key| format!("{key}={}", self.value(key))).collect();
        f.write_str(&parts.join(","))
    }
}

impl Environment {
    /// The value of a setting, as text.
    fn value(&self, key: &str) -> String {
        let switch = |on: bool| if on { "on".to_owned() } else { "off".to_owned() };
        match key {
            "groups" => self.groups.to_string(),
            "warps" => self.warps.to_string(),
            "same-warp" => switch(self.same_warp),
            "stride" => self.stride.to_string(),
            "distance" => self.distance.map_or("far".to_owned(), |d| d.to_string()),
            "parallel" => switch(self.parallel),
            "spin" => self.spin.to_string(),
            "shuffle" => switch(self.shuffle),
            "idle-warps" => self.idle_warps.to_string(),
            "warm" => switch(self.warm),
            "stress-ctas" => self.stress_ctas.to_string(),
            "stress-idle" => switch(self.stress_idle),
            "stress" => match self.stress {
                Stress::Sequence => "sequence",
                Stress::Random => "random",
                Stress::Cache => "cache",
            }
            .to_owned(),
            "stress-rounds" => self.stress_rounds.to_string(),
            "stress-sequence" => sequence_text(&self.stress_sequence),
            "stress-patch" => self.stress_patch.to_string(),
            "stress-spread" => self.stress_spread.to_string(),
            "stress-regions" => self.stress_regions.to_string(),
            "stress-first" => self.stress_first.to_string(),
            "stress-words" => self.stress_words.to_string(),
            "pre-stress" => self.pre_stress.to_string(),
            "bank" => switch(self.bank),
            "bank-warps" => self.bank_warps.to_string(),
            _ => self.bank_rounds.to_string(),
        }
    }
}
