//! Random search, and the environments of the paper beside its best.

use super::measure::{Bench, NamedMeasurement};
use super::{StressMeasurement, TuningStop, best, sequences};
use crate::emit::{Count, Environment, Stress};

/// Compares the eight environments of 2016 (section 4.2: no stress and three kinds of it, each with
/// thread randomisation, `+`, and without, `-`) and random ones, by weak outcomes a second; the
/// most effective one first, the others by their sum.
pub(super) fn compare(
    bench: &mut Bench<'_>,
    systematic: &Environment,
) -> Result<Vec<(String, Environment, Vec<u64>)>, TuningStop> {
    let settings = bench.settings;
    let none = Environment { stress_ctas: Count::Fixed(0), pre_stress: 0, ..settings.base.clone() };
    let kind = |stress| Environment { stress, ..systematic.clone() };
    let kinds = [
        ("no-str", none),
        ("sys-str", systematic.clone()),
        ("rand-str", kind(Stress::Random)),
        ("cache-str", kind(Stress::Cache)),
    ];
    let mut candidates = Vec::new();
    for (name, environment) in kinds {
        for (sign, shuffle) in [("-", false), ("+", true)] {
            candidates
                .push((format!("{name}{sign}"), Environment { shuffle, ..environment.clone() }));
        }
    }
    for n in 0..settings.random {
        let mut rng = fastrand::Rng::with_seed(
            settings.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(n),
        );
        candidates.push((format!("random-{}", n + 1), draw(&settings.base, systematic, &mut rng)));
    }
    bench.stage("environments", candidates.len() * bench.tests.len());
    let of_candidate = |(name, environment): &(String, Environment)| {
        let (name, environment) = (format!("environment {name}"), environment.clone());
        (0..bench.tests.len()).map(move |test| (name.clone(), test, environment.clone()))
    };
    let steps: Vec<NamedMeasurement> = candidates.iter().flat_map(of_candidate).collect();
    let measured = bench.all(&steps)?;
    let of_tests = |m: &[StressMeasurement]| {
        m.iter().map(|m| (m.weak as f64 / m.seconds) as u64).collect::<Vec<_>>()
    };
    let rates: Vec<Vec<u64>> = measured.chunks(bench.tests.len().max(1)).map(of_tests).collect();
    let chosen = best_of_many(&rates);
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&i| (Some(i) != chosen, std::cmp::Reverse(rates[i].iter().sum::<u64>()), i));
    Ok(order
        .into_iter()
        .map(|i| (candidates[i].0.clone(), candidates[i].1.clone(), rates[i].clone()))
        .collect())
}

/// MC Mutants counts first how many tests show a weak outcome at all; among equals the rule of 2016
/// decides.
fn best_of_many(rates: &[Vec<u64>]) -> Option<usize> {
    let seen = |r: &Vec<u64>| r.iter().filter(|&&n| n > 0).count();
    let most = rates.iter().map(seen).max()?;
    let few: Vec<usize> = (0..rates.len()).filter(|&i| seen(&rates[i]) == most).collect();
    let of_few: Vec<Vec<u64>> = few.iter().map(|&i| rates[i].clone()).collect();
    best(&of_few).map(|i| few[i])
}

/// Draws an environment. The sizes are powers of two, each as likely as the others.
fn draw(base: &Environment, systematic: &Environment, rng: &mut fastrand::Rng) -> Environment {
    let mut environment = base.clone();
    let all = sequences(5);
    environment.warps = 1 << rng.u32(0..=3);
    environment.stride = 1 << rng.u32(0..=6);
    environment.spin = if rng.u32(..4) == 0 { 0 } else { 1 << rng.u32(6..=12) };
    environment.shuffle = rng.bool();
    environment.warm = rng.bool();
    environment.stress_ctas =
        if rng.u32(..4) == 0 { Count::Fixed(0) } else { systematic.stress_ctas };
    environment.stress = [Stress::Sequence, Stress::Sequence, Stress::Random][rng.usize(..3)];
    environment.stress_rounds = Count::Fixed(1 << rng.u32(4..=10));
    environment.stress_sequence.clone_from(&all[rng.usize(..all.len())]);
    environment.stress_patch = 1 << rng.u32(0..=10);
    environment.stress_regions = 1 << rng.u32(0..=6);
    environment.stress_spread = 1 << rng.u32(0..=environment.stress_regions.trailing_zeros());
    environment.pre_stress = if rng.bool() { 0 } else { 1 << rng.u32(0..=7) };
    environment
}

#[cfg(test)]
mod tests {
    use super::{best_of_many, draw};
    use crate::emit::{Environment, sequence};

    #[test]
    fn more_tests_count_more_than_higher_rates() {
        assert_eq!(best_of_many(&[vec![900, 0, 900], vec![1, 1, 1], vec![2, 1, 2]]), Some(2));
        assert_eq!(best_of_many(&[vec![0, 0], vec![0, 0]]), None);
    }

    #[test]
    fn drawn_environments_can_be_written_and_read() {
        let base = Environment::default();
        let systematic =
            Environment { stress_sequence: sequence("st-ld").unwrap(), ..base.clone() };
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..500 {
            let drawn = draw(&base, &systematic, &mut fastrand::Rng::with_seed(n));
            assert_eq!(Environment::parse(&drawn.to_string()), Ok(drawn.clone()), "{drawn}");
            assert!(drawn.stress_spread <= drawn.stress_regions, "{drawn}");
            seen.insert(drawn.to_string());
        }
        assert!(seen.len() > 490, "{}", seen.len());
    }
}
