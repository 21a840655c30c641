"use strict";
// The question: what the form says, as a state that a link can carry and as a command of the program.
const Question = (() => {
  const field = (id) => document.getElementById(id);
  const OWN = "model.cat";
  const FIELDS = ["command", "source", "target", "level", "only", "without", "under", "old", "new", "bound", "launch"];
  const TEXTS = ["mapping", "model", "litmus", "kernel"];
  const editors = {};

  const setup = () => {
    for (const name of TEXTS) editors[name] = new Editor(name);
  };

  /** The name that says what a pasted kernel is: a text with a directive of PTX at the beginning of a line is PTX. */
  const kernel_file = () => (/^\s*\.(version|target|address_size|visible|entry|func)\b/m.test(editors.kernel.text) ? "kernel.ptx" : "kernel.cu");

  /** The editors by the names that the program knows the texts under. */
  const files = () => ({
    "mapping.map": { editor: editors.mapping, title: "Mapping" },
    [OWN]: { editor: editors.model, title: "Your model" },
    "test.litmus": { editor: editors.litmus, title: "Litmus test" },
    [kernel_file()]: { editor: editors.kernel, title: "Kernel" },
  });

  const models = () => {
    const of = { check: ["source", "target"], compile: ["source", "target"], prove: ["source", "target"], run: ["under"], explain: ["under"], diff: ["old", "new"], kernel: [] };
    return of[field("command").value];
  };
  const ownModel = () => models().some((id) => field(id).value === OWN);

  /** Shows what the command needs, and nothing else. */
  const arrange = () => {
    const command = field("command").value;
    for (const part of document.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(command);
    field("own-model").hidden = !ownModel();
    // A browser asks nothing as long as a field holds what it must not, and cannot say so of one that it does not show.
    for (const part of field("question").querySelectorAll("input, select")) part.disabled = part.closest("[hidden]") !== null;
  };

  /** Everything that bears on the question. */
  const state = () => {
    const command = field("command").value;
    const kept = { check: ["bound", "level", "only", "without", "source", "target"], compile: ["source", "target"],
      prove: ["bound", "only", "without", "source", "target"], run: ["under"], explain: ["under"], diff: ["bound", "old", "new"], kernel: ["launch"] }[command];
    const out = { command };
    for (const id of kept) if (field(id).value !== "") out[id] = field(id).value;
    if (["check", "compile", "prove"].includes(command)) out.mapping = editors.mapping.text;
    if (["compile", "run", "explain"].includes(command)) out.litmus = editors.litmus.text;
    if (command === "kernel") out.kernel = editors.kernel.text;
    if (ownModel()) out.model = editors.model.text;
    return out;
  };

  /** Puts a state into the form; what it does not say gets its usual value, what the form cannot take is left out. */
  const restore = (given) => {
    const usual = { command: "check", level: "program", bound: "4", source: "", target: "", only: "", without: "", under: "rc11-scoped", old: "ptx-6.0", new: "ptx-8", launch: "" };
    for (const id of FIELDS) {
      const value = typeof given[id] === "string" ? given[id] : usual[id];
      field(id).value = value;
      if (field(id).value !== value) field(id).value = usual[id];
    }
    for (const name of TEXTS) if (typeof given[name] === "string") editors[name].text = given[name];
    arrange();
  };

  /** The arguments and the files of the command. */
  const command = () => {
    const s = state();
    const options = (...names) => names.flatMap((name) => (s[name] ? [`--${name}`, s[name]] : []));
    const args = {
      check: () => ["check", "mapping.map", ...options("bound", "level", "only", "without", "source", "target")],
      compile: () => ["check", "mapping.map", "--test", "test.litmus", ...options("source", "target")],
      prove: () => ["prove", "mapping.map", ...options("bound", "only", "without", "source", "target")],
      run: () => ["run", "test.litmus", "--model", s.under],
      explain: () => ["explain", "test.litmus", "--model", s.under],
      diff: () => ["diff", s.old, s.new, ...options("bound")],
      kernel: () => ["kernel", kernel_file(), ...(kernel_file().endsWith(".cu") ? ["--compiler", "margay"] : []), ...options("launch")],
    }[s.command]();
    const texts = { "mapping.map": s.mapping, [OWN]: s.model, "test.litmus": s.litmus, [kernel_file()]: s.kernel };
    return { name: s.command, args, files: Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)) };
  };

  /** The question about the mapping and its models, for a program of its own. */
  const mapping = () => {
    const s = state();
    return ["check", "mapping.map", ...["source", "target"].flatMap((name) => (s[name] ? [`--${name}`, s[name]] : []))];
  };

  return { OWN, setup, editors, files, arrange, state, restore, command, mapping };
})();
