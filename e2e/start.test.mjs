// The start page: what it says, where it leads, and that it comes back.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { at, press, stepAfter } from "./page.mjs";

useBrowser();

const START = { path: "", waitFor: "mmscope:start" };
const SERIES = ["munlock", "lru-drain", "pcp-free", "madvise-free", "rmap-unmap"];
const title = (page) => page.getByRole("heading", { level: 1, name: /^Watch Linux memory management/ });
const wait = (view, type) => view.waitFor(type);

pageTest("it says what this is before anything is recorded", START, async ({ page, events }) => {
  assert.ok(await title(page).isVisible());
  assert.equal(await page.locator("#app").evaluate((app) => app.childElementCount), 0, "there is no explorer yet");
  assert.ok(!events.some(({ type }) => type === "mmscope:ready"));
  const links = await page.getByRole("link", { name: /^Watch [a-zA-Z]/ }).evaluateAll((all) => all.map(({ hash }) => hash));
  assert.deepEqual(links.slice(1).map((hash) => hash.split("/")[1]), SERIES);
  const pictures = page.getByRole("img").filter({ visible: true });
  assert.equal(await pictures.count(), 2 + SERIES.length);
  assert.match(await pictures.first().getAttribute("aria-label"), /^old: /);
  assert.match(await page.title(), /^mmscope/);
});

for (const [at, name] of SERIES.entries()) {
  pageTest(`${name} opens from its entry, by keyboard`, START, async (view) => {
    const { page } = view;
    await page.locator(".five a").nth(at).focus();
    await page.keyboard.press("Enter");
    await wait(view, "mmscope:ready");
    assert.match(await page.locator("button.pick.sc").innerText(), new RegExp(name));
    await page.waitForFunction(() => document.activeElement.id === "step");
    assert.equal(await title(page).count(), 0, "the start page is out of the document");
    await press(view, "ArrowRight");
  });
}

pageTest("the moment in large opens where it is drawn", START, async (view) => {
  const link = view.page.getByRole("link", { name: "Watch from here" });
  const step = /step=(\d+),(\d+)/.exec(await link.getAttribute("href")).slice(1).map(Number);
  assert.ok(step[0] > 100);
  await link.click();
  assert.deepEqual(at(await wait(view, "mmscope:ready")), step);
  const drawn = view.page.locator(".side.old .stage");
  assert.match(await drawn.getAttribute("aria-label"), /^old: /);
});

pageTest("back and forward go between the start page and the moment", START, async (view) => {
  const { page } = view;
  await page.locator(".five a").first().click();
  await wait(view, "mmscope:ready");
  const { detail } = { detail: await press(view, "4") };
  await page.waitForURL(/step=/);
  await page.goBack();
  await title(page).waitFor();
  assert.ok(await title(page).evaluate((heading) => document.activeElement === heading), "the focus is on the heading");
  const before = view.events.length;
  for (const key of ["ArrowRight", "n", " ", "?"]) await page.keyboard.press(key);
  await page.waitForTimeout(200);
  assert.equal(view.events.length, before, "keys of the explorer do nothing here");
  const back = await stepAfter(view, () => page.goForward());
  assert.deepEqual(at(back), at(detail));
});

pageTest("mmscope in the header leads to the start page, which offers the moment again", {}, async (view) => {
  const { page } = view;
  const left = at(await press(view, "3"));
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("link", { name: "mmscope" }).click();
  await title(page).waitFor();
  const words = await page.locator("#start-last").innerText();
  assert.match(words, /^munlock, 56 pages: v3\.11-rc3 beside \+ patches 1–6, at step [\d ]+ and step [\d ]+$/);
  const waited = view.events.length;
  await page.waitForTimeout(600);
  assert.equal(view.events.length, waited, "nothing plays behind it");
  const again = at(await stepAfter(view, () => page.getByRole("link", { name: "Continue" }).click()));
  assert.ok(again[0] >= left[0]);
});

pageTest("the last moment is offered on the next visit", { allow: [/favicon.*ERR_ABORTED/] }, async (view) => {
  const { page } = view;
  await press(view, "6");
  await page.waitForFunction(() => localStorage.getItem("mmscope.last"));
  await page.goto(page.url().split("#")[0]);
  await page.getByRole("link", { name: "Continue" }).click();
  await page.locator("button.pick.sc").waitFor();
  assert.match(await page.locator(".stepno").first().innerText(), /step 1.\d{3} of/);
});

