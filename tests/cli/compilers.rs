//! What real compilers make of programs, if they are there: nvcc and libcu++ from `.ci/toolkit`,
//! others from `.ci/compilers`. The shipped tables say what they emit; the programs of findings
//! show what they do wrong.

use std::path::{Path, PathBuf};

use margay_extract::assembly::AssemblyReader;
use margay_extract::compile::CompileCommand;
use margay_extract::finding::ReproducedFinding;
use margay_extract::front::{self, FrontEnd};
use margay_extract::point::Point;
use margay_extract::table::{Difference, Table, against};
use margay_litmus::print::cuda_program;
use margay_litmus::read;
use margay_mappings::library;
use margay_models::diagnostic::SourceFile;
use margay_models::signature::Architecture;
use margay_runner::emit::GpuTarget;
use margay_runner::sass::{Listing, SassInstruction, Toolkit};

use crate::program::{err, folder, margay, out, write};

/// The folder of the toolkit, or the reason why the test cannot ask it.
fn toolkit() -> Result<PathBuf, &'static str> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/toolkit/nvidia/cu13");
    if folder.join("bin/nvcc").exists() {
        Ok(folder)
    } else {
        Err("skipped: no CUDA compiler; `.ci/toolkit` fetches one")
    }
}

/// Compiles a program to PTX.
fn compile(toolkit: &Path, program: &str, name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, target) = (folder.join(format!("{name}.cu")), folder.join(format!("{name}.ptx")));
    std::fs::write(&source, program).expect("a file");
    let output = std::process::Command::new(toolkit.join("bin/nvcc"))
        .args(["-arch=sm_90", "-ptx", "-o"])
        .arg(&target)
        .arg(&source)
        .arg("-I")
        .arg(toolkit.join("include/cccl"))
        .arg("-I")
        .arg(toolkit.join("include"))
        .output()
        .expect("nvcc starts");
    assert!(output.status.success(), "{program}\n{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(target).expect("nvcc writes PTX")
}

/// The accesses and fences of one PTX program, without types, registers and state spaces, weak
/// accesses left out (nvcc's own are among them): `atom.exch.acquire.gpu` and
/// `atom.acquire.gpu.exch` are both `atom acquire gpu exch`, in a fixed order.
fn instructions(ptx: &str) -> Vec<String> {
    let words =
        ["relaxed", "acquire", "release", "acq_rel", "sc", "cta", "gpu", "sys", "exch", "cas"];
    ptx.lines()
        .flat_map(|line| line.split(['|', ';']))
        .filter_map(|cell| {
            let name = cell.split_whitespace().next()?;
            let parts: Vec<&str> = name.split('.').collect();
            if !["ld", "st", "atom", "fence"].contains(&parts[0]) {
                return None;
            }
            let told: Vec<&str> = words.into_iter().filter(|w| parts.contains(w)).collect();
            (!told.is_empty()).then(|| format!("{} {}", parts[0], told.join(" ")))
        })
        .collect()
}

/// A compiler that `.ci/compilers` has fetched, or the reason why the test cannot ask it.
fn fetched(name: &str) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/compilers").join(name);
    if folder.join("complete").exists() {
        Ok(folder)
    } else {
        Err(format!("skipped: no {name}; `.ci/compilers {name}` fetches it"))
    }
}

/// How a compiler is called for a machine of a front end.
fn compile_command(
    front: &FrontEnd,
    architecture: &str,
    template: String,
    compiler: Option<&Path>,
) -> CompileCommand {
    let machine = front.machines.get(architecture);
    CompileCommand {
        template,
        worker: false,
        compiler: compiler.map(|folder| folder.display().to_string()),
        architecture: architecture.to_owned(),
        assembly: machine.and_then(|m| Architecture::built_in(&m.model)),
        words: machine.map_or(Vec::new(), |m| m.with.clone().into_iter().collect()),
        limit: std::time::Duration::from_secs(600),
    }
}

