//! What threads do that run no test: access a scratchpad, or one bank of shared memory.

use std::fmt::Write as _;

use super::EmissionPlan;
use super::address::modulo;
use super::environment::{Count, Environment, Stress, StressAccess};
use super::permutation::{Salt, permute};

/// Words of the scratchpad for `random` and `cache`.
fn words(environment: &Environment) -> u32 {
    environment.stress_words.number().max(1)
}

/// How often a stressing thread does what it does. For `cache`, unless a number is given, each cta
/// goes over the whole scratchpad, in its smallest size.
fn rounds(plan: &EmissionPlan<'_>) -> u32 {
    let (environment, layout) = (plan.environment, plan.layout);
    match (environment.stress, environment.stress_rounds) {
        (Stress::Cache, Count::Auto { .. }) => {
            words(environment).div_ceil(layout.block - 32 * layout.idle)
        }
        (_, rounds) => rounds.number(),
    }
}

/// Bytes of the scratchpad, what the threads of the test stress before it included.
pub fn scratchpad_bytes(environment: &Environment) -> u64 {
    let sequence = (u64::from(environment.stress_regions) * u64::from(environment.stress_patch)
        + u64::from(environment.stress_first)
        + 1)
        * 4;
    match environment.stress {
        Stress::Sequence => sequence,
        Stress::Random | Stress::Cache => sequence.max(u64::from(words(environment)) * 4),
    }
}

/// The code of a stressing thread. It begins with the registers `%self`, the number of the thread
/// in its cta, `%seed` of the launch, `%first`, the place of stress, and `%scratchpad`, its
/// address.
#[derive(Debug, Clone)]
pub struct StressCode<'e> {
    /// What it does, and to how much memory.
    pub environment: &'e Environment,
    /// How often: a number or a register.
    pub rounds: String,
    /// The threads of a cta: a number or a register.
    pub threads: String,
}

/// The registers that [`StressCode`] begins with and uses, for a block of code of its own;
/// [`super::permutation::REGISTERS`] are the others.
pub const STRESS_REGISTERS: &str = "    .reg .pred %q;\n    .reg .b32 %a, %b, %s, %slot, %self, %seed, %first;\n    .reg .b64 %y, %scratchpad;\n";

impl StressCode<'_> {
    /// Goes through the stress sequence; `%a` is the number of the thread or cta, which gets a word
    /// of its own in turn. Which regions are stressed changes with the seed. Volatile accesses are
    /// never left out or merged.
    fn sequence(&self, label: &str, text: &mut String) {
        let environment = self.environment;
        modulo("%a", environment.stress_spread, text);
        if environment.stress_regions > 1 {
            // The first few places of a permutation are a subset drawn at random.
            permute(
                "%a",
                &environment.stress_regions.to_string(),
                Salt::Regions,
                &format!("{label}_REGIONS"),
                text,
            );
        }
        let _ = write!(
            text,
            "    mad.lo.u32 %a, %a, {}, %first;\n    mul.wide.u32 %y, %a, 4;\n    add.u64 %y, %y, %scratchpad;\n    \
             mov.u32 %b, {};\n${label}:\n",
            environment.stress_patch, self.rounds
        );
        for access in &environment.stress_sequence {
            text.push_str(match access {
                StressAccess::Load => "    ld.volatile.global.u32 %a, [%y];\n",
                StressAccess::Store => "    st.volatile.global.u32 [%y], %b;\n",
            });
        }
        let _ = writeln!(
            text,
            "    sub.u32 %b, %b, 1;\n    setp.ne.u32 %q, %b, 0;\n    @%q bra ${label};"
        );
    }

    /// A load or a store of any word, at random: the generator is that of Numerical Recipes
    /// (section 7.1), whose high bits are used.
    fn random(&self, label: &str, text: &mut String) {
        let _ = write!(
            text,
            "    mov.u32 %a, %ctaid.x;\n    mad.lo.u32 %a, %a, {threads}, %self;\n    mul.lo.u32 %a, %a, 0x9E3779B1;\n    \
             xor.b32 %a, %a, %seed;\n    \
             mov.u32 %b, {rounds};\n${label}:\n    mul.lo.u32 %a, %a, 1664525;\n    add.u32 %a, %a, 1013904223;\n    shl.b32 %s, %a, 1;\n    \
             mul.hi.u32 %s, %s, {words};\n    mul.wide.u32 %y, %s, 4;\n    add.u64 %y, %y, %scratchpad;\n    setp.ge.s32 %q, %a, 0;\n    \
             @%q ld.volatile.global.u32 %s, [%y];\n    @!%q st.volatile.global.u32 [%y], %b;\n    sub.u32 %b, %b, 1;\n    \
             setp.ne.u32 %q, %b, 0;\n    @%q bra ${label};\n",
            threads = self.threads,
            rounds = self.rounds,
            words = words(self.environment),
        );
    }

    /// Word after word of the whole scratchpad, loaded and stored (2016, section 4.2). The threads
    /// of a cta access neighbouring words at once, and each cta begins at another place, drawn for
    /// each launch, and goes round.
    fn cache(&self, label: &str, text: &mut String) {
        let words = words(self.environment);
        let _ = write!(
            text,
            "    mov.u32 %a, %ctaid.x;\n    mul.lo.u32 %a, %a, 0x9E3779B1;\n    xor.b32 %a, %a, %seed;\n    mul.lo.u32 %a, %a, 0x85EBCA6B;\n    \
             mul.hi.u32 %a, %a, {words};\n    add.u32 %a, %a, %self;\n    rem.u32 %a, %a, {words};\n    \
             mov.u32 %slot, {threads};\n    rem.u32 %slot, %slot, {words};\n    mov.u32 %b, {rounds};\n${label}:\n    \
             mul.wide.u32 %y, %a, 4;\n    add.u64 %y, %y, %scratchpad;\n    ld.volatile.global.u32 %s, [%y];\n    \
             st.volatile.global.u32 [%y], %b;\n    add.u32 %a, %a, %slot;\n    setp.ge.u32 %q, %a, {words};\n    \
             @%q sub.u32 %a, %a, {words};\n    sub.u32 %b, %b, 1;\n    setp.ne.u32 %q, %b, 0;\n    @%q bra ${label};\n",
            threads = self.threads,
            rounds = self.rounds,
        );
    }

    /// Writes it; `label` makes its labels differ.
    pub fn write(&self, label: &str, text: &mut String) {
        match self.environment.stress {
            Stress::Sequence => {
                text.push_str("    mov.u32 %a, %ctaid.x;\n");
                self.sequence(label, text);
            }
            Stress::Random => self.random(label, text),
            Stress::Cache => self.cache(label, text),
        }
    }
}

