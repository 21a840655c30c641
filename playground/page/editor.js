"use strict";
// An editor: a text area with line numbers, and the mistakes at their lines.
class Editor {
  /** Around the text area with this id. */
  constructor(id) {
    this.area = document.getElementById(id);
    this.numbers = element("div", { class: "numbers", "aria-hidden": "true" });
    const frame = element("div", { class: "editor" });
    this.area.before(frame);
    frame.append(this.numbers, this.area);
    this.marked = new Map();
    this.area.addEventListener("input", () => { this.mark([]); this.changed?.(); });
    this.area.addEventListener("scroll", () => { this.numbers.scrollTop = this.area.scrollTop; });
    this.draw();
  }

  get text() { return this.area.value; }

  set text(text) {
    this.area.value = text;
    this.mark([]);
  }

  /** Marks the lines of diagnostics: `{line, severity, message}`. */
  mark(found) {
    this.marked = new Map(found.map((one) => [one.line, one]));
    this.area.toggleAttribute("aria-invalid", false);
    if (found.some((one) => one.severity === "error")) this.area.setAttribute("aria-invalid", "true");
    this.draw();
  }

  draw() {
    const count = this.area.value.split("\n").length;
    const line = (number) => {
      const what = this.marked.get(number);
      return element("span", { class: what?.severity, title: what?.message }, String(number));
    };
    this.numbers.replaceChildren(...Array.from({ length: count }, (_, i) => line(i + 1)));
    this.numbers.scrollTop = this.area.scrollTop;
  }

  /** Puts the cursor at a line and a column, from 1. */
  go(line, column) {
    const lines = this.area.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const at = Math.min(before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length, this.area.value.length);
    this.area.focus();
    this.area.setSelectionRange(at, Math.min(at + 1, this.area.value.length));
    this.area.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(this.area).lineHeight));
  }
}
