//! The pruned search against plain enumeration: every choice of reads-from, every order, judged one
//! by one.

use margay_litmus::explicit::{Options, run};
use margay_litmus::read;
use margay_litmus::render::render;
use margay_litmus::test::{ConditionOperand, Proposition, Test, Variable};
use margay_litmus::unfold::{Skeleton, Unfolding, UnfoldingBounds, WriteValue};
use margay_models::bits::{BitMatrix, Event};
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Kind, Order};
use margay_models::judge::Judge;
use margay_models::signature::BaseRelation;
use margay_models::{Model, wellformed};
use proptest::prelude::*;
use proptest::sample::select;

/// All strict orders over the pairs that may be in them: each pair forward, backward or (if not
/// `total`) neither.
fn orders(n: usize, pairs: &[(Event, Event)], fixed: &BitMatrix, total: bool) -> Vec<BitMatrix> {
    let ways: usize = if total { 2 } else { 3 };
    let mut found = Vec::new();
    for mut code in 0..ways.pow(pairs.len() as u32) {
        let mut order = fixed.clone();
        for &(a, b) in pairs {
            match code % ways {
                0 => order.insert(a, b),
                1 => order.insert(b, a),
                _ => {}
            }
            code /= ways;
        }
        let transitive =
            order.pairs().all(|(a, b)| a != b && (order.row(b).word() & !order.row(a).word()) == 0);
        if transitive {
            found.push(order);
        }
    }
    assert!(n == fixed.size());
    found
}

/// What brute force finds. Without loops, addresses that are read, and values in cycles.
#[derive(Debug, Default, PartialEq, Eq)]
struct Truth {
    reachable: bool,
    racy: bool,
}

fn truth(test: &Test, model: &Model) -> Truth {
    // Where models know asynchronous operations, the end of a thread is an arrival at the barriers
    // of others.
    let ends_let_pass = model.mentions_relation(BaseRelation::AsyncComplete);
    let unfolding = Unfolding::new(
        test,
        model.signature,
        UnfoldingBounds { ends_let_pass, ..UnfoldingBounds::default() },
    )
    .unwrap();
    let mut judge = Judge::new(model);
    let mut truth = Truth::default();
    for number in 0..unfolding.len() {
        of_skeleton(&unfolding.skeleton(number).unwrap(), test, model, &mut judge, &mut truth);
    }
    truth
}

fn of_skeleton(
    skeleton: &Skeleton,
    test: &Test,
    model: &Model,
    judge: &mut Judge,
    truth: &mut Truth,
) {
    let total = model.signature.total_coherence();
    let base = &skeleton.execution;
    let n = base.size();
    let events = |keep: &dyn Fn(usize) -> bool| {
        (0..n).filter(|&e| keep(e)).map(Event::from).collect::<Vec<_>>()
    };
    let kind = |e: usize| base.events[e].kind;
    let reads = events(&|e| kind(e) == Kind::Read);
    let writes = events(&|e| kind(e) == Kind::Write);
    let inits = events(&|e| kind(e) == Kind::Init);
    let fences = events(&|e| kind(e) == Kind::Fence && base.events[e].order == Order::Sc && !total);
    let pairs = |list: &[Event], keep: &dyn Fn(Event, Event) -> bool| -> Vec<(Event, Event)> {
        list.iter()
            .flat_map(|&a| list.iter().map(move |&b| (a, b)))
            .filter(|&(a, b)| a < b && keep(a, b))
            .collect()
    };
    let mut fixed = BitMatrix::new(n);
    for &i in &inits {
        writes
            .iter()
            .filter(|w| base.physical(**w) == base.physical(i))
            .for_each(|&w| fixed.insert(i, w));
    }
    let coherences =
        orders(n, &pairs(&writes, &|a, b| base.physical(a) == base.physical(b)), &fixed, total);
    let fence_orders = orders(n, &pairs(&fences, &|_, _| true), &BitMatrix::new(n), false);
    let sources: Vec<Vec<Event>> = reads
        .iter()
        .map(|&r| {
            writes
                .iter()
                .chain(&inits)
                .copied()
                .filter(|&w| base.physical(w) == base.physical(r))
                .collect()
        })
        .collect();
    for mut code in 0..sources.iter().map(Vec::len).product::<usize>() {
        let mut x = base.clone();
        for (&r, sources) in reads.iter().zip(&sources) {
            x.rf.insert(sources[code % sources.len()], r);
            code /= sources.len();
        }
        // Values, as far as they follow.
        let mut values: Vec<Option<i64>> = vec![None; n];
        for _ in 0..n {
            for e in 0..n {
                values[e] = match skeleton.writes[e] {
                    Some(WriteValue::Known(v)) => Some(v),
                    Some(WriteValue::Computed(t, s)) => {
                        skeleton.evaluate(t, s, |r| values[r.index()])
                    }
                    None => {
                        x.rf.column(Event::from(e)).iter().next().and_then(|w| values[w.index()])
                    }
                };
            }
        }
        if reads.iter().any(|r| values[r.index()].is_none()) {
            continue;
        }
        let supposed = skeleton.suppositions.iter().all(|&(t, s, holds)| {
            skeleton.evaluate(t, s, |r| values[r.index()]).is_some_and(|v| (v != 0) == holds)
        });
        if !supposed {
            continue;
        }
        for co in &coherences {
            for sync_fence in &fence_orders {
                x.co = co.clone();
                x.sync_fence = sync_fence.clone();
                let judgement = judge.judge(&x);
                if judgement.consistent {
                    assert_eq!(wellformed::violations(&x), Vec::<String>::new());
                    let race = |&c: &usize| model.checks[c].kind == margay_models::CheckKind::Empty;
                    truth.racy |= judgement.flagged.iter().any(race);
                    truth.reachable |=
                        satisfied(&test.condition.proposition, skeleton, &values, &writes, co);
                }
            }
        }
    }
}

