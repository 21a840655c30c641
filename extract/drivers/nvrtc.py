"""Compiles CUDA C++ to PTX with NVIDIA's run-time compiler: no GPU, no driver, no host compiler is needed.

usage: nvrtc.py LIBNVRTC.so INPUT.cu OUTPUT.ptx [OPTION...]
       nvrtc.py LIBNVRTC.so --worker [OPTION...]     many programs: see worker.py
       nvrtc.py LIBNVRTC.so --version
"""

import ctypes
import glob
import os
import sys

import worker


def main(library, *arguments):
    library = os.path.realpath(library)
    # It looks for its built-in functions by name alone: they are beside it.
    for builtins in glob.glob(os.path.join(os.path.dirname(library), "libnvrtc-builtins.so*")):
        ctypes.CDLL(builtins, mode=ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(library)
    ask, text = worker.questions(nvrtc, "nvrtcGetErrorString")

    if arguments == ("--version",):
        major, minor = ctypes.c_int(), ctypes.c_int()
        ask("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        print(f"nvrtc {major.value}.{minor.value}")
        return

    def translate(source, target, *options):
        with open(source, "rb") as file:
            program_text = file.read()
        program = ctypes.c_void_p()
        ask("nvrtcCreateProgram", ctypes.byref(program), program_text, b"program.cu", 0, None, None)
        flags = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        code = nvrtc.nvrtcCompileProgram(program, len(options), flags)
        log = text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program).decode(errors="replace")
        if code:
            raise SystemExit(log or nvrtc.nvrtcGetErrorString(code).decode())
        ptx = text("nvrtcGetPTXSize", "nvrtcGetPTX", program)
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
