//! What registers hold: carries, and registers that share a place since no two of them are needed
//! at the same time.

mod arrays;

use margay_machine::{LaunchSize, MachineModule, MemoryKind, ReorderedPair, Schedule};

use arrays::{given, words};

const MEMORIES: [MemoryKind; 3] = [
    MemoryKind::SequentiallyConsistent,
    MemoryKind::Weak,
    MemoryKind::Reordering(ReorderedPair::LoadStore),
];

/// The words of an array after a kernel with this body has got it, in `%out`.
fn run(registers: &str, body: &str, initial: &[u32], memory: MemoryKind, seed: u64) -> Vec<u32> {
    let text = format!(
        ".version 8.3\n.target sm_70\n.address_size 64\n\
         .func (.reg .u32 %sum) add_to(.reg .u32 %a, .reg .u32 %b)\n{{\n.reg .u32 %c;\n.reg .u32 %d;\n\
         add.u32 %c, %a, 1;\nadd.u32 %d, %b, %c;\nadd.u32 %sum, %d, %a;\nret;\n}}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .u64 %out;\n{registers}\nld.param.u64 %out, [out];\n{body}\nret;\n}}\n"
    );
    let mut device = MachineModule::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let address = given(&mut device, &[initial.to_vec()])[0];
    let one = LaunchSize { blocks: [1; 3], threads: [1; 3], dynamic_shared: 0 };
    let schedule = Schedule { seed, memory, places: 1, steps: 10_000 };
    device
        .launch("k", one, &[address.to_le_bytes().to_vec()], &schedule)
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    words(&device, address, initial.len())
}

