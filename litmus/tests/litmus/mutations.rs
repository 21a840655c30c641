//! The corpus, damaged in many ways: every text is a test or is diagnosed, with places within it,
//! and none makes a reader, the printer or the unfolding panic. The damage is the same in each run;
//! `MARGAY_MUTATIONS` asks for more of it.

use margay_litmus::read;
use margay_litmus::unfold::{Unfolding, UnfoldingBounds};
use margay_models::diagnostic::SourceFile;

/// Vigna's SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A place in a text between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// What a hostile hand might insert.
const PIECES: [&str; 44] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "|",
    ":",
    ",",
    ".",
    "@",
    "=",
    "\"",
    "(*",
    "*)",
    "//",
    "/*",
    "\\/",
    "/\\",
    "~",
    "&",
    "*",
    "\n",
    "\t",
    "\r\n",
    "\u{feff}",
    "é→",
    "0",
    "-1",
    "99999999999999999999",
    "18446744073709551615",
    "0x",
    "P0",
    "P63:r0",
    "P255:r0",
    "exists",
    "x[2]={0,0}",
    "x[18446744073709551615]",
    "{r0, r1}",
    ".v4.u64",
    "goto L",
    "for (;;) {}",
    "scopes: (device (cta P0))",
];

fn damage(text: &mut String, other: &str, random: &mut Random) {
    let (a, b) = (random.place(text), random.place(text));
    let (from, to) = (a.min(b), a.max(b));
    // Most damage is small.
    let near = (from + 1 + random.below(12)).min(text.len());
    let near = (near..=text.len()).find(|&n| text.is_char_boundary(n)).unwrap_or(text.len());
    match random.below(8) {
        0 => text.replace_range(from..near, ""),
        1 => text.insert_str(from, PIECES[random.below(PIECES.len())]),
        2 => text.replace_range(from..near, PIECES[random.below(PIECES.len())]),
        3 => {
            let piece = text[from..near].to_string();
            text.insert_str(to, &piece);
        }
        4 => {
            let piece = text[from..to].to_string();
            text.insert_str(to, &piece);
        }
        5 => text.truncate(from),
        6 => {
            let at = random.place(other);
            let piece: String = other[at..].chars().take(1 + random.below(40)).collect();
            text.insert_str(from, &piece);
        }
        _ => {
            let piece = PIECES[random.below(PIECES.len())].repeat(1 + random.below(300));
            text.insert_str(from, &piece);
        }
    }
}

/// Goes as far with a text as its damage allows; gives what it was: a test that unfolds, one that
/// does not, no test.
fn go(text: &str) -> usize {
    let file = SourceFile::new("damaged", text);
    let read = match read::test(&file) {
        Ok(read) => read,
        Err(errors) => {
            assert!(!errors.is_empty(), "no test and no error:\n{text}");
            for label in errors.iter().flat_map(|e| &e.labels) {
                assert!(
                    label.span.start <= label.span.end && label.span.end <= text.len(),
                    "{errors:?}\n{text}"
                );
            }
            return 2;
        }
    };
    let printed = read.test.to_string();
    match read::test(&SourceFile::new("printed", printed.clone())) {
        Ok(again) => assert!(again.test == read.test, "{text}\nprints as another test:\n{printed}"),
        // Parentheses are printed around every operand, so that what is near the limit comes out
        // beyond it.
        Err(errors) if errors[0].message.contains("nested more than") => {}
        Err(errors) => {
            panic!("{text}\nprints as\n{printed}\nwhich does not read back: {}", errors[0])
        }
    }
    let signature = read.test.dialect.signature();
    match Unfolding::new(
        &read.test,
        signature,
        UnfoldingBounds { paths: 50, ..UnfoldingBounds::default() },
    ) {
        Ok(unfolding) => {
            for number in 0..unfolding.len().min(3) {
                let _ = unfolding.skeleton(number);
            }
            0
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            1
        }
    }
}

#[test]
fn damaged_corpus() {
    let folders = crate::corpora::folders();
    let mut texts: Vec<String> = Vec::new();
    for folder in &folders {
        let mut files: Vec<&str> = folder.lines.iter().map(|l| l.file.as_str()).collect();
        files.dedup();
        // The generated shapes are alike: a few of them say as much as all.
        let step = if folder.path.to_string_lossy().contains("shapes") { 20 } else { 1 };
        texts.extend(
            files
                .iter()
                .step_by(step)
                .map(|f| std::fs::read_to_string(folder.path.join(f)).unwrap()),
        );
    }
    assert!(texts.len() > 200, "{}", texts.len());
    let rounds = std::env::var("MARGAY_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let mut random = Random(2026);
    let mut counts = [0usize; 3];
    for _ in 0..rounds {
        for n in 0..texts.len() {
            let mut text = texts[n].clone();
            for _ in 0..=random.below(3) {
                let other = random.below(texts.len());
                damage(&mut text, &texts[other], &mut random);
            }
            counts[go(&text)] += 1;
        }
    }
    assert!(
        counts[0] > 100 && counts[2] > 100,
        "the damage is too small or too large to say anything: {counts:?}"
    );
}

#[test]
fn nesting_and_size() {
    let ptx = |state: &str, cell: &str, condition: &str| {
        format!("PTX t\n{{ x=0; {state} }}\n P0@cta 0,gpu 0 ;\n {cell} ;\nexists ({condition})\n")
    };
    let deep = |n: usize| format!("{}x == 1{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(go(&ptx("", "st.weak x, 1", &deep(50))), 0);
    for text in [
        ptx("", "st.weak x, 1", &deep(100_000)),
        ptx("", "st.weak x, 1", &format!("{}x == 1", "~".repeat(100_000))),
        ptx("", "st.weak x, 1", &format!("x == 1{}", " => x == 1".repeat(100_000))),
        ptx("", "st.weak x, 1 | st.weak x, 2", "x == 1"),
        ptx("y[4097]", "st.weak x, 1", "x == 1"),
        ptx("", "st.weak x, 9223372036854775808", "x == 1"),
        "(*".repeat(100_000),
        format!("PTX t {}", "{".repeat(100_000)),
        format!("C t {{ }} P0 (int* x) {{ {} x = 1; }} exists (x = 1)", "if (1) {".repeat(100_000)),
        format!("C t {{ }} P0 (int* x) {{ *x = {}1; }} exists (x = 1)", "-(".repeat(100_000)),
        format!("C t {{ }} P0 (int* x) {{ *x = 1{}; }} exists (x = 1)", "+1".repeat(100_000)),
        format!("C t {{ }} P0 (int* x) {{ {} }} exists (x = 1)", "for (;;) ".repeat(100_000)),
        format!(
            "GPU_PTX t\n{{ }}\n T0 ;\n ;\nScopeTree({}\nexists (x == 1)",
            "grid(".repeat(100_000)
        ),
    ] {
        assert_eq!(go(&text), 2, "{}", &text[..text.len().min(200)]);
    }
}
