use margay_mappings::check::{CheckOptions, Silent, check};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let loaded = margay_mappings::library::find(&args[1], &Default::default());
    let loaded = match loaded {
        Ok(l) => l,
        Err(e) => {
            for d in e {
                eprintln!("{d} {:?}", d.help);
            }
            return;
        }
    };
    let mut o = CheckOptions::new(args[2].parse().unwrap());
    for a in &args[3..] {
        if let Some(w) = a.strip_prefix("without=") {
            o.without = w.split(',').map(str::to_owned).collect();
        }
        if let Some(w) = a.strip_prefix("only=") {
            o.only = w.split(',').map(str::to_owned).collect();
        }
        if let Some(w) = a.strip_prefix("axiom=") {
            o.axioms = w.split(',').map(str::to_owned).collect();
        }
        if let Some(w) = a.strip_prefix("solver=") {
            o.backend = w.parse().unwrap();
        }
        if a == "exists" {
            o.co = margay_mappings::check::CoReading::Exists;
        }
        if a == "separate" {
            o.techniques.shared_solver = false;
        }
        if a == "noscopes" {
            o.techniques.narrow_scopes = false;
        }
        if a == "nothreads" {
            o.techniques.equal_threads = false;
        }
        if a == "exact" {
            o.techniques.encoding.closures_by_polarity = false;
        }
        if a == "all" {
            o.all = Some(1000);
        }
        if a == "untyped" {
            o.typed = false;
        }
    }
    let t = Instant::now();
    let r = check(&loaded.mapping, &o, &Silent);
    let r = match r {
        Ok(l) => l,
        Err(e) => {
            for d in e {
                eprintln!("{d} {:?}", d.help);
            }
            return;
        }
    };
    println!("{:?} established {} in {:?}", r.verdict, r.established, t.elapsed());
    for a in &r.axioms {
        for row in &a.rows {
            println!(
                "{:14} {} {:?} shapes {} vars {} clauses {} conflicts {} {:.3}s",
                row.axiom, row.bound, row.verdict, row.shapes, row.variables, row.clauses, row.conflicts, row.seconds
            );
        }
    }
    for c in r.counterexamples.iter().take(3) {
        println!("{} {} events", c.axiom, c.events);
        for (n, x) in [("source", &c.source), ("target", &c.target)] {
            println!("{n} threads {:?}", x.threads);
            for (i, e) in x.events.iter().enumerate() {
                println!(
                    "  {i}: T{:?} {:?} {:?} {:?} loc {:?} val {:?}",
                    e.thread, e.kind, e.order, e.scope, e.location, e.value
                );
            }
            println!("  rf {:?}\n  co {:?} sc {:?}", x.rf, x.co, x.sync_fence);
        }
        if let Some(v) = &c.violation {
            for w in v.words(&|e| format!("{}", e.0)) {
                println!("   {w}");
            }
        }
    }
    println!("count {}", r.counterexamples.len());
}