const storages = {
  blocked: () => Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("blocked", "SecurityError"); } }),
  full: () => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; },
  "of garbage": () => {
    localStorage.setItem("mmscope.last", "#v1/nothing/\u0000/<img src=x>?step=-1");
    localStorage.setItem("mmscope.settings", "theme=<b>;motion=\u0000;;=");
  },
};
for (const [name, spoil] of Object.entries(storages)) {
  pageTest(`storage ${name}: it still works`, { ...START, prepare: (page) => page.addInitScript(spoil) }, async (view) => {
    const { page } = view;
    assert.match(await page.locator("#start-last").innerText(), /^Nothing yet/);
    assert.ok(await page.locator("#start-continue").isHidden());
    await page.locator(".five a").nth(1).click();
    await wait(view, "mmscope:ready");
    await press(view, "5");
    await page.getByRole("button", { name: /^Theme/ }).click();
    for (const [key, dialog] of [["?", "Help"], ["e", "Evidence"]]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog", { name: dialog }).waitFor();
      await page.keyboard.press("Escape");
    }
    await page.locator("button.pick.sc").click();
    await page.getByRole("dialog", { name: "Scenario" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForTimeout(400);
    await page.getByRole("link", { name: "mmscope" }).click();
    await title(page).waitFor();
  });
}

const json = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });

pageTest("a scenario file is opened, and what is wrong with one is said", START, async (view) => {
  const { page } = view;
  const input = page.getByLabel("Open a scenario file");
  await input.setInputFiles(json("mine.json", '{\n  "nmae": "x"\n}'));
  const alert = page.getByRole("alert").filter({ hasText: "mine.json" });
  assert.match(await alert.innerText(), /line 2/);
  await axe(page);
  const text = await readFile(new URL("../assets/scenarios/pcp-free.json", import.meta.url), "utf8");
  await input.setInputFiles(json("mine.json", text));
  await wait(view, "mmscope:ready");
  await press(view, "ArrowRight");
  await page.locator("button.pick.sc").click();
  assert.match(await page.locator("label.choice:has(:checked)").innerText(), /your file/);
  await page.keyboard.press("Escape");
  await page.goBack();
  await title(page).waitFor();
  // Once more, with the explorer there.
  await stepAfter(view, () => input.setInputFiles(json("mine.json", text)));
  assert.equal(await title(page).count(), 0);
});

const sizes = { ...SIZES, small: { width: 320, height: 640 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(sizes)) {
    pageTest(`nothing grave and nothing cut, ${name}, ${colorScheme}`, { ...START, viewport, colorScheme }, async ({ page }) => {
      await axe(page);
      const across = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(across, 0, "nothing to the right");
      const small = await page.locator("#start a, #start label.btn").evaluateAll((all) => all
        .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
        .filter(({ height }) => height && height < 24));
      assert.deepEqual(small, [], "targets are 24 px high at least");
    });
  }
}

pageTest("it is in one screen", START, async ({ page }) => {
  const box = await page.locator(".five").boundingBox();
  assert.ok(box.y + box.height <= SIZES.desktop.height, `the five end at ${box.y + box.height}`);
});

pageTest("an embedded page has no start page", { path: "?embed=1" }, async ({ page }) => {
  assert.equal(await title(page).count(), 0);
  assert.ok(await page.locator(".side.old .stage").first().isVisible());
});

for (const [name, viewport] of Object.entries(SIZES)) {
  pageTest(`on paper: the moment without its controls, ${name}`, { viewport, colorScheme: "dark" }, async (view) => {
    const { page } = view;
    await press(view, "4");
    await page.emulateMedia({ media: "print" });
    for (const gone of [".transport", ".acts", ".nav >> nth=0"]) assert.ok(await page.locator(gone).isHidden(), gone);
    const boxes = await Promise.all([".side.old", ".ledger", ".side.new"].map((one) => page.locator(one).boundingBox()));
    assert.ok(boxes[0].x < boxes[1].x && boxes[1].x < boxes[2].x, "old, ledger, new from left to right");
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  });
}
