"use strict";
// "What if this were an acquire?": a program whose orders can be changed, each change being asked about at once.
const WhatIf = (() => {
  const ORDERS = {
    c: { load: ["relaxed", "acquire", "seq_cst"], store: ["relaxed", "release", "seq_cst"], other: ["relaxed", "acquire", "release", "acq_rel", "seq_cst"] },
    ptx: { ld: ["relaxed", "acquire"], st: ["relaxed", "release"], atom: ["relaxed", "acquire", "release", "acq_rel"],
      red: ["relaxed", "release"], fence: ["acquire", "release", "acq_rel", "sc"] },
  };
  const C = /(atomic_(load|store)\w*\([^;]*?|)memory_order_(relaxed|acquire|release|acq_rel|seq_cst)\b/g;
  const PTX = /\b(ld|st|atom|red|fence)\.(relaxed|acquire|release|acq_rel|sc)\b/g;

  /** Where orders are in a program: the place and the length of each, and what it could be. */
  const orders = (text) => {
    const of_c = [...text.matchAll(C)].map((m) => ({ order: m[3], end: m.index + m[0].length, choices: ORDERS.c[m[2] ?? "other"] }));
    const of_ptx = [...text.matchAll(PTX)].map((m) => ({ order: m[2], end: m.index + m[0].length, choices: ORDERS.ptx[m[1]] }));
    const found = text.trimStart().startsWith("PTX") ? of_ptx : of_c;
    return found.filter(({ order, choices }) => choices.includes(order)).map((one) => ({ ...one, at: one.end - one.order.length }));
  };

  /**
   * A program of PTX whose threads stand in columns, with the columns below each other: a changed order may be longer or shorter than the one before.
   * What has no columns is left as it is. A row ends with `;`, and `|` is nowhere but between threads; the same rows are read.
   */
  const aligned = (text) => {
    if (!text.trimStart().startsWith("PTX")) return text;
    const lines = text.split("\n");
    const cells = lines.map((line) => (/\|.*;\s*$/.test(line) ? line.trimEnd().slice(0, -1).split("|").map((cell) => cell.trim()) : null));
    const widths = [];
    for (const row of cells) row?.forEach((cell, i) => { widths[i] = Math.max(widths[i] ?? 0, cell.length); });
    return lines.map((line, n) => (cells[n] ? ` ${cells[n].map((cell, i) => cell.padEnd(widths[i])).join(" | ")} ;` : line)).join("\n");
  };

  /**
   * The program with a choice in the place of each order, and what the model says of it once it was changed.
   * `ask(text)` gives `{word, shown}`: "forbidden" or another word, and the elements that say why. The heading says of which program, and what the
   * model says of that; `changed({word, edited})` hears it, too.
   */
  const program = (text, { label, model, word, ask, changed: told = () => {} }) => {
    const places = orders(text);
    const heading = element("h4", {}, `${label}: ${word} by ${model}`);
    const status = element("p", { role: "status" });
    const why = element("div");
    const choices = places.map(({ order, choices }, i) => {
      const options = choices.map((one) => element("option", { selected: one === order }, one));
      const select = element("select", { "aria-label": `${label} program, order of operation ${i + 1}` }, options);
      select.addEventListener("change", () => changed());
      return select;
    });
    /** The text between the choices: one piece before each, and one behind the last. */
    const between = Array.from({ length: places.length + 1 }, () => document.createTextNode(""));
    /** Writes the pieces for what is chosen. A choice is as wide as its word, so lines are as long as they look. */
    const write = () => {
      const now = aligned(edited());
      const at = orders(now);
      choices.forEach((select) => { select.style.width = `${select.value.length}ch`; });
      between.forEach((piece, i) => { piece.data = now.slice(i === 0 ? 0 : at[i - 1].end, i < at.length ? at[i].at : undefined); });
    };
    const edited = () => {
      let out = "", from = 0;
      places.forEach(({ at, end }, i) => {
        out += text.slice(from, at) + choices[i].value;
        from = end;
      });
      return out + text.slice(from);
    };
    let asked = 0;
    const changed = async () => {
      const mine = ++asked;
      write();
      why.replaceChildren();
      if (edited() === text) {
        heading.textContent = `${label}: ${word} by ${model}`;
        status.replaceChildren(`As it was: ${word} by ${model}.`);
        told({ word, edited: false });
        return;
      }
      heading.textContent = `${label}, changed: asking …`;
      status.replaceChildren("Asking …");
      const answer = await ask(edited());
      if (mine !== asked) return;
      heading.textContent = `${label}, changed: ${answer.word} by ${model}`;
      told({ word: answer.word, edited: true, verdict: answer.verdict });
      status.replaceChildren("With this change: ", element("strong", { class: "said" }, answer.word), ` by ${model}.`);
      why.replaceChildren(...answer.shown);
    };
    const hint = places.length > 0 ? element("p", { class: "hint" }, "What if an order were another? Choose one: the model is asked again.") : null;
    const body = between.flatMap((piece, i) => (i === 0 ? [piece] : [choices[i - 1], piece]));
    write();
    return element("div", { class: "what-if" }, heading,
      element("pre", { tabindex: "0", role: "region", "aria-label": `${label} program` }, body), hint, status, why);
  };

  return { program, orders, aligned };
})();
