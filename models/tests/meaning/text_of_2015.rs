//! The model of 2015 as its paper prints it (ASPLOS 2015, Fig. 15 and 16), in the names of the tool
//! that it was written for, says what the shipped `ptx-2015` says.

use margay_models::execution::Kind;
use margay_models::judge::Judge;
use margay_models::typing::OnlyBuiltIn;
use margay_models::{Model, Signature, SourceFile};

use crate::case::cases;
use crate::{opinion, random, shipped, verdict};

/// Both figures, one behind the other: "Our model is the concatenation of Fig. 15 and 16" (section
/// 5.3).
const FIGURES: &str = "\
let com = rf | co | fr
let po-loc-llh =
  WW(po-loc) | WR(po-loc) | RW(po-loc)
acyclic (po-loc-llh | com) as sc-per-loc-llh
let dp = addr | data | ctrl
acyclic (dp | rf) as no-thin-air
let rmo(fence) = dp | fence | rfe | co | fr
let sys-fence = membar.sys
let gl-fence = membar.gl | sys-fence
let cta-fence = membar.cta | gl-fence
let rmo-cta = rmo(cta-fence) & cta
let rmo-gl = rmo(gl-fence) & gl
let rmo-sys = rmo(sys-fence) & sys
acyclic rmo-cta as cta-constraint
acyclic rmo-gl as gl-constraint
acyclic rmo-sys as sys-constraint
";

fn read(head: &str) -> (Model, Vec<String>) {
    let source = SourceFile::new("paper.cat", format!("{head}{FIGURES}"));
    let loaded =
        Model::parse(source, &OnlyBuiltIn).unwrap_or_else(|errors| panic!("{}", errors[0]));
    (loaded.model, loaded.warnings.iter().map(ToString::to_string).collect())
}

fn shipped_model() -> Model {
    shipped::models().into_iter().find(|model| model.name == "ptx-2015").expect("it is shipped")
}

#[test]
fn the_printed_model_is_read_whatever_stands_above_it() {
    for head in [
        "",
        "\"RMO per scope\"\n",
        "GPU_PTX\n",
        "GPU_PTX \"RMO per scope\"\n",
        "PTX \"RMO per scope\"\n",
        "(* dialect: herd7 *)\n",
    ] {
        let (model, warnings) = read(head);
        assert_eq!(model.signature, Signature::PTX, "{head}");
        let guessed = warnings.iter().any(|w| w.contains("herd7") && w.contains("PTX of 2015"));
        assert!(guessed || head.contains("dialect"), "{head}: a guess is said: {warnings:?}");
    }
}

#[test]
fn it_says_what_the_shipped_model_says() {
    let (printed, _) = read("");
    let shipped = shipped_model();
    let mut judges = [Judge::new(&printed), Judge::new(&shipped)];
    for case in cases("ptx-2015") {
        let said = [
            verdict(&printed, &mut judges[0], case.text),
            verdict(&shipped, &mut judges[1], case.text),
        ];
        // Of read-modify-writes the paper says nothing; the shipped model has them in one step.
        assert!(
            said[0] == said[1] || case.name.contains("rmw") || case.text.contains("RMW"),
            "{}: {said:?}",
            case.name
        );
    }
    let mut random = random::Random::new(2015);
    let mut counts = [0, 0];
    while counts.iter().sum::<u32>() < 3000 {
        let execution = random::execution(&mut random, Signature::PTX);
        let writes_back = execution.rmw.pairs().next().is_some();
        let initial = execution.events.iter().filter(|event| event.kind == Kind::Init).count();
        if writes_back || initial == 0 {
            continue;
        }
        let said = judges.each_mut().map(|judge| opinion(judge, &execution).0);
        assert_eq!(said[0], said[1], "{execution:?}");
        counts[usize::from(said[0])] += 1;
    }
    assert!(counts.iter().all(|count| *count > 100), "both come: {counts:?}");
}

/// What the figures use and herd7 does not have for other machines is not taken for PTX.
#[test]
fn names_of_other_machines_are_refused() {
    let errors = |text: &str| match Model::parse(SourceFile::new("t.cat", text), &OnlyBuiltIn) {
        Ok(_) => String::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    let both = errors("acyclic membar.gl | mfence\n");
    assert!(both.contains("mfence"), "{both}");
    let misspelt = errors("GPU_PTX\nacyclic membar.gl | membar.gpu\n");
    assert!(
        misspelt.contains("PTX of 2015") && misspelt.contains("it needs `membar.gpu`"),
        "{misspelt}"
    );
}
