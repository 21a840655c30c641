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
   * The program with a choice in the place of each order, and what the model says of it once it was changed.
   * `ask(text)` gives `{word, shown}`: "forbidden" or another word, and the elements that say why.
   */
  const program = (text, { label, model, word, ask }) => {
    const places = orders(text);
    const status = element("p", { role: "status" });
    const why = element("div");
    const choices = places.map(({ order, choices }, i) => {
      const options = choices.map((one) => element("option", { selected: one === order }, one));
      const select = element("select", { "aria-label": `${label}, order of operation ${i + 1}` }, options);
      select.addEventListener("change", () => changed());
      return select;
    });
    const body = [];
    let done = 0;
    places.forEach(({ at, end }, i) => {
      body.push(text.slice(done, at), choices[i]);
      done = end;
    });
    body.push(text.slice(done));
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
      why.replaceChildren();
      if (edited() === text) {
        status.replaceChildren(`As it was: ${word} by ${model}.`);
        return;
      }
      status.replaceChildren("Asking …");
      const answer = await ask(edited());
      if (mine !== asked) return;
      status.replaceChildren("With this change: ", element("strong", { class: "said" }, answer.word), ` by ${model}.`);
      why.replaceChildren(...answer.shown);
    };
    const hint = places.length > 0 ? element("p", { class: "hint" }, "What if an order were another? Choose one: the model is asked again.") : null;
    return element("div", { class: "what-if" },
      element("pre", { tabindex: "0", role: "region", "aria-label": label }, body), hint, status, why);
  };

  return { program, orders };
})();
