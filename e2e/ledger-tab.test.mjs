// The evidence dialog: the complete ledger with the steps behind its numbers, all claims, all rules.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { at, press, stepAfter } from "./page.mjs";

useBrowser();

const evidence = (page) => page.getByRole("dialog", { name: "Evidence" });
const tab = (page, name) => evidence(page).getByRole("tab", { name, exact: true });
const table = (page) => evidence(page).getByRole("region", { name: "Table" });
const choose = (page, label, option) => evidence(page).getByRole("combobox", { name: label, exact: true }).selectOption({ label: option });
const digits = (text) => Number(text.replace(/[^\d]/g, ""));

async function open(view) {
  await view.page.keyboard.press("e");
  await evidence(view.page).waitFor();
  await tab(view.page, "Ledger").waitFor();
}

// Labels and the numbers of a column, from top to bottom.
async function column(page, at) {
  const rows = await table(page).locator("tbody tr").all();
  return Promise.all(rows.map(async (row) => [
    (await row.getByRole("rowheader").innerText()).trim(),
    digits(await row.getByRole("cell").nth(at).innerText()),
  ]));
}

pageTest("the ledger opens by key and by button, and its tabs by arrows", {}, async (view) => {
  const { page } = view;
  await open(view);
  await page.keyboard.press("Escape");
  await evidence(page).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Evidence", exact: true }).click();
  await evidence(page).waitFor();
  await tab(page, "Ledger").click();
  await table(page).getByRole("table").waitFor();
  await tab(page, "Ledger").press("ArrowRight");
  await evidence(page).getByRole("list", { name: "old beside new" }).or(evidence(page).getByText("claims nothing here")).first().waitFor();
});