/// Does the condition hold for some choice of last writes?
fn satisfied(
    p: &Proposition,
    skeleton: &Skeleton,
    values: &[Option<i64>],
    writes: &[Event],
    co: &BitMatrix,
) -> bool {
    let x = &skeleton.execution;
    let finals = |l: u16| -> Vec<i64> {
        let here = |w: &&Event| x.physical(**w) == Some(l);
        let maximal: Vec<i64> = writes
            .iter()
            .filter(here)
            .filter(|w| co.row(**w).is_empty())
            .filter_map(|w| values[w.index()])
            .collect();
        let init = (0..x.size())
            .find(|&e| x.events[e].kind == Kind::Init && x.events[e].location == Some(l));
        if maximal.is_empty() {
            init.and_then(|e| values[e]).into_iter().collect()
        } else {
            maximal
        }
    };
    let all: Vec<Vec<i64>> = (0..x.locations.len()).map(|l| finals(l as u16)).collect();
    let holds = |choice: &[i64]| -> bool {
        fn eval(p: &Proposition, value: &dyn Fn(&ConditionOperand) -> i64) -> bool {
            match p {
                Proposition::True => true,
                Proposition::False => false,
                Proposition::Compare { comparison, left, right } => {
                    comparison.holds(value(left), value(right))
                }
                Proposition::Not(p) => !eval(p, value),
                Proposition::And(parts) => parts.iter().all(|p| eval(p, value)),
                Proposition::Or(parts) => parts.iter().any(|p| eval(p, value)),
            }
        }
        eval(p, &|operand| match operand {
            ConditionOperand::Integer(n) => *n,
            ConditionOperand::AddressOf(_) => 0,
            ConditionOperand::Variable(Variable::Location(name)) => {
                choice[usize::from(skeleton.physical(name).unwrap())]
            }
            ConditionOperand::Variable(Variable::Register { thread, name }) => {
                let symbol = skeleton.register(*thread, name).unwrap();
                skeleton.evaluate(*thread, symbol, |r| values[r.index()]).unwrap()
            }
        })
    };
    let mut choices: Vec<Vec<i64>> = vec![Vec::new()];
    for options in &all {
        choices = choices
            .iter()
            .flat_map(|c| options.iter().map(move |o| [c.as_slice(), &[*o]].concat()))
            .collect();
    }
    choices.iter().any(|c| holds(c))
}

