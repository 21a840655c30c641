"""Compiles functions in Triton's language to PTX, with a Triton package that is unpacked into a folder. No GPU is needed.

usage: triton.py FOLDER INPUT.py OUTPUT.ptx SM
       triton.py FOLDER --worker SM     many programs: see worker.py
       triton.py FOLDER --version
"""

import importlib.util
import os
import re
import sys

import worker


def main(folder, *arguments):
    sys.path.insert(0, folder)
    # The package comes with an assembler of its own; what it builds for a host is not needed.
    os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(os.environ.get("MARGAY_FOLDER", "/tmp"), "triton-cache"))
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    if arguments == ("--version",):
        print("triton", triton.__version__)
        return
    *files, sm = arguments
    gpu = GPUTarget("cuda", int(re.sub(r"\D", "", sm)), 32)

    def translate(source, target):
        specification = importlib.util.spec_from_file_location("program", source)
        program = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(program)
        modules, refused = [], []
        for name, signature in program.SIGNATURES.items():
            ir = ASTSource(fn=getattr(program, name), signature=signature, constexprs={})
            try:
                compiled = triton.compile(ir, target=gpu, options={"num_warps": 1})
                modules.append(compiled.asm["ptx"])
            except Exception as error:
                refused.append(error)
        # Each function is compiled on its own: that one is refused says nothing of the others, which are written. `extract` finds
        # it missing, and asks for it alone.
        if not modules and refused:
            raise refused[0]
        with open(target, "w") as file:
            file.write("\n".join(modules))

    if files == ["--worker"]:
        try:
            prepare(gpu)
        except Exception:
            pass  # Each program then says for itself what is wrong.
        worker.serve(translate)
    else:
        translate(*files)


def prepare(gpu):
    """Does once, before there are copies of this process, what every compilation would do again. Triton's key for its cache reads
    the whole package, 570 MB in 3.5.1, and the assembler is started for its version: together 6.6 of 7.7 s for a function, while
    the files were not yet in memory. Nothing here makes a context of MLIR: its threads would not survive the fork."""
    from triton.compiler import code_generator, compiler  # noqa: F401, the import is what is wanted

    backend = compiler.make_backend(gpu)
    backend.hash()
    backend.get_module_map()
    # `compiler.triton_key` up to 3.3; it is beside the cache from 3.5 on.
    from triton.runtime import cache

    key = getattr(cache, "triton_key", None) or getattr(compiler, "triton_key", None)
    if key:
        key()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
