// Large runs open without a wait, runs that are too long are told of, and the scenario dialog says what is wrong with a
// file where it is seen.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { stepAfter } from "./page.mjs";

useBrowser();

const LARGE = "#v1/pcp-free/v4.15/pick-outside?cpus=2&touch=100&pages=8192&rounds=3";
pageTest("45 000 steps a side are shown", { path: LARGE }, async (view) => {
  await stepAfter(view, () => view.page.keyboard.press("End"));
  assert.match(await view.page.locator(".stepno").first().innerText(), /44.?879 of 44.?879/);
});

pageTest("a run that is too long is told of, with what shows it", { path: "#v1/madvise-free/free/free-swap?ram=16" }, async ({ page }) => {
  const alert = await page.getByRole("alert").innerText();
  assert.match(alert, /more than 400000 steps/);
  assert.match(alert, /mmscope run madvise-free --bulk/);
});

const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });

async function openDialog(page) {
  await page.locator("button.pick.sc").click();
  return page.getByRole("dialog", { name: "Scenario" });
}

for (const size of ["desktop", "phone"]) {
  pageTest(`what is wrong with a file is seen, ${size}`, { viewport: SIZES[size] }, async ({ page }) => {
    const dialog = await openDialog(page);
    const input = dialog.getByLabel(/^file /);
    await input.setInputFiles(file("mine.json", '{\n  "nmae": "x"\n}'));
    const wrong = dialog.getByText(/mine\.json: line 2/);
    await wrong.waitFor();
    const box = await wrong.boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= page.viewportSize().height, `in sight, not at ${box.y}`);
    assert.ok(await input.evaluate((element) => document.activeElement === element), "the input has the focus");
    assert.equal(await input.getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator(".banner").count(), 0, "no banner behind the dialog");
    await axe(page);
    await dialog.locator("input[name=scenario]:not(:checked)").first().check();
    await wrong.waitFor({ state: "detached" });
  });
}

pageTest("the dialog shows the file that is shown", {}, async (view) => {
  const text = await readFile(new URL("../assets/scenarios/munlock.json", import.meta.url), "utf8");
  let dialog = await openDialog(view.page);
  await stepAfter(view, () => dialog.getByLabel(/^file /).setInputFiles(file("mine.json", text)));
  dialog = await openDialog(view.page);
  const chosen = dialog.locator("label.choice:has(:checked)");
  assert.equal(await chosen.count(), 1);
  assert.match(await chosen.innerText(), /your file/);
});
