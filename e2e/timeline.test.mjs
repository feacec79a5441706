// The timeline that opens in place: zoom, pan, range, marks, axes, by pointer and by keyboard, with 100 000 steps a side.
import assert from "node:assert/strict";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { at, button, press, scrubber, stepAfter } from "./page.mjs";

useBrowser();

const panel = (page) => page.getByRole("region", { name: "Timeline explorer" });
const lanes = (page) => page.getByRole("slider", { name: "Moment of both runs" });
const part = (page) => page.getByRole("slider", { name: "Part that is shown" });
const shown = (page) => part(page).getAttribute("aria-valuetext");
const frames = (page) => page.evaluate(() => performance.getEntriesByName("mmscope:timeline").length);
// Where the part begins and ends: on the old side, and on both together.
const both = (text) => text.match(/\d+/g).map(Number).reduce(([from, to], n, i) => (i % 2 ? [from, to + n] : [from + n, to]), [0, 0]);
const steps = (text) => text.match(/old: steps (\d+) to (\d+)/).slice(1).map(Number);

async function openTimeline({ page }) {
  await button(page, "Explore the timeline").click();
  await panel(page).waitFor();
  await page.waitForFunction(() => performance.getEntriesByName("mmscope:timeline").length > 0);
}

// Waits until what is shown is something else.
async function changes(page, act) {
  const before = await shown(page);
  await act();
  await page.waitForFunction((before) => document.querySelector(".xp-head canvas").getAttribute("aria-valuetext") !== before, before);
  return shown(page);
}

// Drags over the rows, in parts of their width.
async function drag(page, from, to, options = {}) {
  const box = await lanes(page).boundingBox();
  const y = box.y + 60;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down(options);
  await page.mouse.move(box.x + box.width * (from + to) / 2, y, { steps: 4 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 4 });
  await page.mouse.up(options);
}

const count = async (page, label) => {
  const row = page.locator(".xp-ledger tbody tr").filter({ has: page.getByRole("rowheader", { name: label, exact: true }) });
  return (await row.locator("td").allInnerTexts()).map((text) => Number(text.replaceAll("\u202f", "").replace("\u2212", "-")));
};

// How many different colours a part of the canvas has: what is drawn at all.
const colours = (page) => lanes(page).evaluate((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return [...found];
});

pageTest("it opens by its button and by its key, draws, and gives the focus back", {}, async (view) => {
  const { page } = view;
  await openTimeline(view);
  assert.equal(await scrubber(page).isVisible(), false, "it takes the strip's place");
  assert.ok(await button(page, "Step").isVisible(), "the controls stay");
  assert.ok(await lanes(page).evaluate((canvas) => canvas === document.activeElement), "it has the focus");
  const found = await colours(page);
  assert.ok(found.includes(0xc5301a), "locks are held");
  assert.ok(found.includes(0xf5b324), "the playhead");
  assert.match(await lanes(page).getAttribute("aria-valuetext"), /old: step 0 of 2.?628/);
  await press(view, "ArrowRight");
  assert.match(await lanes(page).getAttribute("aria-valuetext"), /old: step 1 of/, "keys of the page still step");
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement.id === "open-timeline");
  await page.keyboard.press("t");
  await panel(page).waitFor();
  await page.keyboard.press("t");
  await panel(page).waitFor({ state: "detached" });
});

pageTest("the wheel zooms where the pointer is; Shift drag, the overview and keys move", {}, async (view) => {
  const { page } = view;
  await openTimeline(view);
  const whole = both(await shown(page));
  assert.equal(whole[0], 0);
  const box = await lanes(page).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 80);
  const zoomed = both(await changes(page, () => page.mouse.wheel(0, -600)));
  assert.ok(zoomed[0] > 0 && zoomed[1] < whole[1], `${zoomed} is within ${whole}`);
  const moved = both(await changes(page, async () => {
    await page.keyboard.down("Shift");
    await drag(page, 0.6, 0.3);
    await page.keyboard.up("Shift");
  }));
  assert.ok(moved[0] > zoomed[0], "to the left comes what is later");
  const middle = both(await changes(page, () => drag(page, 0.3, 0.6, { button: "middle" })));
  assert.ok(middle[0] < moved[0]);
  const head = await part(page).boundingBox();
  const far = both(await changes(page, () => page.mouse.click(head.x + head.width * 0.9, head.y + 20)));
  assert.ok(far[0] > moved[0], "a click in the overview goes there");
  await part(page).focus();
  const back = both(await changes(page, () => page.keyboard.press("ArrowLeft")));
  assert.ok(back[0] < far[0]);
  assert.equal(both(await changes(page, () => page.keyboard.press("Home")))[0], 0);
  const larger = both(await changes(page, () => button(page, "Zoom in").click()));
  assert.ok(larger[1] - larger[0] < far[1] - far[0]);
  await changes(page, () => page.getByRole("button", { name: "Fit" }).click());
  assert.deepEqual(both(await shown(page)), whole);
});

