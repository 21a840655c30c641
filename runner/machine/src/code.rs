//! Functions of PTX as steps that a thread takes: operands are resolved, and what an instruction
//! does is that of the crate `ptx`.

use margay_ptx::effect::{
    self, Computation, Effect, Half, Meeting, MemoryAccess, MemoryOrder, MemoryScope,
    NumberComparison, Update, Window,
};
use margay_ptx::exchange::Exchange;
use margay_ptx::float::{self, FloatFunction};
use margay_ptx::{
    Function, Instruction, Module, Operand, Parameter, RegisterId, ScalarKind, ScalarType,
    SourceLine, StateSpace, VariableId,
};
use rustc_hash::FxHashMap;

use crate::address::{ArrayRoom, SHARED};
use crate::late_load;
use crate::limits::KernelLimits;
use crate::memory::GlobalMemory;
use crate::refusal::ModuleRefusal;
use crate::registers;
use crate::variables::{FrameVariables, VariablePlaces};

/// A value that a step takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StepOperand {
    Register(u32),
    /// A predicate, negated.
    Not(u32),
    Constant(u64),
    /// The address of memory of the call, less that of the call.
    Frame(u64),
    Special(SpecialRegister),
}

/// How many elements an access has at most.
pub(crate) const MOST_ELEMENTS: usize = 8;

/// A special register (PTX ISA 10). Those of three dimensions have the number of theirs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SpecialRegister {
    Thread(u8),
    Threads(u8),
    Block(u8),
    Blocks(u8),
    Lane,
    Warp,
    Lanes(LaneMask),
    Clock,
    SharedSize,
}

/// Which lanes of a warp a mask names, seen from one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LaneMask {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A step. Registers are numbers in the call; `NONE` is `_`.
#[derive(Debug)]
pub(crate) enum DecodedStep {
    Value(ValueStep),
    /// It is done before the step of this number at the latest.
    Load(MachineAccess, Box<[u32]>, u32),
    Store(MachineAccess, Box<[StepOperand]>),
    Modify(MachineAccess, Update, u32, [StepOperand; 2], u8),
    Fence(MemoryOrder, MemoryScope),
    Meet(MeetingStep),
    /// Which lanes of the warp are here together.
    ActiveMask(u32),
    Jump(u32),
    Call(Box<Call>),
    /// A function of another module that is not asked for its result: what is printed.
    Print(Box<[(u32, u32)]>),
    Return,
    Exit,
    Trap(&'static str),
    Nothing,
    Unknown(Box<str>),
}

/// What registers get from registers.
#[derive(Debug)]
pub(crate) enum ValueStep {
    Move(u32, StepOperand),
    /// The operations that are most of all code, on 32 and 64 bits.
    Add32(u32, StepOperand, StepOperand),
    Add64(u32, StepOperand, StepOperand),
    MultiplyAdd32(u32, StepOperand, StepOperand, StepOperand),
    Compare(NumberComparison, ScalarType, u32, StepOperand, StepOperand),
    Compute(Computation, ScalarType, u32, [StepOperand; 4], u8),
    Carry(Box<CarryStep>),
    SetPredicate(Box<SetPredicate>),
    Float(FloatFunction, ScalarType, u32, [StepOperand; 3], u8),
    FloatPredicate(Box<FloatPredicate>),
    Pack(u32, Box<[StepOperand]>, u16),
    Unpack(Box<[u32]>, StepOperand, u16),
    IsSpace(Window, u32, StepOperand),
    ToGeneric(u64, u32, StepOperand),
    FromGeneric(u64, u32, StepOperand),
}

/// Where threads wait for each other.
#[derive(Debug)]
pub(crate) enum MeetingStep {
    Barrier(Meeting, StepOperand, Option<StepOperand>),
    BarrierReduce(Box<BarrierReduction>),
    WarpBarrier(StepOperand),
    Exchange(Box<DecodedExchange>),
}

/// No register.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct SetPredicate {
    pub relation: NumberComparison,
    pub ty: ScalarType,
    pub to: [u32; 2],
    pub operands: [StepOperand; 2],
    pub with: Option<(Computation, StepOperand)>,
}

#[derive(Debug)]
pub(crate) struct FloatPredicate {
    pub function: FloatFunction,
    pub ty: ScalarType,
    pub to: [u32; 2],
    pub operands: [StepOperand; 2],
    pub with: Option<(Computation, StepOperand)>,
}

