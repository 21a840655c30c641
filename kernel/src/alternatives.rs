//! Ways of a thread that do the same, as one.
//!
//! An address that memory says is taken apart into cases, and mostly only one or two of them do
//! anything that others see: in the rest the thread does the same. Each case is a way of its own
//! for the engines, and a loop of eight cases has 64 ways in two rounds. Here a piece of code that
//! stands twice is kept once, and branches that lead to one place, one behind the other, become one
//! branch on whether any of them is taken. The thread does what it did.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::residue::{CodePiece, Line, Origin, is_inner, words};

/// Leads jumps to the first of those pieces of code that are the same, from their label to where
/// the thread goes elsewhere.
pub(crate) fn without_repeated_ways(code: &mut [Line]) {
    let mut alike: BTreeMap<(usize, Option<Origin>, Option<u32>), Vec<LabelledWay>> =
        BTreeMap::new();
    for (at, (piece, _)) in code.iter().enumerate() {
        if let CodePiece::Label(label) = piece {
            let way = LabelledWay::at(code, *label, at + 1);
            let first = code.get(way.start).and_then(|(_, origin)| *origin);
            alike.entry((way.end - way.start, first, way.further)).or_default().push(way);
        }
    }
    alike.retain(|_, ways| ways.len() > 1);
    if alike.is_empty() {
        return;
    }
    let spans = spans_of_temporaries(code);
    let mut instead: FxHashMap<u32, u32> = FxHashMap::default();
    for ways in alike.values() {
        let mut kept: Vec<&LabelledWay> = Vec::new();
        for way in ways {
            match kept.iter().find(|of| of.is_same(way, code, &spans)) {
                Some(of) => {
                    instead.insert(way.label, of.label);
                }
                None => kept.push(way),
            }
        }
    }
    for (piece, _) in code {
        if let CodePiece::Jump(_, to) = piece
            && let Some(of) = instead.get(to)
        {
            *to = *of;
        }
    }
}

/// From which line to which one a register of its own stands.
type RegisterSpans = FxHashMap<String, (usize, usize)>;

fn spans_of_temporaries(code: &[Line]) -> RegisterSpans {
    let mut spans = RegisterSpans::default();
    for (at, (piece, _)) in code.iter().enumerate() {
        for register in
            piece.reads().into_iter().chain(piece.writes()).filter(|word| is_temporary(word))
        {
            match spans.get_mut(register) {
                Some((_, last)) => *last = at,
                None => {
                    spans.insert(register.to_owned(), (at, at));
                }
            }
        }
    }
    spans
}

/// Is it a register that the code was given a new one of wherever it needed one?
fn is_temporary(word: &str) -> bool {
    word.starts_with('t') && is_inner(word)
}

/// A piece of code from behind its label to where the thread goes elsewhere.
struct LabelledWay {
    label: u32,
    start: usize,
    end: usize,
    /// Where it goes on; nothing where it ends.
    further: Option<u32>,
}

impl LabelledWay {
    fn at(code: &[Line], label: u32, start: usize) -> Self {
        for (end, (piece, _)) in code.iter().enumerate().skip(start) {
            let further = match piece {
                CodePiece::Jump(None, to) | CodePiece::Label(to) => Some(*to),
                CodePiece::End => None,
                _ => continue,
            };
            return Self { label, start, end, further };
        }
        Self { label, start, end: code.len(), further: None }
    }

    /// Is another one the same, but for registers that stand nowhere else?
    fn is_same(&self, other: &Self, code: &[Line], spans: &RegisterSpans) -> bool {
        let mut pairs = RegisterPairs {
            of: [self, other],
            spans,
            there: FxHashMap::default(),
            here: FxHashMap::default(),
        };
        let (here, there) = (&code[self.start..self.end], &code[other.start..other.end]);
        here.iter().zip(there).all(|((a, of), (b, and))| of == and && pairs.is_same(a, b))
    }
}

