// Modelled times and published figures, in the dialog of evidence.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";

useBrowser();

async function tab(page, name) {
  await page.getByRole("button", { name: "Evidence" }).click();
  const dialog = page.getByRole("dialog", { name: "Evidence" });
  await dialog.getByRole("tab", { name }).click();
  return dialog;
}

// Old, new, difference of a row of the sums, as they are written.
const cells = (dialog, row) => dialog.getByRole("region", { name: /^Times of the whole run/ })
  .getByRole("row", { name: new RegExp(`^${row}`) }).getByRole("cell").allInnerTexts();

const elapsed = async (dialog) => (await cells(dialog, "elapsed")).slice(0, 2).map((text) => Number(text.replace(/\s/g, "")));

// Waits until `read` gives something else than `before`.
async function changed(read, before) {
  for (let i = 0; i < 100; i++) {
    const now = await read();
    if (JSON.stringify(now) !== JSON.stringify(before)) return now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`stays ${JSON.stringify(before)}`);
}

async function edit(dialog) {
  await dialog.getByText("Edit the profile").click();
  return dialog.getByRole("textbox", { name: "The profile as JSON" });
}

pageTest("a price that is changed moves the times, and reset brings them back", {}, async ({ page }) => {
  const dialog = await tab(page, "Time");
  const before = await elapsed(dialog);
  assert.ok(before[0] > before[1] && before[1] > 0, `new is faster than old: ${before}`);
  await dialog.getByText("modelled with opteron-2013").first().waitFor();
  const json = await edit(dialog);
  await dialog.getByRole("spinbutton", { name: /^rmw / }).fill("75.44");
  const dear = await changed(() => elapsed(dialog), before);
  assert.ok(dear[0] > before[0] && dear[1] > before[1], `${before} became ${dear}`);
  await dialog.getByText("Changed: rmw 75.44 ns instead of 7.544 ns.").waitFor();
  await dialog.getByText("modelled with opteron-2013, edited").first().waitFor();
  assert.match(await json.inputValue(), /"rmw": \{ "ns": 75\.44, "source": "set by hand" \}/);
  await dialog.getByRole("spinbutton", { name: /^rmw / }).fill("");
  await dialog.getByText("Without a price, so counted as 0: rmw", { exact: false }).waitFor();
  await dialog.getByRole("spinbutton", { name: /^rmw / }).fill("-3");
  await dialog.getByText("ns.rmw: expected nanoseconds from 0 to 1000000000", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Reset" }).click();
  assert.deepEqual(await changed(() => elapsed(dialog), await elapsed(dialog)).catch(() => elapsed(dialog)), before);
  assert.equal(await dialog.getByRole("spinbutton", { name: /^rmw / }).inputValue(), "7.544");
  await dialog.getByRole("combobox", { name: "Cost profile" }).selectOption("skylake-2018");
  await dialog.getByText("modelled with skylake-2018").first().waitFor();
  assert.notDeepEqual(await elapsed(dialog), before);
});

pageTest("a profile is read from text and from a file, and written as one", {}, async ({ page }) => {
  const dialog = await tab(page, "Time");
  const before = await elapsed(dialog);
  const json = await edit(dialog);
  await json.fill('{\n  "profile": "mine",\n  "title": "t",\n  "ns": { "rwm": { "ns": 1, "source": "s" } }\n}');
  const alert = dialog.getByRole("alert");
  await alert.getByText("line 4").waitFor();
  assert.match(await alert.innerText(), /ns\.rwm: expected one of rmw, .*numbers are those of opteron-2013/);
  assert.deepEqual(await elapsed(dialog), before, "the numbers stay");
  await json.fill('{ "profile": "mine", "title": "t", "ns": { "rmw": { "ns": 1000, "source": "s" } } }');
  const mine = await changed(() => elapsed(dialog), before);
  assert.equal(await dialog.getByRole("spinbutton", { name: /^rmw / }).inputValue(), "1000");
  assert.equal((await alert.innerText()).trim(), "");
  const saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  const file = await saved;
  assert.equal(file.suggestedFilename(), "mine.json");
  const text = await readFile(await file.path());
  await dialog.getByRole("button", { name: "Reset" }).click();
  await dialog.getByRole("combobox", { name: "Cost profile" }).selectOption("opteron-2013");
  assert.deepEqual(await changed(() => elapsed(dialog), mine), before);
  await dialog.getByLabel("Import a file").setInputFiles({ name: "mine.json", mimeType: "application/json", buffer: text });
  assert.deepEqual(await changed(() => elapsed(dialog), before), mine);
});

pageTest("runs go by time, with a link", {}, async (view) => {
  const { page } = view;
  const dialog = await tab(page, "Time");
  await dialog.getByRole("button", { name: "Run by time" }).click();
  await dialog.getByText("These runs went by modelled time, with opteron-2013.").waitFor();
  await page.waitForURL(/schedule=timed(&|$)/);
  await dialog.getByRole("combobox", { name: "Cost profile" }).selectOption("xeon-2012");
  await dialog.getByRole("button", { name: "Run by time" }).click();
  await page.waitForURL(/schedule=timed:xeon-2012/);
});

for (const colorScheme of ["light", "dark"]) {
  pageTest(`the tab of times keeps to the rules, ${colorScheme}`, { colorScheme }, async ({ page }) => {
    const dialog = await tab(page, "Time");
    await edit(dialog);
    await axe(page);
  });
}

pageTest("times in one column", { viewport: SIZES.phone }, async ({ page }) => {
  await page.getByText("Controls, code, counts, claims").click();
  const dialog = await tab(page, "Time");
  await edit(dialog);
  const across = await dialog.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
  assert.ok(across <= 0, `nothing to the right: ${across}`);
});

const watchTasks = (page) => page.evaluate(() => {
  window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => Math.round(entry.duration))))
    .observe({ type: "longtask" });
});

