//! What the lanes of a warp exchange (votes, shuffles, matches, reductions, the election of one of
//! them, and who is there together), against what the PTX ISA says of each, computed here lane by
//! lane: for full warps and a last one that is not, for masks, for lanes that come by different
//! ways or have ended.

mod arrays;

use std::path::Path;

use fastrand::Rng;
use margay_machine::{FaultKind, LaunchError, LaunchSize, MachineModule, MemoryKind, Schedule};

use arrays::{given, words};

const BOTH: [MemoryKind; 2] = [MemoryKind::SequentiallyConsistent, MemoryKind::Weak];

const HEADER: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// Exchanges, each with a result in `%r10` and one beside it in `%r11`; `%r2` is what the lane
/// brings, `%r3` its mask, `%p2` whether what it brings is odd.
const EXCHANGES: [&str; 19] = [
    "vote.sync.all.pred %p3, %p2, %r3;\nselp.u32 %r10, 1, 0, %p3;",
    "vote.sync.any.pred %p3, !%p2, %r3;\nselp.u32 %r10, 1, 0, %p3;",
    "vote.sync.uni.pred %p3, %p2, %r3;\nselp.u32 %r10, 1, 0, %p3;",
    "vote.sync.ballot.b32 %r10, %p2, %r3;",
    "match.any.sync.b32 %r10, %r2, %r3;",
    "match.all.sync.b32 %r10|%p3, %r2, %r3;\nselp.u32 %r11, 1, 0, %p3;",
    "match.any.sync.b64 %r10, %rd9, %r3;",
    "redux.sync.add.u32 %r10, %r2, %r3;",
    "redux.sync.min.u32 %r10, %r2, %r3;",
    "redux.sync.max.u32 %r10, %r2, %r3;",
    "redux.sync.min.s32 %r10, %r2, %r3;",
    "redux.sync.max.s32 %r10, %r2, %r3;",
    "redux.sync.and.b32 %r10, %r2, %r3;",
    "redux.sync.xor.b32 %r10, %r2, %r3;",
    "shfl.sync.up.b32 %r10|%p3, %r2, 3, 0, %r3;\nselp.u32 %r11, 1, 0, %p3;",
    "shfl.sync.down.b32 %r10|%p3, %r2, 5, 31, %r3;\nselp.u32 %r11, 1, 0, %p3;",
    "shfl.sync.bfly.b32 %r10|%p3, %r2, 9, 31, %r3;\nselp.u32 %r11, 1, 0, %p3;",
    // Segments of eight lanes.
    "shfl.sync.idx.b32 %r10|%p3, %r2, 6, 6175, %r3;\nselp.u32 %r11, 1, 0, %p3;",
    "elect.sync %r10|%p3, %r3;\nselp.u32 %r11, 1, 0, %p3;",
];

/// What exchange number `n` gives a lane, and what stands beside it; nothing where the ISA leaves
/// it open. `all` is who takes part, with what it brings.
fn expected(n: usize, lane: u32, all: &[(u32, u32)]) -> (Option<u32>, u32) {
    let own = all.iter().find(|(l, _)| *l == lane).unwrap().1;
    let values = || all.iter().map(|(_, v)| *v);
    let mask = |is_in: &dyn Fn(u32) -> bool| {
        all.iter().filter(|(_, v)| is_in(*v)).map(|(l, _)| 1u32 << l).sum::<u32>()
    };
    let odd = |v: u32| v % 2 == 1;
    let one = |is: bool| (Some(u32::from(is)), 0);
    let of = |lane: Option<u32>| {
        (
            lane.and_then(|from| all.iter().find(|(l, _)| *l == from)).map(|(_, v)| *v),
            u32::from(lane.is_some()),
        )
    };
    match n {
        0 => one(values().all(odd)),
        1 => one(values().any(|v| !odd(v))),
        2 => one(values().all(odd) || !values().any(odd)),
        3 => (Some(mask(&odd)), 0),
        4 => (Some(mask(&|v| v == own)), 0),
        5 => match values().all(|v| v == own) {
            true => (Some(mask(&|_| true)), 1),
            false => (Some(0), 0),
        },
        // The upper half of what is brought is `v % 3`, the lower one the same for all.
        6 => (Some(mask(&|v| v % 3 == own % 3)), 0),
        7 => (Some(values().fold(0, u32::wrapping_add)), 0),
        8 => (values().min(), 0),
        9 => (values().max(), 0),
        10 => (values().map(|v| v as i32).min().map(|v| v as u32), 0),
        11 => (values().map(|v| v as i32).max().map(|v| v as u32), 0),
        12 => (Some(values().fold(u32::MAX, |a, b| a & b)), 0),
        13 => (Some(values().fold(0, |a, b| a ^ b)), 0),
        14 => of(lane.checked_sub(3)),
        15 => of((lane + 5 < 32).then_some(lane + 5)),
        16 => of(Some(lane ^ 9)),
        17 => of(Some(lane / 8 * 8 + 6)),
        18 => {
            let leader = all.iter().map(|(l, _)| *l).min().unwrap();
            (Some(leader), u32::from(leader == lane))
        }
        _ => unreachable!(),
    }
}