/// Rows that differ between a shipped table and what the compiler emits for these points, and how
/// many do not.
fn compared(
    front: &FrontEnd,
    command: &CompileCommand,
    points: &[Point],
    table: &str,
) -> (usize, Vec<String>) {
    let outcome = margay_extract::compile::compile(
        front,
        command,
        points,
        2,
        &margay_extract::compile::SilentExtraction,
    )
    .unwrap_or_else(|e| panic!("{table}: {e}"));
    let extracted = Table::new(front, command, table.to_owned(), &outcome);
    let path = format!("{}/mappings/compilers/{table}.map", env!("CARGO_MANIFEST_DIR"));
    let mapping =
        library::find(&path, &Default::default()).unwrap_or_else(|e| panic!("{e:?}")).mapping;
    let compared = against(&extracted, &mapping);
    let text = |d: &Difference<'_>| {
        format!("{}: emitted {}, in the table {}", d.measured.row.slot, d.emitted, d.expected)
    };
    (compared.same, compared.differ.iter().map(text).collect())
}

/// The tables of CPUs: the compiler as `.ci/compilers` calls it, the front end, the table's first
/// word, and what the installed one must say of its version.
const OF_CPUS: [(&str, &str, &str, &str); 4] = [
    ("gcc-12", "gcc", "gcc-12", "12.2.0"),
    ("gcc-15", "gcc", "gcc-15", "15."),
    ("llvm-19", "clang-cpu", "clang-19", "19.1.7"),
    ("llvm-22", "clang-cpu", "clang-22", "22."),
];

/// Holds the shipped tables of CPUs against their compilers, where these are fetched or the same
/// version is installed, for the points that are chosen; the number of tables that were held. Where
/// a compiler is not there it says so.
fn hold_tables_of_cpus(chosen: &dyn Fn(usize, &Point) -> bool) -> usize {
    let mut held = 0;
    for (compiler, front, first, number) in OF_CPUS {
        let front = front::find(front).unwrap_or_else(|e| panic!("{e:?}"));
        let points: Vec<Point> = front
            .points()
            .into_iter()
            .enumerate()
            .filter(|(i, p)| chosen(*i, p))
            .map(|(_, p)| p)
            .collect();
        let found = fetched(compiler);
        for architecture in &front.architectures {
            let table = format!("cpu/{first}-{architecture}");
            if !Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("mappings/compilers/{table}.map"))
                .exists()
            {
                continue;
            }
            let command = match &found {
                Ok(folder) => {
                    let unpacked = front.unpacked_as(compiler).expect("it can be unpacked");
                    compile_command(&front, architecture, unpacked.command.clone(), Some(folder))
                }
                Err(why) => {
                    let command =
                        compile_command(&front, architecture, front.command.clone(), None);
                    let line = command.text("", "", "");
                    let program = line.split(' ').next().unwrap_or_default();
                    let says = std::process::Command::new(program).arg("--version").output();
                    let is_it = says.is_ok_and(|says| {
                        String::from_utf8_lossy(&says.stdout)
                            .lines()
                            .next()
                            .unwrap_or_default()
                            .contains(number)
                    });
                    if !is_it {
                        println!(
                            "{table} {why}, and no `{program}` of version {number} is installed"
                        );
                        continue;
                    }
                    command
                }
            };
            let (same, differ) = compared(&front, &command, &points, &table);
            assert!(differ.is_empty(), "{table}: {} rows\n{}", differ.len(), differ.join("\n"));
            assert!(same >= points.len(), "{table}: {same} rows of {} functions", points.len());
            held += 1;
        }
    }
    println!("{held} tables of CPUs were held against their compilers");
    held
}

