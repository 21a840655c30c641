"""Kernels that blocks talk in, as Triton compiles them: PTX of each for one and for two warps in a block.

    pip install triton
    python tests/kernels/triton/kernels.py OUT
"""

import os
import sys

os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def flag(data, ready, out, B: tl.constexpr):
    """The first block leaves its elements and sets a flag, for which the others wait."""
    at = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(data + at, at)
        tl.debug_barrier()
        tl.atomic_xchg(ready, 1, sem="release")
    else:
        while tl.atomic_cas(ready, 1, 1, sem="acquire") != 1:
            pass
        tl.debug_barrier()
        tl.store(out + at, tl.load(data + at))


@triton.jit
def last_block(parts, count, out, N: tl.constexpr):
    """Each block leaves a number, and the last of them adds these up."""
    block = tl.program_id(0)
    tl.store(parts + block, block + 1)
    tl.debug_barrier()
    if tl.atomic_add(count, 1, sem="acq_rel", scope="gpu") == N - 1:
        total = 0
        for n in range(N):
            total += tl.load(parts + n, volatile=True)
        tl.store(out, total)


@triton.jit
def sum_of_block(data, out, B: tl.constexpr):
    """A block adds up its elements: by shuffles, and between warps in shared memory."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(data + at), 0))


KERNELS = [
    (flag, {"data": "*i32", "ready": "*i32", "out": "*i32", "B": "constexpr"}, {"B": 64}),
    (last_block, {"parts": "*i32", "count": "*i32", "out": "*i32", "N": "constexpr"}, {"N": 2}),
    (sum_of_block, {"data": "*fp32", "out": "*fp32", "B": "constexpr"}, {"B": 128}),
]

for function, signature, constants in KERNELS:
    for warps in (1, 2):
        source = ASTSource(fn=function, signature=signature, constexprs=constants)
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
        path = os.path.join(sys.argv[1], f"{function.__name__}_{warps}.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(compiled.asm["ptx"])
