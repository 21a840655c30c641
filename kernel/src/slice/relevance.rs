//! Which registers and places of a launch have values that matter: those that reach a branch, an
//! address, or what is asked.

use super::{Slicer, is_register};
use crate::access::access;
use crate::exchange::fetched;
use crate::residue::{CodePiece, is_inner};

impl Slicer<'_> {
    /// Which registers and places have values that matter.
    pub(super) fn flow(&mut self) {
        for (thread, code) in self.code.iter().enumerate() {
            for (at, (piece, _)) in code.iter().enumerate() {
                match piece {
                    CodePiece::Jump(Some((register, _)), _) => match fetched(code, at) {
                        Some(value) => {
                            self.awaited[thread].extend([value.to_owned(), register.clone()])
                        }
                        None => {
                            self.registers[thread].insert(register.clone());
                        }
                    },
                    // An mbarrier decides who goes on.
                    CodePiece::Mbarrier(_) => {
                        self.registers[thread].extend(
                            piece.reads().into_iter().filter(|r| is_register(r)).map(str::to_owned),
                        );
                    }
                    CodePiece::Other(_) | CodePiece::Read { .. } | CodePiece::Write { .. } => {
                        let named = piece.writes().filter(|to| !is_inner(to)).map(str::to_owned);
                        self.registers[thread].extend(named);
                    }
                    _ => {}
                }
            }
        }
        loop {
            let mut changed = false;
            for (thread, code) in self.code.iter().enumerate() {
                for (at, (piece, _)) in code.iter().enumerate() {
                    // Where the value of a lane matters it is waited for.
                    if let CodePiece::Jump(Some((register, _)), _) = piece
                        && fetched(code, at)
                            .is_some_and(|value| self.registers[thread].contains(value))
                    {
                        changed |= self.registers[thread].insert(register.clone());
                    }
                    let cell = access(piece).map(|(cell, _)| self.places[&cell]);
                    let result =
                        piece.writes().is_some_and(|to| self.registers[thread].contains(to));
                    if let (true, Some(place)) = (result, cell) {
                        changed |= !std::mem::replace(&mut self.relevant[place], true);
                    }
                    if let CodePiece::Issue(issue) = piece
                        && let Some(from) = issue.from()
                        && self.relevant[self.places[&issue.to]]
                    {
                        changed |= !std::mem::replace(&mut self.relevant[self.places[&from]], true);
                    }
                    let reads = match piece {
                        CodePiece::Other(_) => result,
                        CodePiece::Issue(_) => true,
                        CodePiece::Write { .. } => cell.is_some_and(|place| self.relevant[place]),
                        _ => false,
                    };
                    if reads {
                        for register in piece.reads() {
                            if is_register(register) && !self.registers[thread].contains(register) {
                                self.registers[thread].insert(register.to_owned());
                                changed = true;
                            }
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }
}
