//! Random syntax trees, random models that are well-typed, and random executions (well-formed or
//! not).

use margay_models::bits::{BitMatrix, Event};
use margay_models::cat::ast::{
    Binding, Bindings, CatComparison, CatCondition, CatExpr, CatFile, CatInstruction, ExprKind,
    Ident, InstructionKind, Pattern,
};
use margay_models::diagnostic::Span;
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};
use margay_models::{CheckKind, Role, Signature};
use proptest::collection::vec;
use proptest::prelude::*;

pub fn expr(kind: ExprKind) -> CatExpr {
    CatExpr::new(kind, Span::default())
}

pub fn ident(text: &str) -> Ident {
    Ident { text: text.to_owned(), span: Span::default() }
}

pub fn instruction(kind: InstructionKind) -> CatInstruction {
    CatInstruction { kind, span: Span::default() }
}

pub fn binding(name: &str, parameters: Option<&[&str]>, body: CatExpr) -> Binding {
    let parameters = parameters.map(|ps| ps.iter().map(|p| ident(p)).collect());
    Binding { name: ident(name), parameters, body, span: Span::default() }
}

pub fn name(text: &str) -> CatExpr {
    expr(ExprKind::Name(text.to_owned()))
}

/// Any syntax tree of an expression, whether or not it has a meaning.
pub fn any_expr() -> impl Strategy<Value = CatExpr> {
    let names = prop_oneof![
        "[a-c]",
        Just("po-loc".to_owned()),
        Just("membar.cta".to_owned()),
        Just("_x'".to_owned())
    ];
    let leaf = prop_oneof![
        6 => names.prop_map(ExprKind::Name),
        1 => Just(ExprKind::Empty),
        1 => Just(ExprKind::Universe),
        1 => "[a-c]".prop_map(ExprKind::Tag),
    ]
    .prop_map(expr);
    leaf.prop_recursive(5, 40, 4, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        let list = || vec(inner.clone(), 2..4);
        let condition = any_condition(inner.clone().boxed());
        prop_oneof![
            list().prop_map(ExprKind::Union),
            list().prop_map(ExprKind::Sequence),
            list().prop_map(ExprKind::Difference),
            list().prop_map(ExprKind::Intersection),
            (one(), one()).prop_map(|(a, b)| ExprKind::Product(a, b)),
            one().prop_map(ExprKind::Complement),
            one().prop_map(ExprKind::Inverse),
            one().prop_map(ExprKind::Closure),
            one().prop_map(ExprKind::ReflexiveClosure),
            one().prop_map(ExprKind::Optional),
            one().prop_map(ExprKind::Diagonal),
            (one(), vec(inner.clone(), 0..3)).prop_map(|(f, es)| ExprKind::Apply(f, es)),
            (any_bindings(inner.clone()), one()).prop_map(|(b, e)| ExprKind::LetIn(b, e)),
            one().prop_map(|e| ExprKind::Function(vec![ident("x"), ident("y")], e)),
            (condition, one(), one()).prop_map(|(c, a, b)| ExprKind::If(c, a, b)),
            (one(), one()).prop_map(|(a, b)| ExprKind::Try(a, b)),
            vec(inner.clone(), 1..4).prop_map(ExprKind::List),
            list().prop_map(ExprKind::Tuple),
            list().prop_map(ExprKind::Add),
            (one(), vec((any_pattern(), inner.clone()), 1..3))
                .prop_map(|(e, arms)| ExprKind::Match(e, arms)),
        ]
        .prop_map(expr)
    })
}

fn any_condition(compared: BoxedStrategy<CatExpr>) -> impl Strategy<Value = CatCondition> {
    let comparison = prop_oneof![
        Just(CatComparison::Equal),
        Just(CatComparison::Subset),
        Just(CatComparison::In)
    ];
    let compare = (comparison, compared.clone(), compared)
        .prop_map(|(c, a, b)| CatCondition::Compare(c, Box::new(a), Box::new(b)));
    let leaf = prop_oneof![3 => "[a-z ]{1,4}".prop_map(CatCondition::Variant), 1 => compare];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| CatCondition::Not(Box::new(c))),
            vec(inner.clone(), 2..4).prop_map(CatCondition::And),
            vec(inner, 2..4).prop_map(CatCondition::Or),
        ]
    })
}

