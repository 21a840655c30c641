//! What instructions compute, who takes part in barriers, and what is said of locations that nobody
//! declared.

use margay_litmus::explicit::{Options, run};
use margay_litmus::read;
use margay_litmus::unfold::{Unfolding, UnfoldingBounds};
use margay_models::diagnostic::SourceFile;
use margay_models::signature::Signature;

fn holds(text: &str) -> bool {
    let test =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    run(&test, &crate::shipped::model("ptx-8"), &Options::default()).unwrap().holds
}

/// The condition holds at the end of every execution of one thread; `x` is 3 at the start.
fn always(cells: &str, condition: &str) -> bool {
    holds(&format!(
        "PTX t\n{{ x=3; }}\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\n {cells} ;\nforall ({condition})\n"
    ))
}

#[test]
fn register_arithmetic() {
    assert!(always("mad.lo.s32 r1, r0, 5, -1", "P0:r1 == 14"));
    assert!(always("setp.gt.s32 p0, r0, 2 ;\n selp.b32 r1, 7, 8, p0", "P0:r1 == 7"));
    assert!(always("setp.lt.s32 p0, r0, 2 ;\n selp.b32 r1, 7, 8, p0", "P0:r1 == 8"));
    assert!(!always("mad.lo.s32 r1, r0, 5, -1", "P0:r1 == 15"));
}

#[test]
fn exit_ends_the_thread() {
    assert!(always("exit ;\n st.weak x, 9", "x == 3"));
    assert!(always("setp.eq.s32 p0, r0, 3 ;\n @p0 exit ;\n st.weak x, 9", "x == 3"));
    assert!(always("setp.eq.s32 p0, r0, 4 ;\n @p0 ret ;\n st.weak x, 9", "x == 9"));
}

/// Why a test with these columns in one cta cannot be unfolded.
fn barriers(columns: [&str; 3]) -> Result<(), String> {
    let text = format!(
        "PTX t\n{{ x=0; }}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 1,gpu 0 ;\n {} | bar.cta.sync 0, 128 ;\n\
         exists (x == 0)\n",
        columns.join(" | ")
    );
    let test = read::test(&SourceFile::new("t", text)).unwrap().test;
    Unfolding::new(&test, Signature::PTX, UnfoldingBounds::default())
        .map(|_| ())
        .map_err(|e| e.message)
}

#[test]
fn barrier_counts() {
    assert_eq!(barriers(["bar.cta.sync 0, 96", "bar.cta.arrive 0, 96", "bar.cta.sync 0"]), Ok(()));
    assert_eq!(
        barriers(["bar.cta.sync 0, 64", "bar.cta.sync 0, 64", "bar.cta.sync 1, 32"]),
        Ok(())
    );
    let differ = "barrier 0 is for 64 threads here, and for 96 elsewhere in this cta";
    assert_eq!(
        barriers(["bar.cta.sync 0, 96", "bar.cta.arrive 0, 64", ""]),
        Err(differ.to_string())
    );
}

/// Dartagnan's barriers: the count is of the test's threads, and those of other instances do not
/// meet.
#[test]
fn barrier_instances() {
    let test = |columns: [&str; 3]| {
        let text = format!(
            "PTX t\n{{ x=0; }}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n {} ;\nexists (x == 0)\n",
            columns.join(" | ")
        );
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{e:?}")).test
    };
    let unfolded = |columns: [&str; 3]| {
        Unfolding::new(&test(columns), Signature::PTX, UnfoldingBounds::default())
            .map_err(|e| e.message)
    };
    let pairs = |columns: [&str; 3]| {
        let unfolding = unfolded(columns).unwrap();
        unfolding.skeleton(0).unwrap().execution.sync_barrier.pairs().count()
    };
    assert_eq!(
        pairs(["bar.cta.sync 5, 1, 3", "bar.cta.sync 5, 1, 3", "bar.cta.arrive 5, 1, 3"]),
        4
    );
    assert_eq!(pairs(["bar.cta.sync 5, 1, 2", "bar.cta.sync 5, 1, 2", "bar.cta.sync 6, 1"]), 2);
    assert_eq!(pairs(["bar.cta.sync 5, 1", "bar.cta.sync 5, 2", "bar.cta.sync 6, 1"]), 0);
    // Those that come, as many as there are.
    assert_eq!(pairs(["bar.cta.sync 5, 1, 0", "bar.cta.sync 5, 1, 0", "bar.cta.sync 6, 1"]), 2);
    assert_eq!(pairs(["bar.cta.sync 5, 1, 0", "", ""]), 0);
    // A count of PTX's beside instances: no barrier has that number.
    assert_eq!(pairs(["bar.cta.sync 1, 64", "bar.cta.arrive 1, 64", "bar.cta.sync 16, 0, 0"]), 1);
    let crowded = "barrier 1 is for 2 threads, and 3 of this cta use it: which meet is open";
    assert_eq!(unfolded(["bar.cta.sync 5, 1, 2"; 3]).err(), Some(crowded.to_string()));
    let lonely = "barrier 1 is for 2 threads, and 1 of this cta use it: nobody gets past it";
    assert_eq!(unfolded(["bar.cta.sync 5, 1, 2", "", ""]).err(), Some(lonely.to_string()));
}

/// A number in a register: a path for each barrier that it may be; one that is none is an error
/// where it is known.
#[test]
fn barriers_in_registers() {
    let paths = |text: &str| {
        let text = format!(
            "PTX t\n{{ x=0; P0:r0=4; P0:r1=16; }}\n P0@cta 0,gpu 0 ;\n {text} ;\nexists (x == 0)\n"
        );
        let test = read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{e:?}")).test;
        Unfolding::new(&test, Signature::PTX, UnfoldingBounds::default())
            .map(|u| u.len())
            .map_err(|e| e.message)
    };
    assert_eq!(paths("bar.cta.sync r0"), Ok(1));
    assert_eq!(paths("ld.weak r2, x ;\n bar.cta.sync r2"), Ok(16));
    assert_eq!(
        paths("bar.cta.sync r1"),
        Err("a cta has no barrier 16: they are 0 to 15 (PTX ISA 9.7.13.1)".to_string())
    );
}

#[test]
fn undeclared_locations() {
    let read = |state: &str, used: &str| {
        let text = format!(
            "PTX t\n{{ {state} }}\n P0@cta 0,gpu 0 ;\n st.weak {used}, 1 ;\nexists (true)\n"
        );
        read::test(&SourceFile::new("t", text))
    };
    let mistyped = read("flag=0;", "flga").unwrap_err();
    assert_eq!(mistyped[0].message, "unknown location `flga`");
    assert!(
        mistyped[0].help.as_ref().is_some_and(|h| h.starts_with("did you mean `flag`?")),
        "{:?}",
        mistyped[0].help
    );
    for (state, used) in [("flag=0;", "data"), ("data0=0;", "data1"), ("x=0;", "y"), ("", "x")] {
        let read = read(state, used).unwrap_or_else(|e| panic!("{used}: {}", e[0]));
        assert!(
            read.warnings.iter().any(|w| w.message == format!("location `{used}` is not declared")),
            "{used}"
        );
        assert!(read.test.location(used).is_some(), "taken as a location that holds 0");
    }
}
