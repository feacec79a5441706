// What is shown: variants, scenarios, parameters, and the address that keeps them.
import assert from "node:assert/strict";
import { pageTest, useBrowser } from "./harness.mjs";
import { at, button, press, stepAfter } from "./page.mjs";

useBrowser();

const side = (page, name) => page.getByRole("button", { name: new RegExp(`^${name}: `) });

pageTest("another kernel on one side", {}, async (view) => {
  const { page } = view;
  await press(view, "3");
  await side(page, "new").click();
  const menu = page.getByRole("menu");
  assert.ok((await menu.getByRole("menuitemradio").count()) >= 10);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-checked")), "true");
  await stepAfter(view, () => menu.getByRole("menuitemradio", { name: /^v4\.12/ }).click());
  assert.equal(await side(page, "new").innerText(), "new: v4.12");
  await page.waitForURL(/#v1\/munlock\/0\/fixed\?/);
  assert.match(await page.locator(".mile em").innerText(), /both at/);
});

pageTest("the menu of kernels goes by keyboard", {}, async ({ page }) => {
  await side(page, "old").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("menu").count(), 0);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await side(page, "old").innerText(), "old: + patch 1");
});

pageTest("another scenario, with other parameters", {}, async (view) => {
  const { page } = view;
  await button(page, "scenario munlock, 56 pages").click();
  const dialog = page.getByRole("dialog", { name: "Scenario" });
  await dialog.getByLabel(/^pages /).fill("28");
  await stepAfter(view, () => dialog.getByRole("button", { name: "Show" }).click());
  assert.equal(await dialog.isVisible(), false);
  await page.waitForURL(/pages=28/);
  assert.equal(await page.locator(".side.old .tile:not(.ref)").count(), 28);
  await button(page, "scenario munlock, 28 pages").click();
  await dialog.getByRole("radio", { name: /munlock-reclaim/ }).check();
  const changed = await stepAfter(view, () => dialog.getByRole("button", { name: "Show" }).click());
  assert.deepEqual(at(changed), [0, 0]);
  await page.waitForURL(/#v1\/munlock-reclaim\//);
});

pageTest("a parameter that does not fit is refused in its place", {}, async ({ page }) => {
  await button(page, "scenario munlock, 56 pages").click();
  const dialog = page.getByRole("dialog", { name: "Scenario" });
  await dialog.getByLabel(/^pages /).fill("0");
  await dialog.getByRole("button", { name: "Show" }).click();
  assert.match(await dialog.getByRole("alert").filter({ hasText: "✗" }).innerText(), /pages.*`0`.*expected/);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.ok(await button(page, "scenario munlock, 56 pages").isVisible());
});

// The icon may still be on its way when the page is loaded again.
pageTest("the address keeps the place", { allow: [/favicon.*ERR_ABORTED/] }, async (view) => {
  const { page } = view;
  const place = at(await press(view, "4"));
  await page.waitForURL(new RegExp(`#v1/munlock/0/6\\?pages=56&step=${place.join(",")}$`));
  const before = view.events.length;
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".stepno"));
  const ready = await view.waitFor("mmscope:ready", (detail) => view.events.findIndex((event) => event.detail === detail) >= before);
  assert.deepEqual(at(ready), place);
});

pageTest("a link to a moment", { path: "#v1/munlock/5/5-v2?pages=42&step=120,130&look=new,page:3" }, async ({ page, events }) => {
  assert.deepEqual(at(events[0].detail), [120, 130]);
  assert.equal(await side(page, "old").innerText(), "old: + patches 1–5");
  assert.ok(await page.getByRole("dialog", { name: "page 3, new" }).isVisible());
});

pageTest("another link in the address is followed", {}, async (view) => {
  const { page } = view;
  await stepAfter(view, () => page.evaluate(() => { location.hash = "#v1/munlock/3/fixed?pages=30&step=50,60"; }));
  await view.waitFor("mmscope:step", (detail) => detail.old.step === 50 && detail.new.step === 60);
  assert.equal(await side(page, "new").innerText(), "new: v4.12");
});

const bad = {
  "#nonsense": /`nonsense` could not be read; expected v1\/SCENARIO\/OLD\/NEW/,
  "#v1/munlok/0/6": /unknown scenario `munlok`; did you mean `munlock`/,
  "#v1/munlock/0/seven": /unknown variant `seven`/,
  "#v1/munlock/0/6?pages=0": /parameter `pages` is `0`; expected a number from 1/,
  "#v1/munlock/0/6?pages=60000": /parameter `pages` is `60000`; expected 8192 pages at most/,
  "#v1/munlock/0/6?pagse=5": /unknown parameter `pagse`; did you mean `pages`/,
  "#v1/munlock/0/6?step=seven": /`step=seven` could not be read; expected step=OLD,NEW/,
  "#v1/munlock-two-cpus/0/6?schedule=choices:9": /CPU 9/,
};
for (const [path, message] of Object.entries(bad)) {
  pageTest(`a link that is wrong: ${path}`, { path }, async (view) => {
    const { page } = view;
    assert.match(await page.locator(".banner.bad").innerText(), message);
    assert.ok(await button(page, "scenario munlock, 56 pages").isVisible(), "the page shows what it opens on");
    assert.equal(new URL(page.url()).hash, path, "the address is as it was");
    await press(view, "ArrowRight");
    await page.waitForURL(/#v1\/munlock\/0\/6\?pages=56&step=1,1/);
    await button(page, "Dismiss").click();
    assert.equal(await page.locator(".banner.bad").count(), 0);
  });
}

pageTest("a wrong link keeps what is shown", {}, async (view) => {
  const { page } = view;
  const place = at(await press(view, "4"));
  await page.evaluate(() => { location.hash = "#v1/munlock/0/eleven"; });
  await view.waitFor("mmscope:error").catch(() => {});
  await page.locator(".banner.bad").waitFor();
  assert.match(await page.locator(".banner.bad").innerText(), /unknown variant `eleven`/);
  const next = at(await press(view, "ArrowLeft"));
  assert.ok(next[0] <= place[0] && next[0] >= place[0] - 1, `${place} to ${next}`);
});
