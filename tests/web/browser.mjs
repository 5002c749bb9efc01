/* The page as a person uses it, in a headless Chromium over its debugging pipe: opens from a file,
 * compares with the command line, types, drags, and looks for errors on the console.
 * node browser.mjs CEILING PAGE.html [FOLDER for screenshots] */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { becomes, complaints, dark, fetched, picture, read, screenOf, start, stop, tell, textOf, typeInto, visit } from "./chromium.mjs";

const [, , ceiling, html, pictures] = process.argv;
const open = (hash) => visit(`file://${resolve(html)}${hash}`);
const shot = async (name, full = true) => pictures && writeFileSync(join(pictures, name), await picture(full));
const until = async (expression, what, limit) => (await becomes(expression, limit)) || check(`${what}: waited in vain`, false, (await textOf("#banner")) + complaints.join("\n"));
let passed = 0, failed = 0;
function check(what, good, seen = "") {
  if (good) return void passed++;
  failed++;
  console.log(`${what}: ${seen}`);
}
const ask = (...words) => JSON.parse(spawnSync(ceiling, [...words, "--json"], { encoding: "utf8", maxBuffer: 1 << 26 }).stdout);
const notes = [];

async function planTab() {
  const best = ask("plan", "llama-3.1-405b", "--gpus", "1024", "--seq", "8192", "--global-batch", "16Mtok").best;
  await until("document.documentElement.dataset.plan", "the first plan");
  notes.push(`open ${await read("document.documentElement.dataset.openMs")} ms, best layout ${await read("document.documentElement.dataset.previewMs")} ms, whole plan ${await read("document.documentElement.dataset.planMs")} ms`);
  const step = await textOf(".tile dd");
  check("the step is the command line's", step.startsWith(best.step_s.toPrecision(3)), `${step} / ${best.step_s}`);
  const layout = await textOf("#layout"), l = best.layout;
  for (const word of [`tp${l.tp}`, `pp${l.pp}`, `dp${l.dp}`, `mb${l.micro_batch}`, `recompute-${l.recompute}`])
    check("the layout is the command line's", layout.includes(word), `${layout} / ${word}`);
  check("a certificate", /legal layouts/.test(await textOf("#certificate")));
  check("memory against capacity", /GB of .* GB/.test(await textOf(".memory figcaption")));
  check("runners-up", (await read(`document.querySelectorAll("#alternatives tbody tr").length`)) === 8);
  await shot("plan-light.webp");
  await dark(true);
  await shot("plan-dark.webp");
  await dark(false);
  const began = Date.now();
  await read(`document.getElementById("steps").open = true`);
  await until(`document.querySelector("#steps canvas")?.width > 0 && document.querySelector(".steps").style.height`, "the step, pass by pass");
  notes.push(`timeline of ${await textOf("#steps .status")} in ${Date.now() - began} ms`);
  await read(`document.querySelector("#steps [aria-label='zoom to the start']").click()`);
  await shot("steps.webp");
  const box = await read(`(() => { const c = document.querySelector(".steps"); c.scrollIntoView(); const r = c.getBoundingClientRect(); return [r.left, r.top]; })()`);
  await tell("Input.dispatchMouseEvent", { type: "mouseMoved", x: box[0] + 62, y: box[1] + 4 });
  check("a pass under the pointer", /stage 0: forward of micro-batch \d+, chunk 0: /.test(await textOf("#steps .status")), await textOf("#steps .status"));
  await read(`document.getElementById("steps").open = false`);
  await read(`document.querySelectorAll("#alternatives .small")[2].click()`);
  await until(`location.hash.includes("tp=")`, "a layout kept");
  await until(`/^1 legal|^[1-9] legal/.test(document.getElementById("certificate").textContent)`, "one layout is priced");
}

