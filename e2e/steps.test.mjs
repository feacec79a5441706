// Stepping: by the buttons, by the keyboard, by the scrubber; both sides together.
import assert from "node:assert/strict";
import { pageTest, useBrowser } from "./harness.mjs";
import { at, button, press, sameMilestone, scrubber, stepAfter } from "./page.mjs";

useBrowser();

pageTest("the page opens on munlock of 56 pages, old beside new", {}, async ({ page }) => {
  const names = await page.getByRole("heading", { level: 2 }).allInnerTexts();
  assert.deepEqual(names.map((name) => name.trim()), ["old: v3.11-rc3", "new: + patches 1–6"]);
  assert.ok(await page.getByRole("button", { name: "scenario munlock, 56 pages" }).isVisible());
  assert.match(await page.title(), /munlock of 56 pages, old v3\.11-rc3 beside new \+ patches 1–6/);
  for (const side of ["old", "new"]) {
    assert.equal(await page.locator(`.side.${side} .tile:not(.ref)`).count(), 56, "one tile for each page");
  }
});

pageTest("Step and Back", {}, async (view) => {
  assert.deepEqual(at(view.events[0].detail), [0, 0]);
  const one = await stepAfter(view, () => button(view.page, "Step").click());
  assert.deepEqual(at(one), [1, 1]);
  assert.match(await view.page.locator(".side.old .stepno").innerText(), /^step 1 of \d/);
  const none = await stepAfter(view, () => button(view.page, "Back").click());
  assert.deepEqual(at(none), [0, 0]);
});

pageTest("Restart, Step over and Next page", {}, async (view) => {
  const { page } = view;
  for (let i = 0; i < 4; i++) await stepAfter(view, () => button(page, "Next page").click());
  assert.match(await page.locator(".mile").innerText(), /both at\s+page 3 of 56/);
  const [before] = at(await press(view, "ArrowRight"));
  let over;
  for (let i = 0; i < 10; i++) [over] = at(await stepAfter(view, () => button(page, "Step over").click()));
  assert.ok(over > before + 10, `calls are stepped over: ${before} to ${over}`);
  assert.deepEqual(at(await stepAfter(view, () => button(page, "Restart").click())), [0, 0]);
});

pageTest("a step always moves a side, and Back is its inverse", {}, async (view) => {
  const places = [[0, 0]];
  for (let i = 0; i < 90; i++) {
    const place = at(await press(view, "ArrowRight"));
    const last = places.at(-1);
    const moved = [place[0] - last[0], place[1] - last[1]];
    assert.ok(moved.includes(1) && moved.every((by) => by === 0 || by === 1), `${last} to ${place}`);
    places.push(place);
  }
  assert.ok(places.some((place, i) => i && place[1] === places[i - 1][1]), "the side with less to do waits");
  for (let i = places.length - 2; i >= 0; i--) assert.deepEqual(at(await press(view, "ArrowLeft")), places[i]);
});

pageTest("both sides come to the same milestones", {}, async (view) => {
  const { page } = view;
  await press(view, "5");
  for (let i = 0; i < 20; i++) {
    await press(view, "Shift+ArrowRight");
    assert.match(await page.locator(".mile em").innerText(), /^both at$/);
  }
  const pages = await sameMilestone(page);
  assert.equal(pages[0], pages[1]);
});

pageTest("without a link the active side moves alone", {}, async (view) => {
  const { page } = view;
  await page.getByLabel("link by").selectOption("off");
  assert.deepEqual(at(await press(view, "ArrowRight")), [1, 0]);
  await page.locator(".side.new .say").click();
  assert.deepEqual(at(await press(view, "ArrowRight")), [1, 1]);
  assert.deepEqual(at(await press(view, "ArrowRight")), [1, 2]);
  await page.getByLabel("link by").selectOption("step");
  assert.deepEqual(at(await press(view, "ArrowRight")), [2, 3]);
});

