//! Which of several candidates is most effective, by its scores for several tests (Sorensen and
//! Donaldson, PLDI 2016, section 3.3).

/// The candidates that are *maximally effective*: no other one has a higher score for every test.
pub fn maximal(scores: &[Vec<u64>]) -> Vec<usize> {
    let beaten =
        |a: &Vec<u64>| scores.iter().any(|b| !a.is_empty() && a.iter().zip(b).all(|(a, b)| b > a));
    (0..scores.len()).filter(|&i| !beaten(&scores[i])).collect()
}

/// The most effective candidate: a maximally effective one and, of several, the one that is more
/// effective than most of the others for more tests than not ("the sequence that was most effective
/// for two out of the three litmus tests"). If that leaves several, the one with the greatest
/// product of scores, so that no test counts more for being easy; then the first. `None` if nothing
/// was seen at all.
pub fn best(scores: &[Vec<u64>]) -> Option<usize> {
    let candidates = maximal(scores);
    let wins = |a: &[u64], b: &[u64]| {
        let better = a.iter().zip(b).filter(|(a, b)| a > b).count();
        let worse = a.iter().zip(b).filter(|(a, b)| a < b).count();
        better > worse
    };
    let beats = |i: usize| candidates.iter().filter(|&&j| wins(&scores[i], &scores[j])).count();
    let product = |i: usize| scores[i].iter().map(|&s| (s as f64 + 1.0).ln()).sum::<f64>();
    let chosen = candidates.iter().copied().max_by(|&i, &j| {
        let order = beats(i).cmp(&beats(j)).then(product(i).total_cmp(&product(j)));
        // The last of several maxima is returned; the first is wanted.
        order.then(j.cmp(&i))
    })?;
    scores[chosen].iter().any(|&s| s > 0).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::{best, maximal};

    /// The rows of Table 3 (Titan) with a score for each of MP, LB and SB.
    const TABLE_3: [(&str, [u64; 3]); 3] = [
        ("ld st2 ld", [104_000, 64_000, 93_000]),
        ("st5", [232, 126, 348]),
        ("st3", [266, 90, 674]),
    ];

    fn rows(names: &[&str]) -> Vec<Vec<u64>> {
        names
            .iter()
            .map(|n| TABLE_3.iter().find(|(name, _)| name == n).unwrap().1.to_vec())
            .collect()
    }

    #[test]
    fn table_3() {
        let all = rows(&["st5", "ld st2 ld", "st3"]);
        assert_eq!(maximal(&all), [1]);
        assert_eq!(best(&all), Some(1), "Table 2 has `ld st2 ld` for Titan");
        // Neither of the two is more effective for every test: the tie is broken by two tests out
        // of three.
        let tied = rows(&["st5", "st3"]);
        assert_eq!(maximal(&tied), [0, 1]);
        assert_eq!(best(&tied), Some(1), "st3 is the better one for MP and SB");
    }

    #[test]
    fn ties() {
        // A circle of majorities: the product decides.
        let circle = [vec![3, 2, 10], vec![2, 1, 30], vec![1, 3, 20]];
        assert_eq!(maximal(&circle).len(), 3);
        assert_eq!(best(&circle), Some(1));
        assert_eq!(best(&[vec![5, 5], vec![5, 5]]), Some(0), "equal ones: the first");
        assert_eq!(best(&[vec![0, 0], vec![0, 0]]), None, "nothing was seen");
        assert_eq!(best(&[]), None);
    }
}
