//! Woven code on the machine of the CPU: it has to compute what the application does.

use margay_machine::{FaultKind, LaunchError, MemoryKind, Schedule};
use margay_runner::emit::{Environment, scratchpad_bytes};

use crate::application::Application;
use crate::weave::{STOPPED, WovenLaunch};

impl Application {
    /// One run in order of a version with stress woven in, with stressing blocks and with blocks
    /// and warps that change places: what is wrong, in a sentence; nothing where all holds at the
    /// end. The scratchpad is what the environment stresses.
    ///
    /// # Errors
    /// What this machine lacks, or that the run had not ended after the steps that it has.
    pub(crate) fn run_woven(
        &self,
        text: &str,
        environment: &Environment,
        seed: u64,
    ) -> Result<Option<String>, String> {
        let mut loaded = self.load(text)?;
        let scratchpad = loaded
            .device
            .memory
            .allocate("scratchpad", scratchpad_bytes(environment))
            .map_err(|why| why.to_string())?;
        let launched = |kernel: &str| self.launches.iter().any(|l| l.kernel == kernel);
        for (launch, checks) in
            self.launches.iter().map(|l| (l, false)).chain(self.checks.iter().map(|l| (l, true)))
        {
            let mut arguments = launch.bytes(&loaded.addresses);
            let mut shape = launch.launch;
            if launched(&launch.kernel) {
                let stressing =
                    if checks { 0 } else { launch.block_count().unwrap_or(1).div_ceil(4) };
                let woven = WovenLaunch {
                    scratchpad,
                    seed: seed as u32,
                    first: environment.stress_first,
                    rounds: 3,
                    stressing,
                    blocks: shape.blocks,
                    shuffle: !checks,
                };
                shape.blocks = [woven.grid().ok_or("a grid has at most 2^31 - 1 blocks")?, 1, 1];
                arguments.extend(woven.arguments());
            }
            // Blocks that stress come first, and end whatever the others do. What is woven in takes
            // steps, too.
            let steps = self.steps.saturating_mul(2);
            let schedule = Schedule {
                seed,
                memory: MemoryKind::SequentiallyConsistent,
                places: self.places,
                steps,
            };
            match loaded.device.launch(&launch.kernel, shape, &arguments, &schedule) {
                Ok(_) => {}
                Err(LaunchError::Refused(why)) => return Err(why),
                // What this machine lacks, or has too little time for, is no error of the woven
                // code.
                Err(LaunchError::Fault(fault))
                    if matches!(fault.kind, FaultKind::Unknown(_) | FaultKind::NoEnd(_)) =>
                {
                    return Err(format!("{} in `{}`", fault.kind, fault.function));
                }
                Err(LaunchError::Fault(fault)) => {
                    return Ok(Some(format!("{} in `{}`", fault.kind, fault.function)));
                }
            }
        }
        if self.words(&loaded, &loaded.device.memory, STOPPED) != [0] {
            return Ok(Some("a thread stopped with an error".to_owned()));
        }
        self.violation(|name| Ok::<_, String>(self.words(&loaded, &loaded.device.memory, name)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use margay_runner::emit::{Environment, GpuTarget};
    use margay_runner::sass::{Listing, Toolkit};

    use crate::application::Application;
    use crate::environment::environments;
    use crate::weave::{same_accesses, without_traps, woven};

    fn applications() -> Vec<PathBuf> {
        let mut all = Vec::new();
        for folder in ["tests/kernels", "tests/kernels/papers", "tests/kernels/papers/full"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
            let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
            all.extend(files.filter(|p| p.extension().is_some_and(|e| e == "toml")));
        }
        all.sort();
        assert!(all.len() >= 22, "{all:?}");
        all
    }

    fn kinds() -> Vec<Environment> {
        let few = |text: &str| {
            Environment::parse(&format!("stress-ctas=1,stress-words=1024,{text}")).unwrap()
        };
        vec![few("stress=sequence"), few("stress=random"), few("stress=cache")]
    }

    /// With stress, with blocks and warps in other places, and nothing of weak memory, what must
    /// hold at the end holds.
    #[test]
    fn woven_applications_compute_the_same() {
        assert_eq!(environments().len(), 8);
        for file in applications() {
            let application = Application::read(&file, None, "sm_90").unwrap();
            let kernels: Vec<&str> =
                application.launches.iter().map(|l| l.kernel.as_str()).collect();
            // At full size one run takes seconds.
            let (kinds, seeds) = match file.parent().is_some_and(|folder| folder.ends_with("full"))
            {
                true => (vec![kinds().remove(0)], 1),
                false => (kinds(), 4),
            };
            for kind in kinds {
                let text = woven(&application.ptx.text, &kernels, &kind).unwrap();
                for seed in 0..seeds {
                    assert_eq!(
                        application.run_woven(&text, &kind, seed),
                        Ok(None),
                        "{}, {kind}, {seed}",
                        file.display()
                    );
                }
            }
        }
    }

    /// Kernels that say their places in odd ways: grids and blocks of three dimensions, places as
    /// operands of comparisons and of vectors, control flow by the size of the grid, threads that
    /// end early, places as 16 bits, `.reqntid`, no parameters, and two launches of one kernel.
    const ODD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .u32 places[192];\n.visible .global .u32 wrong;\n\
        .visible .global .u32 sums[4];\n.visible .global .u32 arms[2];\n.visible .global .u32 lanes;\n\
        .visible .entry /* ( { */ cube .reqntid 4, 2, 2 {\n.reg .u32 %r<20>;\n.reg .u64 %d<4>;\n\
        mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;\n\
        mov.u32 %r2, %nctaid.x; mov.b64 %d1, {%ctaid.x, %tid.x}; mov.b64 {%r3, %r4}, %d1; mad.lo.u32 %r1, %r1, %r2, %r3;\n\
        mov.u32 %r2, %ntid.z; mad.lo.u32 %r1, %r1, %r2, %tid.z; mov.u32 %r2, %ntid.y; mad.lo.u32 %r1, %r1, %r2, %tid.y;\n\
        mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r1, %r2, %r4;\n\
        mul.wide.u32 %d2, %r1, 4; mov.u64 %d3, places; add.s64 %d2, %d2, %d3; atom.global.add.u32 %r5, [%d2], %r1;\nret;\n}\n\
        .visible .entry fork(.param .u32 a) {\n.reg .pred %p<4>;\n.reg .u32 %r<9>;\n.reg .u64 %d<4>;\n\
        setp.ne.u32 %p1, %tid.x, 0;\n@%p1 exit;\nsetp.eq.u32 %p2, %nctaid.x, 3;\nld.param.u32 %r1, [a];\n\
        @%p2 bra THREE;\natom.global.add.u32 %r2, [arms], %r1;\nbra.uni END;\n\
        THREE: atom.global.add.u32 %r2, [arms+4], %r1;\nEND: ret;\n}\n\
        .visible .entry waits() {\n.shared .u32 s[64];\n.reg .pred %p<4>;\n.reg .u32 %r<9>;\n.reg .u64 %d<4>;\n\
        mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 48;\n@%p1 bra LATE;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\n\
        st.shared.u32 [%r2], %r1;\nbar.sync 1, 64;\nret;\n\
        LATE: bar.sync 1, 64;\nsetp.ne.u32 %p2, %r1, 63;\n@%p2 ret;\nmov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.u32 %r3, s;\n\
        SUM: ld.shared.u32 %r6, [%r3];\nadd.u32 %r4, %r4, %r6;\nadd.u32 %r3, %r3, 4;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, 48;\n@%p3 bra SUM;\n\
        mul.wide.u32 %d1, %ctaid.x, 4;\nmov.u64 %d2, sums;\nadd.s64 %d1, %d1, %d2;\nst.global.u32 [%d1], %r4;\nret;\n}\n\
        .visible .entry warps() {\n.reg .u32 %r<9>;\nmov.u32 %r1, %tid.x;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;\n\
        sub.u32 %r3, %r1, %r2;\nmov.u32 %r4, %laneid;\nxor.b32 %r5, %r3, %r4;\natom.global.or.b32 %r6, [lanes], %r5;\nret;\n}\n\
        .visible .entry check() {\n.reg .pred %p;\n.reg .u32 %r<9>;\n.reg .u64 %d<4>;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 4;\n\
        mov.u64 %d2, places;\nadd.s64 %d1, %d1, %d2;\nld.global.u32 %r2, [%d1];\nsetp.eq.u32 %p, %r2, %r1;\n@!%p trap;\nret;\n}\n";

    /// A kernel that reads its place as 16 bits, and has registers of the same name in and around a
    /// block.
    const NARROW: &str = ".visible .entry narrow(.param .u64 out) {\n.reg .u16 %h<4>;\n.reg .u32 %r<9>;\n.reg .u64 %d<4>;\n.reg .b32 %a;\n\
        mov.u16 %h1, %ctaid.x; mov.u16 %h2, %ntid.x; mul.lo.u16 %h1, %h1, %h2; cvt.u32.u16 %r1, %tid.x; cvt.u32.u16 %r2, %h1;\n\
        add.u32 %r1, %r1, %r2;\nmov.u32 %a, %r1;\n{ .reg .b32 %a; mov.b32 %a, 1; add.u32 %r1, %r1, %a; }\nld.param.u64 %d1, [out];\n\
        mul.wide.u32 %d2, %a, 4;\nadd.u64 %d1, %d1, %d2;\nst.global.u32 [%d1], %r1;\nret;\n}\n";

    #[test]
    fn odd_kernels_compute_the_same() {
        let folder = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp/odd-kernels");
        std::fs::create_dir_all(folder).unwrap();
        let launch = |kernel: &str, blocks: &str, threads: &str, arguments: &str| {
            format!(
                "[[launch]]\nkernel = \"{kernel}\"\nblocks = {blocks}\nthreads = {threads}\narguments = [{arguments}]\n"
            )
        };
        let launches = [
            launch("cube", "[3, 2, 2]", "[4, 2, 2]", ""),
            launch("fork", "3", "40", "7"),
            launch("fork", "5", "[1, 33, 1]", "2"),
            launch("waits", "4", "64", ""),
            launch("warps", "5", "96", ""),
            launch("narrow", "4", "32", "\"numbers\""),
            launch("check", "1", "192", "").replace("launch", "check"),
        ];
        let post = "post = [\"sums[*] == 1128\", \"arms[0] == 330\", \"arms[1] == 21\", \"lanes == 0\", \"numbers[0] == 1\", \"numbers[31] == 32\", \
                    \"numbers[96] == 97\", \"numbers[127] == 128\"]\n[[array]]\nname = \"numbers\"\nwords = 128\n";
        let odd = format!("{ODD}{NARROW}");
        std::fs::write(folder.join("odd.ptx"), &odd).unwrap();
        std::fs::write(
            folder.join("odd.toml"),
            format!("program = \"odd.ptx\"\n{post}{}", launches.concat()),
        )
        .unwrap();
        let application = Application::read(&folder.join("odd.toml"), None, "sm_90")
            .unwrap_or_else(|e| panic!("{}", e.message));
        let mut plain = application.load(&odd).unwrap();
        let ran = application
            .run(&mut plain, margay_machine::MemoryKind::SequentiallyConsistent, 1)
            .unwrap();
        assert_eq!(ran.0, crate::campaign::RunVerdict::Right);
        for kind in kinds() {
            let kernels = ["cube", "fork", "waits", "warps", "narrow"];
            let text = woven(&odd, &kernels, &kind).unwrap();
            for seed in 0..12 {
                assert_eq!(application.run_woven(&text, &kind, seed), Ok(None), "{kind}, {seed}");
            }
        }
    }

    /// The assembler takes no register of 32 bits where 16 are read.
    #[test]
    fn places_of_16_bits_are_assembled() {
        let Some(toolkit) =
            Toolkit::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolkit"))
        else {
            return eprintln!(
                "skipped: there are no ptxas and nvdisasm; .ci/toolkit downloads them"
            );
        };
        let narrow = format!(".version 8.0\n.target sm_90\n.address_size 64\n{NARROW}");
        let listing = |text: &str| {
            let assembled =
                toolkit.assemble(text, GpuTarget(90), 3).unwrap_or_else(|e| panic!("{e}"));
            Listing::read(&assembled.disassembly.expect("there is a disassembler"))
        };
        let code = listing(&woven(&narrow, &["narrow"], &kinds()[0]).unwrap());
        assert_eq!(same_accesses(&listing(&narrow), &code, &["narrow"]), Ok(()));
    }

    /// The assembler takes woven kernels, and their machine code has the accesses of the
    /// application and those of the stress.
    #[test]
    fn woven_machine_code_has_the_accesses_of_the_application() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolkit");
        let Some(toolkit) = Toolkit::at(&folder) else {
            eprintln!(
                "skipped: there are no ptxas and nvdisasm in {}; .ci/toolkit downloads them",
                folder.display()
            );
            return;
        };
        // An old GPU and a new one have other loads, stores and barriers; which stress there is
        // makes no difference to that.
        let few = || vec![kinds().remove(0)];
        for (target, kinds, least) in
            [(GpuTarget(70), few(), 30), (GpuTarget(100), few(), 30), (GpuTarget(90), kinds(), 34)]
        {
            let mut compared = 0;
            for file in applications() {
                let application = Application::read(&file, None, "sm_90").unwrap();
                let mut kernels: Vec<&str> =
                    application.launches.iter().map(|l| l.kernel.as_str()).collect();
                kernels.sort_unstable();
                kernels.dedup();
                let line = |line: &str| match line.split_whitespace().next() {
                    Some(".version") if target != GpuTarget(90) => ".version 8.6\n".to_owned(),
                    Some(".target") => format!(".target {target}\n"),
                    _ => format!("{line}\n"),
                };
                let text: String = application.ptx.text.lines().map(line).collect();
                let listing = |text: &str| {
                    let assembled = toolkit.assemble(text, target, 3);
                    assembled.map(|code| {
                        Listing::read(&code.disassembly.expect("there is a disassembler"))
                    })
                };
                let plain = match listing(&without_traps(&text).unwrap()) {
                    Ok(plain) => plain,
                    // What the application has is not there on each.
                    Err(_) if target != GpuTarget(90) => continue,
                    Err(why) => panic!("{}: {why}", file.display()),
                };
                for kind in &kinds {
                    let woven = woven(&text, &kernels, kind).unwrap();
                    let code = listing(&woven)
                        .unwrap_or_else(|e| panic!("{}, {target}, {kind}: {e}", file.display()));
                    assert_eq!(
                        same_accesses(&plain, &code, &kernels),
                        Ok(()),
                        "{}, {target}, {kind}",
                        file.display()
                    );
                }
                compared += kernels.len();
            }
            assert!(compared >= least, "{compared} kernels were compared for {target}");
        }
    }
}
