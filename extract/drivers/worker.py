"""Compiles many programs with one start of Python and one load of the compiler. Each program is compiled in a process of its own, a copy
of this one: what a compiler does there, a crash above all, is that program's answer alone. What two compilers' libraries are asked alike
is here, too.

Each line of the standard input is one program: its file, a tab, and OUTPUT, the file for the PTX. What the compiler says is written into
`OUTPUT.log`; the answer is a line `exit CODE` or `signal NUMBER`.
"""

import ctypes
import os
import sys
import traceback


def questions(library, error_string):
    """How a library of NVIDIA's is asked. `ask(name, values...)` calls a function, and ends with the library's words where it
    answers with an error. `text(size_of, get, program)` is a text of a program, whose size another function says."""
    said = getattr(library, error_string)
    said.restype = ctypes.c_char_p

    def ask(name, *values):
        code = getattr(library, name)(*values)
        if code:
            raise SystemExit(f"{name}: {said(code).decode()}")

    def text(size_of, get, program):
        size = ctypes.c_size_t()
        ask(size_of, program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        ask(get, program, buffer)
        return buffer.value

    return ask, text


def serve(translate):
    """Answers line after line, until there are no more. `translate(input, output)` compiles one program."""
    for line in sys.stdin:
        source, target = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            alone(translate, source, target)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            print("signal", os.WTERMSIG(status), flush=True)
        else:
            print("exit", os.WEXITSTATUS(status), flush=True)


def alone(translate, source, target):
    """Compiles a program, and ends this process."""
    code = 1
    try:
        log = os.open(target + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        translate(source, target)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
