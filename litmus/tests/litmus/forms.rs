//! Forms of other suites: what they mean is what the same test says in the form of this one; near
//! misses are refused with what to write; what has no model is refused by name.

use margay_litmus::read::{self, Read};
use margay_litmus::test::Test;
use margay_models::diagnostic::{Diagnostic, SourceFile};

fn read_text(text: &str) -> Result<Read, Vec<Diagnostic>> {
    read::test(&SourceFile::new("t", text))
}

/// The test, which reads back as it is written.
fn test(text: &str) -> Test {
    let read = read_text(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let printed = read.test.to_string();
    let again = read_text(&printed).unwrap_or_else(|e| panic!("{e:?}\n{printed}"));
    assert_eq!(again.test, read.test, "{printed}");
    read.test
}

fn ptx(instructions: &str) -> String {
    let rows = instructions.replace('\n', " ;\n ");
    format!(
        "PTX t\n{{ x[8]={{0,0,0,0,0,0,0,0}}; y=0; P0:r9=0; }}\n P0@cta 0,gpu 0 ;\n {rows} ;\nexists (y == 1)\n"
    )
}

fn c(statements: &str) -> String {
    format!(
        "C t\n{{ }}\nP0@wg 0,dev 0 (atomic_int* x, int* y) {{\n{statements}\n}}\nexists (y == 1)\n"
    )
}

/// What is said of a text: errors, or else warnings.
fn said(text: &str) -> String {
    let show = |d: &Diagnostic| {
        let help = d.help.as_ref().map(|h| format!(" ({h})")).unwrap_or_default();
        let label = d.labels.first().map(|l| format!(" [{}]", l.text)).unwrap_or_default();
        format!("    {d}{label}{help}\n")
    };
    match read_text(text) {
        Ok(read) => read.warnings.iter().map(show).collect(),
        Err(errors) => errors.iter().map(show).collect(),
    }
}

fn all(of: fn(&str) -> String, texts: &[&str]) -> String {
    texts.iter().map(|t| format!("{t}\n{}", said(&of(t)))).collect()
}

#[test]
fn the_same_in_two_spellings() {
    for (one, other) in [
        ("ld r0, 1", "mov r0, 1"),
        ("ld.weak r0, 1", "mov r0, 1"),
        ("ld.relaxed.gpu.u32 r0, -1", "mov.u32 r0, -1"),
        ("ld r0, r9", "mov r0, r9"),
        ("cold.weak r0, y", "cld.weak r0, y"),
        ("ldc r0, y", "cld r0, y"),
        ("LC00: bar.cta.sync 0", "LC00:\nbar.cta.sync 0"),
        ("atom.relaxed.gpu.plus r0, y, 1", "atom.relaxed.gpu.add r0, y, 1"),
        ("st.weak.f32 y, 0f3F800000", "st.weak.f32 y, 1065353216"),
        ("ld.weak.L2::cache_hint.u32 r0, y, r9", "ld.weak.u32 r0, y"),
        ("membar.proxy.alias", "fence.proxy.alias"),
        ("mul.lo.s32 r0, r9, 2", "mul.s32 r0, r9, 2"),
        ("bar.cta.sync 7, 3, 1\nbar.cta.sync 2", "bar.cta.sync 7, 3, 1\nbar.cta.sync 2, 0"),
    ] {
        assert_eq!(test(&ptx(one)), test(&ptx(other)), "{one}");
    }
    for (one, other) in [
        ("unsigned char r0 = 1;", "uint8_t r0 = 1;"),
        ("long long int r0 = 1;", "int64_t r0 = 1;"),
        ("const volatile int r0 = 1;", "int r0 = 1;"),
        (
            "int* p = y; int r0 = 1; SCAS(x, p, 1);",
            "int* p = y; int r0 = 1; atomic_compare_exchange_strong(x, p, 1);",
        ),
        (
            "int r0 = 1; x->compare_exchange_weak(r0, 2);",
            "int r0 = 1; atomic_compare_exchange_weak(x, &r0, 2);",
        ),
        ("x->compare_exchange_strong(*y, 2);", "atomic_compare_exchange_strong(x, y, 2);"),
        (
            "atomicAdd(x, 1);",
            "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);",
        ),
        (
            "atomicExch_block(x, 1);",
            "atomic_exchange_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);",
        ),
        ("int r0 = (int)(*y);", "int r0 = (int)*y;"),
        ("B0: *y = 1;", "*y = 1;"),
    ] {
        let scoped = |text: &str| {
            let mut read = test(&c(text));
            // Without an order both are seq_cst.
            for thread in &mut read.threads {
                thread.place = Default::default();
            }
            read
        };
        assert_eq!(scoped(one), scoped(other), "{one}");
    }
}

/// Threads may be written as kernels.
#[test]
fn kernels_of_cuda_and_opencl() {
    let kernel = |words: &str| {
        let mut test = test(&format!(
            "C t\n{{ }}\n{words} P0 (int* x) {{ atomicAdd(x, 1); }}\nexists (x == 1)\n"
        ));
        test.threads[0].place = Default::default();
        test
    };
    for words in ["__global__ void", "__kernel void", "static inline void"] {
        assert_eq!(kernel(words), kernel(""), "{words}");
    }
    let wrong = "C t\n{ }\n__global__ void main (int* x) { }\nexists (x == 1)\n";
    assert!(said(wrong).contains("3:17: error: expected a thread"), "{}", said(wrong));
}

#[test]
fn instructions_that_are_near_or_refused() {
    insta::assert_snapshot!(all(ptx, &[
        "ld r0, 1",
        "ld.weak.v2 {r0, r1}, 1",
        "ld.weak r0, [1]",
        "bar.cta.sync 1, 1, 2",
        "bar.cta.sync 1, 1, 1, 1",
        "bar.cta.sync 0, 33",
        "bar.cta.sync 0, r9",
        "bar.cta.sync y",
        "bar.cta.sync 1, 16, 2",
        "bar.cta.sync r9, 1, 2",
        "bar.cta.sync 1, 1, 2\nbar.cta.sync r9",
        "atom.relaxed.gpu.add.f32 r0, y, 1",
        "atom.relaxed.gpu.add.noftz.f16x2 r0, x, 1",
        "atom.relaxed.gpu.add.b128 r0, y, 1",
        "atom.relaxed.gpu.v2.add r0, y, 1",
        "add.f32 r0, r9, 1",
        "add.u16x2 r0, r9, 1",
        "setp.eq.pred r0, r9, 1",
        "cvt.u32 r0, r9",
        "cvt.f32.s32 r0, r9",
        "ld.weak.v8.b64 {r0, r1, r2, r3, r4, r5, r6, r7}, x",
        "ld.weak.v8 {r0, r1}, x",
        "ld.weak.b256 r0, y",
        "ld.local.u32 r0, y",
        "ld.param.u32 r0, y",
        "ld.global.nc.u32 r0, y",
        "ld.weak.b128 r0, y",
        "wgmma.mma_async.sync r0",
        "wgmma.mma_async.sync {r0, r1}, x",
        "wgmma.mma.sync r0, x",
        "wgmma.fence.sync.aligned\nwgmma.wait_group.sync.aligned r9",
        "st.bulk.weak.shared::cta x, 12, 0",
        "st.bulk.weak.shared::cta x, 16, 1",
        "st.bulk.global x, 16, 0",
        "multimem.ld_reduce.add.u32 r0, y",
        "multimem.ld_reduce.u32 r0, {y}",
        "multimem.ld_reduce.add.f32 r0, {y}",
        "multimem.red.exch.u32 {y}, 1",
        "multimem.red.acquire.sys.add.u32 {y}, 1",
        "multimem.ld.u32 r0, {y}",
        "fence.proxy.tensormap::generic.release",
        "fence.proxy.tensormap::generic.acquire.gpu y, 64",
        "fence.proxy.generic::fabric.alias.release.sys",
        "tensormap.replaces.tile.rank.b1024.b32 y, 1",
        "tensormap.replace.tile.colour.b1024.b32 y, 1",
        "tensormap.cp_fenceproxy.global.shared::cta.release.gpu.sync.aligned y, x, 128",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes x, [y, {4}], x",
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [y, {0}], x",
        "fence.acquire.sync_restrict::shared::cta.cluster",
        "fence.release.sync_restrict::shared::cta.gpu",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cta.cluster",
        "fence.proxy.async::generic.acquire",
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster",
        "cvta.to.global.u64 r0, r9",
        "redux.sync.min.f32 r0, r9, -1",
        "nanosleep 5",
        "st.weak.u8 y, 1\nst.weak.u16 y, 1",
    ]), @r"
    ld r0, 1
        t:4:9: warning: `ld` of a value is a move: `mov r0, 1` [no address: those are in brackets, or names of locations]
    ld.weak.v2 {r0, r1}, 1
        t:4:23: error: expected an address, found `1` [expected an address]
    ld.weak r0, [1]
        t:4:15: error: expected an address, found `1` [expected an address]
    bar.cta.sync 1, 1, 2
        t:4:2: warning: `bar.cta.sync 1, 1, 2` is Dartagnan's spelling: instance, barrier, count of the test's threads [PTX writes the barrier, and a count of threads in warps of 32]
    bar.cta.sync 1, 1, 1, 1
        t:4:2: error: 4 operands [a barrier has three at most]
    bar.cta.sync 0, 33
        t:4:2: error: these operands are neither PTX's nor Dartagnan's [PTX: barrier, count of threads, a multiple of 32; Dartagnan: instance, barrier, count] (write `bar.cta.sync 0` or `bar.cta.sync 0, 64`; Dartagnan's `bar.cta.sync 1, 0, 2` is read, too)
    bar.cta.sync 0, r9
        t:4:2: error: these operands are neither PTX's nor Dartagnan's [PTX: barrier, count of threads, a multiple of 32; Dartagnan: instance, barrier, count] (write `bar.cta.sync 0` or `bar.cta.sync 0, 64`; Dartagnan's `bar.cta.sync 1, 0, 2` is read, too)
    bar.cta.sync y
        t:4:2: error: `y` is a location [barriers have numbers]
    bar.cta.sync 1, 16, 2
        t:4:2: error: a cta has no barrier 16 [the barriers are 0 to 15 (PTX ISA 9.7.13.1)]
    bar.cta.sync r9, 1, 2
        t:4:2: error: the instance and the count of a barrier are numbers [a register]
    bar.cta.sync 1, 1, 2
    bar.cta.sync r9
        t:5:2: error: the instance and the count of a barrier are numbers [a register]
    atom.relaxed.gpu.add.f32 r0, y, 1
        t:4:23: error: `atom.add.f32` is not modelled [floating-point numbers] (values are integers: take an integer type, or `.exch` and `.cas`, which only move bits)
    atom.relaxed.gpu.add.noftz.f16x2 r0, x, 1
        t:4:29: error: `atom.add.f16x2` is not modelled [floating-point numbers] (values are integers: take an integer type, or `.exch` and `.cas`, which only move bits)
    atom.relaxed.gpu.add.b128 r0, y, 1
        t:4:23: error: `atom.add.b128` does not exist [only `.exch` and `.cas`]
    atom.relaxed.gpu.v2.add r0, y, 1
        t:4:19: error: `.v2` is not read here [a vector] (`ld` and `st` may be `.v2`, `.v4` or `.v8`; a vector is a set of scalar accesses (PTX ISA 8.2.4), so write one for each element (PTX has vectors of `atom` in floating point only))
    add.f32 r0, r9, 1
        t:4:6: error: `add` with `.f32` is not modelled [no integers] (values are integers of up to 64 bits; `mov`, `selp`, loads and stores take any type)
    add.u16x2 r0, r9, 1
        t:4:6: error: `add` with `.u16x2` is not modelled [both elements at once] (values are integers of up to 64 bits; `mov`, `selp`, loads and stores take any type)
    setp.eq.pred r0, r9, 1
        t:4:10: error: `setp` with `.pred` is not modelled [no integers] (values are integers of up to 64 bits; `mov`, `selp`, loads and stores take any type)
    cvt.u32 r0, r9
        t:4:2: error: `cvt` needs two types [1 here] (that of the result and that of the operand: `cvt.u64.u32`)
    cvt.f32.s32 r0, r9
        t:4:10: error: `cvt` with `.f32` is not modelled [no integers] (values are integers of up to 64 bits; `mov`, `selp`, loads and stores take any type)
    ld.weak.v8.b64 {r0, r1, r2, r3, r4, r5, r6, r7}, x
        t:4:10: error: a vector of 512 bits [256 are the most]
    ld.weak.v8 {r0, r1}, x
        t:4:13: error: 2 elements where `.v8` has 8 [expected 8]
    ld.weak.b256 r0, y
        t:4:10: error: unknown qualifier `b256` [not known]
    ld.local.u32 r0, y
        t:4:5: error: `ld.local` is not modelled [the memory of one thread] (no other thread can observe an access to `.local`: use registers)
    ld.param.u32 r0, y
        t:4:5: error: `ld.param` is not modelled [the parameters of a kernel or function] (chapter 8 says nothing of `.param` beside other state spaces; `ld.const` goes through the constant proxy)
    ld.global.nc.u32 r0, y
        t:4:12: error: `ld.nc` is not modelled [a load through the texture path] (the memory consistency model does not apply to `ld.global.nc` (PTX ISA 8.1))
    ld.weak.b128 r0, y
        t:4:2: warning: an access of 128 bits is taken as one of a scalar [beyond the model] (the memory consistency model speaks of scalars of up to 64 bits (PTX ISA 8.2.4); values here have 64)
    wgmma.mma_async.sync r0
        t:4:23: error: 1 registers for 0 matrices [each takes what is read of one matrix] (what a `wgmma.mma_async` computes is not looked at: write the matrices in shared memory, and before them as many registers, e.g. `wgmma.mma_async.sync.aligned {r0, r1}, x, y`)
    wgmma.mma_async.sync {r0, r1}, x
        t:4:23: error: 2 registers for 1 matrices [each takes what is read of one matrix] (what a `wgmma.mma_async` computes is not looked at: write the matrices in shared memory, and before them as many registers, e.g. `wgmma.mma_async.sync.aligned {r0, r1}, x, y`)
    wgmma.mma.sync r0, x
        t:4:8: error: unknown operation of a warpgroup `mma` [not known]
    wgmma.fence.sync.aligned
    wgmma.wait_group.sync.aligned r9
        t:5:32: error: the number of groups is written as a number here [no number]
    st.bulk.weak.shared::cta x, 12, 0
        t:4:30: error: a `st.bulk` of a number of bytes that is no multiple of 8 is undefined (PTX ISA, st.bulk) [this number]
    st.bulk.weak.shared::cta x, 16, 1
        t:4:34: error: `st.bulk` writes 0 and nothing else [this value]
    st.bulk.global x, 16, 0
        t:4:10: error: `st.bulk` into global memory [it initialises shared memory]
    multimem.ld_reduce.add.u32 r0, y
        t:4:33: error: expected `{`, found `y` [expected `{`] (a multimem address is written as what it points to: the replicas in braces, each a name that `@ generic aliases` the memory of one device, e.g. `multimem.st.relaxed.sys.u32 {mx, my}, 1`)
    multimem.ld_reduce.u32 r0, {y}
        t:4:2: error: `multimem.ld_reduce` needs a function [write `.add`, `.min`, `.max`, `.and`, `.or` or `.xor`]
    multimem.ld_reduce.add.f32 r0, {y}
        t:4:2: error: a `multimem.ld_reduce` of this type is not modelled [its type] (values are integers of up to 64 bits: write e.g. `.u32`)
    multimem.red.exch.u32 {y}, 1
        t:4:15: error: `multimem.red` has no `.exch` [write `.add`, `.min`, `.max`, `.and`, `.or` or `.xor`]
    multimem.red.acquire.sys.add.u32 {y}, 1
        t:4:2: error: a `multimem.red` cannot acquire: it returns nothing [write `.relaxed` or `.release`]
    multimem.ld.u32 r0, {y}
        t:4:11: error: unknown operation on a multimem address `ld` [not known]
    fence.proxy.tensormap::generic.release
        t:4:2: error: a fence of the tensormap proxy is of one direction and of a scope [here] (write e.g. `fence.proxy.tensormap::generic.release.gpu`, or `fence.proxy.tensormap::generic.acquire.gpu [t], 128`)
    fence.proxy.tensormap::generic.acquire.gpu y, 64
        t:4:48: error: the size of a tensor map is 128 to 128 [this number]
    fence.proxy.generic::fabric.alias.release.sys
        t:4:14: error: a `fence` with `.generic::fabric` is not modelled [the proxy of `fabric` operations] (they are not modelled)
    tensormap.replaces.tile.rank.b1024.b32 y, 1
        t:4:12: error: unknown operation on a tensor map `replaces` [not known] (did you mean `replace`?)
    tensormap.replace.tile.colour.b1024.b32 y, 1
        t:4:25: error: unknown qualifier `colour` [not known]
    tensormap.cp_fenceproxy.global.shared::cta.release.gpu.sync.aligned y, x, 128
        t:4:45: error: unknown qualifier `release` [not known]
    cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes x, [y, {4}], x
        t:4:91: error: which box a tensor map makes of coordinates is not modelled [not 0] (write 0 for each of them, which is the location whose address the map holds, or that location itself: `[t, x]`)
    cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [y, {0}], x
    fence.acquire.sync_restrict::shared::cta.cluster
        t:4:16: error: PTX has no such fence of one state space [this restriction] (write `fence.release.sync_restrict::shared::cta.cluster` or `fence.acquire.sync_restrict::shared::cluster.cluster`)
    fence.release.sync_restrict::shared::cta.gpu
        t:4:43: error: unknown qualifier `gpu` [not known]
    fence.proxy.async::generic.acquire.sync_restrict::shared::cta.cluster
        t:4:37: error: PTX has no such fence of one state space [this restriction] (write `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster` or `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster`)
    fence.proxy.async::generic.acquire
        t:4:2: error: a fence from the generic proxy to the async one [for which memory?] (write `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster` or `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster`)
    fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster
        t:4:37: error: a fence of reads alone is not modelled [this restriction] (it orders reads before asynchronous writes, and is not transitive (PTX ISA 9.4); `fence.proxy.async` is stronger)
    cvta.to.global.u64 r0, r9
        t:4:2: error: `cvta` is not modelled [a conversion of an address] (an address here is the name of a location, in whatever state space it is)
    redux.sync.min.f32 r0, r9, -1
        t:4:21: error: what these lanes give each other is not modelled [of floating-point numbers] (write `_` for the destination: the lanes meet all the same)
    nanosleep 5
        t:4:2: error: `nanosleep` is not modelled [a delay] (it changes no value and orders nothing: leave it out)
    st.weak.u8 y, 1
    st.weak.u16 y, 1
        t:5:2: warning: accesses of 8 and of 16 bits to `y`: each is taken as accesses to cells [another width than before] (cells are as wide as the narrowest access, `y[0]` has the lowest bits; the memory model has no axioms for accesses of different size that race (PTX ISA 8.7.2))
    ");
}

#[test]
fn statements_that_are_near_or_refused() {
    insta::assert_snapshot!(all(c, &[
        "atomic_compare_exchange_strong(x, 5, 1);",
        "x->compare_exchange_strong(5, 1);",
        "int r0 = 1; atomic_compare_exchange_strong_explicit(x, &r0, 1, memory_order_release, memory_order_release);",
        "atomic_store_explicit(x, 1, memory_order_release, memory_scope_sub_group);",
        "B0: barrier(CLK_GLOBAL_MEM_FENCE);",
        "__syncthreads();",
        "WRITE_ONCE(*y, 1);",
        "atomic_add(1, x);",
        "mem_fence(CLK_LOCAL_MEM_FENCE);",
        "atomic_flag_clear(x);",
        "atomicCas(x, 0, 1);",
        "atomicCAS(x, 0);",
        "atomicAdd(x, 1, memory_order_relaxed);",
        "float r0 = 1;",
        "unsigned signed r0 = 1;",
        "long short r0 = 1;",
        "__shared__ int r0 = 1;",
        "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENC, memory_order_release, memory_scope_device);",
    ]), @r"
    atomic_compare_exchange_strong(x, 5, 1);
        t:4:35: error: the expected value must be in a variable or in memory [a value] (write the name of a local variable, or `*x`)
    x->compare_exchange_strong(5, 1);
        t:4:28: error: the expected value must be in a variable or in memory [a value] (write the name of a local variable, or `*x`)
    int r0 = 1; atomic_compare_exchange_strong_explicit(x, &r0, 1, memory_order_release, memory_order_release);
        t:4:13: warning: a failed compare-exchange is a load: it releases nothing [with this order on failure] (C11 has no such order (7.17.7.4); it is read as what is left for a load)
    atomic_store_explicit(x, 1, memory_order_release, memory_scope_sub_group);
        t:4:51: error: scope `memory_scope_sub_group` is not modelled [narrower than a work-group] (sub-groups are no scope of PTX (PTX ISA 8.5) nor of any model here: take a work-group)
    B0: barrier(CLK_GLOBAL_MEM_FENCE);
        t:4:5: error: `barrier` is not modelled [a barrier] (C++ has no barriers of work-groups, and the C models here have no relation for them; PTX tests have `bar.cta.sync`)
    __syncthreads();
        t:4:1: error: `__syncthreads` is not modelled [a barrier] (C++ has no barriers of work-groups, and the C models here have no relation for them; PTX tests have `bar.cta.sync`)
    WRITE_ONCE(*y, 1);
        t:4:1: error: `WRITE_ONCE` is not modelled [a function of the Linux kernel] (the Linux kernel's memory model is none of those here; write C11's atomic operations)
    atomic_add(1, x);
        t:4:1: error: `atomic_add` is not modelled [an atomic function of OpenCL 1 or the Linux kernel] (OpenCL 1's `atomic_add(x, 1)` is Linux's `atomic_add(1, x)`: write `atomic_fetch_add_explicit` and its kin, which say what they are)
    mem_fence(CLK_LOCAL_MEM_FENCE);
        t:4:1: error: `mem_fence` is not modelled [a fence of OpenCL 1] (write `atomic_work_item_fence` with an order and a scope)
    atomic_flag_clear(x);
        t:4:1: error: `atomic_flag_clear` is not modelled [an operation on an `atomic_flag`] (write `atomic_exchange_explicit(x, 1, ..)` and `atomic_store_explicit(x, 0, ..)` on an `atomic_bool`)
    atomicCas(x, 0, 1);
        t:4:1: error: unknown function `atomicCas` [not known] (did you mean `atomicCAS`?)
    atomicCAS(x, 0);
        t:4:15: error: expected `,`, found `)` [expected `,`]
    atomicAdd(x, 1, memory_order_relaxed);
        t:4:15: error: expected `)`, found `,` [expected `)`]
    float r0 = 1;
        t:4:1: error: `float` is not modelled [values are integers]
    unsigned signed r0 = 1;
        t:4:10: error: no type has `signed` here [it contradicts the words before]
    long short r0 = 1;
        t:4:6: error: no type has `short` here [it contradicts the words before]
    __shared__ int r0 = 1;
        t:4:1: error: `__shared__` memory in a thread [declared here] (declare the location in the initial state, and name it as a parameter)
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);
        t:4:1: error: the fence is not of global memory, where the locations are [it orders none of their accesses] (OpenCL's fence orders the memory that its flags name: add `CLK_GLOBAL_MEM_FENCE` or `CLK_LOCAL_MEM_FENCE`)
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENC, memory_order_release, memory_scope_device);
        t:4:24: error: unknown flag `CLK_GLOBAL_MEM_FENC` [not known] (did you mean `CLK_GLOBAL_MEM_FENCE`?)
    ");
}

/// What is proposed can be read: only tests in the form `PTX` have threads of the host.
#[test]
fn the_host_is_proposed_where_it_is_read() {
    let ptx = said(
        "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@hots ;\n st.weak x, 1 | ld.weak r0, x ;\nexists (x == 1)\n",
    );
    assert!(ptx.contains("did you mean `host`?"), "{ptx}");
    let c = said("C t\n{ }\nP0@hots 0 (int* y) { *y = 1; }\nexists (y == 1)\n");
    assert!(c.contains("unknown level `hots`") && !c.contains("`host`"), "{c}");
}

#[test]
fn tests_that_are_near_or_refused() {
    let opencl = |parameters: &str, second: &str| {
        format!(
            "OPENCL t\n{{ }}\nP0@wg 0,dev 0 ({parameters}) {{ *y = 1; }}\nP1@wg {second},dev 0 ({parameters}) {{ int r0 = *y; }}\nexists (y == 1)\n"
        )
    };
    let host = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@host 0 ;\n st.weak x, 1 | ld.weak r0, x ;\nexists (x == 1)\n";
    let texts = [
        opencl("local int* y", "0"),
        opencl("local int* y", "1"),
        opencl("global int* x, local int* y", "0"),
        "C t\n{ }\nP0 (global int* y) { *y = 1; }\nP1 (int* y) { *y = 2; }\nexists (y == 1)\n".to_owned(),
        "C t\n{ }\nP0 (atomic_itn* y) { }\nexists (y == 1)\n".to_owned(),
        "C t\n{ }\nP0 (double* y) { }\nexists (y == 1)\n".to_owned(),
        host.to_owned(),
        "PTX t\n{ x=300; y=0; }\n P0@cta 0,gpu 0 ;\n ld.weak.u8 r0, x ;\nexists (P0:r0 == 300 /\\ x == -1)\n".to_owned(),
        "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n".to_owned(),
    ];
    let said: String = texts.iter().map(|t| format!("{t}{}", said(t))).collect();
    insta::assert_snapshot!(said, @r"
    OPENCL t
    { }
    P0@wg 0,dev 0 (local int* y) { *y = 1; }
    P1@wg 0,dev 0 (local int* y) { int r0 = *y; }
    exists (y == 1)
    OPENCL t
    { }
    P0@wg 0,dev 0 (local int* y) { *y = 1; }
    P1@wg 1,dev 0 (local int* y) { int r0 = *y; }
    exists (y == 1)
        t:4:1: error: `y` is local, and P0 and P1 are in different work-groups [this thread] (each work-group has its own: give them names of their own, or put the threads into one)
    OPENCL t
    { }
    P0@wg 0,dev 0 (global int* x, local int* y) { *y = 1; }
    P1@wg 0,dev 0 (global int* x, local int* y) { int r0 = *y; }
    exists (y == 1)
        t:3:1: error: `y` is in local memory and `x` is not [a test in both] (OpenCL has one happens-before for global and one for local memory, and what synchronises in one need not in the other; no model here has both)
    C t
    { }
    P0 (global int* y) { *y = 1; }
    P1 (int* y) { *y = 2; }
    exists (y == 1)
        t:4:1: error: `y` is without a state space here, and global in P0 [this thread] (a location is in one memory: write the same in every thread)
    C t
    { }
    P0 (atomic_itn* y) { }
    exists (y == 1)
        t:3:5: error: unknown type `atomic_itn` [not known] (did you mean `atomic_int`?)
    C t
    { }
    P0 (double* y) { }
    exists (y == 1)
        t:3:5: error: `double` is not modelled [values are integers]
    PTX t
    { x=0; }
     P0@cta 0,gpu 0 | P1@host 0 ;
     st.weak x, 1 | ld.weak r0, x ;
    exists (x == 1)
    PTX t
    { x=300; y=0; }
     P0@cta 0,gpu 0 ;
     ld.weak.u8 r0, x ;
    exists (P0:r0 == 300 /\ x == -1)
        t:2:3: warning: `x` has 8 bits, and 300 needs more [it holds 44 at the start]
        t:5:9: warning: `P0:r0` is never 300: it has 8 bits [asked here]
    PTX t
    { x=0; }
     P0@cta 0,gpu 0 ;
     st.weak x, 1 ;
        t:4:16: warning: the test ends without a condition [the end] (read as `exists (true)`: is there an execution at all?)
    ");
}
