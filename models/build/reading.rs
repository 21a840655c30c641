//! Another reading of a model, said by the lines in which it differs: a unified diff, as `diff -u`
//! and `git diff` write it. The build makes the whole text of it.

/// The name of the file that a reading differs from: behind `---`.
pub fn base(patch: &str) -> Result<&str, String> {
    let named = patch.lines().next().and_then(|line| line.strip_prefix("--- "));
    named
        .map(|name| name.split('\t').next().unwrap_or(name))
        .ok_or_else(|| "line 1: expected `--- MODEL.cat`".to_owned())
}

/// The text with the differences made. The old lines of each must be in the text once, behind those
/// of the difference before; line numbers are not looked at, so that a line that comes into the
/// model elsewhere changes no reading.
pub fn read(text: &str, patch: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    for hunk in hunks(patch)? {
        if hunk.old.is_empty() {
            return Err(format!("line {}: no line says where this belongs", hunk.line));
        }
        let mut places = text
            .match_indices(&hunk.old)
            .map(|(at, _)| at)
            .filter(|&at| at == 0 || text[..at].ends_with('\n'));
        let (Some(place), None) = (places.next(), places.next()) else {
            return Err(format!(
                "line {}: the old lines are not in the model, or more than once; make the reading again of it:\n{}",
                hunk.line, hunk.old
            ));
        };
        let done = text.len() - rest.len();
        let Some(kept) = place.checked_sub(done) else {
            return Err(format!(
                "line {}: the old lines stand in front of those of the difference before",
                hunk.line
            ));
        };
        out += &rest[..kept];
        out += &hunk.new;
        rest = &rest[kept + hunk.old.len()..];
    }
    Ok(out + rest)
}

/// Lines that take the place of others.
struct Hunk {
    /// Where it begins in the patch, from 1.
    line: usize,
    old: String,
    new: String,
}

fn hunks(patch: &str) -> Result<Vec<Hunk>, String> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for (number, line) in patch.split_inclusive('\n').enumerate().skip(2) {
        if line.starts_with("@@") {
            hunks.push(Hunk { line: number + 1, old: String::new(), new: String::new() });
            continue;
        }
        let (Some(hunk), Some((sign, text))) = (hunks.last_mut(), line.split_at_checked(1)) else {
            return Err(format!("line {}: expected `@@`", number + 1));
        };
        let (is_old, is_new) = match sign {
            " " => (true, true),
            "-" => (true, false),
            "+" => (false, true),
            _ => {
                return Err(format!(
                    "line {}: expected a line that begins with ` `, `-` or `+`",
                    number + 1
                ));
            }
        };
        hunk.old += if is_old { text } else { "" };
        hunk.new += if is_new { text } else { "" };
    }
    if hunks.is_empty() { Err("no line begins with `@@`".to_owned()) } else { Ok(hunks) }
}
