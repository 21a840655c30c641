"use strict";
// Without this script the page shows everything; with it, it can be searched and sorted.
(() => {
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  // The outermost entries: what is in their details belongs to them.
  const entries = [...document.querySelectorAll("tbody.entry")].filter((e) => !e.parentElement.closest("tbody.entry"));
  const texts = new Map(entries.map((e) => [e, e.textContent.toLowerCase()]));
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const entry of entries) {
      const found = words.every((word) => texts.get(entry).includes(word));
      entry.hidden = !found;
      count += found;
    }
    shown.textContent = `${count} of ${entries.length} rows`;
  };
  search.addEventListener("input", filter);
  filter();
  const value = (entry, column) => {
    const text = entry.rows[0].cells[column].textContent;
    const number = Number(text.replace(/\s/g, ""));
    return text.trim() !== "" && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const table = button.closest("table");
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies].sort((a, b) => compare(value(a, head.cellIndex), value(b, head.cellIndex)));
      if (down) rows.reverse();
      table.append(...rows);
    });
  }
})();
