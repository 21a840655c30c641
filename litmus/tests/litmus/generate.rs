//! Random tests for the round trip: every construct of the syntax tree, in the form in which a
//! reader gives it.

use margay_litmus::print::{CLanguage, SourceText};
use margay_litmus::test::*;
use margay_models::execution::{Placement, Proxy, Scope};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const LOCATIONS: [&str; 3] = ["x", "y", "flag"];
const REGISTERS: [&str; 4] = ["r0", "r1", "p2", "%rd3"];

fn location() -> impl Strategy<Value = String> {
    select(&LOCATIONS[..]).prop_map(String::from)
}

fn register() -> impl Strategy<Value = String> {
    select(&REGISTERS[..]).prop_map(String::from)
}

fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![-3i64..5, any::<i64>()]
}

fn scope() -> impl Strategy<Value = Scope> {
    select(&Scope::ALL[..])
}

fn comparison() -> impl Strategy<Value = NumberComparison> {
    select(&NumberComparison::ALL[..])
}

fn ty() -> impl Strategy<Value = Option<Type>> {
    option::of(prop_oneof![
        Just(Type::PREDICATE),
        Just(Type::new(TypeKind::Signed, 32)),
        Just(Type::new(TypeKind::Unsigned, 64)),
        Just(Type::new(TypeKind::Bits, 8)),
    ])
}

/// Accesses are of one width: [`retyped`] says which.
fn width() -> impl Strategy<Value = Option<Type>> {
    let kinds = [TypeKind::Bits, TypeKind::Signed, TypeKind::Unsigned];
    option::of(select(kinds.to_vec()).prop_map(|kind| Type::new(kind, 32)))
}

/// The test with one type for what each parameter points to.
fn agreed(mut test: Test) -> Test {
    let types: Vec<CInteger> =
        test.threads.iter().flat_map(|t| &t.parameters).map(|p| p.ty.integer).collect();
    for parameter in test.threads.iter_mut().flat_map(|t| &mut t.parameters) {
        parameter.ty.integer = types[0];
    }
    test
}

/// The test with accesses of another width; at 16 bits some are of packed types, at 128 only of
/// bits.
fn retyped(mut test: Test, bits: u8) -> Test {
    for thread in &mut test.threads {
        let Body::Instructions(instructions) = &mut thread.body else { continue };
        for i in instructions {
            let packs = matches!(i.operation, Operation::Load { .. } | Operation::Store { .. });
            let elements = match &i.operation {
                Operation::VectorLoad { destinations, .. } => destinations.len(),
                Operation::VectorStore { values, .. } => values.len(),
                _ => 1,
            };
            let access = match &mut i.operation {
                Operation::Load { access, .. }
                | Operation::Store { access, .. }
                | Operation::VectorLoad { access, .. }
                | Operation::VectorStore { access, .. } => access,
                Operation::Atom(AtomInstruction { access, function, .. }) => {
                    let moves =
                        matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap);
                    if bits == 128 && !moves {
                        access.ty = None;
                    }
                    access
                }
                _ => continue,
            };
            // A vector has 256 bits at most.
            access.ty = access.ty.filter(|_| elements * usize::from(bits) <= 256);
            let Some(ty) = &mut access.ty else { continue };
            ty.bits = bits;
            ty.packed = bits == 16 && packs && ty.kind == TypeKind::Signed;
            if bits == 128 {
                ty.kind = TypeKind::Bits;
            }
        }
    }
    test
}

fn value() -> impl Strategy<Value = TestOperand> {
    prop_oneof![
        register().prop_map(TestOperand::Register),
        integer().prop_map(TestOperand::Integer),
        location().prop_map(TestOperand::AddressOf),
    ]
}

fn address() -> impl Strategy<Value = Address> {
    let base =
        prop_oneof![location().prop_map(Base::Location), register().prop_map(Base::Register)];
    let offset = option::of(prop_oneof![
        register().prop_map(TestOperand::Register),
        (0i64..9).prop_map(TestOperand::Integer)
    ]);
    (base, offset).prop_map(|(base, offset)| Address { base, offset })
}