pageTest("a click goes there on both sides", {}, async (view) => {
  const { page } = view;
  await openTimeline(view);
  const box = await lanes(page).boundingBox();
  const detail = await stepAfter(view, () => page.mouse.click(box.x + box.width / 2, box.y + 60));
  const [old, young] = at(detail);
  assert.ok(old > 800 && old < 1500 && young > 300 && young < 800, `${old}, ${young}`);
  const here = page.locator(".xp-here");
  assert.match(await here.innerText(), new RegExp(`old, after step ${String(old).replace(/(\d)(\d{3})$/, "$1.?$2")}`));
  assert.match(await here.innerText(), /munlock_vma_pages_range/);
  assert.match(await here.innerText(), /ns modelled/);
});

pageTest("a range is dragged, counts, and its parts add up", {}, async (view) => {
  const { page } = view;
  await openTimeline(view);
  await drag(page, 0.2, 0.5);
  await page.getByRole("table", { name: "Counts of the range" }).waitFor();
  const range = await page.locator(".xp-range").innerText();
  const [, from, to] = range.replaceAll("\u202f", "").match(/old (\d+)–(\d+)/).map(Number);
  const counted = await count(page, "all atomics");
  const made = await count(page, "steps");
  assert.equal(made[0], to - from);
  assert.equal(counted[2], counted[1] - counted[0]);
  assert.ok(counted[0] > 0 && counted[1] > 0);
  const zoomed = steps(await changes(page, () => button(page, "Zoom to range").click()));
  assert.ok(zoomed[0] <= from && zoomed[1] >= to && zoomed[1] - zoomed[0] < 1.2 * (to - from) + 20, `${zoomed}: ${from} to ${to}`);
  await button(page, "Clear").click();
  await page.getByRole("table", { name: "Counts of the range" }).waitFor({ state: "detached" });
  assert.equal(await button(page, "Clear").count(), 0);
});

pageTest("by keyboard alone: open, zoom, a range of the whole run, its counts, close", {}, async (view) => {
  const { page } = view;
  await page.keyboard.press("t");
  await panel(page).waitFor();
  await page.keyboard.press("+");
  await page.keyboard.press("[");
  assert.match(await page.locator(".xp-range").innerText(), /begins at old 0, new 0/);
  await press(view, "End");
  await page.keyboard.press("]");
  await page.getByRole("table", { name: "Counts of the range" }).waitFor();
  assert.deepEqual(await count(page, "all atomics"), [837, 512, -325]);
  assert.deepEqual(await count(page, "lru_lock"), [111, 8, -103]);
  await changes(page, () => page.keyboard.press("f"));
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "BUTTON");
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
});

pageTest("three axes, the part in sight stays", {}, async (view) => {
  const { page } = view;
  await openTimeline(view);
  await press(view, "5");
  await button(page, "Zoom in").click();
  await button(page, "Zoom in").click();
  for (const [name, note] of [["step", /first step/], ["modelled time", /modelled, profile opteron-2013/], ["milestone", /same milestone/]]) {
    const before = await frames(page);
    await panel(page).getByRole("radio", { name, exact: true }).check();
    await page.waitForFunction((before) => performance.getEntriesByName("mmscope:timeline").length > before, before);
    assert.match(await page.locator(".xp-note").innerText(), note);
    const [from, to] = steps(await shown(page));
    assert.ok(from > 0 && to < 2628, `${name}: ${from} to ${to}`);
  }
});

