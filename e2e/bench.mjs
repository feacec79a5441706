// Measures how long the page takes from navigation to readiness, with nothing cached.
import { BASE, DIST, launch, open } from "./harness.mjs";
import { serve } from "./server.mjs";

const RUNS = 5;

const site = await serve(DIST, BASE);
const browser = await launch();
const times = [];
try {
  for (let run = 0; run < RUNS; run++) {
    const mark = () => document.addEventListener("mmscope:ready", () => performance.mark("ready"));
    const { page, context } = await open(browser, site.url, { prepare: (page) => page.addInitScript(mark) });
    times.push(await page.evaluate(() => performance.getEntriesByName("ready")[0].startTime));
    await context.close();
  }
} finally {
  await browser.close();
  await site.close();
}
times.sort((a, b) => a - b);
const shown = (time) => `${time.toFixed(0)} ms`;
console.log(`navigation to ready: median ${shown(times[RUNS >> 1])}, least ${shown(times[0])}, most ${shown(times.at(-1))}`);
