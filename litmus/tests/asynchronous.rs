//! Mbarriers and asynchronous operations: the hand-made tests of tests/corpus/asynchronous under
//! both engines, each line of the model that is about them, and what is refused.

#[path = "asynchronous/changes.rs"]
mod changes;
#[path = "../../models/tests/meaning/mutate.rs"]
mod mutate;

use std::path::Path;

use margay_litmus::corpus::{self, Expected};
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::parallel::in_order;
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

fn tests() -> Vec<(String, Test, Expected)> {
    tests_of("asynchronous")
}

/// The tests of a folder of the corpus that have a verdict of `ptx-8`, without what is said of
/// races.
fn tests_of(folder: &str) -> Vec<(String, Test, Expected)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus").join(folder);
    let mut tests = Vec::new();
    for folder in corpus::read(&folder).unwrap() {
        for line in folder.lines.iter().filter(|l| l.model == "ptx-8") {
            let test = read::load(&folder.path.join(&line.file))
                .unwrap_or_else(|e| panic!("{}: {}", line.file, e[0]))
                .test;
            tests.push((line.file.clone(), test, Expected { racy: None, ..line.expected }));
        }
    }
    tests
}

fn model(text: String) -> Model {
    Model::parse(SourceFile::new("edited.cat", text), &OnlyBuiltIn)
        .unwrap_or_else(|e| panic!("{}", e[0]))
        .model
}

fn shipped() -> String {
    library::built_in("ptx-8").unwrap().text.clone()
}

/// The tests whose verdict is another one, as many as are asked for.
fn differing<'t>(
    model: &Model,
    tests: &'t [(String, Test, Expected)],
    choice: Choice,
) -> impl Iterator<Item = String> + use<'t> {
    let mut runner = Runner::new(model);
    let of = move |(file, test, expected): &(String, Test, Expected)| match runner.run(
        test,
        &Options::default(),
        choice,
    ) {
        Ok(verdict) if Expected::from(&verdict) == *expected => None,
        Ok(verdict) => {
            Some(format!("{file}: {:?}, expected {expected:?}", Expected::from(&verdict)))
        }
        Err(error) => Some(format!("{file}: {error}")),
    };
    tests.iter().filter_map(of)
}

/// What comes of each number below `items`, on all cores: each asks all tests of another model.
fn on_all_cores<R: Send>(items: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut all = Vec::new();
    let take = |_, one| {
        all.push(one);
        Ok::<(), std::convert::Infallible>(())
    };
    let Ok(()) = in_order(cores, items, || (), |(), item| work(item), take);
    all
}

