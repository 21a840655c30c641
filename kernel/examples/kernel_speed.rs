//! How long kernels of tests/kernels take, from their PTX to the answer: `cargo run --release -p
//! margay-kernel --example kernel_speed [WORD]` asks about those whose line has the word. Each is
//! asked about at one launch, exhaustively, without a search for repairs.

use std::time::{Duration, Instant};

use margay_kernel::launch::Launch;
use margay_kernel::{KernelQuestion, LaunchVerdict, ask};

/// File, kernel, launch, the seconds that it may take, and whether something goes wrong.
const CASES: &[(&str, &str, &str, f64, bool)] = &[
    ("locks", "ticket_lock", "8x1", 2.0, false),
    ("locks", "cas_lock", "8x1", 10.0, false),
    ("locks", "ttas_lock", "8x1", 10.0, false),
    ("queue_locks", "mcs_lock", "4x1", 10.0, false),
    ("queue_locks", "clh_lock", "4x1", 10.0, false),
    ("locks", "ticket_lock_twice", "2x1", 1.0, false),
    ("locks", "cas_lock_twice", "2x1", 1.0, false),
    ("locks", "ttas_lock_twice", "2x1", 1.0, false),
    ("locks", "cas_lock_with_backoff", "4x1", 1.0, false),
    ("grid", "grid_barrier", "4x4", 0.1, false),
    ("grid", "grid_barrier", "2x33", 0.1, false),
    ("grid", "grid_barrier", "4x64", 10.0, false),
    ("grid", "last_of_many", "2x33", 10.0, false),
    ("grid", "last_of_many", "4x32", 10.0, false),
    ("lockless", "sequence_lock", "4x1", 10.0, false),
    ("lockless", "deque", "3x1", 10.0, false),
    ("lockless", "treiber_stack", "3x1", 10.0, false),
    ("lockless", "michael_scott_queue", "3x1", 10.0, false),
    ("lockless", "scan", "4x2", 10.0, false),
    ("triton/flag_2", "flag", "2x64", 1.0, false),
    ("triton/last_block_2", "last_block", "2x64", 1.0, false),
    ("locks", "ticket_lock_relaxed", "8x1", 1.0, true),
    ("locks", "cas_lock_relaxed", "8x1", 1.0, true),
    ("locks", "ttas_lock_relaxed", "8x1", 1.0, true),
    ("queue_locks", "mcs_lock_relaxed", "4x1", 1.0, true),
    ("queue_locks", "clh_lock_relaxed", "4x1", 1.0, true),
    ("grid", "grid_barrier_without_release", "4x4", 1.0, true),
    ("grid", "grid_barrier_without_release", "2x33", 1.0, true),
    ("grid", "grid_barrier_without_acquire", "4x64", 1.0, true),
    ("grid", "last_of_many_without_fence", "2x33", 1.0, true),
    ("grid", "last_of_many_without_fence", "4x32", 1.0, true),
    ("grid", "last_of_many_without_barrier", "1x4", 1.0, true),
    ("lockless", "sequence_lock_without_fence", "4x1", 1.0, true),
    ("lockless", "deque_relaxed_push", "3x1", 1.0, true),
    ("lockless", "deque_without_sc", "3x1", 1.0, true),
    ("lockless", "treiber_stack_relaxed", "3x1", 1.0, true),
    ("lockless", "michael_scott_queue_relaxed", "3x1", 1.0, true),
    ("lockless", "scan_relaxed", "4x2", 1.0, true),
];

/// When a question is given up.
const LIMIT: Duration = Duration::from_secs(60);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("| kernel | launch | answer | seconds of the processor | seconds | goal | |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut missed = 0;
    for &(file, kernel, launch, goal, goes_wrong) in CASES {
        let line = format!("{file} {kernel} {launch}");
        if !words.is_empty() && !words.iter().any(|word| line.contains(word.as_str())) {
            continue;
        }
        let (start, begin) = (Instant::now(), processor());
        let path = format!("{}/../tests/kernels/{file}.ptx", env!("CARGO_MANIFEST_DIR"));
        let (answer, more) = answer(&path, kernel, launch);
        let (taken, of_processor) = (start.elapsed().as_secs_f64(), processor() - begin);
        let expected = if goes_wrong { "wrong" } else { "none" };
        // On a machine that others use, too, what the processor took is what counts.
        let met = answer == expected && of_processor.min(taken) <= goal;
        missed += usize::from(!met);
        let met = if met { "" } else { "missed" };
        println!(
            "| `{kernel}` | {launch} | {answer} | {of_processor:.2} | {taken:.2} | {goal} | {met} |"
        );
        if answer != expected {
            more.iter().take(4).for_each(|why| eprintln!("  {why}"));
        }
    }
    println!("\n{missed} goals missed");
}

/// The answer in a word, and what was not looked at.
fn answer(path: &str, kernel: &str, launch: &str) -> (&'static str, Vec<String>) {
    let Ok(text) = std::fs::read_to_string(path) else { return ("no file", Vec::new()) };
    let Ok(module) = margay_ptx::read(&text) else { return ("not read", Vec::new()) };
    let Some(number) = module.function(kernel) else { return ("no kernel", Vec::new()) };
    let launch: Launch = match launch.parse() {
        Ok(launch) => launch,
        Err(why) => return ("no launch", vec![why]),
    };
    let question = KernelQuestion {
        launches: &[launch],
        deadline: Instant::now().checked_add(LIMIT),
        ..KernelQuestion::new(&text, &module, number)
    };
    match ask(&question) {
        Err(why) => ("no question", vec![why.to_string()]),
        Ok(answer) => {
            let open = answer.not_looked().into_iter().map(|n| n.why).collect();
            match answer.launches.first().map(|l| &l.asked) {
                Some(LaunchVerdict::Nothing) => ("none", open),
                Some(LaunchVerdict::Found) => ("wrong", open),
                _ => ("undecided", open),
            }
        }
    }
}

/// What this process took of the processor so far, in seconds: fields 14 and 15 of /proc/self/stat,
/// in hundredths; 0 where there is none.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
