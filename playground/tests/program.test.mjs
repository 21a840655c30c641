// The program in WebAssembly against the native one: the same question has the same answer, letter for letter.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInThisContext } from "node:vm";
import { PROGRAM, QUICK } from "./open.mjs";

const at = (path) => new URL(`../../${path}`, import.meta.url);
const Wasi = runInThisContext(`${readFileSync(at("playground/page/wasi.js"), "utf8")}; Wasi`);
const module = new WebAssembly.Module(readFileSync(PROGRAM));
const native = process.env.MARGAY;
if (!native) throw new Error("MARGAY does not name a native program of the same source; playground/test builds one");

/** Runs the program as the page does. */
const run = (args, files = {}) => {
  const said = { 1: "", 2: "" };
  const memory = new Map(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]));
  const write = (stream, bytes) => { said[stream] += new TextDecoder().decode(bytes); };
  const { code, crash } = Wasi.run(module, { args: ["margay", ...args], env: { MARGAY_PROGRESS: "lines" }, files: memory, write });
  return { code, crash, out: said[1], notes: said[2], files: memory };
};

/** An answer without what depends on the machine. */
const bare = (text) => JSON.parse(text, (key, value) => (/seconds$|^peak_memory_bytes$|^engine$/.test(key) ? undefined : value));

const QUESTIONS = [
  ["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4"],
  ["check", "rc11-to-ptx", "--bound", "3"],
  ["check", "rc11-to-ptx-no-release-rmw", "--bound", "4", "--level", "execution", "--all"],
  ["diff", "tso", "sc", "--bound", "4"],
  // Hardly optimised, a proof of a mapping takes minutes.
  QUICK ? ["prove", "irreflexive fr", "--model", "ptx-6.0", "--bound", "2"] : ["prove", "rc11-to-ptx", "--axiom", "Atomicity", "--bound", "2"],
  ["explain", "test.litmus", "--model", "rc11-scoped"],
  ["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--next", "2"],
  ["check", "rc11-to-ptx", "--test", "test.litmus"],
  ["kernel", "kernel.ptx", "--launch", "2x1"],
  ["mappings"],
];

for (const question of QUESTIONS) {
  test(`margay ${question.join(" ")}`, () => {
    const litmus = readFileSync(at("tests/corpus/asplos2019/fig12a-isa2.litmus"), "utf8");
    const asked = [...question, "--format", "json"];
    const kernel = readFileSync(at("tests/kernels/flag.ptx"), "utf8");
    const here = run(asked, { "test.litmus": litmus, "kernel.ptx": kernel });
    assert.equal(here.crash, null, here.notes);
    const solver = ["explain", "kernel", "mappings"].includes(question[0]) || question.includes("--test") ? [] : ["--solver", "batsat", "--jobs", "1"];
    const options = { cwd: at("tests/corpus/asplos2019").pathname, encoding: "utf8", maxBuffer: 1 << 28 };
    let expected, code = 0;
    try {
      expected = execFileSync(native, [...asked, ...solver].map((word) => word.replace("test.litmus", "fig12a-isa2.litmus").replace("kernel.ptx", "../../kernels/flag.ptx")), options);
    } catch (error) {
      [expected, code] = [error.stdout, error.status];
    }
    assert.equal(here.code, code);
    assert.deepEqual(bare(here.out), bare(expected.replaceAll("fig12a-isa2.litmus", "test.litmus").replaceAll("../../kernels/flag.ptx", "kernel.ptx")));
  });
}

test("files are read", () => {
  const report = run(["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--format", "json"]).out;
  assert.equal(JSON.parse(report).verdict, "counterexample");
  const page = run(["report", "report.json"], { "report.json": report });
  assert.equal(page.code, 0, page.notes + page.crash);
  assert.match(page.out, /^<!doctype html>/);
});

test("progress is told in lines", () => {
  const { notes } = run(["check", "rc11-to-ptx", "--bound", "4"]);
  assert.match(notes, /^\r.*\d+\/\d+ thread shapes/m);
});

test("no input crashes it", () => {
  for (const text of ["", "mapping", "\0", "mapping \"x\" from nowhere to ptx-6.0", `mapping "x" from rc11 to ptx-6.0\n${"(".repeat(100_000)}`]) {
    const { code, crash, out } = run(["check", "m.map", "--format", "json"], { "m.map": text });
    assert.deepEqual([code, crash], [2, null]);
    assert.ok(JSON.parse(out).errors.length > 0);
  }
});