/// Four words of two numbers of 64 bits, and room for the result.
fn of_numbers(a: u64, b: u64, room: usize) -> Vec<u32> {
    [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
        .into_iter()
        .chain(vec![0; room])
        .collect()
}

const NUMBERS: [u64; 10] = [
    0,
    1,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
    u64::MAX - 1,
    0x0123_4567_89ab_cdef,
    0xfedc_ba98_0000_0001,
];

const LOAD_WORDS: &str = "ld.global.u32 %a0, [%out];\nld.global.u32 %a1, [%out+4];\n\
                          ld.global.u32 %b0, [%out+8];\nld.global.u32 %b1, [%out+12];\n";

#[test]
fn sums_and_differences_carry_from_word_to_word() {
    for (a, b) in NUMBERS.into_iter().flat_map(|a| NUMBERS.map(|b| (a, b))) {
        for (op, sum, carried) in [
            ("add", a.wrapping_add(b), u32::from(a.checked_add(b).is_none())),
            ("sub", a.wrapping_sub(b), u32::from(a < b).wrapping_neg()),
        ] {
            let body = format!(
                "{LOAD_WORDS}{op}.cc.u32 %c0, %a0, %b0;\n{op}c.cc.u32 %c1, %a1, %b1;\nmov.u32 %z, 0;\n{op}c.u32 %c2, %z, 0;\n\
                 st.global.u32 [%out+16], %c0;\nst.global.u32 [%out+20], %c1;\nst.global.u32 [%out+24], %c2;"
            );
            let registers = ".reg .u32 %a<2>;\n.reg .u32 %b<2>;\n.reg .u32 %c<3>;\n.reg .u32 %z;";
            let found =
                run(registers, &body, &of_numbers(a, b, 3), MemoryKind::SequentiallyConsistent, 1);
            assert_eq!(
                found[4..],
                [sum as u32, (sum >> 32) as u32, carried],
                "{op} of {a:#x} and {b:#x}"
            );
        }
    }
}

/// The product of two numbers of 64 bits in words, as compilers multiply: `mad.lo.cc`,
/// `madc.hi.cc`, `madc.hi`.
#[test]
fn products_carry_from_word_to_word() {
    let body = format!(
        "{LOAD_WORDS}mul.lo.u32 %c0, %a0, %b0;\nmul.hi.u32 %c1, %a0, %b0;\n\
         mad.lo.cc.u32 %c1, %a0, %b1, %c1;\nmadc.hi.u32 %c2, %a0, %b1, 0;\n\
         mad.lo.cc.u32 %c1, %a1, %b0, %c1;\nmadc.hi.cc.u32 %c2, %a1, %b0, %c2;\naddc.u32 %c3, %z, 0;\n\
         mad.lo.cc.u32 %c2, %a1, %b1, %c2;\nmadc.hi.u32 %c3, %a1, %b1, %c3;\n\
         st.global.v4.u32 [%out+16], {{%c0, %c1, %c2, %c3}};"
    );
    let registers = ".reg .u32 %a<2>;\n.reg .u32 %b<2>;\n.reg .u32 %c<4>;\n.reg .u32 %z;";
    for (a, b) in NUMBERS.into_iter().flat_map(|a| NUMBERS.map(|b| (a, b))) {
        let product = u128::from(a) * u128::from(b);
        let expected: Vec<u32> = (0..4).map(|n| (product >> (32 * n)) as u32).collect();
        let found =
            run(registers, &body, &of_numbers(a, b, 4), MemoryKind::SequentiallyConsistent, 1);
        assert_eq!(found[4..], expected, "{a:#x} times {b:#x}");
    }
}

#[test]
fn a_carry_is_kept_until_another_one_and_64_bits_have_one() {
    let body = "ld.global.u64 %a, [%out];\nld.global.u64 %b, [%out+8];\nadd.cc.u64 %a, %a, %b;\n\
                add.u64 %b, %b, %b;\nmov.u64 %b, 5;\naddc.cc.u64 %b, %b, 0;\nst.global.u64 [%out+16], %b;\n\
                addc.u64 %b, %b, 0;\nst.global.u64 [%out+24], %b;";
    for (a, b, carried) in [(u64::MAX, 1, 1), (u64::MAX, 0, 0), (1 << 63, 1 << 63, 1)] {
        let found = run(
            ".reg .u64 %a;\n.reg .u64 %b;",
            body,
            &of_numbers(a, b, 4),
            MemoryKind::SequentiallyConsistent,
            1,
        );
        // The second sum has carried nothing.
        assert_eq!(found[4..], [5 + carried, 0, 5 + carried, 0], "{a:#x} and {b:#x}");
    }
}

/// Registers that a loop carries, that one way writes and another does not, that nothing has
/// written, and that a load writes late and nobody reads.
#[test]
fn no_register_is_lost_where_others_have_its_place() {
    let body = "ld.global.u32 %n, [%out];\nmov.u32 %i, 0;\nmov.u32 %sum, 0;\n\
                L: add.u32 %t, %i, 3;\nmul.lo.u32 %u, %t, %t;\nand.b32 %v, %i, 1;\nsetp.eq.u32 %p, %v, 1;\n\
                @%p mov.u32 %last, %u;\nadd.u32 %sum, %sum, %u;\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, %n;\n@%q bra L;\n\
                ld.global.u32 %unread, [%out+4];\nadd.u32 %w, %sum, %last;\nst.global.u32 [%out+8], %w;\n\
                add.u32 %x, %never, 7;\nst.global.u32 [%out+12], %x;\nst.global.u32 [%out+16], %last;\n\
                call (%y), add_to, (%sum, %last);\nst.global.u32 [%out+20], %y;\nst.global.u32 [%out+24], %sum;";
    let registers = ".reg .u32 %n;\n.reg .u32 %i;\n.reg .u32 %sum;\n.reg .u32 %t;\n.reg .u32 %u;\n.reg .u32 %v;\n.reg .u32 %last;\n\
                     .reg .u32 %unread;\n.reg .u32 %w;\n.reg .u32 %x;\n.reg .u32 %never;\n.reg .u32 %y;\n.reg .pred %p;\n.reg .pred %q;";
    for n in 1..6u32 {
        let squares = |i: u32| (i + 3) * (i + 3);
        let sum: u32 = (0..n).map(squares).sum();
        let last = (0..n).filter(|i| i % 2 == 1).map(squares).next_back().unwrap_or(0);
        for memory in MEMORIES {
            for seed in 0..50 {
                let found = run(registers, body, &[n, 99, 0, 0, 0, 0, 0], memory, seed);
                let expected = [n, 99, sum + last, 7, last, last + sum + 1 + sum, sum];
                assert_eq!(found, expected, "{n} rounds, {memory:?}, seed {seed}");
            }
        }
    }
}
