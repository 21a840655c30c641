//! Kernels: parameters, the body with all that it calls, and the text of the module.

use std::fmt::Write as _;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    CLASSES, InlinedCall, KernelLowering, KnownSpace, LineStarts, LoweringResult, LoweringStop,
    MAX_TRIES, TypedValue, ValueForm, ValuePlace,
};
use crate::lex::{CudaRefusal, CudaSpan};
use crate::read::ProgramReader;
use crate::tree::{CudaStatementKind, FunctionTree, ParameterTree};
use crate::types::{CudaType, TemplateBinding, TemplateBindings, TypeShape};

/// A kernel that is to be compiled: its name in PTX, what it is, and the arguments of its template.
struct KernelInstance {
    name: Rc<str>,
    kernel: Result<(Rc<FunctionTree>, Rc<TemplateBindings>), CudaRefusal>,
}

/// Compiles the kernels of a program. Those that are not understood have no code, and are returned
/// with the reason.
pub(crate) fn compiled(
    program: ProgramReader,
    target: &str,
) -> (String, Vec<(Rc<str>, CudaRefusal)>) {
    let lines = program.files.iter().map(|f| {
        let starts = std::iter::once(0).chain(
            f.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(n, _)| n as u32 + 1),
        );
        LineStarts(starts.collect())
    });
    let lines = lines.collect();
    let mut lowering = KernelLowering {
        program,
        lines,
        structures: Vec::new(),
        globals: FxHashMap::default(),
        declarations: String::new(),
        constants: FxHashMap::default(),
        symbols: FxHashSet::default(),
        steps_left: super::evaluate::MAX_STEPS_OF_ALL,
        in_memory: FxHashSet::default(),
        changed: FxHashSet::default(),
        are_all_in_memory: false,
        body: String::new(),
        variables: String::new(),
        registers: [0; 6],
        labels: 0,
        instructions: 0,
        placed_calls: 0,
        is_type_asked: false,
        depth: 0,
        frames: Vec::new(),
        position: CudaSpan::default(),
        line: (0, 0),
        mutable: FxHashMap::default(),
        grid_constants: FxHashSet::default(),
        places_chosen: FxHashSet::default(),
        truths: FxHashMap::default(),
        placed: FxHashMap::default(),
        recursive: Vec::new(),
        lambdas: FxHashMap::default(),
        functions: Vec::new(),
        compared_functions: None,
        needs_assertions: false,
        open_enumerations: Vec::new(),
        grid_barriers: 0,
    };
    lowering.module(target)
}

impl KernelLowering {
    fn module(&mut self, target: &str) -> (String, Vec<(Rc<str>, CudaRefusal)>) {
        // All variables have their names; one that is not understood is said where it is used.
        for (namespace, tree) in self.program.variables.clone() {
            self.reset();
            self.frames.push(InlinedCall::outside(namespace));
            let before = (self.symbols.clone(), self.declarations.len(), self.constants.clone());
            if self.global(&tree).is_err() {
                (self.symbols, self.constants) = (before.0, before.2);
                self.declarations.truncate(before.1);
            }
        }
        let (mut entries, mut refused) = (String::new(), Vec::new());
        for KernelInstance { name, kernel } in self.instances() {
            let written =
                kernel.and_then(|(function, bindings)| self.kernel(&name, &function, &bindings));
            match written {
                Ok(text) => entries.push_str(&text),
                Err(refusal) => {
                    let _ = write!(
                        entries,
                        "\n// not understood, and not asked about\n.visible .entry {name}()\n{{\n\tret;\n}}\n"
                    );
                    refused.push((name, refusal));
                }
            }
        }
        let mut text = String::from(
            "//\n// Compiled by Margay from CUDA C++, without nvcc: nothing is optimised.\n//\n\n",
        );
        let _ = writeln!(text, ".version 8.7\n.target {target}\n.address_size 64\n");
        for (n, file) in self.program.files.iter().enumerate().skip(1) {
            // A name that PTX can have in quotation marks.
            let name: String = file
                .name
                .chars()
                .map(|c| if c == '"' || c.is_control() { '_' } else { c })
                .collect();
            let _ = writeln!(text, ".file\t{n} \"{name}\"");
        }
        text.push_str(&self.declarations);
        if self.needs_assertions {
            text.push_str(".extern .func __assertfail;\n");
        }
        for (name, at) in &self.recursive {
            let (line, column) = self.line_of(*at);
            let _ = write!(
                text,
                "\n.func {name}\n{{\n\t.loc\t{} {line} {column}\n\tcall {name};\n\tret;\n}}\n",
                at.file.max(1)
            );
        }
        text.push_str(&entries);
        (text, refused)
    }

