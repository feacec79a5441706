// The tab of plots: pictures of each series, cursors that move the runs, files, sweeps.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { at, press, stepAfter } from "./page.mjs";

useBrowser();

const OPENED = {
  munlock: ["#v1/munlock/0/6", "Atomic operations so far"],
  "lru-drain": ["#v1/lru-drain/sync/async", "Atomic operations so far"],
  "pcp-free": ["#v1/pcp-free/v4.15/pick-outside", "Pages on the per-CPU lists"],
  "madvise-free": ["#v1/madvise-free/free/free-swap?processes=2&pages=24&ram=36&swap=64&loops=2&skew=8", "Swap slots in use"],
  "rmap-unmap": ["#v1/rmap-unmap/v6.3/5?pages=56&layout=3", "Atomic operations so far"],
};

const evidence = (page) => page.getByRole("dialog", { name: "Evidence" });
const section = (page, name) => evidence(page).getByRole("region", { name });
const picture = (page, name) => evidence(page).getByRole("img", { name });
const slider = (page) => evidence(page).getByRole("slider", { name: "Step, on the picture" });

async function openPlots(page) {
  await page.keyboard.press("e");
  await evidence(page).getByRole("tab", { name: "Plots" }).click();
  await slider(page).waitFor();
}

// Presses a place of the picture, from 0 at its left edge to 1.
async function clickAt(page, share) {
  const box = await slider(page).boundingBox();
  await page.mouse.click(box.x + share * box.width, box.y + box.height / 2);
}

for (const [name, [path, first]] of Object.entries(OPENED)) {
  pageTest(`${name}: pictures name both sides`, { path }, async ({ page }) => {
    await openPlots(page);
    await picture(page, first).waitFor();
    const quantities = section(page, "Over the run").getByRole("group", { name: "show" }).getByRole("radio");
    assert.ok((await quantities.count()) >= 3, "some quantities to choose from");
    for (const quantity of await quantities.all()) {
      await quantity.check();
      const svg = section(page, "Over the run").getByRole("img");
      const text = await svg.first().evaluate((svg) => svg.textContent);
      assert.match(text, /old: /);
      assert.match(text, /new: /);
      assert.doesNotMatch(text, /no data/i);
    }
    await picture(page, /^Holds of /).waitFor();
  });
}

pageTest("a click on the picture moves both runs, and they stay there", {}, async (view) => {
  const { page } = view;
  await openPlots(page);
  const detail = await stepAfter(view, () => clickAt(page, 0.5));
  const [old] = at(detail);
  assert.ok(Math.abs(old / detail.old.steps - 0.5) < 0.02, `the middle of the longer run: ${old} of ${detail.old.steps}`);
  assert.ok(await evidence(page).isVisible(), "the dialog stays open");
  await assertReadout(page, detail);
  await page.keyboard.press("Escape");
  await evidence(page).waitFor({ state: "hidden" });
  assert.equal(await page.getByRole("slider", { name: "Step", exact: true }).getAttribute("aria-valuetext").then(Boolean), true);
  const next = await press(view, "ArrowRight");
  assert.ok(next.old.step >= old && next.old.step <= old + 1, "the stage is at that step");
});

async function assertReadout(page, { old, new: fresh }) {
  const text = await slider(page).getAttribute("aria-valuetext");
  assert.equal(text, `old: step ${old.step} of ${old.steps}, new: step ${fresh.step} of ${fresh.steps}`);
}

pageTest("dragging goes along, whatever the axis", {}, async (view) => {
  const { page } = view;
  await openPlots(page);
  for (const axis of ["steps", "common milestones", "modelled time"]) {
    await section(page, "Over the run").getByRole("radio", { name: axis }).check();
    const box = await slider(page).boundingBox();
    const place = (share) => [box.x + share * box.width, box.y + box.height / 2];
    await stepAfter(view, async () => {
      await page.mouse.move(...place(0.2));
      await page.mouse.down();
    });
    const dragged = await stepAfter(view, () => page.mouse.move(...place(0.8)));
    await page.mouse.up();
    assert.ok(dragged.old.step > 0.3 * dragged.old.steps, `${axis}: ${JSON.stringify(dragged)}`);
    await slider(page).press("Home");
  }
});