/// Orders with the scopes that they take.
fn access(orders: &'static [AccessOrder], generic: bool) -> BoxedStrategy<Access> {
    if generic {
        return Just(Access::default()).boxed();
    }
    let spaces = option::of(select(&[Space::Global, Space::Shared][..]));
    (
        option::of(select(orders)),
        scope(),
        any::<bool>(),
        spaces,
        option::of(select(&CacheOperator::ALL[..])),
        width(),
    )
        .prop_map(|(order, scope, scoped, space, cache, ty)| {
            let weak = matches!(order, None | Some(AccessOrder::Weak));
            let scope = match order {
                None | Some(AccessOrder::Weak | AccessOrder::Volatile) => None,
                Some(AccessOrder::AcqRel) if !scoped => None,
                _ => Some(scope),
            };
            Access {
                order,
                scope,
                proxy: Proxy::Generic,
                space,
                cache: cache.filter(|_| weak),
                ty,
                width: margay_litmus::test::AssemblyWidth::default(),
            }
        })
        .boxed()
}

fn operation(generic: bool) -> impl Strategy<Value = Operation> {
    use AccessOrder::{AcqRel, Acquire, Mmio, Relaxed, Release, Volatile, Weak};
    let load = (access(&[Weak, Relaxed, Acquire, Volatile, Mmio], generic), register(), address())
        .prop_map(|(access, destination, address)| Operation::Load {
            access,
            destination,
            address,
        });
    let store = (access(&[Weak, Relaxed, Release, Volatile, Mmio], generic), address(), value())
        .prop_map(|(access, address, value)| Operation::Store { access, address, value });
    let vector = (
        access(&[Weak, Relaxed, Volatile, Mmio], generic),
        select(&[2usize, 4, 8][..]),
        vec(register(), 8),
        address(),
        vec(value(), 8),
        any::<bool>(),
    )
        .prop_map(|(access, count, mut destinations, address, mut values, loads)| {
            destinations.truncate(count);
            values.truncate(count);
            if loads {
                Operation::VectorLoad { access, destinations, address }
            } else {
                Operation::VectorStore { access, address, values }
            }
        });
    let proxied =
        (select(&[Proxy::Surface, Proxy::Texture, Proxy::Constant][..]), register(), address())
            .prop_map(|(proxy, destination, address)| Operation::Load {
                access: Access { proxy, ..Access::default() },
                destination,
                address,
            });
    let proxies = select(&[Proxy::Generic, Proxy::Generic, Proxy::Surface][..]);
    let atom = (
        access(&[Relaxed, Acquire, Release, AcqRel], generic),
        select(&AtomFunction::ALL[..]),
        option::of(register()),
        address(),
        value(),
        value(),
        proxies,
    )
        .prop_map(
            |(mut access, function, destination, address, operand, replacement, proxy)| {
                access.proxy = proxy;
                let cas = function == AtomFunction::CompareAndSwap;
                // `red` exchanges nothing and does not acquire.
                let reduces = destination.is_none() && !cas && function != AtomFunction::Exchange;
                if reduces && matches!(access.order, Some(Acquire | AcqRel)) {
                    access.order = Some(Release);
                }
                let destination = if reduces {
                    None
                } else {
                    Some(destination.unwrap_or_else(|| "r0".to_string()))
                };
                access.cache = None;
                let replacement = cas.then_some(replacement);
                Operation::Atom(AtomInstruction {
                    access,
                    function,
                    destination,
                    address,
                    operand,
                    replacement,
                })
            },
        );
    let fences = select(
        &[
            None,
            Some(FenceOrder::Acquire),
            Some(FenceOrder::Release),
            Some(FenceOrder::AcqRel),
            Some(FenceOrder::Sc),
        ][..],
    );
    let fence = (fences, scope()).prop_map(move |(order, scope)| match generic {
        true => Operation::Fence { order: None, scope: None },
        false => Operation::Fence { order, scope: Some(scope) },
    });
    let local = (
        select(&LocalFunction::ARITHMETIC[..]),
        option::of(comparison()),
        ty(),
        register(),
        value(),
        value(),
    )
        .prop_map(|(function, comparison, ty, destination, a, b)| {
            let mut function = comparison.map_or(function, LocalFunction::Compare);
            let ty = ty.filter(|t| t.bits > 0 || comparison.is_none());
            if let (LocalFunction::Move, Some(ty)) = (function, ty.filter(|t| t.bits > 0)) {
                function = LocalFunction::Convert(ty);
            }
            let operands = [a.clone(), b, a].into_iter().take(function.arity()).collect();
            Operation::Local { function, ty, destination, operands }
        });
    let branch = (comparison(), value(), value()).prop_map(|(comparison, left, right)| {
        Operation::BranchIf { comparison, left, right, target: "END".to_string() }
    });
    let modes = select(&[BarrierMode::Sync, BarrierMode::Arrive, BarrierMode::Reduce][..]);
    let barrier = (modes, 0..16i64, option::of(1..9u32)).prop_map(|(mode, barrier, warps)| {
        Operation::Barrier {
            mode,
            scope: Scope::Cta,
            instance: None,
            barrier: TestOperand::Integer(barrier),
            count: warps.map(|n| 32 * n),
        }
    });
    prop_oneof![
        4 => load,
        4 => store,
        2 => vector,
        1 => proxied,
        4 => atom,
        2 => fence,
        3 => local,
        1 => branch,
        1 => barrier,
        1 => select(&ProxyFenceKind::ALL[..]).prop_map(Operation::ProxyFence),
        1 => select(&[MembarLevel::Cta, MembarLevel::Gl, MembarLevel::Sys][..]).prop_map(Operation::Membar),
        1 => any::<bool>().prop_map(|relaxed| Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed })),
        1 => Just(Operation::ClusterBarrier(ClusterBarrier::Wait)),
        1 => Just(Operation::Goto("END".to_string())),
        1 => Just(Operation::Exit),
    ]
}

