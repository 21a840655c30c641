//! Where values of registers go within a function, whatever way its threads take: what is made of a
//! number that no other block draws, and of a place in the launch.

use margay_ptx::effect::{Effect, MemoryAccess, MemoryOrder, MemoryScope, Update, Window};
use margay_ptx::{Instruction, Operand, RegisterId};
use rustc_hash::FxHashSet;

/// A function, and what its instructions do.
#[derive(Clone, Copy)]
pub(crate) struct FunctionFlow<'a> {
    pub body: &'a [Instruction],
    pub effects: &'a [Effect<'a>],
    /// The registers that may hold what is made of an address in shared memory.
    pub of_shared: &'a FxHashSet<RegisterId>,
}

impl FunctionFlow<'_> {
    fn pairs(&self) -> impl Iterator<Item = (usize, &Instruction, &Effect<'_>)> {
        self.body.iter().zip(self.effects).enumerate().map(|(at, (i, effect))| (at, i, effect))
    }

    /// The registers that a number reaches which no other block draws, by instructions of these
    /// names, or by all of them and shared memory.
    fn drawn(&self, by: Option<&[&str]>) -> FxHashSet<RegisterId> {
        let mut found: FxHashSet<RegisterId> = FxHashSet::default();
        let mut is_in_shared = false;
        loop {
            let before = (found.len(), is_in_shared);
            for (_, i, effect) in self.pairs() {
                let takes = match effect {
                    Effect::Modify { .. } => self.is_draw(effect),
                    Effect::Load { access, .. } => is_in_shared && access.window == Window::Shared,
                    Effect::Store { access, values, .. } => {
                        let is_drawn =
                            |o: &&Operand| matches!(o, Operand::Register(r) if found.contains(r));
                        is_in_shared |= by.is_none()
                            && access.window == Window::Shared
                            && values.iter().any(is_drawn);
                        false
                    }
                    _ => {
                        by.is_none_or(|names| names.contains(&i.opcode.as_str()))
                            && any(i.operands.get(1..).unwrap_or_default(), &found)
                    }
                };
                if takes {
                    found.extend(
                        i.operands
                            .first()
                            .into_iter()
                            .flat_map(|o| registers(std::slice::from_ref(o))),
                    );
                }
            }
            if before == (found.len(), is_in_shared) {
                return found;
            }
        }
    }

    /// Is an access to memory that blocks share? One for the threads of a block alone is, too,
    /// where it is not to shared memory: whoever takes a lock there by such an operation may take
    /// it for one of all blocks, or have launched one block.
    fn is_between_blocks(&self, access: &MemoryAccess, base: &Operand) -> bool {
        match access.window {
            Window::Global => true,
            Window::Shared => false,
            _ => {
                access.scope != Some(MemoryScope::Cta)
                    || !any(std::slice::from_ref(base), self.of_shared)
            }
        }
    }

    /// Is it an exchange by which a thread may take a lock that blocks share?
    pub fn takes_a_lock(&self, effect: &Effect<'_>) -> bool {
        let Effect::Modify {
            access, base, update: Update::Exchange | Update::CompareAndSwap, ..
        } = effect
        else {
            return false;
        };
        self.is_between_blocks(access, base)
    }

    /// Are all places in memory that blocks share written by read-modify-writes or strong stores
    /// alone, and some by one for the threads of a block alone? Then either it is written for one
    /// block, or the scope is too small, and several blocks show nothing else.
    pub fn has_a_doubtful_scope(&self) -> bool {
        let mut is_narrow = false;
        let is_plain = |effect: &Effect<'_>| match effect {
            Effect::Store { access, base, .. } => {
                access.order == MemoryOrder::Weak && self.is_between_blocks(access, base)
            }
            Effect::Modify { access, base, .. } => {
                is_narrow |=
                    access.scope == Some(MemoryScope::Cta) && self.is_between_blocks(access, base);
                false
            }
            _ => false,
        };
        !self.effects.iter().any(is_plain) && is_narrow
    }

    /// Does it draw a number from a counter that blocks share?
    fn is_draw(&self, effect: &Effect<'_>) -> bool {
        let Effect::Modify {
            access,
            base,
            update: Update::Add | Update::Increment,
            to: Some(_),
            ..
        } = effect
        else {
            return false;
        };
        self.is_between_blocks(access, base)
    }

    /// Does it read what other blocks may write meanwhile?
    fn reads_of_others(&self, effect: &Effect<'_>) -> bool {
        let Effect::Load { access, base, .. } = effect else { return false };
        access.order != MemoryOrder::Weak && self.is_between_blocks(access, base)
    }

    /// Is a number drawn that no other block draws, and compared in a loop that reads what other
    /// blocks write: a lock whose turns are counted?
    pub fn waits_for_a_turn(&self, is_in_loop: &dyn Fn(usize) -> bool) -> bool {
        let drawn = self.drawn(Some(&["mov", "cvt"]));
        let is_compared = self
            .pairs()
            .any(|(at, i, _)| i.opcode == "setp" && is_in_loop(at) && any(&i.operands, &drawn));
        is_compared
            && self.pairs().any(|(at, _, effect)| is_in_loop(at) && self.reads_of_others(effect))
    }

    /// Does each block write where a number says that no other block draws, and nowhere else in
    /// global memory by a plain store? Such blocks are told apart as by their own number. One that
    /// writes elsewhere, too, may be written for one block.
    pub fn writes_where_it_drew(&self) -> bool {
        let drawn = self.drawn(None);
        let mut all = self.pairs().filter_map(|(_, _, effect)| match effect {
            Effect::Store { access, base, .. }
                if matches!(access.window, Window::Global | Window::Generic) =>
            {
                let is_weak = access.order == MemoryOrder::Weak;
                Some((is_weak, any(std::slice::from_ref(*base), &drawn)))
            }
            _ => None,
        });
        let mut has_drawn = false;
        all.all(|(is_weak, is_drawn)| {
            has_drawn |= is_drawn;
            !is_weak || is_drawn
        }) && has_drawn
    }

    /// Does a place in the launch, where it is read, only say whether it and others are all zero?
    /// So does whoever looks for the first thread of blocks of any shape, as the barrier of a grid
    /// does: `threadIdx.x + threadIdx.y + threadIdx.z == 0`. Compilers compare the sum of two with
    /// the third, negated.
    pub fn is_only_of_the_first(&self, name: &str) -> bool {
        let mut found: FxHashSet<RegisterId> = FxHashSet::default();
        let negated: Vec<RegisterId> = self
            .pairs()
            .filter(|(_, i, _)| i.opcode == "neg")
            .flat_map(|(_, i, _)| registers(&i.operands[..1]))
            .collect();
        let is_negated =
            |o: &Operand| matches!(o, Operand::Register(register) if negated.contains(register));
        let (mut is_added, mut is_compared) = (false, false);
        loop {
            let before = found.len();
            for (_, i, _) in self.pairs() {
                let operands = i.operands.get(1..).unwrap_or_default();
                let reads = any(operands, &found)
                    || operands.iter().any(|o| matches!(o, Operand::Special(of) if of == name));
                match i.opcode.as_str() {
                    _ if !reads => {
                        if matches!(i.operands.first(), Some(o @ Operand::Address(..)) if any(std::slice::from_ref(o), &found))
                        {
                            return false;
                        }
                        continue;
                    }
                    "setp" if i.has("eq") || i.has("ne") => {
                        is_compared = true;
                        is_added |= operands.iter().all(|o| matches!(o, Operand::Register(_)))
                            && operands.iter().filter(|o| is_negated(o)).count() == 1;
                        continue;
                    }
                    "add" | "or" if !operands.iter().any(|o| matches!(o, Operand::Integer(_))) => {
                        is_added = true
                    }
                    "mov" | "cvt" | "neg" => {}
                    _ => return false,
                }
                found.extend(registers(&i.operands[..1]));
            }
            if before == found.len() {
                return is_added && is_compared;
            }
        }
    }
}

fn registers(operands: &[Operand]) -> Vec<RegisterId> {
    let of = |o: &Operand| match o {
        Operand::Register(register) => Some(*register),
        _ => None,
    };
    leaves(operands).into_iter().filter_map(of).collect()
}

fn any(operands: &[Operand], among: &FxHashSet<RegisterId>) -> bool {
    registers(operands).iter().any(|register| among.contains(register))
}

/// Operands, and those in them.
pub(crate) fn leaves(operands: &[Operand]) -> Vec<&Operand> {
    let mut todo: Vec<&Operand> = operands.iter().collect();
    let mut found = Vec::new();
    while let Some(operand) = todo.pop() {
        match operand {
            Operand::Address(base, _) => todo.push(base),
            Operand::Vector(parts) | Operand::List(parts) => todo.extend(parts),
            Operand::Pair(a, b) => todo.extend([&**a, &**b]),
            other => found.push(other),
        }
    }
    found
}
