//! The clauses of a derivation, one behind the other in one list of words, and the numbers that
//! stand for them and for their literals.

use margay_proof::SatLiteral;
use rustc_hash::FxHashMap;

/// A literal as a place in tables: twice its variable, and one more where it is negated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LiteralCode(pub u32);

impl LiteralCode {
    pub fn of(literal: SatLiteral) -> Self {
        Self(literal.variable() << 1 | u32::from(literal.is_negated()))
    }

    /// The literal that it was made of.
    pub fn literal(self) -> SatLiteral {
        SatLiteral::of_variable(self.variable(), self.0 & 1 == 1)
            .expect("a code is made of a literal")
    }

    pub fn at(self) -> usize {
        self.0 as usize
    }

    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }
}

impl std::ops::Not for LiteralCode {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Where a clause begins among the words of all: later ones are larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClausePlace(pub(super) u32);

/// A clause is four times its length and its state; its number in the log, in two words (while it
/// waits, the literal that the solver named first); its literals, the two that are watched first.
pub(super) const HEAD: usize = 3;

/// What is known of a clause.
pub(super) mod state {
    /// It was learned, and nothing has needed it so far.
    pub const WAITING: u32 = 0;
    /// It has a number in the log.
    pub const PROVED: u32 = 1;
    /// It is an assumption, which is no clause of the log.
    pub const ASSUMED: u32 = 2;
    /// It is used no more.
    pub const GONE: u32 = 3;
    pub const MASK: u32 = 3;
}

/// Clauses as words.
#[derive(Default)]
pub(super) struct ClauseMemory {
    /// The clauses, one behind the other ([`HEAD`]).
    pub words: Vec<u32>,
    /// Words of clauses that are gone.
    wasted: usize,
}

impl ClauseMemory {
    /// Takes in a clause of these literals, with two words for its number or what else is known of
    /// it while it waits.
    pub fn push(
        &mut self,
        literals: impl ExactSizeIterator<Item = LiteralCode>,
        state: u32,
        id: u64,
    ) -> ClausePlace {
        let place = ClausePlace(u32::try_from(self.words.len()).unwrap_or(u32::MAX));
        let (low, high) = halves(id);
        self.words.extend([(literals.len() as u32) << 2 | state, low, high]);
        self.words.extend(literals.map(|literal| literal.0));
        place
    }

    pub fn length(&self, place: ClausePlace) -> usize {
        (self.words[place.0 as usize] >> 2) as usize
    }

    pub fn state(&self, place: ClausePlace) -> u32 {
        self.words[place.0 as usize] & state::MASK
    }

    pub fn set_state(&mut self, place: ClausePlace, state: u32) {
        let word = &mut self.words[place.0 as usize];
        *word = *word & !state::MASK | state;
    }

    /// The clause's number in the log, if it has one.
    pub fn id(&self, place: ClausePlace) -> Option<u64> {
        let at = place.0 as usize;
        (self.state(place) == state::PROVED)
            .then(|| u64::from(self.words[at + 1]) | u64::from(self.words[at + 2]) << 32)
    }

    /// Of a clause that waits: the literal that the solver named first.
    pub fn lead(&self, place: ClausePlace) -> LiteralCode {
        LiteralCode(self.words[place.0 as usize + 1])
    }

    /// Gives a clause its number in the log.
    pub fn set_id(&mut self, place: ClausePlace, id: u64) {
        let at = place.0 as usize;
        self.set_state(place, state::PROVED);
        (self.words[at + 1], self.words[at + 2]) = halves(id);
    }

    /// A clause is used no more.
    pub fn discard(&mut self, place: ClausePlace) {
        self.set_state(place, state::GONE);
        self.wasted += HEAD + self.length(place);
    }

    pub fn literals(&self, place: ClausePlace) -> impl Iterator<Item = LiteralCode> + '_ {
        let first = place.0 as usize + HEAD;
        self.words[first..first + self.length(place)].iter().map(|&word| LiteralCode(word))
    }

    /// Are there more words of clauses that are gone than of others, and many?
    pub fn is_wasteful(&self) -> bool {
        self.wasted > 1 << 16 && 2 * self.wasted > self.words.len()
    }

    /// Gives back the words of clauses that are gone: where each of the others is now.
    pub fn compact(&mut self) -> FxHashMap<ClausePlace, ClausePlace> {
        let old = std::mem::take(&mut self.words);
        let mut moved: FxHashMap<ClausePlace, ClausePlace> = FxHashMap::default();
        let mut at = 0;
        while at < old.len() {
            let end = at + HEAD + (old[at] >> 2) as usize;
            if old[at] & state::MASK != state::GONE {
                moved.insert(ClausePlace(at as u32), ClausePlace(self.words.len() as u32));
                self.words.extend_from_slice(&old[at..end]);
            }
            at = end;
        }
        self.wasted = 0;
        moved
    }
}

/// A number as two words, the lower one first.
fn halves(id: u64) -> (u32, u32) {
    (id as u32, (id >> 32) as u32)
}