pageTest("playing, and stopping it", {}, async (view) => {
  const { page } = view;
  await page.getByLabel("speed").selectOption("30");
  await page.keyboard.press("Space");
  assert.ok(await button(page, "Pause").isVisible());
  await view.waitFor("mmscope:step", (detail) => detail.old.step >= 12);
  await page.keyboard.press("Space");
  assert.ok(await button(page, "Play").isVisible());
  const stopped = at(await press(view, "ArrowLeft"));
  await page.waitForTimeout(300);
  assert.deepEqual(at(view.events.at(-1).detail), stopped);
});

pageTest("a run that has ended plays from its start", {}, async (view) => {
  const { page } = view;
  const end = await press(view, "End");
  assert.deepEqual(at(end), [end.old.steps, end.new.steps]);
  assert.equal(await button(page, "Step").getAttribute("aria-disabled"), "true");
  await page.getByLabel("speed").selectOption("30");
  await page.keyboard.press("Space");
  await view.waitFor("mmscope:step", (detail) => detail.old.step === 3);
  await page.keyboard.press("Escape");
  assert.ok(await button(page, "Play").isVisible());
});

pageTest("the scrubber is a slider for the keyboard", {}, async (view) => {
  const slider = scrubber(view.page);
  const value = async () => Number(await slider.getAttribute("aria-valuenow"));
  await slider.focus();
  assert.equal(await value(), 0);
  await press(view, "End");
  assert.equal(String(await value()), await slider.getAttribute("aria-valuemax"));
  await press(view, "Home");
  await press(view, "PageUp");
  assert.equal(await value(), 10);
  await press(view, "ArrowRight");
  assert.equal(await value(), 11);
  await press(view, "PageDown");
  assert.equal(await value(), 1);
  await press(view, "ArrowLeft");
  assert.equal(await value(), 0);
  await press(view, "5");
  assert.match(await slider.getAttribute("aria-valuetext"), /old: step [\d\u202f]+ of [\d\u202f]+: \w+ on CPU 0; new: step/);
});

pageTest("the scrubber follows the pointer, on each side's clock", {}, async (view) => {
  const { page } = view;
  const box = await scrubber(page).locator("svg").boundingBox();
  const x = (part) => box.x + box.width * part;
  const [upper, lower] = [box.y + box.height * 0.25, box.y + box.height * 0.85];
  // The lanes begin at 122 of 1408 px and end at 1398; both sides have the scale of the longer run.
  const step = (part, { old }) => ((part * 1408 - 122) / (1398 - 122)) * old.steps;
  const first = await stepAfter(view, () => page.mouse.click(x(0.5), upper));
  assert.ok(Math.abs(first.old.step - step(0.5, first)) < 2, JSON.stringify(first));
  const second = await stepAfter(view, () => page.mouse.click(x(0.3), lower));
  assert.ok(Math.abs(second.new.step - step(0.3, second)) < 2, JSON.stringify(second));
  await page.mouse.move(x(0.3), upper);
  await page.mouse.down();
  await page.mouse.move(x(0.6), upper, { steps: 5 });
  const dragged = await stepAfter(view, () => page.mouse.move(x(0.8), lower));
  await page.mouse.up();
  assert.ok(dragged.old.step / dragged.old.steps > 0.7, "a drag stays on the clock that it began on");
});

pageTest("each step is told, in the page and to assistive technology", {}, async (view) => {
  const { page } = view;
  await press(view, "5");
  const said = page.locator("[role=status][aria-live=polite]").last();
  assert.match(await said.innerText(), /old, step \d+: CPU 0 .+\. new, step \d+: CPU 0 .+\./);
  assert.match(await page.locator(".side.old .say").innerText(), /^CPU 0 /);
  assert.equal(await page.locator(".side.old .code [aria-current=step]").count(), 1, "one line runs");
});

pageTest("what a step adds to the counts is marked", {}, async (view) => {
  const { page } = view;
  for (let i = 0; i < 80; i++) {
    await press(view, "ArrowRight");
    if (await page.locator(".ho sup").count()) break;
  }
  assert.equal(await page.locator(".ho sup").first().innerText(), "+1");
  assert.ok((await page.locator(".tab .chg").count()) >= 2, "the total and a word");
});
