// Measures the page in a browser, with what was aimed at beside it. Nothing here passes or fails.
import { launch, DIST, BASE } from "./harness.mjs";
import { serve } from "./server.mjs";
import { interactions, loading } from "./bench-page.mjs";
import { scores } from "./bench-lighthouse.mjs";

// As a static host serves it.
const site = await serve(DIST, BASE, { compress: true });
const browser = await launch();
try {
  table("Opening", await loading(browser, site.url));
  table("512 pages a side, event to next paint", await interactions(browser, site.url));
} finally {
  await browser.close();
}
try {
  table("Lighthouse, of 100", await scores(site.url));
} finally {
  await site.close();
}

// Rows of { name, values: { heading: text }, aim }.
function table(title, rows) {
  const headings = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const lines = [[title, ...headings, "aim"], ...rows.map(({ name, values, aim = "" }) =>
    [name, ...headings.map((heading) => values[heading] ?? ""), aim])];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const print = (line) => console.log(line.map((cell, i) => i ? cell.padStart(widths[i]) : cell.padEnd(widths[i])).join("  "));
  console.log();
  lines.forEach(print);
}
