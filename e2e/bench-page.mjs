// Times of the page itself: how long it takes to open, and to answer a reader.
import { open } from "./harness.mjs";

const RUNS = 5;
const TIMES = 60;
const LARGE = "#v1/rmap-unmap/v6.3/5-fixed";
const LONG = "#v1/pcp-free/v4.15/pick-outside?cpus=2&touch=100&pages=8192&rounds=3";
const LIMIT = 60_000;

const ms = (time) => `${time.toFixed(time < 10 ? 1 : 0)} ms`;
const sorted = (times) => [...times].sort((a, b) => a - b);
const part = (times, share) => sorted(times)[Math.min(times.length - 1, Math.floor(times.length * share))];
const spread = (times) => ({ median: ms(part(times, 0.5)), p98: ms(part(times, 0.98)), most: ms(Math.max(...times)) });

// From navigation until the page says that it is there, with nothing cached.
async function opening(browser, url, path, event) {
  const times = [];
  for (let run = 0; run < RUNS; run++) {
    const mark = (type) => document.addEventListener(type, () => performance.mark("there"), { once: true });
    const view = await open(browser, url, { path, waitFor: event, prepare: (page) => page.addInitScript(mark, event) });
    times.push(await view.page.evaluate(() => performance.getEntriesByName("there")[0].startTime));
    await view.context.close();
  }
  return spread(times);
}

// The largest picture of the start page.
async function painting(browser, url) {
  const times = [];
  for (let run = 0; run < RUNS; run++) {
    const view = await open(browser, url, { path: "", waitFor: "mmscope:start" });
    times.push(await view.page.evaluate(() => new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
        .observe({ type: "largest-contentful-paint", buffered: true });
    })));
    await view.context.close();
  }
  return spread(times);
}

export async function loading(browser, url) {
  return [
    { name: "start page, largest paint", values: await painting(browser, url) },
    { name: "start page, program ready", values: await opening(browser, url, "", "mmscope:start") },
    { name: "a link: munlock, 56 pages", values: await opening(browser, url, "#v1/munlock/0/6", "mmscope:ready") },
    { name: "512 pages a side", values: await opening(browser, url, LARGE, "mmscope:ready") },
    { name: "45,000 steps a side", values: await opening(browser, url, LONG, "mmscope:ready"), aim: "< 1000 ms" },
  ];
}

// Does something, and gives the time from its event's stamp to the frame after the one that shows it.
async function answered(page, type, act) {
  await page.evaluate((type) => {
    window.answer = new Promise((resolve) => {
      addEventListener(type, (event) => {
        // The next frame paints; a task queued in it runs after the paint.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now() - event.timeStamp);
          port2.postMessage(0);
        });
      }, { once: true, capture: true });
    });
  }, type);
  await act();
  return page.evaluate(() => window.answer);
}

async function repeated(page, type, act) {
  const times = [];
  for (let i = 0; i < TIMES; i++) times.push(await answered(page, type, () => act(i)));
  return spread(times);
}

// Frames while it plays: time from one to the next.
async function frames(page) {
  await page.getByRole("combobox", { name: "speed" }).selectOption("60");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Space");
  const times = await page.evaluate((count) => new Promise((resolve) => {
    const times = [];
    let last;
    const frame = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      if (times.length < count) requestAnimationFrame(frame);
      else resolve(times);
    };
    requestAnimationFrame(frame);
  }), 240);
  await page.keyboard.press("Space");
  return spread(times);
}

// Seeks as the page itself measures them, in the script alone.
async function seeks(page) {
  await page.evaluate(() => performance.clearMeasures("mmscope:step"));
  for (let i = 0; i < TIMES; i++) await page.keyboard.press(String((i * 7) % 10));
  const times = await page.evaluate(() => performance.getEntriesByName("mmscope:step").map(({ duration }) => duration));
  return spread(times);
}

export async function interactions(browser, url) {
  const { page, context } = await open(browser, url, { path: LARGE });
  page.setDefaultTimeout(LIMIT);
  const aim = "p98 < 100 ms";
  const rows = [];
  await page.keyboard.press("4");
  rows.push({ name: "step", values: await repeated(page, "keydown", () => page.keyboard.press("ArrowRight")), aim });
  rows.push({ name: "step back", values: await repeated(page, "keydown", () => page.keyboard.press("ArrowLeft")), aim });
  const box = await page.getByRole("slider").first().boundingBox();
  const scrub = (i) => page.mouse.move(box.x + box.width * (0.15 + 0.8 * ((i * 37) % TIMES) / TIMES), box.y + 20);
  await scrub(0);
  await page.mouse.down();
  rows.push({ name: "scrub, by dragging", values: await repeated(page, "pointermove", (i) => scrub(i + 1)), aim });
  await page.mouse.up();
  await page.keyboard.press("4");
  const tiles = page.locator(".side.old .tile[data-page]:not(.ref)");
  const seen = Math.min(await tiles.count(), 60);
  const select = (i) => tiles.nth((i * 7) % seen).dispatchEvent("click");
  rows.push({ name: "select a page", values: await repeated(page, "click", select), aim });
  await page.keyboard.press("Escape");
  rows.push({ name: "seek to a tenth, script alone", values: await seeks(page) });
  await page.keyboard.press("0");
  rows.push({ name: "frame while playing at 60/s", values: await frames(page), aim: "17 ms" });
  await context.close();
  return rows;
}
