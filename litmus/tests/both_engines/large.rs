//! Tests that are too large to go through: the SAT engine answers them, and `auto` finds that out.

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Error, Options};

use super::{model, test};

/// So many threads of one instruction each.
fn column(threads: usize, instruction: &str, condition: &str) -> String {
    let header: Vec<String> = (0..threads).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let row = vec![instruction; threads].join(" | ");
    format!("PTX t\n{{ x=0; }}\n {} ;\n {row} ;\nexists ({condition})\n", header.join(" | "))
}

/// Atomic additions that all happen: none is lost, and no order of them loses one.
#[test]
fn additions_are_not_lost() {
    for (condition, reachable) in [("x == 9", true), ("x == 8", false), ("P0:r0 == 4 /\\ P1:r0 == 4", false)] {
        let test = test(&column(9, "atom.relaxed.gpu.add r0, x, 1", condition));
        let mut runner = Runner::new(&model("ptx-6.0"));
        let auto = runner.run(&test, &Options::default(), Choice::Auto).unwrap();
        assert_eq!(auto.reachable, reachable, "{condition}");
        let sat = runner.run(&test, &Options::default(), Choice::Only(Engine::Sat)).unwrap();
        assert_eq!((sat.reachable, sat.engine), (reachable, Engine::Sat), "{condition}");
    }
}

#[test]
fn auto_asks_the_sat_engine_where_steps_do_not_suffice() {
    let test = test(&column(9, "atom.relaxed.gpu.add r0, x, 1", "x == 8"));
    let mut runner = Runner::new(&model("ptx-6.0"));
    let few = Options { steps: Some(20_000), ..Options::default() };
    assert_eq!(runner.run(&test, &few, Choice::Only(Engine::Explicit)).unwrap_err(), Error::Steps);
    let auto = runner.run(&test, &Options::default(), Choice::Auto).unwrap();
    assert_eq!((auto.engine, auto.reachable, auto.executions), (Engine::Sat, false, 0));
    let forbidden = runner.forbidden(&test, &Options::default(), Choice::Auto).unwrap().unwrap();
    assert_eq!(forbidden.checks.len(), 1, "one axiom forbids that an addition is lost");
}

/// More combinations of paths than anyone goes through, in one formula.
#[test]
fn many_paths() {
    let thread = "atom.relaxed.gpu.cas r0, x, 0, 1";
    let text = column(24, thread, "P0:r0 == 0 /\\ P1:r0 == 0");
    let mut runner = Runner::new(&model("ptx-6.0"));
    let verdict = runner.run(&test(&text), &Options::default(), Choice::Auto).unwrap();
    assert_eq!((verdict.engine, verdict.reachable), (Engine::Sat, false), "one of them takes the lock");
    let verdict = runner.run(&test(&text.replace("P1:r0 == 0", "x == 1")), &Options::default(), Choice::Auto).unwrap();
    assert!(verdict.reachable);
}

#[test]
fn a_deadline_ends_the_sat_engine() {
    let test = test(&column(9, "atom.relaxed.gpu.add r0, x, 1", "x == 8"));
    let mut runner = Runner::new(&model("ptx-6.0"));
    let options = Options { deadline: Some(std::time::Instant::now()), ..Options::default() };
    assert_eq!(runner.run(&test, &options, Choice::Only(Engine::Sat)).unwrap_err(), Error::Time);
}
