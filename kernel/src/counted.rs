//! Barriers with a count at which as many threads of a block come as they count: those threads
//! meet, as those of a warp do at `bar.warp.sync`.

use std::collections::{BTreeMap, BTreeSet};

use crate::launch::Launch;
use crate::residue::{CodePiece, Line};

/// Groups of threads that meet, each with its block and the barrier as a litmus test has it.
pub(crate) type CountedBarriers = BTreeSet<(usize, String)>;

/// The number of the first instance that is none of a warp.
pub(crate) const COUNTED: u64 = 1 << 60;

/// The barriers of which that is so: all of a number are alike, nobody only arrives, and as many
/// threads use one as it counts.
pub(crate) fn counted_barriers(launch: Launch, code: &[Vec<Line>]) -> CountedBarriers {
    let mut users: BTreeMap<(usize, String), (BTreeSet<String>, BTreeSet<usize>)> = BTreeMap::new();
    for (thread, code) in code.iter().enumerate() {
        let block = thread / launch.threads.max(1) as usize;
        for (piece, _) in code {
            let CodePiece::Barrier(text) = piece else { continue };
            let Some(number) = number(text) else { continue };
            let (texts, threads) = users.entry((block, number.to_owned())).or_default();
            texts.insert(text.clone());
            threads.insert(thread);
        }
    }
    let is_whole = |(texts, threads): &(BTreeSet<String>, BTreeSet<usize>)| {
        let text = texts.first().filter(|_| texts.len() == 1)?;
        let count: usize = text.strip_prefix("bar.cta.sync ")?.split_once(", ")?.1.parse().ok()?;
        (count == threads.len()).then(|| text.clone())
    };
    users.iter().filter_map(|((block, _), of)| Some((*block, is_whole(of)?))).collect()
}

/// The number of a barrier of the block; nothing for one of a warp.
fn number(text: &str) -> Option<&str> {
    let (_, operands) = text.split_once(' ')?;
    let all: Vec<&str> = operands.split(", ").collect();
    (all.len() < 3).then(|| all[0])
}

/// Code with these barriers as meetings of their threads.
pub(crate) fn as_meetings(
    launch: Launch,
    code: &[Vec<Line>],
    counted: &CountedBarriers,
) -> Vec<Vec<Line>> {
    let mut code = code.to_vec();
    for (thread, code) in code.iter_mut().enumerate() {
        let block = thread / launch.threads.max(1) as usize;
        for (piece, _) in code {
            if let CodePiece::Barrier(text) = piece
                && counted.contains(&(block, text.clone()))
                && let Some((of, count)) = text.trim_start_matches("bar.cta.sync ").split_once(", ")
                && let Ok(of) = of.parse::<u64>()
            {
                *text = format!("bar.cta.sync {}, 0, {count}", COUNTED + block as u64 * 16 + of);
            }
        }
    }
    code
}