/// A sum or a difference that takes what the one before has carried or borrowed, or leaves that for
/// the one behind it.
#[derive(Debug)]
pub(crate) struct CarryStep {
    pub function: Computation,
    pub ty: ScalarType,
    pub to: u32,
    pub operands: [StepOperand; 3],
    pub count: u8,
    /// What is taken: 0 where nothing is.
    pub taken: StepOperand,
    /// The register of what is left, or `NONE`.
    pub left: u32,
}

/// A barrier of the block at which threads get what their predicates make together.
#[derive(Debug)]
pub(crate) struct BarrierReduction {
    pub reduction: PredicateReduction,
    pub to: u32,
    pub barrier: StepOperand,
    pub count: Option<StepOperand>,
    pub predicate: StepOperand,
}

/// What predicates make together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PredicateReduction {
    All,
    Any,
    Count,
}

/// What the lanes of a warp exchange.
#[derive(Debug)]
pub(crate) struct DecodedExchange {
    pub exchange: Exchange,
    pub ty: ScalarType,
    /// The result, and the predicate beside it.
    pub to: [u32; 2],
    /// What the lane brings, and the lane and the clamp of a shuffle.
    pub operands: [StepOperand; 3],
    /// The lanes that take part.
    pub mask: StepOperand,
}

/// An access to memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MachineAccess {
    pub order: MemoryOrder,
    pub scope: MemoryScope,
    pub window: Window,
    pub ty: ScalarType,
    pub base: StepOperand,
    pub offset: i64,
}

impl MachineAccess {
    /// How many bytes an element has.
    pub fn bytes(&self) -> u64 {
        u64::from(self.ty.bits.div_ceil(8))
    }

    /// What a register holds that a value of memory was loaded into: a narrow load fills it.
    pub fn widened(&self, value: u64) -> u64 {
        if self.ty.kind == ScalarKind::Signed { self.ty.signed(value) as u64 } else { value }
    }
}

#[derive(Debug)]
pub(crate) struct Call {
    pub function: u32,
    /// What is copied into memory of the called function: from there in the caller's memory, to
    /// there, and how many bytes.
    pub bytes_in: Vec<(u32, u32, u32)>,
    /// What is put into memory of the called function: the value, where, and how many bytes.
    pub values_in: Vec<(StepOperand, u32, u32)>,
    /// What is put into registers of the called function.
    pub registers_in: Vec<(StepOperand, u32)>,
    /// What is copied back.
    pub bytes_out: Vec<(u32, u32, u32)>,
    /// Registers of the called function, and those of the caller that take them.
    pub registers_out: Vec<(u32, u32)>,
}

/// A step with its predicate.
#[derive(Debug)]
pub(crate) struct GuardedStep {
    /// The register of the predicate, or `NONE`.
    pub guard: u32,
    /// Is it taken when the predicate is false?
    pub negated: bool,
    pub step: DecodedStep,
}

#[derive(Debug)]
pub(crate) struct DecodedFunction {
    pub name: String,
    pub steps: Vec<GuardedStep>,
    /// The line of the source of each step, and where the instruction stands in the text.
    pub places: Vec<(Option<SourceLine>, usize)>,
    pub registers: u32,
    /// The memory of a call.
    pub variables: FrameVariables,
    /// For kernels: the variables of shared memory.
    pub shared: Vec<ArrayRoom>,
    /// For kernels: what may be launched.
    pub limits: Option<KernelLimits>,
    /// For kernels: where each parameter lies in it, and how many bytes it has.
    pub parameters: Vec<(u32, u32)>,
}

impl DecodedFunction {
    /// How many bytes the registers and the memory of a call take.
    pub fn bytes(&self) -> u64 {
        8 * u64::from(self.registers) + self.variables.bytes
    }
}

/// All functions of a module that have a body, and where its variables are.
#[derive(Debug)]
pub(crate) struct MachineProgram {
    pub codes: Vec<DecodedFunction>,
    /// What the launch gives of shared memory, of which it says how much that is.
    pub dynamic: ArrayRoom,
    /// Variables of the module in global memory, with their addresses.
    pub globals: Vec<(String, u64, u64)>,
}

