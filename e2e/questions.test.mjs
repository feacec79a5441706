// Questions: who touched it, run to, breakpoints, search. By role and name, as much as possible by keyboard alone.
import assert from "node:assert/strict";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { at, button, press, stepAfter, tile } from "./page.mjs";

useBrowser();

const box = (page) => page.getByRole("combobox", { name: "Name, condition, step or words" });
const dialog = (page) => page.getByRole("dialog", { name: "Find or run to" });
const sheet = (page, what, side) => page.getByRole("dialog", { name: `${what}, ${side}` });
const thing = (page, side, subject) => page.locator(`.side.${side} [data-subject="${subject}"]`).first();

// Opens the box by its key and types.
async function ask(page, text) {
  await page.keyboard.press("/");
  await box(page).waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "askbox");
  await page.keyboard.type(text);
}

pageTest("run to a condition by keyboard, forwards and backwards", {}, async (view) => {
  const { page } = view;
  const once = async (key) => {
    await ask(page, "lru_lock taken");
    return at(await press(view, key));
  };
  const first = await once("Enter");
  assert.equal(await dialog(page).isVisible(), false, "the picture is in sight");
  const [old] = first;
  assert.match(await page.locator(".side.old .say").innerText(), /lru_lock/);
  const second = await once("Enter");
  assert.ok(second[0] > old);
  assert.deepEqual(await once("Shift+Enter"), first);
  await ask(page, "lru_lock taken");
  await page.keyboard.press("Shift+Enter");
  assert.match(await dialog(page).getByRole("status").innerText(), /does not come before this step on either side/);
});

pageTest("every form of condition is run to", {}, async (view) => {
  const { page } = view;
  for (const text of ["page 17 enters inactive_anon", "page 20 Mlocked clear", "NR_MLOCK = 20", "fn lru_add_drain", "milestone page 40", "differ"]) {
    await ask(page, text);
    await press(view, "Enter");
    await page.waitForFunction((text) => document.querySelector(".stopped:not([hidden])")?.textContent.includes(text.split(" ").at(-1)), text);
  }
  await ask(page, "lru_lok taken");
  await page.keyboard.press("Enter");
  assert.match(await dialog(page).getByRole("status").innerText(), /unknown name `lru_lok`; did you mean `lru_lock`/);
});

pageTest("the side chosen is the one that is searched", {}, async (view) => {
  const { page } = view;
  await ask(page, "lru_lock taken");
  await dialog(page).getByRole("radio", { name: "new" }).check();
  await box(page).focus();
  const place = await press(view, "Enter");
  assert.match(await page.locator(".side.new .say").innerText(), /lru_lock/);
  assert.ok(place.old.step > place.new.step || place.old.step > 0);
});

pageTest("search finds pages, locks, lists, counters, functions and steps, with counts", {}, async (view) => {
  const { page } = view;
  await ask(page, "17");
  const group = (name) => dialog(page).getByRole("group", { name });
  assert.match(await group("Pages").getByRole("option").first().innerText(), /page 17/);
  assert.match(await group("Steps").innerText(), /old step 17/);
  for (const [text, name, hit] of [["lru_lock", "Locks", /old \d+×, new \d+×/], ["inactive", "Lists", /inactive anon list/],
    ["NR_ML", "Counters", /NR_MLOCK/], ["drain", "Functions", /lru_add_drain/], ["unevictable", "Steps", /of \d+/]]) {
    await box(page).fill(text);
    await group(name).getByText(hit).first().waitFor();
  }
  // By the arrow keys to a hit that is looked at.
  await box(page).fill("lru_add_drain");
  while (!(await page.locator(".hit.marked").innerText()).includes("()")) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await sheet(page, "lru_add_drain()", "old").waitFor();
  assert.match(await sheet(page, "lru_add_drain()", "new").innerText(), /called/);
  await ask(page, "step 100");
  await page.locator(".hit.marked").getByText("old step 100").waitFor();
  assert.equal(at(await press(view, "Enter"))[0], 100);
});

pageTest("a page shows both sides, its last writer and its whole life", {}, async (view) => {
  const { page } = view;
  await press(view, "5");
  await tile(page, "old", 17).click();
  for (const side of ["old", "new"]) {
    const text = await sheet(page, "page 17", side).innerText();
    assert.match(text, /touched by \d+ steps/);
    assert.match(text, /last writer: step \d+, \w+/);
    assert.match(text, /_count/);
  }
  const before = (await press(view, "w")).old.step;
  assert.equal(await page.locator(".side.old .biography [aria-current=step] button").getAttribute("data-step"), String(before));
  assert.ok((await press(view, "w")).old.step < before, "again: the writer before");
  await stepAfter(view, () => sheet(page, "page 17", "new").getByRole("button", { name: "next step that touches it" }).click());
  await page.waitForURL(/look=old,page:17/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".inspect:not([hidden])").count(), 0);
});

pageTest("locks, lists, PTEs and counts are looked at by mouse", {}, async (view) => {
  const { page } = view;
  await press(view, "5");
  for (const [subject, words, says] of [["lock:lru_lock/0", "lru_lock 0", /taken[\s\S]*× so far/],
    ["list:unevictable", "unevictable list", /tail first/], ["list:lru_add/0", "lru_add pagevec of CPU 0", /in order/],
    ["pte:0/3", "PTE 3", /maps\s+page 3/]]) {
    await thing(page, "old", subject).click();
    assert.match(await sheet(page, words, "old").innerText(), says, subject);
    assert.match(await sheet(page, words, "new").innerText(), says, subject);
    await sheet(page, words, "old").getByRole("button", { name: "Close" }).click();
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("data-subject")), subject, "the focus is back");
  }
  await page.locator(".ledger .rowname").first().click();
  assert.match(await sheet(page, "total", "old").innerText(), /at the end\s+837/);
});

