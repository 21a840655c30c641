// Opens the built page in the distribution's Chromium, without a network, and watches what it asks for.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

/** What was built: the page that people get or, where PLAYGROUND says `quick`, that of `playground/build --quick`. */
export const QUICK = process.env.PLAYGROUND === "quick";
export const PAGE = new URL(`../../target/playground/${QUICK ? "quick/" : ""}index.html`, import.meta.url);
export const PROGRAM = new URL(`../../target/playground/wasm32-wasip1/playground${QUICK ? "-quick" : ""}/margay.wasm`, import.meta.url);
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** How long anything may take on a busy machine, in ms: a limit for what never ends, no measure of speed. */
export const PATIENCE = 240_000;

export const launch = async () => {
  if (!existsSync(PAGE)) throw new Error("the page is not built: playground/build");
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
};

/** The page at a size, light or dark; `asked` has every address that it asked for, `errors` what it complained of. */
export const open = async (browser, { width = 1600, height = 900, scheme = "light", hash = "" } = {}) => {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, offline: true });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const asked = [], errors = [];
  context.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(pathToFileURL(PAGE.pathname).href + hash);
  await page.locator("body[data-ready]").waitFor();
  return { page, asked, errors, close: () => context.close() };
};

/** Requests that leave the page: all but the file itself and what it carries. */
export const outside = (asked) => asked.filter((url) => !url.startsWith(pathToFileURL(PAGE.pathname).href) && !/^(blob|data):/.test(url));

/** Waits for an answer, and gives its first line. */
export const answered = async (page) => {
  await page.locator("#status", { hasText: "Answered in" }).waitFor();
  return page.locator("#result .headline").first().textContent();
};

/** Presses Tab until the element with this id has the focus, as somebody without a mouse does. */
export const tabTo = async (page, id, key = "Tab") => {
  for (let i = 0; i < 60; i++) {
    if (await page.evaluate((wanted) => document.activeElement?.id === wanted, id)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${id} cannot be reached with ${key}`);
};
