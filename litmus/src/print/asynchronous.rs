//! Mbarriers and asynchronous operations as text.

use super::instruction::{address, type_suffix, value};
use crate::test::{
    Address, AsyncAction, AsyncCompletion, AsyncFamily, AsyncGroupAction, AsyncOperation,
    AwaitedPhase, Dialect, MbarrierAction, MbarrierOperation, Operation, Space, TensormapOperation,
};

/// An instruction of these; nothing of another.
pub(super) fn operation(operation: &Operation, dialect: Dialect) -> String {
    let at = |a: &Address| address(a, dialect);
    match operation {
        Operation::Mbarrier(operation) => mbarrier(operation, dialect),
        Operation::PendingCount { destination, token } => {
            format!("mbarrier.pending_count {destination}, {}", value(token))
        }
        Operation::MbarrierInitFence => "fence.mbarrier_init.release.cluster".to_owned(),
        Operation::Async(operation) => asynchronous(operation, dialect),
        Operation::WarpgroupFence => "wgmma.fence.sync.aligned".to_owned(),
        Operation::SharedFence { acquires, to_async } => {
            let proxy = if *to_async { "proxy.async::generic." } else { "" };
            let what = if *acquires {
                "acquire.sync_restrict::shared::cluster"
            } else {
                "release.sync_restrict::shared::cta"
            };
            format!("fence.{proxy}{what}.cluster")
        }
        Operation::Tensormap(operation) => tensormap(operation, dialect),
        Operation::AsyncGroup { family, action } => {
            let (name, suffix) = match family {
                AsyncFamily::Element => ("cp.async", ""),
                AsyncFamily::Bulk => ("cp.async.bulk", ""),
                AsyncFamily::Warpgroup => ("wgmma", ".sync.aligned"),
                AsyncFamily::TensorLoad => return "tcgen05.wait::ld.sync.aligned".to_owned(),
                AsyncFamily::TensorStore | AsyncFamily::TensorCore | AsyncFamily::TensorFree => {
                    return "tcgen05.wait::st.sync.aligned".to_owned();
                }
            };
            match action {
                AsyncGroupAction::Commit => format!("{name}.commit_group{suffix}"),
                AsyncGroupAction::Wait { left, reads } => {
                    format!("{name}.wait_group{}{suffix} {left}", if *reads { ".read" } else { "" })
                }
                AsyncGroupAction::WaitAll => "cp.async.wait_all".to_owned(),
            }
        }
        Operation::TensorFence { after } => {
            format!("tcgen05.fence::{}_thread_sync", if *after { "after" } else { "before" })
        }
        Operation::AsyncArrive { family: AsyncFamily::TensorCore, address, .. } => {
            format!(
                "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 {}",
                at(address)
            )
        }
        Operation::AsyncArrive { address, counted, .. } => {
            format!(
                "cp.async.mbarrier.arrive{} {}",
                if *counted { ".noinc" } else { "" },
                at(address)
            )
        }
        _ => String::new(),
    }
}

fn tensormap(operation: &TensormapOperation, dialect: Dialect) -> String {
    let at = |a: &Address| address(a, dialect);
    let bytes = TensormapOperation::BYTES;
    match operation {
        TensormapOperation::Replace { address: a, value: Some(v) } => {
            format!("tensormap.replace.tile.global_address.b1024.b64 {}, {}", at(a), value(v))
        }
        TensormapOperation::Replace { address: a, value: None } => {
            format!("tensormap.replace.tile.rank.b1024.b32 {}, 0", at(a))
        }
        TensormapOperation::Publish { to, from, scope } => format!(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{}.sync.aligned {}, {}, {bytes}",
            scope.name(),
            at(to),
            at(from)
        ),
        TensormapOperation::Release { scope } => {
            format!("fence.proxy.tensormap::generic.release.{}", scope.name())
        }
        TensormapOperation::Acquire { address: a, scope } => {
            format!("fence.proxy.tensormap::generic.acquire.{} {}, {bytes}", scope.name(), at(a))
        }
    }
}

fn mbarrier(
    MbarrierOperation { address: a, is_remote, action }: &MbarrierOperation,
    dialect: Dialect,
) -> String {
    let at = address(a, dialect);
    let space = if *is_remote { ".shared::cluster" } else { "" };
    match action {
        MbarrierAction::Initialise { count } => format!("mbarrier.init{space} {at}, {count}"),
        MbarrierAction::Invalidate => format!("mbarrier.inval{space} {at}"),
        MbarrierAction::Arrive { token, order, scope, count, bytes, drops, incomplete } => {
            let name = if *drops { "arrive_drop" } else { "arrive" };
            let expects = if bytes.is_some() { ".expect_tx" } else { "" };
            let incomplete = if *incomplete { ".noComplete" } else { "" };
            let token = token.as_deref().unwrap_or("_");
            let operand = bytes
                .map_or(if *count == 1 { String::new() } else { format!(", {count}") }, |bytes| {
                    format!(", {bytes}")
                });
            format!(
                "mbarrier.{name}{expects}{incomplete}.{}.{}{space} {token}, {at}{operand}",
                order.name(),
                scope.name()
            )
        }
        MbarrierAction::Expect { scope, bytes } => {
            format!("mbarrier.expect_tx.relaxed.{}{space} {at}, {bytes}", scope.name())
        }
        MbarrierAction::Transfer { scope, bytes } => {
            format!("mbarrier.complete_tx.relaxed.{}{space} {at}, {bytes}", scope.name())
        }
        MbarrierAction::Wait { suspends, destination, order, scope, phase } => {
            let name = if *suspends { "try_wait" } else { "test_wait" };
            let (parity, phase) = match phase {
                AwaitedPhase::Token(token) => ("", token),
                AwaitedPhase::Parity(parity) => (".parity", parity),
            };
            let phase = value(phase);
            format!(
                "mbarrier.{name}{parity}.{}.{}{space} {destination}, {at}, {phase}",
                order.name(),
                scope.name()
            )
        }
    }
}

