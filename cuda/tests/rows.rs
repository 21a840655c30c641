//! What the library's atomics become, held against the shipped table of what NVRTC makes of
//! libcu++, row by row. The rows of objects of one and two bytes (loops, in part) and of 16 bytes
//! are left out, as are those that the table has no instructions for.

use std::path::Path;

use margay_cuda::{CudaSource, compile};

/// The memory orders of the table's words.
const ORDERS: [(&str, &str); 5] = [
    ("RLX", "relaxed"),
    ("ACQ", "acquire"),
    ("REL", "release"),
    ("ACQ_REL", "acq_rel"),
    ("SC", "seq_cst"),
];

const SCOPES: [(&str, &str); 3] = [("cta", "block"), ("gpu", "device"), ("sys", "system")];

fn order(word: &str) -> &'static str {
    ORDERS.iter().find(|(w, _)| *w == word).unwrap_or_else(|| panic!("{word}")).1
}

/// The accesses and fences of a kernel, each as `atom.acquire.gpu`.
fn emitted(kernel: &str) -> Vec<String> {
    let text =
        format!("#include <cuda/atomic>\n__global__ void k(int *p, int *out) {{ {kernel} }}\n");
    let include = |_: &str| Ok(None);
    let ptx = compile(&CudaSource {
        name: "a.cu",
        text: &text,
        include: &include,
        target: "sm_90",
        kernels: &[],
    });
    let ptx = ptx.unwrap_or_else(|e| panic!("{kernel}: {}", e.message));
    let of = |line: &str| -> Option<String> {
        let word = line.trim().split(' ').next()?;
        let is_strong = [".relaxed", ".acquire", ".release", ".acq_rel", ".sc"]
            .iter()
            .any(|q| word.contains(q));
        let kind = ["ld", "st", "atom", "fence"]
            .into_iter()
            .find(|k| word.starts_with(&format!("{k}.")))?;
        let kept = |q: &str| {
            matches!(
                q,
                "relaxed" | "acquire" | "release" | "acq_rel" | "sc" | "cta" | "gpu" | "sys"
            )
        };
        let all: Vec<&str> = word.trim_end_matches(';').split('.').filter(|q| kept(q)).collect();
        is_strong.then(|| format!("{kind}.{}", all.join(".")))
    };
    ptx.lines().filter_map(of).collect()
}

/// The program of a row's left side, as `CAS.ACQ/RLX`.
fn program(left: &str, scope: &str) -> Option<Vec<String>> {
    let (kind, orders) = left.split_once('.').unwrap_or((left, ""));
    let orders: Vec<&str> = orders.split('/').collect();
    let of = |n: usize| {
        orders.get(n).or(orders.last()).map(|w| format!("cuda::memory_order_{}", order(w)))
    };
    let object = format!("cuda::atomic_ref<int, cuda::thread_scope_{scope}> r(*p);");
    let first = of(0)?;
    Some(match kind {
        "R" => vec![format!("{object} *out = r.load({first});")],
        "W" => vec![format!("{object} r.store(1, {first});")],
        "F" => vec![format!("cuda::atomic_thread_fence({first}, cuda::thread_scope_{scope});")],
        "RMW" => [
            "exchange",
            "fetch_add",
            "fetch_sub",
            "fetch_and",
            "fetch_or",
            "fetch_xor",
            "fetch_min",
            "fetch_max",
        ]
        .iter()
        .map(|f| format!("{object} *out = r.{f}(1, {first});"))
        .collect(),
        "CAS" | "CAS_FAIL" if orders.len() == 2 => {
            let second = of(1)?;
            ["strong", "weak"]
                .iter()
                .map(|w| format!("{object} int e = 0; *out = r.compare_exchange_{w}(e, 1, {first}, {second});"))
                .collect()
        }
        "CAS" | "CAS_FAIL" => vec![format!(
            "{object} int e = 0; *out = r.compare_exchange_strong(e, 1, {first}, {first});"
        )],
        _ => panic!("{left}"),
    })
}

#[test]
fn atomics_are_those_of_the_table() {
    let table =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../mappings/compilers/libcudacxx-3.5.map");
    let table = std::fs::read_to_string(table).expect("the table");
    let mut held = 0;
    let mut wrong = Vec::new();
    for line in table.lines().filter(|l| l.contains("=>")) {
        let (left, right) = line.split_once("=>").expect("a row");
        let right = right.split('[').next().unwrap_or_default().trim();
        let words: Vec<&str> = left.split_whitespace().collect();
        let types: Vec<&str> =
            words[1..].iter().copied().filter(|w| w.starts_with(['b', 'f'])).collect();
        let is_of_words = types.is_empty() || types.contains(&"b32");
        if !is_of_words
            || right.starts_with("other")
            || right.starts_with("absent")
            || words[0].contains("NA")
        {
            continue;
        }
        let left = words[0].trim_end_matches(".s");
        // What fails with an order that a failure cannot have is written with one order in the
        // table.
        let fails_wrongly = left.starts_with("CAS")
            && !left.contains('/')
            && (left.ends_with(".REL") || left.ends_with("ACQ_REL"));
        for (scope, name) in SCOPES {
            let of = |i: &str| {
                i.trim()
                    .strip_suffix(".s")
                    .map_or_else(|| i.trim().to_owned(), |i| format!("{i}.{scope}"))
            };
            let expected: Vec<String> = right.split(" ; ").map(of).collect();
            let texts = match fails_wrongly {
                true => vec![format!(
                    "cuda::atomic_ref<int, cuda::thread_scope_{name}> r(*p); int e = 0; *out = r.compare_exchange_strong(e, 1, cuda::memory_order_{});",
                    order(left.rsplit('.').next().unwrap_or_default())
                )],
                false => program(left, name).unwrap_or_default(),
            };
            for text in texts {
                held += 1;
                let found = emitted(&text);
                if found != expected {
                    wrong.push(format!("{left}: {text}: {found:?}, and not {expected:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(held > 150, "{held} programs were held against the table");
}