/// Every ninth function of each table of a CPU, so that all of them together are asked often: the
/// rows are what the compiler emits.
#[test]
fn some_rows_of_the_tables_of_cpus_are_what_compilers_emit() {
    hold_tables_of_cpus(&|i, _| i % 9 == 4);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn all_rows_of_the_tables_of_cpus_are_what_compilers_emit() {
    hold_tables_of_cpus(&|_, _| true);
}

/// The shipped tables of compilers that can be had, held against these compilers, row by row.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn compilers_emit_what_the_shipped_tables_say() {
    let held = [
        ("nvrtc-13.5", "cuda-atomic", "sm_90", "libcudacxx-3.5"),
        ("nvrtc-13.5", "cuda-atomic-ref", "sm_90", "libcudacxx-3.5-atomic-ref"),
        ("nvrtc-13.5", "nv-atomic", "sm_90", "nv-atomic-13.5"),
        ("nvrtc-13.5", "cuda-builtins", "sm_90", "cuda-builtins"),
        ("nvrtc-12.4", "cuda-atomic-ref", "sm_60", "libcudacxx-2.3-sm60"),
        ("llvmlite-0.50", "llvm-ir", "sm_90-ptx86", "llvm-22.1-sm90"),
        ("llvm-19", "llvm-ir", "sm_90-ptx83", "llvm-19-sm90"),
        ("llvm-22", "llvm-ir", "sm_90-ptx86", "llvm-22.1-sm90"),
        ("llvm-22", "llvm-ir", "sm_70", "llvm-22.1-sm70"),
        ("llvm-22", "clang", "sm_90-ptx78", "clang-22"),
        ("llvm-23", "llvm-ir", "sm_90-ptx86", "llvm-23-sm90"),
        ("zig-0.17.1", "zig", "sm_90", "zig-0.17"),
    ];
    let mut asked = 0;
    for (compiler, front, architecture, table) in held {
        let folder = match fetched(compiler) {
            Ok(folder) => folder,
            Err(reason) => {
                println!("{reason}");
                continue;
            }
        };
        let front = front::find(front).unwrap_or_else(|e| panic!("{e:?}"));
        let unpacked = front.unpacked_as(compiler).expect("it can be unpacked");
        let command =
            compile_command(&front, architecture, unpacked.command.clone(), Some(&folder));
        let command = CompileCommand { worker: unpacked.worker, ..command };
        let (same, differ) = compared(&front, &command, &front.points(), table);
        assert!(
            differ.is_empty(),
            "{compiler}, {}: {} rows\n{}",
            front.name,
            differ.len(),
            differ.join("\n")
        );
        assert!(same > 300, "{table}: {same} rows");
        asked += 1;
    }
    println!("{asked} tables were held against their compilers");
}

/// What a step of a finding must be in machine code (docs/gpu.md, "What PTX becomes"): names and
/// qualifiers, in order.
fn machine_code(step: &str) -> Vec<(&'static str, Vec<&'static str>)> {
    let name = step.split(' ').next().unwrap_or_default();
    let has = |word: &str| name.split('.').any(|w| w == word);
    let scope = if has("sys") {
        "SYS"
    } else if has("cta") {
        "SM"
    } else {
        "GPU"
    };
    let fenced = || if has("sc") { "SC" } else { "ALL" };
    let mut out = Vec::new();
    if has("fence") {
        out.push(("MEMBAR", vec![fenced(), scope]));
    }
    if has("release") || has("acq_rel") {
        out.push(("MEMBAR", vec!["ALL", scope]));
    }
    let strong = if has("weak") { vec![] } else { vec!["STRONG", scope] };
    if let Some((_, base)) =
        [("ld", "LD"), ("st", "ST"), ("atom", "ATOM")].into_iter().find(|(word, _)| has(word))
    {
        out.push((base, strong));
    }
    if has("acquire") || has("acq_rel") || has("sc") {
        out.push(("CCTL", vec!["IVALL"]));
    }
    out
}