pageTest("columns are sorted and rows are filtered", {}, async (view) => {
  const { page } = view;
  await open(view);
  const head = table(page).getByRole("columnheader", { name: "old", exact: true });
  assert.equal(await head.getAttribute("aria-sort"), "none");
  await head.getByRole("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  const down = (await column(page, 0)).map(([, n]) => n);
  assert.ok(down.length > 5);
  assert.deepEqual(down, down.toSorted((a, b) => b - a));
  await head.getByRole("button").press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  const up = (await column(page, 0)).map(([, n]) => n);
  assert.deepEqual(up, down.toSorted((a, b) => a - b));
  await evidence(page).getByRole("searchbox", { name: "Filter" }).fill("ISOLATE");
  const labels = (await column(page, 0)).map(([label]) => label);
  assert.ok(labels.length > 0 && labels.every((label) => label.includes("isolate")), labels.join());
  await evidence(page).getByRole("searchbox", { name: "Filter" }).fill("no such name");
  await evidence(page).getByText('No row has "no such name" in it.').waitFor();
});

pageTest("each analysis has a table, of both sides and of each", {}, async (view) => {
  const { page } = view;
  await open(view);
  const all = ["functions", "call tree", "locks", "each lock", "spans, IRQs or preemption off", "CPUs", "pages", "numbers of the ledger"];
  for (const by of all) {
    await choose(page, "By", by);
    for (const side of ["old beside new", "old", "new"]) {
      await choose(page, "Side", side);
      assert.ok((await table(page).locator("tbody tr").count()) > 0, `${by}, ${side}`);
    }
  }
  await choose(page, "By", "functions");
  await choose(page, "Side", "old");
  const caption = await table(page).getByRole("table").locator("caption").innerText();
  assert.match(caption, /ns are modelled, with the cost profile \S+/);
  assert.ok(await table(page).getByRole("columnheader", { name: "modelled ns" }).isVisible());
  await choose(page, "Side", "old beside new");
  await choose(page, "Compare", "modelled ns");
  assert.ok(await table(page).getByRole("columnheader", { name: "old, modelled ns" }).isVisible());
});

pageTest("a number opens its steps, and a step is gone to", {}, async (view) => {
  const { page } = view;
  await open(view);
  await choose(page, "Compare", "atomics");
  await table(page).getByRole("columnheader", { name: "old", exact: true }).getByRole("button").click();
  const number = table(page).locator("tbody tr").first().getByRole("cell").first().getByRole("button");
  const count = digits(await number.innerText());
  await number.click();
  const steps = evidence(page).getByRole("region", { name: /^old: .*atomics$/ });
  await steps.waitFor();
  assert.ok(await steps.getByRole("heading").evaluate((title) => title === document.activeElement), "the list has the focus");
  // What the steps add up to is the number.
  const summary = await steps.getByText(/^[\d\u202f]+ steps?(, together [\d\u202f]+)?$/).innerText();
  assert.equal(digits(summary.split("together").at(-1)), count, summary);
  const shown = () => steps.getByRole("listitem").count();
  const before = await shown();
  assert.ok(before > 100, `${before} steps at first`);
  await steps.getByRole("button", { name: /more of/ }).click();
  assert.ok((await shown()) > before);
  const third = steps.getByRole("listitem").nth(2).getByRole("button");
  const step = digits((await third.innerText()).match(/step ([\d\u202f]+)/)[1]);
  const detail = await stepAfter(view, () => third.click());
  assert.equal(at(detail)[0], step);
  await evidence(page).waitFor({ state: "hidden" });
  await press(view, "ArrowRight");
});

const clipboard = {
  prepare: (page) => page.addInitScript(() => {
    const writeText = async (text) => { window.copied = text; };
    Object.defineProperty(Navigator.prototype, "clipboard", { value: Object.setPrototypeOf({ writeText }, Clipboard.prototype) });
  }),
};
pageTest("tables are copied and saved", clipboard, async (view) => {
  const { page } = view;
  const copied = async (form) => {
    await evidence(page).getByRole("button", { name: `Copy ${form}`, exact: true }).click();
    await evidence(page).getByText(/^Copied as/).waitFor();
    return page.evaluate(() => window.copied);
  };
  await open(view);
  await choose(page, "By", "locks");
  const text = await copied("text");
  assert.match(text, /^munlock, 56 pages: old /);
  assert.ok(text.split("\n").every((line) => line.length <= 72), text);
  assert.match(text, /lru_lock/);
  const csv = await copied("CSV");
  assert.match(csv, /^lock,old,new,difference,old_per_unit,new_per_unit\r\n/);
  const { by, rows } = JSON.parse(await copied("JSON"));
  assert.equal(by, "locks");
  assert.ok(rows.every((row) => row.difference === row.new - row.old));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    evidence(page).getByRole("button", { name: "Save CSV", exact: true }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "mmscope-munlock-locks-compare.csv");
  assert.equal(await readFile(await download.path(), "utf8"), csv);
});

const many = { path: "#v1/munlock/0/5?pages=2000" };
pageTest("of thousands of pages some hundred are shown, and more on demand", many, async (view) => {
  const { page } = view;
  await open(view);
  await choose(page, "By", "pages");
  assert.equal(await table(page).locator("tbody tr").count(), 200);
  await table(page).getByRole("button", { name: /more of/ }).click();
  assert.equal(await table(page).locator("tbody tr").count(), 400);
});

pageTest("a claim that is broken as known says so, here and beside the ledger", { path: "#v1/putback-race/4/5-v2" }, async (view) => {
  const { page } = view;
  const short = page.getByRole("list", { name: "Claims" }).getByRole("listitem").filter({ hasText: "NR_MLOCK" });
  assert.match(await short.first().innerText(), /†/);
  await open(view);
  await tab(page, "Claims").click();
  const known = evidence(page).getByRole("listitem").filter({ hasText: "broken, as known" });
  await known.first().waitFor();
  assert.match(await known.first().innerText(), /why/);
  const signs = await evidence(page).locator(".signs b").allInnerTexts();
  assert.equal(new Set(signs).size, 3, signs.join());
});

pageTest("claims that compare both sides are listed", { path: "#v1/rmap-unmap/v6.3/5?pages=56&layout=3" }, async (view) => {
  const { page } = view;
  await open(view);
  await tab(page, "Claims").click();
  for (const name of [/^old: /, /^new: /, "old beside new"]) {
    const list = evidence(page).getByRole("list", { name });
    assert.ok((await list.getByRole("listitem").count()) > 0, String(name));
  }
});

pageTest("a broken rule leads to its step", { path: "#v1/rmap-mlock/5-fixed/5" }, async (view) => {
  const { page } = view;
  await open(view);
  await tab(page, "Rules").click();
  const row = evidence(page).getByRole("row").filter({ hasText: "when the page-table lock goes, no batch is open" });
  const [old, young] = await row.getByRole("cell").filter({ hasNotText: /^G9$/ }).allInnerTexts();
  assert.match(old, /✓\s*holds after step \d+/);
  assert.match(young, /✗\s*broken at step 142: .*holds now/s);
  const steps = evidence(page).getByText("rules do not apply to either side");
  await steps.click();
  await evidence(page).getByText("Swap: 15: MADV_FREE leaves no swap entry").waitFor();
  const detail = await stepAfter(view, () => row.getByRole("button", { name: "go to new, step 142" }).click());
  assert.equal(at(detail)[1], 142);
  await evidence(page).waitFor({ state: "hidden" });
});

pageTest("every rule holds where nothing is broken", {}, async (view) => {
  const { page } = view;
  await open(view);
  await tab(page, "Rules").click();
  await evidence(page).getByRole("table", { name: "Pages, LRU lists and pagevecs" }).waitFor();
  assert.equal(await evidence(page).getByText("broken at step").count(), 0);
  assert.ok((await evidence(page).getByText(/^holds after step/).count()) > 30);
});

for (const colorScheme of ["light", "dark"]) {
  const options = { colorScheme, path: "#v1/rmap-mlock/5-fixed/5" };
  pageTest(`axe finds nothing grave in the tabs, ${colorScheme}`, options, async (view) => {
    const { page } = view;
    await open(view);
    await table(page).locator("td button").first().click();
    await evidence(page).getByRole("button", { name: "Close the list" }).waitFor();
    await axe(page);
    for (const name of ["Claims", "Rules"]) {
      await tab(page, name).click();
      await evidence(page).getByText(name === "Claims" ? "hold" : "Every machine").first().waitFor();
      await axe(page);
    }
  });
}

pageTest("the tabs fit into a narrow page", { viewport: SIZES.phone }, async (view) => {
  const { page } = view;
  await open(view);
  await table(page).locator("td button").first().click();
  for (const name of ["Ledger", "Claims", "Rules"]) {
    await tab(page, name).click();
    const wide = await evidence(page).evaluate((dialog) => [...dialog.querySelectorAll(".tab-panel")].some((panel) => panel.scrollWidth > panel.clientWidth + 1));
    assert.equal(wide, false, name);
  }
});