fn instructions(generic: bool) -> impl Strategy<Value = Vec<TestInstruction>> {
    let guard = option::weighted(
        0.2,
        (register(), any::<bool>()).prop_map(|(register, negated)| Guard { register, negated }),
    );
    vec((guard, operation(generic)), 0..6).prop_map(|list| {
        let mut list: Vec<TestInstruction> = list
            .into_iter()
            .map(|(guard, operation)| TestInstruction { guard, ..operation.into() })
            .collect();
        list.push(Operation::Label("END".to_string()).into());
        list
    })
}

fn expression() -> BoxedStrategy<Expression> {
    let leaf = prop_oneof![
        integer().prop_map(Expression::Integer),
        select(&["r0", "r1"][..]).prop_map(|n| Expression::Name(n.to_string())),
        location().prop_map(Expression::Name),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let unary = select(
            &[UnaryOperator::Negate, UnaryOperator::LogicalNot, UnaryOperator::BitwiseNot][..],
        );
        prop_oneof![
            inner.clone().prop_map(|e| Expression::Dereference(Box::new(e))),
            (unary, inner.clone()).prop_map(|(o, e)| Expression::Unary(o, Box::new(e))),
            (select(&CInteger::ALL[..]), inner.clone())
                .prop_map(|(to, e)| Expression::Cast(to, Box::new(e))),
            (select(&BinaryOperator::ALL[..]), inner.clone(), inner.clone())
                .prop_map(|(o, a, b)| Expression::Binary(o, Box::new(a), Box::new(b))),
            call(inner),
        ]
    })
    .boxed()
}

fn call(
    inner: impl Strategy<Value = Expression> + Clone + 'static,
) -> impl Strategy<Value = Expression> {
    let fetches = [
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::And,
        BinaryOperator::Or,
        BinaryOperator::Xor,
    ];
    let address = prop_oneof![
        3 => location().prop_map(Expression::Name),
        1 => location().prop_map(|l| Expression::Binary(
            BinaryOperator::Add,
            Box::new(Expression::Name(l)),
            Box::new(Expression::Binary(
                BinaryOperator::Xor,
                Box::new(Expression::Name("r0".into())),
                Box::new(Expression::Name("r0".into()))
            ))
        )),
    ];
    let orders = option::of(select(&CMemoryOrder::ALL[..]));
    let kinds =
        (0..10usize, inner, select(fetches.to_vec()), any::<(bool, bool)>(), orders.clone());
    let scopes = option::of(
        prop_oneof![4 => scope().prop_map(CScope::Threads), 1 => Just(CScope::WorkItem)],
    );
    (kinds, address, orders, scopes).prop_map(
        |((kind, value, fetch, (weak, flag), failure), address, order, scope)| {
            let relaxed = Some(CMemoryOrder::Relaxed);
            let weaker = |order: Option<CMemoryOrder>| {
                order.filter(|o| {
                    !matches!(
                        o,
                        CMemoryOrder::Release | CMemoryOrder::AcqRel | CMemoryOrder::Acquire
                    )
                })
            };
            let (function, order) = match kind {
                0 => (AtomicFunction::Load, weaker(order)),
                1 => (AtomicFunction::Store(value), weaker(order)),
                2 => (AtomicFunction::Exchange(value), order),
                3 => (AtomicFunction::Fetch(fetch, value), order),
                4 => (AtomicFunction::FetchMin(value), order),
                5 => (AtomicFunction::FetchMax(value), order),
                6 => {
                    let failure = failure.filter(|_| order.is_some());
                    let expected = if flag {
                        ExpectedPlace::Variable("r1".into())
                    } else {
                        ExpectedPlace::Memory(address.clone())
                    };
                    (
                        AtomicFunction::CompareExchange { weak, expected, desired: value, failure },
                        order,
                    )
                }
                7 => (AtomicFunction::Increment(value), relaxed),
                8 => (AtomicFunction::Decrement(value), relaxed),
                _ => (
                    AtomicFunction::CompareAndSwap { expected: value.clone(), desired: value },
                    relaxed,
                ),
            };
            let built_in = function.is_built_in();
            let scope = scope.filter(|_| order.is_some());
            let scope = match scope {
                Some(CScope::Threads(Scope::Cta | Scope::Sys)) => scope,
                _ if built_in => Some(Scope::Gpu.into()),
                _ => scope,
            };
            Expression::Atomic(Box::new(AtomicCall {
                function,
                address,
                scope,
                order,
                object_first: false,
            }))
        },
    )
}

