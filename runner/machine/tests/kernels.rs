//! The kernels of tests/kernels on the machine: the right ones are right in every run, the wrong
//! ones go wrong on the weak machine and nowhere else.

mod arrays;

use std::path::Path;

use margay_machine::{FaultKind, LaunchError, LaunchSize, MachineModule, MemoryKind, Schedule};

use arrays::{given, words};

const BLOCKS: u32 = 6;
const BOTH: [MemoryKind; 2] = [MemoryKind::SequentiallyConsistent, MemoryKind::Weak];

fn ptx(file: &str) -> String {
    std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels").join(file),
    )
    .unwrap()
}

fn schedule(memory: MemoryKind, seed: u64) -> Schedule {
    Schedule { seed, memory, places: BLOCKS, steps: 2_000_000 }
}

fn launch(threads: u32) -> LaunchSize {
    LaunchSize { blocks: [BLOCKS, 1, 1], threads: [threads, 1, 1], dynamic_shared: 0 }
}

/// The value of a variable of the module after a run without arguments.
fn counter(file: &str, kernel: &str, memory: MemoryKind, seed: u64) -> u32 {
    let mut device = MachineModule::read(&ptx(file)).unwrap();
    device
        .launch(kernel, launch(1), &[], &schedule(memory, seed))
        .unwrap_or_else(|e| panic!("{kernel}: {e:?}"));
    words(&device, device.variable("counter").unwrap().0, 1)[0]
}

/// What arrays of words hold after a run that was given them all.
fn arrays(
    file: &str,
    kernel: &str,
    threads: u32,
    initial: &[Vec<u32>],
    memory: MemoryKind,
    seed: u64,
) -> Vec<Vec<u32>> {
    let mut device = MachineModule::read(&ptx(file)).unwrap();
    let addresses = given(&mut device, initial);
    let arguments: Vec<Vec<u8>> = addresses.iter().map(|a| a.to_le_bytes().to_vec()).collect();
    device
        .launch(kernel, launch(threads), &arguments, &schedule(memory, seed))
        .unwrap_or_else(|e| panic!("{kernel}: {e:?}"));
    addresses
        .iter()
        .zip(initial)
        .map(|(&address, array)| words(&device, address, array.len()))
        .collect()
}

/// In how many runs something is wrong.
fn wrong(right: impl Fn(u64) -> bool) -> u64 {
    (0..300).filter(|&seed| !right(seed)).count() as u64
}

#[test]
fn locks() {
    for kernel in ["lock_with_fences", "ticket_lock"] {
        for memory in BOTH {
            assert_eq!(
                wrong(|seed| counter("lock.ptx", kernel, memory, seed) == BLOCKS),
                0,
                "{kernel}, {memory:?}"
            );
        }
    }
    for kernel in ["lock_without_fences", "ticket_lock_without_release"] {
        let of = |memory| wrong(|seed| counter("lock.ptx", kernel, memory, seed) == BLOCKS);
        assert_eq!(of(MemoryKind::SequentiallyConsistent), 0, "{kernel}");
        assert!(of(MemoryKind::Weak) > 0, "{kernel}");
    }
}

#[test]
fn barriers_between_blocks() {
    let initial = [vec![0; BLOCKS as usize], vec![99; BLOCKS as usize], vec![0]];
    let expected: Vec<u32> = (0..BLOCKS).map(|b| (b + 1) % BLOCKS).collect();
    let right = |kernel: &str, memory, seed| {
        arrays("barrier.ptx", kernel, 32, &initial, memory, seed)[1] == expected
    };
    for memory in BOTH {
        assert_eq!(wrong(|seed| right("barrier_with_fences", memory, seed)), 0, "{memory:?}");
    }
    for kernel in ["barrier_without_release", "barrier_without_fences"] {
        let of = |memory| wrong(|seed| right(kernel, memory, seed));
        assert_eq!(of(MemoryKind::SequentiallyConsistent), 0, "{kernel}");
        assert!(of(MemoryKind::Weak) > 0, "{kernel}");
    }
}

