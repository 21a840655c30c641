use std::time::Instant;

use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_models::model::{CheckKind, Role};
use margay_models::signature::constructs;
use margay_prove::ground::{Answer, Limits, Problem};
use margay_prove::logic::clause::{atom_text, variable_name};
use margay_prove::logic::{ExprId, Meaning, Pred, Term};
use margay_prove::search::houdini::{inductive, open_all};
use margay_prove::search::invariant::find;
use margay_prove::search::property::Property;
use margay_prove::search::template::{Vocabulary, guesses};
use margay_prove::theory::mapping::{Selection, has_ghosts, with_source};
use margay_prove::theory::{Reason, Theory};

fn main() {
    let name = std::env::args().nth(1).unwrap_or("rc11-to-ptx".into());
    let without = std::env::args().nth(2).unwrap_or("R.SC,W.SC,RMW.SC".into());
    let source = std::env::args().nth(3);
    let mapping = library::find(&name, &LoadOptions { source, target: None }).unwrap().mapping;
    let all = constructs(mapping.source.signature);
    let selected = all.into_iter().filter(|c| !without.split(',').any(|w| w == c.name(mapping.source.signature))).collect();
    let selection = Selection { constructs: selected, typed: true };
    let begin = Instant::now();
    let mut target = Theory::of_target(&mapping, has_ghosts(&mapping, &selection));
    {
        let (t, base, tr) = &mut target;
        let wf = t.translate(margay_models::wellformed::model(mapping.target.signature), base);
        let v = Vocabulary::of(t, tr.checks.iter().chain(&wf.checks).copied());
        let subjects: Vec<Pred> = v
            .relations
            .iter()
            .copied()
            .filter(|&p| matches!(t.symbols.get(p).meaning, Meaning::Closure(_) | Meaning::Fixpoint(..)))
            .collect();
        for s in subjects {
            for (stage, depth) in [(0, 0), (1, 0), (2, 0), (1, 0), (3, 0)] {
                let g = guesses(t, s, &v, stage);
                let start = Instant::now();
                let found = inductive(t, &[s], g, Limits { depth, ..Limits::default() });
                println!("{} {stage}: {} guessed, {} kept, {:?} {:?}", t.symbols.name(s), found.guessed, found.kept.len(), start.elapsed(), found.effort);
                for (i, (p, l)) in found.kept.iter().enumerate() {
                    l.assume(t, *p, &Reason::Lemma(i));
                }
            }
        }
    }
    println!("target: {:?}", begin.elapsed());
    let mut m = with_source(&mapping, &selection, &target);
    let t = &mut m.theory;
    println!("{} facts, {} symbols, {} sources", t.facts.len(), t.symbols.len(), t.sources.len());
    // Closures of the source.
    let names: Vec<(Pred, String)> = t.symbols.iter().filter(|(p, s)| matches!(s.meaning, Meaning::Closure(_)) && p.index() > 80).map(|(p, s)| (p, s.name.clone())).collect();
    println!("{names:?}");
    let v: Vec<Pred> = {
        let checks: Vec<ExprId> = m.target.checks.clone();
        let v = Vocabulary::of(t, checks);
        let mut v: Vec<Pred> = v.relations;
        v.push(t.symbols.named("mo").unwrap());
        v.extend(t.symbols.iter().filter(|(_, s)| s.name.ends_with(".rb")).map(|(p, _)| p));
        v.retain(|p| !["loc", "int", "sr", "morally-strong", "scta", "sgpu", "scluster"].contains(&t.symbols.name(*p)));
        v
    };
    let mut names = names;
    names.sort_by_key(|(_, n)| n == "hb");
    for (p, _) in names {
        let start = Instant::now();
        match find(t, p, &v, Limits { depth: 0, ..Limits::default() }) {
            Ok(i) => {
                let e = t.exprs.union_all(i.items.iter().copied());
                println!("{} in {}: {:?} {:?}", t.symbols.name(p), t.text(e), start.elapsed(), i.effort);
                Property::Within(e).assume(t, p, &Reason::Lemma(0));
                t.bounds.insert(p, e);
            }
            Err(n) => {
                println!("{}: none {:?} {:?}", t.symbols.name(p), start.elapsed(), n.effort);
                for i in n.items { println!("   {}", t.text(i)); }
                for l in n.uncovered.lits() { print!("{} ", atom_text(&t.symbols, l.atom, &variable_name)); }
                println!();
            }
        }
    }
    for (check, &expr) in mapping.source.checks.iter().zip(&m.source.checks) {
        if check.role != Role::Axiom { continue; }
        let t = &mut m.theory;
        let (x, y) = (Term::event(0), Term::event(1));
        let start = Instant::now();
        let (form, events, extra) = match check.kind {
            CheckKind::Irreflexive => { let (f, e) = open_all(t, expr, x, x, 1, &[]); (f, e, None) }
            CheckKind::Empty => { let (f, e) = open_all(t, expr, x, y, 2, &[]); (f, e, None) }
            CheckKind::Acyclic => { let (f, e) = open_all(t, expr, x, y, 2, &[]); (f, e, Some("sync_fence")) }
        };
        let neg = extra.map(|n| { let p = t.symbols.named(n).unwrap(); let e = t.exprs.symbol(p); t.form(e, x, y).negated() });
        for l in form.lits() { t.explain(l.atom.pred); }
        let mut problem = Problem::new(t, events, Limits::default());
        problem.ask(&form);
        if let Some(n) = neg { problem.ask(&n); }
        match problem.solve() {
            Answer::Model(s) => {
                println!("{}: MODEL", check.display_name());
                for (p, sy) in t.symbols.iter() { for a in 0..s.events() { for b in 0..s.events() {
                    if s.row(p, a) >> b & 1 == 1 && p != Pred::EQUAL && !sy.name.contains("range") && !sy.name.contains("same") && !sy.name.contains("scta") {
                        let at = t.atom(p, Term::event(a), Term::event(b));
                        print!("{} ", atom_text(&t.symbols, at, &variable_name));
                    }
                }}}
                println!();
            }
            other => println!("{}: {other:?} k={} {:?} {:?}", check.display_name(), problem.events(), start.elapsed(), problem.effort),
        }
    }
    println!("total {:?}", begin.elapsed());
}