pageTest("the keyboard moves the cursors", {}, async (view) => {
  const { page } = view;
  await openPlots(page);
  await slider(page).focus();
  const one = await press(view, "ArrowRight");
  assert.deepEqual(at(one), [1, 1]);
  await assertReadout(page, one);
  const none = await press(view, "ArrowLeft");
  assert.deepEqual(at(none), [0, 0]);
  const end = await press(view, "End");
  assert.deepEqual(at(end), [end.old.steps, end.new.steps]);
  await press(view, "Home");
  await press(view, "PageUp");
});

pageTest("numbers as a table, and files that are not empty", {}, async ({ page }) => {
  await openPlots(page);
  const over = section(page, "Over the run");
  await over.getByText("as a table").click();
  const rows = over.getByRole("table").getByRole("row");
  await rows.nth(1).waitFor();
  assert.ok((await rows.count()) <= 201, "a page of numbers, and no more");
  const sizes = {};
  for (const kind of ["SVG", "PNG", "CSV"]) {
    const waiting = page.waitForEvent("download");
    await over.getByRole("button", { name: `Save as ${kind}: ` }).click();
    const download = await waiting;
    assert.match(download.suggestedFilename(), new RegExp(`^mmscope-munlock-0-6-.*\\.${kind.toLowerCase()}$`));
    const bytes = await readFile(await download.path());
    sizes[kind] = bytes.length;
    if (kind === "PNG") assert.equal(bytes.toString("latin1", 1, 4), "PNG");
    if (kind === "SVG") assert.match(bytes.toString(), /^<svg width="960"[^]*old: [^]*new: /);
    if (kind === "CSV") assert.ok(bytes.toString().split("\r\n").length > 100, "all rows");
  }
  assert.ok(Object.values(sizes).every((size) => size > 1000), JSON.stringify(sizes));
});

pageTest("a sweep runs, is cancelled midway, and the page answers", { path: OPENED["pcp-free"][0] }, async (view) => {
  const { page } = view;
  await openPlots(page);
  const sweeps = section(page, "Sweeps");
  await page.evaluate(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
      .observe({ type: "longtask" });
  });
  await sweeps.getByRole("radio", { name: "CPUs" }).check();
  await sweeps.getByRole("button", { name: "Run the sweep" }).click();
  await sweeps.getByRole("progressbar").waitFor();
  await picture(page, /^Throughput by number of CPUs/).waitFor();
  // While it runs, a step is answered.
  await slider(page).focus();
  await press(view, "ArrowRight");
  await sweeps.getByRole("button", { name: "Cancel" }).click();
  await sweeps.getByText(/^Cancelled after \d+ of 16 runs/).waitFor({ timeout: 2000 });
  assert.equal(await sweeps.getByRole("progressbar").count(), 0);
  assert.ok(await picture(page, /^Share of CPU time/).isVisible(), "what was run stays");
  const longest = await page.evaluate(() => Math.max(0, ...window.longTasks));
  console.log(`longest task ${longest} ms`);
});

pageTest("a sweep ends and says what it took", {}, async ({ page }) => {
  await openPlots(page);
  const sweeps = section(page, "Sweeps");
  await sweeps.getByRole("radio", { name: "batch size (pagevec)" }).check();
  await sweeps.getByRole("button", { name: "Run the sweep" }).click();
  await sweeps.getByText(/^16 of 16 runs in /).waitFor({ timeout: 100_000 });
  await picture(page, /^Modelled time per page/).waitFor();
  console.log(await sweeps.getByRole("status").innerText());
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    pageTest(`nothing grave for assistive technology, ${colorScheme}, ${size}`, { colorScheme, viewport }, async (view) => {
      const { page } = view;
      await press(view, "5");
      await openPlots(page);
      await picture(page, /^Holds of /).waitFor();
      await axe(page);
      const across = await evidence(page).evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
      assert.ok(across <= 0, "nothing to the right");
      if (process.env.MMSCOPE_SHOTS) {
        await page.screenshot({ path: `${process.env.MMSCOPE_SHOTS}/plots-${colorScheme}-${size}.png` });
        await section(page, "Sweeps").scrollIntoViewIfNeeded();
        await page.screenshot({ path: `${process.env.MMSCOPE_SHOTS}/plots-${colorScheme}-${size}-low.png` });
      }
    });
  }
}