fn schedule(memory: MemoryKind, seed: u64) -> Schedule {
    Schedule { seed, memory, places: 8, steps: 4_000_000 }
}

/// Runs a kernel of one block that is given these arrays, and says what they hold then.
fn run(
    text: &str,
    kernel: &str,
    threads: u32,
    initial: &[Vec<u32>],
    schedule: &Schedule,
) -> Result<Vec<Vec<u32>>, LaunchError> {
    let mut device = MachineModule::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let addresses = given(&mut device, initial);
    let arguments: Vec<Vec<u8>> = addresses.iter().map(|a| a.to_le_bytes().to_vec()).collect();
    let launch = LaunchSize { blocks: [1, 1, 1], threads: [threads, 1, 1], dynamic_shared: 0 };
    device.launch(kernel, launch, &arguments, schedule)?;
    Ok(addresses
        .iter()
        .zip(initial)
        .map(|(&address, array)| words(&device, address, array.len()))
        .collect())
}

fn fault(ended: Result<Vec<Vec<u32>>, LaunchError>) -> FaultKind {
    match ended {
        Err(LaunchError::Fault(fault)) => fault.kind,
        other => panic!("{other:?}"),
    }
}

/// A kernel whose threads, given what they bring (`px`) and their masks (`pm`; 0 ends a thread at
/// once), do `body` and store `%r10` and `%r11` to `po` by `STORE`, each time two words further.
fn kernel(body: &str) -> String {
    let store = "st.global.u32 [%rd5], %r10;\nst.global.u32 [%rd5+4], %r11;\nadd.s64 %rd5, %rd5, 8;\nmov.u32 %r10, 0;\nmov.u32 %r11, 0;\n";
    format!(
        "{HEADER}.visible .entry test(.param .u64 px, .param .u64 pm, .param .u64 po)\n{{\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .pred %p<9>;\n\
         ld.param.u64 %rd1, [px];\nld.param.u64 %rd2, [pm];\nld.param.u64 %rd3, [po];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 4;\n\
         add.s64 %rd1, %rd1, %rd4;\nadd.s64 %rd2, %rd2, %rd4;\nld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd2];\n\
         mul.wide.u32 %rd5, %r1, {};\nadd.s64 %rd5, %rd5, %rd3;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 exit;\nand.b32 %r4, %r2, 1;\nsetp.ne.u32 %p2, %r4, 0;\n\
         rem.u32 %r5, %r2, 3;\nmov.b64 %rd9, {{%r4, %r5}};\nmov.u32 %r6, 7;\nmov.b64 %rd9, {{%r6, %r5}};\nmov.u32 %r10, 0;\nmov.u32 %r11, 0;\n{}ret;\n}}\n",
        EXCHANGES.len() * 8,
        body.replace("STORE", store)
    )
}

/// Groups of lanes of one warp of so many: each lane is in one of them or in none.
fn groups(rng: &mut Rng, lanes: u32) -> Vec<Vec<u32>> {
    let count = 1 + rng.usize(..3);
    let mut groups = vec![Vec::new(); count + 1];
    // Half of the time all lanes are in one.
    let chosen: Vec<usize> =
        (0..lanes).map(|_| if rng.bool() { rng.usize(..=count) } else { 0 }).collect();
    let all = rng.bool();
    for lane in 0..lanes {
        groups[if all { 0 } else { chosen[lane as usize] }].push(lane);
    }
    // Lanes of the last group end at once.
    groups.pop();
    groups.retain(|group| !group.is_empty());
    groups
}

fn brought(rng: &mut Rng) -> Vec<u32> {
    let kind = rng.usize(..3);
    let same = rng.u32(..);
    (0..64)
        .map(|_| {
            if kind == 0 {
                rng.u32(..)
            } else {
                same.wrapping_add(rng.u32(..3) * u32::from(kind == 1))
            }
        })
        .collect()
}

