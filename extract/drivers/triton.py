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


def know_itself():
    """Has Triton hash its own files, of several 100 MB, before there are processes for each program, each of which would do it again."""
    try:
        from triton.runtime.cache import triton_key
    except ImportError:
        from triton.compiler.compiler import triton_key
    triton_key()


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
        modules = []
        for name, signature in program.SIGNATURES.items():
            ir = ASTSource(fn=getattr(program, name), signature=signature, constexprs={})
            compiled = triton.compile(ir, target=gpu, options={"num_warps": 1})
            modules.append(compiled.asm["ptx"])
        with open(target, "w") as file:
            file.write("\n".join(modules))

    if files == ["--worker"]:
        know_itself()
        worker.serve(translate)
    else:
        translate(*files)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