/// Decodes a module, and puts its variables into memory.
pub(crate) fn decode(
    module: &Module,
    memory: &mut GlobalMemory,
) -> Result<MachineProgram, ModuleRefusal> {
    let mut places = VariablePlaces::find(module, memory)?;
    let of_frames = std::mem::take(&mut places.of_frames);
    let functions = places
        .of
        .iter()
        .enumerate()
        .map(|(n, &f)| (module.functions[f].name.as_str(), n as u32))
        .collect();
    let decoder = StepDecoder { places: &places, functions };
    let mut codes: Vec<DecodedFunction> =
        places.of.iter().zip(of_frames).map(|(&f, frame)| decoder.code(f, frame)).collect();
    let outside = |f: &usize| {
        let function = &module.functions[*f];
        let by_register = |parameter: &Parameter| match parameter {
            Parameter::Register(r) => Some(r.0),
            Parameter::Memory(_) => None,
        };
        function.parameters.iter().chain(&function.results).filter_map(by_register).collect()
    };
    registers::share_places(&mut codes, &places.of.iter().map(outside).collect::<Vec<_>>());
    let fixed = module
        .variables
        .iter()
        .enumerate()
        .filter(|(_, v)| matches!(v.space, StateSpace::Global | StateSpace::Constant));
    let globals = fixed
        .filter_map(|(n, v)| {
            Some((v.name.clone(), *places.fixed.get(&VariableId(n as u32))?, v.size?))
        })
        .collect();
    Ok(MachineProgram { codes, dynamic: places.shared.dynamic, globals })
}

/// What makes steps of instructions.
struct StepDecoder<'p> {
    places: &'p VariablePlaces<'p>,
    /// The number of each function that has a body.
    functions: FxHashMap<&'p str, u32>,
}

