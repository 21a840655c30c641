//! Small applications in CUDA whose answers are known: right ones, those that weak memory alone
//! makes wrong, and those that are wrong in order.

use std::fs;
use std::process::Output;

use crate::program::{command, folder, json, text};

const RIGHT: &str = "no run was wrong, which is no proof: ";
const WEAK: &str = "wrong with weak memory only: ";
const ORDER: &str = "wrong without weak memory: ";

/// The kernel; blocks, threads and bytes of shared memory (`1x64+256`); the arrays, which are its
/// arguments (their words; `c`: these count from 0); what must hold at the end; and how the answer
/// begins.
const APPLICATIONS: [[&str; 5]; 29] = [
    ["ticket", "4x1+0", "next:1 serving:1 count:1", "count == 4", RIGHT],
    ["message", "3x1+0", "data:4 flag:1 out:3", "out[1] == 10; out[2] == 10", RIGHT],
    ["dekker", "2x1+0", "flags:2 won:1", "won <= 1", RIGHT],
    ["grid_barrier", "4x1+0", "arrived:1 data:4 out:4", "out[0] == 2; out[3] == 1", RIGHT],
    ["seqlock", "2x1+0", "seq:1 data:2 bad:1", "bad == 0", RIGHT],
    ["warp_sum", "1x64+0", "in:64c out:1", "out == 2016", RIGHT],
    ["tree_sum", "1x64+256", "in:64c out:1", "out == 2016", RIGHT],
    ["block_lock", "1x128+0", "lock:1 count:1", "count == 4", RIGHT],
    ["ring", "2x1+0", "slots:2 head:1 tail:1 out:8", "out[0] == 10; out[7] == 17", RIGHT],
    ["seqlock_relaxed", "2x1+0", "seq:1 data:2 bad:1", "bad == 0", WEAK],
    [
        "ring_relaxed_head",
        "2x1+0",
        "slots:2 head:1 tail:1 out:8",
        "out[0] == 10; out[7] == 17",
        WEAK,
    ],
    ["block_lock", "2x32+0", "lock:1 count:1", "count == 2", WEAK],
    ["lock_of_a_block", "2x1+0", "lock:1 count:1", "count == 4", WEAK],
    ["counter_of_a_block", "2x1+0", "count:1", "count == 8", WEAK],
    ["counter_of_a_block", "1x2+0", "count:1", "count == 8", RIGHT],
    ["last_by_block", "3x1+0", "part:3 count:1 out:1", "out == 6", WEAK],
    ["dekker_acq_rel", "2x1+0", "flags:2 won:1", "won <= 1", WEAK],
    ["plain_flag", "2x1+0", "data:1 flag:1 out:1", "out == 1", WEAK],
    ["fence_of_a_block", "2x1+0", "data:1 flag:1 out:1", "out == 1", WEAK],
    ["fence_of_a_block", "1x1+0", "data:1 flag:1 out:1", "out == 0", RIGHT],
    ["tree_sum_unsynced", "1x64+256", "in:64c out:1", "out == 2016", ORDER],
    ["lost_count", "4x1+0", "count:1", "count == 4", ORDER],
    ["beyond_shared", "1x64+0", "in:64c out:64", "out[*] >= 0", ORDER],
    ["beyond_local", "1x1+0", "in:64c out:1", "out == 1", ORDER],
    ["beyond_global", "1x4+0", "a:64 b:64", "b[0] == 2", ORDER],
    ["tree_sum", "1x64+252", "in:64c out:1", "out == 2016", ORDER],
    ["unwritten_shared", "1x64+0", "in:64c out:1", "out == 992", ORDER],
    ["unwritten_local", "1x1+0", "in:4c out:1", "out == 6", ORDER],
    ["one_comes", "1x33+0", "out:1", "out == 1", ORDER],
];

