//! Permutations that a kernel computes for itself, drawn anew for each launch: of ctas, of lanes,
//! of the regions that are stressed.
//!
//! *Swap or not* (Hoang, Morris and Rogaway, CRYPTO 2012): in each round a number is swapped with
//! its partner or not, as a bit that is the same for both says. So it is a permutation of any
//! number of things, whatever the bits are, and needs no table.

use std::fmt::Write as _;

/// The rounds: after so many, pairs of positions are as good as drawn at random (`uniform` below).
const ROUNDS: u32 = 16;

/// The constants of a hash of 32 bits: the golden ratio, and the two of MurmurHash3's finaliser.
const GOLDEN: u32 = 0x9E37_79B1;
const FIRST: u32 = 0x85EB_CA6B;
const SECOND: u32 = 0xC2B2_AE35;

/// Numbers that keep the permutations of one launch apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Salt {
    /// Which cta plays which part of which group.
    Ctas,
    /// Which warp of a cta plays which part.
    Warps,
    /// Which lane plays which instance, for a position in the cta.
    Lanes(u32),
    /// Which regions of the scratchpad are stressed.
    Regions,
}

impl Salt {
    fn number(self) -> u32 {
        match self {
            Self::Ctas => 1,
            Self::Warps => 2,
            Self::Regions => 3,
            Self::Lanes(position) => 4 + position,
        }
    }
}

/// Where a permutation of the numbers below `n` takes one of them.
pub fn permuted(number: u32, n: u32, seed: u32, salt: Salt) -> u32 {
    let mut x = number;
    let mut state = seed.wrapping_add(salt.number().wrapping_mul(FIRST));
    for _ in 0..ROUNDS {
        state = state.wrapping_add(GOLDEN);
        let key = mix(state);
        let sum = ((u64::from(key) * u64::from(n)) >> 32) as u32;
        let partner = if sum >= x { sum - x } else { sum.wrapping_sub(x).wrapping_add(n) };
        let both = x.max(partner);
        if (mix(both ^ key) as i32) < 0 {
            x = partner;
        }
    }
    x
}

fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(FIRST);
    h ^= h >> 13;
    h.wrapping_mul(SECOND)
}

/// The registers that [`permute`] uses.
pub const REGISTERS: &str =
    "    .reg .pred %swap;\n    .reg .b32 %state, %key, %partner, %both, %rounds, %mixed;\n";

/// `register := permuted(register, n, %seed, salt)`, where `n` is a number or a register; `label`
/// makes its label differ.
pub fn permute(register: &str, n: &str, salt: Salt, label: &str, text: &mut String) {
    let mixed = |to: &str, from: &str| {
        format!(
            "    shr.u32 %mixed, {from}, 16;\n    xor.b32 {to}, {from}, %mixed;\n    mul.lo.u32 {to}, {to}, {FIRST:#x};\n    \
             shr.u32 %mixed, {to}, 13;\n    xor.b32 {to}, {to}, %mixed;\n    mul.lo.u32 {to}, {to}, {SECOND:#x};\n"
        )
    };
    let _ = write!(
        text,
        "    add.u32 %state, %seed, {:#x};\n    mov.u32 %rounds, {ROUNDS};\n${label}:\n    add.u32 %state, %state, {GOLDEN:#x};\n{}    \
         mul.hi.u32 %partner, %key, {n};\n    setp.ge.u32 %swap, %partner, {register};\n    sub.u32 %partner, %partner, {register};\n    \
         @!%swap add.u32 %partner, %partner, {n};\n    max.u32 %both, {register}, %partner;\n    xor.b32 %both, %both, %key;\n{}    \
         setp.lt.s32 %swap, %both, 0;\n    @%swap mov.u32 {register}, %partner;\n    sub.u32 %rounds, %rounds, 1;\n    \
         setp.ne.u32 %swap, %rounds, 0;\n    @%swap bra ${label};\n",
        salt.number().wrapping_mul(FIRST),
        mixed("%key", "%state"),
        mixed("%both", "%both"),
    );
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Salt, permuted};

    #[test]
    fn permutations() {
        for n in [1, 2, 3, 7, 64, 100, 2112] {
            for seed in 0..5 {
                let mut all: Vec<u32> = (0..n).map(|x| permuted(x, n, seed, Salt::Ctas)).collect();
                all.sort_unstable();
                assert_eq!(all, (0..n).collect::<Vec<_>>(), "{n}, {seed}");
            }
        }
    }

    /// How far counts are from equal ones: the chi-squared statistic, divided by its degrees of
    /// freedom, which is 1 on average for fair draws.
    fn unevenness(counts: &BTreeMap<Vec<u32>, u32>, kinds: u32, draws: u32) -> f64 {
        let expected = f64::from(draws) / f64::from(kinds);
        let there: f64 =
            counts.values().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        let absent = f64::from(kinds - counts.len() as u32) * expected;
        (there + absent) / f64::from(kinds - 1)
    }

    /// Every ordered pair of places is as likely as any other one: over seeds that follow each
    /// other, and over seeds drawn at random.
    #[test]
    fn uniform() {
        let mut rng = fastrand::Rng::with_seed(1);
        for n in [5, 16, 33, 64] {
            let draws = n * (n - 1) * 40;
            let seeds: [Vec<u32>; 2] =
                [(0..draws).collect(), (0..draws).map(|_| rng.u32(..)).collect()];
            for seeds in seeds {
                for (a, b) in [(0, 1), (2, n - 1)] {
                    let mut counts = BTreeMap::new();
                    for &seed in &seeds {
                        let pair = vec![
                            permuted(a, n, seed, Salt::Regions),
                            permuted(b, n, seed, Salt::Regions),
                        ];
                        *counts.entry(pair).or_default() += 1;
                    }
                    // The standard deviation is sqrt(2 / degrees of freedom): 0.31 for 5, less for
                    // more.
                    let uneven = unevenness(&counts, n * (n - 1), draws);
                    assert!(
                        uneven < 1.0 + 5.0 * (2.0 / f64::from(n * (n - 1))).sqrt(),
                        "{n} ({a}, {b}): {uneven}"
                    );
                }
            }
        }
    }

    /// Different permutations of one launch have nothing to do with each other.
    #[test]
    fn salts_are_apart() {
        let n = 32;
        let mut counts = BTreeMap::new();
        for seed in 0..n * n * 40 {
            let pair =
                vec![permuted(3, n, seed, Salt::Lanes(0)), permuted(3, n, seed, Salt::Lanes(1))];
            *counts.entry(pair).or_default() += 1;
        }
        let uneven = unevenness(&counts, n * n, n * n * 40);
        assert!(uneven < 1.25, "{uneven}");
    }
}