impl StepDecoder<'_> {
    fn code(&self, f: usize, variables: FrameVariables) -> DecodedFunction {
        let function = &self.places.module.functions[f];
        let body = function.body.as_deref().unwrap_or(&[]);
        let mut steps: Vec<GuardedStep> = body
            .iter()
            .map(|i| {
                let (guard, negated) = i.guard.map_or((NONE, false), |(r, negated)| (r.0, negated));
                let step = self.step(function, i).unwrap_or_else(|| {
                    DecodedStep::Unknown(format!("`{}` with these operands", i.opcode).into())
                });
                GuardedStep { guard, negated, step }
            })
            .collect();
        late_load::put_off(&mut steps, body);
        let parameters = function.parameters.iter().filter_map(|p| match p {
            Parameter::Memory(id) => Some((
                self.places.frames.get(id)?.start,
                self.places.module.variable(*id).size.unwrap_or(8) as u32,
            )),
            Parameter::Register(_) => None,
        });
        DecodedFunction {
            name: function.name.clone(),
            steps,
            places: body.iter().map(|i| (i.line, i.start)).collect(),
            // One more for what is carried.
            registers: function.registers.len() as u32 + 1,
            shared: self.places.shared.of(f),
            limits: function.entry.then(|| KernelLimits::of(self.places.module, f)),
            variables,
            parameters: parameters.collect(),
        }
    }

    fn source(&self, operand: &Operand) -> Option<StepOperand> {
        Some(match operand {
            Operand::Register(r) => StepOperand::Register(r.0),
            Operand::Not(r) => StepOperand::Not(r.0),
            Operand::Integer(n) => StepOperand::Constant(*n),
            Operand::Float(bits, _) => StepOperand::Constant(*bits),
            Operand::Variable(id, offset) => match self.places.frames.get(id) {
                Some(place) => StepOperand::Frame(place.address.wrapping_add_signed(*offset)),
                None => {
                    StepOperand::Constant(self.places.fixed.get(id)?.wrapping_add_signed(*offset))
                }
            },
            Operand::Special(name) => special(name)?,
            _ => return None,
        })
    }

    fn sources<const N: usize>(&self, operands: &[&Operand]) -> Option<[StepOperand; N]> {
        let mut all = [StepOperand::Constant(0); N];
        for (to, operand) in all.iter_mut().zip(operands) {
            *to = self.source(operand)?;
        }
        (operands.len() <= N).then_some(all)
    }

    fn access(&self, access: MemoryAccess, base: &Operand, offset: i64) -> Option<MachineAccess> {
        // There is one device.
        if access.multimem {
            return None;
        }
        // A variable that is named without a space is in its own.
        let window = match (access.window, base) {
            (Window::Generic, Operand::Variable(id, _)) => {
                match self.places.module.variable(*id).space {
                    StateSpace::Shared => Window::Shared,
                    StateSpace::Local | StateSpace::Parameter => Window::Local,
                    _ => Window::Global,
                }
            }
            (window, _) => window,
        };
        let scope = access.scope.unwrap_or(match access.order {
            MemoryOrder::Volatile | MemoryOrder::Mmio => MemoryScope::Sys,
            _ => MemoryScope::Gpu,
        });
        Some(MachineAccess {
            order: access.order,
            scope,
            window,
            ty: access.ty,
            base: self.source(base)?,
            offset,
        })
    }

    fn step(&self, function: &Function, i: &Instruction) -> Option<DecodedStep> {
        let number = |r: Option<RegisterId>| r.map_or(NONE, |r| r.0);
        Some(match effect::of(i) {
            Effect::Compute { function, ty, to, operands } => {
                let to = number(to);
                let all = self.sources::<4>(&operands)?;
                let [a, b, c, _] = all;
                match (function, ty.bits) {
                    (Computation::Move, 64) => DecodedStep::Value(ValueStep::Move(to, a)),
                    (Computation::Add, 32) => DecodedStep::Value(ValueStep::Add32(to, a, b)),
                    (Computation::Add, 64) => DecodedStep::Value(ValueStep::Add64(to, a, b)),
                    (Computation::MultiplyAdd(Half::Low), 32) => {
                        DecodedStep::Value(ValueStep::MultiplyAdd32(to, a, b, c))
                    }
                    _ => DecodedStep::Value(ValueStep::Compute(
                        function,
                        ty,
                        to,
                        all,
                        operands.len() as u8,
                    )),
                }
            }
            Effect::SetPredicate { relation, ty, to, operands, with } => {
                let [a, b] = self.sources::<2>(&operands)?;
                match (to, &with) {
                    ([Some(to), None], None) => {
                        DecodedStep::Value(ValueStep::Compare(relation, ty, to.0, a, b))
                    }
                    _ => {
                        let with = match with {
                            Some((function, operand)) => Some((function, self.source(operand)?)),
                            None => None,
                        };
                        DecodedStep::Value(ValueStep::SetPredicate(Box::new(SetPredicate {
                            relation,
                            ty,
                            to: to.map(number),
                            operands: [a, b],
                            with,
                        })))
                    }
                }
            }
            Effect::Opaque { .. } => self.float(i)?,
            Effect::Carry { function: of, ty, to, operands, takes, leaves } => {
                // `CC.CF` is a register more of the function.
                let carry = function.registers.len() as u32;
                DecodedStep::Value(ValueStep::Carry(Box::new(CarryStep {
                    function: of,
                    ty,
                    to: number(to),
                    operands: self.sources::<3>(&operands)?,
                    count: operands.len() as u8,
                    taken: if takes {
                        StepOperand::Register(carry)
                    } else {
                        StepOperand::Constant(0)
                    },
                    left: if leaves { carry } else { NONE },
                })))
            }
            Effect::Pack { parts, to } => {
                let width = function.registers[to.0 as usize].ty.bits / parts.len().max(1) as u16;
                DecodedStep::Value(ValueStep::Pack(
                    to.0,
                    parts.iter().map(|p| self.source(p)).collect::<Option<_>>()?,
                    width,
                ))
            }
            Effect::Unpack { parts, from } => {
                let width = parts
                    .iter()
                    .flatten()
                    .map(|r| function.registers[r.0 as usize].ty.bits)
                    .max()
                    .unwrap_or(32);
                DecodedStep::Value(ValueStep::Unpack(
                    parts.iter().map(|r| number(*r)).collect(),
                    self.source(from)?,
                    width,
                ))
            }
            Effect::IsSpace { window, to, address, .. } => {
                DecodedStep::Value(ValueStep::IsSpace(window, to.0, self.source(address)?))
            }
            Effect::ConvertAddress { window, to_space, to, address } => {
                let by = match window {
                    Window::Shared => SHARED,
                    // Addresses of a thread's own memory are generic as they are.
                    _ => 0,
                };
                match to_space {
                    true => {
                        DecodedStep::Value(ValueStep::FromGeneric(by, to.0, self.source(address)?))
                    }
                    false => {
                        DecodedStep::Value(ValueStep::ToGeneric(by, to.0, self.source(address)?))
                    }
                }
            }
            Effect::Load { access, to, base, offset } => DecodedStep::Load(
                self.access(access, base, offset)?,
                to.iter().map(|r| number(*r)).collect(),
                0,
            ),
            Effect::Store { values, .. } if values.len() > MOST_ELEMENTS => return None,
            Effect::Store { access, base, offset, values } => {
                let values = values.iter().map(|v| self.source(v)).collect::<Option<_>>()?;
                DecodedStep::Store(self.access(access, base, offset)?, values)
            }
            Effect::Modify { access, update, to, base, offset, operands } => {
                let is_sum = matches!(update, Update::Add | Update::Min | Update::Max);
                if access.ty.kind == ScalarKind::Float
                    && !(is_sum && matches!(access.ty.bits, 32 | 64))
                {
                    return None;
                }
                let [a, b] = self.sources::<2>(&operands)?;
                DecodedStep::Modify(
                    self.access(access, base, offset)?,
                    update,
                    number(to.flatten()),
                    [a, b],
                    operands.len() as u8,
                )
            }
            Effect::Fence(order, scope) => DecodedStep::Fence(order, scope),
            Effect::Barrier(meeting, barrier, count) => {
                let count = match count {
                    Some(count) => Some(self.source(count)?),
                    None => None,
                };
                DecodedStep::Meet(MeetingStep::Barrier(meeting, self.source(barrier)?, count))
            }
            Effect::WarpBarrier(mask) => {
                DecodedStep::Meet(MeetingStep::WarpBarrier(self.source(mask)?))
            }
            Effect::Exchange { exchange: Exchange::Reduce(_), ty, .. }
                if ty.kind == ScalarKind::Float =>
            {
                DecodedStep::Unknown(
                    format!("`{}`: what floats of a warp make together", i.opcode).into(),
                )
            }
            Effect::Exchange { exchange, ty, to, operands, mask } => {
                DecodedStep::Meet(MeetingStep::Exchange(Box::new(DecodedExchange {
                    exchange,
                    ty,
                    to: to.map(number),
                    operands: self.sources::<3>(&operands)?,
                    mask: self.source(mask)?,
                })))
            }
            Effect::ActiveMask(to) => DecodedStep::ActiveMask(to.0),
            Effect::BarrierReduce { to, barrier, count, predicate } => {
                let reduction = match (i.has("and"), i.has("or"), i.has("popc")) {
                    (true, ..) => PredicateReduction::All,
                    (_, true, _) => PredicateReduction::Any,
                    (_, _, true) => PredicateReduction::Count,
                    _ => return None,
                };
                let count = match count {
                    Some(count) => Some(self.source(count)?),
                    None => None,
                };
                let (barrier, predicate) = (self.source(barrier)?, self.source(predicate)?);
                DecodedStep::Meet(MeetingStep::BarrierReduce(Box::new(BarrierReduction {
                    reduction,
                    to: number(to),
                    barrier,
                    count,
                    predicate,
                })))
            }
            Effect::Matrix { .. } => {
                DecodedStep::Unknown(format!("`{}`: rows of a matrix", i.opcode).into())
            }
            Effect::Async(_) | Effect::Cluster(_) | Effect::Tensor(_) => DecodedStep::Unknown(
                format!("`{}`: asynchronous operations, tensor cores, and clusters", i.opcode)
                    .into(),
            ),
            Effect::Unseen { why, .. } => {
                DecodedStep::Unknown(format!("`{}`: {why}", i.opcode).into())
            }
            Effect::Jump(to) => DecodedStep::Jump(to as u32),
            Effect::Call { function, results, arguments, .. } => {
                self.call(function?, results, arguments)?
            }
            Effect::Return => DecodedStep::Return,
            Effect::Exit => DecodedStep::Exit,
            Effect::Trap => DecodedStep::Trap("`trap`"),
            Effect::Nothing | Effect::OtherLaunches => DecodedStep::Nothing,
            Effect::Unknown(why) => DecodedStep::Unknown(format!("`{}`: {why}", i.opcode).into()),
        })
    }

    /// Arithmetic that the other readers of PTX leave open.
    fn float(&self, i: &Instruction) -> Option<DecodedStep> {
        let (function, ty) = float::of(i)?;
        let target = |operand: &Operand| match operand {
            Operand::Register(r) => Some(r.0),
            Operand::Sink => Some(NONE),
            _ => None,
        };
        let rest: Vec<&Operand> = i.operands[1..].iter().collect();
        if matches!(function, FloatFunction::Compare(_)) {
            let to = match i.operands.first()? {
                Operand::Pair(a, b) => [target(a)?, target(b)?],
                other => [target(other)?, NONE],
            };
            let with = match rest.get(2) {
                None => None,
                Some(with) => {
                    let function = match (i.has("and"), i.has("or"), i.has("xor")) {
                        (true, ..) => Computation::And,
                        (_, true, _) => Computation::Or,
                        (_, _, true) => Computation::Xor,
                        _ => return None,
                    };
                    Some((function, self.source(with)?))
                }
            };
            let operands = [self.source(rest.first()?)?, self.source(rest.get(1)?)?];
            return Some(DecodedStep::Value(ValueStep::FloatPredicate(Box::new(FloatPredicate {
                function,
                ty,
                to,
                operands,
                with,
            }))));
        }
        let to = target(i.operands.first()?)?;
        Some(DecodedStep::Value(ValueStep::Float(
            function,
            ty,
            to,
            self.sources::<3>(&rest)?,
            rest.len() as u8,
        )))
    }

    fn call(&self, name: &str, results: &[Operand], arguments: &[Operand]) -> Option<DecodedStep> {
        let Some(&function) = self.functions.get(name) else {
            return Some(match name {
                "__assertfail" | "__assert_fail" => DecodedStep::Trap("an assertion that fails"),
                "vprintf" => DecodedStep::Print(
                    results
                        .iter()
                        .filter_map(|r| match r {
                            Operand::Variable(id, _) => {
                                Some((self.places.frames.get(id)?.start, 4))
                            }
                            _ => None,
                        })
                        .collect(),
                ),
                other => DecodedStep::Unknown(format!("`{other}` is of another module").into()),
            });
        };
        let callee = &self.places.module.functions[self.places.of[function as usize]];
        let frames = &self.places.frames;
        let mut call = Call {
            function,
            bytes_in: Vec::new(),
            values_in: Vec::new(),
            registers_in: Vec::new(),
            bytes_out: Vec::new(),
            registers_out: Vec::new(),
        };
        let size = |id: &VariableId| self.places.module.variable(*id).size.unwrap_or(8) as u32;
        for (argument, parameter) in arguments.iter().zip(&callee.parameters) {
            match (argument, parameter) {
                (Operand::Variable(id, 0), Parameter::Memory(to)) if frames.contains_key(id) => {
                    call.bytes_in.push((
                        frames[id].start,
                        frames.get(to)?.start,
                        size(to).min(size(id)),
                    ));
                }
                (other, Parameter::Memory(to)) => call.values_in.push((
                    self.source(other)?,
                    frames.get(to)?.start,
                    size(to).min(8),
                )),
                (other, Parameter::Register(to)) => {
                    call.registers_in.push((self.source(other)?, to.0))
                }
            }
        }
        for (result, parameter) in results.iter().zip(&callee.results) {
            match (result, parameter) {
                (Operand::Variable(id, 0), Parameter::Memory(from)) => {
                    call.bytes_out.push((
                        frames.get(from)?.start,
                        frames.get(id)?.start,
                        size(from).min(size(id)),
                    ));
                }
                (Operand::Register(to), Parameter::Register(from)) => {
                    call.registers_out.push((from.0, to.0))
                }
                _ => return None,
            }
        }
        Some(DecodedStep::Call(Box::new(call)))
    }
}