async function errors() {
  await open("#model=llama-2-7b&gpus=8");
  await until("document.documentElement.dataset.plan", "a plan");
  await typeInto("knob-gpus", "eight");
  await until(`document.querySelector("[data-flag=gpus] .error").textContent`, "an error at its field");
  const sentence = spawnSync(ceiling, ["plan", "llama-2-7b", "--gpus", "eight"], { encoding: "utf8" }).stderr.trim();
  check("the core's own sentence", `ceiling: ${await textOf("[data-flag=gpus] .error")}` === sentence, await textOf("[data-flag=gpus] .error"));
  await shot("error.webp", false);
  await typeInto("knob-gpus", "8");
  await until(`!document.querySelector(".wrong")`, "the error goes when mended");
  await typeInto("knob-model", "llama-2-7B");
  await until(`document.querySelector("[data-flag=model] .error").textContent.includes("did you mean")`, "a model's error at the model");
  await typeInto("knob-model", "llama-3.1-405b");
  await until(`document.getElementById("layout").textContent === "No layout fits."`, "nothing fits is an answer");
  await open("#model=c.json&config=%7B%22model_type%22%3A&gpus=8");
  await until(`document.querySelector("[data-flag=model] .error")?.textContent.includes("c.json:1:")`, "a bad config has line and column");
}

/** The answers themselves, byte for byte, from a worker and from the page when workers are forbidden. */
async function sameBytes() {
  const words = ["plan", "llama-3.1-8b", "--gpus", "64"];
  const want = spawnSync(ceiling, [...words, "--json"], { encoding: "utf8" }).stdout.replace(/"seconds": [0-9.e+-]+/, '"seconds": 0');
  const request = `ceiling.ask({ command: "plan", model: "llama-3.1-8b", gpus: "64" })`;
  check("a worker answers as the command line", (await read(request)) === want);
  const { identifier } = await tell("Page.addScriptToEvaluateOnNewDocument", { source: "window.Worker = class { constructor() { throw new Error('forbidden'); } };" });
  await open("#model=llama-2-7b&gpus=8");
  await until("document.documentElement.dataset.plan", "a plan without workers");
  check("the page answers as the command line", (await read(request)) === want);
  await tell("Page.removeScriptToEvaluateOnNewDocument", { identifier });
}

/** Two machines in one picture; a view with the keyboard alone. */
async function overlay() {
  await read(`[...document.querySelectorAll("#curve button")].find((b) => b.textContent === "pin this curve").click()`);
  await typeInto("knob-gpu", "h100-sxm");
  await until(`document.querySelectorAll(".curve .ghost").length === 4`, "the pinned curve is drawn too");
  await until(`/searches in/.test(document.querySelector("#curve .status").textContent)`, "the other machine");
  check("the pin is in the link", (await read("location.hash")).includes("pin="));
  await shot("curve-pinned.webp");
  await read(`document.getElementById("tab-curve").focus()`);
  await tell("Input.dispatchKeyEvent", { type: "keyDown", key: "ArrowLeft", code: "ArrowLeft" });
  check("arrow keys change the tab", (await read(`document.getElementById("plan").hidden`)) === false);
}

/** Drags a slider with the mouse, counting frames and the longest gap between two. */
async function drag(id, from, to) {
  const box = await read(`(() => { const r = document.getElementById("${id}").getBoundingClientRect(); return [r.left, r.top + r.height / 2, r.width]; })()`);
  const at = (share) => ({ x: box[0] + 8 + (box[2] - 16) * share, y: box[1], button: "left", buttons: 1, clickCount: 1 });
  await read(`{ window.gaps = []; let before = performance.now(); (function tick(now) { gaps.push(now - before); before = now; window.ticking = requestAnimationFrame(tick); })(before);
    window.drafts = []; new MutationObserver(() => drafts.push(Number(document.querySelector(".curve").dataset.draftMs))).observe(document.querySelector(".curve"), { attributeFilter: ["data-draft-ms"] }); }`);
  await tell("Input.dispatchMouseEvent", { type: "mousePressed", ...at(from) });
  for (let i = 0; i <= 40; i++) {
    await tell("Input.dispatchMouseEvent", { type: "mouseMoved", ...at(from + ((to - from) * i) / 40) });
    await new Promise((done) => setTimeout(done, 16));
  }
  const seen = await read(`(cancelAnimationFrame(ticking), { frames: gaps.length, worst: Math.max(...gaps.slice(1)), seconds: gaps.reduce((a, b) => a + b) / 1000, drafts })`);
  await tell("Input.dispatchMouseEvent", { type: "mouseReleased", ...at(to) });
  return seen;
}