fn any_pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        "[a-c]".prop_map(|tag| Pattern::Tag(ident(&tag))),
        Just(Pattern::Any),
        Just(Pattern::Empty),
        Just(Pattern::Split(ident("e"), ident("s"))),
        Just(Pattern::Split(ident("_"), ident("_"))),
    ]
}

fn any_bindings(
    inner: impl Strategy<Value = CatExpr> + Clone + 'static,
) -> BoxedStrategy<Bindings> {
    let one = ("[d-f]", proptest::option::of(vec("[x-z]", 0..3)), inner).prop_map(
        |(name, parameters, body)| {
            // The parser refuses parameters that occur twice.
            let parameters = parameters.map(|mut ps: Vec<String>| {
                ps.sort();
                ps.dedup();
                ps.iter().map(|p| ident(p)).collect()
            });
            Binding { name: ident(&name), parameters, body, span: Span::default() }
        },
    );
    (any::<bool>(), vec(one, 1..3))
        .prop_map(|(recursive, bindings)| Bindings { recursive, bindings })
        .boxed()
}

pub fn any_file() -> impl Strategy<Value = CatFile> {
    let simple = prop_oneof![
        any_bindings(any_expr().boxed()).prop_map(InstructionKind::Let),
        (
            role(),
            any::<bool>(),
            check_kind(),
            any_expr(),
            proptest::option::of("[a-z][a-z-]{0,4}[a-z]-x")
        )
            .prop_map(|(role, negated, kind, expr, name)| InstructionKind::Check {
                role,
                negated,
                kind,
                expr,
                name: name.map(|n| ident(&n))
            }),
        "[a-z/.]{1,6}".prop_map(InstructionKind::Include),
        vec((any_expr(), Just(Some(ident("shown")))), 1..3).prop_map(InstructionKind::Show),
        vec(any_expr(), 1..3).prop_map(InstructionKind::Unshow),
        vec(any_expr(), 0..3)
            .prop_map(|arguments| InstructionKind::Call { name: ident("p"), arguments }),
        any_expr().prop_map(|from| InstructionKind::With { name: ident("x"), from }),
    ]
    .prop_map(instruction);
    let nested = simple.prop_recursive(2, 10, 3, |inner| {
        prop_oneof![
            (any::<bool>(), vec(inner.clone(), 0..3)).prop_map(|(recursive, body)| {
                InstructionKind::Procedure {
                    recursive,
                    name: ident("p"),
                    parameters: vec![ident("x"), ident("_")],
                    body,
                }
            }),
            (any_expr(), vec(inner.clone(), 0..3))
                .prop_map(|(set, body)| InstructionKind::ForAll { name: ident("x"), set, body }),
            (any_expr(), vec((any_pattern(), vec(inner.clone(), 0..3)), 1..3))
                .prop_map(|(expr, arms)| InstructionKind::Match { expr, arms }),
            (any_condition(any_expr().boxed()), vec(inner.clone(), 0..3), vec(inner, 0..3))
                .prop_map(|(condition, then, otherwise)| InstructionKind::If {
                    condition,
                    then,
                    otherwise
                }),
        ]
        .prop_map(instruction)
    });
    // Not within an arm of a `match`: what follows would be read as one more tag.
    let tags = vec("[a-c]", 1..3).prop_map(|tags| InstructionKind::Enum {
        name: ident("t"),
        tags: tags.iter().map(|t| ident(t)).collect(),
    });
    let nested = prop_oneof![8 => nested, 1 => tags.prop_map(instruction)];
    let header = proptest::option::of(prop_oneof![Just("PTX"), Just("C"), Just("Unknown-1")]);
    (header, proptest::option::of("[a-zA-Z .]{0,8}"), vec(nested, 0..5)).prop_map(
        |(architecture, title, instructions)| CatFile {
            architecture: architecture.map(ident),
            title,
            instructions,
        },
    )
}

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![
        Just(Role::Axiom),
        Just(Role::Flag),
        Just(Role::UndefinedUnless),
        Just(Role::Assert)
    ]
}

fn check_kind() -> impl Strategy<Value = CheckKind> {
    prop_oneof![Just(CheckKind::Acyclic), Just(CheckKind::Irreflexive), Just(CheckKind::Empty)]
}

/// Which names an expression may use.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    pub relations: &'static [&'static str],
    pub sets: &'static [&'static str],
    /// Relations of which more only makes more.
    pub growing: &'static [&'static str],
    /// Functions of a relation and a set.
    pub functions: &'static [&'static str],
}