/// Algorithms, each right and with a bug that is known (said as above; `=` before what an array
/// holds).
const ALGORITHMS: [[&str; 5]; 15] = [
    ["queue_relaxed", "4x1+0", "turn:4 item:4 tail:1 head:1 sum:1", "sum == 36", WEAK],
    ["queue_fenced", "4x1+0", "turn:4 item:4 tail:1 head:1 sum:1", "sum == 36", RIGHT],
    ["once_unfenced", "3x1+0", "ready:1 lock:1 value:1 out:3", "out[*] == 77", WEAK],
    ["once_fenced", "3x1+0", "ready:1 lock:1 value:1 out:3", "out[*] == 77", RIGHT],
    ["publish_plain", "3x1+0", "current:1 versions:8 bad:1", "bad == 0", WEAK],
    ["publish_fenced", "3x1+0", "current:1 versions:8 bad:1", "bad == 0", RIGHT],
    ["tree_unfenced", "7x1+0", "part:7 flag:7", "part == 28", WEAK],
    ["tree_fenced", "7x1+0", "part:7 flag:7", "part == 28", RIGHT],
    ["look_back_unfenced", "4x1+0", "state:4 own:4 all:4", "all[3] == 10; all[2] == 6", WEAK],
    ["look_back_fenced", "4x1+0", "state:4 own:4 all:4", "all[3] == 10; all[2] == 6", RIGHT],
    ["work_early", "3x1+0", "list:8 tail:1 head:1 seen:1", "seen == 7", ORDER],
    ["work_waits", "3x1+0", "list:8 tail:1 head:1 seen:1", "seen == 7", RIGHT],
    [
        "sense_unfenced",
        "3x1+0",
        "count:1 sense:1 data:3 out:3",
        "out[0] == 13; out[1] == 11; out[2] == 12",
        WEAK,
    ],
    [
        "sense_fenced",
        "3x1+0",
        "count:1 sense:1 data:3 out:3",
        "out[0] == 13; out[1] == 11; out[2] == 12",
        RIGHT,
    ],
    ["stack_counted", "3x1+0", "head:=1 next:=0,2,3,4,0 busy:5 bad:1", "bad == 0", RIGHT],
];

/// Applications that need one order alone: the kernel, blocks and threads, arrays and the end as
/// above, and which order; `weak` where it is the scope that is too narrow, `none` where the order
/// is kept. What Margay compiles moves the value of a load behind it at once, so that no load waits
/// for a store but in one text of PTX.
const ORDERS: [[&str; 5]; 21] = [
    ["publish", "2x2+0", "data:2 flag:2 out:2", "out[*] == 5", "store-store"],
    ["atomic_flag", "2x1+0", "data:1 flag:1 out:1", "out == 5", "store-store"],
    ["leader_raises", "2x2+0", "data:1 flag:1 out:1", "out == 5", "store-store"],
    ["subscribe", "2x2+0", "data:2 flag:2 out:2", "out[*] == 5", "load-load"],
    ["atomic_poll", "2x1+0", "data:1 flag:1 out:1", "out == 5", "load-load"],
    ["leader_polls", "2x2+0", "data:1 flag:1 out:1", "out == 5", "load-load"],
    ["pair", "2x1+0", "pair:2 out:1", "out == 5", "load-load"],
    ["enter", "2x1+0", "want:32 inside:1", "inside <= 1", "store-load"],
    ["vote", "1x2+0", "out:1", "out == 9", "store-load"],
    ["vector_publish", "2x1+0", "pair:2 out:1", "out == 5", "store-store"],
    ["vector_subscribe", "2x1+0", "pair:2 out:1", "out == 5", "load-load"],
    ["red_counter", "2x1+0", "data:1 count:1 out:1", "out == 5", "store-store"],
    ["atomic_enter", "2x1+0", "want:32 inside:1", "inside <= 1", "load-load"],
    ["release_publish", "2x1+0", "data:1 flag:1 out:1", "out == 5", "load-load"],
    ["acquire_subscribe", "2x1+0", "data:1 flag:1 out:1", "out == 5", "store-store"],
    ["through_local", "2x1+0", "data:1 flag:1 out:1", "out == 5", "load-load"],
    ["load_buffer", "2x1+0", "x:32 seen:1", "seen <= 1", "load-store"],
    ["fenced_enter", "2x1+0", "want:32 inside:1", "inside <= 1", "none"],
    ["narrow_publish", "2x1+0", "data:1 flag:1 out:1", "out == 5", "weak"],
    ["meet_or", "1x64+0", "data:1 out:1", "out == 5", "none"],
    ["handed_on", "3x1+0", "data:1 flag:32 out:1", "out == 5", "none"],
];

/// Runs an application that Margay compiles, whatever other compilers there are.
fn test(arguments: &[&str]) -> Output {
    command(&[&["app", "test"], arguments].concat())
        .env_remove("MARGAY_TOOLKIT")
        .output()
        .expect("the program starts")
}

/// The text of an application whose launch, arrays and end are said as above.
fn application(program: &str, [kernel, launch, arrays, post]: [&str; 4]) -> String {
    let quoted = |all: Vec<&str>| {
        all.into_iter().map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(", ")
    };
    let (size, shared) = launch.split_once('+').unwrap();
    let (blocks, threads) = size.split_once('x').unwrap();
    let arrays: Vec<(&str, &str)> =
        arrays.split(' ').map(|array| array.split_once(':').unwrap()).collect();
    let mut text = format!(
        "program = \"{program}\"\nsteps = 200000\npost = [{}]\n",
        quoted(post.split("; ").collect())
    );
    for (name, words) in &arrays {
        let held = match words.strip_prefix('=') {
            Some(values) => format!("words = {}\nvalues = [{values}]\n", values.split(',').count()),
            None if words.ends_with('c') => {
                format!("words = {}\ncount_from = 0\n", words.trim_end_matches('c'))
            }
            None => format!("words = {words}\n"),
        };
        text += &format!("[[array]]\nname = \"{name}\"\n{held}");
    }
    text += &format!(
        "[[launch]]\nkernel = \"{kernel}\"\nblocks = {blocks}\nthreads = {threads}\nshared = {shared}\narguments = [{}]\n",
        quoted(arrays.iter().map(|(name, _)| *name).collect())
    );
    text
}