/// Which register of one way is which one of the other.
struct RegisterPairs<'a> {
    of: [&'a LabelledWay; 2],
    spans: &'a RegisterSpans,
    there: FxHashMap<String, String>,
    here: FxHashMap<String, String>,
}

impl RegisterPairs<'_> {
    fn is_same(&mut self, a: &CodePiece, b: &CodePiece) -> bool {
        match (a, b) {
            (CodePiece::Jump(Some((a, when)), to), CodePiece::Jump(Some((b, other)), and)) => {
                when == other && to == and && self.is_word(a, b)
            }
            (CodePiece::Other(a), CodePiece::Other(b)) => self.is_text(a, b),
            (
                CodePiece::Read { operation, to, cell },
                CodePiece::Read { operation: other_operation, to: other_to, cell: other_cell },
            ) => operation == other_operation && cell == other_cell && self.is_word(to, other_to),
            (
                CodePiece::Write { operation, cell, operands, idle: None },
                CodePiece::Write {
                    operation: other_operation,
                    cell: other_cell,
                    operands: other_operands,
                    idle: None,
                },
            ) => {
                cell == other_cell
                    && self.is_text(operands, other_operands)
                    && self.is_text(operation, other_operation)
            }
            (a, b) => a == b,
        }
    }

    fn is_text(&mut self, a: &str, b: &str) -> bool {
        if a == b && !words(a).any(is_temporary) {
            return true;
        }
        let (mut first, mut second) = (words(a), words(b));
        loop {
            match (first.next(), second.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if self.is_word(a, b) => {}
                _ => return false,
            }
        }
    }

    fn is_word(&mut self, a: &str, b: &str) -> bool {
        let is_own = |way: &LabelledWay, word: &str| {
            is_temporary(word)
                && self
                    .spans
                    .get(word)
                    .is_some_and(|(first, last)| way.start <= *first && *last < way.end)
        };
        match (is_own(self.of[0], a), is_own(self.of[1], b)) {
            (false, false) => a == b,
            (true, true) => {
                self.there.entry(a.to_owned()).or_insert_with(|| b.to_owned()) == b
                    && self.here.entry(b.to_owned()).or_insert_with(|| a.to_owned()) == a
            }
            _ => false,
        }
    }
}

