//! Permutations, partial orders, and choices of one from each list.

/// Every order of the things.
pub fn permutations(things: &[usize]) -> Vec<Vec<usize>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for (i, &first) in things.iter().enumerate() {
        let rest: Vec<usize> =
            things.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, &x)| x).collect();
        out.extend(permutations(&rest).into_iter().map(|p| [vec![first], p].concat()));
    }
    out
}

/// Every choice of one from each list.
pub fn choices<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut out = vec![Vec::new()];
    for list in lists {
        out = out
            .into_iter()
            .flat_map(|p: Vec<T>| list.iter().map(move |x| [p.clone(), vec![x.clone()]].concat()))
            .collect();
    }
    out
}

/// Every transitive relation without cycles among the pairs.
pub fn partial_orders(pairs: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    assert!(pairs.len() <= 12, "too many pairs to enumerate");
    (0..1u32 << pairs.len())
        .map(|bits| {
            (0..pairs.len()).filter(|i| bits >> i & 1 == 1).map(|i| pairs[i]).collect::<Vec<_>>()
        })
        .filter(|r: &Vec<(usize, usize)>| {
            r.iter()
                .all(|&(a, b)| r.iter().all(|&(c, d)| c != b || (a != d && r.contains(&(a, d)))))
        })
        .collect()
}

#[test]
fn counts_are_those_of_the_literature() {
    // Partial orders on 3 and 4 labelled things: OEIS A001035.
    let all = |n: usize| {
        (0..n)
            .flat_map(|a| (0..n).filter(move |&b| a != b).map(move |b| (a, b)))
            .collect::<Vec<_>>()
    };
    assert_eq!([1, 2, 3, 4].map(|n| partial_orders(&all(n)).len()), [1, 3, 19, 219]);
    assert_eq!(permutations(&[7, 8, 9]).len(), 6);
    assert_eq!(choices(&[vec![1, 2], vec![3], vec![4, 5]]).len(), 4);
}
