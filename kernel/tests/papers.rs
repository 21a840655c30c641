//! The programs of PLDI 2016, ASPLOS 2015 and the thesis of 2013, as kernels with the
//! post-conditions of the papers: what `ptx-8` says of each with and without its fences, which must
//! be what a litmus test says that was written by hand, and which fences are needed.

use std::path::{Path, PathBuf};

use margay_kernel::harness::Harness;
use margay_kernel::{FindingKind, KernelQuestion, KernelReading, LaunchVerdict, ask, hardened};
use margay_litmus::corpus;
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;
use margay_ptx::Module;

/// A file of tests/kernels/papers, its kernel, the test of tests/corpus/applications that is of the
/// same, and whether the kernel is right.
const PROGRAMS: [(&str, &str, &str, bool); 44] = [
    ("cuda_by_example", "cbe_dot", "cbe-dot", false),
    ("cuda_by_example", "cbe_dot_titan", "cbe-dot-unlock-fence", false),
    ("cuda_by_example", "cbe_dot_fences", "cbe-dot-fences", true),
    ("cuda_by_example", "cbe_ht", "cbe-ht", false),
    ("cuda_by_example", "cbe_ht_titan", "cbe-ht-unlock-fence", false),
    ("cuda_by_example", "cbe_ht_fences", "cbe-ht-fences", true),
    ("work_stealing", "ct_octree_steal", "ct-octree-steal", false),
    ("work_stealing", "ct_octree_steal_figure", "ct-octree-steal-figure", true),
    ("work_stealing", "ct_octree_pop", "ct-octree-push", false),
    ("work_stealing", "ct_octree_pop", "ct-octree-tail", false),
    ("work_stealing", "ct_octree_pop_figure", "ct-octree-push-figure", false),
    ("work_stealing", "ct_octree_pop_figure", "ct-octree-tail-figure", false),
    ("work_stealing", "ct_octree_pop_fences", "ct-octree-push-fences", true),
    ("work_stealing", "ct_octree_pop_fences", "ct-octree-tail-fences", true),
    ("work_stealing", "ct_octree_reset_figure", "ct-octree-reset", false),
    ("work_stealing", "ct_octree_reset_fences", "ct-octree-reset-fences", true),
    ("task_queue", "tpo_tm", "tpo-tm", false),
    ("task_queue", "tpo_tm_titan", "tpo-tm-unlock-fence", false),
    ("task_queue", "tpo_tm_fences", "tpo-tm-fences", true),
    ("reduction", "sdk_red_nf", "sdk-red-nf", false),
    ("reduction", "sdk_red", "sdk-red", false),
    ("reduction", "sdk_red_volatile", "sdk-red-volatile", false),
    ("reduction", "sdk_red_behind", "sdk-red-behind", false),
    ("reduction", "sdk_red_fences", "sdk-red-fences", true),
    ("look_back", "cub_scan_nf", "cub-scan-nf", false),
    ("look_back", "cub_scan_writer", "cub-scan-writer", false),
    ("look_back", "cub_scan_reader", "cub-scan-reader", false),
    ("look_back", "cub_scan", "cub-scan", true),
    ("barnes_hut", "ls_bh_summarize_nf", "ls-bh-summarize-nf", false),
    ("barnes_hut", "ls_bh_summarize", "ls-bh-summarize", false),
    ("barnes_hut", "ls_bh_summarize_fences", "ls-bh-summarize-fences", true),
    ("barnes_hut", "ls_bh_build_nf", "ls-bh-build-nf", false),
    ("barnes_hut", "ls_bh_build", "ls-bh-build", false),
    ("barnes_hut", "ls_bh_build_fences", "ls-bh-build-fences", true),
    ("transactions", "he_yu_lock", "he-yu-lock", false),
    ("within_a_warp", "magma_sum", "magma", false),
    ("within_a_warp", "magma_sum_fence_block", "magma-fence-block", false),
    ("within_a_warp", "magma_sum_sync_warp", "magma-sync", true),
    ("within_a_warp", "warp_vote", "warp-vote", false),
    ("within_a_warp", "warp_vote_fence_block", "warp-vote-fence-block", false),
    ("within_a_warp", "warp_vote_sync_warp", "warp-vote-sync", true),
    ("within_a_warp", "thesis_mark", "thesis-mark", false),
    ("within_a_warp", "thesis_mark_fence_block", "thesis-mark-fence-block", false),
    ("within_a_warp", "thesis_mark_sync_warp", "thesis-mark-sync", true),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of kernels and its harness.
struct Papers {
    text: String,
    module: Module,
    harness: Harness,
}

impl Papers {
    fn new(file: &str) -> Self {
        let path = root().join("tests/kernels/papers").join(file);
        let of =
            |extension: &str| std::fs::read_to_string(path.with_extension(extension)).expect(file);
        let text = of("ptx");
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        let harness =
            Harness::read(&of("harness")).unwrap_or_else(|e| panic!("{file}: {}", e.message));
        Self { text, module, harness }
    }

    /// Asks something about a kernel, with what its harness says.
    fn with<T>(&self, kernel: &str, ask: impl FnOnce(&KernelQuestion<'_>) -> T) -> T {
        let section = self.harness.of(kernel);
        ask(&KernelQuestion {
            launches: &section.launches,
            arguments: &section.arguments,
            finals: &section.finals,
            unroll: section.unroll.unwrap_or(2),
            ..KernelQuestion::new(
                &self.text,
                &self.module,
                self.module.function(kernel).expect(kernel),
            )
        })
    }
}

/// What the kernel's own test says is what the test says that was written by hand; each finding is
/// confirmed on its litmus test, read anew.
#[test]
fn programs_of_the_papers_are_judged_in_two_ways() {
    let folders = corpus::read(&root().join("tests/corpus/applications")).expect("a corpus");
    for (file, kernel, by_hand, right) in PROGRAMS {
        let papers = Papers::new(file);
        let answer = papers.with(kernel, ask).unwrap_or_else(|why| panic!("{kernel}: {why}"));
        let findings: Vec<_> = answer.launches.iter().flat_map(|l| &l.findings).collect();
        match right {
            true => {
                assert!(
                    answer.launches.iter().all(|l| l.asked == LaunchVerdict::Nothing),
                    "{kernel}: {:?}",
                    answer.not_looked()
                )
            }
            // The post-condition of the paper goes wrong, whatever else does.
            false => {
                let expected =
                    if kernel == "he_yu_lock" { FindingKind::Race } else { FindingKind::Final };
                assert!(
                    findings.iter().any(|f| f.kind == expected),
                    "{kernel}: {:?}",
                    answer.not_looked()
                );
            }
        }
        for finding in findings {
            let test = read::test(&SourceFile::new("found.litmus", finding.litmus.clone()))
                .expect("a test")
                .test;
            let model = finding.model().expect("it is read");
            let verdict = Runner::new(model)
                .run(&test, &Options::default(), Choice::Auto)
                .expect("an answer");
            assert!(
                verdict.reachable || verdict.racy == Some(true),
                "{kernel}: {}",
                finding.litmus
            );
        }
        let path = folders
            .iter()
            .map(|f| f.path.join(format!("{by_hand}.litmus")))
            .find(|p| p.is_file())
            .expect(by_hand);
        let source = SourceFile::new(by_hand, std::fs::read_to_string(&path).expect(by_hand));
        let test = read::test(&source).expect(by_hand).test;
        let verdict = Runner::new(KernelReading::Letter.model().expect("it is read"))
            .run(&test, &Options::default(), Choice::Both)
            .expect("an answer");
        assert_eq!(verdict.reachable, !right, "{kernel} and {by_hand}");
    }
}

/// The lock that is unlocked in the round that got it is a loop that does more than wait: nothing
/// goes wrong in two rounds, and that is all that is said.
#[test]
fn a_lock_that_leaves_its_loop_by_a_flag_is_bounded() {
    let papers = Papers::new("transactions");
    let answer = papers.with("he_yu_lock_fences", ask).expect("an answer");
    assert!(answer.wrong().is_none(), "{:?}", answer.wrong());
}

/// Which fences are enough, of none and one behind every access: how many, how many of the kernel's
/// own stay, and how many may go.
#[test]
fn as_few_fences_as_are_enough() {
    for (file, kernel, accesses, all, own, superfluous) in [
        ("cuda_by_example", "cbe_dot", 4, 2, 0, 0),
        ("cuda_by_example", "cbe_dot_titan", 4, 2, 1, 0),
        ("cuda_by_example", "cbe_ht", 5, 2, 0, 0),
        ("cuda_by_example", "cbe_ht_fences", 5, 2, 2, 0),
        ("reduction", "sdk_red_nf", 4, 2, 0, 0),
        ("reduction", "sdk_red", 4, 2, 1, 0),
        ("reduction", "sdk_red_volatile", 4, 2, 1, 0),
        ("barnes_hut", "ls_bh_summarize", 5, 2, 1, 0),
        ("barnes_hut", "ls_bh_build_nf", 10, 2, 0, 0),
        ("barnes_hut", "ls_bh_sort", 3, 0, 0, 0),
        ("work_stealing", "ct_octree_steal_figure", 6, 2, 2, 1),
        ("within_a_warp", "magma_sum_sync_warp", 6, 0, 0, 0),
    ] {
        let papers = Papers::new(file);
        let (answer, not_looked) = papers.with(kernel, hardened).expect(kernel);
        // Lanes that would go in step without the warp's barrier are in no test of fences.
        let left: Vec<&str> = not_looked.iter().map(|not| not.why.as_str()).collect();
        let in_step: &[&str] = if kernel == "magma_sum_sync_warp" {
            &["launch 1x4, lanes that are taken to go in step"]
        } else {
            &[]
        };
        assert!(left == in_step && answer.open.is_none(), "{kernel}: {left:?} {answer:?}");
        let fences = answer.smallest.expect(kernel);
        assert_eq!((answer.accesses, fences.len()), (accesses, all), "{kernel}");
        assert_eq!(
            (fences.iter().filter(|f| f.own).count(), answer.superfluous.len()),
            (own, superfluous),
            "{kernel}"
        );
        assert!(answer.least.is_some_and(|n| n >= all), "{kernel}");
    }
    // Within a warp fences order nothing between threads that do not see each other, and a store
    // unlocks nothing.
    for (file, kernel) in [
        ("within_a_warp", "magma_sum_fence_block"),
        ("within_a_warp", "warp_vote"),
        ("within_a_warp", "thesis_mark"),
        ("transactions", "he_yu_lock"),
    ] {
        let (answer, _) = Papers::new(file).with(kernel, hardened).expect(kernel);
        assert_eq!((answer.smallest, answer.open), (None, None), "{kernel}");
    }
}
