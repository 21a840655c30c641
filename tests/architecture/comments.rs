//! Comments say what the code does not, and fit on a screen.

use super::workspace::{packages, sources};

/// Whose comments are the help that users see.
const SHOWN_COMMENTS: [&str; 4] = ["Args", "Parser", "Subcommand", "ValueEnum"];

/// The words of a comment or of code, in small letters: `EventSet` and `event_set` are `event`,
/// `set`.
fn small_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in text.chars() {
        if !c.is_ascii_alphabetic() || c.is_ascii_uppercase() && was_small {
            words.push(String::new());
        }
        if c.is_ascii_alphabetic() {
            words.last_mut().expect("a word").push(c.to_ascii_lowercase());
        }
        was_small = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Does a comment say nothing that the code below it does not: are all its words, but those of
/// grammar, words of the code? A spelling in backquotes and a number are more than that.
fn repeats(comment: &str, code: &str) -> bool {
    const GRAMMAR: &str = "the a an of its it is are in to for and or that this by with one on at as be which what whose from was were their they them there how";
    if comment.contains('`') || comment.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let known = small_words(code);
    let is_known = |word: &String| {
        let stem = word.strip_suffix('s').unwrap_or(word);
        known.iter().any(|other| {
            let other = other.strip_suffix('s').unwrap_or(other);
            stem == other
                || stem.len().min(other.len()) >= 4
                    && (stem.starts_with(other) || other.starts_with(stem))
        })
    };
    small_words(comment).iter().all(|word| GRAMMAR.split(' ').any(|g| g == word) || is_known(word))
}

/// The comments of one line in a text that repeat the line of code below them, or the head of the
/// type around it: `line: comment`.
fn repeated(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_comment =
        |at: usize| lines.get(at).is_some_and(|line| line.trim_start().starts_with("///"));
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("/// ") else { continue };
        if is_comment(at + 1) || at > 0 && is_comment(at - 1) {
            continue;
        }
        let attributes = lines[at + 1..].iter().take_while(|l| l.trim_start().starts_with("#["));
        let below = at + 1 + attributes.clone().count();
        let above = lines[..at].iter().rposition(|l| {
            let heads = ["///", "//", "#[", "}", ")"];
            !l.trim().is_empty()
                && depth(l) < depth(line)
                && !heads.iter().any(|h| l.trim_start().starts_with(h))
        });
        let item = lines[..at]
            .iter()
            .rposition(|l| !l.is_empty() && depth(l) == 0)
            .filter(|_| depth(line) > 0);
        // What is derived for the type, by which its comments are shown.
        let derived = item.map_or(&[] as &[&str], |item| {
            let from = lines[..item]
                .iter()
                .rposition(|l| !l.starts_with("#[") && !l.starts_with("///"))
                .map_or(0, |l| l + 1);
            &lines[from..item]
        });
        let mut shown =
            attributes.chain(derived).flat_map(|l| SHOWN_COMMENTS.map(|name| l.contains(name)));
        let heads = [above, item].into_iter().flatten().map(|l| lines[l]);
        let code: Vec<&str> = lines.get(below).copied().into_iter().chain(heads).collect();
        if !shown.any(|shown| shown) && repeats(comment, &code.join(" ")) {
            found.push(format!("{}: {comment}", at + 1));
        }
    }
    found
}

#[test]
fn no_comment_repeats_the_name_below_it() {
    let texts = |code: &str| repeated(code).len();
    assert_eq!(texts("/// A token of the text.\n#[derive(Debug)]\nstruct TextToken;\n"), 1);
    assert_eq!(
        texts(
            "struct Edge {\n    /// Its kind.\n    kind: EdgeKind,\n    /// Which.\n    label: Label,\n}\n"
        ),
        2
    );
    assert_eq!(
        texts(
            "impl Fence {\n    /// All scopes of fences.\n    pub fn all(self) -> Vec<Scope> {\n"
        ),
        1
    );
    // It says more: another word, a spelling, a shape, a second line.
    let more = [
        "struct Edge {\n    /// By `rf`.\n    rf: Rf,\n",
        "/// Seconds.\nlimit: u64,\n",
        "/// The limit.\n/// In bytes.\nlimit: u64,\n",
    ];
    assert!(more.iter().all(|code| texts(code) == 0), "{more:?}");
    // A user sees it.
    assert_eq!(
        texts(
            "#[derive(Debug, Args)]\nstruct RunArguments {\n    /// The model.\n    model: String,\n"
        ),
        0
    );
    let mut read = 0;
    let mut found = Vec::new();
    // The comments of documents are descriptions in their schemas.
    for package in packages().values().filter(|p| p.folder != "reports") {
        for (path, text) in sources(&format!("{}/src", package.folder)) {
            read += 1;
            found.extend(
                repeated(&text).into_iter().map(|line| format!("{}:{line}", path.display())),
            );
        }
    }
    assert!(read > 500, "{read}");
    assert_eq!(
        found,
        Vec::<String>::new(),
        "say what the name does not (shape, unit, error, source), or say nothing"
    );
}

/// The most lines of comments with more than 100 characters: examples of code and tables, which
/// cannot be cut. It may become smaller only.
const MOST_WIDE_COMMENTS: usize = 15;

/// rustfmt keeps code to 100 columns, and leaves comments as they are.
#[test]
fn comments_are_not_wider_than_code() {
    let mut read = 0;
    let mut wide = Vec::new();
    for package in packages().values() {
        for part in ["src", "tests", "examples", "benches"] {
            for (path, text) in sources(&format!("{}/{part}", package.folder)) {
                read += 1;
                let is_wide = |line: &str| {
                    line.trim_start().starts_with("//")
                        && !line.contains('"')
                        && line.chars().count() > 100
                };
                let lines = text.lines().enumerate().filter(|(_, line)| is_wide(line));
                wide.extend(lines.map(|(at, _)| format!("{}:{}", path.display(), at + 1)));
            }
        }
    }
    assert!(read > 1000, "{read}");
    assert!(wide.len() <= MOST_WIDE_COMMENTS, "{wide:#?}");
}