/// Compares what is stored with what is expected of these groups in each warp of a block.
fn compare(out: &[u32], values: &[u32], warps: &[Vec<Vec<u32>>], numbers: &[usize], seed: u64) {
    for (warp, groups) in warps.iter().enumerate() {
        for group in groups {
            let at = |lane: u32| warp * 32 + lane as usize;
            let all: Vec<(u32, u32)> = group.iter().map(|&l| (l, values[at(l)])).collect();
            for &lane in group {
                for (k, &n) in numbers.iter().enumerate() {
                    let got = &out[(at(lane) * EXCHANGES.len() + k) * 2..][..2];
                    let (value, beside) = expected(n, lane, &all);
                    let own = values[at(lane)];
                    // A shuffle from outside of the warp gives the lane its own value.
                    let value =
                        if (14..18).contains(&n) && beside == 0 { Some(own) } else { value };
                    assert!(
                        value.is_none_or(|v| v == got[0]),
                        "seed {seed}, {}, lane {lane} of {group:?}: {got:?}",
                        EXCHANGES[n]
                    );
                    assert_eq!(
                        beside, got[1],
                        "seed {seed}, {}, lane {lane} of {group:?}",
                        EXCHANGES[n]
                    );
                }
            }
        }
    }
}

#[test]
fn lanes_get_what_the_isa_says() {
    let body: String = EXCHANGES.iter().map(|e| format!("{e}\nSTORE")).collect();
    let text = kernel(&body);
    let numbers: Vec<usize> = (0..EXCHANGES.len()).collect();
    let mut rng = Rng::with_seed(20);
    for seed in 0..60 {
        // A whole warp and one of eight lanes.
        let values = brought(&mut rng);
        let warps = [groups(&mut rng, 32), groups(&mut rng, 8)];
        let mut masks = vec![0; 64];
        for (warp, groups) in warps.iter().enumerate() {
            for group in groups {
                let mask: u32 = group.iter().map(|l| 1 << l).sum();
                // Bits of lanes that the last warp does not have are those of nobody.
                let nobody = if warp == 1 { 0xffff_ff00 & rng.u32(..) } else { 0 };
                let nobody = if groups.len() == 1 { nobody } else { 0 };
                group.iter().for_each(|&l| masks[warp * 32 + l as usize] = mask | nobody);
            }
        }
        for memory in BOTH {
            let out = vec![0xffff_ffff; 64 * EXCHANGES.len() * 2];
            let ended = run(
                &text,
                "test",
                40,
                &[values.clone(), masks.clone(), out],
                &schedule(memory, seed),
            );
            compare(
                &ended.unwrap_or_else(|e| panic!("seed {seed}: {e:?}"))[2],
                &values,
                &warps,
                &numbers,
                seed,
            );
        }
    }
}

/// Lanes of one mask come by different ways, and groups do different things at the same time.
#[test]
fn lanes_that_go_different_ways_meet() {
    // Lanes 16 to 31 loop before they come, and their exchange is another instruction.
    let body = format!(
        "setp.lt.u32 %p4, %r1, 16;\n@%p4 bra LOW;\nmov.u32 %r20, 30;\nLOOP:\nsub.u32 %r20, %r20, 1;\nsetp.ne.u32 %p5, %r20, 0;\n@%p5 bra LOOP;\n\
         {ballot}\nSTORE{shuffle}\nSTOREret;\nLOW:\n{ballot}\nSTORE{shuffle}\nSTORE",
        ballot = EXCHANGES[3],
        shuffle = EXCHANGES[16],
    );
    let text = kernel(&body);
    let mut rng = Rng::with_seed(21);
    for seed in 0..40 {
        let values = brought(&mut rng);
        let warps = [groups(&mut rng, 32)];
        let mut masks = vec![0; 64];
        for group in &warps[0] {
            group.iter().for_each(|&l| masks[l as usize] = group.iter().map(|l| 1 << l).sum());
        }
        for memory in BOTH {
            let out = vec![0xffff_ffff; 64 * EXCHANGES.len() * 2];
            let ended = run(
                &text,
                "test",
                32,
                &[values.clone(), masks.clone(), out],
                &schedule(memory, seed),
            )
            .unwrap();
            compare(&ended[2], &values, &warps, &[3, 16], seed);
        }
    }
}

