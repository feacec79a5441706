// Every series in every size and both themes: nothing is cut, nothing lies beyond the edge, nothing is grave for
// assistive technology.
import assert from "node:assert/strict";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { press } from "./page.mjs";

useBrowser();

// Each as the start page opens it.
const SERIES = {
  munlock: "#v1/munlock/0/6?pages=56",
  "lru-drain": "#v1/lru-drain/sync/selective",
  "pcp-free": "#v1/pcp-free/v4.15/merged",
  "madvise-free": "#v1/madvise-free/free/free-swap?processes=2&pages=24&ram=36&swap=64&loops=2&skew=8",
  "rmap-unmap": "#v1/rmap-unmap/v6.3/5-fixed?pages=56&layout=3",
};

const across = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// Titles of fences and names of sides that end in "…", as their text.
const cut = (page) => page.evaluate(() => [...document.querySelectorAll(".etitle > span, .etitle b, .shead .pick, .hero b")]
  .filter((element) => element.getClientRects().length && element.scrollWidth > element.clientWidth + 1 && element.clientWidth)
  .map((element) => element.textContent));

for (const [series, path] of Object.entries(SERIES)) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    pageTest(`${series}: nothing is cut, ${size}`, { path, viewport }, async (view) => {
      for (const key of ["2", "4", "8", "End"]) {
        await press(view, key);
        assert.equal(await across(view.page), 0, `at ${key}`);
        if (size === "desktop") assert.deepEqual(await cut(view.page), [], `at ${key}`);
      }
    });
  }
  for (const colorScheme of ["light", "dark"]) {
    pageTest(`${series}: nothing grave, ${colorScheme}`, { path, colorScheme }, async (view) => {
      await press(view, "4");
      await axe(view.page);
    });
  }
}

pageTest("rmap-unmap is in sight as a whole", { path: SERIES["rmap-unmap"] }, async (view) => {
  const { page } = view;
  for (const key of ["4", "8"]) {
    await press(view, key);
    const down = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    assert.equal(down, 0, `at ${key}`);
  }
  // The sheet of a page stands at its tile, though the drawing is smaller than it is.
  const tile = page.locator(".side.old .tile[data-page='40']:not(.ref)").first();
  await tile.click();
  const [sheet, box] = [await page.locator(".side.old .inspect").boundingBox(), await tile.boundingBox()];
  const apart = Math.max(box.x - sheet.x - sheet.width, sheet.x - box.x - box.width, box.y - sheet.y - sheet.height, sheet.y - box.y - box.height);
  assert.ok(apart <= 16, `${apart} px from its tile`);
});

pageTest("a word of a large count is not broken", { path: SERIES["pcp-free"], viewport: SIZES.phone }, async ({ page }) => {
  const lines = await page.locator(".hero b", { hasText: "picked under" }).evaluate((element) => {
    const range = document.createRange();
    const text = element.firstChild;
    const from = text.data.indexOf("zone");
    range.setStart(text, from);
    range.setEnd(text, text.length);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
  assert.equal(lines, 1);
});
