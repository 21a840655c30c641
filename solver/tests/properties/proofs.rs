//! Proofs: a solver's are accepted, and a damaged one is refused or says nothing that is false.
//! What is true is decided by trying all assignments, or by BatSat without a proof.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use lz4_flex::frame::FrameDecoder;
use margay_solver::proof::{
    Encoder, ProofChecker, ProofFlaw, ProofInput, ProofLog, ProofRecord, ProofStep, RecordKind,
    Replay, SatLiteral,
};
use margay_solver::{
    Atom, Backend, Bounds, Encoding, Literal, Logic, Relation, Session, SessionOutcome,
    SolverAnswer, SolverLimits, SolverOptions, TupleSet, Universe,
};
use proptest::prelude::*;

/// What a session is told and asked: clauses and assumptions of variables from 1.
#[derive(Debug, Clone)]
pub enum Act {
    Clause(Vec<i32>),
    Ask(Vec<i32>),
}

/// A unary relation, whose tuples are Boolean variables.
struct Variables {
    of: Relation,
    bounds: Bounds,
}

fn variables(count: usize) -> Variables {
    let of = Logic::new().relation("true", 1);
    let mut bounds = Bounds::new(Universe::new((0..count).map(|i| i.to_string())));
    bounds.between(
        of,
        TupleSet::new(1),
        TupleSet::from_tuples(1, (0..count).map(|i| [Atom(i as u32)])),
    );
    Variables { of, bounds }
}

/// Tells and asks; the answers.
fn perform(session: &mut Session, v: &Variables, acts: &[Act]) -> Vec<SessionOutcome> {
    let literal = |session: &mut Session, l: i32| -> Literal {
        let literal = session.tuple(v.of, &[Atom(l.unsigned_abs() - 1)]);
        if l < 0 { !literal } else { literal }
    };
    let mut answers = Vec::new();
    for act in acts {
        let (Act::Clause(literals) | Act::Ask(literals)) = act;
        let literals: Vec<Literal> = literals.iter().map(|&l| literal(session, l)).collect();
        match act {
            Act::Clause(_) => session.add_clause(&literals),
            Act::Ask(_) => {
                answers.push(session.solve(&literals, &SolverLimits::default()).unwrap())
            }
        }
    }
    answers
}

fn refuted(answers: &[SessionOutcome]) -> Vec<bool> {
    answers.iter().map(|a| *a == SessionOutcome::Unsat).collect()
}

/// A file's bytes in memory.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A proof file, with what the solver answered.
pub fn proved(count: usize, acts: &[Act]) -> (Vec<u8>, Vec<bool>) {
    proved_by(&Backend::default(), count, acts)
}

fn proved_by(backend: &Backend, count: usize, acts: &[Act]) -> (Vec<u8>, Vec<bool>) {
    let (v, bytes) = (variables(count), Bytes::default());
    let log = ProofLog::to(Box::new(bytes.clone())).expect("memory takes all");
    let mut session = Session::logged(
        v.bounds.clone(),
        Encoding::default(),
        backend,
        &SolverOptions::default(),
        &log,
    );
    let answers = perform(&mut session, &v, acts);
    log.finish().expect("memory takes all");
    (bytes.0.lock().expect("one thread").clone(), refuted(&answers))
}

/// The records of a proof file, uncompressed.
fn uncompressed(file: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    FrameDecoder::new(&file[8..]).read_to_end(&mut out).expect("it was written so");
    out
}

fn records(bytes: &[u8]) -> Vec<ProofRecord> {
    let mut input = ProofInput::new(bytes);
    let mut all = Vec::new();
    loop {
        let record = input.record().expect("it was written so").clone();
        let last = record.kind == RecordKind::End;
        all.push(record);
        if last {
            return all;
        }
    }
}

fn literals_of(numbers: &[i32]) -> Vec<SatLiteral> {
    SatLiteral::all_of_dimacs(numbers).expect("literals")
}

