//! Do the threads of a block come to the same barriers, whatever happens?

use crate::counted::CountedBarriers;
use crate::launch::Launch;
use crate::meeting::{Barriers, Sequence, come_through, with_waits_of_clusters};
use crate::residue::{CodePiece, Line};

/// For each block: do its threads come to the same barriers, all of the whole block or of a warp,
/// and through them?
pub(super) fn uniform(
    launch: Launch,
    code: &[Vec<Line>],
    barriers: &[Barriers],
    counted: &CountedBarriers,
) -> Vec<bool> {
    let threads = launch.threads.max(1) as usize;
    let of_block = |(block, all): (usize, &[Barriers])| {
        let fixed: Option<Vec<&Sequence>> =
            all.iter().map(|b| if let Barriers::Fixed(s) = b { Some(s) } else { None }).collect();
        fixed.is_some_and(|all| {
            let of = |s: &Sequence| {
                s.order
                    .iter()
                    .map(|(text, _)| text.clone())
                    .filter(|t| !t.contains(", 0, ") && !counted.contains(&(block, t.clone())))
                    .collect::<Vec<_>>()
            };
            let first = all.first().map(|s| of(s)).unwrap_or_default();
            first.iter().all(|text| !text.contains(", "))
                && all.iter().all(|s| of(s) == first)
                && come_through(&all)
        })
    };
    // Where there is a barrier of the cluster, each thread waits there in the same order as the
    // others.
    let in_order = |block: usize| {
        let code =
            &code[(block * threads).min(code.len())..((block + 1) * threads).min(code.len())];
        let has_clusters =
            code.iter().flatten().any(|(p, _)| matches!(p, CodePiece::ClusterBarrier(_)));
        !has_clusters || {
            let all: Option<Vec<Sequence>> =
                code.iter().map(|code| with_waits_of_clusters(code)).collect();
            all.is_some_and(|all| come_through(&all.iter().collect::<Vec<_>>()))
        }
    };
    barriers
        .chunks(threads)
        .enumerate()
        .map(|(block, all)| of_block((block, all)) && in_order(block))
        .collect()
}