fn assignment() -> impl Strategy<Value = StatementKind> {
    let types = option::of(select(&CInteger::ALL[..]));
    (types, select(&["r0", "r1"][..]), expression()).prop_map(|(declares, name, value)| {
        StatementKind::Assign { declares, name: name.to_string(), value: Some(value) }
    })
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let simple = prop_oneof![
        assignment(),
        Just(StatementKind::Assign {
            declares: Some(CInteger::Int),
            name: "r1".into(),
            value: None
        }),
        (location(), expression())
            .prop_map(|(l, value)| StatementKind::Store { address: Expression::Name(l), value }),
        expression().prop_map(StatementKind::Evaluate),
        (select(&CMemoryOrder::ALL[..]), option::of(scope())).prop_map(|(order, scope)| {
            StatementKind::Fence { order, scope: scope.map(CScope::from) }
        }),
    ];
    let one = simple.prop_map(Statement::from).prop_recursive(3, 12, 3, |inner| {
        let block = vec(inner, 0..3);
        // A constant condition would make a loop without an exit.
        let exits = expression().prop_map(|e| match e {
            Expression::Integer(_) => Expression::Name("r0".into()),
            e => e,
        });
        let exits = exits.boxed();
        prop_oneof![
            (expression(), block.clone(), block.clone()).prop_map(
                |(condition, then, otherwise)| StatementKind::If { condition, then, otherwise }
            ),
            (exits.clone(), block.clone())
                .prop_map(|(condition, body)| StatementKind::While { condition, body }),
            (exits.clone(), block.clone())
                .prop_map(|(condition, body)| StatementKind::DoWhile { body, condition }),
            (
                vec(assignment(), 0..3),
                option::of(exits),
                vec(assignment(), 0..2),
                block.clone(),
                any::<bool>()
            )
                .prop_map(|(mut before, condition, after, mut body, jumps)| {
                    // One `int` declares all.
                    let declared = match before.first() {
                        Some(StatementKind::Assign { declares, .. }) => *declares,
                        _ => None,
                    };
                    for kind in &mut before {
                        if let StatementKind::Assign { declares, .. } = kind {
                            *declares = declared;
                        }
                    }
                    if condition.is_none() {
                        body.push(StatementKind::Break.into());
                    } else if jumps {
                        body.push(StatementKind::Continue.into());
                    }
                    let undeclared = |kind| match kind {
                        StatementKind::Assign { name, value, .. } => {
                            StatementKind::Assign { declares: None, name, value }
                        }
                        kind => kind,
                    };
                    StatementKind::For {
                        before: before.into_iter().map(Statement::from).collect(),
                        condition,
                        after: after.into_iter().map(undeclared).map(Statement::from).collect(),
                        body,
                    }
                }),
        ]
        .prop_map(Statement::from)
    });
    (vec(one, 0..4), any::<bool>()).prop_map(|(mut statements, returns)| {
        if returns {
            statements.push(StatementKind::Return.into());
        }
        statements
    })
}

