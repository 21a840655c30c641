// The page in a browser: opened from a file, used by keyboard alone, at three widths, light and dark, asking nobody for anything.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { answered, launch, open, outside, PAGE, tabTo } from "./open.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());
const pictures = new URL("screenshots/", PAGE).pathname;
mkdirSync(pictures, { recursive: true });

/** Chooses an entry of a select that has the focus, by typing its beginning. */
const choose = async (page, id, text) => {
  await tabTo(page, id);
  await page.keyboard.type(text);
  await page.locator("#status", { hasText: "Press" }).waitFor();
};

/** Takes the fence from the row of seq_cst loads: the line is found with the arrow keys. */
const breakMapping = async (page) => {
  await tabTo(page, "mapping");
  const lines = (await page.inputValue("#mapping")).split("\n");
  const row = lines.findIndex((line) => line.startsWith("R.SC.s"));
  assert.ok(row > 0, "the published mapping has a row of seq_cst loads");
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < row; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.type("R.SC.s        => ld.acquire.s");
};

/** Texts that are hard to read: less contrast than 4.5 with what is behind them. */
const faint = (page) => page.evaluate(() => {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim() !== "");
    if (!own || e.closest("script, :disabled, .skip") || e.getClientRects().length === 0) continue;
    const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(behind(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push(`${e.tagName} ${e.className} ${e.textContent.trim().slice(0, 30)}`);
  }
  return found;
});

/** Controls without a name, pictures without words, parts outside the landmarks. */
const unnamed = (page) => page.evaluate(() => {
  const found = [];
  for (const e of document.querySelectorAll("input, select, textarea, button, progress, img, pre")) {
    const named = e.labels?.length > 0 || e.getAttribute("aria-label") || e.getAttribute("alt") || (e.tagName === "BUTTON" && e.textContent.trim());
    if (!named) found.push(e.outerHTML.slice(0, 80));
  }
  for (const wanted of ["header", "main", "footer", "h1", "h2"]) if (!document.querySelector(wanted)) found.push(`no ${wanted}`);
  return found;
});

/** The box of the first of these elements, in the window. */
const box = (page, selector) => page.locator(selector).first().evaluate((e) => e.getBoundingClientRect().toJSON());

/** Nobody has to look for the answer: its first line is in the window. */
const inView = async (page) => {
  const [{ top, bottom }, height] = [await box(page, "#result .headline"), await page.evaluate(() => innerHeight)];
  assert.ok(top >= 0 && bottom <= height, `the first line is from ${top} to ${bottom} in a window of ${height}`);
};

/** Where `|` and the `;` at the end stand in each row of a program of PTX, in pixels: the columns as they are seen. */
const columns = (page, label) => page.locator(`pre[aria-label='${label}']`).evaluate((pre) => {
  const rows = new Map();
  const walk = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT, { acceptNode: (node) => (node.parentElement === pre ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT) });
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    for (const { index } of node.data.matchAll(/[|]|;(?=\n|$)/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const { left, top, height } = range.getBoundingClientRect();
      const line = Math.round((top + height / 2) / 4);
      rows.set(line, [...(rows.get(line) ?? []), Math.round(left)]);
    }
  }
  return [...rows.values()];
});