/// Lanes that end are not waited for, before or after others have come; one that does something
/// else is waited for until nothing moves.
#[test]
fn who_does_not_come() {
    let values: Vec<u32> = (0..64).collect();
    let masks = vec![u32::MAX; 64];
    let out = vec![0; 64 * EXCHANGES.len() * 2];
    let given = [values, masks, out];
    // Odd lanes end without an exchange: the ballot of odd values is that of nobody.
    let ends = kernel(&format!("@%p2 exit;\n{}\nSTORE", EXCHANGES[2]));
    let loops = kernel(&format!(
        "@!%p2 bra COME;\nmov.u32 %r20, 99;\nLOOP:\nsub.u32 %r20, %r20, 1;\nsetp.ne.u32 %p5, %r20, 0;\n@%p5 bra LOOP;\nexit;\nCOME:\n{}\nSTORE",
        EXCHANGES[2]
    ));
    for text in [ends, loops] {
        for seed in 0..20 {
            let out =
                &run(&text, "test", 32, &given, &schedule(MemoryKind::Weak, seed)).unwrap()[2];
            assert!(
                (0..32).all(|t| out[t * EXCHANGES.len() * 2] == u32::from(t % 2 == 0)),
                "{out:?}"
            );
        }
    }
    // Other qualifiers, and another mask: each waits for the other.
    let other_kind = kernel(&format!(
        "@%p2 bra ODD;\n{}\nSTOREret;\nODD:\n{}\nSTORE",
        EXCHANGES[7], EXCHANGES[8]
    ));
    let other_mask = kernel(&format!(
        "@%p2 bra ODD;\n{}\nSTOREret;\nODD:\nand.b32 %r3, %r3, 0xaaaaaaab;\n{}\nSTORE",
        EXCHANGES[7], EXCHANGES[7]
    ));
    for text in [other_kind, other_mask] {
        let ended =
            run(&text, "test", 32, &given, &schedule(MemoryKind::SequentiallyConsistent, 1));
        assert_eq!(fault(ended), FaultKind::BarrierNeverMet);
    }
    let not_named = kernel(&format!("mov.u32 %r3, 1;\n{}\nSTORE", EXCHANGES[7]));
    let kind = fault(run(
        &not_named,
        "test",
        32,
        &given,
        &schedule(MemoryKind::SequentiallyConsistent, 1),
    ));
    assert_eq!(kind, FaultKind::NotOfMask);
    let barrier = kernel("bar.warp.sync 2;\nSTORE");
    assert_eq!(
        fault(run(&barrier, "test", 32, &given, &schedule(MemoryKind::SequentiallyConsistent, 1))),
        FaultKind::NotOfMask
    );
    assert_eq!(
        kind.to_string(),
        "a barrier or an exchange of a warp whose mask does not name the thread"
    );
    let floats = kernel("redux.sync.min.f32 %r10, %r2, %r3;\nSTORE");
    assert!(matches!(
        fault(run(&floats, "test", 32, &given, &schedule(MemoryKind::SequentiallyConsistent, 1))),
        FaultKind::Unknown(_)
    ));
}

/// Who is together goes on together: the mask names lanes that take the same way, the lane among
/// them, and all of them get the same one.
#[test]
fn who_is_there_together() {
    // Odd and even lanes are never together; lanes of four that is left out by its predicate are
    // with nobody. What a lane still loads into the register of the mask is there before the mask
    // is.
    let way = "ld.global.u32 %r10, [%rd1];\nmov.u32 %r3, 7;\nactivemask.b32 %r10;\nmov.u32 %r3, %r10;\nSTOREredux.sync.add.u32 %r10, %r2, %r3;\nSTORE";
    let of_mask =
        "rem.u32 %r7, %r1, 4;\nsetp.eq.u32 %p6, %r7, 0;\n@!%p6 activemask.b32 %r10;\nSTORE";
    let text = kernel(&format!("@%p2 bra ODD;\n{way}{of_mask}ret;\nODD:\n{way}"));
    let given = [(0..64).collect(), vec![u32::MAX; 64], vec![0; 64 * EXCHANGES.len() * 2]];
    let (mut largest, mut smallest) = (0, 32);
    for seed in 0..60 {
        for memory in BOTH {
            let out = &run(&text, "test", 32, &given, &schedule(memory, seed)).unwrap()[2];
            let of = |lane: u32, k: usize| out[(lane as usize * EXCHANGES.len() + k) * 2];
            for lane in 0..32 {
                let mask = of(lane, 0);
                let ways = if lane % 2 == 0 { 0x5555_5555 } else { 0xaaaa_aaaa };
                assert!(mask >> lane & 1 == 1 && mask & !ways == 0, "lane {lane}: {mask:#x}");
                let together = || (0..32).filter(|l| mask >> l & 1 == 1);
                assert!(together().all(|l| of(l, 0) == mask), "lane {lane}: {mask:#x}");
                assert_eq!(of(lane, 1), together().sum::<u32>());
                let of_four = of(lane, 2);
                assert!(lane % 4 != 0 || of_four == 0);
                assert_eq!(of_four & 0x1111_1111, 0, "lane {lane}: {of_four:#x}");
                (largest, smallest) =
                    (largest.max(mask.count_ones()), smallest.min(mask.count_ones()));
            }
        }
    }
    // It promises nothing, and both happen.
    assert!(largest > 4 && smallest == 1, "{smallest} to {largest}");
}