/// A random PTX test of two or three threads with up to three instructions each, as text.
fn ptx_test() -> impl Strategy<Value = String> {
    let location = select(&["x", "y"][..]);
    let scope = select(&["cta", "gpu"][..]);
    let instruction = (0..14usize, location, scope, 1..3i64, 0..2usize).prop_map(
        |(kind, l, s, v, r)| match kind {
            0 => format!("ld.weak r{r}, {l}"),
            1 => format!("ld.relaxed.{s} r{r}, {l}"),
            2 => format!("ld.acquire.{s} r{r}, {l}"),
            3 => format!("st.weak {l}, {v}"),
            4 => format!("st.relaxed.{s} {l}, {v}"),
            5 => format!("st.release.{s} {l}, {v}"),
            6 => format!("st.relaxed.{s} {l}, r{r}"),
            7 => format!("atom.relaxed.{s}.add r{r}, {l}, {v}"),
            8 => format!("atom.acq_rel.{s}.exch r{r}, {l}, {v}"),
            9 => format!("atom.relaxed.{s}.cas r{r}, {l}, 0, {v}"),
            10 => format!("fence.sc.{s}"),
            11 => format!("fence.acq_rel.{s}"),
            12 => format!("@r{r} st.relaxed.{s} {l}, {v}"),
            _ => "bar.cta.sync 0".to_string(),
        },
    );
    let column = proptest::collection::vec(instruction, 1..4);
    let places = select(&["cta 0,gpu 0", "cta 1,gpu 0"][..]);
    let threads = proptest::collection::vec((column, places), 2..4);
    let values = proptest::collection::vec(0..4i64, 3);
    let last = (select(&["x", "y"][..]), select(&["==", "!="][..]), 0..4i64);
    let connective = select(&[" \\/ ", " /\\ "][..]);
    (threads, values, last, connective).prop_map(|(threads, values, (l, comparison, v), connective)| {
        // Few enough events for plain enumeration.
        let threads = if threads.iter().map(|(c, _)| c.len()).sum::<usize>() > 6 { threads[..2].to_vec() } else { threads };
        let header: Vec<String> = threads.iter().enumerate().map(|(t, (_, place))| format!("P{t}@{place}")).collect();
        let rows = threads.iter().map(|(c, _)| c.len()).max().unwrap_or(0);
        let row = |r: usize| threads.iter().map(|(c, _)| c.get(r).cloned().unwrap_or_default()).collect::<Vec<_>>().join(" | ");
        let rows: String = (0..rows).map(|r| format!(" {} ;\n", row(r))).collect();
        let declared: String = (0..threads.len()).map(|t| format!("P{t}:r0=0; P{t}:r1=0; ")).collect();
        let asked: Vec<String> =
            threads.iter().zip(&values).enumerate().map(|(t, (_, v))| format!("P{t}:r{} == {v}", t % 2)).collect();
        format!(
            "PTX random\n{{ x=0; y=0; {declared}}}\n {} ;\n{rows}exists (({}) /\\ {l} {comparison} {v})\n",
            header.join(" | "),
            asked.join(connective)
        )
    })
}

/// A random scoped C test, as text.
fn c_test() -> impl Strategy<Value = String> {
    let location = select(&["x", "y"][..]);
    let scope = select(&["work_group", "device"][..]);
    let order = select(&["relaxed", "acq_rel", "seq_cst"][..]);
    let statement = (0..10usize, location, scope, order, 1..3i64, 0..2usize).prop_map(|(kind, l, s, o, v, r)| {
        let load = o.replace("acq_rel", "acquire");
        let store = o.replace("acq_rel", "release");
        match kind {
            0 | 1 => format!("r{r} = atomic_load_explicit({l}, memory_order_{load}, memory_scope_{s});"),
            2 | 3 => format!("atomic_store_explicit({l}, {v}, memory_order_{store}, memory_scope_{s});"),
            4 => format!("r{r} = *{l};"),
            5 => format!("*{l} = {v};"),
            6 => format!("r{r} = atomic_fetch_add_explicit({l}, {v}, memory_order_{o}, memory_scope_{s});"),
            7 => format!("if (r{r} == 1) {{ *{l} = {v}; }}"),
            8 => format!("atomic_thread_fence(memory_order_{}, memory_scope_{s});", o.replace("relaxed", "release")),
            _ => format!("atomic_store_explicit({l}, r{r}, memory_order_{store}, memory_scope_{s});"),
        }
    });
    let thread = (proptest::collection::vec(statement, 1..4), 0..2u8);
    let values = proptest::collection::vec(0..3i64, 2);
    (proptest::collection::vec(thread, 2), values, select(&["x", "y"][..]), 0..3i64).prop_map(|(threads, values, l, v)| {
        let thread = |(t, (statements, wg)): (usize, &(Vec<String>, u8))| {
            let body = statements.join("\n  ");
            format!("P{t}@wg {wg},dev 0 (atomic_int* x, atomic_int* y) {{\n  int r0 = 0;\n  int r1 = 0;\n  {body}\n}}\n")
        };
        let threads: String = threads.iter().enumerate().map(thread).collect();
        format!("C random\n{{ [x]=0; [y]=0; }}\n{threads}exists (0:r0={} /\\ 1:r1={} /\\ [{l}]={v})\n", values[0], values[1])
    })
}

