use std::time::Instant;

use margay_models::library;
use margay_models::model::Model;
use margay_prove::ground::Limits;
use margay_prove::logic::{Meaning, Pred};
use margay_prove::search::houdini::inductive;
use margay_prove::search::template::{STAGES, Vocabulary, guesses};
use margay_prove::theory::{Reason, Theory};

fn main() {
    let name = std::env::args().nth(1).unwrap_or("ptx-6.0".into());
    let model: Model = library::load(&name, &[]).unwrap().model;
    let mut t = Theory::default();
    let base = t.declare_base(model.signature, std::env::args().nth(2).is_none());
    t.assume_signature(model.signature, &base);
    let tr = t.translate(&model, &base);
    t.assume_axioms(&model, &tr.checks, |n| Reason::Axiom(n.to_owned()));
    println!("{} facts {} symbols {} sources", t.facts.len(), t.symbols.len(), t.sources.len());
    let wf = t.translate(margay_models::wellformed::model(model.signature), &base);
    let v = Vocabulary::of(&t, tr.checks.iter().chain(&wf.checks).copied());
    println!("{} sets, {} relations", v.sets.len(), v.relations.len());
    let subjects: Vec<Pred> = v
        .relations
        .iter()
        .copied()
        .filter(|&p| matches!(t.symbols.get(p).meaning, Meaning::Closure(_) | Meaning::Fixpoint(..)))
        .collect();
    for s in subjects {
        println!("== {}", t.symbols.name(s));
        for (stage, depth) in [(0, 0), (1, 0), (2, 0), (1, 0), (1, 1), (2, 1)] {
            let g = guesses(&mut t, s, &v, stage);
            let start = Instant::now();
            let found = inductive(&mut t, &[s], g, Limits { depth, ..Limits::default() });
            println!("{stage}({depth}): {} guessed, {} kept, {:?} {:?}", found.guessed, found.kept.len(), start.elapsed(), found.effort);
            for (i, (p, l)) in found.kept.iter().enumerate() {
                println!("  {}", l.text(&t, *p));
                l.assume(&mut t, *p, &Reason::Lemma(i));
            }
        }
    }
}