/// Makes one branch of those that lead to one place, one behind the other, with nothing but
/// comparisons between.
pub(crate) fn with_joined_branches(code: &mut [Line]) {
    let leads = |code: &[Line], at: usize| {
        let Some((CodePiece::Jump(Some((register, true)), to), _)) = code.get(at) else {
            return None;
        };
        let Some((CodePiece::Other(text), _)) = code.get(at.checked_sub(1)?) else { return None };
        let is_truth = text.starts_with("setp.") || text.starts_with("or.u32");
        (is_truth && words(text).nth(1) == Some(register)).then(|| (register.clone(), *to))
    };
    let mut at = 0;
    let mut counts: Option<FxHashMap<String, usize>> = None;
    while at + 2 < code.len() {
        let (first, second) = match (leads(code, at), leads(code, at + 2)) {
            (Some((first, to)), Some((second, and))) if to == and && first != second => {
                (first, second)
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let counts = counts.get_or_insert_with(|| {
            let mut counts: FxHashMap<String, usize> = FxHashMap::default();
            for register in code.iter().flat_map(|(p, _)| p.reads()) {
                *counts.entry(register.to_owned()).or_default() += 1;
            }
            counts
        });
        // Whoever jumped in front of the second comparison has not made it.
        if !is_temporary(&second)
            || counts.get(&second) != Some(&1)
            || code[at + 1].0.reads().contains(&first.as_str())
        {
            at += 1;
            continue;
        }
        let origin = code[at].1;
        let any = CodePiece::Other(format!("or.u32 {second}, {first}, {second}"));
        code.swap(at, at + 1);
        code[at + 1] = (any, origin);
        at += 2;
        // The next one is joined with this one.
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residue::lines::{jump, other};
    use crate::residue::tidy;

    fn label(of: u32) -> Line {
        (CodePiece::Label(of), None)
    }

    fn goes(to: u32) -> Line {
        (CodePiece::Jump(None, to), None)
    }

    /// Three cases of what `r0` is; what each does is given.
    fn cases(of: [&[Line]; 3]) -> Vec<Line> {
        let mut code = vec![label(9)];
        for n in 0..3 {
            code.extend([
                other(&format!("setp.eq.u64 t{n}, r0, {n}")),
                jump(&format!("t{n}"), true, n),
            ]);
        }
        code.extend([other("mov cut, 1"), (CodePiece::End, None)]);
        for (n, lines) in of.into_iter().enumerate() {
            code.push(label(n as u32));
            code.extend(lines.iter().cloned());
            code.push(goes(9));
        }
        code
    }

    fn texts(code: &[Line]) -> Vec<String> {
        code.iter()
            .map(|(p, _)| p.text(&mut |_| String::new(), &|label| format!("L{label}")))
            .collect()
    }

    #[test]
    fn cases_that_do_the_same_are_one_branch() {
        let does =
            |t: u32| vec![other(&format!("add.u32 t{t}, r1, 1")), other(&format!("mov out, t{t}"))];
        let code = tidy(cases([&does(10), &does(11), &does(12)]));
        assert_eq!(
            texts(&code),
            [
                "L9:",
                "setp.eq.u64 t0, r0, 0",
                "setp.eq.u64 t1, r0, 1",
                "or.u32 t1, t0, t1",
                "setp.eq.u64 t2, r0, 2",
                "or.u32 t2, t1, t2",
                "@t2 bra L0",
                "mov cut, 1",
                "exit",
                "L0:",
                "add.u32 t10, r1, 1",
                "mov out, t10",
                "bra L9",
            ]
        );
    }

    #[test]
    fn what_is_not_the_same_stays_apart() {
        let does = |text: &str| vec![other(text)];
        let branches = |code: &[Line]| {
            code.iter().filter(|(p, _)| matches!(p, CodePiece::Jump(Some(_), _))).count()
        };
        // What two do, and how many branches are left of three.
        for (first, second, left) in [
            ("mov out, r1", "mov out, r1", 1),
            ("mov out, r1", "mov out, r2", 2),
            ("mov out, 1", "mov out, 2", 2),
            // A register that is read elsewhere is no other one.
            ("mov r1, t20", "mov r1, t21", 2),
            ("mov out, t1", "mov out, t2", 3),
        ] {
            let mut code = cases([&does(first), &does(first), &does(second)]);
            code.splice(
                0..0,
                [other("add.u32 t20, r1, 1"), other("add.u32 t21, r1, 2"), other("mov out, r1")],
            );
            let code = tidy(code);
            assert_eq!(branches(&code), left, "{first}; {second}: {:?}", texts(&code));
        }
        // Two registers are not one.
        let twice = [
            other("add.u32 t10, r1, 1"),
            other("add.u32 t11, r1, 2"),
            other("xor.u32 t10, t10, t11"),
            other("mov out, t10"),
        ];
        let once = [
            other("add.u32 t12, r1, 1"),
            other("add.u32 t12, r1, 2"),
            other("xor.u32 t12, t12, t12"),
            other("mov out, t12"),
        ];
        assert_eq!(branches(&tidy(cases([&once, &once, &twice]))), 2);
        // What comes from another instruction is told at that one.
        let at = |instruction| {
            vec![(
                CodePiece::Other("mov out, r1".to_owned()),
                Some(Origin { function: 0, instruction }),
            )]
        };
        assert_eq!(branches(&tidy(cases([&at(1), &at(1), &at(2)]))), 2);
        // Whoever branches away in front of a comparison that is read later has not made it.
        let mut code = cases([&does("mov out, r1"), &does("mov out, r1"), &does("mov out, r1")]);
        code.extend([label(7), other("mov out, t1")]);
        code.splice(0..0, [jump("r8", true, 7)]);
        assert!(branches(&tidy(code)) > 2);
    }
}