fn special(name: &str) -> Option<StepOperand> {
    let (base, dimension) = name.split_once('.').unwrap_or((name, "x"));
    let d = match dimension {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        _ => return None,
    };
    Some(StepOperand::Special(match base {
        "tid" => SpecialRegister::Thread(d),
        "ntid" => SpecialRegister::Threads(d),
        "ctaid" | "clusterid" => SpecialRegister::Block(d),
        "nctaid" | "nclusterid" => SpecialRegister::Blocks(d),
        "laneid" => SpecialRegister::Lane,
        "warpid" => SpecialRegister::Warp,
        "lanemask_eq" => SpecialRegister::Lanes(LaneMask::Equal),
        "lanemask_lt" => SpecialRegister::Lanes(LaneMask::Less),
        "lanemask_le" => SpecialRegister::Lanes(LaneMask::LessOrEqual),
        "lanemask_gt" => SpecialRegister::Lanes(LaneMask::Greater),
        "lanemask_ge" => SpecialRegister::Lanes(LaneMask::GreaterOrEqual),
        "clock" | "clock_hi" | "clock64" | "globaltimer" | "globaltimer_lo" | "globaltimer_hi" => {
            SpecialRegister::Clock
        }
        "dynamic_smem_size" => SpecialRegister::SharedSize,
        "cluster_ctaid" | "cluster_ctarank" | "is_explicit_cluster" | "gridid" | "smid" => {
            return Some(StepOperand::Constant(0));
        }
        "cluster_nctaid" | "cluster_nctarank" | "nsmid" => return Some(StepOperand::Constant(1)),
        _ => return None,
    }))
}