fn placement() -> impl Strategy<Value = Placement> {
    (0..2u16, 0..2u16, 0..3u16, any::<bool>()).prop_map(|(gpu, cluster, cta, own)| Placement {
        gpu,
        cluster: if own { cta } else { cluster },
        cta,
        warp: 0,
        kernel: 0,
    })
}

fn thread(dialect: Dialect) -> BoxedStrategy<Thread> {
    let body = match dialect {
        Dialect::C => statements().prop_map(Body::Statements).boxed(),
        _ => instructions(dialect == Dialect::Generic).prop_map(Body::Instructions).boxed(),
    };
    let placed = match dialect {
        Dialect::Generic | Dialect::Text(_) => Just(None).boxed(),
        Dialect::C => option::of(placement()).boxed(),
        _ => placement().prop_map(Some).boxed(),
    };
    (body, placed, any::<bool>(), select(&CInteger::ALL[..]))
        .prop_map(move |(body, placement, atomic, integer)| {
            let parameter = |l: &&str| {
                let space = (*l == "flag").then_some(CSpace::Global);
                CParameter { ty: CType { integer, atomic }, space, name: l.to_string() }
            };
            let parameters = match dialect {
                Dialect::C => LOCATIONS.iter().map(parameter).collect(),
                _ => Vec::new(),
            };
            Thread { placement, parameters, body, place: Place::default() }
        })
        .boxed()
}

fn proposition(threads: usize) -> impl Strategy<Value = Proposition> {
    let variable = prop_oneof![
        (0..threads as u16, select(&["r0", "r1"][..]))
            .prop_map(|(t, r)| Variable::Register { thread: ThreadId(t), name: r.to_string() }),
        location().prop_map(Variable::Location),
    ];
    let operand = prop_oneof![
        3 => variable.prop_map(ConditionOperand::Variable),
        2 => integer().prop_map(ConditionOperand::Integer),
        1 => location().prop_map(ConditionOperand::AddressOf),
    ];
    let leaf = prop_oneof![
        8 => (comparison(), operand.clone(), operand).prop_map(|(comparison, left, right)| Proposition::Compare { comparison, left, right }),
        1 => Just(Proposition::True),
        1 => Just(Proposition::False),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|p| Proposition::Not(Box::new(p))),
            vec(inner.clone(), 2..4).prop_map(Proposition::And),
            vec(inner, 2..4).prop_map(Proposition::Or),
        ]
    })
}

/// The initial state: every location, some aliases, registers of all threads.
fn locations(dialect: Dialect) -> BoxedStrategy<Vec<LocationDeclaration>> {
    let declaration = |name: &'static str| {
        let values = option::of(prop_oneof![
            integer().prop_map(InitialValue::Integer),
            location().prop_map(InitialValue::AddressOf)
        ]);
        let spaces = option::of(select(&[Space::Global, Space::Shared][..]));
        let proxies =
            select(&[Proxy::Generic, Proxy::Surface, Proxy::Texture, Proxy::Constant][..]);
        // `flag` may be another name for y, which may be one for x.
        let further = any::<bool>()
            .prop_map(move |further| if further && name == "flag" { "y" } else { "x" });
        (values, spaces, option::weighted(0.2, proxies), further).prop_map(
            move |(value, space, alias, of)| {
                let alias = alias
                    .filter(|_| name != "x" && dialect != Dialect::C)
                    .map(|proxy| Alias { proxy, of: of.into() });
                let value = value.filter(|_| alias.is_none());
                let space = space.filter(|_| dialect == Dialect::GpuPtx);
                LocationDeclaration {
                    width: margay_litmus::test::AssemblyWidth::default(),
                    name: name.into(),
                    value,
                    alias,
                    space,
                    mbarrier: false,
                    place: Place::default(),
                }
            },
        )
    };
    // In the other dialects an array that nothing names, to be read and printed.
    let array = vec(integer(), if dialect == Dialect::GpuPtx { 0..1 } else { 0..4 });
    (declaration("x"), declaration("y"), declaration("flag"), array)
        .prop_map(move |(x, y, flag, array)| {
            let mut all = vec![x, y, flag];
            let element = |(i, n): (usize, i64)| LocationDeclaration {
                width: margay_litmus::test::AssemblyWidth::default(),
                name: format!("array[{i}]"),
                value: Some(InitialValue::Integer(n)),
                alias: None,
                space: None,
                mbarrier: false,
                place: Place::default(),
            };
            all.extend(array.into_iter().enumerate().map(element));
            // In the 2015 form those that are only in the memory map come after those in braces.
            all.sort_by_key(|l| l.space.is_some() && l.value.is_none() && l.alias.is_none());
            all
        })
        .boxed()
}

