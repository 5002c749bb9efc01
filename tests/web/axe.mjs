/* The page under axe (https://github.com/dequelabs/axe-core), the checker of accessibility: a development check, for it comes from npm
 * only. It is found where npm put it, in AXE=.../axe.min.js or below node_modules; without it nothing is checked, and that is said.
 * node axe.mjs PAGE.html */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const html = process.argv[2];
const found = () => { try { return createRequire(resolve("package.json")).resolve("axe-core/axe.min.js"); } catch { return null; } };
const path = process.env.AXE ?? found();
if (!path || !existsSync(path)) {
  console.log("skipped: axe (npm install --no-save axe-core)\n0 passed, 0 failed");
  process.exit(0);
}
const { becomes, dark, read, screenOf, start, stop, tell, visit } = await import("./chromium.mjs");
const source = readFileSync(path, "utf8");
let passed = 0, failed = 0;
function check(what, complaints) {
  if (!complaints.length) return void passed++;
  failed++;
  console.log(`${what}: ${complaints.join("\n  ")}`);
}

/** What axe says of a view; contrast, names, roles, order, targets of at least 24 pixels. */
async function look(what, hash, done) {
  await visit(`file://${resolve(html)}${hash}`);
  if (!(await becomes(done, 120000))) return check(what, ["was not there in time"]);
  await tell("Runtime.evaluate", { expression: source });
  const run = `axe.run(document, { rules: { "target-size": { enabled: true } } }).then((r) => r.violations.flatMap((v) => v.nodes.slice(0, 6).map((n) => v.id + ": " + n.target.join(" ") + " " + (n.any[0] || n.all[0] || n.none[0] || {}).message)))`;
  check(what, await read(run));
}

const curve = `document.querySelector(".curve")?.dataset.searchMs`, plan = "document.documentElement.dataset.plan";
const views = [["the curve", "", curve], ["a plan", "#model=llama-2-7b&gpus=8", plan], ["what a service costs", "#tab=economics&money=demand&model=llama-3.1-8b&rate=5req/s&span=2min", `document.querySelector(".factors")`],
  ["a table of jobs", `#tab=economics&money=portfolio&portfolio.gpus=8,16&portfolio.horizon=30d&portfolio.table=t.csv&portfolio.table-text=${encodeURIComponent("name,model,steps,every_h\na,llama-2-7b,1000,48\n")}`, `document.querySelector("#economics pre")`],
  ["recordings", "#tab=trace", `document.getElementById("trace-files")`]];
await start();
for (const [width, height] of [[1440, 900], [390, 844]]) {
  await screenOf(width, height);
  for (const [what, hash, done] of views) await look(`${what}, ${width} wide`, hash, done);
}
await dark(true);
for (const [what, hash, done] of views) await look(`${what}, dark`, hash, done);
await stop();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
