//! How structures lie in memory, and how many bytes types have.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult, MAX_BYTES};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, TemplateArgument, TypeTree};
use crate::types::{BitsLayout, CudaType, FieldLayout, StructureLayout, TypeShape};

impl KernelLowering {
    pub(super) fn lay_out(&mut self, number: usize) -> LoweringResult<()> {
        let tree = self.structures[number].tree.clone();
        if let Some(at) = tree.virtual_at {
            let help = "which function a call means is only known when it is made; `--compiler nvcc` reads all of CUDA C++";
            return self.refuse(at, "virtual functions are not understood", help);
        }
        let (mut fields, mut bases) = (Vec::<FieldLayout>::new(), Vec::new());
        let (mut size, mut align) = (0u64, 1u64);
        let of_base = |base: &TypeTree| TemplateArgument::Type(base.clone());
        let all: Vec<TemplateArgument> = tree.bases.iter().map(of_base).collect();
        for base in self.unpacked_arguments(&all, tree.at)? {
            let TemplateArgument::Type(base) = base else { continue };
            let ty = self.resolved(&base)?;
            let Some(base) = ty.structure() else {
                return self.refuse(
                    tree.at,
                    "a structure is made from what is none",
                    "name a structure behind `:`",
                );
            };
            let (bytes, alignment) = self.size_of(&ty, tree.at)?;
            align = align.max(alignment);
            let is_empty = self.structures[base].fields.is_empty();
            let start = if is_empty { 0 } else { size.next_multiple_of(alignment) };
            bases.push((base, start));
            let inherited: Vec<FieldLayout> = self.structures[base].fields.clone();
            fields.extend(inherited.into_iter().map(|f| FieldLayout {
                offset: f.offset + start,
                initial: None,
                ..f
            }));
            if !is_empty {
                size = start + bytes;
            }
        }
        // Where the last member ends, in bits.
        let mut end = 8 * size;
        for field in &tree.fields {
            let is_reference = self.is_reference_type(&field.ty)?;
            let ty = self.resolved(&field.ty)?;
            let (bytes, mut alignment) = match is_reference {
                true => (8, 8),
                false => self.size_of(&ty, field.at)?,
            };
            if let Some(e) = &field.alignment {
                alignment = self.alignment(e)?;
            }
            let mut bits = None;
            let start = match &field.bits {
                Some(count) => {
                    if !ty.is_integer() {
                        return self.refuse(
                            field.at,
                            "a member of some bits that is no whole number",
                            "give it a type of whole numbers",
                        );
                    }
                    let most = 8 * bytes;
                    let count =
                        self.constant(count, "how many bits a member has")?.known().unwrap_or(0);
                    if count > most || count == 0 && !field.name.starts_with('(') {
                        let text = format!("a member of {count} bits of a type of {most}");
                        return self.refuse(
                            field.at,
                            text,
                            "give at least one bit, and no more than the type has",
                        );
                    }
                    // It does not lie across two words of its type.
                    let first = if tree.is_union { 0 } else { end };
                    let first = match first / most != (first + count).saturating_sub(1) / most
                        || count == 0
                    {
                        true => first.next_multiple_of(most),
                        false => first,
                    };
                    if !tree.is_union {
                        end = first + count;
                    }
                    size = size.max((first + count).div_ceil(8));
                    let within = first % most;
                    // The smallest aligned word that has them.
                    let sizes = [1u64, 2, 4, 8].into_iter().filter(|size| {
                        within / (8 * size) == (within + count.max(1) - 1) / (8 * size)
                    });
                    let size = sizes.min().unwrap_or(bytes).min(bytes);
                    let least = (within / (8 * size) * size, size);
                    bits = Some(BitsLayout { first: within as u32, count: count as u32, least });
                    if field.name.starts_with('(') {
                        continue;
                    }
                    first / most * bytes
                }
                None => {
                    let start = if tree.is_union { 0 } else { size.next_multiple_of(alignment) };
                    size = size.max(start + bytes);
                    end = 8 * size;
                    start
                }
            };
            align = align.max(alignment);
            let path = |name: &Rc<str>| FieldLayout {
                name: name.clone(),
                ty: ty.clone(),
                offset: start,
                is_reference,
                bits,
                is_mutable: field.is_mutable,
                initial: field.initial.clone(),
            };
            fields.push(path(&field.name));
            // What has no name gives its members to this one.
            if field.name.is_empty()
                && let Some(inner) = ty.structure()
            {
                let members: Vec<FieldLayout> = self.structures[inner].fields.clone();
                fields.pop();
                fields.extend(
                    members.into_iter().map(|f| FieldLayout { offset: f.offset + start, ..f }),
                );
            }
        }
        if let Some(e) = &tree.alignment {
            align = align.max(self.alignment(e)?);
        }
        widened(&mut fields);
        let of = &mut self.structures[number];
        of.fields = fields;
        of.bases = bases;
        of.size = size.max(1).next_multiple_of(align);
        of.align = align;
        Ok(())
    }

    pub(super) fn alignment(&mut self, e: &CudaExpression) -> LoweringResult<u64> {
        let value = self.constant(e, "an alignment")?.known().unwrap_or(0);
        if !value.is_power_of_two() || value > 1 << 12 {
            return self.refuse(
                e.at,
                format!("an alignment of {value} bytes"),
                "an alignment is a power of two",
            );
        }
        Ok(value)
    }

    /// How many bytes a type has, and what its addresses are multiples of.
    pub(super) fn size_of(&mut self, ty: &CudaType, at: CudaSpan) -> LoweringResult<(u64, u64)> {
        match &ty.shape {
            TypeShape::Array(of, count) => {
                let (bytes, align) = self.size_of(&of.clone(), at)?;
                match bytes.checked_mul(count.unwrap_or(0)).filter(|&n| n < MAX_BYTES) {
                    Some(bytes) => Ok((bytes, align)),
                    None => self.refuse(
                        at,
                        format!("an array of {MAX_BYTES} bytes or more"),
                        "make it smaller",
                    ),
                }
            }
            TypeShape::Structure(n) => {
                let StructureLayout { size, align, tree, .. } = &self.structures[*n];
                if *align == 0 {
                    let text = format!("`{}` has itself as a member", tree.name);
                    return self.refuse(at, text, "use a pointer to it");
                }
                Ok((*size, *align))
            }
            TypeShape::Void => self.refuse(at, "`void` is no type of a value", "name the type"),
            _ => Ok((ty.bytes(), ty.bytes())),
        }
    }
}

/// Members of some bits whose smallest words are part of another's have that one.
fn widened(fields: &mut [FieldLayout]) {
    let words: Vec<(u64, u64)> = fields
        .iter()
        .filter_map(|f| f.bits.map(|bits| (f.offset + bits.least.0, bits.least.1)))
        .collect();
    for field in fields {
        let Some(bits) = &mut field.bits else { continue };
        let own = (field.offset + bits.least.0, bits.least.1);
        let around = words.iter().filter(|(start, size)| {
            *start <= own.0 && own.0 + own.1 <= start + size && *start >= field.offset
        });
        if let Some(&(start, size)) = around.max_by_key(|(_, size)| *size) {
            bits.least = (start - field.offset, size);
        }
    }
}
