//! Two versions of a file of kernels: what goes wrong in the new one and did not, and what no
//! longer does.

use margay_kernel::{Finding, Spot};
use margay_reports::Verdict;

use super::asked::{AskedKernel, KernelFile};

/// What goes wrong in a kernel, to be found again in another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelFinding {
    pub kernel: String,
    /// What goes wrong.
    pub finding: Finding,
}

/// What differs.
#[derive(Debug)]
pub struct KernelComparison {
    /// The older version.
    pub old: String,
    /// What goes wrong in the new version only.
    pub new: Vec<KernelFinding>,
    /// What goes wrong in both.
    pub unchanged: Vec<KernelFinding>,
    /// What went wrong in the older version only.
    pub gone: Vec<KernelFinding>,
    /// Kernels of which it is not known, and why.
    pub unknown: Vec<String>,
    /// `different`: something certain is new; `undecided`: of some kernel that is not known; or
    /// `none`.
    pub verdict: Verdict,
}

/// An instruction without its registers and numbers, which change when something else in a kernel
/// does.
fn shape(spot: &Spot) -> String {
    let mut words = spot.text.split_whitespace();
    let mnemonic =
        words.find(|w| !w.starts_with('@')).unwrap_or_default().trim_end_matches(';').to_owned();
    // The name of a variable in place of an address.
    let named = words.find_map(|w| {
        w.strip_prefix('[')?.split([']', '+']).next().filter(|n| !n.starts_with('%'))
    });
    format!("{mnemonic} {}", named.unwrap_or_default())
}

/// Is it the same that goes wrong? Lines and registers may differ.
fn is_same(a: &KernelFinding, b: &KernelFinding) -> bool {
    let shapes = |f: &Finding| {
        let mut all: Vec<String> = f.stands.iter().map(|s| shape(&s.spot)).collect();
        all.sort();
        all
    };
    a.kernel == b.kernel
        && a.finding.kind == b.finding.kind
        && shapes(&a.finding) == shapes(&b.finding)
}

fn findings(of: &[AskedKernel]) -> Vec<KernelFinding> {
    let all = of.iter().flat_map(|k| {
        k.answer.wrong().into_iter().flat_map(move |l| l.findings.iter().map(move |f| (k, f)))
    });
    all.map(|(k, f)| KernelFinding { kernel: k.answer.kernel.clone(), finding: f.clone() })
        .collect()
}

/// What decides about a kernel: its text and what stands outside of kernels, without comments,
/// places in the source and spaces.
fn code(file: &KernelFile, kernel: &str) -> String {
    let (text, module) = (&file.ptx.text, &file.module);
    let mut others: Vec<_> = module
        .functions
        .iter()
        .filter(|f| f.entry && f.name != kernel)
        .map(|f| f.start..f.end)
        .collect();
    others.sort_by_key(|range| range.start);
    let (mut kept, mut from) = (String::new(), 0);
    for range in others {
        kept.push_str(text.get(from..range.start).unwrap_or_default());
        from = range.end.max(from);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    let code = kept.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    let says = |line: &&str| {
        !line.is_empty() && ![".loc", ".file"].iter().any(|word| line.starts_with(word))
    };
    code.filter(says).collect::<Vec<_>>().join("\n")
}

/// Compares the answers about two versions.
pub fn compare(
    (file, old): (&KernelFile, &[AskedKernel]),
    (new_file, new): (&KernelFile, &[AskedKernel]),
) -> KernelComparison {
    let (before, after) = (findings(old), findings(new));
    let is_in =
        |all: &[KernelFinding], f: &KernelFinding| all.iter().any(|other| is_same(other, f));
    let (unchanged, fresh): (Vec<_>, Vec<_>) =
        after.iter().cloned().partition(|f| is_in(&before, f));
    let gone: Vec<_> = before.iter().filter(|f| !is_in(&after, f)).cloned().collect();
    let open = |all: &[AskedKernel], which: &str| -> Vec<String> {
        let open = all.iter().filter(|k| k.verdict() == Verdict::Undecided);
        open.map(|k| format!("`{}` is not decided in the {which} version", k.answer.kernel))
            .collect()
    };
    let mut unknown = open(new, "new");
    unknown.extend(open(old, "older"));
    // A launch tells of the first thing that goes wrong, which can hide another one.
    let mut hiding: Vec<&str> = unchanged.iter().map(|f| f.kernel.as_str()).collect();
    hiding.dedup();
    unknown.extend(hiding.into_iter().filter(|kernel| code(file, kernel) != code(new_file, kernel)).map(|kernel| {
        format!("`{kernel}` goes wrong in both versions, and its code has changed: what else goes wrong in the new one was not looked for")
    }));
    let missing = |of: &[AskedKernel], from: &[AskedKernel], what: &str| -> Vec<String> {
        let has = |k: &&AskedKernel| !from.iter().any(|o| o.answer.kernel == k.answer.kernel);
        of.iter()
            .filter(has)
            .map(|k| format!("`{}` is in the {what} version only", k.answer.kernel))
            .collect()
    };
    let is_open = !unknown.is_empty();
    unknown.extend(missing(new, old, "new"));
    unknown.extend(missing(old, new, "older"));
    let is_certain = |f: &KernelFinding| {
        new.iter().any(|k| k.answer.kernel == f.kernel && k.verdict() == Verdict::Counterexample)
    };
    let verdict = match (fresh.iter().any(is_certain), is_open) {
        (true, _) => Verdict::Different,
        (false, true) => Verdict::Undecided,
        (false, false) => Verdict::None,
    };
    KernelComparison { old: file.ptx.name.clone(), new: fresh, unchanged, gone, unknown, verdict }
}
