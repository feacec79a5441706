// The page loads from any path, and says so when it cannot.
import assert from "node:assert/strict";
import { axe, BASE, pageTest, useBrowser } from "./harness.mjs";

useBrowser();

pageTest("the page loads from a sub-path", {}, async ({ page }) => {
  const addresses = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
  assert.ok(addresses.some((address) => address.endsWith(".wasm")), "no WebAssembly was loaded");
  for (const address of addresses) assert.ok(new URL(address).pathname.startsWith(BASE), address);
  assert.ok(await page.locator("h1").first().isVisible());
  assert.ok(await page.locator("#failure").isHidden());
  assert.ok(await page.locator("#loading").isHidden());
  assert.match(await page.title(), /mmscope/);
});

pageTest("the icon is there", {}, async ({ page }) => {
  const icon = await page.locator("link[rel=icon]").evaluate((link) => link.href);
  const reply = await page.request.get(icon);
  assert.equal(reply.status(), 200);
  assert.equal(reply.headers()["content-type"], "image/svg+xml");
});

// Scripts in the page itself, evaluated code and other hosts are what the policy is for.
const refused = { allow: [/Content Security Policy/, /^failed: .*csp/] };
pageTest("the page's policy is in force", refused, async ({ page }) => {
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ranInline = true";
    document.head.append(script);
    return Boolean(window.ranInline);
  });
  assert.equal(ran, false);
  const fetched = await page.evaluate(() => fetch("https://example.org/").then(() => true, () => false));
  assert.equal(fetched, false);
});

for (const colorScheme of ["light", "dark"]) {
  pageTest(`nothing grave for assistive technology, ${colorScheme}`, { colorScheme }, ({ page }) => axe(page));
}

const withoutWebAssembly = {
  prepare: (page) => page.addInitScript(() => delete window.WebAssembly),
  waitFor: "mmscope:error",
  allow: [/was preloaded using link preload but not used/],
};
pageTest("without WebAssembly the page says what it needs", withoutWebAssembly, async ({ page }) => {
  await showsFailure(page, /WebAssembly/);
});

const lostModule = {
  prepare: (page) => page.route("**/*.wasm", (route) => route.abort()),
  waitFor: "mmscope:error",
  allow: [/\.wasm/, /Failed to load resource/],
};
pageTest("a module that cannot be loaded is reported", lostModule, async ({ page }) => {
  await showsFailure(page, /could not be loaded/);
});

const spoiltModule = {
  prepare: (page) => page.route("**/*.wasm", (route) => route.fulfill({ contentType: "application/wasm", body: "no module" })),
  waitFor: "mmscope:error",
};
pageTest("a module that is not one is reported", spoiltModule, async ({ page }) => {
  await showsFailure(page, /could not be loaded/);
});

pageTest("a panic is shown, once, with a way out", {}, async ({ page }) => {
  await page.evaluate(() => {
    history.replaceState(null, "", "#state");
    window.mmscopePanic("index out of bounds");
    window.mmscopePanic("a consequence");
  });
  const text = await showsFailure(page, /index out of bounds/);
  assert.doesNotMatch(text, /consequence/);
  // The state in the address may be the cause: there is a way to leave it behind.
  const fresh = await page.getByRole("link", { name: "Start over" }).evaluate((link) => link.href);
  assert.doesNotMatch(fresh, /#/);
});

const withoutScripts = { javaScriptEnabled: false, waitFor: null, allow: [/^failed: .*js csp$/] };
pageTest("without scripts the page says what it needs", withoutScripts, async ({ page }) => {
  assert.match(await page.locator("noscript").innerText(), /JavaScript/);
});

const noisy = { allow: [/./] };
pageTest("the tests notice what a page complains of", noisy, async ({ page, complaints }) => {
  await page.evaluate(async () => {
    console.warn("careful");
    setTimeout(() => { throw new Error("oops"); });
    await fetch("missing").catch(() => {});
    const told = new Promise((resolve) => document.addEventListener("securitypolicyviolation", resolve, { once: true }));
    await fetch("http://127.0.0.2:9/").catch(() => {});
    await told;
  });
  for (const expected of [/^Content Security Policy: connect-src refused http:.*127\.0\.0\.2/, /warning: careful/, /uncaught: oops/, /status 404: .*missing/, /127.0.0.2.* violates .*Content Security Policy/]) {
    assert.ok(complaints.some((complaint) => expected.test(complaint)), `${expected} in ${complaints.join("\n")}`);
  }
});

async function showsFailure(page, pattern) {
  const alert = page.locator("#failure[role=alert]");
  assert.ok(await alert.isVisible());
  const text = await alert.innerText();
  assert.match(text, pattern);
  assert.ok(await page.getByRole("button", { name: "Reload" }).isVisible());
  assert.ok(await page.locator("#loading").isHidden());
  return text;
}
