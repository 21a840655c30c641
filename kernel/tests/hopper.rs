//! Kernels for Hopper as people write them: each is asked about in the launches for which it is
//! written, without these being named.

use margay_kernel::launch::GivenArgument;
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

const HOPPER: &str = include_str!("../../tests/kernels/hopper.ptx");

fn asked(kernel: &str, arguments: &[GivenArgument]) -> KernelAnswer {
    let module = margay_ptx::read(HOPPER).expect("it is read");
    let function = module.function(kernel).expect(kernel);
    ask(&KernelQuestion { arguments, ..KernelQuestion::new(HOPPER, &module, function) })
        .unwrap_or_else(|why| panic!("{kernel}: {why}"))
}

/// The launches that were asked about, and what is found in the last of them.
fn judged(kernel: &str, arguments: &[GivenArgument]) -> (Vec<String>, Vec<FindingKind>) {
    let answer = asked(kernel, arguments);
    assert!(
        answer.wrong().is_some() || answer.is_settled(true),
        "{kernel}: {:#?}",
        answer.not_looked()
    );
    let found = answer.wrong().map(|l| l.findings.iter().map(|f| f.kind).collect());
    (answer.launches.iter().map(|l| l.launch.to_string()).collect(), found.unwrap_or_default())
}

fn all(launches: &[&str]) -> Vec<String> {
    launches.iter().map(|&l| l.to_owned()).collect()
}

/// A tile comes, is changed where it lies, and goes back. The copy that comes is that of all its
/// bytes, and each thread accesses four of them.
#[test]
fn a_tile_that_is_changed_in_place_is_answered() {
    assert_eq!(judged("in_place", &[]), (all(&["1x64", "2x64"]), vec![]));
    assert_eq!(judged("in_place_without_fence", &[]), (all(&["1x64"]), vec![FindingKind::Race]));
}

/// In the blocks for which a kernel is written an mbarrier that waits for more arrivals than come
/// is a mistake, and no sign of too few threads.
#[test]
fn arrivals_that_do_not_come_are_found_in_the_launch_of_the_kernel() {
    assert_eq!(judged("in_place_of_two", &[]), (all(&["1x64"]), vec![FindingKind::Endless]));
}

/// A cluster of blocks that have roles is asked about in blocks of its `__launch_bounds__`, also
/// where an mbarrier is there that nobody waits for, and where fewer threads than a block has share
/// a row.
#[test]
fn blocks_of_a_cluster_have_their_size() {
    let cluster = || all(&["2x64@cluster=2"]);
    assert_eq!(judged("halves", &[]), (cluster(), vec![]));
    for wrong in ["halves_released_at_home", "halves_begun_too_early"] {
        assert_eq!(judged(wrong, &[]), (cluster(), vec![FindingKind::Race]), "{wrong}");
    }
}

/// Two blocks of a kernel that has blocks of one size are asked about, too, where it asks for their
/// numbers: they may store one tile.
#[test]
fn two_blocks_of_one_size_are_asked_about() {
    let both = || all(&["1x32", "2x32"]);
    assert_eq!(judged("tiles_of_blocks", &[]), (both(), vec![]));
    assert_eq!(judged("tiles_at_one_place", &[]), (both(), vec![FindingKind::Race]));
}

/// Of a multimem address the memory of one device is looked at, and the answer says so.
#[test]
fn multimem_addresses_are_those_of_one_device() {
    let one = ["3=1".parse().expect("an argument")];
    assert_eq!(judged("all_reduced", &one), (all(&["1x2", "1x4", "1x33"]), vec![]));
    assert_eq!(judged("all_reduced_too_early", &one), (all(&["1x2"]), vec![FindingKind::Race]));
    let said = format!("{:?}", asked("all_reduced", &one).not_looked());
    assert_eq!(said.matches("the memory of this device alone is looked at").count(), 3, "{said}");
}
