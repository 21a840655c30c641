//! Do the threads of a block come to the same barriers? In code without branches on memory round barriers that is known at once.

use crate::residue::{Line, Origin, Piece};

/// The barriers that a thread comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Barriers {
    /// The same on every way through its code, in order.
    Fixed(Vec<(String, Origin)>),
    /// It depends on memory.
    Open(Option<Origin>),
}

/// The barriers of a thread's code.
pub(crate) fn barriers(code: &[Line]) -> Barriers {
    let mut known: Vec<Option<usize>> = vec![None; code.len() + 1];
    let mut order: Vec<(String, Origin)> = Vec::new();
    let mut ends: Option<usize> = None;
    let mut todo = vec![(0usize, 0usize)];
    let target = |label: u32| code.iter().position(|(p, _)| *p == Piece::Label(label)).unwrap_or(code.len());
    let last = |count: usize, order: &[(String, Origin)]| order.get(count.min(order.len().saturating_sub(1))).map(|b| b.1);
    while let Some((mut at, mut count)) = todo.pop() {
        loop {
            if let Some(before) = known[at] {
                if before != count {
                    return Barriers::Open(last(before.min(count), &order));
                }
                break;
            }
            known[at] = Some(count);
            let Some((piece, origin)) = code.get(at) else {
                if *ends.get_or_insert(count) != count {
                    return Barriers::Open(last(count, &order));
                }
                break;
            };
            match piece {
                Piece::Barrier(text) => {
                    let here = (text.clone(), origin.unwrap_or(Origin { function: 0, instruction: 0 }));
                    match order.get(count) {
                        None => order.push(here),
                        Some(there) if there.0 != here.0 => return Barriers::Open(Some(here.1)),
                        Some(_) => {}
                    }
                    count += 1;
                    at += 1;
                }
                Piece::Jump(None, to) => at = target(*to),
                Piece::Jump(Some(_), to) => {
                    todo.push((target(*to), count));
                    at += 1;
                }
                Piece::End => at = code.len(),
                _ => at += 1,
            }
        }
    }
    Barriers::Fixed(order)
}
