"use strict";
// Answers: what a command printed as JSON (docs/json.md), as text, programs and pictures.
const Answer = (() => {
  const GOOD = ["none", "theorem", "equal"];
  const BAD = ["counterexample", "compiler bug", "different"];
  // Whether "forbidden" or "allowed" is good is for the reader to say: they have no colour.
  const colour = (word) => (word === "" ? "" : GOOD.includes(word) ? "good" : BAD.includes(word) ? "bad" : "unsure");
  const headline = (text, word) => element("p", { class: `headline ${colour(word)}` }, sentence(text));
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const details = (summary, ...inside) => element("details", {}, element("summary", {}, summary), ...inside);
  const lines = (list) => element("div", { class: "why" }, sentence(list.join("\n")));
  const facts = (...texts) => element("p", { class: "hint" }, sentence(texts.filter(Boolean).join(" ")));
  const time = (seconds) => (seconds === undefined ? "" : `${seconds < 10 ? seconds.toFixed(2) : Math.round(seconds)} s.`);

  /** The name under which a command finds a model that a report names. */
  const asked_as = (file) => (file.startsWith("<built-in>/") ? file.slice("<built-in>/".length).replace(/\.cat$/, "") : file);

  /** `explain` about a program that was changed. */
  const explained_again = (context, model) => async (text) => {
    const objects = await context.again(["explain", "edited.litmus", "--model", model], { "edited.litmus": text });
    const [found] = objects;
    if (!found?.verdict) return { word: "not answered", shown: [lines((found?.errors ?? []).map((e) => e.message))] };
    return { word: found.verdict, shown: explain(found).slice(1) };
  };

  /** The question about a program that was changed: it is compiled anew, and asked about under both models. */
  const compiled_again = (context) => async (text) => {
    const [found] = await context.again([...context.mapping, "--test", "edited.litmus"], { "edited.litmus": text });
    if (!found?.source_says) return { word: found?.verdict ?? "not answered", shown: [lines((found?.errors ?? []).map((e) => e.message))] };
    return { word: found.source_says, verdict: found.verdict, shown: [
      headline(found.verdict === "counterexample" ? `still a counterexample (${found.why})` : `no counterexample: ${found.why}`, found.verdict),
      element("h4", {}, `Compiled: ${found.target_says} by ${found.target}`),
      code(found.target_litmus, "the changed program, compiled"),
      found.cycle_in_words ? element("p", {}, `Why ${found.source} forbids it: ${found.cycle_in_words}`) : null,
      details("Pictures", picture(found.source_svg, "The changed program"), picture(found.target_svg, "What it is compiled to")),
    ].filter(Boolean) };
  };

  /** A counterexample; `changed` hears which of its programs is another one now, and what became of it. */
  const counterexample = (c, report, context, changed) => {
    const target = asked_as(report.target_file);
    const earlier = element("p", { class: "hint", hidden: true }, "What follows is about the programs as they were.");
    const edits = {};
    const program = (text, label, model, word, ask) => WhatIf.program(text, { label, model, word, ask, changed: (edit) => {
      edits[label] = edit.edited ? edit : null;
      earlier.hidden = !edits.Source && !edits.Compiled;
      changed(edits);
    } });
    return [
      facts(`${plural(c.events, "operation")}, ${plural(c.threads, "thread")}. Axiom ${c.axiom}. Outcome: ${c.outcome}`),
      element("div", { class: "pair programs" },
        program(c.source_litmus, "Source", report.source, "forbidden", compiled_again(context)),
        program(c.target_litmus, "Compiled", report.target, "allowed", explained_again(context, target))),
      earlier,
      element("div", { class: "pair" }, picture(c.source_svg, "Why the source model forbids it"), picture(c.target_svg, "How the compiled program does it")),
      element("h4", {}, `Why ${report.source} forbids it`),
      element("p", {}, c.cycle_in_words || c.summary),
      details("Step by step", lines(c.explanation)),
      c.rows.length > 0 ? details("The rows of the mapping that it uses", lines(c.rows)) : null,
      c.source_cuda ? details("The program as CUDA C++", code(c.source_cuda, "CUDA C++")) : null,
    ].filter(Boolean);
  };

  /** One counterexample at a time. Another one is what `check --next 1`, `--next 2` and so on show, until there is none; then it begins again. */
  const counterexamples = (report, context) => {
    const known = [...report.counterexamples];
    if (known.length === 0) return [];
    let shown = 0, asked = 0, listed = [], ended = context.next === null;
    const title = element("h3", { tabindex: "-1" });
    const said = element("p", { class: "hint", role: "status" });
    const body = element("div", {});
    const draw = () => {
      // At execution level each axiom has its own.
      const { axiom } = known[shown];
      const list = listed.find((one) => one.axiom.split(" & ").includes(axiom));
      const number = known.slice(0, shown + 1).filter((one) => one.axiom === axiom).length;
      const against = known.some((one) => one.axiom !== axiom) ? ` against ${axiom}` : "";
      const name = list ? `Counterexample ${number} of ${list.more ? "more than " : ""}${list.of}${against}` : `The smallest counterexample${against}`;
      // The title is that of the programs below it: one that was changed may be no counterexample any more.
      const follow = ({ Source, Compiled }) => {
        title.textContent = Source ? `A changed program: ${Source.verdict === "counterexample" ? "still a counterexample" : `no counterexample, ${Source.word} by ${report.source}`}`
          : Compiled ? `A changed compiled program: ${Compiled.word} by ${report.target}` : name;
      };
      title.textContent = name;
      body.replaceChildren(...counterexample(known[shown], report, context, follow));
      said.textContent = ended && known.length === 1 && context.next ? "There is no other of this size." : "";
      button.hidden = ended && known.length === 1;
    };
    /** Asks for the next one, and adds it to those that are known. */
    const ask = async () => {
      button.disabled = true;
      said.textContent = "Asking for another one of this size …";
      const [found] = await context.next(asked + 1);
      button.disabled = false;
      if (!found?.counterexamples) {
        said.textContent = "Stopped: whether there is another one is not known.";
        return false;
      }
      asked += 1;
      listed = found.listed;
      known.push(...found.counterexamples);
      ended = !listed.some((list) => list.more || list.of > asked + 1);
      return true;
    };
    const button = element("button", { type: "button", click: async () => {
      if (shown + 1 === known.length && !ended && !(await ask())) return;
      shown = (shown + 1) % known.length;
      draw();
      title.focus();
    } }, "Another one");
    draw();
    return [title, button, said, body];
  };

  const check = (report, context) => [
    headline(report.answer, report.status === "racy" || report.status === "explained" ? "unsure" : report.verdict),
    facts(`${report.source} to ${report.target}.`,
      report.verdict === "none" ? `No counterexample has up to ${plural(report.established, "operation")}; “prove” asks about all sizes.` : "",
      report.reason, time(report.seconds), `${report.solver}.`),
    ...counterexamples(report, context),
    ...(report.candidates ?? []).map((text) => details("A program that was not decided", code(text, "candidate"))),
  ];

  /** `check --test`: one program, compiled by the mapping, and asked about under both models. */
  const compile = (answer, context) => {
    const target = answer.target;
    const counter = answer.verdict === "counterexample";
    const title = `${answer.verdict}${answer.why ? ` (${answer.why})` : ""}: ${answer.name} under ${answer.mapping}`;
    return [
      headline(answer.answer ?? title, counter ? "counterexample" : answer.verdict),
      facts(`Outcome of the compiled program: ${answer.outcome}.`, answer.reason),
      answer.source_litmus && answer.target_litmus ? element("div", { class: "pair programs" },
        WhatIf.program(answer.source_litmus, { label: "Source", model: answer.source, word: answer.source_says, ask: compiled_again(context) }),
        WhatIf.program(answer.target_litmus, { label: "Compiled", model: target, word: answer.target_says, ask: explained_again(context, context.target || target) })) : null,
      answer.source_svg || answer.target_svg ? element("div", { class: "pair" },
        answer.source_svg ? picture(answer.source_svg, "The source program") : null,
        answer.target_svg ? picture(answer.target_svg, "What it is compiled to") : null) : null,
      answer.cycle_in_words ? element("h4", {}, `Why ${answer.source} forbids it`) : null,
      answer.cycle_in_words ? element("p", {}, answer.cycle_in_words) : null,
    ].filter(Boolean);
  };

  const RULES = { direct: "shown of the events that it names", induction: "shown for each way in which a pair gets into the relation",
    orders: "no cycle, since a strict order contains the steps between", through: "shown through a relation between" };

  /** The argument of a theorem: its steps in order, what it supposes, and what was looked at so that it is about something. */
  const argument = ({ steps = [], supposes = [], inhabitants = [], none_up_to, bound, verdict }) => {
    if (steps.length === 0) return [];
    const step = (s) => element("li", {}, s.claims.map((claim) => element("code", {}, claim)),
      element("span", { class: "hint" }, `${s.rule}: ${RULES[s.rule] ?? ""}${s.obligations > 0
        ? `; ${plural(s.obligations, "obligation")}, at most ${plural(s.witnesses, "event")}` : "; from the steps before"}${s.empty.length > 0
        ? `; ${s.empty.length} of cases that cannot arise` : ""}`));
    const searched = none_up_to ?? (verdict === "theorem" ? bound : null);
    return [
      element("h3", {}, verdict === "theorem" ? "Argument" : "What was shown"),
      facts("Each step follows from those before it, and has its rule. A checker that shares no code with the search for the proof followed each of them."),
      element("ol", { class: "argument" }, steps.map(step)),
      supposes.length > 0 ? element("h3", {}, "What it supposes") : null,
      supposes.length > 0 ? element("ul", {}, supposes.map((text) => element("li", {}, sentence(text)))) : null,
      inhabitants.length > 0 ? details(`Executions that satisfy all of this (${inhabitants.length})`,
        element("ul", {}, inhabitants.map((one) => element("li", {}, sentence(`with ${one.shows}: ${plural(one.events, "event")}`))))) : null,
      searched ? facts(`A search for a counterexample beside the proof found none up to ${plural(searched, "event")}.`) : null,
    ].filter(Boolean);
  };

  const prove = (report, context) => {
    const row = (a) => element("tr", {}, element("th", { scope: "row" }, a.axiom), element("td", {}, a.verdict),
      element("td", {}, a.events ? `with ${a.events} operations` : a.none_up_to ? `none up to ${a.none_up_to} operations` : "", a.missing?.what ?? ""));
    return [
      headline(report.answer, report.verdict),
      facts(`${report.source} to ${report.target}.`, report.reason, time(report.seconds)),
      element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "axioms" }, element("table", {},
        element("thead", {}, element("tr", {}, ["Axiom", "Answer", "Details"].map((text) => element("th", { scope: "col" }, text)))),
        element("tbody", {}, report.axioms.map(row)))),
      ...argument(report),
      ...report.axioms.filter((a) => a.missing?.svg).map((a) => picture(a.missing.svg, `What is missing for ${a.axiom}`)),
      ...counterexamples(report, context),
    ];
  };

  /** Whether the condition of a test holds, and of which executions that speaks. */
  const condition = ({ quantifier, holds, bounded }) => {
    const [kept, broken] = { exists: ["an execution has the outcome", "no execution has the outcome"],
      forall: ["every execution has the outcome", "an execution has another outcome"],
      "~exists": ["no execution has the outcome", "an execution has the outcome"] }[quantifier];
    if (typeof holds !== "boolean") return "";
    return `\`${quantifier}\` ${holds ? "holds" : "does not hold"}: ${holds ? kept : broken}${bounded ? ", of those within the turns of loops that were looked at" : ""}.`;
  };

  const run = (answer, context) => {
    const word = answer.reachable === null || answer.reachable === undefined ? "undecided" : answer.reachable ? "allowed"
      : answer.bounded ? "not found within the turns of loops that were looked at" : "forbidden";
    const again = element("button", { type: "button", click: () => context.explain() }, word === "forbidden" ? "Why?" : "What would forbid it?");
    return [
      headline(`${word}: the outcome of ${answer.name} under ${answer.model}`, ""),
      facts(condition(answer),
        answer.racy ? "The program has a data race." : answer.racy === false ? "The program has no data race." : "", answer.reason,
        `Decided by the ${answer.engine} engine.`),
      word === "undecided" ? null : again,
    ].filter(Boolean);
  };

  const explain = (answer) => {
    const repair = (r) => element("li", {}, r.changes.map((c) => `${c.thread}, line ${c.line}: ${c.before || "(new)"} → ${c.after || "(removed)"}`).join("; "),
      details("The whole test", code(r.litmus, "changed test")));
    return [
      headline(`${answer.verdict}: the outcome of ${answer.name} under ${answer.model}`, ""),
      answer.racy ? element("p", { class: "unsure" }, "But the program has a race, so that its behaviour is undefined: what follows is about its executions, and no promise.") : null,
      answer.reason ? element("p", {}, sentence(answer.reason)) : null,
      ...(answer.axioms ?? []).flatMap((a) => [
        element("h3", {}, `Axiom ${a.axiom} (${a.file}, line ${a.line})`),
        code(a.text, `axiom ${a.axiom}`),
        picture(a.svg, "The execution that would have the outcome"),
        a.summary ? element("p", {}, a.summary) : null,
        details("Step by step", lines(a.explanation ?? [])),
      ]),
      answer.svg ? picture(answer.svg, "An execution with this outcome") : null,
      answer.repairs?.length > 0 ? element("h3", {}, "What would forbid it") : null,
      answer.repairs?.length > 0 ? element("ul", {}, answer.repairs.map(repair)) : null,
    ].filter(Boolean);
  };

  const diff = (report) => {
    // A difference of executions may be none of programs: the status of each says so.
    const other = (name) => (name === report.old ? report.new : report.old);
    const meaning = (d, forbidding) => ({ explained: `explained: no program tells the models apart here; ${forbidding} allows the outcome by another execution`,
      racy: "racy: the program has a race, so that its behaviour is undefined" })[d.status];
    const all = report.questions.flatMap((q) => q.differences);
    const single = all.length > 0 && all.every((d) => d.status === "explained" || d.status === "racy");
    const difference = (forbidding) => (d, i, all) => [
      element("h4", {}, all.length > 1 ? `Difference ${i + 1}` : "The smallest difference"),
      meaning(d, forbidding) ? element("p", { class: "unsure" }, meaning(d, forbidding)) : null,
      d.litmus ? code(d.litmus, "test that tells them apart") : null,
      picture(d.svg, "The execution"),
      ...(d.reasons ?? []).map((r) => element("p", {}, sentence(r.words))),
      d.explanation?.length > 0 ? details("Step by step", lines(d.explanation)) : null,
    ].filter(Boolean);
    return [
      headline(report.answer, single ? "unsure" : report.verdict),
      single ? element("p", {}, "No program tells the models apart here: they differ in single executions.") : null,
      facts(report.equal_up_to ? `Equal up to ${plural(report.equal_up_to, "operation")}.` : "",
        report.not_compared?.length > 0 ? `Not compared: ${report.not_compared.join(", ")}.` : "", report.stopped, time(report.seconds), `${report.solver}.`),
      ...report.questions.flatMap((q) => [
        element("h3", {}, `Allowed by ${q.allowed_by} and not by the other: ${q.verdict === "none" ? "nothing" : q.verdict}`),
        facts(q.events ? `${plural(q.events, "operation")}.` : `None up to ${plural(q.established, "operation")}.`, q.reason),
        ...q.differences.flatMap(difference(other(q.allowed_by))),
      ]),
    ].filter(Boolean);
  };

  /** `kernel`: each kernel with what goes wrong in it, at the lines of the PTX. */
  const kernel = (report, context) => {
    const source = (at) => (at.file ? `${at.file}:${at.line}, ` : "");
    // Of CUDA the lines are those of the text that was pasted.
    const isCuda = report.compiler === "margay";
    const place = (at) => (isCuda && at.line
      ? element("button", { type: "button", class: "place", click: () => context.go(at.line, 1) }, `line ${at.line}`)
      : element("button", { type: "button", class: "place", click: () => context.go(at.ptx_line, 1) }, `${source(at)}line ${at.ptx_line} of the PTX`));
    const SIDES = { before: "in front of", behind: "behind", instead: "in place of the order and scope at" };
    const finding = (f) => [
      element("h4", {}, f.words),
      element("ul", {}, f.threads.map((t) => element("li", {}, `Thread ${t.thread} of block ${t.block} at `, place(t.at), ": ", element("code", {}, t.at.instruction), t.event ? ` (${t.event})` : ""))),
      ...f.why.map((why) => element("p", {}, sentence(why))),
      f.repair?.length > 0 ? element("h4", {}, "The cheapest repair") : null,
      f.repair?.length > 0 ? element("ul", {}, f.repair.map((c) => element("li", {}, element("code", {}, c.ptx), c.cuda ? ` (in CUDA: ${c.cuda})` : "", ` ${SIDES[c.side]} `, place(c.at), ": ", element("code", {}, c.at.instruction)))) : null,
      f.no_repair ? facts(`No repair: ${f.no_repair}.`) : null,
      details("The test that shows it", code(f.litmus, "litmus test")),
    ];
    const one = (k) => [
      headline(k.answer, k.verdict),
      ...k.launches.flatMap((l) => l.findings).flatMap(finding),
      k.arguments.length > 0 ? facts(`Arguments: ${k.arguments.join("; ")}.`) : null,
      k.not_looked.length > 0 ? element("h4", {}, "Not looked at, or only in part") : null,
      k.not_looked.length > 0 ? element("ul", {}, k.not_looked.map((n) => element("li", {}, sentence(n.ptx_line ? `Line ${n.ptx_line} of the PTX, \`${n.instruction}\`: ${n.why}` : n.why)))) : null,
    ];
    return [...report.kernels.flatMap(one), facts(time(report.seconds))].filter(Boolean);
  };

  /** Diagnostics, each with a button that goes to its place. `editors` has the editor of each file name. */
  const diagnostics = (found, editors) => {
    const place = (label) => {
      const text = `${editors[label.file]?.title ?? label.file}, line ${label.line}, column ${label.column}`;
      const go = () => editors[label.file].editor.go(label.line, label.column);
      return element("div", {}, editors[label.file] ? element("button", { type: "button", class: "place", click: go }, text) : text,
        label.text ? named(`: ${label.text}`) : "");
    };
    /** The page has no files: what the program calls by the name of one is called by that of its editor. */
    const named = (text) => sentence(text).map((part) => (editors[part.textContent] ? element("em", {}, editors[part.textContent].title) : part));
    for (const [file, { editor }] of Object.entries(editors)) {
      const here = (d) => d.labels.filter((label) => label.file === file).slice(0, 1).map(({ line }) => ({ line, severity: d.severity, message: d.message }));
      editor.mark(found.flatMap(here));
    }
    return element("ul", { class: "diagnostics" }, found.map((d) => element("li", { class: d.severity },
      element("strong", {}, named(`${d.severity === "error" ? "Error" : "Warning"}: ${d.message}`)), d.labels.map(place),
      d.help ? element("div", {}, named(`Help: ${d.help}`)) : null)));
  };

  return { check, compile, prove, run, explain, diff, kernel, diagnostics, headline };
})();
