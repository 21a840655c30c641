//! Writes a proof while a solver works.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use margay_proof::{Encoder, RecordKind, SatLiteral};

use super::file::MAGIC;

/// A proof in the making; clones are the same one.
#[derive(Clone)]
pub struct ProofLog(Arc<Mutex<ProofLogState>>);

struct ProofLogState {
    /// `None` once it is closed.
    out: Option<FrameEncoder<Box<dyn Write + Send>>>,
    encoder: Encoder,
    buffer: Vec<u8>,
    literals: Vec<SatLiteral>,
    records: u64,
    bytes: u64,
    /// Why the proof will not do.
    failure: Option<io::Error>,
}

/// How large a proof became.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofSize {
    /// Those before the record of the end, which counts them.
    pub records: u64,
    /// Bytes before compression.
    pub bytes: u64,
}

impl ProofLog {
    /// A proof in a new file.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::to(Box::new(BufWriter::with_capacity(1 << 18, File::create_new(path)?)))
    }

    /// A proof that goes to a writer.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn to(mut out: Box<dyn Write + Send>) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        let frame = FrameInfo::new()
            .block_size(BlockSize::Max256KB)
            .block_mode(BlockMode::Linked)
            .content_checksum(true);
        Ok(Self(Arc::new(Mutex::new(ProofLogState {
            out: Some(FrameEncoder::with_frame_info(frame, out)),
            encoder: Encoder::default(),
            buffer: Vec::new(),
            literals: Vec::new(),
            records: 0,
            bytes: 0,
            failure: None,
        }))))
    }

    fn state(&self) -> MutexGuard<'_, ProofLogState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A clause that the session gave, with its literals in the session's order.
    pub fn original(&self, id: u64, clause: &[SatLiteral]) {
        self.state().put(RecordKind::Original, id, clause, &[]);
    }

    /// A clause that follows from those of the hints, by unit propagation in their order.
    pub fn derived(&self, id: u64, clause: &[SatLiteral], hints: &[u64]) {
        let mut state = self.state();
        // The order says nothing; sorted they are small.
        let mut sorted = std::mem::take(&mut state.literals);
        sorted.clear();
        sorted.extend_from_slice(clause);
        sorted.sort_unstable_by_key(|&l| (l.variable(), l.is_negated()));
        state.put(RecordKind::Derived, id, &sorted, hints);
        state.literals = sorted;
    }

    /// A clause is needed no more.
    pub fn delete(&self, id: u64) {
        self.state().put(RecordKind::Delete, id, &[], &[]);
    }

    /// A clause may be deleted and come back.
    pub fn weaken(&self, id: u64) {
        self.state().put(RecordKind::Weaken, id, &[], &[]);
    }

    /// A clause that was weakened and deleted comes back.
    pub fn restore(&self, id: u64, clause: &[SatLiteral]) {
        self.state().put(RecordKind::Restore, id, clause, &[]);
    }

    /// A question to the solver: is there an assignment under the assumptions?
    pub fn question(&self, assumptions: &[SatLiteral]) {
        self.state().put(RecordKind::Question, 0, assumptions, &[]);
    }

    /// The question's answer: there is an assignment.
    pub fn satisfiable(&self) {
        self.state().put(RecordKind::Satisfiable, 0, &[], &[]);
    }

    /// The question's answer: none, a limit was reached.
    pub fn unknown(&self) {
        self.state().put(RecordKind::Unknown, 0, &[], &[]);
    }

    /// The question's answer: there is no assignment, by a clause of negated assumptions.
    pub fn refuted(&self, id: u64) {
        self.state().put(RecordKind::Refuted, id, &[], &[]);
    }

    /// The proof will not do: [`ProofLog::finish`] says why.
    pub fn fail(&self, why: &str) {
        self.state().fail(why);
    }

    /// Ends the proof; what comes later is left out.
    ///
    /// # Errors
    /// It could not be written, or the solver did something that no record is for.
    pub fn finish(&self) -> io::Result<ProofSize> {
        let mut state = self.state();
        let records = state.records;
        state.put(RecordKind::End, records, &[], &[]);
        state.flush();
        let (out, failure) = (state.out.take(), state.failure.take());
        if let Some(failure) = failure {
            return Err(failure);
        }
        match out {
            Some(out) => out.finish()?.flush()?,
            None => return Err(io::Error::other("the proof was ended before")),
        }
        Ok(ProofSize { records, bytes: state.bytes })
    }
}

impl ProofLogState {
    fn fail(&mut self, why: &str) {
        self.failure.get_or_insert_with(|| io::Error::other(why.to_owned()));
    }

    fn put(&mut self, kind: RecordKind, id: u64, literals: &[SatLiteral], hints: &[u64]) {
        if self.out.is_none() || self.failure.is_some() {
            return;
        }
        self.encoder.put_parts(kind, id, literals, hints, &mut self.buffer);
        self.records += 1;
        if self.buffer.len() >= 1 << 16 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(out) = &mut self.out
            && self.failure.is_none()
        {
            self.failure = out.write_all(&self.buffer).err();
            self.bytes += self.buffer.len() as u64;
        }
        self.buffer.clear();
    }
}
