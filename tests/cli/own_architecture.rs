//! An architecture that is in no repository, made from texts alone, as its author meets it: ARMv7
//! with a part of the model of Alglave, Maranget and Tautschnig (TOPLAS 2014), from C++, through
//! the commands that ask about mappings, models and tests.

use std::path::{Path, PathBuf};

use crate::program::{err, folder, margay, out, words, write};

const ARCHITECTURE: &str = "// ARMv7-A: plain accesses, exclusive pairs, barriers.
architecture \"ARMv7\"
tag X on R W apart
tag DMB on F
tag DMB.ST on F
tag ISB on F
order ISB < DMB
order DMB.ST < DMB
dependencies addr data ctrl
read ldr
write str
rmw ldrex_strex X
fence dmb DMB
fence dmb.st DMB.ST
fence isb ISB
";

const MODEL: &str =
    "armv7x \"ARMv7 (Alglave, Maranget, Tautschnig, TOPLAS 2014, Fig. 5, 17, 18 and 25)\"
let com = co | rf | fr
acyclic po-loc | com as SC-per-Location
let dp = addr | data
let rdw = po-loc & (fre; rfe)
let detour = po-loc & (coe; rfe)
let ii0 = dp | rdw | rfi
let ci0 = (ctrl; [ISB]; po) | detour
let cc0 = dp | ctrl | (addr; po)
let rec ii = ii0 | ci | (ic; ci) | (ii; ii)
and ic = ii | cc | (ic; cc) | (ii; ic)
and ci = ci0 | (ci; ii) | (cc; ci)
and cc = cc0 | ci | (ci; ic) | (cc; cc)
let ppo = ((R * R) & ii) | ((R * W) & ic)
let ffence = [M]; po; [DMB]; po; [M]
let fences = ffence | [W]; po; [DMB.ST]; po; [W]
let hb = ppo | fences | rfe
acyclic hb as No-Thin-Air
let prop-base = (fences | (rfe; fences)); hb*
let prop = (prop-base & (W * W)) | (com*; prop-base*; ffence; hb*)
irreflexive fre; prop; hb* as Observation
acyclic co | prop as Propagation
empty rmw & (fre; coe) as Atomicity
";

const MAPPING: &str = "mapping \"C++ to ARMv7\" from rc11 to armv7x
R.NA => ldr
R.RLX => ldr ; ctrl
R.ACQ => ldr ; ctrl ; isb
R.SC => ldr ; dmb
W.NA => str
W.RLX => str
W.REL => dmb ; str
W.SC => dmb ; str ; dmb
RMW.RLX => ldrex_strex ; ctrl
RMW.ACQ => ldrex_strex ; ctrl ; isb
RMW.REL => dmb ; ldrex_strex ; ctrl
RMW.ACQ_REL => dmb ; ldrex_strex ; ctrl ; isb
RMW.SC => dmb ; ldrex_strex ; dmb
F.ACQ => dmb
F.REL => dmb
F.ACQ_REL => dmb
F.SC => dmb
";

const ONLY: [&str; 4] = ["--bound", "4", "--only", "R.NA,W.NA,R.ACQ,W.REL"];

/// The three texts in a folder of their own; the folder, and the paths of model and mapping.
fn texts(name: &str) -> (PathBuf, String, String) {
    let folder = folder(&format!("own_architecture/{name}"));
    write(&folder, "armv7x.arch", ARCHITECTURE);
    let (model, mapping) = (write(&folder, "armv7x.cat", MODEL), write(&folder, "m.map", MAPPING));
    (folder, model, mapping)
}

fn of(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a path of text").to_owned()
}

/// What a command says, with its exit code.
fn says(code: i32, arguments: &[&str]) -> String {
    let output = margay(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}{}", out(&output), err(&output));
    words(&out(&output))
}