async function curveTab() {
  await open("#tab=curve&model=llama-3.1-70b&gpus=512&seq=8192&global-batch=4Mtok&to=16384");
  await until(`document.querySelector(".curve")?.dataset.searchMs`, "the first curve");
  notes.push(`first curve ${(await read("performance.now()")).toFixed(0)} ms after opening (${await textOf("#curve .status")})`);
  const want = ask("explain", "llama-3.1-70b", "--gpus", "1024", "--seq", "8192", "--global-batch", "4Mtok");
  await read(`[...document.querySelectorAll("#curve details")].forEach((d) => (d.open = true))`);
  const row = await read(`[...document.querySelectorAll("#curve tbody tr")].map((r) => r.textContent).find((t) => t.startsWith("1,024strong"))`);
  check("a point is the command line's", row?.includes(want.step_s.toPrecision(3)), `${row} / ${want.step_s}`);
  await read(`document.querySelectorAll("#curve details").forEach((d) => (d.open = false))`);
  await shot("curve-light.webp");
  const scale = ask("scale", "llama-3.1-70b", "--gpus", "8..16384", "--seq", "8192", "--global-batch", "4Mtok");
  const whole = (n) => n.toLocaleString("en-US");
  await until(`/DP cap: /.test(document.querySelector(".walls").textContent)`, "the walls");
  const walls = await textOf(".walls");
  check("the walls are the command line's", walls.includes(`DP cap: ${whole(scale.dp_cap.gpus)} GPUs`) && walls.includes(`knee: ${whole(scale.knee.gpus)} GPUs`), walls);
  await typeInto("knob-critical-batch", "500ktok");
  await until(`document.querySelector(".walls").textContent.includes("critical batch 500k")`, "a lower critical batch");
  await until(`document.querySelector(".curve .wall-name")?.textContent === "DP cap"`, "the cap is drawn");
  await until(`/searches in/.test(document.querySelector("#curve .status").textContent)`, "rest");
  check("a slider stands at a typed value", (await read(`document.getElementById("slide-critical-batch").getAttribute("aria-valuetext") + document.getElementById("slide-critical-batch").value`)) === "500ktok3");
  await shot("curve-cap.webp");
  await typeInto("knob-critical-batch", "");
  const before = await read(`document.querySelector(".curve .line").getAttribute("d")`);
  const seen = await drag("slide-global-batch", 0.1, 0.95);
  const drafts = seen.drafts.sort((a, b) => a - b);
  notes.push(`dragging: ${seen.frames} frames in ${seen.seconds.toFixed(2)} s, longest gap ${seen.worst.toFixed(0)} ms, ${drafts.length} drafts, median ${drafts[drafts.length >> 1]} ms, slowest ${drafts.at(-1)} ms`);
  check("the curve moves while dragging", drafts.length > 3 && before !== (await read(`document.querySelector(".curve .line").getAttribute("d")`)), drafts.length);
  await until(`/searches in/.test(document.querySelector("#curve .status").textContent)`, "the curve is searched when the drag ends");
  check("the drag is in the link", /global-batch=/.test(await read("location.hash")), await read("location.hash"));
  await read(`document.querySelector(".curve").focus()`);
  for (const key of ["ArrowLeft", "ArrowLeft"]) await tell("Input.dispatchKeyEvent", { type: "keyDown", key, code: key });
  check("arrow keys walk the curve", /GPUs/.test(await textOf(".cards h2")), await textOf(".cards h2"));
  await typeInto("knob-gpu", "b200-sxm");
  await until(`/searches in/.test(document.querySelector("#curve .status").textContent)`, "another GPU");
  await dark(true);
  await shot("curve-dark.webp", false);
  await dark(false);
}

async function narrow() {
  await screenOf(390, 844);
  await open("#tab=curve&model=llama-3.1-8b&gpus=64&to=1024");
  await until(`document.querySelector(".curve")?.dataset.searchMs`, "a curve on a narrow screen");
  check("no sideways scrolling", await read("document.documentElement.scrollWidth <= innerWidth"), await read("document.documentElement.scrollWidth"));
  await shot("narrow.webp");
}

try {
  await start();
  await open("");
  await planTab();
  await errors();
  await curveTab();
  await overlay();
  await sameBytes();
  await narrow();
  check("no complaint on the console", complaints.length === 0, complaints.join("\n"));
  const outside = fetched.filter((url) => !/^(file|data|blob|about):/.test(url));
  check("nothing is fetched", outside.length === 0, outside.join(" "));
} catch (fault) {
  check("the test itself", false, fault.stack);
} finally {
  await stop();
}
if (process.env.VERBOSE) notes.forEach((note) => console.log(note));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
