//! The ways to divide the threads of a test into groups of scopes.

use std::cmp::Reverse;

use margay_models::execution::{Placement, Scope};

/// Every division of threads into groups of some levels, each group within one of the next wider
/// level; narrow ones first. A level that is not among them has groups as narrow as can be, but for
/// gpus and warps, of which each wider group then has one. `None` if there are more than `most`.
pub fn divisions(threads: usize, levels: &[Scope], most: usize) -> Option<Vec<Vec<Placement>>> {
    let mut levels: Vec<Scope> =
        levels.iter().copied().filter(|&level| level != Scope::Sys).collect();
    levels.sort_unstable_by_key(|&level| Reverse(level));
    levels.dedup();
    // For each thread the numbers of its groups, the widest first; each counts the groups within
    // the one before it.
    let mut all: Vec<Vec<Vec<u16>>> = vec![Vec::new()];
    for _ in 0..threads {
        let mut next = Vec::new();
        for places in &all {
            let mut options: Vec<Vec<u16>> = Vec::new();
            for place in places.iter().filter(|_| !levels.is_empty()) {
                if !options.contains(place) {
                    options.push(place.clone());
                }
            }
            further_groups(places, levels.len(), &mut Vec::new(), &mut options);
            next.extend(options.into_iter().map(|place| [places.as_slice(), &[place]].concat()));
        }
        if next.len() > most {
            return None;
        }
        all = next;
    }
    let placed = |places: Vec<Vec<u16>>| {
        let threads = places.iter().enumerate();
        threads.map(|(thread, groups)| placement(thread as u16, groups, &levels)).collect()
    };
    Some(all.into_iter().map(placed).collect())
}

/// The division in which no two threads share a group of any of the levels.
pub fn apart(threads: usize, levels: &[Scope]) -> Vec<Placement> {
    let mut levels: Vec<Scope> =
        levels.iter().copied().filter(|&level| level != Scope::Sys).collect();
    levels.sort_unstable_by_key(|&level| Reverse(level));
    levels.dedup();
    (0..threads as u16)
        .map(|thread| placement(thread, &vec![thread; levels.len()], &levels))
        .collect()
}

/// Adds the groups within `outer` that are not among those found: those that have threads, and one
/// of each level that has none.
fn further_groups(
    places: &[Vec<u16>],
    depth: usize,
    outer: &mut Vec<u16>,
    found: &mut Vec<Vec<u16>>,
) {
    if outer.len() == depth {
        if !found.contains(outer) {
            found.push(outer.clone());
        }
        return;
    }
    let within = places.iter().filter(|place| place.starts_with(outer));
    let new = within.map(|place| place[outer.len()] + 1).max().unwrap_or(0);
    for number in 0..=new {
        outer.push(number);
        further_groups(places, depth, outer, found);
        outer.pop();
    }
}

fn placement(thread: u16, groups: &[u16], levels: &[Scope]) -> Placement {
    let number = |level: Scope| {
        let mut narrower = levels.iter().zip(groups).skip_while(|(known, _)| **known > level);
        let of = narrower.next();
        match level {
            Scope::Gpu | Scope::Warp => {
                of.filter(|(known, _)| **known == level).map_or(0, |(_, &number)| number)
            }
            Scope::Cluster | Scope::Cta | Scope::Sys => of.map_or(thread, |(_, &number)| number),
        }
    };
    Scope::LEVELS
        .into_iter()
        .fold(Placement::default(), |place, level| place.with_number(level, number(level)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Which threads share which of the levels: what a division is, whatever its numbers.
    fn shared(places: &[Placement], levels: &[Scope]) -> Vec<bool> {
        let pairs = places.iter().flat_map(|a| places.iter().map(move |b| (a, b)));
        pairs.flat_map(|(a, b)| levels.iter().map(|&level| a.shares(level, *b))).collect()
    }

    /// Against all assignments of numbers.
    #[test]
    fn each_division_is_there_once() {
        let [warp, cta, cluster, gpu] = [Scope::Warp, Scope::Cta, Scope::Cluster, Scope::Gpu];
        for levels in [
            vec![],
            vec![gpu],
            vec![cta],
            vec![cta, gpu],
            vec![warp, cta],
            vec![warp, gpu],
            vec![cta, cluster, gpu],
        ] {
            for threads in 0..=3 {
                let found = divisions(threads, &levels, 1000).expect("they are few");
                let distinct: BTreeSet<Vec<bool>> =
                    found.iter().map(|places| shared(places, &levels)).collect();
                assert_eq!(distinct.len(), found.len(), "{levels:?}, {threads}");
                let mut expected: BTreeSet<Vec<bool>> = BTreeSet::new();
                for code in 0..27_u32.pow(threads as u32) {
                    // What is not a level is alone, so that it divides nothing by itself.
                    let of = |thread: u32| {
                        let digits = code / 27_u32.pow(thread);
                        let numbers =
                            [digits % 3, digits / 3 % 3, digits / 9 % 3].map(|n| n as u16);
                        let mut place = Placement::default();
                        for (&level, number) in levels.iter().zip(numbers) {
                            place = place.with_number(level, number);
                        }
                        if !levels.contains(&cluster) {
                            place = place.with_number(
                                cluster,
                                if levels.contains(&cta) { place.cta } else { thread as u16 },
                            );
                        }
                        if !levels.contains(&cta) {
                            place = place.with_number(
                                cta,
                                if levels.contains(&warp) { place.warp } else { thread as u16 },
                            );
                            place = place.with_number(
                                cluster,
                                if levels.contains(&cluster) { place.cluster } else { place.cta },
                            );
                        }
                        place
                    };
                    let places: Vec<Placement> = (0..threads as u32).map(of).collect();
                    expected.insert(shared(&places, &levels));
                }
                assert_eq!(distinct, expected, "{levels:?}, {threads}");
            }
        }
        for levels in [vec![gpu], vec![cta], vec![cta, gpu], vec![warp, cta]] {
            let all = divisions(3, &levels, 1000).expect("they are few");
            let alone = shared(&apart(3, &levels), &levels);
            let narrowest = all
                .iter()
                .map(|places| shared(places, &levels))
                .filter(|division| *division == alone)
                .count();
            assert_eq!(
                (narrowest, alone.iter().filter(|&&shares| shares).count()),
                (1, 3 * levels.len()),
                "{levels:?}"
            );
        }
        assert_eq!(divisions(4, &[cta, gpu], 59), None);
        assert_eq!(divisions(4, &[cta, gpu], 60).map(|all| all.len()), Some(60));
    }
}
