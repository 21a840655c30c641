//! What precedes the program: the title line, the description, and the initial state in braces.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::Proxy;
use margay_models::mbarrier::Mbarrier;
use margay_models::signature::architecture::Assembly;
use margay_models::signature::{Architecture, architecture};
use margay_models::text::blank;

use super::cursor::{Cursor, MAX_COUNT};
use super::token::TokenKind;
use crate::test::{
    Alias, Dialect, InitialValue, LocationDeclaration, Place, RegisterDeclaration, Space, ThreadId,
    Type, element,
};

/// The first line.
pub(super) struct Title {
    pub dialect: Dialect,
    /// How its instructions are written, if that is in assembly.
    pub assembly: Option<&'static Assembly>,
    pub name: String,
    /// Where the rest of the text begins.
    pub end: usize,
}

/// The names of dialects that are read.
const DIALECTS: [(&str, Dialect); 10] = [
    ("PTX", Dialect::Ptx),
    ("ptx", Dialect::Ptx),
    ("GPU_PTX", Dialect::GpuPtx),
    ("GENERIC", Dialect::Generic),
    ("Generic", Dialect::Generic),
    ("C", Dialect::C),
    ("C11", Dialect::C),
    ("OPENCL", Dialect::C),
    ("OpenCL", Dialect::C),
    ("CUDA", Dialect::C),
];

/// Reads the first line that is not empty or a comment: dialect and name.
pub(super) fn title(file: &Arc<SourceFile>) -> Result<Title, Diagnostic> {
    let text = &file.text;
    let mut start = 0;
    while let length @ 1.. = blank(file, start)? {
        start += length;
    }
    let line = text[start..].lines().next().unwrap_or_default();
    let word = line.split([' ', '\t', '{', '"']).next().unwrap_or_default();
    let span = Span::new(start, start + word.len());
    let known = DIALECTS.iter().find(|(name, _)| *name == word).map(|&(_, dialect)| dialect);
    // `ptx` and `CUDA` begin tests and no models: to a model the word is the text of that name, and
    // so it is to a test beside that text.
    let of_models =
        Architecture::FRONT_ENDS.iter().any(|front_end| front_end.words().contains(&word));
    let own = if known.is_some() && !of_models {
        architecture::beside(word, file).map_err(first)?
    } else {
        None
    };
    let known = own.map(Dialect::Text).or(known);
    let spoken = if known.is_none() && is_word(word) {
        architecture::of_assembly(word, file).map_err(first)?
    } else {
        None
    };
    let known = known.or(spoken.map(Dialect::Text));
    let Some(dialect) = known.map_or_else(|| of_text(file, word), |dialect| Ok(Some(dialect)))?
    else {
        let error = if line.trim().is_empty() {
            Diagnostic::error("the text is empty").at(
                file,
                Span::new(start, start),
                "expected a litmus test",
            )
        } else {
            Diagnostic::error(format!("unknown kind of litmus test `{}`", shortened(word))).at(
                file,
                span,
                format!("expected {}", kinds()),
            )
        };
        if let Some((_, what)) = NOT_READ.iter().find(|(kind, _)| *kind == word) {
            return Err(Diagnostic::error(format!(
                "tests of the kind `{word}` are not read: {what}"
            ))
            .at(file, span, format!("expected {}", kinds()))
            .help("write the program in one of these, e.g. as `C` or `PTX`"));
        }
        let near = if word.is_empty() {
            None
        } else {
            nearest(word, DIALECTS.iter().map(|(name, _)| *name))
        };
        return Err(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if word.is_empty() => error.help("a litmus test starts with its kind and name, e.g. `PTX mp`"),
            None => error.help(format!(
                "a litmus test starts with its kind and name, e.g. `PTX mp`; that of an architecture of your own needs `{}.arch` beside it, or a \
                 model of it to run under",
                shortened(word)
            )),
        });
    };
    let rest = &line[word.len()..];
    let name_start = span.end + (rest.len() - rest.trim_start().len());
    let rest = &text[name_start..start + line.len()];
    // The name is one word, or a text in quotation marks whose blanks become hyphens.
    let (name, end) = match rest.strip_prefix('"').and_then(|r| r.find('"').map(|n| &r[..n])) {
        Some(quoted) => {
            (quoted.split_whitespace().collect::<Vec<_>>().join("-"), name_start + quoted.len() + 2)
        }
        None => {
            let length = rest.find([' ', '\t', '{', '"']).unwrap_or(rest.len());
            (rest[..length].to_string(), name_start + length)
        }
    };
    if name.is_empty() {
        return Err(Diagnostic::error("the test has no name")
            .at(file, span, "the name follows here")
            .help("write a name after the kind, e.g. `PTX mp`"));
    }
    Ok(Title { dialect, assembly: spoken.and_then(Architecture::assembly), name, end })
}

