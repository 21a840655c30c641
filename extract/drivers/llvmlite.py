"""Compiles LLVM IR to PTX with the LLVM inside a llvmlite or a Triton package, unpacked into a folder.

usage: llvmlite.py llvmlite|triton FOLDER INPUT.ll OUTPUT.ptx ARCH FEATURES
       llvmlite.py llvmlite|triton FOLDER --version
"""

import sys


def llvmlite_to_ptx(ir, arch, features):
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    machine = binding.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu=arch, features=features, opt=2)
    module = binding.parse_assembly(ir)
    module.verify()
    return machine.emit_assembly(module)


def triton_to_ptx(ir, arch, features):
    from triton._C import libtriton

    libtriton.llvm.init_targets()
    return libtriton.llvm.translate_to_asm(ir, "nvptx64-nvidia-cuda", arch, features, [], False, False)


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
    source, target, arch, features = arguments
    with open(source) as file:
        ir = file.read()
    ptx = (llvmlite_to_ptx if package == "llvmlite" else triton_to_ptx)(ir, arch, features)
    with open(target, "w") as file:
        file.write(ptx)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