/// A relation over the names, with recursive names only where the expression grows with them.
pub fn relation(names: Names, depth: u32) -> BoxedStrategy<CatExpr> {
    let constant = Names { growing: &[], ..names };
    let known: Vec<&str> = names.relations.iter().chain(names.growing).copied().collect();
    let leaf = prop_oneof![
        8 => proptest::sample::select(known).prop_map(name),
        1 => Just(expr(ExprKind::Empty)),
        1 => Just(expr(ExprKind::Universe)),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = move || relation(names, depth - 1);
    let one = move || inner().prop_map(Box::new);
    let negative = move || relation(constant, depth - 1);
    let set = move || self::set(names, depth - 1).prop_map(Box::new);
    let plain = prop_oneof![
        3 => leaf,
        2 => vec(inner(), 2..4).prop_map(ExprKind::Union).prop_map(expr),
        2 => vec(inner(), 2..4).prop_map(ExprKind::Sequence).prop_map(expr),
        2 => vec(inner(), 2..3).prop_map(ExprKind::Intersection).prop_map(expr),
        2 => (inner(), vec(negative(), 1..3)).prop_map(|(a, b)| {
            expr(ExprKind::Difference(std::iter::once(a).chain(b).collect()))
        }),
        1 => negative().prop_map(|e| expr(ExprKind::Complement(Box::new(e)))),
        1 => one().prop_map(ExprKind::Inverse).prop_map(expr),
        1 => one().prop_map(ExprKind::Closure).prop_map(expr),
        1 => one().prop_map(ExprKind::ReflexiveClosure).prop_map(expr),
        1 => one().prop_map(ExprKind::Optional).prop_map(expr),
        1 => set().prop_map(ExprKind::Diagonal).prop_map(expr),
        1 => (set(), set()).prop_map(|(a, b)| expr(ExprKind::Product(a, b))),
    ];
    if names.functions.is_empty() {
        return plain.boxed();
    }
    let applied = (proptest::sample::select(names.functions), inner(), self::set(names, depth - 1))
        .prop_map(|(f, r, s)| expr(ExprKind::Apply(Box::new(name(f)), vec![r, s])));
    prop_oneof![6 => plain, 1 => applied].boxed()
}

/// A set over the names, as [`relation`].
pub fn set(names: Names, depth: u32) -> BoxedStrategy<CatExpr> {
    let leaf = prop_oneof![
        8 => proptest::sample::select(names.sets).prop_map(name),
        1 => Just(expr(ExprKind::Empty)),
        1 => Just(expr(ExprKind::Universe)),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = move || set(names, depth - 1);
    let negative = move || set(Names { growing: &[], ..names }, depth - 1);
    let projection = move |f: &'static str| {
        relation(names, depth - 1)
            .prop_map(move |r| expr(ExprKind::Apply(Box::new(name(f)), vec![r])))
    };
    prop_oneof![
        3 => leaf,
        1 => vec(inner(), 2..3).prop_map(ExprKind::Union).prop_map(expr),
        1 => vec(inner(), 2..3).prop_map(ExprKind::Intersection).prop_map(expr),
        1 => (inner(), negative()).prop_map(|(a, b)| expr(ExprKind::Difference(vec![a, b]))),
        1 => negative().prop_map(|e| expr(ExprKind::Complement(Box::new(e)))),
        1 => projection("domain"),
        1 => projection("range"),
    ]
    .boxed()
}

/// The base names that random models use.
pub const BASE: Names = Names {
    relations: &["po", "rf", "co", "fr", "rmw", "loc", "int", "ext", "id", "sr", "scta"],
    sets: &["W", "R", "M", "F", "IW", "RMW", "NA", "RLX", "SC", "CTA", "A"],
    growing: &[],
    functions: &[],
};

/// A well-typed model of the C signature: definitions, a function, a `let rec`, a `let .. in`, and
/// checks on all of them.
pub fn model() -> impl Strategy<Value = CatFile> {
    const BODY: Names =
        Names { relations: &["x", "po", "rf", "loc", "a"], sets: &["y", "W", "s", "IW"], ..BASE };
    const WITH_FUNCTION: Names = Names {
        relations: &["po", "rf", "co", "fr", "rmw", "a"],
        sets: &["W", "R", "F", "s"],
        functions: &["f"],
        ..BASE
    };
    const RECURSIVE: Names = Names { growing: &["r", "q"], ..WITH_FUNCTION };
    const LOCAL: Names = Names { growing: &["r", "q", "inner"], ..WITH_FUNCTION };
    const ALL: Names = Names {
        relations: &["po", "rf", "co", "fr", "a", "r", "q", "rfe", "po-loc"],
        sets: &["W", "R", "F", "SC", "s"],
        functions: &["f"],
        ..BASE
    };
    let checks = vec((role(), any::<bool>(), check_kind(), relation(ALL, 2)), 1..4);
    (
        relation(BASE, 2),
        set(BASE, 2),
        // A function applied within a recursion is applied to recursive names: it must grow with
        // its arguments.
        vec(proptest::sample::select(BODY.relations).prop_map(name), 1..3),
        relation(RECURSIVE, 2),
        prop_oneof![
            (Just(false), relation(RECURSIVE, 1), relation(LOCAL, 1)),
            // A recursion within the recursion.
            (Just(true), relation(LOCAL, 1), relation(LOCAL, 1)),
        ],
        checks,
    )
        .prop_map(|(a, s, f, r, (recursive, inner, q), checks)| {
            let plain = |b: Binding| {
                instruction(InstructionKind::Let(Bindings { recursive: false, bindings: vec![b] }))
            };
            let on_set = expr(ExprKind::Diagonal(Box::new(name("y"))));
            let f = expr(ExprKind::Sequence(
                std::iter::once(on_set).chain(f).chain([name("x")]).collect(),
            ));
            let local = Bindings { recursive, bindings: vec![binding("inner", None, inner)] };
            let q = expr(ExprKind::LetIn(local, Box::new(q)));
            let recursion = Bindings {
                recursive: true,
                bindings: vec![binding("r", None, r), binding("q", None, q)],
            };
            let mut instructions = vec![
                plain(binding("a", None, a)),
                plain(binding("s", None, s)),
                plain(binding("f", Some(&["x", "y"]), f)),
                instruction(InstructionKind::Let(recursion)),
            ];
            instructions.extend(checks.into_iter().map(|(role, negated, kind, expr)| {
                instruction(InstructionKind::Check { role, negated, kind, expr, name: None })
            }));
            CatFile { architecture: Some(ident("C")), title: None, instructions }
        })
}

/// A small execution of the C signature with arbitrary `rf`, `co` and `rmw`.
pub fn execution() -> impl Strategy<Value = Execution> {
    let event = (0u8..5, 0u16..3, 0u16..2, 0u8..6, 0u8..4);
    vec(event, 1..6).prop_flat_map(|mut events| {
        events.sort_by_key(|e| e.1);
        let n = events.len() + 2;
        let pairs = || vec((0..n, 0..n), 0..7);
        (Just(events), pairs(), pairs(), pairs(), 0u16..2, 0u16..2).prop_map(
            move |(events, rf, co, rmw, gpu, cta)| {
                let orders =
                    [Order::Plain, Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc];
                let mut data: Vec<EventData> = events
                    .iter()
                    .map(|&(kind, thread, location, order, scope)| {
                        let kind = [Kind::Read, Kind::Write, Kind::Read, Kind::Write, Kind::Fence]
                            [usize::from(kind)];
                        let mut event =
                            EventData::new(kind, Some(thread), orders[usize::from(order)]);
                        event.location = (kind != Kind::Fence).then_some(location);
                        event.scope = (order > 0).then_some(Scope::ALL[usize::from(scope)]);
                        event
                    })
                    .collect();
                for location in 0..2 {
                    let mut init = EventData::new(Kind::Init, None, Order::Plain);
                    init.location = Some(location);
                    data.push(init);
                }
                let at = |gpu, cta| Placement { gpu, cta, ..Placement::default() };
                let threads = vec![at(0, 0), at(0, cta), at(gpu, cta)];
                let location =
                    |i: u16| Location { name: format!("x{i}"), physical: i, atomic: true };
                let mut execution =
                    Execution::new(Signature::C, data, threads, vec![location(0), location(1)]);
                let matrix = |pairs: Vec<(usize, usize)>| {
                    BitMatrix::from_pairs(
                        n,
                        pairs.into_iter().map(|(a, b)| (Event::from(a), Event::from(b))),
                    )
                };
                execution.rf = matrix(rf);
                execution.co = matrix(co);
                execution.rmw = matrix(rmw);
                execution
            },
        )
    })
}