/// The accesses and fences of a thread are in its machine code, in order; and where it has no loop,
/// no other fence is.
fn in_machine_code(steps: &[String], listing: &Listing) -> Result<(), String> {
    let wanted: Vec<(&str, Vec<&str>)> = steps.iter().flat_map(|s| machine_code(s)).collect();
    let is = |i: &SassInstruction, base: &str, with: &[&str]| {
        let weak = !["LD", "ST"].contains(&base) || !with.is_empty() || !i.has("STRONG");
        let elsewhere = ["LDC", "LDL", "LDS", "STL", "STS"].iter().any(|b| i.base().starts_with(b));
        i.base().starts_with(base) && !elsewhere && with.iter().all(|q| i.has(q)) && weak
    };
    let mut rest = listing.instructions.iter();
    for (base, with) in &wanted {
        if !rest.any(|i| is(i, base, with)) {
            let all = listing
                .instructions
                .iter()
                .map(SassInstruction::text)
                .collect::<Vec<_>>()
                .join("\n");
            return Err(format!("no {base} {with:?} in its place:\n{all}"));
        }
    }
    let loops = listing.instructions.iter().any(|i| i.base() == "BRA" && i.guard.is_some());
    // What stands in front of a compare-exchange that fails is there for the one that succeeds.
    let fails = steps.iter().any(|s| s.starts_with("failed "));
    let from = listing
        .instructions
        .iter()
        .position(|i| fails && i.base().starts_with("ATOM"))
        .unwrap_or(0);
    for base in ["MEMBAR", "CCTL"] {
        let found = listing.instructions[from..].iter().filter(|i| i.base() == base).count();
        let expected = wanted.iter().filter(|(b, _)| *b == base).count();
        if found != expected && !loops {
            return Err(format!(
                "{found} {base} and not {expected}: the assembler makes up for it"
            ));
        }
    }
    Ok(())
}

/// Has the program of a finding, compiled now, the accesses and fences of the litmus test, in PTX
/// and in machine code?
fn reproduce(
    work: &Path,
    folder: &Path,
    finding: &ReproducedFinding,
    compiler: &Path,
) -> Result<(), String> {
    let front = front::find(&finding.front_end).map_err(|e| format!("{e:?}"))?;
    std::fs::create_dir_all(work).expect("a folder");
    margay_extract::compile::drivers(work).expect("helper programs");
    let of_front = front.unpacked_as(&finding.compiler).map(|unpacked| unpacked.command.clone());
    let template =
        finding.command.clone().or(of_front).ok_or("the front end does not know this compiler")?;
    let command = compile_command(&front, &finding.architecture, template, Some(compiler));
    let command = CompileCommand { limit: std::time::Duration::from_secs(600), ..command };
    let compiled = work.join("program.ptx");
    let (input, output) =
        (folder.join(&finding.program).display().to_string(), compiled.display().to_string());
    let line = command.text(&input, &output, &work.display().to_string());
    margay_extract::compile::ran(&line, work, command.limit).map_err(|e| e.to_string())?;
    let ptx = std::fs::read_to_string(&compiled).map_err(|e| e.to_string())?;
    if let Some(mut reader) = command.assembly.and_then(AssemblyReader::of) {
        let module = margay_extract::assembly::module(&ptx, reader.architecture())
            .map_err(|why| why.to_string())?;
        return finding
            .verify_assembly(&mut reader, &module)
            .map(|_| ())
            .map_err(|why| why.to_string());
    }
    let module = margay_extract::ptx::read(&ptx).map_err(|e| e.to_string())?;
    finding.verify(&module).map_err(|why| why.to_string())?;
    let number = finding
        .architecture
        .trim_start_matches("sm_")
        .split('-')
        .next()
        .and_then(|n| n.parse().ok());
    let target = GpuTarget(number.expect("an architecture"));
    // Instructions of older machines do not say their scope.
    if target < GpuTarget(70) {
        println!("the machine code of {target} is not compared: {}", work.display());
    } else if let Some(toolkit) =
        Toolkit::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("target/toolkit"))
    {
        // Functions that nobody calls are in no machine code: kernels are.
        let kernels = ptx.replace(".visible .func P", ".visible .entry P");
        let assembled = toolkit.assemble(&kernels, target, 3).map_err(|e| e.to_string())?;
        let listings = Listing::read(&assembled.disassembly.expect("it is disassembled"));
        for thread in &finding.threads {
            let listing = listings
                .iter()
                .find(|l| l.name == thread.name)
                .ok_or_else(|| format!("no {}", thread.name))?;
            in_machine_code(&thread.steps, listing).map_err(|e| format!("{}: {e}", thread.name))?;
        }
    }
    Ok(())
}