/// The architecture whose text a word names: beside the test, among those of the models that were
/// read, or built in.
fn of_text(file: &Arc<SourceFile>, word: &str) -> Result<Option<Dialect>, Diagnostic> {
    if !is_word(word) {
        return Ok(None);
    }
    let beside = architecture::beside(word, file).map_err(first)?;
    let found =
        beside.or_else(|| Architecture::known(word)).or_else(|| Architecture::built_in(word));
    Ok(found.map(Dialect::Text))
}

/// Can it name a file of an architecture?
fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.contains(['/', '\\'])
}

fn first(errors: Vec<Diagnostic>) -> Diagnostic {
    errors.into_iter().next().unwrap_or_else(|| Diagnostic::error("no architecture"))
}

/// Kinds of tests of herd7's that are not read, and what they are.
const NOT_READ: [(&str, &str); 5] = [
    ("Bell", "they are herd7's generic assembly, whose instructions a .bell file gives a meaning"),
    ("ASL", "they are pseudocode of the Arm architecture"),
    ("BPF", "they are bytecode of the Linux kernel, of which there is no model here"),
    ("JAVA", "they are Java, of which there is no model here"),
    ("Java", "they are Java, of which there is no model here"),
];

/// The first words of tests that are read.
fn kinds() -> String {
    let tables = architecture::built_in_words();
    let assembly = architecture::built_in_assembly();
    format!(
        "PTX, GPU_PTX, GENERIC, C; in assembly {}; as tables of instructions {}",
        assembly.join(", "),
        tables.join(", ")
    )
}

/// At most 40 characters of a word that may be anything.
fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}

