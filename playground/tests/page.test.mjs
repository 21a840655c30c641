// The page in a browser: opened from a file, used by keyboard alone, at three widths, light and dark, asking nobody for anything.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
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
      const images = await page.locator("#result img").evaluateAll((all) => Promise.all(all.map(async (i) => (await i.decode(), [i.naturalWidth, i.alt]))));
      assert.equal(images.length, 2);
      for (const [wide, alt] of images) assert.ok(wide > 100 && alt.length > 20, alt);
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
  assert.match(await answered(page), /^different from /);
  await page.locator("#result img").first().waitFor();
  assert.deepEqual(errors, []);
  await close();
});

test("every example gets an answer", async () => {
  const { page, errors, close } = await open(browser);
  const titles = await page.locator("#example option").allTextContents();
  for (const title of titles.slice(1).filter((one) => !one.includes("takes minutes"))) {
    await page.evaluate(() => document.getElementById("status").replaceChildren());
    await page.selectOption("#example", { label: title });
    await page.locator("#status", { hasText: "Press" }).waitFor();
    await page.focus("#ask");
    await page.keyboard.press("Enter");
    const said = await answered(page);
    assert.doesNotMatch(said, /undecided/, title);
    if (/broken|Finding|CUDA 5.5|Fig. 12: /.test(title)) assert.match(said, /^counterexample/, title);
  }
  assert.deepEqual(errors, []);
  await close();
});