fn agree(text: &str, models: &[&str]) -> Result<(), TestCaseError> {
    let test = read::test(&SourceFile::new("random", text)).unwrap().test;
    for name in models {
        let model = crate::shipped::model(name);
        let verdict = run(&test, &model, &Options::default()).unwrap();
        let truth = truth(&test, &model);
        prop_assert_eq!(verdict.reachable, truth.reachable, "{} {}", name, text);
        prop_assert_eq!(verdict.racy.unwrap_or(false), truth.racy, "{} {}", name, text);
        if let Some(witness) = verdict.witness {
            prop_assert_eq!(wellformed::violations(&witness.execution), Vec::<String>::new());
            // The test of the execution that was found has that execution.
            let again = render(&witness.execution, "again", None, &witness.finals);
            prop_assert!(again.is_ok(), "{:?} {}", again, text);
            let again = again.unwrap().test;
            let written = read::test(&SourceFile::new("again", again.to_string()));
            prop_assert!(written.is_ok(), "{:?} {}", written, again);
            prop_assert!(written.unwrap().test == again, "{}", again);
            prop_assert!(
                run(&again, &model, &Options::default()).unwrap().reachable,
                "{name}\n{text}\n{again}"
            );
        }
    }
    Ok(())
}

/// How many random tests; `MARGAY_CASES` for more.
fn cases() -> u32 {
    std::env::var("MARGAY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_search_misses_nothing(text in ptx_test()) {
        agree(&text, &["ptx-6.0", "ptx-8", "ptx-2015", "tso", "sc"])?;
    }

    #[test]
    fn nor_does_it_in_scoped_c(text in c_test()) {
        agree(&text, &["rc11-scoped", "c20-scoped", "rc11", "tso"])?;
    }
}

/// A thread ends whether its compare-exchange writes or not: that it lets the other pass does not
/// depend on what it read, unless a branch goes by that.
#[test]
fn a_compare_exchange_does_not_decide_that_a_thread_ends() {
    let text = |behind: &str| {
        let head = "PTX swap\n{ y=0; P0:r0=7; P1:r0=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n atom.relaxed.cta.cas r0, y, 0, 2 | bar.cta.sync 0 ;\n";
        format!("{head} {behind} | st.relaxed.cta y, r0 ;\nexists (P0:r0 == 0 /\\ y == 2)\n")
    };
    let reachable = |text: &str| {
        agree(text, &["ptx-6.0", "ptx-8"]).unwrap();
        let test = read::test(&SourceFile::new("swap", text)).unwrap().test;
        run(&test, &crate::shipped::model("ptx-8"), &Options::default()).unwrap().reachable
    };
    assert!(reachable(&text("")));
    // The compare-exchange reads what the other writes once this thread has ended for what it read.
    let branches = text("@r0 bar.cta.sync 0");
    assert!(!reachable(&branches), "{branches}");
}

/// One thread ends, and so lets the other pass its second barrier: that end is in no line of the
/// test that is rendered.
#[test]
fn ends_that_let_others_pass() {
    for rest in ["st.weak y, 1", "ld.weak r1, x", "st.relaxed.gpu x, r1"] {
        for first in [
            "bar.cta.sync 0 | bar.cta.sync 0",
            "ld.weak r0, y | bar.cta.sync 0",
            "@r0 bar.cta.sync 0 | bar.cta.sync 0",
        ] {
            let text = format!(
                "PTX ends\n{{ x=0; y=0; P0:r0=0; P1:r1=0; }}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n {first} ;\n  | bar.cta.sync 0 ;\n  | {rest} ;\n\
                 exists (P0:r0 == 0)\n"
            );
            agree(&text, &["ptx-6.0", "ptx-8"]).unwrap();
        }
    }
}
