// How the page looks and sounds: sizes, themes, motion, what assistive technology gets.
import assert from "node:assert/strict";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { button, press, scrubber, tile } from "./page.mjs";

useBrowser();

const size = (page) => page.evaluate(() => {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
  return { across: scrollWidth - clientWidth, down: scrollHeight - clientHeight };
});

for (const [name, viewport] of Object.entries({ desktop: SIZES.desktop, tablet: SIZES.tablet })) {
  pageTest(`everything is in sight, ${name}`, { viewport }, async (view) => {
    assert.deepEqual(await size(view.page), { across: 0, down: 0 });
    await press(view, "3");
    assert.deepEqual(await size(view.page), { across: 0, down: 0 });
  });
}

for (const width of [390, 320]) {
  pageTest(`one column, ${width} px`, { viewport: { width, height: 844 } }, async (view) => {
    const { page } = view;
    assert.equal((await size(page)).across, 0, "nothing to the right");
    const [old, young] = await Promise.all([".side.old", ".side.new"].map((side) => page.locator(side).boundingBox()));
    assert.ok(young.y >= old.y + old.height, "old above new");
    await press(view, "4");
    await page.getByText("Code, counts, claims").click();
    assert.equal((await size(page)).across, 0, "nothing to the right of what was folded");
    assert.ok(await page.getByRole("table").isVisible());
    const code = await page.locator(".more .code").count();
    assert.equal(code, 2);
    // The list of pages is what fingers use.
    await page.getByRole("list", { name: "old: pages" }).getByRole("button", { name: "17", exact: true }).first().click();
    assert.ok(await page.getByRole("dialog", { name: "page 17, old" }).isVisible());
  });
}

for (const colorScheme of ["light", "dark"]) {
  pageTest(`axe finds nothing grave, ${colorScheme}`, { colorScheme }, async (view) => {
    const { page } = view;
    await press(view, "4");
    await axe(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await axe(page);
    await page.keyboard.press("Escape");
    await button(page, "scenario munlock, 56 pages").click();
    await page.getByRole("dialog", { name: "Scenario" }).waitFor();
    await axe(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^new: / }).click();
    await axe(page);
    await page.keyboard.press("Escape");
    await tile(page, "new", 20).click();
    await page.getByRole("dialog", { name: "page 20, new" }).waitFor();
    await axe(page);
  });
}

const narrow = { viewport: SIZES.phone };
pageTest("axe finds nothing grave, narrow", narrow, async (view) => {
  await press(view, "4");
  await view.page.getByText("Code, counts, claims").click();
  await axe(view.page);
});

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const [PAPER, NIGHT] = ["rgb(251, 250, 247)", "rgb(17, 20, 24)"];

pageTest("the theme is the system's until one is chosen, and is kept", { colorScheme: "dark" }, async ({ page }) => {
  assert.equal(await ground(page), NIGHT);
  await button(page, "Theme: auto").click();
  assert.equal(await ground(page), PAPER);
  await page.reload();
  await button(page, "Theme: light").waitFor();
  assert.equal(await ground(page), PAPER);
  await button(page, "Theme: light").click();
  await button(page, "Theme: dark").click();
  assert.equal(await ground(page), NIGHT);
});

const blocked = {
  prepare: (page) => page.addInitScript(() => {
    const refuse = () => { throw new DOMException("blocked", "SecurityError"); };
    Object.defineProperty(window, "localStorage", { get: refuse });
    History.prototype.replaceState = refuse;
  }),
};
pageTest("without storage and history everything still works", blocked, async (view) => {
  await button(view.page, "Theme: auto").click();
  assert.ok(await button(view.page, "Theme: light").isVisible());
  await press(view, "ArrowRight");
  await view.page.waitForTimeout(500);
  await press(view, "ArrowRight");
});

// Steps until a tile has moved; gives its page.
async function moveOne({ page, ...view }) {
  const places = () => page.evaluate(() =>
    Object.fromEntries([...document.querySelectorAll(".side.old .tile:not(.ref)")].map((tile) => [tile.dataset.page, tile.style.transform])));
  let before = await places();
  for (let i = 0; i < 120; i++) {
    await press({ page, ...view }, "ArrowRight");
    const after = await places();
    const moved = Object.keys(after).find((page) => after[page] !== before[page]);
    if (moved) return moved;
    before = after;
  }
  return assert.fail("no tile has moved");
}