/// What a thread of the test does before it: `%a` is its number.
pub(super) fn sequence(plan: &EmissionPlan<'_>, rounds: u32, label: &str, text: &mut String) {
    code(plan, rounds).sequence(label, text);
}

fn code<'p>(plan: &EmissionPlan<'p>, rounds: u32) -> StressCode<'p> {
    // A launch may have fewer threads in its ctas than the layout; numbers of threads are only kept
    // apart by it.
    let threads = match plan.environment.stress {
        Stress::Cache => "%ntid.x".to_owned(),
        Stress::Sequence | Stress::Random => plan.layout.block.to_string(),
    };
    StressCode { environment: plan.environment, rounds: rounds.to_string(), threads }
}

/// What a stressing thread does; `label` makes its labels differ.
pub(super) fn stress(plan: &EmissionPlan<'_>, label: &str, text: &mut String) {
    code(plan, rounds(plan)).write(label, text);
}

/// The ctas that do nothing else.
pub(super) fn ctas(plan: &EmissionPlan<'_>, text: &mut String) {
    text.push_str("$STRESS:\n");
    if plan.environment.stress_ctas.number() > 0 {
        stress(plan, "STRESSED", text);
    }
    text.push_str("    bra $END;\n");
}

/// Bytes of shared memory that bank conflicts need.
pub(super) fn bank_bytes(environment: &Environment) -> u32 {
    if environment.bank_warps > 0 { 32 * 32 * 4 } else { 0 }
}

/// Warps that run no test: at one bank of shared memory, all their lanes, so many as are asked for;
/// stressing, where all idle threads do; or none of it.
pub(super) fn bystanders(plan: &EmissionPlan<'_>, text: &mut String) {
    let environment = plan.environment;
    let widest = plan.layout.threads.iter().copied().max().unwrap_or(1) * environment.warps;
    text.push_str("$BYSTANDER:\n");
    if environment.bank_warps > 0 {
        let _ = write!(
            text,
            "    setp.lt.u32 %p, %warp, {widest};\n    @%p bra $IDLE;\n    setp.ge.u32 %p, %warp, {};\n    @%p bra $IDLE;\n    \
             mul.wide.u32 %y, %slot, 128;\n    mov.u64 %v, banks;\n    \
             add.u64 %y, %y, %v;\n    mov.u32 %b, {};\n$BANKS:\n    ld.volatile.shared.u32 %a, [%y];\n    st.volatile.shared.u32 [%y], %b;\n    \
             sub.u32 %b, %b, 1;\n    setp.ne.u32 %p, %b, 0;\n    @%p bra $BANKS;\n    bra $END;\n",
            widest + environment.bank_warps,
            environment.bank_rounds
        );
    }
    text.push_str("$IDLE:\n");
    if environment.stress_idle && !environment.parallel {
        stress(plan, "BESIDE", text);
    }
    text.push_str("    bra $END;\n");
}

/// Bytes that a location and those of the lanes beside it need.
pub(super) const BESIDE: u32 = 32 * 128 + 16;

/// How far `%v` the locations of each lane are from those of instance 0, when the other lanes of
/// its warp do the same beside (`bank`): one bank of 4 bytes for all lanes, or one each, as the
/// seed has it. Addresses are then computed for instance 0, and `%own` is the lane's own.
pub(super) fn beside(plan: &EmissionPlan<'_>, text: &mut String) {
    let apart = if plan.is_wide() { 8 } else { 4 };
    let _ = write!(
        text,
        "    setp.eq.u32 %t, %n, 0;\n    vote.sync.ballot.b32 %a, %t, 0xffffffff;\n    bfind.u32 %a, %a;\n    mov.u32 %b, %laneid;\n    \
         sub.u32 %b, %b, %a;\n    and.b32 %b, %b, 31;\n    and.b32 %a, %seed, 64;\n    setp.ne.u32 %p, %a, 0;\n    \
         selp.b32 %a, 128, {apart}, %p;\n    mul.wide.u32 %v, %b, %a;\n    mov.u32 %own, %n;\n    mov.u32 %n, 0;\n"
    );
}
