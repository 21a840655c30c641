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
    for (condition, reachable) in
        [("x == 6", true), ("x == 5", false), ("P0:r0 == 4 /\\ P1:r0 == 4", false)]
    {
        let test = test(&column(6, "atom.relaxed.gpu.add r0, x, 1", condition));
        let mut runner = Runner::new(&model("ptx-6.0"));
        let verdict = runner.run(&test, &Options::default(), Choice::Both).unwrap();
        assert_eq!(verdict.reachable, reachable, "{condition}");
    }
}

/// Threads that can be exchanged are exchanged in the answers of the explicit engine: those that
/// the SAT engine leaves out are no others, wherever the threads are and whatever else there is.
#[test]
fn threads_that_can_be_exchanged() {
    for places in [[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 2, 2]] {
        let header: Vec<String> =
            places.iter().enumerate().map(|(t, cta)| format!("P{t}@cta {cta},gpu 0")).collect();
        for instruction in
            ["atom.relaxed.cta.add r0, x, 1", "atom.relaxed.cta.cas r0, x, 0, 1", "st.weak x, 1"]
        {
            for condition in [
                "x == 1",
                "x == 2",
                "x == 3",
                "x == 4",
                "P3:r0 == 1 /\\ x == 3",
                "P3:r1 == 1 /\\ P3:r0 == 0",
            ] {
                let last = format!("{instruction} ;\n | | | ld.relaxed.cta r1, x");
                let row = format!("{instruction} | {instruction} | {instruction} | {last}");
                let declared = "x=0; P3:r0=0;";
                let text = format!(
                    "PTX t\n{{ {declared} }}\n {} ;\n {row} ;\nexists ({condition})\n",
                    header.join(" | ")
                );
                let mut runner = Runner::new(&model("ptx-6.0"));
                let both = runner.run(&test(&text), &Options::default(), Choice::Both);
                assert!(both.is_ok(), "{:?}\n{text}", both.err());
            }
        }
    }
}

#[test]
fn auto_asks_the_sat_engine_where_steps_do_not_suffice() {
    let test = test(&column(14, "atom.acquire.gpu.cas r0, x, 0, 1", "P0:r0 == 0 /\\ P1:r0 == 0"));
    let mut runner = Runner::new(&model("ptx-6.0"));
    let few = Options { steps: Some(5_000), ..Options::default() };
    assert_eq!(runner.run(&test, &few, Choice::Only(Engine::Explicit)).unwrap_err(), Error::Steps);
    let auto = runner.run(&test, &Options::default(), Choice::Auto).unwrap();
    assert_eq!((auto.engine, auto.reachable, auto.executions), (Engine::Sat, false, 0));
    let forbidden = runner.forbidden(&test, &Options::default(), Choice::Auto).unwrap().unwrap();
    assert_eq!(forbidden.checks.len(), 1, "one axiom forbids that two take the lock");
}

/// More combinations of paths than anyone goes through, in one formula.
#[test]
fn many_paths() {
    let thread = "atom.relaxed.gpu.cas r0, x, 0, 1";
    let text = column(24, thread, "P0:r0 == 0 /\\ P1:r0 == 0");
    let mut runner = Runner::new(&model("ptx-6.0"));
    let verdict = runner.run(&test(&text), &Options::default(), Choice::Auto).unwrap();
    assert_eq!(
        (verdict.engine, verdict.reachable),
        (Engine::Sat, false),
        "one of them takes the lock"
    );
    let verdict = runner
        .run(&test(&text.replace("P1:r0 == 0", "x == 1")), &Options::default(), Choice::Auto)
        .unwrap();
    assert!(verdict.reachable);
}

#[test]
fn a_deadline_ends_the_sat_engine() {
    let test = test(&column(9, "atom.relaxed.gpu.add r0, x, 1", "x == 8"));
    let mut runner = Runner::new(&model("ptx-6.0"));
    let options = Options { deadline: Some(std::time::Instant::now()), ..Options::default() };
    assert_eq!(runner.run(&test, &options, Choice::Only(Engine::Sat)).unwrap_err(), Error::Time);
}
