//! Kernels that blocks talk in, as Triton compiles them (tests/kernels/triton, made by kernels.py
//! there), each right and with something weaker.

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelQuestion, LaunchVerdict, ask};

/// A part of a text, and what is wrong in its place.
type Edit = (&'static str, &'static str);

/// The file, the launch, and what makes it wrong.
const CASES: &[(&str, &str, &[Edit])] = &[
    (
        "flag_1",
        "2x32",
        &[("atom.global.gpu.release", "atom.global.gpu.relaxed"), (".acquire.gpu", ".relaxed.gpu")],
    ),
    (
        "flag_2",
        "2x64",
        &[("atom.global.gpu.release", "atom.global.gpu.relaxed"), (".acquire.gpu", ".relaxed.gpu")],
    ),
    ("last_block_1", "2x32", &[(".gpu.acq_rel", ".gpu.relaxed"), (".gpu.acq_rel", ".cta.acq_rel")]),
    ("last_block_2", "2x64", &[(".gpu.acq_rel", ".gpu.acquire"), (".gpu.acq_rel", ".gpu.release")]),
    ("sum_of_block_1", "2x32", &[]),
];

fn races(text: &str, launch: &str) -> Result<Vec<String>, String> {
    let module = margay_ptx::read(text).expect("PTX");
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let kernel = module.kernels().next().expect("a kernel");
    let answer =
        ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(text, &module, kernel) })
            .expect("an answer");
    let findings = &answer.launches[0].findings;
    assert!(findings.iter().all(|finding| finding.kind == FindingKind::Race), "{findings:?}");
    match &answer.launches[0].asked {
        LaunchVerdict::Found => {
            Ok(findings[0].stands.iter().map(|s| s.spot.text.clone()).collect())
        }
        LaunchVerdict::Nothing => Ok(Vec::new()),
        other => Err(format!("{other:?}: {:?}", answer.not_looked())),
    }
}

fn text(file: &str) -> String {
    let path = format!("{}/../tests/kernels/triton/{file}.ptx", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
}

#[test]
fn blocks_that_talk() {
    for (file, launch, wrong) in CASES {
        let right = text(file);
        assert_eq!(races(&right, launch), Ok(Vec::new()), "{file}");
        for (part, other) in *wrong {
            assert!(right.contains(part), "{file} has no {part}");
            let racing = races(&right.replace(part, other), launch);
            assert!(
                matches!(&racing, Ok(racing) if racing.len() == 2),
                "{file} with {other}: {racing:?}"
            );
        }
    }
}

/// The warps of a block leave their sums by stores of all lanes to one place.
#[test]
fn sums_are_stored_by_all_lanes() {
    let racing = races(&text("sum_of_block_2"), "1x64").expect("an answer");
    assert!(
        racing.len() == 2 && racing.iter().all(|text| text.starts_with("st.shared")),
        "{racing:?}"
    );
}
