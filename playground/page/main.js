"use strict";
// The page: examples and lists into the form, the question to the program, the answer into the page.
(() => {
  const field = (id) => document.getElementById(id);
  const given = JSON.parse(field("examples").textContent);
  const status = field("status"), result = field("result"), bar = field("progress");
  const doing = element("p", { class: "hint", id: "doing", hidden: true });
  bar.after(doing);
  let asking = 0;
  // Texts of the program's on their way into the editors: a question waits for them.
  let loading = Promise.resolve();

  const json = (args) => [...args, "--format", "json"];
  const library = async (args) => {
    const said = await Program.ask(args);
    if (said.code !== 0) throw new Error(said.stopped ?? said.crash ?? said.notes);
    return said.out;
  };
  const group = (label, entries) => element("optgroup", { label }, entries.map(([value, text]) => element("option", { value }, text)));
  const option = (value, text) => element("option", { value }, text);

  /** The lists of models and mappings, which the program printed when the page was made. */
  const lists = () => {
    const { models, mappings } = given;
    const named = (list) => list.map(({ name, title }) => [name, `${name}: ${title}`]);
    const kinds = [...new Set(models.map((m) => m.executions))];
    const groups = () => kinds.map((kind) => group(`Models of ${kind} programs`, named(models.filter((m) => m.executions === kind))));
    for (const id of ["source", "target"]) field(id).replaceChildren(option("", "as the mapping says"), option(Question.OWN, "your model (below)"), ...groups());
    for (const id of ["under", "old", "new"]) field(id).replaceChildren(option(Question.OWN, "your model (below)"), ...groups());
    field("model-start").replaceChildren(option("", "choose …"), ...groups());
    const compiled = (m) => !m.name.startsWith("rc11-to-ptx");
    const broken = (m) => !compiled(m) && !["rc11-to-ptx", "rc11-to-ptx-descoped"].includes(m.name);
    field("mapping-start").replaceChildren(option("", "choose …"),
      group("Published", named(mappings.filter((m) => !compiled(m) && !broken(m)))),
      group("What compilers emit", named(mappings.filter(compiled))),
      group("Published, with one row changed", named(mappings.filter(broken))));
    field("litmus-start").replaceChildren(option("", "choose …"), ...given.litmus.map(({ name }) => option(name, name)));
    field("kernel-start").replaceChildren(option("", "choose …"), ...given.kernels.map(({ name }) => option(name, name)));
    field("example").replaceChildren(option("", "choose …"), ...given.questions.map(({ title }, i) => option(String(i), title)));
  };

  const startFrom = {
    mapping: async (name) => { Question.editors.mapping.text = given.texts[name] ?? (await library(["mappings", name])); },
    model: async (name) => { Question.editors.model.text = await library(["models", name]); },
    litmus: async (name) => {
      const { text, model } = given.litmus.find((one) => one.name === name);
      Question.editors.litmus.text = text;
      field("under").value = model;
    },
    kernel: async (name) => { Question.editors.kernel.text = given.kernels.find((one) => one.name === name).text; },
  };

  /** Puts an example into the form. */
  const example = async (i) => {
    const { state, mapping, litmus, kernel } = given.questions[i];
    Question.restore(state);
    for (const [kind, name] of Object.entries({ mapping, litmus, kernel })) {
      field(`${kind}-start`).value = name ?? "";
      if (name) await startFrom[kind](name);
    }
    if (state.under) field("under").value = state.under;
    Question.arrange();
  };

  /** Loads texts into the editors. What an earlier question still does is ended: its answer would be of other texts. */
  const load = (what) => {
    Program.stop();
    // What a later choice ends has nothing to show.
    loading = loading.then(what).then(() => show("Press “Ask”."), () => {});
    return loading;
  };

  /** The question that the shown answer is of; null where none is shown. */
  let answered = null;

  const show = (text, ...elements) => {
    status.replaceChildren(text);
    result.replaceChildren(...elements);
    answered = null;
    compare();
  };

  /** Says so where the form asks another question than the one that was answered. */
  const compare = () => { field("stale").hidden = answered === null || answered === JSON.stringify(Question.state()); };

  /** Brings the answer to the top of the window, unless its beginning is in the upper half already. */
  const reveal = () => {
    const answer = field("answer");
    answer.classList.add("asked");
    const { top } = answer.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) answer.scrollIntoView({ block: "start" });
  };

  /** A line of progress: `4 of 6 events, SC: 12/57 thread shapes, 3s`. */
  const progress = (line, since) => {
    const text = line.replace(/^[\u2800-\u28ff\s]+/, "").replace(/^:\s*/, "");
    const [, done, of] = text.match(/(\d+)\/(\d+)/) ?? [];
    if (Number(of) > 0) {
      bar.max = Number(of);
      bar.value = Number(done);
    }
    doing.textContent = text || `${Math.round((performance.now() - since) / 1000)} s`;
  };

  /** Runs a command with the buttons and the progress of the page. */
  const running = async (args, files) => {
    const mine = ++asking;
    const since = performance.now();
    let last = "";
    const clock = setInterval(() => progress(last, since), 1000);
    for (const id of ["progress", "doing"]) field(id).hidden = false;
    bar.removeAttribute("value");
    doing.textContent = "";
    field("stop").disabled = false;
    const said = await Program.ask(args, files, (line) => progress(last = line, since));
    clearInterval(clock);
    if (mine === asking) {
      for (const id of ["progress", "doing"]) field(id).hidden = true;
      field("stop").disabled = true;
    }
    return { ...said, old: mine !== asking };
  };

  const warnings = (notes) => (notes.trim() === "" ? [] : [element("details", { open: true }, element("summary", {}, "Warnings"), code(notes.trim(), "warnings"))]);

  /** Asks, and shows the answer. */
  const ask = async () => {
    await loading;
    Program.stop();
    const { name, args, files } = Question.command();
    Answer.diagnostics([], Question.files());
    show("Working …");
    reveal();
    const question = JSON.stringify(Question.state());
    const said = await running(json(args), files);
    if (said.old) return;
    if (said.stopped) return show(`Stopped. Nothing is known: the question was not answered.`);
    if (said.crash) return show("Margay failed, which is a fault of Margay and not of your input.", code(`${said.notes}\n${said.crash}`, "what happened"));
    let objects;
    try {
      objects = Program.objects(said.out);
    } catch {
      objects = [];
    }
    const errors = objects.flatMap((one) => one.errors ?? []);
    const answers = objects.filter((one) => !one.errors);
    if (errors.length > 0) return show(errors.length === 1 ? "There is a mistake in the input." : `There are ${errors.length} mistakes in the input.`,
      Answer.diagnostics(errors, Question.files()), ...warnings(said.notes));
    // What is wrong with a field of the form the command line says, in a text for people.
    const refusal = said.notes.replace(/^error: /, "").replace(/\n+For more information.*\s*$/, "");
    if (answers.length === 0) return show("A field of the question was not understood.", element("p", { class: "why" }, sentence(refusal)));
    const again = async (args, more) => Program.objects((await running(json(args), { ...files, ...more })).out || "{}");
    const context = {
      again,
      mapping: ["check", "compile", "prove"].includes(name) ? Question.mapping() : [],
      target: Question.state().target,
      explain: () => { field("command").value = "explain"; Question.arrange(); ask(); },
      go: (line, column) => Question.editors.kernel.go(line, column),
      next: name === "check" ? (n) => again([...args, "--next", String(n)]) : null,
    };
    const raw = element("details", {}, element("summary", {}, "The whole answer as JSON"), code(said.out, "JSON"));
    show(`Answered in ${(said.milliseconds / 1000).toFixed(1)} s.`, ...answers.flatMap((one) => Answer[name](one, context)), ...warnings(said.notes), raw);
    answered = question;
    compare();
    return undefined;
  };

  const fromLink = async () => {
    let state = null;
    try {
      state = await Link.read(location.hash);
    } catch {
      show("The link is damaged, so its input is lost; the first example is shown instead.");
    }
    if (state) {
      Question.restore(state);
      show("This is the question of the link. Press “Ask”.");
    }
    return state !== null;
  };

  const listen = () => {
    field("question").addEventListener("submit", (event) => { event.preventDefault(); ask(); });
    field("stop").addEventListener("click", () => Program.stop());
    field("command").addEventListener("change", Question.arrange);
    for (const kind of ["input", "change"]) field("question").addEventListener(kind, compare);
    // A link to the glossary opens it before the browser goes there.
    const open = () => { field("glossary").open = true; };
    document.querySelector('a[href="#glossary"]').addEventListener("click", open);
    if (location.hash === "#glossary") open();
    for (const id of ["source", "target", "under", "old", "new"]) field(id).addEventListener("change", async () => {
      if (field(id).value === Question.OWN && Question.editors.model.text === "") await load(() => startFrom.model(id === "source" ? "rc11-scoped" : "ptx-6.0"));
      Question.arrange();
    });
    for (const kind of ["mapping", "model", "litmus", "kernel"]) field(`${kind}-start`).addEventListener("change", ({ target }) =>
      target.value && load(() => startFrom[kind](target.value)));
    field("example").addEventListener("change", ({ target }) => target.value && load(() => example(Number(target.value))));
    field("copy").addEventListener("click", async () => {
      history.replaceState(null, "", await Link.write(Question.state()));
      const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
      field("link-status").textContent = copied ? "The link is copied. It carries your input." : "The link is in the address bar. It carries your input.";
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); field("question").requestSubmit(); }
      if (event.key === "Escape" && !field("stop").disabled) Program.stop();
    });
    addEventListener("hashchange", fromLink);
  };

  const begin = async () => {
    Question.setup();
    Question.arrange();
    lists();
    listen();
    if (!(await fromLink())) {
      await example(0);
      field("example").value = "0";
    }
    document.body.dataset.ready = "true";
    // Once the page is painted; a question that comes before waits for it.
    requestAnimationFrame(() => setTimeout(() => Program.ready().catch((error) =>
      show("This browser cannot run the program: it needs WebAssembly and DecompressionStream (browsers since 2023).", code(String(error), "why")))));
  };
  begin();
})();
