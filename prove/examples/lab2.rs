use std::time::Instant;

use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_models::model::{CheckKind, Role};
use margay_models::signature::constructs;
use margay_prove::ground::{Answer, Effort, Limits};
use margay_prove::logic::clause::{atom_text, variable_name};
use margay_prove::logic::{Expr, ExprId, Form, Lit, Meaning, Pred};
use margay_prove::search::houdini::inductive;
use margay_prove::search::invariant::{candidates, find};
use margay_prove::search::order::{Failed, acyclic, irreflexive, orders, within};
use margay_prove::search::property::Property;
use margay_prove::search::template::{Vocabulary, guesses};
use margay_prove::theory::mapping::{Selection, has_ghosts, with_source};
use margay_prove::theory::{Reason, Theory};

fn show(t: &Theory, f: &Form) -> String {
    f.lits().iter().map(|l| format!("{}{}", if l.positive { "" } else { "!" }, atom_text(&t.symbols, l.atom, &variable_name))).collect::<Vec<_>>().join(" ")
}

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
                let found = inductive(t, &[s], g, Limits { depth, ..Limits::default() });
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
    let limit = Limits { depth: 1, events: 40, rounds: 5000 };
    let names: Vec<(Pred, String)> = t.symbols.iter().filter(|(p, s)| matches!(s.meaning, Meaning::Closure(_)) && p.index() > 80).map(|(p, s)| (p, s.name.clone())).collect();
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
    let places: Vec<Pred> = t.symbols.iter().filter(|(_, s)| s.name.starts_with("fence-")).map(|(p, _)| p).collect();
    let mut ve: Vec<ExprId> = v.iter().map(|p| t.exprs.symbol(*p)).collect();
    for p in &places { let e = t.exprs.symbol(*p); ve.push(e); ve.push(t.exprs.make(Expr::Inverse(e))); }
    let cands = candidates(t, &ve);
    for (p, _) in &names {
        let start = Instant::now();
        { let mut e = Effort::default(); margay_prove::search::order::ends(t, *p, limit, &mut e); println!("ends {:?} {e:?}", start.elapsed()); }
        let targets: Vec<Pred> = v.iter().copied().filter(|p| matches!(t.symbols.get(*p).meaning, Meaning::Closure(_))).collect();
        let mut all: Vec<(u8, ExprId)> = Vec::new();
        let cut = margay_prove::search::truncated::candidates(t, *p, &targets);
        if std::env::var("CUT").is_ok() && t.symbols.name(*p) == "hb" {
            let po = t.symbols.named("po").unwrap(); let po = t.exprs.symbol(po); all.push((0, po));
            for c in &targets { all.push((0, t.exprs.symbol(*c))); }
            all.extend(cut.iter().map(|&(r, e)| (r + 1, e)));
            println!("{} cut off", cut.len());
        } else { all = cands.clone(); }
        let first = if std::env::var("CUT").is_ok() && t.symbols.name(*p) == "hb" { limit } else { Limits { depth: 0, ..limit } };
        match find(t, *p, &all, first) {
            Ok(i) => {
                let e = t.exprs.union_all(i.items.iter().copied());
                println!("{} in {}: {:?} {:?}", t.symbols.name(*p), t.text(e), start.elapsed(), i.effort);
                Property::Within(e).assume(t, *p, &Reason::Lemma(0));
                if t.opened(e).1 > 0 { t.bounds.insert(*p, e); }
            }
            Err(n) => {
                println!("{}: none {:?} {:?}", t.symbols.name(*p), start.elapsed(), n.effort);
                for i in n.items { println!("   {}", t.text(i)); }
                println!("   {}", show(t, &n.uncovered)); if let Some(s) = n.structure { println!("{}", s.text(&t.symbols)); }
                return;
            }
        }
    }
    for (check, &expr) in mapping.source.checks.iter().zip(&m.source.checks) {
        if check.role != Role::Axiom { continue; }
        let t = &mut m.theory;
        let start = Instant::now();
        let mut effort = Effort::default();
        match check.kind {
            CheckKind::Irreflexive => {
                let a = irreflexive(t, expr, limit, &mut effort);
                println!("{}: {} {:?} {effort:?}", check.display_name(), if a == Answer::Refuted { "proved" } else { "NOT" }, start.elapsed());
            }
            CheckKind::Empty => {
                let none = t.exprs.make(Expr::Empty);
                let a = within(t, expr, none, limit, &mut effort);
                println!("{}: {} {:?} {effort:?}", check.display_name(), if a == Answer::Refuted { "proved" } else { "NOT" }, start.elapsed());
            }
            CheckKind::Acyclic => {
                let found = orders(t, &v, &places, limit, &mut effort);
                println!("orders {:?} {effort:?}", start.elapsed());
                let loc = t.symbols.named("loc").unwrap(); let loc = t.exprs.symbol(loc);
                let f = t.symbols.named("F").unwrap(); let f = t.exprs.symbol(f); let f = t.exprs.make(Expr::Diagonal(f));
                let mut cands = Vec::new();
                let singles: Vec<ExprId> = names.iter().flat_map(|(p, _)| { let c = t.exprs.symbol(*p); [t.exprs.intersection(c, loc), c] }).collect();
                cands.extend(singles.iter().enumerate().map(|(i, e)| ((i % 2) as u8, *e)));
                for (h, _) in &names { for (i, &s) in singles.iter().enumerate() {
                    let h = t.exprs.symbol(*h);
                    let p = t.exprs.sequence(h, s); cands.push(((i % 2) as u8, t.exprs.sequence(f, p)));
                }}
                for order in found {
                    if !t.text(order).contains("sync_fence") { continue; }
                    println!("order {}", t.text(order));
                    let mut effort = Effort::default();
                    let start = Instant::now();
                    if std::env::var("DEBUG").is_ok() && t.text(order).contains("fence-before") {
                        let want = std::env::var("DEBUG").unwrap();
                        let a = margay_prove::search::order::edges(t, expr).into_iter().find(|e| t.text(*e) == want).unwrap();
                        if let Answer::Model(s) = within(t, a, order, limit, &mut effort) { println!("{}", s.text(&t.symbols)); }
                    }
                    match acyclic(t, expr, order, &cands, limit, &mut effort) {
                        Ok(a) => { println!("{} proved {:?} {effort:?}", check.display_name(), start.elapsed());
                            println!("  A: {}", a.first.iter().map(|&e| t.text(e)).collect::<Vec<_>>().join("\n     "));
                            println!("  B: {}", a.second.iter().map(|&e| t.text(e)).collect::<Vec<_>>().join("\n     "));
                            if let Some(i) = a.invariant { println!("  I: {}", i.items.iter().map(|&e| t.text(e)).collect::<Vec<_>>().join("\n     ")); }
                            break;
                        }
                        Err(e) => {
                            println!("  failed {:?} {effort:?}", start.elapsed());
                            match *e {
                                Failed::NoEdge(_) => println!("  no edge"),
                                Failed::Invariant(n) => { for i in n.items { println!("   {}", t.text(i)); } println!("   {}", show(t, &n.uncovered)); match n.structure { None => println!("   unknown"), Some(s) => println!("{}", s.text(&t.symbols)) } }
                                Failed::Loop(e) => println!("  loop {}", t.text(e)),
                                Failed::Leaves(a, b) => println!("  leaves {} -- {}", t.text(a), t.text(b)),
                            }
                        }
                    }
                }
            }
        }
        // What is proved is known.
        m.theory.assume_check(check.kind, expr, false, false, &Reason::Lemma(1));
    }
    println!("total {:?}", begin.elapsed());
    let _ = Lit::yes;
}
