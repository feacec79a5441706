// Links, what to embed, pictures: the Share dialog, and what a link says that cannot be followed as it was meant.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { axe, pageTest, SIZES, useBrowser } from "./harness.mjs";
import { at, button, press } from "./page.mjs";

useBrowser();

const LINK = "#v1/munlock/0/6?pages=56&step=120,60&look=new,page:3";
const file = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const dialog = (page) => page.getByRole("dialog", { name: "Share" });
const tab = (page, name) => dialog(page).getByRole("tab", { name });

async function share(page, name = "Link") {
  await page.keyboard.press("k");
  await dialog(page).waitFor();
  if (name !== "Link") await tab(page, name).click();
  return dialog(page);
}

async function saved(page, label) {
  const [download] = await Promise.all([page.waitForEvent("download"), button(dialog(page), label).click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

pageTest("the link holds the moment and is copied", { path: LINK }, async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const box = await share(page);
  const field = box.getByLabel("Link to this moment");
  const whole = await field.inputValue();
  assert.ok(whole.startsWith(page.url().split("#")[0]), whole);
  assert.match(whole, /#v1\/munlock\/0\/6\?pages=56&step=120,60&look=new,page:3&outcome=\d+\.[0-9a-f]{8}\.[\w-]{48},\d+\.[0-9a-f]{8}\.[\w-]{48}$/);
  assert.match(await box.innerText(), new RegExp(`${whole.length} characters`));
  assert.match(await box.locator(".share-parts").innerText(), /steps that the old and the new side have made/);
  await button(box, "Copy link").click();
  await button(box, "Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), whole);
  await box.getByLabel(/what comes out/).uncheck();
  await box.getByLabel(/this step/).uncheck();
  await box.getByLabel(/what is looked at/).uncheck();
  assert.match(await field.inputValue(), /#v1\/munlock\/0\/6\?pages=56$/);
  // The address stays readable.
  assert.equal(new URL(page.url()).hash, LINK);
});

pageTest("what is copied opens at the moment, and promises are kept", {}, async ({ page, context }) => {
  await page.keyboard.press("4");
  const box = await share(page);
  const link = await box.getByLabel("Link to this moment").inputValue();
  const [, ...steps] = link.match(/step=(\d+),(\d+)/);
  const other = await context.newPage();
  await other.goto(link);
  await other.locator(".stepno").first().waitFor();
  const shown = await other.locator(".stepno").allInnerTexts();
  steps.forEach((step, side) => assert.match(shown[side].replace(/\s/g, ""), new RegExp(`step${step}of`)));
  assert.equal(await other.getByText("different outcome").count(), 0);
});

pageTest("a false promise is named, and the page is shown", { path: `${LINK}&outcome=1.00000000,1.00000000` }, async ({ page, events }) => {
  assert.deepEqual(at(events[0].detail), [120, 60]);
  const words = await page.locator(".banner.bad").innerText();
  assert.match(words, /Same steps, different outcome\..*old: the first difference is at step 1 or before \(1 steps then, [\d]+ now\)/s);
  await button(page, "Dismiss").click();
  assert.equal(await page.locator(".banner.bad").count(), 0);
});

pageTest("what to embed", { path: LINK }, async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const box = await share(page, "Embed");
  const iframe = box.getByLabel("As an iframe");
  const element = box.getByLabel(/^As an element/);
  assert.match(await iframe.inputValue(), /^<iframe src="http[^"]+\?embed=1#v1\/munlock[^"]+" title="mmscope: [^"]+" width="100%" height="450" loading="lazy"><\/iframe>$/);
  await box.getByRole("group", { name: "Theme" }).getByLabel("dark").check();
  await box.getByRole("group", { name: "Controls" }).getByLabel("min").check();
  await box.getByRole("group", { name: "Motion" }).getByLabel("reduce").check();
  await box.getByRole("group", { name: "Parts" }).getByLabel("timeline").check();
  await box.getByLabel(/Height/).fill("600");
  assert.match(await iframe.inputValue(), /\?embed=1&amp;theme=dark&amp;controls=min&amp;panes=timeline&amp;motion=reduce#v1.*height="600"/);
  assert.match(await element.inputValue(), /^<script type="module" src="http[^"]+\/mmscope\.js"><\/script>\n<mm-scope link="v1\/munlock[^"]+" theme="dark" controls="min" panes="timeline" motion="reduce" height="600"/);
  await box.getByLabel("when the reader opens it").check();
  assert.match(await iframe.inputValue(), /^<details><summary>/);
  await button(box, "Copy iframe").click();
  await button(box, "Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await iframe.inputValue());
  await box.getByLabel(/Height/).fill("7");
  assert.match(await box.locator(".share-wrong").innerText(), /240 to 2000/);
  assert.equal(new URL(page.url()).hash, LINK);
});

pageTest("the picture is that of the command line", { path: LINK }, async ({ page }) => {
  const box = await share(page, "Image");
  const picture = box.getByRole("img");
  await picture.waitFor();
  assert.match(await picture.getAttribute("alt"), /munlock, pages=56\. old: .*step 120 of/);
  assert.ok(await picture.evaluate((image) => image.decode().then(() => image.naturalWidth > 600)));
  const svg = await saved(page, "Save SVG");
  assert.equal(svg.name, "mmscope-munlock-0-6-step-120-60.svg");
  const png = await saved(page, "Save PNG");
  assert.equal(png.name, "mmscope-munlock-0-6-step-120-60.png");
  assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  assert.ok(png.bytes.length > 20_000, `${png.bytes.length} bytes`);
  const text = await saved(page, "Save text");
  assert.match(text.bytes.toString(), /all atomics/);
  await box.getByRole("group", { name: "Theme" }).getByLabel("print").check();
  const print = await saved(page, "Save SVG");
  assert.equal(print.name, "mmscope-munlock-0-6-step-120-60.print.svg");
  assert.notEqual(print.bytes.toString(), svg.bytes.toString());
  const cli = process.env.MMSCOPE_CLI ?? file("target/debug/mmscope");
  assert.ok(existsSync(cli), `${cli} is not there: \`cargo build -p cli\` makes it, MMSCOPE_CLI says where it is`);
  const rendered = (...options) => execFileSync(cli, ["render", page.url(), ...options]).toString();
  assert.equal(svg.bytes.toString(), rendered("-o", "-"));
  assert.equal(print.bytes.toString(), rendered("-o", "-", "--theme", "print"));
  assert.equal(text.bytes.toString(), rendered());
});

pageTest("a scenario of one's own goes through its link", {}, async ({ page, context }) => {
  await button(page, "scenario munlock, 56 pages").click();
  const scenario = page.getByRole("dialog", { name: "Scenario" });
  await scenario.locator("input[type=file]").setInputFiles(file("assets/scenarios/munlock-two-cpus.json"));
  await scenario.waitFor({ state: "hidden" });
  assert.equal(await page.getByText("has no link").count(), 0);
  await page.keyboard.press("5");
  const box = await share(page);
  const link = await box.getByLabel("Link to this moment").inputValue();
  assert.match(link, /#v1\/file\/.*&file=[\w-]+$/);
  assert.match(await box.locator(".share-parts").innerText(), /a scenario of your own/);
  const title = await page.title();
  // Another reader, whose browser knows nothing of the file.
  const other = await context.browser().newContext();
  const fresh = await other.newPage();
  await fresh.goto(link);
  await fresh.locator(".stepno").first().waitFor();
  assert.equal(await fresh.title(), title);
  assert.deepEqual(await fresh.locator(".stepno").allInnerTexts(), await page.locator(".stepno").allInnerTexts());
  assert.equal(await fresh.locator(".banner.bad").count(), 0);
  await other.close();
});

const meant = {
  "#v1/munlok/0/6?step=3,3": "#v1/munlock/0/6?step=3,3",
  "#v1/munlock/0/seven?pages=28": "#v1/munlock/0/6?pages=28",
  "#v1/munlock/0/6?pagse=28": "#v1/munlock/0/6?pages=28",
};
for (const [path, link] of Object.entries(meant)) {
  pageTest(`the link that was meant: ${path}`, { path }, async ({ page }) => {
    const offer = page.locator(".meant a");
    assert.equal(await offer.innerText(), link);
    assert.equal(new URL(page.url()).hash, path, "the address is as it was");
    await offer.click();
    await page.locator(".banner.bad").waitFor({ state: "detached" });
    assert.equal(await offer.count(), 0);
    assert.ok(new URL(page.url()).hash.startsWith(link.split("?")[0]));
  });
}

const hostile = ["#v1/file/0/6?file=AAAA", "#v1/file/0/6", `#v1/file/0/6?file=${"A".repeat(8000)}`, "#v7/munlock/0/6", `#${"x".repeat(9000)}`];
for (const path of hostile) {
  pageTest(`a link that is no link: ${path.slice(0, 40)}`, { path }, async (view) => {
    const { page } = view;
    assert.match(await page.locator(".banner.bad").innerText(), /expected|damaged|base64url/);
    assert.ok(await button(page, "scenario munlock, 56 pages").isVisible());
    await press(view, "ArrowRight");
  });
}

for (const colorScheme of ["light", "dark"]) {
  pageTest(`nothing grave in the dialog, ${colorScheme}`, { colorScheme, path: LINK }, async ({ page }) => {
    await share(page);
    for (const name of ["Link", "Embed", "Image"]) {
      await tab(page, name).click();
      await axe(page);
    }
    await tab(page, "Image").press("ArrowRight");
    assert.equal(await tab(page, "Link").getAttribute("aria-selected"), "true");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "hidden" });
  });
}

pageTest("on a phone nothing is cut off", { path: LINK, viewport: SIZES.phone }, async ({ page }) => {
  await page.locator("details.more > summary").click();
  await button(page, "Share").last().click();
  for (const name of ["Link", "Embed", "Image"]) {
    await tab(page, name).click();
    const wide = await dialog(page).evaluate((box) => box.querySelector("div").scrollWidth - box.querySelector("div").clientWidth);
    assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
  }
});
