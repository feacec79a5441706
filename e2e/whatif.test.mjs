// What if: parameters that are changed while one looks, the CPU that goes next, forks, and the way back.
import assert from "node:assert/strict";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { at, button, press, stepAfter } from "./page.mjs";

useBrowser();

const strip = (page) => page.getByRole("region", { name: "What if" });
const said = (page) => strip(page).locator(".wi-said").innerText();
const hash = (page) => page.evaluate(() => location.hash);
const TWO = "#v1/munlock-two-cpus/0/6?pages=56&step=60,40";

// Goes on by the Tab key until this has the focus, as somebody without a mouse does.
async function tabTo(page, target) {
  for (let presses = 0; presses < 120; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the Tab key does not come to ${target}`);
}

async function enter(view, target) {
  await tabTo(view.page, target);
  return stepAfter(view, () => view.page.keyboard.press("Enter"));
}

// The address is written a moment after the step.
async function settled(view) {
  await view.page.waitForTimeout(450);
  return hash(view.page);
}

// Focus comes in the next frame.
const focusOn = (page, id) => page.waitForFunction((id) => document.activeElement.id === id, id);

// The other CPU that could go on, on one side: its button.
const other = (page, side, wish) =>
  strip(page).locator(`.wi-tasks li:not(.next) [data-do=${wish}][data-side=${side}][aria-disabled=false]`).first();

pageTest("a parameter is changed and the picture follows, by keyboard", {}, async (view) => {
  const { page } = view;
  await press(view, "4");
  const before = await settled(view);
  const milestone = await page.locator(".mile strong").innerText();
  await page.keyboard.press("f");
  await focusOn(page, "what-if");
  await enter(view, button(page, "more pages"));
  assert.match(await said(page), /pages 56 → 57\. old: all atomics 837 → \d+.*new: all atomics 512 → \d+/);
  assert.equal((await page.locator(".mile strong").innerText()).split(" of")[0], milestone.split(" of")[0]);
  await page.waitForURL(/pages=57/);
  // Quick changes are one.
  await stepAfter(view, () => page.evaluate(() => {
    for (let i = 0; i < 5; i++) document.querySelector('[aria-label="more pages"]').click();
  }));
  await page.waitForURL(/pages=62/);
  assert.match(await said(page), /pages 57 → 62/);
  await stepAfter(view, () => page.keyboard.press("Control+z"));
  await page.waitForURL(/pages=57/);
  assert.equal(await page.locator("#wi-pages").inputValue(), "57");
  await stepAfter(view, () => page.keyboard.press("Control+z"));
  assert.equal(await settled(view), before);
  assert.match(await said(page), /Undone: pages 56 → 57/);
  await stepAfter(view, () => page.keyboard.press("Control+Shift+z"));
  await page.waitForURL(/pages=57/);
  await page.keyboard.press("Escape");
  assert.equal(await strip(page).count(), 0);
  await focusOn(page, "what-if-open");
});

pageTest("a value that does not fit is refused beside its field", {}, async (view) => {
  const { page } = view;
  await press(view, "4");
  const before = await settled(view);
  await page.keyboard.press("f");
  await page.locator("#wi-pages").fill("0");
  const wrong = page.locator("#wi-wrong-pages");
  await wrong.filter({ hasText: "expected a number from 1" }).waitFor();
  assert.equal(await page.locator("#wi-pages").getAttribute("aria-invalid"), "true");
  assert.equal(await settled(view), before);
  await page.locator("#wi-pages").fill("56");
  await wrong.filter({ hasText: "✗" }).waitFor({ state: "detached" });
});

pageTest("a run that would be too long says so", {
  path: "#v1/madvise-free/free/free-swap?processes=12&pages=64&ram=768&swap=2048&loops=5&skew=64",
}, async (view) => {
  const { page } = view;
  await page.keyboard.press("f");
  await page.locator("#wi-ram").fill("16");
  await page.locator("#wi-wrong-ram").filter({ hasText: /more than 400000 steps/ }).waitFor({ timeout: 90_000 });
  await page.locator("#wi-ram").fill("768");
  await page.locator("#wi-wrong-ram").filter({ hasText: "✗" }).waitFor({ state: "detached" });
});

pageTest("one CPU has no choice, and the strip says where there is one", {}, async (view) => {
  const { page } = view;
  await page.keyboard.press("f");
  assert.match(await strip(page).locator(".wi-side").first().innerText(), /Only one CPU has work/);
  await enter(view, strip(page).getByRole("button", { name: "munlock-two-cpus" }).first());
  await page.waitForURL(/#v1\/munlock-two-cpus\//);
  assert.equal(await strip(page).locator(".wi-side").first().locator(".wi-tasks li").count(), 2);
});

// The icon may still be on its way when the page is loaded again.
pageTest("a fork: made, named, put beside, deleted, and all of it undone, by keyboard", {
  path: TWO, allow: [/favicon.*ERR_ABORTED/],
}, async (view) => {
  const { page } = view;
  await page.keyboard.press("f");
  const made = await enter(view, other(page, "old", "step"));
  assert.deepEqual(at(made), [61, 40], "this side goes on, the other stays");
  assert.match(await settled(view), /schedule-old=choices:[0-9.,x]+\+scenario&branch=old,fork%20at%20step%2060&step=61,40$/);
  assert.equal(await page.locator(".side.old .fork-tag").innerText(), "fork at step 60");
  assert.match(await said(page), /CPU \d made 1 step, from 60 to 61\. fork at step 60: left at step 60/);

  // More choices are made in the same fork.
  await enter(view, strip(page).locator("[data-do=unlock][data-side=old][aria-disabled=false]").first());
  assert.equal(await strip(page).locator(".wi-forks").first().locator("li").count(), 2);

  await tabTo(page, button(page, "Rename fork at step 60, old"));
  await page.keyboard.press("Enter");
  await page.locator("#fork-name").waitFor();
  await focusOn(page, "fork-name");
  await page.keyboard.type("what if & why? 50 %");
  await page.keyboard.press("Enter");
  await page.waitForURL(/branch=old,what%20if%20%26%20why%3F%2050%20%25/);
  const named = await settled(view);

  // The link alone brings it back, with its name.
  const before = view.events.length;
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".stepno"));
  await view.waitFor("mmscope:ready", (detail) => view.events.findIndex((event) => event.detail === detail) >= before);
  assert.equal(await hash(page), named);
  assert.equal(await page.locator(".side.old .fork-tag").innerText(), "what if & why? 50 %");
  await page.keyboard.press("f");
  assert.match(await strip(page).locator(".wi-forks li").nth(1).innerText(), /left at step 60/);

  await enter(view, button(page, "Put the original beside what if & why? 50 %, old"));
  await page.waitForURL(/#v1\/munlock-two-cpus\/0\/0\?/);
  const beside = await settled(view);
  await enter(view, button(page, "Delete what if & why? 50 %, old"));
  const deleted = await settled(view);
  assert.ok(!deleted.includes("branch="), deleted);
  assert.equal(await page.locator(".side.old .fork-tag").isVisible(), false);

  for (const link of [beside, named]) {
    await stepAfter(view, () => page.keyboard.press("Control+z"));
    assert.equal(await settled(view), link);
  }
  assert.equal(await button(page, "Undo: nothing").getAttribute("aria-disabled"), "true");
  for (const link of [beside, deleted]) {
    await stepAfter(view, () => page.keyboard.press("Control+Shift+z"));
    assert.equal(await settled(view), link);
  }
});

pageTest("undo goes back through every fork to the first link", { path: TWO }, async (view) => {
  const { page } = view;
  const links = [await settled(view)];
  await page.keyboard.press("f");
  for (const side of ["old", "new", "old"]) {
    await stepAfter(view, () => other(page, side, "step").click());
    links.push(await settled(view));
  }
  for (const link of links.toReversed().slice(1)) {
    await stepAfter(view, () => page.keyboard.press("Control+z"));
    assert.equal(await settled(view), link);
  }
  assert.equal(await page.locator(".wi-forks:visible").count(), 0);
});

pageTest("one step of the other CPU, and the run ends in a deadlock", {
  path: "#v1/munlock-truncate/6/6?pages=14&schedule=turns&step=25,0",
}, async (view) => {
  const { page } = view;
  const first = await settled(view);
  assert.equal(await page.locator(".banner.note").count(), 0, "by turns all goes well");
  await page.keyboard.press("f");
  await enter(view, other(page, "old", "step"));
  assert.match(await said(page), /fork at step 25: left at step 25, CPU 1 went on; ✗ deadlock at step \d+/);
  assert.match(await page.locator(".banner.note").innerText(), /✗ deadlock/);
  assert.match(await strip(page).locator(".wi-forks li").nth(1).innerText(), /✗ deadlock at step \d+/);
  assert.match(await settled(view), /\+turns&branch=old,/);
  const there = await enter(view, button(page, /^to ✗: go to step \d+, where deadlock ends/));
  assert.ok(there.old.step === there.old.steps);
  await stepAfter(view, () => page.keyboard.press("Control+z"));
  assert.equal(await settled(view), first);
  assert.equal(await page.locator(".banner.note").count(), 0);
});

pageTest("a fork that does not fit is refused in the link's place", {
  path: "#v1/munlock-two-cpus/0/6?schedule-old=choices:9%2Bscenario&branch=old,x",
}, async ({ page }) => {
  assert.match(await page.locator(".banner.bad").innerText(), /decision 1 is CPU 9/);
});

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [SIZES.desktop, SIZES.tablet, SIZES.phone]) {
    pageTest(`nothing is grave: ${colorScheme}, ${viewport.width}`, { path: TWO, colorScheme, viewport }, async (view) => {
      const { page } = view;
      await page.keyboard.press("f");
      await stepAfter(view, () => other(page, "old", "blocked").click());
      await axe(page);
      const small = await strip(page).locator("button:visible").evaluateAll((all) =>
        all.filter((one) => { const box = one.getBoundingClientRect(); return box.height < 24 || box.width < 24; }).length);
      assert.equal(small, 0, "every target is 24 px or more");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(wide, false, "nothing is wider than the page");
    });
  }
}