/// Kernels as nvcc makes them: a sum by shuffles, a compaction by a ballot, a count by the threads
/// that are there together, and one at a barrier.
#[test]
fn ordinary_kernels() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels/ordinary.ptx");
    let file = std::fs::read_to_string(file).unwrap();
    // The others want functions that are called by their addresses, and textures.
    let of = |kernel: &str| {
        let from = file.find(&format!(".visible .entry {kernel}(")).unwrap();
        file[from..][..file[from..].find("\n}\n").unwrap() + 3].to_owned()
    };
    let text = [HEADER.to_owned(), of("warp_sums"), of("compact"), of("coalesced"), of("counted")]
        .concat();
    let mut rng = Rng::with_seed(22);
    for seed in 0..30 {
        let values: Vec<u32> = (0..96).map(|_| rng.i32(-9..9) as u32).collect();
        let positive: Vec<u32> = values.iter().copied().filter(|v| (*v as i32) > 0).collect();
        for memory in BOTH {
            let schedule = schedule(memory, seed);
            let n = 90u32;
            let mut device = MachineModule::read(&text).unwrap();
            let (input, out) = (
                device.memory.allocate("given", 96 * 4).unwrap(),
                device.memory.allocate("given", 96 * 4).unwrap(),
            );
            let count = device.memory.allocate("given", 4).unwrap();
            device
                .memory
                .write(input, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
                .unwrap();
            let launch = LaunchSize { blocks: [1, 1, 1], threads: [96, 1, 1], dynamic_shared: 0 };
            let address = |a: u64| a.to_le_bytes().to_vec();
            device
                .launch(
                    "warp_sums",
                    launch,
                    &[address(input), address(count), n.to_le_bytes().to_vec()],
                    &schedule,
                )
                .unwrap();
            assert_eq!(
                words(&device, count, 1)[0],
                values[..90].iter().fold(0, |sum: u32, v| sum.wrapping_add(*v))
            );
            device.memory.write(count, &[0; 4]).unwrap();
            device
                .launch(
                    "compact",
                    launch,
                    &[address(input), address(out), address(count)],
                    &schedule,
                )
                .unwrap();
            let mut found = words(&device, out, positive.len());
            let mut all = positive.clone();
            found.sort_unstable();
            all.sort_unstable();
            assert_eq!((words(&device, count, 1)[0], found), (positive.len() as u32, all));
            device.memory.write(count, &[0; 4]).unwrap();
            device
                .launch("coalesced", launch, &[address(count), address(input)], &schedule)
                .unwrap();
            assert_eq!(words(&device, count, 1)[0], positive.len() as u32);
            // Twice what predicates make together at a barrier: how many are true, and whether any
            // is.
            device.launch("counted", launch, &[address(input), address(count)], &schedule).unwrap();
            assert_eq!(
                words(&device, count, 1)[0],
                positive.len() as u32 + u32::from(values.contains(&7))
            );
        }
    }
}

/// A barrier at which all predicates are true, and one at which some are.
#[test]
fn predicates_at_a_barrier() {
    let body = "mov.u32 %r10, 0;\nsetp.lt.u32 %p4, %r1, 40;\nbarrier.cta.red.and.aligned.pred %p3, 0, %p4;\nselp.u32 %r10, 1, 0, %p3;\n\
                barrier.cta.red.and.aligned.pred %p3, 0, %p2;\nselp.u32 %r11, 1, 0, %p3;\nSTORE\
                barrier.cta.red.or.aligned.pred %p3, 1, !%p4;\nselp.u32 %r10, 1, 0, %p3;\nbarrier.cta.red.popc.aligned.u32 %r11, 1, 40, %p2;\nSTORE";
    let given = [(0..64).collect(), vec![u32::MAX; 64], vec![0; 64 * EXCHANGES.len() * 2]];
    for memory in BOTH {
        let out = &run(&kernel(body), "test", 40, &given, &schedule(memory, 3)).unwrap()[2];
        assert!((0..40).all(|t| out[t * EXCHANGES.len() * 2..][..4] == [1, 0, 0, 20]), "{out:?}");
    }
}