#[test]
fn what_is_known_of_small_applications_is_found() {
    known_of("small", &APPLICATIONS);
}

#[test]
fn what_is_known_of_algorithms_is_found() {
    known_of("known", &ALGORITHMS);
}

/// Runs the applications of a program, and compares how their answers begin.
fn known_of(program: &str, applications: &[[&str; 5]]) {
    let dir = folder(&format!("applications-{program}"));
    let program = format!("{program}.cu");
    fs::copy(format!("tests/cli/applications/{program}"), dir.join(&program)).unwrap();
    for (n, &[kernel, launch, arrays, post, expected]) in applications.iter().enumerate() {
        let application = application(&program, [kernel, launch, arrays, post]);
        let path = dir.join(format!("{n}.toml"));
        fs::write(&path, application).unwrap();
        let tested = json(&test(&[text(&path), "--runs", "300", "--format", "json"]));
        assert!(
            tested["answer"].as_str().unwrap().starts_with(expected),
            "{kernel}, expected {expected}: {tested}"
        );
    }
}

/// The machine that reorders the pair which an application needs in order shows it wrong, also
/// where lanes of a warp make the pair; no other machine does.
#[test]
fn an_application_is_wrong_on_the_machine_that_reorders_its_pair_and_on_no_other() {
    let dir = folder("applications-orders");
    fs::copy("tests/cli/applications/orders.cu", dir.join("orders.cu")).unwrap();
    for [kernel, launch, arrays, post, needed] in ORDERS {
        // Weak memory shows every one of them; where it must show nothing else, or nothing, it is
        // asked, too.
        let weak = if ["weak", "none"].contains(&needed) { "weak," } else { "" };
        let environments = format!("{weak}store-store,store-load,load-load,load-store");
        let expected = if needed == "none" { &[][..] } else { &[needed] };
        let path = dir.join(format!("{kernel}.toml"));
        fs::write(&path, application("orders.cu", [kernel, launch, arrays, post])).unwrap();
        let tested = json(&test(&[
            text(&path),
            "--environments",
            &environments,
            "--runs",
            "1000",
            "--format",
            "json",
        ]));
        let environments = tested["environments"].as_array().unwrap();
        let is_wrong = |e: &&serde_json::Value| {
            e["errors"].as_u64() > Some(0) || e["time_outs"].as_u64() > Some(0)
        };
        let wrong: Vec<&str> =
            environments.iter().filter(is_wrong).map(|e| e["memory"].as_str().unwrap()).collect();
        assert_eq!(wrong, expected, "{kernel}: {tested}");
        assert_eq!(environments[0]["errors"], 0, "{kernel}, in order: {tested}");
    }
}

/// What Margay cannot make of a CUDA program is said at its place, if a launch needs it; nothing
/// else is run in its stead.
#[test]
fn kernels_that_are_not_compiled_are_not_run() {
    let dir = folder("applications-refused");
    let good = "__device__ unsigned o;\nextern \"C\" __global__ void good() { o = 1; }\n";
    let refused = "extern \"C\" __global__ void bad() { o = unknown_function(); }\n";
    let no_ptx = "extern \"C\" __global__ void odd() { asm volatile(\"mov.u32 nothing, 1;\"); }\n";
    let path = dir.join("app.toml");
    let cases = [
        (format!("{good}{refused}"), "good", Some(0), ""),
        (format!("{good}{refused}"), "bad", Some(2), "app.cu:3:"),
        (format!("{good}{no_ptx}"), "good", Some(2), "what margay made of"),
        (format!("{good}{no_ptx}"), "good", Some(2), "the PTX of "),
    ];
    for (program, kernel, code, expected) in cases {
        fs::write(dir.join("app.cu"), &program).unwrap();
        let launch = format!("[[launch]]\nkernel = \"{kernel}\"\nblocks = 1\nthreads = 1\n");
        fs::write(&path, format!("program = \"app.cu\"\npost = [\"o < 2\"]\n{launch}")).unwrap();
        let output = test(&[text(&path), "--runs", "2"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), code, "{program}: {said}");
        assert!(said.contains(expected), "{program}: {said}");
    }
}