fn numbers(literals: &[SatLiteral]) -> Vec<i32> {
    literals.iter().map(|l| l.dimacs()).collect()
}

fn encoded(records: &[ProofRecord]) -> Vec<u8> {
    let (mut encoder, mut out) = (Encoder::default(), Vec::new());
    records.iter().for_each(|r| encoder.put(r, &mut out));
    out
}

/// What a proof says: clauses given, and for each question its assumptions and whether it was
/// refuted.
fn said(bytes: &[u8]) -> Result<Vec<(Act, bool)>, ProofFlaw> {
    let mut checker = ProofChecker::of_records(bytes);
    let mut all = Vec::new();
    loop {
        match checker.step()? {
            ProofStep::Original => all.push((Act::Clause(numbers(checker.literals())), false)),
            ProofStep::Question => all.push((Act::Ask(numbers(checker.literals())), false)),
            ProofStep::Satisfiable | ProofStep::Unknown => {}
            ProofStep::Refuted => all.last_mut().expect("a question was asked").1 = true,
            ProofStep::End => return Ok(all),
        }
    }
}

/// Is there an assignment of so many variables?
fn satisfiable(clauses: &[&[i32]], assumptions: &[i32], count: u32) -> bool {
    let holds = |a: u32, l: i32| (a >> (l.unsigned_abs() - 1) & 1 == 1) == (l > 0);
    (0..1 << count).any(|a| {
        assumptions.iter().all(|&l| holds(a, l))
            && clauses.iter().all(|c| c.iter().any(|&l| holds(a, l)))
    })
}

/// Whatever a proof says is true of the clauses that it says were given.
fn is_true(said: &[(Act, bool)]) -> bool {
    let mut clauses: Vec<&[i32]> = Vec::new();
    let of = |act: &Act| match act {
        Act::Clause(l) | Act::Ask(l) => l.iter().map(|l| l.unsigned_abs()).max().unwrap_or(0),
    };
    let count = said.iter().map(|(act, _)| of(act)).max().unwrap_or(0);
    for (act, refuted) in said {
        match act {
            Act::Clause(clause) => clauses.push(clause),
            Act::Ask(assumptions) if *refuted => {
                // A damaged literal may be of a variable beyond what can be tried; an independent
                // solver decides then.
                let wrong = if count <= 12 {
                    satisfiable(&clauses, assumptions, count)
                } else {
                    by_batsat(&clauses, assumptions)
                };
                if wrong {
                    return false;
                }
            }
            Act::Ask(_) => {}
        }
    }
    true
}

fn by_batsat(clauses: &[&[i32]], assumptions: &[i32]) -> bool {
    let mut solver = Backend::batsat().start(&Default::default()).expect("it is built in");
    clauses.iter().for_each(|c| solver.add(&literals_of(c)).expect("a clause"));
    solver.solve(&literals_of(assumptions), &SolverLimits::default()) == Ok(SolverAnswer::Sat)
}

fn literals(count: i32, sizes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<i32>> {
    prop::collection::vec(
        (1..=count, any::<bool>()).prop_map(|(v, n)| if n { -v } else { v }),
        sizes,
    )
}

fn acts(count: i32) -> impl Strategy<Value = Vec<Act>> {
    let clauses = prop::collection::vec(literals(count, 2..=3).prop_map(Act::Clause), 10..25);
    let part =
        (clauses, literals(count, 0..=3).prop_map(Act::Ask)).prop_map(|(mut clauses, ask)| {
            clauses.push(ask);
            clauses
        });
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.concat())
}

