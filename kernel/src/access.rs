//! The memory that pieces of code access, and how strongly.

use crate::layout::Object;
use crate::residue::{CodePiece, MbarrierPiece, MbarrierUse, MemoryCell};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessStrength {
    Weak,
    /// Strong for the threads of the block.
    Block,
    /// Strong for all threads of the launch.
    Strong,
}

/// All memory that a piece accesses, and how strongly. To initialise an mbarrier is to write it;
/// else its operations do not race.
pub(crate) fn accesses(piece: &CodePiece) -> Vec<(MemoryCell, AccessStrength)> {
    match piece {
        CodePiece::Mbarrier(MbarrierPiece { cell, how: MbarrierUse::Initialise, .. }) => {
            vec![(*cell, AccessStrength::Weak)]
        }
        CodePiece::Mbarrier(MbarrierPiece { cell, .. }) => vec![(*cell, AccessStrength::Strong)],
        CodePiece::Issue(issue) => {
            let data = [Some(issue.to), issue.from()]
                .into_iter()
                .flatten()
                .map(|cell| (cell, AccessStrength::Weak));
            let maps = issue.maps.iter().map(|&cell| (cell, AccessStrength::Weak));
            data.chain(maps)
                .chain(issue.mbarrier.map(|cell| (cell, AccessStrength::Strong)))
                .collect()
        }
        other => access(other).into_iter().collect(),
    }
}

/// To an operation on an mbarrier each is; to an asynchronous one the cell by which it says that it
/// is complete.
pub(crate) fn is_mbarrier(piece: &CodePiece, cell: MemoryCell) -> bool {
    match piece {
        CodePiece::Mbarrier(_) => true,
        CodePiece::Issue(issue) => issue.mbarrier == Some(cell),
        _ => false,
    }
}

pub(crate) fn accesses_memory(piece: &CodePiece) -> bool {
    matches!(piece, CodePiece::Mbarrier(_) | CodePiece::Issue(_) | CodePiece::Group(_))
        || access(piece).is_some()
        || fenced(piece).is_some()
}

/// The place that a fence for one place alone is for.
pub(crate) fn fenced(piece: &CodePiece) -> Option<MemoryCell> {
    match piece {
        CodePiece::Write { operation, cell, .. } if operation.starts_with("fence") => Some(*cell),
        _ => None,
    }
}

/// Does a piece write a cell?
pub(crate) fn writes(piece: &CodePiece, cell: MemoryCell) -> bool {
    match piece {
        CodePiece::Write { .. } => fenced(piece).is_none(),
        CodePiece::Mbarrier(piece) => piece.how != MbarrierUse::Wait,
        CodePiece::Issue(issue) => {
            issue.to == cell && issue.writes() || issue.mbarrier == Some(cell)
        }
        _ => false,
    }
}

/// The memory that a piece accesses, and how strongly.
pub(crate) fn access(piece: &CodePiece) -> Option<(MemoryCell, AccessStrength)> {
    let (CodePiece::Read { operation, cell, .. } | CodePiece::Write { operation, cell, .. }) =
        piece
    else {
        return None;
    };
    if fenced(piece).is_some() {
        return None;
    }
    // What goes from lane to lane is no memory of the kernel: it is there where its values matter.
    if matches!(cell.object, Object::Exchange(..)) {
        return Some((*cell, AccessStrength::Weak));
    }
    let mut words = operation.split(['.', ' ']).skip(1);
    let strength = match words.next() {
        Some("weak") => AccessStrength::Weak,
        Some("volatile" | "mmio") => AccessStrength::Strong,
        _ => match words.next() {
            Some("gpu" | "sys") => AccessStrength::Strong,
            Some("cta" | "cluster") => AccessStrength::Block,
            _ => AccessStrength::Weak,
        },
    };
    Some((*cell, strength))
}

pub(crate) fn is_modification(piece: &CodePiece) -> bool {
    matches!(piece, CodePiece::Write { operation, .. } if !operation.starts_with("st.") && !operation.starts_with("fence"))
}

/// Does what is in memory decide whether it writes?
pub(crate) fn is_conditional(piece: &CodePiece) -> bool {
    matches!(piece, CodePiece::Write { operation, .. } if operation.contains(".cas."))
}
