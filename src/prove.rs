//! `margay prove`: for executions of every size. The proof and the bounded search run side by side;
//! the end is a theorem, a counterexample, or what is missing.

use margay_answers::prove::{mapping, matrix, model};
use margay_console::output::Output;
use margay_mappings::check::{CheckOptions, CoReading, Level};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;

use crate::CommandOutcome;
use crate::arguments::ProveArguments;

pub fn run(options: &ProveArguments, output: &Output) -> CommandOutcome {
    // Proofs ask the solver of the process, which so is the one that was chosen.
    options.search.solver.clone().register();
    let ran = match &options.model {
        _ if options.all_mappings => options.of_all().map(|asked| matrix::run(&asked, output)),
        Some(name) => options.of_model(name, output),
        None => options.of_mapping(output),
    };
    ran.unwrap_or_else(|errors| output.wrong(&errors))
}

impl ProveArguments {
    /// What is asked of all mappings.
    fn of_all(&self) -> Result<matrix::ProofMatrixOptions, Vec<Diagnostic>> {
        let Self { mapping, search, out, .. } = self;
        let (timeout, memory) = (search.limits.time.timeout, search.limits.memory);
        Ok(matrix::ProofMatrixOptions {
            more: mapping.clone(),
            check: self.check()?,
            timeout,
            memory,
            out: out.clone(),
        })
    }

    fn of_mapping(&self, output: &Output) -> Result<CommandOutcome, Vec<Diagnostic>> {
        let loaded = self.statement.load(self.mapping.as_deref().unwrap_or_default())?;
        output.warn(&loaded.warnings);
        let Self { lemmas, tried, certify, rocq, out, .. } = self;
        let (lemmas, certify, rocq, out) =
            (lemmas.clone(), certify.clone(), rocq.clone(), out.clone());
        let limits = self.search.limits();
        let check = self.check()?.with(|check| check.deadline = limits.deadline);
        let asked =
            mapping::MappingProofOptions { check, lemmas, tried: *tried, certify, rocq, out };
        Ok(mapping::run(&loaded.mapping, &asked, &limits, output))
    }

    /// Proves a property of a model.
    fn of_model(&self, name: &str, output: &Output) -> Result<CommandOutcome, Vec<Diagnostic>> {
        let loaded = library::load(name, &[])?;
        output.warn(&loaded.warnings);
        let limits = self.search.limits();
        let mut compare =
            self.search.comparison(self.statement.bound, &limits).map_err(|e| vec![e])?;
        (compare.first, compare.most) = (true, 1);
        let (name, property) = (name.to_owned(), self.mapping.clone().unwrap_or_default());
        let (certify, rocq, out) = (self.certify.clone(), self.rocq.clone(), self.out.clone());
        let asked = model::PropertyOptions { name, property, compare, certify, rocq, out };
        Ok(model::run(&loaded.model, &asked, &limits, output))
    }

    /// The search for counterexamples, without its limits.
    fn check(&self) -> Result<CheckOptions, Vec<Diagnostic>> {
        let mut wanted = self.statement.usual(&self.search).map_err(|e| vec![e])?;
        wanted.axioms.clone_from(&self.statement.axiom);
        (wanted.level, wanted.co) = (Level::Execution, CoReading::Universal);
        wanted.keep_going = true;
        Ok(wanted)
    }
}