fn asynchronous(
    AsyncOperation { family, to_space, from_space, action, completion }: &AsyncOperation,
    dialect: Dialect,
) -> String {
    let bulk = &(*family == AsyncFamily::Bulk);
    let at = |a: &Address| format!("[{}]", address(a, dialect).trim_matches(['[', ']'].as_slice()));
    let at = |a: &Address| match (&a.base, &a.offset) {
        // An element of an array has brackets of its own.
        (crate::test::Base::Location(name), None) => name.clone(),
        _ => at(a),
    };
    let many = |all: &[Address]| match all {
        [one] => at(one),
        all => format!("{{{}}}", all.iter().map(at).collect::<Vec<_>>().join(", ")),
    };
    let space = |space: Space| match (space, *bulk) {
        (Space::Shared, true) => "shared::cluster",
        (space, _) => space.name(),
    };
    let from = from_space.map_or(String::new(), |from| match (from, *bulk) {
        // What a bulk copy reads of shared memory is that of its own cta.
        (Space::Shared, true) => ".shared::cta".to_owned(),
        (from, _) => format!(".{}", from.name()),
    });
    let mechanism = match completion {
        AsyncCompletion::Group if *bulk => ".bulk_group",
        AsyncCompletion::Group => "",
        AsyncCompletion::Mbarriers(_) => ".mbarrier::complete_tx::bytes",
    };
    let mbarrier = match completion {
        AsyncCompletion::Group => String::new(),
        AsyncCompletion::Mbarriers(mbarriers) => format!(", {}", many(mbarriers)),
    };
    let to_space = space(*to_space);
    match action {
        AsyncAction::Copy { to, from: source, bytes } => {
            let name = if *bulk { "cp.async.bulk" } else { "cp.async.ca" };
            let multicast = if to.len() > 1 { ".multicast::cluster" } else { "" };
            format!(
                "{name}.{to_space}{from}{mechanism}{multicast} {}, {}, {bytes}{mbarrier}",
                many(to),
                at(source)
            )
        }
        AsyncAction::Tile { function, map, into_shared, shared, global, bytes } => {
            let box_at = global.as_ref().map_or_else(|| "{0}".to_owned(), at);
            let tile = match map.as_slice() {
                [one] => format!("[{}, {box_at}]", address(one, dialect)),
                all => format!(
                    "[{{{}}}, {box_at}]",
                    all.iter().map(|a| address(a, dialect)).collect::<Vec<_>>().join(", ")
                ),
            };
            let multicast = if shared.len() > 1 { ".multicast::cluster" } else { "" };
            let operands =
                if *into_shared { [many(shared), tile] } else { [tile, many(shared)] }.join(", ");
            let (name, function) = match function {
                Some(function) => ("cp.reduce.async", format!(".{}", function.name())),
                None => ("cp.async", String::new()),
            };
            format!(
                "{name}.bulk.tensor.1d.{to_space}{from}{function}.tile{mechanism}{multicast} {operands}, {bytes}{mbarrier}"
            )
        }
        AsyncAction::ReduceFrom { function, ty, to, from: source, bytes } => format!(
            "cp.reduce.async.bulk.{to_space}{from}{mechanism}.{}{} {}, {}, {bytes}{mbarrier}",
            function.name(),
            type_suffix(*ty),
            at(to),
            at(source)
        ),
        AsyncAction::Store { ty, to, values } => {
            let written: Vec<String> = values.iter().map(value).collect();
            let (vector, written) = match written.as_slice() {
                [one] => (String::new(), one.clone()),
                all => (format!(".v{}", all.len()), format!("{{{}}}", all.join(", "))),
            };
            format!(
                "st.async.shared::cluster{mechanism}{vector}{} {}, {written}{mbarrier}",
                type_suffix(*ty),
                at(to)
            )
        }
        AsyncAction::Multiply { to: registers, from } => {
            let from: Vec<String> = from.iter().map(at).collect();
            format!(
                "wgmma.mma_async.sync.aligned {{{}}}, {}",
                registers.join(", "),
                from.join(", ")
            )
        }
        AsyncAction::TensorLoad { to: register, from } => {
            format!("tcgen05.ld.sync.aligned.32x32b.x1.b32 {register}, {}", at(from))
        }
        AsyncAction::TensorStore { to, value: written } => {
            format!("tcgen05.st.sync.aligned.32x32b.x1.b32 {}, {}", at(to), value(written))
        }
        AsyncAction::TensorFree { to } => {
            format!("tcgen05.dealloc.cta_group::1.sync.aligned.b32 {}, 32", at(to))
        }
        AsyncAction::TensorCompute { to, from, accumulates } => match from.as_slice() {
            [one] => format!("tcgen05.cp.cta_group::1.128x256b {}, {}", at(to), at(one)),
            all => format!(
                "tcgen05.mma.cta_group::1.kind::f16 {}, {}, {}",
                at(to),
                all.iter().map(at).collect::<Vec<_>>().join(", "),
                u16::from(*accumulates)
            ),
        },
        AsyncAction::Reduce { function, ty, to, value: operand } => format!(
            "red.async.relaxed.cluster.shared::cluster{mechanism}.{}{} {}, {}{mbarrier}",
            function.name(),
            type_suffix(*ty),
            at(to),
            value(operand)
        ),
    }
}