/// One way to damage a proof.
#[derive(Debug, Clone)]
enum Damage {
    Bit(prop::sample::Index, u8),
    Byte(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Drop(prop::sample::Index),
    Double(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Literal(prop::sample::Index, prop::sample::Index, i32),
    DropLiteral(prop::sample::Index, prop::sample::Index),
    Hint(prop::sample::Index, prop::sample::Index, u64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), 0u8..8).prop_map(|(a, b)| Damage::Bit(a, b)),
        (at(), any::<u8>()).prop_map(|(a, b)| Damage::Byte(a, b)),
        at().prop_map(Damage::Cut),
        at().prop_map(Damage::Drop),
        at().prop_map(Damage::Double),
        (at(), at()).prop_map(|(a, b)| Damage::Swap(a, b)),
        (at(), at(), prop_oneof![-8i32..=-1, 1..=8]).prop_map(|(a, b, l)| Damage::Literal(a, b, l)),
        (at(), at()).prop_map(|(a, b)| Damage::DropLiteral(a, b)),
        (at(), at(), 1u64..60).prop_map(|(a, b, h)| Damage::Hint(a, b, h)),
    ]
}

/// The damaged proof; what the damage is about may not be there.
fn damaged(bytes: &[u8], damage: &Damage) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut all = records(&bytes);
    let last = all.len() - 1;
    let with = |all: &[ProofRecord], has: fn(&ProofRecord) -> bool| -> Vec<usize> {
        (0..all.len()).filter(|&i| has(&all[i])).collect()
    };
    match damage {
        Damage::Bit(at, bit) => {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            return bytes;
        }
        Damage::Byte(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
            return bytes;
        }
        Damage::Cut(at) => {
            bytes.truncate(at.index(bytes.len()));
            return bytes;
        }
        Damage::Drop(at) => drop(all.remove(at.index(last))),
        Damage::Double(at) => {
            let at = at.index(last);
            all.insert(at, all[at].clone());
        }
        Damage::Swap(a, b) => all.swap(a.index(last), b.index(last)),
        Damage::Literal(at, which, literal) => {
            let some = with(&all, |r| !r.literals.is_empty());
            let record = &mut all[some[at.index(some.len())]];
            let which = which.index(record.literals.len());
            record.literals[which] = SatLiteral::of_dimacs(*literal).expect("a literal");
        }
        Damage::DropLiteral(at, which) => {
            let some = with(&all, |r| !r.literals.is_empty());
            let record = &mut all[some[at.index(some.len())]];
            let which = which.index(record.literals.len());
            record.literals.remove(which);
        }
        Damage::Hint(at, which, hint) => {
            let some = with(&all, |r| !r.hints.is_empty());
            if !some.is_empty() {
                let record = &mut all[some[at.index(some.len())]];
                let which = which.index(record.hints.len());
                record.hints[which] = *hint;
            }
        }
    }
    // The count at the end is right, so that it is not what gives the damage away.
    let count = all.len() as u64 - 1;
    all.last_mut().expect("the end").id = count;
    encoded(&all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn proofs_are_accepted_and_true(acts in acts(8)) {
        let (file, answers) = proved(8, &acts);
        let said = said(&uncompressed(&file)).expect("CaDiCaL's proofs are right");
        prop_assert!(is_true(&said));
        let questions: Vec<bool> = said.iter().filter(|(a, _)| matches!(a, Act::Ask(_))).map(|&(_, r)| r).collect();
        prop_assert_eq!(&questions, &answers);
        let v = variables(8);
        let mut other = Session::new(v.bounds.clone(), Encoding::default(), &Backend::batsat());
        prop_assert_eq!(refuted(&perform(&mut other, &v, &acts)), answers);
    }

    #[test]
    fn damaged_proofs_are_refused_or_true(acts in acts(8), damages in prop::collection::vec(damage(), 12)) {
        let (file, _) = proved(8, &acts);
        let bytes = uncompressed(&file);
        for one in &damages {
            if let Ok(said) = said(&damaged(&bytes, one)) {
                prop_assert!(is_true(&said), "{:?} gives {:?}", one, said);
            }
        }
    }
}

/// A file that goes when the test ends.
pub struct Temporary(pub PathBuf);