#[test]
fn reductions_by_the_last_block() {
    let threads = 2;
    let numbers: Vec<u32> = (0..BLOCKS * threads).collect();
    let initial = [numbers.clone(), vec![0; BLOCKS as usize], vec![0], vec![0]];
    let sum: u32 = numbers.iter().sum();
    let right = |kernel: &str, memory, seed| {
        arrays("last_block.ptx", kernel, threads, &initial, memory, seed)[2][0] == sum
    };
    for memory in BOTH {
        assert_eq!(wrong(|seed| right("last_block", memory, seed)), 0, "{memory:?}");
    }
    let of = |memory| wrong(|seed| right("last_block_without_fence", memory, seed));
    assert_eq!(of(MemoryKind::SequentiallyConsistent), 0);
    assert!(of(MemoryKind::Weak) > 0);
}

#[test]
fn flags() {
    let initial = [vec![0], vec![0], vec![42; BLOCKS as usize]];
    let right = |kernel: &str, memory, seed| {
        arrays("flag.ptx", kernel, 1, &initial, memory, seed)[2] == initial[2]
    };
    for memory in BOTH {
        assert_eq!(wrong(|seed| right("fenced_flag", memory, seed)), 0, "{memory:?}");
    }
    assert!(wrong(|seed| right("plain_flag", MemoryKind::Weak, seed)) > 0);
    assert_eq!(wrong(|seed| right("plain_flag", MemoryKind::SequentiallyConsistent, seed)), 0);
}

#[test]
fn what_goes_wrong_is_named() {
    let run = |kernel: &str, arguments: usize, launch: LaunchSize| {
        let mut device = MachineModule::read(&ptx("flag.ptx")).unwrap();
        let word = device.memory.allocate("given", 4).unwrap();
        let arguments = vec![word.to_le_bytes().to_vec(); arguments];
        device.launch(kernel, launch, &arguments, &schedule(MemoryKind::SequentiallyConsistent, 1))
    };
    let fault = |e: Result<_, LaunchError>| match e {
        Err(LaunchError::Fault(fault)) => *fault,
        other => panic!("{other:?}"),
    };
    let waits = LaunchSize { blocks: [2, 1, 1], threads: [1, 1, 1], dynamic_shared: 0 };
    // `data` and `flag` are one word: the flag is raised, and the array of results has one element
    // only.
    let outside = fault(run("flag_that_stays", 3, waits));
    assert!(matches!(outside.kind, FaultKind::Outside { .. }), "{outside:?}");
    assert_eq!((outside.block, outside.function.as_str()), ([1, 0, 0], "flag_that_stays"));
    let alone = LaunchSize { blocks: [2, 1, 1], threads: [1, 1, 1], dynamic_shared: 0 };
    let mut device = MachineModule::read(&ptx("flag.ptx")).unwrap();
    let arrays: Vec<Vec<u8>> = (0..3)
        .map(|_| device.memory.allocate("given", 8).unwrap().to_le_bytes().to_vec())
        .collect();
    let endless =
        fault(device.launch("flag_that_stays", alone, &arrays, &schedule(MemoryKind::Weak, 1)));
    assert_eq!(endless.kind, FaultKind::NoEnd(2_000_000));
    for (kernel, arguments) in [("no_such_kernel", 3), ("plain_flag", 2)] {
        assert!(matches!(run(kernel, arguments, waits), Err(LaunchError::Refused(_))), "{kernel}");
    }
    let huge = LaunchSize { blocks: [u32::MAX, 2, 1], ..waits };
    assert!(matches!(run("plain_flag", 3, huge), Err(LaunchError::Refused(_))));
    let wide = LaunchSize { threads: [2048, 1, 1], ..waits };
    assert!(matches!(run("plain_flag", 3, wide), Err(LaunchError::Refused(_))));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let of = |seed: u64| {
        (0..20u64)
            .map(|n| counter("lock.ptx", "lock_without_fences", MemoryKind::Weak, seed + n))
            .collect::<Vec<u32>>()
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(100));
}
