// The five series in the page, and scenarios from files.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { button, press, stepAfter } from "./page.mjs";

useBrowser();

// What each series shows that the others don't: the title of a region.
const SERIES = {
  munlock: "Address space",
  "lru-drain": "Work items",
  "pcp-free": "PCP lists of CPU 0",
  "madvise-free": "Swap device",
  "rmap-unmap": "TLBs",
};

// Variants that stand side by side when a series opens.
const sides = {
  munlock: "0/6",
  "lru-drain": "sync/async",
  "pcp-free": "v4.15/pick-outside",
  "madvise-free": "free/free-swap?processes=2&pages=24&ram=36&swap=64&loops=2&skew=8",
  "rmap-unmap": "v6.3/5?pages=56&layout=3",
};

const regions = (page, side) => page.locator(`.side.${side} .etitle b`).allInnerTexts();

// Every tile and mark of the old side: which, where, and in what shape.
const picture = (page) => page.locator(".side.old .stage").evaluate((stage) => [...stage.querySelectorAll(".tile, .mark")]
  .map((shape) => [shape.getAttribute("aria-label"), shape.getAttribute("class"), shape.getAttribute("style")].join(" | "))
  .sort());

for (const [name, region] of Object.entries(SERIES)) {
  pageTest(`${name} is chosen, stepped, and taken back`, {}, async (view) => {
    const { page } = view;
    if (name !== "munlock") {
      await page.getByRole("button", { name: /^scenario / }).click();
      const dialog = page.getByRole("dialog", { name: "Scenario" });
      await dialog.getByRole("radio", { name: new RegExp(` \\d{4}, ${name}\\b`) }).check();
      await stepAfter(view, () => dialog.getByRole("button", { name: "Show" }).click());
      await page.waitForURL(new RegExp(`#v1/${name}/`));
    }
    for (const side of ["old", "new"]) assert.ok((await regions(page, side)).includes(region), `${side}: ${region}`);
    const start = await picture(page);
    await press(view, "ArrowRight");
    await press(view, "ArrowRight");
    await press(view, "ArrowLeft");
    await press(view, "ArrowLeft");
    await press(view, "5");
    assert.ok(await page.locator(".code .run").first().isVisible(), "a line runs");
    await press(view, "Home");
    assert.deepEqual(await picture(page), start, "the start is as it was");
    await press(view, "5");
    await axe(page);
  });

  pageTest(`${name} in one column, dark`, { path: `#v1/${name}/${sides[name]}`, viewport: SIZES.phone, colorScheme: "dark" }, async (view) => {
    await press(view, "3");
    const across = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(across, 0, "nothing to the right");
    await axe(view.page);
  });
}

async function chooseFile(page, text) {
  await button(page, "scenario munlock, 56 pages").click();
  const dialog = page.getByRole("dialog", { name: "Scenario" });
  await dialog.getByLabel(/^file /).setInputFiles({ name: "mine.json", mimeType: "application/json", buffer: Buffer.from(text) });
  return dialog;
}

pageTest("a scenario file is shown", {}, async (view) => {
  const text = await readFile(new URL("../assets/scenarios/munlock.json", import.meta.url), "utf8");
  await stepAfter(view, () => chooseFile(view.page, text));
  assert.equal(await view.page.getByRole("alert").innerText(), "");
  await press(view, "5");
  await view.page.waitForURL(/#v1\/file\/.*&file=/);
  assert.ok(await view.page.locator(".code .run").first().isVisible());
});

pageTest("a wrong scenario file is told of with line and field", {}, async ({ page }) => {
  const dialog = await chooseFile(page, '{\n  "nmae": "x"\n}');
  const alert = dialog.getByRole("alert").filter({ hasText: "mine.json" });
  await alert.getByText(/mine\.json: line 2/).waitFor();
  assert.match(await alert.innerText(), /nmae/);
});