pageTest("a page is one element for its whole life, and glides", {}, async (view) => {
  const { page } = view;
  await page.evaluate(() => {
    window.tiles = Object.fromEntries([...document.querySelectorAll(".side.old .tile:not(.ref)")].map((tile) => [tile.dataset.page, tile]));
  });
  await view.page.evaluate(() => {
    window.glided = [];
    document.addEventListener("transitionrun", ({ target, propertyName }) => window.glided.push([target.dataset.page, propertyName]));
  });
  const moved = await moveOne(view);
  await page.waitForFunction(() => window.glided.length);
  assert.ok((await page.evaluate(() => window.glided)).some(([page, property]) => page === moved && property === "transform"));
  await press(view, "9");
  const same = await page.evaluate(() =>
    [...document.querySelectorAll(".side.old .tile:not(.ref)")].every((tile) => window.tiles[tile.dataset.page] === tile));
  assert.ok(same, "every tile is the element that it was at first");
});

const still = async (view) => {
  await view.page.evaluate(() => {
    window.glided = 0;
    document.addEventListener("transitionrun", () => window.glided++);
  });
  await moveOne(view);
  assert.ok((await view.page.locator(".side.old .headslot.ghost").count()) > 0, "an outline shows where the page was");
  await view.page.waitForTimeout(100);
  assert.equal(await view.page.evaluate(() => window.glided), 0);
};

pageTest("nothing moves for those who asked the system for it", { reducedMotion: "reduce" }, still);

pageTest("nothing moves for those who asked the page for it", {}, async (view) => {
  await view.page.keyboard.press("?");
  await view.page.getByRole("radio", { name: "reduce" }).check();
  await view.page.keyboard.press("Escape");
  await still(view);
});

pageTest("a page is looked at, by mouse and by keyboard", {}, async (view) => {
  const { page } = view;
  await press(view, "3");
  await tile(page, "old", 30).click();
  const sheet = page.getByRole("dialog", { name: "page 30, old" });
  assert.match(await sheet.innerText(), /unevictable list/);
  assert.match(await sheet.innerText(), /PG_mlocked/);
  assert.match(await sheet.innerText(), /touched by \d+ steps/);
  const before = view.events.length;
  await sheet.getByRole("button", { name: "next step that touches it" }).click();
  await page.waitForFunction(() => document.querySelector(".biography [aria-current=step]"));
  assert.ok(view.events.length > before);
  await page.keyboard.press("Escape");
  assert.equal(await sheet.count(), 0);
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("data-page"));
  assert.equal(await focused(), "30", "the focus is back where it was");
  await page.keyboard.press("Enter");
  assert.ok(await sheet.isVisible());
});

pageTest("from tile to tile by the arrow keys", {}, async ({ page }) => {
  const side = page.locator(".side.old");
  await side.getByRole("button", { name: /^old: / }).focus();
  // Locks, lists and PTEs are a stop of their own.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("data-page"));
  assert.equal(await focused(), "0");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "15");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), null, "the tiles are one stop of the Tab key");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "15");
});

pageTest("the help shows the keys, and letters can be switched off", {}, async (view) => {
  const { page } = view;
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Help" });
  assert.match(await help.innerText(), /one step on/);
  await help.getByRole("checkbox", { name: /letters/ }).uncheck();
  await page.keyboard.press("Escape");
  assert.equal(await help.isVisible(), false);
  const before = view.events.length;
  for (const key of ["n", ".", "5", "?"]) await page.keyboard.press(key);
  assert.equal(view.events.length, before, "no key that types a character does anything");
  assert.equal(await help.isVisible(), false);
  await press(view, "ArrowRight");
});

pageTest("every control says its key", {}, async ({ page }) => {
  for (const [name, keys] of [["Back", "ArrowLeft"], ["Step", "ArrowRight"], ["Next page", "Shift+ArrowRight"], ["Play", "Space"]]) {
    assert.equal(await button(page, name).getAttribute("aria-keyshortcuts"), keys);
  }
  assert.match(await scrubber(page).getAttribute("aria-keyshortcuts"), /Home/);
});