/// The last part of an address: the number of a report (`show_bug.cgi?id=1` has it behind `=`) or a
/// change, the name of a file.
fn last_of(reference: &str) -> &str {
    reference.rsplit(['/', '=']).next().unwrap_or(reference)
}

/// The commands of a finding's page make the same program again.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn commands_of_findings_make_the_same_program() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut again, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(here.join("results/findings")).expect("there are findings") {
        let finding = entry.expect("an entry").path();
        if !finding.is_dir() {
            continue;
        }
        let name = finding.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let page = std::fs::read_to_string(finding.join("README.md")).expect("a page");
        let block = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
        let lines: Vec<&str> =
            block.unwrap_or_else(|| panic!("{name} has no commands")).lines().collect();
        let compiler = lines[0]
            .strip_prefix(".ci/compilers ")
            .unwrap_or_else(|| panic!("{name}: {}", lines[0]));
        if let Err(reason) = fetched(compiler) {
            println!("{name}: {reason}");
            continue;
        }
        let folder = crate::program::folder(&format!("again/{name}"));
        let commands = lines[1..]
            .join("\n")
            .replace("target/compilers", &here.join("target/compilers").display().to_string());
        let output = crate::program::shell(&folder, &format!("set -e\n{commands}"), &[]);
        // A counterexample was found and reproduced.
        if output.status.code() != Some(1) {
            wrong.push(format!(
                "{name}: {}{}",
                crate::program::out(&output),
                crate::program::err(&output)
            ));
            continue;
        }
        let description =
            std::fs::read_to_string(finding.join("finding.json")).expect("it has a description");
        let described: ReproducedFinding = serde_json::from_str(&description).expect("it is read");
        for file in [
            described.program.as_str(),
            if finding.join("program.s").exists() { "program.s" } else { "program.ptx" },
            "counterexample-source.litmus",
            "counterexample-target.litmus",
            "rows.txt",
        ] {
            let text =
                |folder: &Path| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            if text(&finding) != text(&folder.join("again")) {
                wrong.push(format!(
                    "{name}: {file} differs from {}",
                    folder.join("again").join(file).display()
                ));
            }
        }
        again += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{again} findings were made again");
}

