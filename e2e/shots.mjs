// Takes a picture of the page in every size and colour scheme: node shots.mjs FOLDER [PATH]
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { BASE, DIST, launch, open, SIZES } from "./harness.mjs";
import { serve } from "./server.mjs";

const [folder, path = ""] = process.argv.slice(2);
if (!folder) throw new Error("usage: node shots.mjs FOLDER [PATH]");
await mkdir(folder, { recursive: true });
const site = await serve(DIST, BASE);
const browser = await launch();
try {
  for (const [name, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, context, complaints } = await open(browser, site.url, { path, viewport, colorScheme });
      const file = join(folder, `${name}-${colorScheme}.png`);
      await page.screenshot({ path: file });
      console.log([file, ...complaints].join("\n  "));
      await context.close();
    }
  }
} finally {
  await browser.close();
  await site.close();
}