#[test]
fn verdicts_are_those_of_the_text() {
    let tests = tests();
    let wrong: Vec<String> = differing(&model(shipped()), &tests, Choice::Both).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A piece of ptx-8.cat, what is put in its place, and what then is not followed.
const EDITS: [(&str, &str, &str); 90] = [
    (" | (ASYNC * ASYNC)", "", "8.6: the async proxy"),
    (
        "let same-mbarrier = (MBARRIER * MBARRIER) & loc",
        "let same-mbarrier = 0",
        "operations on one mbarrier are in one order",
    ),
    (
        "[W & WEAK & MBARRIER]; po; [F & MBARRIER]",
        "[M]; po; [F & MBARRIER]",
        "fence.mbarrier_init: of mbarrier.init alone",
    ),
    (
        "    (initialisation; po; [B & RLX & CLUSTER]; sync_barrier)\n",
        "    0\n",
        "fence.mbarrier_init before a barrier",
    ),
    (
        "  | (initialisation; po; [W & strong]; observation; acquire-pattern) & scluster\n",
        "",
        "fence.mbarrier_init before a store",
    ),
    (
        "    ((initialised; ([GEN] | async_issue; [GEN])) & overlap)\n",
        "    0\n",
        "fence.mbarrier_init",
    ),
    (
        "(initialised; ([GEN] | async_issue; [GEN]))",
        "(initialised; [GEN])",
        "fence.mbarrier_init before complete-tx of another cta",
    ),
    (
        "(initialised; ([GEN] | async_issue; [GEN])) & overlap",
        "(initialised; ([GEN] | async_issue; [GEN]))",
        "no other address",
    ),
    (
        "let initialised = releases-initialisation; base-causality?",
        "let initialised = releases-initialisation",
        "what follows",
    ),
    ("  | restricted\n", "", "fences for some operations"),
    (
        " \\ limited\nlet acquire-operation",
        "\nlet acquire-operation",
        "a release fence for shared memory orders nothing else",
    ),
    (
        "acquire-fence = (F & (ACQ | ACQ_REL | SC)) \\ limited",
        "acquire-fence = F & (ACQ | ACQ_REL | SC)",
        "an acquire fence for shared memory orders nothing else",
    ),
    ("[shared-release]; po; [W & strong]", "0", "a release fence for shared memory before a store"),
    ("[read-operation & strong]; po; [shared-acquire]", "0", "an acquire fence for shared memory"),
    (
        "  | ([shared-release]; po; [B & RLX & CLUSTER]; sync_barrier) & sr\n",
        "",
        "a release fence for shared memory before a barrier",
    ),
    (
        "  | (([SHARED]; from-generic; shared-causality",
        "  | ((from-generic; shared-causality",
        "accesses of shared memory",
    ),
    (
        "shared-causality; (to-generic | into-async | async_issue; [GEN])",
        "shared-causality; (to-generic | async_issue; [GEN])",
        "a bulk copy",
    ),
    (
        "shared-causality; (to-generic | into-async | async_issue; [GEN])",
        "shared-causality; (to-generic | into-async)",
        "st.async",
    ),
    (
        "observation; (acquire-pattern | acquire-of-shared)",
        "observation; acquire-of-shared",
        "a release of shared memory, an acquire of all",
    ),
    (
        "observation; (acquire-pattern | acquire-of-shared)",
        "observation; acquire-pattern",
        "a release and an acquire of shared memory",
    ),
    (
        "  | (morally-strong & (release-pattern; observation; acquire-of-shared))\n",
        "",
        "a release of all memory, an acquire of shared",
    ),
    (
        "    (morally-strong & (release-of-shared",
        "    ((release-of-shared",
        "8.9.4: first and last operation morally strong",
    ),
    (
        "let shared-causality = base-causality?; (",
        "let shared-causality = (",
        "what stands before the fence",
    ),
    (
        "(synchronizes-shared; base-causality?)+",
        "synchronizes-shared",
        "what stands behind the acquire",
    ),
    ("  | completed\n", "", "what waits for completion"),
    (
        "let before-async = base-causality?; async_issue",
        "let before-async = async_issue",
        "8.9.1.1: behind an acquire",
    ),
    (
        "let before-async = base-causality?; async_issue",
        "let before-async = 0",
        "8.9.1.1: ordered after prior instructions",
    ),
    (
        "(po | synchronizes | commits)+",
        "(po | synchronizes)+",
        "a commit passes on what its thread has seen",
    ),
    (" \\ (async_issue; [W \\ MBARRIER]; po; [W & MBARRIER])", "", "complete-tx does not"),
    (
        "async_issue; [W & MBARRIER & REL & CLUSTER]",
        "async_issue; [W & MBARRIER & REL]",
        "nor does the arrival behind cp.async",
    ),
    (
        "let base-causality = (po | synchronizes | commits)+",
        "let base-causality = (po | synchronizes | commits | async_issue)+",
        "8.9.1.1: the end of a path",
    ),
    (
        "observation; acquire-pattern) & scluster",
        "observation; acquire-pattern)",
        "fence.mbarrier_init: of scope cluster",
    ),
    (" | from-async\n", "\n", "the implicit fence of the async proxy"),
    (
        "[F & ASYNC & S]; (before-async & scta); [ASYNC & S]",
        "[F]; (before-async & scta); [ASYNC & S]",
        "a fence of the async proxy",
    ),
    (
        "[F & ASYNC & S]; (before-async & scta); [ASYNC & S]",
        "[F & ASYNC]; (before-async & scta); [ASYNC]",
        "fence.proxy.async of a state space",
    ),
    (
        "[F & ASYNC & S]; (before-async & scta); [ASYNC & S]",
        "[F & ASYNC & S]; before-async; [ASYNC & S]",
        "8.9.5: the fence is in the thread block of the access",
    ),
    (
        "let from-async = [ASYNC | TENSORMAP]; (completed | po; [W & MBARRIER])",
        "let from-async = [ASYNC | TENSORMAP]; completed",
        "complete-tx is followed by a fence",
    ),
    (
        "let from-async = [ASYNC | TENSORMAP]; (completed | po; [W & MBARRIER])",
        "let from-async = [ASYNC | TENSORMAP]; po; [W & MBARRIER]",
        "completion of a group is, too",
    ),
    (
        "let into-async = enter-async(SHARED) | enter-async(GLOBAL)",
        "let into-async = enter-async(SHARED)",
        "fences for global memory",
    ),
    (
        "let into-async = enter-async(SHARED) | enter-async(GLOBAL)",
        "let into-async = enter-async(GLOBAL)",
        "fences for shared memory",
    ),
    (
        "    ((from-generic; before-async; [GEN]) & overlap)\n",
        "    0\n",
        "generic asynchronous accesses",
    ),
    (
        "  | ((from-generic; base-causality; into-async) & overlap)\n",
        "",
        "asynchronous accesses behind a fence",
    ),
    (
        "  | (before-async & overlap & same-proxy & scta)\n",
        "",
        "two asynchronous accesses of a thread block",
    ),
    ("  | into-asynchronous\n", "", "asynchronous accesses"),
    (" | same-mbarrier\n", "\n", "operations on one mbarrier are atomic whatever their scopes are"),
    (" \\ narrow-mbarrier\n", "\n", "8.5: what they order goes by their scopes"),
    (
        "let completed = async_complete \\ (_ * F)",
        "let completed = async_complete",
        "before_thread_sync waits for nothing",
    ),
    (
        "let tensor = (M & ASYNC) \\ (SHARED | GLOBAL)",
        "let tensor = M & ASYNC",
        "tcgen05.fence: of tensor memory",
    ),
    ("(po; [before-sync] | [W & MBARRIER])", "po; [before-sync]", "tcgen05.commit"),
    (
        "(po; [before-sync] | [W & MBARRIER])",
        "[W & MBARRIER]",
        "what was waited for, and before_thread_sync",
    ),
    ("(po; [before-sync] | [W & MBARRIER])", "(po | [W & MBARRIER])", "before_thread_sync"),
    (
        "let execution = po | observation | [B \\ ACQ]; sync_barrier",
        "let execution = po | [B \\ ACQ]; sync_barrier",
        "execution ordering: accesses",
    ),
    (
        "let execution = po | observation | [B \\ ACQ]; sync_barrier",
        "let execution = po | observation",
        "execution ordering: barriers",
    ),
    (
        "let execution = po | observation | [B \\ ACQ]; sync_barrier",
        "let execution = po | observation | sync_barrier",
        "execution ordering: an exit is no instruction that does",
    ),
    (
        "let execution = po | observation | [B \\ ACQ]; sync_barrier",
        "let execution = observation | [B \\ ACQ]; sync_barrier",
        "execution ordering: program order",
    ),
    (
        "let execution = po | observation | [B \\ ACQ]; sync_barrier",
        "let execution = po | rf | observation | [B \\ ACQ]; sync_barrier",
        "morally strong accesses",
    ),
    ("    ((told; [after-sync]; async_issue; [tensor]) & overlap)\n", "    0\n", "tcgen05.fence"),
    (
        "(told; [after-sync]; async_issue; [tensor])",
        "(told; async_issue; [tensor])",
        "after_thread_sync",
    ),
    (
        "((told; [after-sync]; async_issue; [tensor]) & overlap)",
        "(told; [after-sync]; async_issue; [tensor])",
        "one place",
    ),
    (
        "  | ((piped; [after-sync]; async_issue; [multiplied]) & overlap)\n",
        "",
        "a pipeline of two threads",
    ),
    (
        "(piped; [after-sync]; async_issue; [multiplied])",
        "(piped; async_issue; [multiplied])",
        "after_thread_sync of a pipeline",
    ),
    (
        "(piped; [after-sync]; async_issue; [multiplied])",
        "(piped; [after-sync]; async_issue; [tensor])",
        "the second of a pipeline is a mma",
    ),
    (
        "same-mbarrier \\ (po | po^-1 | sr)",
        "same-mbarrier \\ (po | po^-1)",
        "8.5: scopes that include each other",
    ),
    (
        " | TENSORMAP]; (completed | po; [W & MBARRIER])",
        "]; (completed | po; [W & MBARRIER])",
        "a copy is complete when it has read the map",
    ),
    (
        "let limited = SHARED | TENSORMAP",
        "let limited = SHARED",
        "fences of tensor maps order no other memory",
    ),
    ("  | map-order\n", "", "fences of tensor maps"),
    (
        "    ((from-generic; released-map; synchronizes-maps; acquired-map) & overlap)\n",
        "    0\n",
        "released and acquired",
    ),
    (
        "(from-generic; released-map; synchronizes-maps; acquired-map)",
        "(from-generic; base-causality; acquired-map)",
        "released",
    ),
    ("  | ((base-causality; launched-maps; acquired-map) & loc)\n", "", "acquired behind a launch"),
    (
        "    (base-causality; [F & REL & TENSORMAP & GLOBAL])\n",
        "    0\n",
        "fence.proxy.tensormap::generic.release",
    ),
    ("[F & REL & TENSORMAP & GLOBAL])", "[F & REL & TENSORMAP])", "cp_fenceproxy: the address dst"),
    ("  | ((base-causality; [F & REL & TENSORMAP]) & overlap)\n", "", "tensormap.cp_fenceproxy"),
    (
        "let acquired-map = ([F & ACQ & TENSORMAP]; (before-async & scta); [M & TENSORMAP]) & overlap",
        "let acquired-map = [F & ACQ & TENSORMAP]; (before-async & scta); [M & TENSORMAP]",
        "the memory range of the acquire fence",
    ),
    (
        "[F & ACQ & TENSORMAP]; (before-async & scta); [M & TENSORMAP]",
        "[F & ACQ & TENSORMAP]; before-async; [M & TENSORMAP]",
        "acquired for the thread block",
    ),
    (
        "[F & ACQ & TENSORMAP]; (before-async & scta); [M & TENSORMAP]",
        "[F & ACQ & TENSORMAP]; async_issue; [M & TENSORMAP]",
        "acquired by another thread of the block",
    ),
    (
        "let synchronizes-maps = morally-strong & (",
        "let synchronizes-maps = (",
        "scopes of the fences of tensor maps",
    ),
    (
        "let map-causality = base-causality?; (synchronizes-proxies(TENSORMAP); base-causality?)*",
        "let map-causality = synchronizes-proxies(TENSORMAP)",
        "other synchronisation between them",
    ),
    (
        "let map-causality = base-causality?; (synchronizes-proxies(TENSORMAP); base-causality?)*",
        "let map-causality = base-causality",
        "they synchronise by themselves",
    ),
    (
        "let map-causality = base-causality?; (synchronizes-proxies(TENSORMAP); base-causality?)*",
        "let map-causality = base-causality | synchronizes-proxies(TENSORMAP)",
        "and transitively",
    ),
    (
        "let launched-maps = ([B & SYS]; sync_barrier; base-causality; [F & ACQ & TENSORMAP]) & sr",
        "let launched-maps = [B & SYS]; sync_barrier; base-causality; [F & ACQ & TENSORMAP]",
        "the scope of the fence behind a launch",
    ),
    (
        "(base-causality | before-async; [_ \\ TENSORMAP])",
        "(base-causality | before-async)",
        "the tensormap-proxy is not acquired at kernel start",
    ),
    (
        "  | (([SHARED]; from-generic; base-causality; synchronizes-proxies(ASYNC & SHARED); into-async) & overlap)\n",
        "",
        "fences of one direction synchronise",
    ),
    (
        "    morally-strong & ([F & REL & P]; po; [W & strong]; observation",
        "    ([F & REL & P]; po; [W & strong]; observation",
        "scopes of fences of one direction",
    ),
    (
        "let shared-release = (F & REL & SHARED) \\ ASYNC",
        "let shared-release = F & REL & SHARED",
        "a fence of one direction releases no generic access",
    ),
    (
        "let shared-acquire = (F & ACQ & SHARED) \\ ASYNC",
        "let shared-acquire = F & ACQ & SHARED",
        "and acquires none",
    ),
    (
        "(to-generic | into-async | async_issue; [GEN])) & overlap)",
        "(to-generic | into-async | async_issue; [GEN])))",
        "fences of shared memory: no other address",
    ),
    (
        "synchronizes-proxies(ASYNC & SHARED); into-async) & overlap)",
        "synchronizes-proxies(ASYNC & SHARED); into-async))",
        "fences of one direction: no other address",
    ),
    (
        "((piped; [after-sync]; async_issue; [multiplied]) & overlap)",
        "(piped; [after-sync]; async_issue; [multiplied])",
        "a pipeline of two threads is of one place",
    ),
    (
        "let before-sync = (F & REL & ASYNC) \\ SHARED",
        "let before-sync = F & REL & ASYNC",
        "before_thread_sync is no fence of the async proxy",
    ),
    (
        "let after-sync = (F & ACQ & ASYNC) \\ SHARED",
        "let after-sync = F & ACQ & ASYNC",
        "after_thread_sync is none",
    ),
];

#[test]
fn every_line_of_the_model_matters_to_a_hand_made_test() {
    let (tests, text) = (tests(), shipped());
    let is_blind = |edit: usize| {
        let (from, to, what) = EDITS[edit];
        assert_eq!(
            text.matches(from).count(),
            1,
            "ptx-8.cat has changed, so must this test: {from}"
        );
        let edited = model(text.replace(from, to));
        differing(&edited, &tests, Choice::Auto)
            .next()
            .is_none()
            .then(|| format!("{what}: {from} => {to}"))
    };
    let blind: Vec<String> = on_all_cores(EDITS.len(), is_blind).into_iter().flatten().collect();
    assert!(blind.is_empty(), "no hand-made test tells\n{}", blind.join("\n"));
}

/// Where the text allows two readings: a built-in model that says the other one by the lines in
/// which it differs from `ptx-8` (models/readings), and the smallest tests that tell them apart.
/// (docs/ptx-isa-derivation.md, A2 and A3.)
const READINGS: [(&str, &[&str]); 7] = [
    (
        "ptx-8-waits-by-branch",
        // All that look at what is behind a wait without a branch.
        &[
            "arrive-release-wait-acquire.litmus",
            "fence-then-arrive-relaxed.litmus",
            "wait-two-arrivals.litmus",
            "wait-behind-a-relaxed-arrival.litmus",
            "wait-token.litmus",
            "second-phase.litmus",
            "after-the-wait-is-not-before-the-arrival.litmus",
            "split-arrive-wait.litmus",
            "arrive-cluster.litmus",
            "arrive-cta-between.litmus",
            "init-bar-sync.litmus",
            "cp-async-mbarrier-arrive.litmus",
            "bulk-complete-tx.litmus",
            "multicast.litmus",
            "st-async.litmus",
            "red-async.litmus",
            "fence-shared-release.litmus",
            "init-bulk-no-fence.litmus",
            "init-bulk-init-fence.litmus",
            "init-bulk-proxy-fence.litmus",
            "init-bulk-proxy-fence-before.litmus",
            "init-st-async-no-fence.litmus",
            "init-cp-async-arrive-no-fence.litmus",
            "init-fence-bulk-of-another-cta.litmus",
            "multicast-refill.litmus",
            "multicast-wgmma-proxy-fence.litmus",
            "tensormap-another-field.litmus",
            "tensormap-replace-after-wait.litmus",
            "tensormap-box.litmus",
            "one-way-acquire-behind-acquire.litmus",
            "tcgen05-commit-passes-on.litmus",
            "bulk-to-another-cta.litmus",
            "reduce-bulk-to-another-cta.litmus",
            "st-async-vector.litmus",
            "red-async-two.litmus",
            "inval-init-again-ordered.litmus",
            "arrive-no-complete.litmus",
            "arrive-no-complete-completes.litmus",
            "tcgen05-cp-release-stage.litmus",
        ],
    ),
    ("ptx-8-reads-before-async-writes", &["pipeline-reuse-no-fence.litmus"]),
    ("ptx-8-mbarrier-async", &["init-bulk-no-fence.litmus", "init-bulk-proxy-fence-before.litmus"]),
    (
        "ptx-8-proxy-fences-in-pairs",
        &[
            "one-way-release.litmus",
            "one-way-acquire.litmus",
            "one-way-acquire-behind-acquire.litmus",
        ],
    ),
    (
        "ptx-8-mbarriers-order-shared",
        // Not what is in global memory: `wait-cta-global`.
        &[
            "arrive-cta-of-another-cta.litmus",
            "wait-cta-for-another-cta.litmus",
            "multicast-wait-cta.litmus",
            "multicast-refill-scope-cta.litmus",
            "multicast-refill-wait-cta.litmus",
            "wait-cta-own-shared.litmus",
            "wait-cta-overwritten.litmus",
            "bulk-to-another-cta-wait-cta.litmus",
            "st-async-wait-cta.litmus",
            "red-async-wait-cta.litmus",
        ],
    ),
    (
        "ptx-8-clusters-order-shared",
        // Not what is in global memory: `wait-cta-global`.
        &[
            "arrive-cta-of-another-cta.litmus",
            "wait-cta-for-another-cta.litmus",
            "multicast-wait-cta.litmus",
            "multicast-refill-scope-cta.litmus",
            "multicast-refill-wait-cta.litmus",
            "multicast-wgmma.litmus",
            "multicast-wgmma-wait-cta.litmus",
            "multicast-refill-wgmma.litmus",
            "wait-cta-own-shared.litmus",
            "wait-cta-overwritten.litmus",
            "bulk-to-another-cta-wait-cta.litmus",
            "st-async-wait-cta.litmus",
            "red-async-wait-cta.litmus",
        ],
    ),
    ("ptx-8-completions-before-arrivals", &["completion-before-arrival.litmus"]),
];

#[test]
fn each_other_reading_is_told_apart_by_one_test() {
    let tests = tests();
    let mut shipped: Vec<&str> =
        library::built_in_names().filter(|name| name.starts_with("ptx-8-")).collect();
    let mut listed: Vec<&str> = READINGS.iter().map(|(name, _)| *name).collect();
    shipped.sort_unstable();
    listed.sort_unstable();
    assert_eq!(shipped, listed);
    let told = |reading: usize| -> Vec<String> {
        let text = library::built_in(READINGS[reading].0).unwrap().text.clone();
        differing(&model(text), &tests, Choice::Both).collect()
    };
    for ((name, telling), other) in READINGS.into_iter().zip(on_all_cores(READINGS.len(), told)) {
        let names: Vec<&str> = other.iter().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(names, telling, "{name}");
    }
}

/// The initial state and the instructions of one thread, or of two with `|` between them; and what
/// is said of them.
const REFUSED: [(&str, &str, &str); 29] = [
    ("mbarrier bar=1;", "mbarrier.init bar, 1", "the mbarrier `bar` is initialised twice"),
    (
        "mbarrier bar;",
        "mbarrier.init bar, 1 | mbarrier.init bar, 1",
        "the mbarrier `bar` is initialised twice",
    ),
    (
        "mbarrier bar=1;",
        "mbarrier.arrive.release.cta _, bar ; ld.weak r0, bar",
        "no operation on mbarriers",
    ),
    (
        "mbarrier bar=1;",
        "mbarrier.arrive.release.cta _, bar ; st.bulk.weak.shared::cta bar, 8, 0",
        "no operation on mbarriers",
    ),
    (
        "mbarrier bar=1; global x=1;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes bar, x, 16, bar",
        "no operation on mbarriers",
    ),
    (
        "mbarrier bar=1; shared x=1; mbarrier y=1;",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 y, 1, bar",
        "no operation on mbarriers",
    ),
    ("x=0;", "mbarrier.arrive.release.cta _, x", "`x` is no mbarrier"),
    ("x=0;", "mbarrier.try_wait.parity.acquire.cta p0, x, 2", "a parity is 0 or 1"),
    (
        "global x=1; shared y=0; mbarrier bar=1;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes y, x, 16, bar ; ld.weak.u32 r0, y",
        "overlaps them in part",
    ),
    (
        "global x[4]={1,1,1,1}; shared y[4]={0,0,0,0}; mbarrier bar=1;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes y[0], x[0], 6, bar ; ld.weak.u32 r0, y[1]",
        "overlaps them in part",
    ),
    (
        "global x[4]={1,1,1,1}; shared y[2]={0,0}; mbarrier bar=1;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes y[0], x[0], 16, bar ; ld.weak.u32 r0, y[1]",
        "lead out of the array",
    ),
    (
        "shared x=1;",
        "wgmma.mma_async.sync.aligned r0, x ; wgmma.commit_group.sync.aligned",
        "no `wgmma.fence` stands before the first `wgmma.mma_async`",
    ),
    (
        "shared x=1; y=0;",
        "wgmma.fence.sync.aligned ; wgmma.mma_async.sync.aligned r0, x ; wgmma.commit_group.sync.aligned ; st.weak y, r0",
        "`r0` is accessed before a `wgmma.wait_group`",
    ),
    (
        "shared x=1;",
        "wgmma.fence.sync.aligned ; wgmma.mma_async.sync.aligned r0, x ; wgmma.wait_group.sync.aligned 0 ; mov r0, 2",
        "`r0` is accessed before a `wgmma.wait_group`",
    ),
    (
        "x=0; y=0; mx @ generic aliases x;",
        "multimem.st.relaxed.sys.u32 {mx, y}, 1",
        "`y` is no other address of a location",
    ),
    (
        "x=0; mx @ generic aliases x;",
        "multimem.st.relaxed.sys.u32 {mx}, 1 ; ld.relaxed.sys.u32 r0, mx",
        "`mx` is a multimem address here, which only `multimem` instructions access",
    ),
    (
        "x=0; s @ surface aliases x;",
        "multimem.st.relaxed.sys.u32 {s}, 1",
        "`s` is no other address of a location",
    ),
    (
        "x=0;",
        "st.weak x, 1 ; fence.release.sync_restrict::shared::cta.cluster",
        "declare it as `shared x` or `global x`",
    ),
    ("global x=0;", "st.bulk.weak.shared::cta x, 8, 0", "`x` is in shared memory here"),
    (
        "tensor t=0;",
        "ld.weak r0, t ; fence.proxy.async",
        "`t` is in tensor memory, which `tcgen05` alone accesses",
    ),
    ("tensor t=0;", "ld.weak r0, t", "`t` is in tensor memory, which `tcgen05` alone accesses"),
    ("x=0;", "tcgen05.ld.sync.aligned.32x32b.x1.b32 r0, x", "`x` is not in tensor memory"),
    ("tensor t=0; tensor u=0;", "tcgen05.cp.cta_group::1.128x256b t, u", "in shared memory here"),
    (
        "tensor t=0; shared x=0;",
        "tcgen05.cp.cta_group::2.128x256b t, x",
        "a `tcgen05` with `.cta_group::2` is not modelled",
    ),
    ("tensor t=0; shared x=0;", "tcgen05.mma.cta_group::1.kind::f16 t, x", "needs three addresses"),
    (
        "tensor t=0; shared x=0;",
        "tcgen05.mma.cta_group::1.kind::f16 t, x, x, p0",
        "written as 0 or 1",
    ),
    ("tensor t=0;", "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0, r1}, t", "several registers"),
    (
        "mbarrier bar=1;",
        "tcgen05.commit.cta_group::1.shared::cluster.b64 bar",
        "needs its completion mechanism",
    ),
    (
        "x=0;",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 x, 32",
        "with `.alloc` is not modelled",
    ),
];

#[test]
fn what_has_no_meaning_is_refused_by_name() {
    let model = model(shipped());
    for (initial, instructions, said) in REFUSED {
        let columns: Vec<Vec<&str>> =
            instructions.split(" | ").map(|column| column.split(" ; ").collect()).collect();
        let heads: Vec<String> = (0..columns.len()).map(|t| format!("P{t}@cta 0,gpu 0")).collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
        let row = |r: usize| {
            columns
                .iter()
                .map(|c| c.get(r).copied().unwrap_or_default())
                .collect::<Vec<_>>()
                .join(" | ")
        };
        let body: String = (0..rows).map(|r| format!(" {} ;\n", row(r))).collect();
        let text =
            format!("PTX t\n{{ {initial} }}\n {} ;\n{body}exists (true)\n", heads.join(" | "));
        let error = match read::test(&SourceFile::new("t", text.clone())) {
            Err(errors) => errors[0].to_string(),
            Ok(read) => {
                match Runner::new(&model).run(&read.test, &Options::default(), Choice::Auto) {
                    Ok(verdict) => panic!("{:?} of\n{text}", Expected::from(&verdict)),
                    Err(error) => error.to_string(),
                }
            }
        };
        assert!(error.contains(said), "{error}\n{text}");
    }
}

/// Each operation on an mbarrier comes once: bytes of many sizes in two phases are no thousands of
/// contents, which the SAT engine would not take.
#[test]
fn contents_of_an_mbarrier_are_what_its_operations_make() {
    let text = "PTX bytes\n\
        { x=0; mbarrier bar=3; }\n\
         P0@cta 0,gpu 0                                    | P1@cta 0,gpu 0                                    | P2@cta 0,gpu 0                                    ;\n\
         mbarrier.arrive.expect_tx.release.cta _, bar, 16  | mbarrier.arrive.expect_tx.release.cta _, bar, 48  | st.weak x, 1                                      ;\n\
         mbarrier.complete_tx.relaxed.cta bar, 16          | mbarrier.complete_tx.relaxed.cta bar, 48          | mbarrier.arrive.expect_tx.release.cta _, bar, 144 ;\n\
         L1:                                               | L1:                                               | mbarrier.complete_tx.relaxed.cta bar, 144         ;\n\
         mbarrier.try_wait.parity.acquire.cta r0, bar, 0   | mbarrier.try_wait.parity.acquire.cta r0, bar, 0   | L1:                                               ;\n\
         @!r0 bra L1                                       | @!r0 bra L1                                       | mbarrier.try_wait.parity.acquire.cta r0, bar, 0   ;\n\
         mbarrier.arrive.expect_tx.release.cta _, bar, 144 | mbarrier.arrive.expect_tx.release.cta _, bar, 432 | @!r0 bra L1                                       ;\n\
         mbarrier.complete_tx.relaxed.cta bar, 144         | mbarrier.complete_tx.relaxed.cta bar, 432         |                                                   ;\n\
         ld.weak r2, x                                     |                                                   |                                                   ;\n\
        exists (P0:r2 == 0)\n";
    let model = library::load("ptx-8", &[]).unwrap().model;
    for (find, reachable) in [("P0:r2 == 0", false), ("P0:r2 == 1", true)] {
        let file = SourceFile::new("bytes.litmus", text.replace("P0:r2 == 0", find));
        let test = read::test(&file).unwrap_or_else(|e| panic!("{}", e[0])).test;
        let verdict =
            Runner::new(&model).run(&test, &Options::default(), Choice::Only(Engine::Sat));
        assert_eq!(verdict.unwrap_or_else(|e| panic!("{e}")).reachable, reachable, "{find}");
    }
}