const BUSY = "#v1/pcp-free/v4.15/pick-outside?cpus=2&touch=60&pages=2048&rounds=2";
pageTest("marks have a shape and a word, and are buttons", { path: BUSY }, async (view) => {
  const { page } = view;
  await openTimeline(view);
  const marks = page.getByRole("group", { name: "Marks" }).getByRole("button");
  const first = page.getByRole("button", { name: /^differ: first difference, old step/ }).first();
  assert.ok(await first.locator("svg").count());
  assert.match(await first.innerText(), /differ/);
  const name = await first.getAttribute("aria-label");
  const detail = await stepAfter(view, () => first.click());
  assert.ok(name.replaceAll("\u202f", "").includes(`old step ${detail.old.step}`), `${name}: ${detail.old.step}`);
  const waits = marks.filter({ hasText: /wait/ });
  assert.ok((await waits.count()) > 0);
  await stepAfter(view, () => waits.first().click());
  assert.match(await page.locator(".xp-here").innerText(), /waits for/);
  const list = page.locator(".xp-list");
  await list.locator("summary").click();
  assert.ok((await list.getByRole("button").count()) > 2);
  await stepAfter(view, () => list.getByRole("button").last().click());
});

pageTest("the rows of a CPU fold", { path: BUSY }, async (view) => {
  const { page } = view;
  await openTimeline(view);
  const height = () => page.locator(".xp-gutter").evaluate((gutter) => gutter.scrollHeight);
  const before = await page.locator(".xp-gutter > span").count();
  const fold = page.getByRole("button", { name: "old, CPU 0", exact: true });
  assert.equal(await fold.getAttribute("aria-expanded"), "true");
  await fold.click();
  assert.equal(await fold.getAttribute("aria-expanded"), "false");
  assert.ok((await page.locator(".xp-gutter > span").count()) < before);
  assert.ok((await height()) > 0);
});

pageTest("what is under the pointer is said, and stands beside the rows too", {}, async (view) => {
  const { page } = view;
  await openTimeline(view);
  const box = await lanes(page).boundingBox();
  const row = await page.locator(".xp-gutter > span", { hasText: "functions" }).first().boundingBox();
  await page.mouse.move(box.x + box.width / 3, row.y + row.height / 2);
  await page.locator(".xp-under", { hasText: /old, CPU 0: .* steps.* ns modelled/ }).waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  pageTest(`axe finds nothing grave, ${colorScheme}`, { colorScheme, path: BUSY }, async (view) => {
    const { page } = view;
    await openTimeline(view);
    await press(view, "4");
    await drag(page, 0.2, 0.5);
    await page.locator(".xp-list summary").click();
    await axe(page);
  });
}

for (const viewport of [SIZES.phone, { width: 320, height: 700 }]) {
  pageTest(`a sheet over the page, ${viewport.width} px`, { viewport }, async (view) => {
    const { page } = view;
    await openTimeline(view);
    const box = await panel(page).boundingBox();
    assert.ok(box.y === 0 && box.height > viewport.height - 60, JSON.stringify(box));
    assert.ok(await button(page, "Step").isVisible());
    const across = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(across, 0);
    await press(view, "ArrowRight");
    await axe(page);
    await button(page, "Close the timeline").click();
    await panel(page).waitFor({ state: "detached" });
  });
}

const LARGE = "#v1/pcp-free/v4.15/pick-outside?cpus=2&touch=100&pages=8192&rounds=8";
pageTest("100 000 steps a side stay fluid", { path: LARGE }, async (view) => {
  const { page } = view;
  const detail = await stepAfter(view, () => page.keyboard.press("End"));
  assert.ok(detail.old.steps > 100_000 && detail.new.steps > 100_000, JSON.stringify(detail));
  await openTimeline(view);
  const opened = await page.evaluate(() => performance.getEntriesByName("mmscope:timeline-open").at(-1).duration);
  for (const name of ["milestone", "step", "modelled time"]) {
    await panel(page).getByRole("radio", { name, exact: true }).check();
    await page.waitForTimeout(100);
    await page.evaluate(() => performance.clearMeasures("mmscope:timeline"));
    const box = await lanes(page).boundingBox();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 90);
    for (let i = 0; i < 30; i++) await page.mouse.wheel(0, i < 15 ? -250 : 250);
    await page.waitForTimeout(200);
    const times = await page.evaluate(() => performance.getEntriesByName("mmscope:timeline").map(({ duration }) => duration));
    times.sort((a, b) => a - b);
    const [median, most] = [times[times.length >> 1], times.at(-1)].map((time) => time.toFixed(1));
    console.log(`${detail.old.steps} and ${detail.new.steps} steps by ${name}: ${times.length} frames, median ${median} ms, longest ${most} ms`);
    assert.ok(times.length >= 5 && median < 50, `median ${median} ms`);
  }
  console.log(`opened in ${opened.toFixed(0)} ms`);
});