impl Temporary {
    pub fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("margay-{name}-{}.proof", std::process::id()));
        std::fs::write(&path, bytes).expect("there is room");
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Random clauses of three literals, about as many as make half of such problems unsatisfiable,
/// asked about in between.
pub fn large(count: i32, seed: u64) -> Vec<Act> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut acts = Vec::new();
    for part in 0..5 {
        let clauses = if part == 0 { count * 4 } else { count / 7 };
        for _ in 0..clauses {
            let mut literal =
                || (random(count as u64) as i32 + 1) * if random(2) == 0 { 1 } else { -1 };
            acts.push(Act::Clause(vec![literal(), literal(), literal()]));
        }
        for assumption in [1, -1, 2] {
            acts.push(Act::Ask(vec![assumption * (part + 1), -(part + 7)]));
        }
        acts.push(Act::Ask(Vec::new()));
    }
    acts
}

/// Problems on which a solver forgets what it learned. CaDiCaL also takes clauses out of use and
/// brings them back.
#[test]
fn a_session_is_replayed() {
    let mut seen = std::collections::BTreeSet::new();
    let solvers: Vec<Backend> = Backend::available().into_iter().filter(Backend::proves).collect();
    for (seed, backend) in
        (1..6).flat_map(|seed| solvers.iter().map(move |backend| (seed, backend)))
    {
        let acts = large(150, seed);
        let (file, answers) = proved_by(backend, 150, &acts);
        assert!(answers.contains(&true), "some question is refuted");
        records(&uncompressed(&file)).iter().for_each(|r| _ = seen.insert(r.kind as u8));
        let path = Temporary::new(&format!("replay-{seed}"), &file);
        let replay = Replay::open(&path.0).expect("it is there");
        let v = variables(150);
        let mut session = Session::replayed(v.bounds.clone(), Encoding::default(), &replay);
        assert_eq!(refuted(&perform(&mut session, &v, &acts)), answers);
        let replayed = replay.finish(true).expect("it was told the same");
        assert_eq!(replayed.refuted, answers.iter().filter(|&&r| r).count() as u64);
        assert_eq!(replayed.file_bytes, file.len() as u64);

        // Another clause, another assumption, one question less.
        for change in 0..3 {
            let mut other = acts.clone();
            match (
                change,
                other
                    .iter_mut()
                    .rev()
                    .find(|a| matches!((a, change), (Act::Clause(_), 0) | (Act::Ask(_), 1))),
            ) {
                (_, Some(Act::Clause(clause))) => clause[0] = -clause[0],
                (_, Some(Act::Ask(assumptions))) => assumptions.push(3),
                _ => drop(other.pop()),
            }
            let replay = Replay::open(&path.0).expect("it is there");
            let mut session = Session::replayed(v.bounds.clone(), Encoding::default(), &replay);
            perform(&mut session, &v, &other);
            let flaw = replay.finish(true).expect_err("it was told something else");
            assert!(
                flaw.what.contains("another problem") || flaw.what.contains("more than the case"),
                "{flaw}"
            );
        }
    }
    let of_cadical = [RecordKind::Weaken, RecordKind::Restore];
    if Backend::left_out("cadical").is_some() {
        eprintln!("skipped: records that only CaDiCaL writes (feature `cadical`)");
    }
    for kind in RecordKind::ALL {
        let expected = kind != RecordKind::Unknown
            && (!of_cadical.contains(&kind) || Backend::left_out("cadical").is_none());
        assert_eq!(seen.contains(&(kind as u8)), expected, "{kind:?}");
    }
}

