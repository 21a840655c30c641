"""Compiles NVVM IR (LLVM IR as text) to PTX with NVIDIA's libNVVM.

usage: nvvm.py LIBNVVM.so INPUT.ll OUTPUT.ptx [OPTION...]
       nvvm.py LIBNVVM.so --worker [OPTION...]     many programs: see worker.py
       nvvm.py LIBNVVM.so --version
"""

import ctypes
import sys

import worker


def main(library, *arguments):
    nvvm = ctypes.CDLL(library)
    ask, text = worker.questions(nvvm, "nvvmGetErrorString")

    if arguments == ("--version",):
        numbers = [ctypes.c_int() for _ in range(4)]
        ask("nvvmVersion", *[ctypes.byref(n) for n in numbers[:2]])
        ask("nvvmIRVersion", *[ctypes.byref(n) for n in numbers])
        print("libNVVM {}.{} (IR {}.{})".format(*(n.value for n in (*numbers[:2], *numbers[:2]))))
        return

    def translate(source, target, *options):
        with open(source, "rb") as file:
            module = file.read()
        program = ctypes.c_void_p()
        ask("nvvmCreateProgram", ctypes.byref(program))
        ask("nvvmAddModuleToProgram", program, module, ctypes.c_size_t(len(module)), b"program.ll")
        flags = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        code = nvvm.nvvmCompileProgram(program, len(options), flags)
        if code:
            log = text("nvvmGetProgramLogSize", "nvvmGetProgramLog", program).decode(errors="replace")
            raise SystemExit(log or nvvm.nvvmGetErrorString(code).decode())
        ptx = text("nvvmGetCompiledResultSize", "nvvmGetCompiledResult", program)
        with open(target, "wb") as file:
            file.write(ptx)

    if arguments[0] == "--worker":
        worker.serve(lambda source, target: translate(source, target, *arguments[1:]))
    else:
        translate(*arguments)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
