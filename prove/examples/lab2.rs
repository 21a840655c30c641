use std::time::Instant;

use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_models::signature::constructs;
use margay_models::wellformed;
use margay_prove::argument::{Claim, check, complete};
use margay_prove::ground::Reach;
use margay_prove::logic::{Meaning, Pred};
use margay_prove::search::finder::{Finder, Missing, axioms};
use margay_prove::theory::Theory;
use margay_prove::theory::mapping::{Selection, has_ghosts, with_source};

fn main() {
    let name = std::env::args().nth(1).unwrap_or("rc11-to-ptx".into());
    let without = std::env::args().nth(2).unwrap_or("R.SC,W.SC,RMW.SC".into());
    let source = std::env::args().nth(3);
    let target = std::env::args().nth(4);
    let mapping = library::find(&name, &LoadOptions { source, target }).unwrap().mapping;
    let all = constructs(mapping.source.signature);
    let selected = all.into_iter().filter(|c| !without.split(',').any(|w| w == c.name(mapping.source.signature))).collect();
    let selection = Selection { constructs: selected, typed: true };
    let begin = Instant::now();
    let target = Theory::of_target(&mapping, has_ghosts(&mapping, &selection));
    let mut m = with_source(&mapping, &selection, &target);
    let base = m.theory.clone();
    let reach = Reach { events: 40, steps: 1 };
    let mut finder = Finder::new(std::mem::take(&mut m.theory), reach);
    let mut roots = m.target.checks.clone();
    roots.extend(finder.theory.translate(wellformed::model(mapping.target.signature), &m.bases[0]).checks);
    finder.lemmas(&roots);
    println!("lemmas {:?} {:?}", begin.elapsed(), finder.effort);
    let source_closures: Vec<Pred> = m.source_closures(&finder.theory);
    println!("{:?}", source_closures.iter().map(|p| finder.theory.symbols.name(*p)).collect::<Vec<_>>());
    let places: Vec<Pred> = finder.theory.symbols.iter().filter(|(_, s)| s.name.starts_with("fence-")).map(|(p, _)| p).collect();
    let checks: Vec<_> = axioms(&mapping.source).map(|i| (i, m.source.checks[i])).collect();
    let results = finder.axioms(&mapping.source, &checks, &m.target.checks, &source_closures, &places);
    println!("search {:?} {:?}", begin.elapsed(), finder.effort);
    let mut goals: Vec<Claim> = Vec::new();
    for (i, r) in results {
        let name = mapping.source.checks[i].display_name();
        match r {
            Ok(claim) => { println!("{name}: found"); goals.push(claim); }
            Err(Missing::Claim(c, s)) => { println!("{name}: NOT {}", c.text(&finder.theory)); if let Some(s) = s { println!("{}", s.text(&finder.theory.symbols)); } }
            Err(Missing::Order(_)) => println!("{name}: no order"),
            Err(Missing::Invariant(n)) => { println!("{name}: no invariant of {}", finder.theory.symbols.name(n.of)); for i in n.items { println!("   {}", finder.theory.text(i)); } }
        }
    }
    for s in &finder.steps {
        if s.claims.len() < 3 { for c in &s.claims { println!("  {}", c.text(&finder.theory)); } }
    }
    let mut effort = Default::default();
    match complete(&base, &finder.theory, &finder.steps, &goals, reach, &mut effort) {
        Err(f) => { println!("FAILED {} {}", f.claim, f.what); if let Some(s) = f.structure { println!("{}", s.text(&f.theory.symbols)); } }
        Ok((theory, proof)) => {
            println!("proof {:?} {effort:?}", begin.elapsed());
            for (step, settled) in proof.steps.iter().zip(&proof.settled) {
                for c in &step.claims { println!("* {}", c.text(&theory)); }
                let i: usize = settled.iter().map(|s| s.refutation.instances.len()).sum();
                let k: usize = settled.iter().map(|s| s.refutation.steps.len()).sum();
                println!("     {} obligations, {i} instances, {k} steps, {} empty, {} apart", settled.len(), settled.iter().filter(|s| !s.possible).count(), settled.iter().filter(|s| s.apart).count());
            }
            let mut again = base.clone();
            println!("{:?} {:?}", check(&mut again, &proof), begin.elapsed());
        }
    }
    let _ = Meaning::Base;
}
