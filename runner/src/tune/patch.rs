//! The critical patch size (Sorensen and Donaldson, PLDI 2016, section 3.2).

use std::collections::BTreeMap;

/// The numbers of ε-patches by size, in locations: a patch is a maximal run of locations each of
/// which yields more than `noise` weak outcomes. A run that the first or the last location is in
/// may go on outside, and counts only if it is all there is.
pub fn patches(weak: &[u64], noise: u64) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    let mut start = None;
    for i in 0..=weak.len() {
        let loud = weak.get(i).is_some_and(|&n| n > noise);
        match (start, loud) {
            (None, true) => start = Some(i),
            (Some(from), false) => {
                *found.entry(i - from).or_default() += 1;
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// The size with the most patches, over all distances of one test; of equally many, the larger.
/// Runs over all locations show no patch.
pub fn most_frequent(runs: &[Vec<u64>], noise: u64) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for weak in runs {
        for (size, count) in patches(weak, noise) {
            if size < weak.len() {
                *counts.entry(size).or_default() += count;
            }
        }
    }
    counts.into_iter().max_by_key(|&(size, count)| (count, size)).map(|(size, _)| size)
}

/// The critical patch size: the one that all tests agree on. The paper also takes 64 for a GPU on
/// which one test of three shows no patches, and another size for none; so tests without patches
/// have no say, and of those that have, more than half must agree.
pub fn critical(by_test: &[Option<usize>]) -> Option<usize> {
    let said: Vec<usize> = by_test.iter().flatten().copied().collect();
    let votes = |size: usize| said.iter().filter(|&&s| s == size).count();
    said.iter().copied().find(|&size| 2 * votes(size) > said.len())
}

#[cfg(test)]
mod tests {
    use super::{critical, most_frequent, patches};

    /// Weak outcomes in some regions of 32 locations and none in others, as Fig. 3a shows them for
    /// Titan.
    fn regions(loud: &[usize], size: usize, count: u64) -> Vec<u64> {
        (0..256).map(|l| if loud.contains(&(l / size)) { count } else { (l % 3) as u64 }).collect()
    }

    #[test]
    fn patches_of_titan() {
        let one = regions(&[1, 4, 6], 32, 40);
        assert_eq!(patches(&one, 3).into_iter().collect::<Vec<_>>(), [(32, 3)]);
        // Two regions beside each other look like one of twice the size: the size with more patches
        // wins.
        let runs = [one, regions(&[0, 1, 5], 32, 25), vec![0; 256]];
        assert_eq!(most_frequent(&runs, 3), Some(32));
        assert_eq!(most_frequent(&[regions(&[1, 3], 64, 9)], 3), Some(64), "C2075");
    }

    #[test]
    fn noise_is_no_patch() {
        assert_eq!(most_frequent(&[regions(&[1], 32, 3)], 3), None);
        assert_eq!(most_frequent(&[vec![9; 256]], 3), None, "the same everywhere: no patch");
    }

    #[test]
    fn tests_agree() {
        assert_eq!(critical(&[Some(32), Some(32), Some(32)]), Some(32));
        assert_eq!(critical(&[None, Some(64), None]), Some(64), "980: LB alone shows patches");
        assert_eq!(critical(&[Some(32), Some(64), Some(32)]), Some(32));
        assert_eq!(critical(&[Some(32), Some(64), None]), None);
        assert_eq!(critical(&[None, None, None]), None);
    }
}
