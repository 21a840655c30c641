// Makes the page: one file with the styles, the scripts, the examples and the compressed program in it.
// node assemble.mjs PROGRAM.wasm OUT.html

import { readFileSync, writeFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { gzipSync, constants } from "node:zlib";

const here = (path) => new URL(path, import.meta.url);
const text = (path) => readFileSync(here(path), "utf8");
const [program, out] = process.argv.slice(2);
if (!program || !out) {
  console.error("write: node assemble.mjs PROGRAM.wasm OUT.html");
  process.exit(2);
}

/** Scripts stand in a page up to the first `</script`, whatever it is part of. */
const inline = (script) => {
  if (/<\/script|<!--/i.test(script)) throw new Error("a script that has `</script` or `<!--` in it cannot stand in a page");
  return script;
};
const scripts = (...names) => inline(names.map((name) => text(`page/${name}.js`).replace(/^"use strict";\n/, "")).join("\n"));

const examples = JSON.parse(text("examples.json"));
for (const one of [...examples.litmus, ...examples.kernels]) one.text = text(`../${one.path}`);

/** What the program prints: the page opens with its lists, and with the mappings of the examples, before it is unpacked. */
const Wasi = runInThisContext(`${text("page/wasi.js")}; Wasi`);
const module = new WebAssembly.Module(readFileSync(program));
const printed = (...args) => {
  let out = "", notes = "";
  const write = (stream, bytes) => { const said = new TextDecoder().decode(bytes); if (stream === 1) out += said; else notes += said; };
  const { code, crash } = Wasi.run(module, { args: ["margay", ...args], env: {}, files: new Map(), write });
  if (code !== 0) throw new Error(`margay ${args.join(" ")}: ${crash ?? notes}`);
  return out;
};
for (const list of ["models", "mappings"]) examples[list] = JSON.parse(printed(list, "--format", "json"))[list];
const used = [...new Set(examples.questions.map(({ mapping }) => mapping).filter(Boolean))];
examples.texts = Object.fromEntries(used.map((name) => [name, printed("mappings", name)]));

const version = text("../Cargo.toml").match(/^version = "(.*)"$/m)[1];
const repository = text("../Cargo.toml").match(/^repository = "(.*)"$/m)[1];
/** Where the documentation of this version is read. Links to it are followed by whoever clicks on them; the page itself loads nothing. */
const docs = `${repository}/blob/main`;

/** The glossary's table as a list of terms: a page that works without a network has its words with it. */
const glossary = () => {
  const escaped = (words) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replace(/`([^`]*)`/g, "<code>$1</code>").replace(/\*([^*]+)\*/g, "<em>$1</em>")
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, (_, words, to) => `<a href="${docs}/${/^\.\.\//.test(to) ? to.slice(3) : `docs/${to}`}">${words}</a>`);
  const rows = text("../docs/glossary.md").split("\n").filter((line) => /^\| (?!term |---)/.test(line)).map((line) => line.slice(1, -1).split(/(?<!\\)\|/));
  if (rows.length < 40) throw new Error(`the glossary has ${rows.length} terms`);
  return `<dl>${rows.map(([term, meaning]) => `<div><dt>${escaped(term.trim())}</dt><dd>${escaped(meaning.trim())}</dd></div>`).join("\n")}</dl>`;
};
const packed = gzipSync(readFileSync(program), { level: constants.Z_BEST_COMPRESSION });

const parts = {
  "/*{{STYLE}}*/": text("page/page.css"),
  "<!--{{VERSION}}-->": version,
  "<!--{{GLOSSARY}}-->": glossary(),
  "<!--{{EXAMPLES}}-->": JSON.stringify(examples).replaceAll("<", "\\u003c"),
  "/*{{WORKER}}*/": `"use strict";\n${scripts("wasi", "worker")}`,
  "/*{{PROGRAM}}*/": packed.toString("base64"),
  "/*{{SCRIPT}}*/": `"use strict";\n${scripts("program", "elements", "editor", "link", "whatif", "answer", "question", "main")}`,
};
let page = text("page/index.html").replaceAll("<!--{{DOCS}}-->", docs);
for (const [place, content] of Object.entries(parts)) {
  if (page.split(place).length !== 2) throw new Error(`the page has ${place} not exactly once`);
  page = page.replace(place, () => content);
}
writeFileSync(out, page);
const kib = (bytes) => `${Math.ceil(bytes / 1024)} KiB`;
console.log(`${out}: ${kib(page.length)}, compressed ${kib(gzipSync(page, { level: 9 }).length)}`);