for (const [width, height] of [[1600, 900], [800, 1000], [375, 812]]) {
  for (const scheme of ["light", "dark"]) {
    test(`at ${width} pixels, ${scheme}: a mapping is broken by keyboard, and its counterexample is shown`, async () => {
      const { page, asked, errors, close } = await open(browser, { width, height, scheme });
      await choose(page, "example", "The published mapping of");
      await tabTo(page, "ask");
      await page.keyboard.press("Enter");
      assert.match(await answered(page), /^no counterexample up to 3 events/);
      await breakMapping(page);
      await tabTo(page, "bound");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("4");
      await tabTo(page, "ask");
      await page.keyboard.press("Enter");
      assert.match(await answered(page), /^counterexample with 4 events \(program: a compiler bug\), axiom SC/);
      await inView(page);
      const images = await page.locator("#result img").evaluateAll((all) => Promise.all(all.map(async (i) => (await i.decode(), [i.naturalWidth, i.alt]))));
      assert.equal(images.length, 2);
      for (const [wide, alt] of images) assert.ok(wide > 100 && alt.length > 20, alt);
      const shrunk = await page.locator("#result img").evaluateAll((all) => all.map((i) => i.getBoundingClientRect().width / i.naturalWidth));
      assert.ok(Math.min(...shrunk) > 0.74, `pictures are at ${shrunk} of their size: their words cannot be read`);
      const programs = await page.locator("#result .what-if pre").allTextContents();
      assert.equal(programs.length, 2);
      assert.match(programs[0], /^C .*atomic_load_explicit/s);
      assert.match(programs[1], /^PTX .*ld\./s);
      const [scroll, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(scroll <= inner, `the page is ${scroll} wide in a window of ${inner}`);
      const [paper] = (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).match(/\d+/g).map(Number);
      assert.equal(paper < 128, scheme === "dark");
      assert.deepEqual(await faint(page), []);
      assert.deepEqual(await unnamed(page), []);
      await page.screenshot({ path: `${pictures}${width}-${scheme}.png`, fullPage: true });
      assert.deepEqual(outside(asked), []);
      assert.deepEqual(errors, []);
      await close();
    });
  }
}

test("a mistake is shown at its place", async () => {
  const { page, errors, close } = await open(browser, { width: 375, height: 812 });
  await tabTo(page, "mapping");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("R.ACQ.s => ld.aquire.s");
  const line = (await page.inputValue("#mapping")).split("\n").length;
  await page.keyboard.press("Control+Enter");
  const place = page.locator("#result .place").first();
  await place.waitFor();
  assert.match(await place.textContent(), /^Mapping, line \d+, column \d+$/);
  assert.equal(await page.getAttribute("#mapping", "aria-invalid"), "true");
  assert.ok((await page.locator(".numbers .error").allTextContents()).length > 0);
  await place.focus();
  await page.keyboard.press("Enter");
  const at = await page.evaluate(() => {
    const area = document.activeElement;
    return [area.id, area.value.slice(0, area.selectionStart).split("\n").length];
  });
  const [, shown] = (await place.textContent()).match(/line (\d+)/);
  assert.deepEqual(at, ["mapping", Number(shown)]);
  assert.ok(Number(shown) <= line);
  assert.deepEqual(errors, []);
  await close();
});

test("a long question shows how far it is, stops, and leaves the page able to answer", async () => {
  const { page, errors, close } = await open(browser);
  await page.fill("#bound", "8");
  await page.selectOption("#mapping-start", "rc11-to-ptx");
  await page.waitForFunction(() => document.getElementById("mapping").value.includes("Fig. 11"));
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  await page.locator("#doing", { hasText: /\d+\/\d+ thread shapes/ }).waitFor();
  // The page is not frozen: it takes text while the worker works.
  await page.fill("#only", "R.SC");
  await page.fill("#only", "");
  await page.keyboard.press("Escape");
  await page.locator("#status", { hasText: "Stopped." }).waitFor();
  assert.equal(await page.locator("#stop").isDisabled(), true);
  await page.fill("#bound", "2");
  await page.keyboard.press("Control+Enter");
  assert.match(await answered(page), /^no counterexample up to 2 events/);
  assert.deepEqual(errors, []);
  await close();
});

test("a link carries the question, and a damaged one is said to be", async () => {
  const first = await open(browser);
  await first.page.fill("#mapping", "// mine: ü → ∀\n");
  await first.page.fill("#bound", "5");
  await first.page.focus("#copy");
  await first.page.keyboard.press("Enter");
  await first.page.waitForFunction(() => location.hash.startsWith("#1."));
  const hash = await first.page.evaluate(() => location.hash);
  await first.close();
  const second = await open(browser, { hash });
  assert.equal(await second.page.inputValue("#mapping"), "// mine: ü → ∀\n");
  assert.equal(await second.page.inputValue("#bound"), "5");
  assert.deepEqual(outside(second.asked), []);
  await second.close();
  const third = await open(browser, { hash: "#1.notalink" });
  assert.match(await third.page.textContent("#status"), /damaged/);
  await third.close();
});

test("another counterexample, and what if an order were another", async () => {
  const { page, errors, close } = await open(browser);
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  await answered(page);
  await page.locator("#result select").first().selectOption("relaxed");
  await page.locator("#result .said").first().waitFor();
  assert.equal(await page.locator("#result .said").first().textContent(), "allowed");
  assert.match(await page.locator("#result .what-if").first().textContent(), /no counterexample: the source allows the outcome/);
  // The changed program is compiled anew.
  assert.match(await page.locator("#result .what-if [aria-label='the changed program, compiled']").textContent(), /st\.relaxed\.cta x, 1/);
  // All others of this size, as `check --next` has them, and then the first one again.
  const source = () => page.locator("#result .what-if pre").first().textContent();
  const seen = new Set([await source()]);
  const another = async (title) => {
    await page.getByRole("button", { name: "Another one" }).press("Enter");
    await page.locator("#result h3", { hasText: title }).waitFor();
    return page.locator("#result h3", { hasText: title }).textContent();
  };
  const [, of] = (await another(/^Counterexample 2 of \d+$/)).match(/of (\d+)/);
  assert.ok(Number(of) > 2, of);
  seen.add(await source());
  for (let i = 3; i <= Number(of); i++) {
    await another(new RegExp(`^Counterexample ${i} of ${of}$`));
    seen.add(await source());
  }
  assert.equal(seen.size, Number(of));
  await another(new RegExp(`^Counterexample 1 of ${of}$`));
  assert.ok(seen.has(await source()));
  assert.deepEqual(errors, []);
  await close();
});

test("tests are run and explained, models compared, one's own model used", async () => {
  const { page, errors, close } = await open(browser);
  await page.selectOption("#command", "run");
  await page.selectOption("#litmus-start", "Fig. 6: store buffering");
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  assert.match(await answered(page), /^forbidden: the outcome of fig6-sb under ptx-6.0/);
  await page.getByRole("button", { name: "Why?" }).press("Enter");
  await page.locator("#result img").first().waitFor();
  assert.match(await page.textContent("#result"), /Axiom /);
  await page.selectOption("#under", "model.cat");
  await page.waitForFunction(() => document.getElementById("model").value.length > 500);
  await page.selectOption("#model-start", "sc");
  await page.waitForFunction(() => document.getElementById("model").value.includes("acyclic"));
  await page.selectOption("#command", "diff");
  await page.selectOption("#old", "tso");
  await page.selectOption("#new", "model.cat");
  await page.fill("#bound", "4");
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  assert.match(await answered(page), /^different, smallest difference of /);
  await page.locator("#result img").first().waitFor();
  assert.deepEqual(errors, []);
  await close();
});

test("every example answers what its title says", async () => {
  const { page, errors, close } = await open(browser);
  const { questions } = JSON.parse(readFileSync(new URL("../examples.json", import.meta.url), "utf8"));
  const titles = await page.locator("#example option").allTextContents();
  assert.deepEqual(titles.slice(1), questions.map((one) => one.title));
  for (const title of titles.slice(1)) {
    await page.evaluate(() => document.getElementById("status").replaceChildren());
    await page.selectOption("#example", { label: title });
    await page.locator("#status", { hasText: "Press" }).waitFor();
    await page.focus("#ask");
    await page.keyboard.press("Enter");
    const said = await answered(page);
    const { answer } = questions.find((one) => one.title === title);
    assert.match(said, new RegExp(answer), title);
    await inView(page);
  }
  assert.deepEqual(errors, []);
  await close();
});

test("an editor shows a lowering: beside the answer at 1600 pixels, above it at 800 and 375", async () => {
  for (const [width, height] of [[1600, 900], [800, 1000], [375, 812]]) {
    const { page, errors, close } = await open(browser, { width, height });
    const [editor, answer, form] = [await box(page, "#mapping"), await box(page, "#answer"), await box(page, "#question")];
    if (width > 1000) {
      assert.ok(answer.left >= form.right && Math.abs(answer.top - form.top) < 2, "the answer is beside the question");
    } else {
      assert.ok(editor.bottom < answer.top && answer.top >= form.bottom, "the answer is below the question");
    }
    // Rows of the published table are seen whole, operation and lowering, from 800 pixels on; at 1600 those with four instructions, too.
    const letters = await page.locator("#mapping").evaluate((area) => {
      const { fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(area);
      const pen = document.createElement("canvas").getContext("2d");
      pen.font = `${fontSize} ${fontFamily}`;
      return Math.floor((area.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)) / pen.measureText("m").width);
    });
    const rows = (await page.inputValue("#mapping")).split("\n").filter((row) => row.includes("=>")).map((row) => row.length);
    assert.ok(width < 800 || letters >= Math.max(...rows, 46), `${letters} letters at ${width} pixels`);
    const four = "RMW.SC.s       => fence.sc.s ; atom.relaxed.s ; fence.acquire.s ; st.relaxed.s";
    assert.ok(width < 1600 || letters >= four.length, `${letters} letters at ${width} pixels`);
    // Lists with long entries stay in their column.
    const wide = await page.locator("#question select").evaluateAll((all, right) => all.filter((e) => e.getBoundingClientRect().right > right).map((e) => e.id), form.right);
    assert.deepEqual(wide, []);
    // Ask is at hand wherever the form is scrolled to.
    const ask = await box(page, "#ask");
    assert.ok(width < 640 || (ask.top >= 0 && ask.bottom <= height), `Ask is at ${ask.top}`);
    assert.deepEqual(errors, []);
    await close();
  }
});

test("orders that are chosen leave the columns of a test where they are, and headings say which program stands below", async () => {
  const { page, errors, close } = await open(browser);
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  await answered(page);
  const straight = async () => {
    const rows = await columns(page, "Compiled program");
    assert.ok(rows.length > 3, `${rows.length} rows`);
    for (const row of rows) assert.deepEqual(row, rows[0]);
  };
  await straight();
  const heading = (n) => page.locator("#result .what-if h4").nth(n).textContent();
  assert.equal(await heading(0), "Source: forbidden by rc11-scoped");
  assert.equal(await heading(1), "Compiled: allowed by ptx-6.0");
  // Another word in the place of `sc` is longer by five letters.
  const fence = page.locator("pre[aria-label='Compiled program'] select").first();
  assert.equal(await fence.inputValue(), "sc");
  await fence.selectOption("acq_rel");
  await page.locator("#result .said").first().waitFor();
  await straight();
  assert.equal(await heading(1), "Compiled, changed: allowed by ptx-6.0");
  assert.equal(await page.locator("#result h3").first().textContent(), "A changed compiled program: allowed by ptx-6.0");
  assert.equal(await page.getByText("What follows is about the programs as they were.").isVisible(), true);
  await fence.selectOption("sc");
  assert.equal(await heading(1), "Compiled: allowed by ptx-6.0");
  assert.equal(await page.locator("#result h3").first().textContent(), "The smallest counterexample");
  await page.locator("pre[aria-label='Source program'] select").first().selectOption("relaxed");
  await page.locator("#result h4", { hasText: "Source, changed: allowed by rc11-scoped" }).waitFor();
  assert.equal(await page.locator("#result h3").first().textContent(), "A changed program: no counterexample, allowed by rc11-scoped");
  // What is shown is said to be of an earlier question, once the question is another one.
  assert.equal(await page.locator("#stale").isVisible(), false);
  await page.fill("#bound", "3");
  assert.equal(await page.locator("#stale").isVisible(), true);
  await page.fill("#bound", "4");
  assert.equal(await page.locator("#stale").isVisible(), false);
  assert.deepEqual(errors, []);
  await close();
});

test("a theorem shows its argument and what it supposes", async () => {
  const { page, errors, close } = await open(browser);
  const titles = await page.locator("#example option").allTextContents();
  await page.selectOption("#example", { label: titles.find((one) => one.startsWith("A theorem")) });
  await page.locator("#status", { hasText: "Press" }).waitFor();
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  assert.match(await answered(page), /^theorem for executions of every size, without R\.SC, W\.SC, RMW\.SC/);
  const steps = await page.locator("#result .argument > li").allTextContents();
  assert.ok(steps.length >= 5, steps.join("\n"));
  assert.ok(steps.some((step) => step.includes("hb in po | cause-base") && step.includes("induction")), steps.join("\n"));
  const text = await page.textContent("#result");
  assert.match(text, /What it supposes.*It is about single executions, not programs/s);
  assert.match(text, /found none up to 3 events/);
  assert.deepEqual(errors, []);
  await close();
});

test("the glossary is in the page, and links to the documentation are of pages that exist", async () => {
  const { page, asked, errors, close } = await open(browser);
  assert.equal(await page.locator("#glossary dl").isVisible(), false);
  await page.getByRole("link", { name: "Glossary" }).press("Enter");
  await page.locator("#glossary dl").waitFor();
  assert.match(await page.locator("#glossary").textContent(), /candidate execution/);
  const links = await page.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href")).filter((to) => !to.startsWith("#")));
  assert.ok(links.length > 6, links.join(" "));
  for (const link of links) {
    const [, path] = link.match(/^https:\/\/[^/]+\/[^/]+\/[^/]+\/blob\/main\/([^#]+)/) ?? assert.fail(link);
    assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)), path);
  }
  assert.deepEqual(outside(asked), []);
  assert.deepEqual(errors, []);
  await close();
});

test("a comparison says where no program tells the models apart", async () => {
  const { page, errors, close } = await open(browser, { width: 375, height: 812 });
  await page.selectOption("#command", "diff");
  await page.selectOption("#old", "ptx-6.0");
  await page.selectOption("#new", "ptx-2015");
  await page.fill("#bound", "2");
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  assert.match(await answered(page), /^different, smallest difference of 2 events/);
  const text = await page.textContent("#result");
  assert.match(text, /No program tells the models apart here: they differ in single executions\./);
  assert.match(text, /explained: no program tells the models apart here; ptx-6\.0 allows the outcome by another execution/);
  await page.selectOption("#old", "tso");
  await page.selectOption("#new", "sc");
  await page.fill("#bound", "4");
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  assert.match(await answered(page), /^different, smallest difference of /);
  assert.doesNotMatch(await page.textContent("#result"), /No program tells the models apart/);
  assert.deepEqual(errors, []);
  await close();
});

test("the answer comes into view from wherever it is asked for", async () => {
  for (const [width, height, from] of [[1600, 900, "end"], [800, 1000, "top"], [375, 812, "top"]]) {
    const { page, errors, close } = await open(browser, { width, height });
    if (from === "end") {
      // An answer that is long, so that the window can be far below its beginning.
      await page.focus("#ask");
      await page.keyboard.press("Enter");
      await answered(page);
      await page.evaluate(() => { document.getElementById("status").replaceChildren(); scrollTo(0, document.body.scrollHeight); });
      assert.ok((await box(page, "#answer")).top < 0, "the window is below the beginning of the answer");
    } else {
      await page.evaluate(() => scrollTo(0, 0));
      assert.ok((await box(page, "#answer")).top > height, "the answer is below the window");
    }
    // From the keyboard, without moving the window to a button.
    await page.evaluate(() => document.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true })));
    await answered(page);
    await inView(page);
    assert.deepEqual(errors, []);
    await close();
  }
});

