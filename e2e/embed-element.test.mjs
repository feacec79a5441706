// The element <mm-scope> in pages of another origin, under a policy without unsafe-inline.
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { axe, DIST } from "./harness.mjs";
import { at, frameOf, hostTest, query, site, useHost } from "./embed-view.mjs";

useHost();

const scope = (page) => page.locator("mm-scope").first();
const shiftsOf = (page) => page.addInitScript(() => {
  window.shift = 0;
  const add = ({ hadRecentInput, value }) => { window.shift += hadRecentInput ? 0 : value; };
  new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type: "layout-shift", buffered: true });
});

hostTest("the demonstration: two elements under a strict policy", "/example/", async ({ page }) => {
  await page.evaluate(() => Promise.all([...document.querySelectorAll("mm-scope")].map(async (one) => {
    one.scrollIntoView();
    await one.whenReady;
  })));
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction(() => document.getElementById("first").moment.place === 41);
  const [first, second] = await page.locator("mm-scope").evaluateAll((all) => all.map(({ moment }) => moment));
  assert.deepEqual([first.scenario, second.scenario, first.place], ["munlock", "lru-drain", 41]);
  await page.getByRole("button", { name: "To page 14" }).click();
  await page.getByText(/^page 14: old \d+, new \d+$/).waitFor();
  await page.getByRole("button", { name: "To the end" }).click();
  await page.waitForFunction(() => document.getElementById("second").moment.ended);
  const still = await page.evaluate(() => document.getElementById("first").moment.milestone);
  assert.equal(still, "page 14", "each by itself");
  const heights = await page.locator("mm-scope").evaluateAll((all) => all.map((one) => one.clientHeight));
  assert.deepEqual(heights, [450, 260]);
  assert.ok(await page.evaluate(() => window.shift) < 0.01, "nothing moved");
  // What is in the frames is tested in the frames.
  await axe(page, { iframes: false });
}, { prepare: shiftsOf });

const RUN = { scenario: "munlock", old: "0", new: "6", params: "pages=28", step: "9,9" };

hostTest("attributes are messages", `/element?${query(RUN)}`,
  async ({ page }) => {
    const set = (attributes) => scope(page).evaluate((one, attributes) => {
      Object.entries(attributes).forEach(([name, value]) => one.setAttribute(name, value));
    }, attributes);
    const moment = (accept) => page.waitForFunction((accept) => {
      const { moment } = document.querySelector("mm-scope");
      return moment && Object.entries(accept).every(([name, value]) => moment[name] === value) && moment;
    }, accept).then((handle) => handle.jsonValue());
    assert.deepEqual(at(await moment({ scenario: "munlock" })), [9, 9]);
    await set({ step: "41" });
    await moment({ place: 41 });
    await set({ scenario: "lru-drain", old: "sync", new: "async", params: "cpus=2", step: "3" });
    assert.equal((await moment({ scenario: "lru-drain" })).place, 3);
    await set({ theme: "dark", controls: "min" });
    await page.waitForFunction(() => document.querySelector("mm-scope").moment === null);
    assert.equal((await moment({ scenario: "lru-drain" })).place, 3, "at the same moment");
    const failed = await scope(page).evaluate((one) => new Promise((told) => {
      one.addEventListener("mmscope-error", ({ detail }) => told(detail));
      one.setAttribute("new", "nonsense");
    }));
    assert.deepEqual([failed.code, failed.type], ["load", "error"]);
  });

hostTest("methods answer", `/element?${query({ link: "#v1/munlock/0/6?pages=14" })}`, async ({ page }) => {
  const result = await scope(page).evaluate(async (one) => {
    const events = [];
    for (const type of ["step", "divergence"]) one.addEventListener(`mmscope-${type}`, () => events.push(type));
    const places = [await one.step(), await one.step(4), await one.seek(2)].map(({ place }) => place);
    places.push((await one.seek("page 5")).milestone);
    const played = (await one.play(8)).playing, paused = (await one.pause()).playing;
    const loaded = (await one.load({ scenario: "munlock", old: "0", new: "7" })).new.variant;
    const refused = await one.seek([1e9, 1]).catch(({ code, field, message }) => ({ code, field, message }));
    return { places, played, paused, loaded, refused, events: [...new Set(events)].sort() };
  });
  assert.deepEqual({ ...result, refused: 0 }, {
    places: [1, 5, 2, "page 5"], played: true, paused: false, loaded: "7", refused: 0, events: ["divergence", "step"],
  });
  assert.deepEqual([result.refused.code, result.refused.field], ["range", "step"]);
});

const PLAIN = "/element?scenario=munlock&old=0&new=6";

hostTest("what stands inside is shown until the frame is ready", PLAIN, async ({ page }) => {
  const twin = page.getByText("the twin");
  await twin.waitFor();
  const before = await scope(page).boundingBox();
  await scope(page).evaluate((one) => one.whenReady);
  await twin.waitFor({ state: "hidden" });
  assert.deepEqual(await scope(page).boundingBox(), before);
}, {
  prepare: (page) => page.route("**/*.wasm", async (route) => {
    await new Promise((late) => setTimeout(late, 500));
    await route.continue();
  }),
});

const NOWHERE = `${PLAIN}&src=https://mmscope.invalid/`;

hostTest("a frame that cannot be had leaves what stands inside", NOWHERE,
  async ({ page }) => {
    await page.waitForTimeout(500);
    assert.ok(await page.getByText("the twin").isVisible());
  }, { allow: [/mmscope\.invalid/, /ERR_/] });

hostTest("Escape in an element gives it the focus, and the host its keys", PLAIN, async ({ page }) => {
  await scope(page).evaluate((one) => one.whenReady);
  await frameOf(page).getByRole("button", { name: "Step", exact: true }).click();
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await page.evaluate(() => window.keys), []);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.localName === "mm-scope");
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await page.evaluate(() => window.keys), ["ArrowRight"]);
});

test("the element is small, and the page's policy lets it be framed and nothing more", async () => {
  assert.ok((await stat(join(DIST, "mmscope.js"))).size < 6144);
  assert.ok((await stat(join(DIST, "mmscope.d.ts"))).isFile());
  const html = await (await fetch(site.url)).text();
  const policy = html.match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)[1];
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|frame-ancestors|https?:|\*/);
});