fn registers(dialect: Dialect, threads: usize) -> BoxedStrategy<Vec<RegisterDeclaration>> {
    let one = (integer(), location(), any::<bool>(), ty(), option::weighted(0.8, Just(())));
    vec(one, threads * REGISTERS.len())
        .prop_map(move |all| {
            let declared =
                all.into_iter().enumerate().map(|(n, (number, of, points, ty, valued))| {
                    let value = if points {
                        InitialValue::AddressOf(of)
                    } else {
                        InitialValue::Integer(number)
                    };
                    let ty = ty.filter(|_| matches!(dialect, Dialect::GpuPtx | Dialect::Ptx));
                    let name = REGISTERS[n % REGISTERS.len()].to_string();
                    // The 2015 form takes every location pointed to for declared, in this order;
                    // here only numbers.
                    let value = if dialect == Dialect::GpuPtx {
                        InitialValue::Integer(number)
                    } else {
                        value
                    };
                    let thread = ThreadId((n / REGISTERS.len()) as u16);
                    RegisterDeclaration {
                        thread,
                        name,
                        ty,
                        value: valued.map(|_| value),
                        place: Place::default(),
                    }
                });
            declared
                .filter(|r| dialect != Dialect::C || ["r0", "r1"].contains(&r.name.as_str()))
                .collect()
        })
        .boxed()
}

/// The placements that a scope tree can express: numbers in order of first appearance.
fn renumbered(mut test: Test) -> Test {
    if test.dialect != Dialect::GpuPtx {
        return test;
    }
    let old: Vec<Placement> = test.threads.iter().filter_map(|t| t.placement).collect();
    let mut sorted = old.clone();
    sorted.sort();
    sorted.dedup();
    let number = |p: &Placement| sorted.iter().position(|q| q == p).unwrap_or_default() as u16;
    let mut gpus: Vec<u16> = sorted.iter().map(|p| p.gpu).collect();
    gpus.dedup();
    for (thread, p) in test.threads.iter_mut().zip(&old) {
        let gpu = gpus.iter().position(|g| *g == p.gpu).unwrap_or_default() as u16;
        thread.placement =
            Some(Placement { gpu, cluster: number(p), cta: number(p), ..Placement::default() });
    }
    test
}

/// A test whose text has what only CUDA or C++ has is evaluated as C++17 says, where that makes a
/// difference: so texts are read.
fn sequenced(mut test: Test) -> Test {
    let text = test.to_string();
    if SourceText::new(&test, &text).language() != CLanguage::C && Sequencing::matters(&test) {
        test.sequencing = Sequencing::Cpp17;
    }
    test
}

pub fn any_test() -> impl Strategy<Value = Test> {
    let dialects = select(&[Dialect::Ptx, Dialect::GpuPtx, Dialect::Generic, Dialect::C][..]);
    let description = option::of("[a-zA-Z0-9 ,.'+-]{0,30}");
    let quantifiers = select(&[Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall][..]);
    (dialects, "[A-Za-z0-9+._-]{1,12}", description, 1..4usize, quantifiers).prop_flat_map(
        |(dialect, name, description, count, quantifier)| {
            let observed = vec(
                prop_oneof![
                    location().prop_map(Variable::Location),
                    (0..count as u16, select(&["r0", "r1"][..])).prop_map(|(t, r)| {
                        Variable::Register { thread: ThreadId(t), name: r.into() }
                    })
                ],
                0..3,
            );
            let tail = (observed, option::of(proposition(count)), proposition(count));
            let widths = select(&[8u8, 16, 32, 32, 64, 128][..]);
            (
                locations(dialect),
                registers(dialect, count),
                vec(thread(dialect), count),
                tail,
                widths,
            )
                .prop_map(
                    move |(
                        locations,
                        registers,
                        threads,
                        (observed, filter, proposition),
                        bits,
                    )| {
                        let test = renumbered(Test {
                            dialect,
                            sequencing: Default::default(),
                            name: name.clone(),
                            description: description.clone(),
                            locations,
                            registers,
                            threads,
                            observed,
                            filter,
                            condition: Condition { quantifier, proposition },
                        });
                        sequenced(agreed(retyped(test, bits)))
                    },
                )
        },
    )
}