test("a kernel in CUDA is asked about, whatever a field that is not shown holds, and findings have words", async () => {
  const { page, errors, close } = await open(browser, { width: 375, height: 812 });
  const body = (order) => `using A = cuda::atomic<int, cuda::thread_scope_device>;
__global__ void k(A* data, A* flag, int* out) {
  if (blockIdx.x == 0) {
    data->store(42, cuda::memory_order_relaxed);
    flag->store(1, cuda::memory_order_${order});
  } else {
    while (flag->load(cuda::memory_order_relaxed) == 0) {}
    *out = data->load(cuda::memory_order_relaxed);
  }
}
`;
  const ask = async (text) => {
    await page.fill("#kernel", text);
    await page.focus("#ask");
    await page.keyboard.press("Enter");
  };
  // A browser does not ask as long as a field holds what it must not.
  await page.fill("#bound", "0");
  await page.selectOption("#command", "kernel");
  await ask(`#include <cuda/atomic>\n${body("relaxed")}`);
  assert.match(await answered(page), /^counterexample: k, a read may be out of date in launch 2x1 /);
  assert.deepEqual(await page.locator("#result h4").allTextContents(), ["A read may be out of date", "The cheapest repair"]);
  assert.doesNotMatch(await page.evaluate(() => document.getElementById("result").innerText), /`/);
  await page.getByRole("button", { name: "line 6" }).first().press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "kernel");
  // What is wrong with a text without a kernel is said of CUDA, and pages that a message names are links.
  await ask("__device__ int f() { return 1; }\n");
  await page.locator("#result", { hasText: "there is no kernel in" }).waitFor();
  await ask(body("relaxed").replace("42,", "42 42,"));
  await page.locator("#result .place", { hasText: "Kernel, line 4" }).waitFor();
  assert.match(await page.locator("#result a").first().getAttribute("href"), /^https:\/\/.*\/docs\/kernels\.md$/);
  // A field that is not understood is said to be one, in the words for it.
  await page.fill("#launch", "two");
  await ask(body("release"));
  await page.locator("#status", { hasText: "A field of the question was not understood." }).waitFor();
  assert.match(await page.textContent("#result .why"), /^invalid value 'two' for .* expected blocks and threads of a block, as 2x32/);
  assert.deepEqual(errors, []);
  await close();
});

test("what a condition says is said in words, and messages call texts by the names of their editors", async () => {
  const { page, errors, close } = await open(browser);
  await page.selectOption("#command", "run");
  for (const [quantifier, under, said] of [["exists", "sc", "exists does not hold: no execution has the outcome."], ["exists", "tso", "exists holds: an execution has the outcome."],
    ["forall", "sc", "forall does not hold: an execution has another outcome."], ["~exists", "sc", "~exists holds: no execution has the outcome."]]) {
    await page.fill("#litmus", `PTX sb\n{ x=0; y=0; }\n P0@cta 0,gpu 0   | P1@cta 0,gpu 0   ;\n st.relaxed.cta x, 1  | st.relaxed.cta y, 1  ;\n ld.relaxed.cta r0, y | ld.relaxed.cta r0, x ;\n${quantifier} (P0:r0 == 0 /\\ P1:r0 == 0)\n`);
    await page.selectOption("#under", under);
    await page.focus("#ask");
    await page.keyboard.press("Enter");
    await answered(page);
    assert.ok((await page.textContent("#result .hint")).startsWith(said), `${quantifier} under ${under}: ${await page.textContent("#result .hint")}`);
  }
  await page.selectOption("#command", "compile");
  await page.focus("#ask");
  await page.keyboard.press("Enter");
  const message = page.locator("#result .diagnostics strong").first();
  await message.waitFor();
  assert.match(await message.textContent(), /^Error: Litmus test cannot be run under rc11-scoped: /);
  assert.deepEqual(errors, []);
  await close();
});
