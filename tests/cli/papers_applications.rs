//! The ten applications of Sorensen and Donaldson, *Exposing errors related to weak memory in GPU
//! applications* (PLDI 2016, Table 4), small and at full size, on the machine of the CPU.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::app::json;
use crate::program::{folder, text};

const FOLDER: &str = "tests/kernels/papers";

/// An application, and whether the machine finds it right as it was published.
const APPLICATIONS: [(&str, bool); 10] = [
    ("cbe_ht", false),
    ("cbe_dot", false),
    ("ct_octree", false),
    ("tpo_tm", false),
    // Its one fence is not enough by `ptx-8` (results/papers.md).
    ("sdk_red", false),
    ("sdk_red_nf", false),
    ("cub_scan", true),
    ("cub_scan_nf", false),
    ("ls_bh", false),
    ("ls_bh_nf", false),
];

/// The environments of a test: in order, and weak.
fn environments(tested: &Value) -> [(u64, u64); 2] {
    let wrong = |n: usize| {
        let of = |key: &str| tested["environments"][n][key].as_u64().unwrap();
        (of("runs"), of("errors") + of("time_outs"))
    };
    [wrong(0), wrong(1)]
}

/// The kernel of the same program that has all fences.
fn with_all_fences(kernel: &str) -> String {
    match kernel.strip_suffix("_nf").unwrap_or(kernel) {
        // Nothing is handed on but what is the flag, or nothing at all.
        kernel @ ("ls_bh_sort" | "ls_bh_move") => kernel.to_owned(),
        // It has them.
        kernel @ "cub_scan" => kernel.to_owned(),
        kernel => format!("{kernel}_fences"),
    }
}

#[test]
fn each_is_wrong_with_weak_memory_only_unless_its_fences_are_enough() {
    for (name, is_right) in APPLICATIONS {
        let (tested, code) = json(&["test", &format!("{FOLDER}/{name}.toml"), "--runs", "100"]);
        let [(_, in_order), (runs, weak)] = environments(&tested);
        assert_eq!((in_order, runs), (0, 100), "{tested}");
        assert_eq!((weak == 0, code), (is_right, Some(i32::from(!is_right))), "{tested}");
    }
}

#[test]
fn each_is_right_with_all_fences() {
    let dir = folder("app-all-fences");
    fs::create_dir_all(dir.join("full")).unwrap();
    for program in [
        "cuda_by_example",
        "reduction",
        "task_queue",
        "look_back",
        "full/cuda_by_example",
        "full/barnes_hut",
        "full/work_stealing",
    ] {
        fs::copy(
            Path::new(FOLDER).join(program).with_extension("ptx"),
            dir.join(program).with_extension("ptx"),
        )
        .unwrap();
    }
    for (name, _) in APPLICATIONS {
        let application = fs::read_to_string(format!("{FOLDER}/{name}.toml")).unwrap();
        let mut parts = application.split("[[launch]]\nkernel = \"");
        let mut fenced = parts.next().unwrap().to_owned();
        for part in parts {
            let (kernel, rest) = part.split_once('"').unwrap();
            fenced += &format!("[[launch]]\nkernel = \"{}\"{rest}", with_all_fences(kernel));
        }
        let path = dir.join(name).with_extension("toml");
        fs::write(&path, fenced).unwrap();
        let (tested, code) = json(&["test", text(&path), "--runs", "400"]);
        assert_eq!((environments(&tested), code), ([(400, 0), (400, 0)], Some(0)), "{tested}");
    }
}

/// Each has thousands of threads in a hundred blocks and more, and is right in order.
#[test]
fn each_is_right_in_order_at_full_size() {
    for (name, _) in APPLICATIONS {
        let path = format!("{FOLDER}/full/{name}.toml");
        let application = fs::read_to_string(&path).unwrap();
        let sizes = |key: &str| {
            let of = application.lines().filter_map(|line| {
                line.strip_prefix(key)?.trim_start().strip_prefix("= ")?.parse::<u64>().ok()
            });
            of.collect::<Vec<_>>()
        };
        // The last one is of the kernel that looks at the result.
        assert!(
            sizes("blocks")[0] >= 128 && sizes("blocks")[0] * sizes("threads")[0] >= 4096,
            "{path}"
        );
        let (tested, _) = json(&["test", &path, "--runs", "1"]);
        assert_eq!(environments(&tested)[0], (1, 0), "{tested}");
    }
}