pageTest("the parts of a drawing go by keyboard", {}, async (view) => {
  const { page } = view;
  await page.locator('.side.old .thing[tabindex="0"]').focus();
  const subject = () => page.evaluate(() => document.activeElement.getAttribute("data-subject"));
  await page.keyboard.press("ArrowRight");
  const second = await subject();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await subject(), second);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await subject(), second);
  assert.equal(await page.locator('.side.old .thing[tabindex="0"]').count(), 1, "one stop of the Tab key");
  await page.keyboard.press("Enter");
  await page.locator(".side.old .inspect").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await subject(), second, "the focus is back");
  assert.equal(view.events.at(-1).type, "mmscope:ready", "the arrows have not stepped");
});

pageTest("breakpoints stop playing and Next page, say so, and stay in the link", {}, async (view) => {
  const { page } = view;
  await ask(page, "page 3 enters inactive_anon");
  await page.keyboard.press("ArrowDown");
  while (!(await page.locator(".hit.marked").innerText()).includes("stop whenever")) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const list = page.getByRole("region", { name: "Breakpoints" });
  const on = list.getByRole("switch", { name: "page 3 enters inactive_anon" });
  assert.equal(await on.getAttribute("aria-checked"), "true");
  await page.keyboard.press("Escape");
  await page.waitForURL(/break=page\+3\+enters\+inactive_anon/);
  let place;
  for (let i = 0; i < 12; i++) {
    place = await press(view, "Shift+ArrowRight");
    if (await page.locator(".stopped:not([hidden])").count()) break;
  }
  assert.match(await page.locator(".stopped").innerText(), /Stopped at page 3 enters inactive_anon, (old|new) step \d+/);
  assert.match(await page.locator("[role=status][aria-live=polite]").last().innerText(), /Stopped at page 3/);

  // Playing comes to the same place.
  await press(view, "Home");
  await page.getByLabel("speed").selectOption("240");
  await page.keyboard.press("Space");
  await page.locator(".stopped", { hasText: "Stopped at" }).waitFor();
  assert.ok(await button(page, "Play").isVisible());
  assert.deepEqual(at(view.events.at(-1).detail), at(place));

  // Through a reload by link; switched off, it stops nothing.
  await page.waitForURL(/step=/);
  await page.reload();
  await page.locator(".stepno").first().waitFor();
  await page.keyboard.press("/");
  await box(page).waitFor();
  assert.equal(await on.getAttribute("aria-checked"), "true");
  await on.focus();
  await page.keyboard.press("Space");
  assert.equal(await on.getAttribute("aria-checked"), "false");
  await page.keyboard.press("Escape");
  await page.waitForURL(/break=off:page\+3/);
  await press(view, "Home");
  for (let i = 0; i < 6; i++) await press(view, "Shift+ArrowRight");
  assert.equal(await page.locator(".stopped:not([hidden])").count(), 0);
  await page.keyboard.press("/");
  await list.getByRole("button", { name: "Remove page 3 enters inactive_anon" }).click();
  assert.equal(await on.count(), 0);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !location.hash.includes("break="));
});

const LINK = "#v1/munlock/0/6?pages=56&step=300,150&look=new,lock:lru_lock&break=lru_lock+taken&break=lru_lok+taken&break=off:differ";
pageTest("what a link asks that is unknown is named, and the rest kept", { path: LINK }, async ({ page, events }) => {
  assert.deepEqual(at(events[0].detail), [300, 150]);
  assert.match(await page.locator(".banner.bad").innerText(), /break=`lru_lok taken`: .*did you mean `lru_lock`/);
  await sheet(page, "lru_lock", "new").waitFor();
  await page.keyboard.press("/");
  const list = page.getByRole("region", { name: "Breakpoints" });
  assert.equal(await list.getByRole("switch").count(), 3);
  assert.equal(await list.getByRole("switch", { name: "differ" }).getAttribute("aria-checked"), "false");
});

pageTest("stop here, from what is looked at", { path: "#v1/munlock/0/6?pages=56&look=old,fn:lru_add_drain" }, async (view) => {
  const { page } = view;
  await sheet(page, "lru_add_drain()", "old").getByRole("button", { name: "stop here" }).click();
  await page.waitForURL(/break=fn\+lru_add_drain/);
  for (let i = 0; i < 5 && !(await page.locator(".stopped:not([hidden])").count()); i++) await press(view, "Shift+ArrowRight");
  assert.match(await page.locator(".stopped").innerText(), /Stopped at fn lru_add_drain/);
});

for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    const path = "#v1/munlock/0/6?pages=56&step=647,311&look=old,page:17&break=lru_lock+taken&break=nonsense";
    pageTest(`nothing is in a reader's way: ${name}, ${colorScheme}`, { path, colorScheme, viewport }, async ({ page }) => {
      await axe(page);
      await page.keyboard.press("/");
      await box(page).waitFor();
      await box(page).fill("lru");
      await page.locator(".hit").first().waitFor();
      await axe(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
    });
  }
}