#[test]
fn mappings_to_it_are_checked_mended_and_weakened() {
    let (folder, model, mapping) = texts("mappings");
    let certificate = of(&folder, "certificate");
    let said = says(0, &[&["check", &mapping], &ONLY[..], &["--certify", &certificate]].concat());
    assert!(
        said.starts_with("no counterexample up to 4 events (only programs of R.NA, W.NA, R.ACQ, W.REL): C++ to ARMv7"),
        "{said}"
    );
    says(0, &["verify", &certificate]);
    // A broken row has a counterexample, whose test is one of the architecture.
    let broken = write(
        &folder,
        "broken.map",
        MAPPING.replace("R.ACQ => ldr ; ctrl ; isb", "R.ACQ => ldr ; ctrl"),
    );
    let found = of(&folder, "found");
    let said = says(1, &[&["check", &broken], &ONLY[..], &["--out", &found]].concat());
    assert!(
        said.contains("counterexample with 4 events (program: a compiler bug), axiom Coherence"),
        "{said}"
    );
    let test = of(&folder, "found/counterexample-1-target.litmus");
    let text = std::fs::read_to_string(&test).expect("the test");
    assert!(
        text.starts_with("armv7x ") && text.contains("dmb") && text.contains("bne r0, 1, END"),
        "{text}"
    );
    let said = says(0, &["run", "--model", &model, &test]);
    assert!(said.contains("armv7x allowed exists: yes"), "{said}");
    let said = says(0, &["explain", "--model", &model, &test]);
    assert!(
        said.contains("What would forbid it") && said.contains("isb") && !said.contains("no way"),
        "{said}"
    );
    let said = says(1, &[&["repair", &broken], &ONLY[..]].concat());
    assert!(said.contains("R.ACQ ldr ; ctrl ldr ; ctrl ; isb"), "{said}");
    // And each row is as weak as it can be.
    let said = says(0, &[&["weaken", &mapping], &ONLY[..]].concat());
    assert!(said.starts_with("tight up to 4 events"), "{said}");
    assert!(said.contains("ldr ; isb counterexample at 4"), "{said}");
    assert!(said.contains("dmb.st ; str counterexample at 4"), "{said}");
}

#[test]
fn tests_of_it_are_mended_and_models_compared() {
    let (folder, model, _) = texts("models");
    let sb = "armv7x SB\n{ x=0; y=0; }\n P0 | P1 ;\n str x, 1 | str y, 1 ;\n ldr r0, y | ldr r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n";
    let sb = write(&folder, "sb.litmus", sb);
    let said = says(0, &["fence", "--model", &model, &sb]);
    assert!(said.starts_with("the cheapest way") || said.contains("+ dmb"), "{said}");
    assert!(!said.contains("isb") && !said.contains("dmb.st"), "weaker fences do not do: {said}");
    std::fs::create_dir_all(folder.join("newer")).expect("there is room");
    write(&folder, "newer/armv7x.arch", ARCHITECTURE);
    let newer = write(
        &folder,
        "newer/armv7x.cat",
        MODEL.replace("let cc0 = dp | ctrl |", "let cc0 = dp |"),
    );
    let said = says(1, &["diff", &model, &newer, "--bound", "4"]);
    assert!(said.starts_with("different, smallest difference of 4 events"), "{said}");
    assert!(said.contains("no longer has R;ctrl;W"), "{said}");
    let said = says(0, &["synth", &model, "--bound", "3"]);
    assert!(said.contains("armv7x-2-001 CoRW1 2 1 SC-per-Location"), "{said}");
}

#[test]
fn a_mistyped_word_is_said_beside_the_rows_that_it_breaks() {
    let (folder, _, mapping) = texts("mistyped");
    write(&folder, "armv7x.cat", MODEL.replace("armv7x", "armv7y"));
    let output = margay(&["check", &mapping]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    let said = words(&err(&output));
    assert!(said.contains("in this instruction"), "{said}");
    assert!(
        said.contains("its first word, `armv7y`, is no architecture that Margay knows: there is no `armv7y.arch` beside it"),
        "{said}"
    );
}