#[test]
fn files_that_are_no_proofs_are_refused() {
    let (file, _) = proved(8, &[Act::Clause(vec![1]), Act::Ask(vec![-1])]);
    let read = |name: &str, bytes: &[u8]| {
        let path = Temporary::new(name, bytes);
        let v = variables(8);
        let replay = Replay::open(&path.0)?;
        let mut session = Session::replayed(v.bounds.clone(), Encoding::default(), &replay);
        perform(&mut session, &v, &[Act::Clause(vec![1]), Act::Ask(vec![-1])]);
        replay.finish(true)
    };
    let whole = read("whole", &file).expect("it is whole").file;
    // Behind the last record lies what closes the compressed frame: without it the proof is whole,
    // but not the file that it was.
    for cut in 0..file.len() {
        match read("cut", &file[..cut]) {
            Ok(replayed) => assert!(replayed.file != whole && cut + 8 >= file.len(), "{cut} bytes"),
            Err(flaw) => assert!(!flaw.what.is_empty()),
        }
    }
    let refuse =
        |name: &str, bytes: &[u8]| read(name, bytes).expect_err("it is no proof").to_string();
    assert!(refuse("other", b"p cnf 1 1\n1 0\n").contains("does not begin as a proof file"));
    assert!(refuse("empty", b"").contains("too short to be a proof file"));
    let longer = [file.as_slice(), b"x"].concat();
    if let Ok(replayed) = read("longer", &longer) {
        assert_ne!(replayed.file, whole);
    }
    assert!(
        Replay::open(std::path::Path::new("/nowhere/x.proof"))
            .err()
            .expect("no file")
            .what
            .contains("cannot be read")
    );
}

/// What a file is compressed by can be changed without the records: each change is refused in words
/// of ours, or changes nothing that is said.
#[test]
fn another_compression_is_refused_in_words_or_says_the_same() {
    let (file, _) = proved(8, &[Act::Clause(vec![1]), Act::Ask(vec![-1])]);
    let read = |bytes: &[u8]| {
        let path = Temporary::new("compression", bytes);
        let v = variables(8);
        let replay = Replay::open(&path.0)?;
        let mut session = Session::replayed(v.bounds.clone(), Encoding::default(), &replay);
        perform(&mut session, &v, &[Act::Clause(vec![1]), Act::Ask(vec![-1])]);
        replay.finish(true)
    };
    let whole = read(&file).expect("it is whole");
    let (head, frame) = file.split_at(8);
    let behind = |rest: &[u8]| [head, rest].concat();
    let changed = |at: usize, by: u8| {
        let mut bytes = file.clone();
        bytes[at] ^= by;
        bytes
    };
    let skipped = [0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2];
    for (bytes, words) in [
        (file[..file.len() - 12].to_vec(), "cut off"),
        (behind(b"\x1f\x8b\x08\0other"), "not compressed as proofs are"),
        (behind(&[&skipped[..], frame].concat()), "a part that is to be skipped"),
        (behind(&[frame, &skipped].concat()), "a part that is to be skipped"),
        (behind(&[frame, b"more behind it"].concat()), "not compressed as proofs are"),
        (behind(&[frame, frame].concat()), "something follows the end of the proof"),
        // The flags of the frame, its version, and the checksum of both.
        (changed(12, 0x80), "in a way in which no proof is"),
        (changed(12, 0x02), "in a way in which no proof is"),
        (changed(13, 0x80), "in a way in which no proof is"),
        (changed(14, 0x01), "a checksum or a length in it does not fit"),
    ] {
        let said = read(&bytes).expect_err(words).to_string();
        assert!(
            said.contains(words) && !said.contains("Error") && !said.contains("Unsupported"),
            "{said}, and not: {words}"
        );
    }
    let records = uncompressed(&file);
    let packed = |parts: &[&[u8]]| {
        let mut bytes = head.to_vec();
        for part in parts {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(part).expect("memory takes all");
            bytes.extend(encoder.finish().expect("memory takes all"));
        }
        bytes
    };
    let (first, second) = records.split_at(records.len() / 2);
    // A frame with nothing in it is an end.
    assert!(
        read(&packed(&[&[], &records]))
            .expect_err("it ends before it begins")
            .what
            .contains("cut off")
    );
    for parts in [vec![first, second], vec![&records, &[]]] {
        let again = read(&packed(&parts)).expect("the records are the same");
        assert_eq!(
            (again.cnf, again.clauses, again.derived),
            (whole.cnf.clone(), whole.clauses, whole.derived)
        );
        assert_ne!(again.file, whole.file, "a certificate has the hash of its file");
    }
}
