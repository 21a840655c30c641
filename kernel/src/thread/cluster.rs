//! Blocks of a cluster: their barrier, and addresses in each other's shared memory.

use margay_ptx::asynchronous::ClusterEffect;
use margay_ptx::effect::Window;
use margay_ptx::{ScalarKind, ScalarType};

use super::value::constant;
use super::{FollowedThread, State, StepEnd};
use crate::layout::{RANK, SHARED};
use crate::mark::MarkKind;
use crate::residue::CodePiece;

impl FollowedThread<'_, '_> {
    pub(super) fn cluster(
        &mut self,
        state: &mut State,
        effect: &ClusterEffect<'_>,
    ) -> Option<StepEnd> {
        Some(match effect {
            ClusterEffect::Arrive(releases) => {
                let relaxed = if *releases { "" } else { ".relaxed" };
                self.push(
                    state,
                    CodePiece::ClusterBarrier(format!("barrier.cluster.arrive{relaxed}")),
                );
                StepEnd::Next
            }
            ClusterEffect::Wait => {
                self.push(state, CodePiece::ClusterBarrier("barrier.cluster.wait".to_owned()));
                StepEnd::Next
            }
            ClusterEffect::MapAddress { window, to, address, rank } => {
                let (address, rank) =
                    (self.value(state, address)?, self.value(state, rank)?.bits());
                let (Some(bits), Some(rank)) = (address.bits(), rank.map(|r| r & 0xffff_ffff))
                else {
                    return Some(self.unknown(
                        state,
                        "the place in the shared memory of another block depends on memory",
                    ));
                };
                if rank >= u64::from(self.launch.cluster) {
                    return Some(self.stop(
                        state,
                        MarkKind::Outside,
                        "an address of a block that the cluster does not have",
                    ));
                }
                let generic = *window == Window::Generic;
                let base = if generic { bits.wrapping_sub(SHARED) } else { bits & 0xffff_ffff };
                let own = u64::from(self.block - self.launch.first_of_cluster(self.block));
                // An address of the block itself is the one that it has without a cluster.
                let mapped = base & (RANK - 1) | if rank == own { 0 } else { (rank + 1) * RANK };
                let mapped = if generic { mapped + SHARED } else { mapped };
                let ty =
                    ScalarType { kind: ScalarKind::Unsigned, bits: if generic { 64 } else { 32 } };
                self.copy(state, *to, &constant(mapped), ty);
                StepEnd::Next
            }
            ClusterEffect::Rank { window, to, address } => {
                let Some(bits) = self.value(state, address)?.bits() else {
                    return Some(self.unknown(
                        state,
                        "the block whose shared memory an address is in depends on memory",
                    ));
                };
                let address = if *window == Window::Generic {
                    bits.wrapping_sub(SHARED)
                } else {
                    bits & 0xffff_ffff
                };
                let own = self.block - self.launch.first_of_cluster(self.block);
                let rank = self.layout.rank(address).unwrap_or(own);
                let ty = ScalarType { kind: ScalarKind::Unsigned, bits: 32 };
                self.copy(state, *to, &constant(u64::from(rank)), ty);
                StepEnd::Next
            }
        })
    }
}
