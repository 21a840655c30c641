//! dev
use margay_mappings::check::{CheckOptions, asked};
use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_prove::certificate::KeptStep;
use margay_prove::theorem::{Setting, prove};
use margay_prove::theory::Stop;
use margay_prove::theory::mapping::Selection;

#[test]
fn dev() {
    let name = std::env::var("MAP").unwrap_or("rc11-to-ptx".into());
    let without = std::env::var("WITHOUT").unwrap_or("R.SC,W.SC,RMW.SC".into());
    let axioms = std::env::var("AXIOM").unwrap_or("".into());
    let out = std::env::var("OUT").unwrap_or("/tmp/rocq-eng/out.v".into());
    let loaded = library::find(&name, &LoadOptions { source: std::env::var("SOURCE").ok(), target: None }).unwrap();
    let mut options = CheckOptions::new(1);
    options.without = without.split(',').filter(|s| !s.is_empty()).map(str::to_owned).collect();
    options.axioms = axioms.split(',').filter(|s| !s.is_empty()).map(str::to_owned).collect();
    let (axioms, constructs) = asked(&loaded.mapping, &options).unwrap();
    let setting = Setting::of_mapping(&loaded.mapping, &axioms, &Selection { constructs, typed: false }).unwrap();
    let cache = format!("{out}.json");
    let proof = if let Ok(text) = std::fs::read_to_string(&cache) {
        let steps: Vec<KeptStep> = serde_json::from_str(&text).unwrap();
        KeptStep::proof(&steps).unwrap()
    } else {
        let report = prove(&setting, &Stop::default());
        for g in &report.goals { println!("{} {:?}", g.name, g.gap.as_ref().map(|g| g.what.clone())); }
        let proof = report.proof.unwrap();
        std::fs::write(&cache, serde_json::to_string(&KeptStep::all(&proof)).unwrap()).unwrap();
        proof
    };
    match margay_prove::rocq::write(&setting, &loaded.mapping, &options.without, &proof) {
        Ok(text) => std::fs::write(out, text).unwrap(),
        Err(e) => panic!("{e}"),
    }
}
