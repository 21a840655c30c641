//! Random scoped C tests.

use proptest::prelude::*;
use proptest::sample::select;

use super::{agree, config, model};

fn statement() -> impl Strategy<Value = String> {
    let location = select(&["x", "y"][..]);
    let scope = select(&["work_group", "device"][..]);
    let order = select(&["relaxed", "acq_rel", "seq_cst"][..]);
    (0..13usize, location, scope, order, 1..3i64, 0..2usize).prop_map(|(kind, l, s, o, v, r)| {
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
            9 => format!("atomic_store_explicit({l}, r{r} + 1, memory_order_{store}, memory_scope_{s});"),
            10 => format!("if (r{r} > 0) {{ r{r} = r{r} - 1; }} else {{ r{r} = atomic_load_explicit({l}, memory_order_{load}, memory_scope_{s}); }}"),
            11 => format!("r{r} = atomic_exchange_explicit({l}, r{}, memory_order_{o}, memory_scope_{s});", 1 - r),
            _ => format!("atomic_store_explicit({l}, r{r}, memory_order_{store}, memory_scope_{s});"),
        }
    })
}

fn any_test() -> impl Strategy<Value = String> {
    let thread = (proptest::collection::vec(statement(), 1..4), 0..2u8);
    let threads = proptest::collection::vec(thread, 2..4);
    let values = proptest::collection::vec(0..3i64, 3);
    let quantifier = select(&["exists", "~exists", "forall"][..]);
    (threads, values, select(&["x", "y"][..]), 0..3i64, quantifier).prop_map(|(threads, values, l, v, quantifier)| {
        let threads = if threads.iter().map(|(s, _)| s.len()).sum::<usize>() > 6 { threads[..2].to_vec() } else { threads };
        let program = |(t, (statements, wg)): (usize, &(Vec<String>, u8))| {
            let body = statements.join("\n  ");
            format!("P{t}@wg {wg},dev 0 (atomic_int* x, atomic_int* y) {{\n  int r0 = 0;\n  int r1 = 0;\n  {body}\n}}\n")
        };
        let asked: Vec<String> = (0..threads.len()).map(|t| format!("{t}:r{}={}", t % 2, values[t])).collect();
        let programs: String = threads.iter().enumerate().map(program).collect();
        format!("C random\n{{ [x]=0; [y]=0; }}\n{programs}{quantifier} ({} /\\ [{l}]={v})\n", asked.join(" /\\ "))
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn engines_agree_on_scoped_c(text in any_test()) {
        agree(&text, &["rc11-scoped", "c20-scoped", "rc11", "tso"].map(model))?;
    }
}
