//! Answers about kernels as a document.

use std::time::Duration;

use margay_kernel::{
    Finding, HardeningAnswer, HardeningFence, LaunchAnswer, LaunchVerdict, NotLooked, RepairAnswer,
    RepairChange, RepairSide, Spot, Stands, UNROLL, WeakerAnswer, WeakerChange,
};
use margay_reports::{Verdict, kernel as document};

use super::against::{KernelComparison, KernelFinding};
use super::asked::{AskedKernel, KernelFile};
use super::certify::{self, WrittenTests};
use super::first_line::first_line;
use super::human::capitalised;
use super::options::KernelOptions;

/// The answers as a document.
pub fn document(
    file: &KernelFile,
    answers: &[AskedKernel],
    against: Option<&KernelComparison>,
    of_all: Verdict,
    (options, certificate): (&KernelOptions, Option<&WrittenTests>),
    time: Duration,
) -> document::Kernels {
    document::Kernels {
        file: file.ptx.name.clone(),
        compiler: file.compiler.map(|by| by.name().to_owned()),
        model: options.reading.name().to_owned(),
        verdict: of_all,
        unroll: options.unroll.unwrap_or(UNROLL),
        against: against.map(comparison),
        kernels: answers.iter().map(|asked| kernel(file, asked)).collect(),
        certificate: options.certify.as_ref().map(|_| certificate.map(WrittenTests::document)),
        seconds: time.as_secs_f64(),
    }
}

fn comparison(of: &KernelComparison) -> document::Comparison {
    let all = |findings: &[KernelFinding]| {
        let one = |f: &KernelFinding| document::ComparedRecord {
            kernel: f.kernel.clone(),
            kind: f.finding.kind.name().to_owned(),
            at: f.finding.stands.iter().map(|s| spot(&s.spot)).collect(),
        };
        findings.iter().map(one).collect()
    };
    document::Comparison {
        file: of.old.clone(),
        new: all(&of.new),
        unchanged: all(&of.unchanged),
        gone: all(&of.gone),
        unknown: of.unknown.clone(),
    }
}

fn kernel(file: &KernelFile, asked: &AskedKernel) -> document::Kernel {
    let answer = &asked.answer;
    let (word, rest) = first_line(file, asked);
    let not_looked =
        |n: NotLooked| document::UnseenRecord { ptx_line: n.line, instruction: n.text, why: n.why };
    document::Kernel {
        name: answer.kernel.clone(),
        answer: format!("{word}{rest}"),
        verdict: asked.verdict(),
        arguments: answer.arguments.clone(),
        finals: asked.finals.clone(),
        unroll: asked.unroll,
        launches: answer.launches.iter().map(launch).collect(),
        contents: answer.contents.as_ref().map(|of| document::ContentsRecord {
            arrays: of.arrays.clone(),
            launches: of.launches.iter().map(ToString::to_string).collect(),
            tried: of.tried,
            settled: of.settled,
        }),
        numbers: answer.numbers.as_ref().map(|of| document::NumbersRecord {
            numbers: of.numbers.iter().cloned().collect(),
            launches: of.launches.iter().map(ToString::to_string).collect(),
            tried: of.tried,
            settled: of.settled,
        }),
        not_looked: answer
            .not_looked()
            .into_iter()
            .map(not_looked)
            .chain(asked.refused.iter().map(|why| document::UnseenRecord {
                ptx_line: None,
                instruction: None,
                why: why.clone(),
            }))
            .collect(),
        hardening: asked.hardening.as_ref().map(|(of, _)| hardening(of)),
        weaker: asked.weaker.as_ref().map(|(of, _)| weaker(of)),
        proofs: asked.certified.then(|| certify::record(asked)),
    }
}

fn hardening(of: &HardeningAnswer) -> document::Hardening {
    let fence = |f: &HardeningFence| document::FenceRecord { own: f.own, at: spot(&f.spot) };
    document::Hardening {
        launches: of.launches.iter().map(ToString::to_string).collect(),
        accesses: of.accesses,
        own: of.own,
        asked: of.asked,
        least: of.least,
        fences: of.smallest.as_ref().map(|all| all.iter().map(fence).collect()),
        superfluous: of.superfluous.iter().map(|f| spot(&f.spot)).collect(),
        bounded: of.bounded,
        reason: of.open.clone(),
    }
}

fn weaker(of: &WeakerAnswer) -> document::Weaker {
    let change = |c: &WeakerChange| document::WeakeningRecord {
        at: spot(&c.spot),
        from: c.from.clone(),
        to: c.to.clone(),
        cuda: c.cuda.clone(),
    };
    document::Weaker {
        launches: of.launches.iter().map(ToString::to_string).collect(),
        changes: of.changes.iter().map(change).collect(),
        asked: of.asked,
        reason: of.open.clone(),
    }
}

fn launch(of: &LaunchAnswer) -> document::LaunchRecord {
    let (verdict, reason) = match &of.asked {
        LaunchVerdict::Nothing => (Some(Verdict::None), None),
        LaunchVerdict::Found => (Some(Verdict::Counterexample), None),
        LaunchVerdict::Undecided => (Some(Verdict::Undecided), None),
        LaunchVerdict::NotAsked(why) | LaunchVerdict::NotMeant(why) => (None, Some(why.clone())),
    };
    document::LaunchRecord {
        launch: of.launch.to_string(),
        blocks: of.launch.blocks,
        threads: of.launch.threads,
        verdict,
        reason,
        size: of.size,
        waits: of.waits,
        litmus: Some(of.litmus.clone()).filter(|text| !text.is_empty()),
        findings: of.findings.iter().map(finding).collect(),
    }
}

fn finding(of: &Finding) -> document::FindingRecord {
    let change = |c: &RepairChange| document::Change {
        at: spot(&c.spot),
        side: match c.side {
            RepairSide::Before => "before",
            RepairSide::Behind => "behind",
            RepairSide::Instead => "instead",
        }
        .to_owned(),
        ptx: c.text.clone(),
        cuda: c.cuda.clone(),
    };
    let (repair, no_repair) = match &of.repair {
        RepairAnswer::Changes(changes) => (Some(changes.iter().map(change).collect()), None),
        RepairAnswer::Nothing => (None, Some("nothing that was tried is enough".to_owned())),
        RepairAnswer::Open(why) => (None, Some(why.clone())),
    };
    let stands = |s: &Stands| document::StandingRecord {
        test_thread: s.test_thread,
        block: s.block,
        thread: s.thread,
        at: spot(&s.spot),
        event: s.event.clone(),
    };
    document::FindingRecord {
        kind: of.kind.name().to_owned(),
        words: capitalised(of.kind.words()),
        threads: of.stands.iter().map(stands).collect(),
        why: of.why.clone(),
        litmus: of.litmus.clone(),
        model: of.model_name(),
        repair,
        no_repair,
    }
}

fn spot(of: &Spot) -> document::SpotRecord {
    document::SpotRecord {
        ptx_line: of.line,
        instruction: of.text.clone(),
        file: of.source.as_ref().map(|(file, _)| file.clone()),
        line: of.source.as_ref().map(|(_, line)| *line),
    }
}