/// Reads the description up to the opening brace. Lines such as herd's `Orig=Rfe PodRR` are passed
/// over; other words are warned of.
pub(super) fn description(
    cursor: &mut Cursor<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<String>, Diagnostic> {
    let mut description: Option<String> = None;
    let mut warned = false;
    while !cursor.is('{') {
        let Some(token) = cursor.peek() else {
            return Err(cursor.expected("`{` and the initial state"));
        };
        let is_information = token.kind == TokenKind::Word && cursor.is_at(1, '=');
        if let TokenKind::Text = token.kind {
            let text = cursor.text(token.span).trim_matches('"');
            description.get_or_insert_with(|| text.to_string());
            cursor.advance();
        } else {
            if !is_information && !warned {
                warned = true;
                warnings.push(Diagnostic::warning("text before the initial state is ignored").at(
                    cursor.file,
                    token.span,
                    "neither a quoted description nor `Key=value`",
                ));
            }
            // Where the line ends is found once: to count the lines before each word of a long one
            // took minutes.
            let rest = &cursor.file.text[token.span.start..];
            let end = token.span.start + rest.find('\n').unwrap_or(rest.len());
            while cursor.peek().is_some_and(|t| t.span.start < end) && !cursor.is('{') {
                cursor.advance();
            }
        }
    }
    Ok(description)
}

pub(super) struct InitialState {
    pub locations: Vec<LocationDeclaration>,
    pub registers: Vec<RegisterDeclaration>,
}

impl InitialState {
    /// Is there a location or an array of that name?
    pub fn declares(&self, name: &str) -> bool {
        self.locations
            .iter()
            .any(|l| l.name == name || element(&l.name).is_some_and(|(array, _)| array == name))
    }

    fn add(&mut self, name: &str, place: Span) {
        if !self.declares(name) {
            self.locations.push(LocationDeclaration {
                width: crate::test::AssemblyWidth::default(),
                name: name.to_string(),
                value: None,
                alias: None,
                space: None,
                mbarrier: false,
                place: Place(place),
            });
        }
    }

    /// Locations that the program uses but nobody declares: declared here, with a warning.
    /// A name that looks like a mistyped declared one is an error.
    pub fn add_undeclared(
        &mut self,
        names: Vec<(String, Span)>,
        file: &Arc<SourceFile>,
        warnings: &mut Vec<Diagnostic>,
        errors: &mut Vec<Diagnostic>,
    ) {
        for (name, span) in names {
            if !self.declares(&name) {
                let letters =
                    |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
                // `x1` beside `x0` is no mistake.
                let others = self
                    .locations
                    .iter()
                    .map(|l| l.name.as_str())
                    .filter(|l| letters(l) != letters(&name));
                if let Some(near) = nearest(&name, others).filter(|_| name.chars().count() > 2) {
                    let error = Diagnostic::error(format!("unknown location `{name}`")).at(
                        file,
                        span,
                        "not declared",
                    );
                    errors.push(error.help(format!(
                        "did you mean `{near}`? Or declare it: `{name}=0;` in the initial state"
                    )));
                    self.add(&name, span);
                    continue;
                }
                let warning = Diagnostic::warning(format!("location `{name}` is not declared")).at(
                    file,
                    span,
                    "taken as a location that holds 0 at the start",
                );
                warnings.push(warning.help(format!("write `{name}=0;` in the initial state")));
                self.add(&name, span);
            }
        }
    }

    /// Older tests in assembly name registers of their own without a thread: `%x0=x` is one of
    /// whichever thread writes `[%x0]`.
    pub fn give_registers(&mut self, cursor: &Cursor<'_>, threads: usize) {
        let (named, locations): (Vec<_>, Vec<_>) = std::mem::take(&mut self.locations)
            .into_iter()
            .partition(|l| l.name.starts_with('%') && l.value.is_some());
        self.locations = locations;
        for LocationDeclaration { name, value, place, .. } in named {
            for thread in (0..threads).map(|t| ThreadId(t as u16)) {
                let name = cursor.register(thread, &name);
                if !self.registers.iter().any(|r| r.thread == thread && r.name == name) {
                    self.registers.push(RegisterDeclaration {
                        thread,
                        name,
                        ty: None,
                        value: value.clone(),
                        place,
                    });
                }
            }
        }
    }

    /// 2015 form: what registers point to is a location, declared or not.
    pub fn add_addresses(&mut self) {
        let pointed: Vec<(String, Span)> = self
            .registers
            .iter()
            .filter_map(|r| match &r.value {
                Some(InitialValue::AddressOf(name)) => Some((name.clone(), r.place.0)),
                _ => None,
            })
            .collect();
        for (name, span) in pointed {
            self.add(&name, span);
        }
    }

    /// 2015 form: the state spaces of the memory map, which declares locations too.
    pub fn add_mapped(
        &mut self,
        mapped: Vec<(String, Space, Span)>,
        undeclared: Vec<(String, Span)>,
        file: &Arc<SourceFile>,
        warnings: &mut Vec<Diagnostic>,
        errors: &mut Vec<Diagnostic>,
    ) {
        for (name, space, span) in mapped {
            self.add(&name, span);
            for location in self.locations.iter_mut().filter(|l| l.name == name) {
                location.space = Some(space);
            }
        }
        self.add_undeclared(undeclared, file, warnings, errors);
    }
}

/// Reads `{ .. }`.
pub(super) fn initial_state(cursor: &mut Cursor<'_>) -> Result<InitialState, Diagnostic> {
    let mut state = InitialState { locations: Vec::new(), registers: Vec::new() };
    let open = cursor.span();
    cursor.expect('{')?;
    while !cursor.eat('}') {
        if cursor.at_end() {
            return Err(cursor.error(
                "the initial state has no closing brace",
                open,
                "it starts here",
            ));
        }
        if cursor.eat(';') {
            continue;
        }
        declaration(cursor, &mut state)?;
        if !cursor.eat(';') && !cursor.is('}') {
            return Err(cursor.expected("`;` or `}`"));
        }
        if state.locations.len() > MAX_COUNT {
            return Err(cursor.error(
                format!("more than {MAX_COUNT} locations"),
                cursor.previous(),
                "too many",
            ));
        }
    }
    cursor.eat(';');
    Ok(state)
}

fn declaration(cursor: &mut Cursor<'_>, state: &mut InitialState) -> Result<(), Diagnostic> {
    let start = cursor.span();
    // A C type before the name says how wide a location of assembly is; in C the parameters say
    // what is atomic.
    let mut bits = None;
    // In PTX, `mbarrier bar=2` and `shared x=0`.
    let (mut mbarrier, mut space) = (false, None);
    while cursor.peek_word().is_some() {
        if let (Some(thread), true) = (cursor.thread_at(0), cursor.is_at(1, ':')) {
            cursor.advance();
            cursor.advance();
            return register(cursor, state, thread, start);
        }
        let named_later = cursor.word_at(1).is_some_and(|w| !w.starts_with("alias"))
            || cursor.is_at(1, '*')
            || cursor.is_at(1, '[') && cursor.word_at(2).is_some()
            || cursor.thread_at(1).is_some();
        if !named_later {
            break;
        }
        if cursor.declares_spaces {
            mbarrier |= cursor.peek_word() == Some("mbarrier");
            space = cursor
                .peek_word()
                .and_then(|word| {
                    [Space::Global, Space::Shared, Space::Tensor]
                        .into_iter()
                        .find(|s| s.name() == word)
                })
                .or(space);
        }
        if cursor.spoken.is_some() {
            bits = cursor.peek_word().and_then(bits_of_type).or(bits);
        }
        cursor.advance();
    }
    if let (Some(thread), true) = (cursor.thread_at(0), cursor.is_at(1, ':')) {
        cursor.advance();
        cursor.advance();
        return register(cursor, state, thread, start);
    }
    if cursor.eat('*') {
        bits = None;
        // `int64_t* 0:X1=x`
        if let (Some(thread), true) = (cursor.thread_at(0), cursor.is_at(1, ':')) {
            cursor.advance();
            cursor.advance();
            return register(cursor, state, thread, start);
        }
    }
    let bracket = cursor.eat('[');
    let (name, span) = cursor.word("a declaration, e.g. `x=0` or `P0:r0=0`")?;
    if bracket {
        cursor.expect(']')?;
    }
    if cursor.is('[') && !bracket {
        if mbarrier {
            return Err(cursor.error(
                "an array of mbarriers",
                span,
                "declare each by a name of its own",
            ));
        }
        let first = state.locations.len();
        array(cursor, state, name, span, bits)?;
        state.locations[first..].iter_mut().for_each(|element| element.space = space);
        return Ok(());
    }
    let mut location = LocationDeclaration {
        name: name.to_string(),
        value: None,
        alias: None,
        space,
        mbarrier,
        width: crate::test::AssemblyWidth(bits),
        place: Place(span),
    };
    if state.declares(name) {
        return Err(cursor.error(
            format!("location `{name}` is declared twice"),
            span,
            "the second declaration",
        ));
    }
    if cursor.eat('@') {
        let (word, at) = cursor.word("a proxy: generic, surface, texture or constant")?;
        let proxy = match word {
            "generic" => Proxy::Generic,
            "surface" => Proxy::Surface,
            "texture" => Proxy::Texture,
            "constant" => Proxy::Constant,
            _ => {
                return Err(cursor.unknown(
                    "proxy",
                    word,
                    at,
                    ["generic", "surface", "texture", "constant"],
                ));
            }
        };
        if !cursor.eat_word("aliases") && !cursor.eat_word("alias") {
            return Err(cursor.expected("`aliases` and a location"));
        }
        location.alias = Some(Alias { proxy, of: cursor.location("a location")? });
    } else if cursor.eat_word("aliases") {
        location.alias = Some(Alias { proxy: Proxy::Generic, of: cursor.location("a location")? });
    } else if cursor.eat('=') {
        let start = cursor.span();
        let value = initial_value(cursor)?;
        let is_count =
            matches!(value, InitialValue::Integer(n) if (1..=Mbarrier::MOST_ARRIVALS).contains(&n));
        if mbarrier && !is_count {
            let error = cursor.error(
                "an mbarrier starts with the number of arrivals that its phases wait for",
                start,
                "this value",
            );
            return Err(error.help(format!(
                "write e.g. `mbarrier {name}=1`, at most {}; without a value it is not initialised, and a thread has to",
                Mbarrier::MOST_ARRIVALS
            )));
        }
        location.value = Some(value);
    }
    if mbarrier && location.alias.is_some() {
        return Err(cursor.error("another name of an mbarrier", span, "an mbarrier has one name"));
    }
    state.locations.push(location);
    Ok(())
}

/// How wide a type is whose name says it.
pub(super) fn bits_of_type(name: &str) -> Option<u8> {
    let digits = name.strip_suffix("_t")?.trim_start_matches('u').strip_prefix("int")?;
    digits.parse().ok().filter(|bits| matches!(bits, 8 | 16 | 32 | 64))
}

/// `[2]={0,1}`, `[2]` (zeros) or `[1]=5` (one element) after the name of an array.
fn array(
    cursor: &mut Cursor<'_>,
    state: &mut InitialState,
    name: &str,
    span: Span,
    bits: Option<u8>,
) -> Result<(), Diagnostic> {
    cursor.expect('[')?;
    let number = cursor.integer("the number of elements")?;
    let number = usize::try_from(number).ok().filter(|&n| n <= MAX_COUNT);
    let Some(number) = number else {
        return Err(cursor.error(
            format!("an array has at most {MAX_COUNT} elements"),
            cursor.previous(),
            "this number",
        ));
    };
    cursor.expect(']')?;
    let place = Place(span.to(cursor.previous()));
    let known = state
        .locations
        .iter()
        .filter(|l| element(&l.name).is_some_and(|(array, _)| array == name))
        .count();
    if cursor.is('=') && !cursor.is_at(1, '{') {
        cursor.advance();
        if known != number || known == 0 && state.declares(name) {
            let error = cursor.error(
                "elements are declared one after the other",
                place.0,
                format!("expected `{name}[{known}]`"),
            );
            return Err(error.help(format!("declare all at once: `{name}[2]={{0,0}}`")));
        }
        let value = Some(initial_value(cursor)?);
        let name = format!("{name}[{number}]");
        state.locations.push(LocationDeclaration {
            name,
            value,
            alias: None,
            space: None,
            mbarrier: false,
            width: crate::test::AssemblyWidth(bits),
            place,
        });
        return Ok(());
    }
    if state.declares(name) {
        return Err(cursor.error(
            format!("location `{name}` is declared twice"),
            span,
            "the second declaration",
        ));
    }
    if number == 0 {
        return Err(cursor.error("an array without elements", place.0, "at least one"));
    }
    let mut values = Vec::new();
    if cursor.eat('=') {
        cursor.expect('{')?;
        while !cursor.eat('}') {
            values.push(initial_value(cursor)?);
            if !cursor.eat(',') && !cursor.is('}') {
                return Err(cursor.expected("`,` or `}`"));
            }
        }
    }
    if values.len() > number {
        return Err(cursor.error(
            format!("{} values for {number} elements", values.len()),
            cursor.previous(),
            "too many",
        ));
    }
    // As in C, elements without a value are 0.
    values.resize(number, InitialValue::Integer(0));
    for (i, value) in values.into_iter().enumerate() {
        let name = format!("{name}[{i}]");
        state.locations.push(LocationDeclaration {
            name,
            value: Some(value),
            alias: None,
            space: None,
            mbarrier: false,
            width: crate::test::AssemblyWidth(bits),
            place,
        });
    }
    Ok(())
}

/// `0`, `x`, `&x`, `&x[1]`
fn initial_value(cursor: &mut Cursor<'_>) -> Result<InitialValue, Diagnostic> {
    if cursor.eat('{') {
        let value = initial_value(cursor)?;
        cursor.expect('}')?;
        return Ok(value);
    }
    if cursor.is_integer() {
        return Ok(InitialValue::Integer(cursor.integer("a number")?));
    }
    cursor.eat('&');
    Ok(InitialValue::AddressOf(cursor.location("a number or a location")?))
}

/// `P0:r0=0`, `0:.reg .s32 r0`, `0:.reg .b64 r1 = x`
fn register(
    cursor: &mut Cursor<'_>,
    state: &mut InitialState,
    thread: ThreadId,
    start: Span,
) -> Result<(), Diagnostic> {
    let mut ty = None;
    if cursor.eat('.') {
        let (word, at) = cursor.word("`reg`")?;
        if word != "reg" {
            return Err(cursor.unknown("declaration", word, at, ["reg"]));
        }
        cursor.expect('.')?;
        let (word, at) = cursor.word("a type")?;
        ty = Some(Type::from_name(word).ok_or_else(|| {
            cursor.unknown("type", word, at, ["s32", "u32", "b32", "s64", "u64", "b64", "pred"])
        })?);
    } else if cursor.word_at(1).is_some() {
        cursor.advance();
    }
    let (name, span) = cursor.word("a register")?;
    let name = cursor.register(thread, name);
    let value = if cursor.eat('=') { Some(initial_value(cursor)?) } else { None };
    if state.registers.iter().any(|r| r.thread == thread && r.name == name) {
        return Err(cursor.error(
            format!("register `{name}` of {thread} is declared twice"),
            span,
            "the second declaration",
        ));
    }
    state.registers.push(RegisterDeclaration {
        thread,
        name,
        ty,
        value,
        place: Place(start.to(span)),
    });
    Ok(())
}
