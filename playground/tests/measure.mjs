// Measures the page: its size, the time to open it and to the first answer of the first example. node playground/tests/measure.mjs
// Processor time is that of all processes of the browser, which a busy machine does not change; `taskset -c 0` keeps them on one core.

import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import { answered, launch, open, PAGE } from "./open.mjs";

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
const browser = await launch();
try {
  for (let i = 0; i < 3; i++) {
    // Pages stay open to the end: processes that have ended would no longer be counted.
    const { page } = await timed("open", () => open(browser));
    await timed("first answer", async () => {
      await page.focus("#ask");
      await page.keyboard.press("Enter");
      await answered(page);
    });
  }
} finally {
  await browser.close();
}