/// Every finding of results/findings: its program, compiled now by each compiler that it names, has
/// the accesses and fences of the litmus test, in order, on a path of each thread; and so has the
/// machine code that the assembler makes of it.
#[test]
fn findings_are_reproduced() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/findings");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&root)
        .expect("there are findings")
        .map(|e| e.expect("an entry").path())
        .collect();
    folders.retain(|f| f.is_dir());
    folders.sort();
    assert!(folders.len() >= 3, "{folders:?}");
    let (mut reproduced, mut wrong) = (0, Vec::new());
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text =
            std::fs::read_to_string(folder.join("finding.json")).expect("it has a description");
        let finding: ReproducedFinding = serde_json::from_str(&text).expect("it is read");
        // The PTX or assembly that is shown is the one that is described.
        let front = front::find(&finding.front_end).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let machine = front
            .machines
            .get(&finding.architecture)
            .and_then(|m| Architecture::built_in(&m.model));
        if let Some(mut reader) = machine.and_then(AssemblyReader::of) {
            let kept = std::fs::read_to_string(folder.join("program.s")).expect("it has assembly");
            let module = margay_extract::assembly::module(&kept, reader.architecture())
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            finding.verify_assembly(&mut reader, &module).unwrap_or_else(|e| panic!("{name}: {e}"));
        } else {
            let kept = std::fs::read_to_string(folder.join("program.ptx")).expect("it has PTX");
            let module = margay_extract::ptx::read(&kept).unwrap_or_else(|e| panic!("{name}: {e}"));
            finding.verify(&module).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let page = std::fs::read_to_string(folder.join("README.md"))
            .unwrap_or_else(|e| panic!("{name} is not described: {e}"));
        let upstream =
            finding.upstream.as_ref().unwrap_or_else(|| panic!("{name}: what is known upstream?"));
        assert!(
            page.contains(&format!("**Upstream** (looked up on {})", upstream.looked_up)),
            "{name}: the page says another day"
        );
        for reference in &upstream.references {
            assert!(page.contains(last_of(reference)), "{name}: the page lacks {reference}");
        }
        for one in finding.by_compiler() {
            let what = format!("{name} by {}", one.compiler);
            let work = Path::new(env!("CARGO_TARGET_TMPDIR"))
                .join("findings")
                .join(&name)
                .join(&one.compiler);
            match fetched(&one.compiler).map(|compiler| reproduce(&work, &folder, &one, &compiler))
            {
                Err(reason) => println!("{what}: {reason}"),
                Ok(Ok(())) => reproduced += 1,
                Ok(Err(error)) => wrong.push(format!("{what}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{reproduced} programs of findings were compiled");
}

/// The constructs of CUDA C++ that a test may have: the program compiles, and has as many accesses.
#[test]
fn every_construct_compiles() {
    let toolkit = match toolkit() {
        Ok(toolkit) => toolkit,
        Err(reason) => return println!("{reason}"),
    };
    let text = r"C constructs
{ [x]=0; [y]=5; }
P0@wg 0,dev 0 (atomic_int* x, int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
  if (r0 == 1) {
    *y = r0 + 2;
    int r1 = *y;
  } else {
    return;
  }
  int r2 = 7;
  atomic_compare_exchange_weak_explicit(x, &r2, 3, memory_order_acq_rel, memory_order_acquire, memory_scope_work_group);
  for (int i = 0; i < 2; i = i + 1) {
    atomic_fetch_add_explicit(x, i, memory_order_relaxed, memory_scope_all_svm_devices);
  }
}
P1@wg 0,dev 0 (atomic_int* x) {
  int r0 = 0;
  while (r0 == 0) {
    r0 = atomic_exchange(x, 1);
    atomic_thread_fence(memory_order_seq_cst, memory_scope_device);
  }
  do {
    r0 = atomic_fetch_sub_explicit(x, 1, memory_order_release, memory_scope_device);
  } while (r0 > 0);
  atomic_store_explicit(x, -1, memory_order_release, memory_scope_device);
}
exists (0:r0=1)
";
    let test = read::test(&SourceFile::new("constructs.litmus", text))
        .unwrap_or_else(|e| panic!("{e:?}"))
        .test;
    let program = cuda_program(&test).unwrap_or_else(|e| panic!("{e}"));
    let ptx = compile(&toolkit, &program, "constructs");
    let atomics = instructions(&ptx);
    for wanted in [
        "ld acquire gpu",
        "atom acq_rel cta cas",
        "atom relaxed sys",
        "fence sc gpu",
        "atom release gpu",
        "st release gpu",
    ] {
        assert!(atomics.iter().any(|a| a == wanted), "no `{wanted}` in {atomics:?}\n{program}");
    }
}

/// A compiler for a CPU whose lowering is wrong in one place: its table has a counterexample, and
/// the one of the compiler itself has none.
#[test]
fn wrong_compilers_for_cpus_are_found() {
    let clang = match fetched("llvm-22") {
        Ok(folder) => folder.join("clang").display().to_string(),
        Err(reason) => return println!("{reason}"),
    };
    let root = folder("compilers/wrong");
    let found = |name: &str, architecture: &str, target: &str, sed: &str| {
        let script = write(
            &root,
            name,
            format!(
                "{clang} -O2 -S {target} \"$1\" -o \"$2.s\" && sed -E '{sed}' \"$2.s\" > \"$2\"\n"
            ),
        );
        let table = root.join(format!("{name}.map")).display().to_string();
        let command = format!("sh {script} {{in}} {{out}}");
        let asked =
            ["--arch", architecture, "--types", "b32", "--operations", "add,exch", "-o", &table];
        let extracted =
            margay(&[&["extract", "clang-cpu", "--cmd", &command], &asked[..]].concat());
        assert!(Path::new(&table).exists(), "{name}: {}{}", out(&extracted), err(&extracted));
        let checked = margay(&["check", &table, "--source", "rc11-lb", "--bound", "5"]);
        out(&checked).lines().next().unwrap_or_default().to_owned()
    };
    let [aarch64, riscv, armv7] = [
        "--target=aarch64-linux-gnu",
        "--target=riscv64-linux-gnu -march=rv64gc",
        "--target=armv7-linux-gnueabihf",
    ];
    let starts = |line: String, with: &str| assert!(line.starts_with(with), "{line}");
    starts(found("honest", "aarch64", aarch64, ""), "no counterexample up to 5 events");
    // An acquire that is a plain load, a release that an amo lacks, and a seq_cst store without the
    // fence behind it.
    starts(found("load", "aarch64", aarch64, r"s/\bldar\b/ldr/"), "counterexample with 4 events");
    let release =
        r"s/^([[:space:]]*amo[a-z]+\.w)\.aqrl/\1.aq/; s/^([[:space:]]*amo[a-z]+\.w)\.rl/\1/";
    starts(found("amo", "riscv64", riscv, release), "counterexample with 5 events");
    starts(
        found("store", "armv7", armv7, r"/^[[:space:]]*str[[:space:]]/{n;/dmb/d}"),
        "counterexample with 4 events",
    );
}

/// What is not the toolkit's version and not where the sources were: the sections behind the code
/// have names of functions, with a number that nvcc makes of the path.
fn without_names(ptx: &str) -> Vec<&str> {
    let code = ptx.lines().take_while(|line| !line.trim_start().starts_with(".section"));
    code.filter(|line| !line.starts_with("//") && !line.trim_start().starts_with(".file")).collect()
}

/// The PTX of the papers' applications at full size is what nvcc makes of the CUDA beside it, where
/// it is the nvcc that made it.
#[test]
fn the_papers_applications_are_compiled_from_their_sources() {
    let toolkit = match toolkit() {
        Ok(toolkit) => toolkit,
        Err(why) => return println!("{why}"),
    };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/papers/full");
    for name in
        ["cuda_by_example", "work_stealing", "task_queue", "reduction", "look_back", "barnes_hut"]
    {
        let committed =
            std::fs::read_to_string(sources.join(name).with_extension("ptx")).expect(name);
        let target = folder("papers-full").join(name).with_extension("ptx");
        let output = std::process::Command::new(toolkit.join("bin/nvcc"))
            .args(["-arch=sm_90", "-ptx", "-lineinfo", "-o"])
            .arg(&target)
            .arg(sources.join(name).with_extension("cu"))
            .output()
            .expect("nvcc starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let compiled = std::fs::read_to_string(target).expect("nvcc writes PTX");
        let build = |ptx: &str| {
            ptx.lines().find(|line| line.contains("Compiler Build ID")).map(str::to_owned)
        };
        if build(&compiled) == build(&committed) {
            assert!(
                without_names(&compiled) == without_names(&committed),
                "{name}.ptx is not of {name}.cu: compile it again"
            );
        }
    }
}