    /// The kernels with the names that they have in PTX.
    fn instances(&mut self) -> Vec<KernelInstance> {
        let mut found = Vec::new();
        let mut names: FxHashSet<Rc<str>> = FxHashSet::default();
        let unique = |name: &str, names: &mut FxHashSet<Rc<str>>| -> Rc<str> {
            // PTX has letters of ASCII.
            let name: String = name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '$') { c } else { '_' })
                .collect();
            let mut made: Rc<str> = name.as_str().into();
            let mut n = 1;
            while !names.insert(made.clone()) {
                n += 1;
                made = format!("{name}_{n}").into();
            }
            made
        };
        for kernel in self.program.kernels.clone() {
            let function = match kernel {
                Ok(function) => function,
                Err((name, refusal)) => {
                    let name = unique(&name, &mut names);
                    found.push(KernelInstance { name, kernel: Err(refusal) });
                    continue;
                }
            };
            let Some(parameters) = function.template.clone() else {
                let name = unique(&function.name, &mut names);
                found.push(KernelInstance { name, kernel: Ok((function, Rc::default())) });
                continue;
            };
            let mut seen: Vec<TemplateBindings> = Vec::new();
            for (name, arguments) in self
                .program
                .instances
                .clone()
                .into_iter()
                .filter(|(name, _)| *name == function.name)
            {
                self.reset();
                self.frames.push(InlinedCall::outside(function.namespace.clone()));
                let bound = match arguments {
                    Ok(arguments) => self
                        .bound(&parameters, Some(&arguments), function.at)
                        .map_err(|stop| refusal_of(stop, function.at)),
                    Err(refusal) => Err(refusal),
                };
                match bound {
                    Ok(bindings) if seen.contains(&bindings) => {}
                    Ok(bindings) => {
                        let words: Vec<String> =
                            bindings.iter().map(|(_, b)| self.binding_word(b)).collect();
                        seen.push(bindings.clone());
                        let name = unique(&format!("{name}_{}", words.join("_")), &mut names);
                        found.push(KernelInstance {
                            name,
                            kernel: Ok((function.clone(), Rc::new(bindings))),
                        });
                    }
                    Err(refusal) => found.push(KernelInstance {
                        name: unique(&name, &mut names),
                        kernel: Err(refusal),
                    }),
                }
            }
            if seen.is_empty() && !found.iter().any(|k| *k.name == *function.name) {
                let text = format!(
                    "the kernel `{}` is a template, and nothing says with which arguments it is launched",
                    function.name
                );
                let help = "launch it in the file, `k<int><<<1, 32>>>(..)`, or write `template __global__ void k<int>(..);`";
                let name = unique(&function.name, &mut names);
                found.push(KernelInstance {
                    name,
                    kernel: Err(CudaRefusal::new(function.at, text, help)),
                });
            }
        }
        found
    }

    fn binding_word(&self, binding: &TemplateBinding) -> String {
        let text = match binding {
            TemplateBinding::Type(ty) => self.type_text(ty),
            TemplateBinding::Value(ty, value) if ty.is_signed() && (*value as i64) < 0 => {
                format!("m{}", (*value as i64).unsigned_abs())
            }
            TemplateBinding::Value(_, value) => value.to_string(),
            TemplateBinding::Bytes(_, bytes) => {
                bytes.iter().map(|byte| format!("{byte:02x}")).collect()
            }
            TemplateBinding::Template(names) => {
                names.last().map_or_else(String::new, |name| name.to_string())
            }
            TemplateBinding::Pack(all) => {
                all.iter().map(|b| self.binding_word(b)).collect::<Vec<_>>().join("_")
            }
        };
        let clean = |c: char| match c {
            '*' => 'P',
            c if c.is_ascii_alphanumeric() => c,
            _ => '_',
        };
        text.chars().map(clean).collect()
    }

    fn reset(&mut self) {
        self.body.clear();
        self.variables.clear();
        self.registers = [0; 6];
        self.labels = 0;
        self.instructions = 0;
        self.placed_calls = 0;
        self.is_type_asked = false;
        self.depth = 0;
        self.frames.clear();
        self.line = (0, 0);
        self.mutable.clear();
        self.grid_constants.clear();
        self.truths.clear();
        self.placed.clear();
        self.compared_functions = None;
    }

    /// The variables that the module declares, each with its line.
    pub(super) fn module_variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.declarations.lines().filter_map(|line| {
            let mut words = line.split([' ', '[', ';', '=']);
            let name = words.find(|word| {
                word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$'))
            })?;
            Some((line, name))
        })
    }

    fn kernel(
        &mut self,
        name: &str,
        function: &Rc<FunctionTree>,
        bindings: &Rc<TemplateBindings>,
    ) -> Result<String, CudaRefusal> {
        self.in_memory.clear();
        self.changed.clear();
        self.are_all_in_memory = false;
        let before = (
            self.symbols.clone(),
            self.declarations.clone(),
            self.globals.clone(),
            self.constants.clone(),
            self.grid_barriers,
        );
        let mut tries = 0;
        loop {
            self.reset();
            match self.entry(name, function, bindings) {
                Ok(text) => {
                    // Names of one kernel's own variables are free again, those of the module are
                    // not.
                    let declared: FxHashSet<&str> =
                        self.module_variables().map(|(_, name)| name).collect();
                    let is_of_module =
                        |s: &&Rc<str>| before.0.contains(*s) || declared.contains(&***s);
                    let of_module: Vec<Rc<str>> =
                        self.symbols.iter().filter(is_of_module).cloned().collect();
                    self.symbols = of_module.into_iter().collect();
                    return Ok(text);
                }
                Err(stop) => {
                    self.symbols = before.0.clone();
                    self.declarations.clone_from(&before.1);
                    self.globals.clone_from(&before.2);
                    self.constants.clone_from(&before.3);
                    self.grid_barriers = before.4;
                    match stop {
                        LoweringStop::Refused(refusal) => return Err(refusal),
                        LoweringStop::Again => {
                            tries += 1;
                            self.are_all_in_memory = tries >= MAX_TRIES;
                            if tries > 2 * MAX_TRIES {
                                let help = "tell us of this program";
                                return Err(CudaRefusal::new(
                                    function.at,
                                    "this kernel's variables cannot be given places",
                                    help,
                                ));
                            }
                        }
                    }
                }
            }
        }
    }

    fn entry(
        &mut self,
        name: &str,
        function: &Rc<FunctionTree>,
        bindings: &Rc<TemplateBindings>,
    ) -> LoweringResult<String> {
        let mut frame = InlinedCall::outside(function.namespace.clone());
        (frame.function, frame.bindings) = (Some(function.clone()), bindings.clone());
        self.frames.push(frame);
        self.position = function.at;
        let end = self.label();
        self.frame().end = end;
        let mut parameters = Vec::new();
        let mut all: Vec<(&ParameterTree, Option<usize>)> = Vec::new();
        for parameter in &function.parameters {
            match parameter.is_pack {
                true => {
                    let count =
                        self.count_of(&super::pack::words_of(&parameter.ty), parameter.at)?;
                    all.extend((0..count).map(|number| (parameter, Some(number))));
                }
                false => all.push((parameter, None)),
            }
        }
        let mut pack = Vec::new();
        for (n, (parameter, number)) in all.into_iter().enumerate() {
            let symbol: Rc<str> = format!("{name}_param_{n}").into();
            let is_reference = super::typename::is_reference(&parameter.ty);
            let mut ty = self.type_of_parameter(parameter, number)?;
            if is_reference {
                return self.refuse(
                    parameter.at,
                    "a parameter of a kernel that is a reference",
                    "pass a pointer",
                );
            }
            if let TypeShape::Array(of, _) = ty.shape {
                ty = CudaType::pointer((*of).clone());
            }
            let at = parameter.at;
            let place = ValuePlace::Memory {
                base: symbol.clone(),
                offset: 0,
                space: KnownSpace::Parameter,
            };
            match parameter.is_grid_constant {
                true => _ = self.grid_constants.insert(symbol.clone()),
                false => _ = self.mutable.insert(symbol.clone(), at),
            }
            let bytes = ty.bytes();
            match (&ty.shape, ty.structure()) {
                (_, Some(_)) => {
                    let (size, align) = self.size_of(&ty, at)?;
                    parameters.push(format!("\t.param .align {align} .b8 {symbol}[{size}]"));
                    let mut bound = TypedValue::place(ty.value(), place.clone());
                    if !parameter.is_grid_constant
                        && (self.in_memory.contains(&at) || self.are_all_in_memory)
                    {
                        let copy = self.local(&parameter.name, size, align, at)?;
                        self.copy(&place, &ty, &copy, &ty.value(), at)?;
                        bound = TypedValue::place(ty.value(), copy);
                    }
                    match number {
                        Some(_) => pack.push(bound),
                        None => self.bind(parameter.name.clone(), bound),
                    }
                    continue;
                }
                (TypeShape::Pointer(of), _) => {
                    let align = if of.is_void() {
                        1
                    } else {
                        self.size_of(&of.clone(), at).map_or(1, |(_, align)| align)
                    };
                    parameters.push(format!("\t.param .u64 .ptr .align {align} {symbol}"));
                }
                _ if ty.is_scalar() => {
                    parameters.push(format!("\t.param .{} {symbol}", ty.of_memory()))
                }
                _ => {
                    let text = format!("a parameter of the type {}", self.type_text(&ty));
                    return self.refuse(at, text, "pass numbers, pointers and structures");
                }
            }
            let value = self.load(&place, &ty.value())?;
            let is_in_memory =
                self.in_memory.contains(&at) || self.are_all_in_memory || ty.is_volatile;
            let bound = if is_in_memory {
                let copy = self.local(&parameter.name, bytes, bytes, at)?;
                self.store(&copy, &ty.value(), value)?;
                TypedValue::place(ty, copy)
            } else if self.changed.contains(&at) {
                let register = self.new_register(&ty);
                self.mutable.insert(register.clone(), at);
                let copy = ValuePlace::Register(register);
                self.store(&copy, &ty, value)?;
                TypedValue::place(ty, copy)
            } else {
                let form = ValueForm::Place(ValuePlace::Fixed(Box::new(value.form), at));
                TypedValue { ty, form }
            };
            match number {
                Some(_) => pack.push(bound),
                None => self.bind(parameter.name.clone(), bound),
            }
        }
        if let Some(parameter) = function.parameters.last().filter(|p| p.is_pack) {
            self.bind_pack(parameter.name.clone(), pack, Vec::new());
        }
        let result = self.resolved(&function.result)?;
        if !result.is_void() {
            return self.refuse(
                function.at,
                format!("the kernel `{}` returns a value", function.name),
                "a kernel returns nothing: `void`",
            );
        }
        let mut directives = String::new();
        if let Some(e) = &function.most_threads {
            let most = self.constant(e, "the most threads of a block")?.known().unwrap_or(0);
            let _ = writeln!(directives, ".maxntid {most}, 1, 1");
        }
        if !function.cluster.is_empty() {
            let mut sizes = Vec::new();
            for e in &function.cluster {
                sizes.push(
                    self.constant(e, "the size of a cluster")?.known().unwrap_or(1).to_string(),
                );
            }
            sizes.resize(3, "1".to_owned());
            let _ =
                writeln!(directives, ".explicitcluster\n.reqnctapercluster {}", sizes.join(", "));
        }
        let body = self.program.body(function, None)?;
        if let CudaStatementKind::Block(all) = &body.what {
            self.block(all, true)?;
        }
        self.all_labels_are_there()?;
        self.all_are_compared()?;
        if self.current().is_end_used {
            self.put_label(end);
        }
        self.emit("ret")?;
        let (variables, body) =
            super::promote::promoted(&self.variables, &self.body, &mut self.registers);
        let mut text =
            format!("\n.visible .entry {name}(\n{}\n)\n{directives}{{\n", parameters.join(",\n"));
        for (n, (prefix, ty)) in CLASSES.iter().enumerate() {
            if self.registers[n] > 0 {
                let _ = writeln!(text, "\t.reg {ty} \t{prefix}<{}>;", self.registers[n] + 1);
            }
        }
        text.push_str(&variables);
        text.push('\n');
        text.push_str(&body);
        text.push_str("}\n");
        Ok(text)
    }
}

fn refusal_of(stop: LoweringStop, at: CudaSpan) -> CudaRefusal {
    match stop {
        LoweringStop::Refused(refusal) => refusal,
        LoweringStop::Again => {
            CudaRefusal::new(at, "an argument of the template is not constant", "give constants")
        }
    }
}