for (const colorScheme of ["light", "dark"]) {
  pageTest(`a report is made to its end, ${colorScheme}`, { path: "#v1/rmap-unmap/v6.3/5?pages=56&layout=3", colorScheme }, async ({ page }) => {
    const dialog = await tab(page, "Published");
    assert.equal(await dialog.getByRole("combobox", { name: "Report" }).inputValue(), "rmap-unmap");
    await watchTasks(page);
    await dialog.getByRole("button", { name: "Make the report" }).click();
    await dialog.getByText(/^Report of rmap-unmap\./).waitFor({ timeout: 60_000 });
    const shares = dialog.getByRole("region", { name: "Shares of the profile with the series, numbers" });
    const row = await shares.getByRole("row", { name: /^try_to_unmap_one/ }).innerText();
    assert.match(row, /held out\s+within 5 %\s+(met|MISSED)/);
    await dialog.getByText(/fitted: share of the time that the processes are on a CPU = /).waitFor();
    await dialog.getByText(/holds: folios of one page gain nothing/).waitFor();
    assert.ok(await dialog.locator(".picture svg").first().isVisible());
    console.log(`longest task ${Math.max(0, ...(await page.evaluate(() => window.longTasks)))} ms`);
    await axe(page);
  });
}

pageTest("a long report is stopped at once", { path: "#v1/madvise-free/free/free-swap?processes=2&pages=24&ram=36&swap=64&loops=2&skew=8" }, async (view) => {
  const { page } = view;
  const dialog = await tab(page, "Published");
  await watchTasks(page);
  await dialog.getByRole("button", { name: "Make the report" }).click();
  await dialog.getByRole("progressbar", { name: "Progress of the report" }).waitFor();
  await dialog.getByText(/ s so far/).waitFor();
  await page.waitForTimeout(3000);
  const start = Date.now();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Make the report" }).waitFor();
  await dialog.getByText(/was stopped before its end/).waitFor();
  const longest = Math.max(0, ...(await page.evaluate(() => window.longTasks)));
  console.log(`stopped after ${Date.now() - start} ms; longest task ${longest} ms`);
});
