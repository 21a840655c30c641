// Measures the page: its size, and the time to open it and to get the first answer of the first example. node playground/tests/measure.mjs
// The browser runs and has an empty tab, as that of a user; what a browser needs for a tab of its own is printed, too. Processor time is that of all
// processes of the browser; `taskset -c 0` keeps them on one core, and `chrt -r 1` before it keeps other programs from that core.

import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import { pathToFileURL } from "node:url";
import { answered, launch, PAGE, PATIENCE } from "./open.mjs";

const TICKS = 100;
/** Seconds of processor time of this process and all that it started. */
const used = () => {
  const stats = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const [, rest] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) /s);
      const parts = rest.split(" ");
      return [{ pid: Number(pid), parent: Number(parts[1]), ticks: Number(parts[11]) + Number(parts[12]) }];
    } catch {
      return [];
    }
  });
  const ours = new Set([process.pid]);
  for (let grew = true; grew;) {
    const more = stats.filter((one) => ours.has(one.parent) && !ours.has(one.pid));
    for (const { pid } of more) ours.add(pid);
    grew = more.length > 0;
  }
  return stats.filter((one) => ours.has(one.pid)).reduce((sum, one) => sum + one.ticks, 0) / TICKS;
};
const timed = async (what, work) => {
  const [cpu, wall] = [used(), performance.now()];
  const out = await work();
  console.log(`${what}: ${((performance.now() - wall) / 1000).toFixed(2)} s, ${(used() - cpu).toFixed(2)} s of processor time`);
  return out;
};

const bytes = readFileSync(PAGE);
console.log(`page: ${bytes.length} bytes, with gzip ${gzipSync(bytes, { level: 9 }).length}; load ${loadavg()[0].toFixed(1)}`);
for (let i = 0; i < 5; i++) {
  // A browser of its own each time: what earlier pages left behind costs time as well.
  const browser = await launch();
  try {
    const page = await timed("an empty tab", async () => {
      const context = await browser.newContext({ offline: true });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      await page.goto("about:blank");
      return page;
    });
    await timed("the page and its first answer", async () => {
      await timed("  opening", async () => {
        await page.goto(pathToFileURL(PAGE.pathname).href);
        await page.locator("body[data-ready]").waitFor();
      });
      await timed("  first answer, asked at once", async () => {
        await page.focus("#ask");
        await page.keyboard.press("Enter");
        await answered(page);
      });
    });
  } finally {
    await browser.close();
  }
}
