"""Compiles LLVM IR to PTX with the LLVM inside a llvmlite or a Triton package, unpacked into a folder.

usage: llvmlite.py llvmlite|triton FOLDER INPUT.ll OUTPUT.ptx ARCH FEATURES
       llvmlite.py llvmlite|triton FOLDER --worker ARCH FEATURES     many programs: see worker.py
       llvmlite.py llvmlite|triton FOLDER --version
"""

import sys

import worker


def llvmlite(arch, features):
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    machine = binding.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu=arch, features=features, opt=2)

    def to_ptx(ir):
        module = binding.parse_assembly(ir)
        module.verify()
        return machine.emit_assembly(module)

    return to_ptx


def triton(arch, features):
    from triton._C import libtriton

    libtriton.llvm.init_targets()
    to_assembly = libtriton.llvm.translate_to_asm
    # Flags that some versions have: that of fused multiplication and addition, that of an object file, and one of addresses.
    flags = [False, False] + [False] * ("canonicalize_gep" in (to_assembly.__doc__ or ""))
    return lambda ir: to_assembly(ir, "nvptx64-nvidia-cuda", arch, features, [], *flags)


def main(package, folder, *arguments):
    sys.path.insert(0, folder)
    if arguments == ("--version",):
        module = __import__(package)
        version = module.__version__
        if package == "llvmlite":
            from llvmlite import binding

            version += ", LLVM " + ".".join(map(str, binding.llvm_version_info))
        print(package, version)
        return
    *files, arch, features = arguments
    to_ptx = (llvmlite if package == "llvmlite" else triton)(arch, features)

    def translate(source, target):
        with open(source) as file:
            ir = file.read()
        ptx = to_ptx(ir)
        with open(target, "w") as file:
            file.write(ptx)

    if files == ["--worker"]:
        worker.serve(translate)
    else:
        translate(*files)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
