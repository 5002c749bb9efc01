/* The page as a person uses it, in a headless Chromium over its debugging pipe: opens from a file,
 * compares with the command line, types, drags, and looks for errors on the console.
 * node browser.mjs CEILING PAGE.html [FOLDER for screenshots] */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { becomes, choose, complaints, dark, dropFiles, fetched, picture, read, screenOf, start, stop, tell, textOf, typeInto, visit } from "./chromium.mjs";
import { rank, zipOf } from "./recordings.mjs";

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
const folder = mkdtempSync(join(tmpdir(), "person-"));
const ask = (...words) => JSON.parse(spawnSync(ceiling, [...words, "--json"], { encoding: "utf8", maxBuffer: 1 << 26 }).stdout);
const notes = [];

async function planTab() {
  // the first visit is of a model that takes seconds: only looked at when it is measured
  const first = process.env.VERBOSE ? ["llama-3.1-405b", "1024", "16Mtok"] : ["llama-3.1-70b", "512", "4Mtok"];
  await open(`#model=${first[0]}&gpus=${first[1]}&seq=8192&global-batch=${first[2]}`);
  const best = ask("plan", first[0], "--gpus", first[1], "--seq", "8192", "--global-batch", first[2]).best;
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
  await typeInto("knob-model", "llama-2-7c");
  await until(`document.querySelector("[data-flag=model] .error").textContent.includes("did you mean")`, "a model's error at the model");
  await typeInto("knob-model", "llama-3.1-405b");
  await until(`document.getElementById("layout").textContent === "No layout fits."`, "nothing fits is an answer");
  await open("#model=c.json&config=%7B%22model_type%22%3A&gpus=8");
  await until(`document.querySelector("[data-flag=model] .error")?.textContent.includes("c.json:1:")`, "a bad config has line and column");
}

/** A GPU of one's own, from a file; a name chosen afterwards is the name again. */
async function ownFiles() {
  const gpu = join(folder, "mine.json");
  writeFileSync(gpu, readFileSync("data/gpu/h100-sxm.json", "utf8").replace(/("hbm": *\{[^}]*"value": *)3\.35/, "$13.9"));
  const tokens = (...flags) => ask("plan", "llama-2-7b", "--gpus", "8", ...flags).best.tokens_per_s_per_gpu;
  const own = tokens("--gpu", gpu), usual = tokens();
  check("the file is another machine", own !== usual, `${own}`);
  await open("#model=llama-2-7b&gpus=8");
  await until("document.documentElement.dataset.plan", "a plan");
  await choose("[data-file=gpu]", [gpu]);
  await until(`location.hash.includes("gpu=mine.json") && location.hash.includes("gpu-text=")`, "the file is in the link");
  const shown = async () => JSON.parse((await kept("#plan", "JSON", "llama-2-7b-plan.json")).toString()).best.tokens_per_s_per_gpu;
  await until(`document.getElementById("command").textContent.includes("--gpu mine.json")`, "the command line names it");
  await becomes(`document.documentElement.dataset.plan`, 2000);
  for (let i = 0; i < 20 && (await shown()) !== own; i++) await new Promise((resolve) => setTimeout(resolve, 200));
  check("the plan is that of the file", (await shown()) === own, `${await shown()} ${own}`);
  await read(`{ const s = document.getElementById("knob-gpu"); s.value = "h100-sxm"; s.dispatchEvent(new Event("change", { bubbles: true })); }`);
  for (let i = 0; i < 20 && (await shown()) !== usual; i++) await new Promise((resolve) => setTimeout(resolve, 200));
  check("a name again", (await shown()) === usual, `${await shown()} ${usual}`);
  await until(`!location.hash.includes("gpu-text=")`, "the file has left the link");
  writeFileSync(gpu, '{"title": ');
  await choose("[data-file=gpu]", [gpu]);
  await until(`document.querySelector("[data-flag=gpu] .error").textContent.includes("mine.json:1:")`, "a damaged file has line and column, at its field");
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
  const box = await read(`(() => { const e = document.getElementById("${id}"); e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.left, r.top + r.height / 2, r.width]; })()`);
  const at = (share) => ({ x: box[0] + 8 + (box[2] - 16) * share, y: box[1], button: "left", buttons: 1, clickCount: 1 });
  await read(`{ window.gaps = []; let before = performance.now(); (function tick(now) { gaps.push(now - before); before = now; window.ticking = requestAnimationFrame(tick); })(before);
    window.drafts = []; new MutationObserver(() => drafts.push(Number(document.querySelector(".curve").dataset.draftMs))).observe(document.querySelector(".curve"), { attributeFilter: ["data-draft-ms"] }); }`);
  await tell("Input.dispatchMouseEvent", { type: "mousePressed", ...at(from) });
  for (let i = 0; i <= 40 || (i < 1000 && i % 20 === 0 && (await read("drafts.length")) < 2) || i % 20; i++) { // on a busy machine for longer
    await tell("Input.dispatchMouseEvent", { type: "mouseMoved", ...at(from + ((to - from) * (i % 41)) / 40) });
    await new Promise((done) => setTimeout(done, 16));
  }
  await tell("Input.dispatchMouseEvent", { type: "mouseMoved", ...at(to) });
  const before = await read("drafts.length");
  await becomes(`drafts.length > ${before}`, 10000);
  const seen = await read(`(cancelAnimationFrame(ticking), { frames: gaps.length, worst: Math.max(...gaps.slice(1)), seconds: gaps.reduce((a, b) => a + b) / 1000, drafts })`);
  await tell("Input.dispatchMouseEvent", { type: "mouseReleased", ...at(to) });
  return seen;
}

async function curveTab() {
  await open("#tab=curve&model=llama-3.1-70b&gpus=512&seq=8192&global-batch=4Mtok&to=65536");
  await until(`document.querySelector(".curve")?.dataset.searchMs`, "the first curve");
  notes.push(`first curve ${(await read("performance.now()")).toFixed(0)} ms after opening (${await textOf("#curve .status")})`);
  const want = ask("explain", "llama-3.1-70b", "--gpus", "1024", "--seq", "8192", "--global-batch", "4Mtok");
  await read(`[...document.querySelectorAll("#curve details")].forEach((d) => (d.open = true))`);
  const row = await read(`[...document.querySelectorAll("#curve tbody tr")].map((r) => r.textContent).find((t) => t.startsWith("1,024strong"))`);
  check("a point is the command line's", row?.includes(want.step_s.toPrecision(3)), `${row} / ${want.step_s}`);
  await read(`document.querySelectorAll("#curve details").forEach((d) => (d.open = false))`);
  await shot("curve-light.webp");
  const scale = ask("scale", "llama-3.1-70b", "--gpus", "8..65536", "--seq", "8192", "--global-batch", "4Mtok");
  const whole = (n) => n.toLocaleString("en-US");
  await until(`/DP cap: /.test(document.querySelector(".walls").textContent)`, "the walls");
  const walls = await textOf(".walls");
  check("the walls are the command line's", walls.includes(`DP cap: ${whole(scale.dp_cap.gpus)} GPUs`) && walls.includes(`knee: ${whole(scale.knee.gpus)} GPUs`), walls);
  await typeInto("knob-critical-batch", "500ktok");
  await until(`document.querySelector(".walls").textContent.includes("critical batch 500k")`, "a lower critical batch");
  await until(`document.querySelector(".curve .wall-name")?.textContent.startsWith("DP cap")`, "the cap is drawn");
  await until(`/searches in/.test(document.querySelector("#curve .status").textContent)`, "rest");
  check("a slider stands at a typed value", (await read(`document.getElementById("slide-critical-batch").getAttribute("aria-valuetext") + document.getElementById("slide-critical-batch").value`)) === "500ktok3");
  await shot("curve-cap.webp");
  await typeInto("knob-critical-batch", "");
  const before = await read(`document.querySelector(".curve .line").getAttribute("d")`);
  const seen = await drag("slide-global-batch", 0.1, 0.95);
  const drafts = seen.drafts.sort((a, b) => a - b);
  notes.push(`dragging: ${seen.frames} frames in ${seen.seconds.toFixed(2)} s, longest gap ${seen.worst.toFixed(0)} ms, ${drafts.length} drafts, median ${drafts[drafts.length >> 1]} ms, slowest ${drafts.at(-1)} ms`);
  check("the curve moves while dragging", drafts.length > 1 && before !== (await read(`document.querySelector(".curve .line").getAttribute("d")`)), drafts.length);
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

/** A click of the mouse in the middle of something, or at a share of its width. */
async function click(selector, share = 0.5, inset = 0) {
  const [x, y] = await read(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.left + ${inset} + (r.width - ${2 * inset}) * ${share}, r.top + r.height / 2]; })()`);
  for (const type of ["mousePressed", "mouseReleased"]) await tell("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
}
const rested = `/searches in/.test(document.querySelector("#curve .status").textContent) && document.querySelector(".curve").dataset.walls === "true"`;

/** What the lesson asks for: a curve, the model pushed up, the critical batch dropped. */
async function fourClicks() {
  await open("#model=llama-3.1-8b&gpus=64&seq=8192&global-batch=4Mtok&to=4096");
  await until("document.documentElement.dataset.plan", "a plan");
  const seen = async (words, done = rested) => {
    await until(done, words);
    return read(`({ cap: Number(/DP cap: ([\\d,]+)/.exec(document.querySelector(".walls").textContent)?.[1].replaceAll(",", "")), cheap: Number(document.querySelector(".curve .cheap")?.getAttribute("width") ?? 0),
      bound: Number(/1\\/\\(1\\+c\\) = ([\\d.]+)/.exec(document.querySelector(".card").textContent)[1]) })`);
  };
  const slide = async (flag, stop) => click(`#slide-${flag}`, stop / (await read(`Number(document.getElementById("slide-${flag}").max)`)), 8);
  await click("#tab-curve");
  const small = await seen("the curve");
  const models = await read(`ceiling.ask({ command: "params" }).then((t) => JSON.parse(t).models.sort((a, b) => a.parameters - b.parameters).map((m) => m.name))`);
  await slide("model", models.indexOf("llama-3.1-70b"));
  await until(`location.hash.includes("model=")`, "the model in the link");
  const large = await seen("the larger model", `!location.hash.includes("3.1-8b") && ${rested}`);
  const caps = async (what) => {
    const state = Object.fromEntries(new URLSearchParams((await read("location.hash")).slice(1)));
    const scale = ask("scale", state.model, "--gpus", "8..4096", "--seq", state.seq, "--global-batch", state["global-batch"], ...(state["critical-batch"] ? ["--critical-batch", state["critical-batch"]] : []));
    check(`the cap is the command line's: ${what}`, (await textOf(".walls")).includes(`DP cap: ${scale.dp_cap.gpus?.toLocaleString("en-US")} GPUs`), `${await textOf(".walls")} / ${scale.dp_cap.gpus}`);
    const last = scale.points.at(-1), samples = (await textOf(".card")).match(/([\d.]+) × the samples/)?.[1];
    check(`what is left of the tokens is the command line's: ${what}`, samples === last.samples_needed_ratio.toFixed(2), `${samples} / ${last.samples_needed_ratio}`);
    const hours = (await textOf(".card")).match(/; ([\d.]+) ([dhms]+) to the target|^.*?([\d.]+) ([dhms]+) to the target/);
    const said = Number(hours?.[1] ?? hours?.[3]) * { d: 24, h: 1 }[hours?.[2] ?? hours?.[4]];
    check(`hours are the command line's: ${what}`, Math.abs(said / last.hours_to_target - 1) < 0.01, `${said} / ${last.hours_to_target}`);
  };
  await caps("larger model");
  check("a larger model lifts the curve", large.bound > small.bound, `${large.bound} / ${small.bound}`);
  check("and moves the cap to the right", large.cap > small.cap, `${large.cap} / ${small.cap}`);
  await shot("lesson-large.webp");
  await slide("critical-batch", 1);
  const poor = await seen("a small critical batch", `location.hash.includes("critical-batch=") && ${rested}`);
  check("a small critical batch makes the cheap ground collapse", poor.cheap < 0.7 * large.cheap && poor.cap < large.cap, `${poor.cheap} of ${large.cheap}`);
  await shot("lesson-critical.webp");
  await uncrossed("with a small critical batch");
  await slide("global-batch", 7);
  await seen("a larger batch", `location.hash.includes("global-batch=16Mtok") && ${rested}`);
  await caps("larger batch");
}

/** Whether a line of the drawing goes through the words that say what efficiency is of. */
async function uncrossed(what) {
  const crossed = await read(`(() => {
    const words = [...document.querySelectorAll(".curve text")].find((one) => one.textContent.startsWith("efficiency")), box = words.getBBox();
    return [...words.ownerSVGElement.querySelectorAll("path.line")].some((line) => {
      for (let at = 0; at < line.getTotalLength(); at++) {
        const { x, y } = line.getPointAtLength(at);
        if (x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height) return true;
      }
      return false;
    });
  })()`);
  check(`no line goes through what efficiency is of ${what}`, !crossed);
}

/** The file a button keeps. */
async function kept(selector, words, name) {
  const path = join(folder, name);
  rmSync(path, { force: true });
  await read(`[...document.querySelectorAll(${JSON.stringify(`${selector} .export button`)})].find((b) => b.textContent === ${JSON.stringify(words)}).click()`);
  for (let i = 0; i < 200 && !existsSync(path); i++) await new Promise((done) => setTimeout(done, 20));
  await new Promise((done) => setTimeout(done, 50));
  return existsSync(path) ? readFileSync(path) : Buffer.from("");
}

/** A page opened plainly teaches: the curve, its sentence, four links; nothing is stated before it was searched. */
async function lesson() {
  await open("");
  await until(`document.querySelector(".searching:not([hidden])")`, "a search");
  check("walls are not stated while it searches", !/none|not reached/.test(await textOf(".walls")) && !/past|becomes progress/i.test(await textOf("#sentence")), `${await textOf(".walls")} ${await textOf("#sentence")}`);
  await until(rested, "the curve of the first visit");
  const scale = ask("scale", "llama-3.1-8b", "--gpus", "8..4096", "--seq", "8192", "--global-batch", "4Mtok"), words = await textOf("#sentence");
  for (const wall of [scale.dp_cap, scale.knee]) check("the sentence names the walls of the command line", words.toLowerCase().includes(`past ${wall.gpus.toLocaleString("en-US")} gpus`), words);
  check("and the model by its title", words.startsWith("Llama 3.1 8B, 4.19M tokens a step: "), words);
  check("useful tokens are drawn", (await read(`document.querySelectorAll(".curve .useful").length`)) === 2);
  await shot("lesson.webp");
  const links = await read(`[...document.querySelectorAll(".lesson")].map((a) => a.getAttribute("href"))`);
  check("four short links", links.length === 4 && links.every((link) => link.length < 120), links.join(" "));
  await click(".lesson:nth-of-type(4)");
  await until(`location.hash.includes("critical-batch=500ktok") && ${rested}`, "the fourth lesson");
  check("the critical batch is in its sentence", await becomes(`document.querySelector("#sentence").textContent.includes("critical 500k tokens")`, 20000), await textOf("#sentence"));
  check("and that the batch is beyond it", /8\.4 times what a step can learn from.*10\.\d % of them become progress/.test(await textOf("#sentence")), await textOf("#sentence"));
  check("sizes on which nothing fits have their mark in the legend", await read(`[...document.querySelectorAll(".curve .cross")].length > 0 && !document.querySelector(".legend .cross").parentElement.hidden`));
  const apart = await read(`(() => { const word = document.querySelector(".curve .regime").getBoundingClientRect(), line = document.querySelectorAll(".curve .line.useful")[1];
    return Array.from({ length: 400 }, (_, i) => line.getPointAtLength((line.getTotalLength() * i) / 399).matrixTransform(line.getScreenCTM())).every(({ x, y }) => x < word.left || x > word.right || y < word.top || y > word.bottom); })()`);
  check("the name of the ground does not lie on the useful line", apart);
  check("what a layout's letters say is under the pointer", /tp\d+: (\d+ GPUs share|matrices)/.test(await read(`document.querySelector(".card .layout").title`)));
  check("the words have their meanings", (await read(`document.querySelectorAll(".card abbr[title]").length`)) > 2 && (await textOf("#words")).includes("critical batch"));
  await open("#model=llama-3.1-70b");
  await until("document.documentElement.dataset.plan", "a link without GPUs");
  check("a link says only what is not usual", await becomes(`location.hash === "#v=1&model=llama-3.1-70b"`, 2000), await read("location.hash"));
  await typeInto("knob-gpus", "512");
  await until(`location.hash === "#v=1&model=llama-3.1-70b&gpus=512"`, "a change is in the link");
  await read("history.back()");
  check("Back undoes it", await becomes(`document.getElementById("knob-gpus").value === "1024" && location.hash === "#v=1&model=llama-3.1-70b"`, 3000), await read("location.hash"));
}

async function exports() {
  await open("#tab=curve&model=llama-3.1-8b&gpus=64&to=512");
  await until(rested, "a curve to keep");
  const svg = (await kept("#curve", "SVG", "llama-3.1-8b-curve.svg")).toString(), png = await kept("#curve", "PNG", "llama-3.1-8b-curve.png"), csv = (await kept("#curve", "CSV", "llama-3.1-8b-curve.csv")).toString();
  check("a curve as SVG, looks included", /^<svg/.test(svg) && /stroke: ?rgb/.test(svg) && !/NaN|undefined/.test(svg), svg.slice(0, 200));
  check("a curve as PNG", png.subarray(1, 4).toString() === "PNG" && png.length > 5000, png.length);
  check("a curve as CSV", csv.startsWith("gpus,mode,layout,") && csv.trim().split("\n").length === 15, csv);
  await open("#model=llama-3.1-8b&gpus=64");
  await until("document.documentElement.dataset.plan", "a plan to keep");
  const json = (await kept("#plan", "JSON", "llama-3.1-8b-plan.json")).toString();
  check("a plan as JSON is the command line's", json === spawnSync(ceiling, ["plan", "llama-3.1-8b", "--gpus", "64", "--json"], { encoding: "utf8" }).stdout.replace(/"seconds": [0-9.e+-]+/, '"seconds": 0'), json.slice(0, 200));
  check("a plan as SVG", /memory of the fullest rank/.test((await kept("#plan", "SVG", "llama-3.1-8b-plan.svg")).toString()));
  await read(`document.getElementById("why").open = true`);
  await until(`document.querySelector("#undone tbody tr")`, "what one thing undone costs");
  const why = JSON.parse(await read(`ceiling.ask({ command: "why", model: "llama-3.1-8b", gpus: "64" })`));
  check("every rung", (await read(`document.querySelectorAll("#undone tbody tr").length`)) === why.undone.length);
  check("what would move it", (await read(`document.querySelectorAll("#moves tr").length`)) === 7);
}

/** Files of a job dropped: they become the question; what is none leaves it as it is. */
async function jobFiles() {
  const script = join(folder, "train.sh");
  writeFileSync(script, "torchrun train.py\n");
  await open("#model=llama-2-7b&gpus=8");
  await until("document.documentElement.dataset.plan", "a plan");
  await dropFiles([script], 700, 400);
  await until(`document.getElementById("banner").textContent.includes("no trainer's keys")`, "a script of no trainer");
  check("the question stays", (await read(`document.getElementById("knob-model").value`)) === "llama-2-7b");
  const yaml = join(folder, "sft.yaml"), zero = join(folder, "ds_z2.json");
  writeFileSync(yaml, "model_name_or_path: Qwen/Qwen2.5-7B\nfinetuning_type: full\ncutoff_len: 4096\nper_device_train_batch_size: 2\ndeepspeed: ds_z2.json\n");
  writeFileSync(zero, '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}');
  await dropFiles([yaml, zero], 700, 400);
  await until(`document.getElementById("job").textContent.includes("gpus: not in the files")`, "what the files leave open");
  check("the model of the files", (await read(`document.getElementById("knob-model").value`)) === "qwen2.5-7b");
}

/** Tables of jobs and of served models: dropped or pasted, answered as the command line prints it. */
async function tables() {
  const team = "tests/fuzz/corpus/jobs/team.csv", served = "model,rate\nllama-3.1-8b,2req/s\nqwen3-0.6b,1req/s\n", file = join(folder, "pasted.csv");
  const printed = (...words) => spawnSync(ceiling, words, { encoding: "utf8" }).stdout;
  await open("#tab=plan&model=llama-2-7b&gpus=8");
  await until("document.documentElement.dataset.plan", "a plan");
  await dropFiles([resolve(team)], 700, 400);
  await until(`document.querySelector("#economics pre")`, "a list of jobs");
  check("jobs are answered as the command line prints it", (await textOf("#economics pre")) === printed("portfolio", team, "--gpus", "8..256"), await textOf("#economics pre"));
  await read(`document.querySelector("#economics .core-picture").open = true`);
  await until(`document.querySelector("#economics .core-picture img")`, "their picture");
  writeFileSync(file, served);
  await read(`{ const d = new DataTransfer(); d.setData("text", ${JSON.stringify(served)}); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`);
  await until(`document.querySelector("#economics pre")?.textContent.startsWith("fleet")`, "a fleet");
  check("so are served models", (await textOf("#economics pre")) === printed("fleet", file, "--span", "1h"), await textOf("#economics pre"));
  check("the question is in the link", (await becomes(`location.hash.includes("fleet.table-text=")`, 5000)) && (await textOf("#command")) === "ceiling fleet pasted.csv --span 1h", await textOf("#command"));
}

/** Stages of different layers: the plan, not one split evenly, is what is taken apart. */
async function unevenStages() {
  const question = ["llama-3.1-8b", "--gpus", "16", "--fabric", "ethernet-100", "--global-batch", "128"];
  await open("#tab=plan&model=llama-3.1-8b&gpus=16&fabric=ethernet-100&global-batch=128");
  await until("document.documentElement.dataset.plan", "a plan of uneven stages");
  check("it says so", (await textOf("#layout")).endsWith(" uneven"), await textOf("#layout"));
  await read(`document.getElementById("why").open = true`);
  await until(`document.querySelector("#undone tbody tr")`, "what one thing undone costs");
  const printed = spawnSync(ceiling, ["plan", ...question], { encoding: "utf8" }).stdout.match(/^ +tensor parallel halved +step (.*? \(.*?\))/m)[1], rows = await textOf("#undone tbody");
  check("one thing undone costs what the command line says", rows.includes(printed), `${rows} / ${printed}`);
  await read(`document.querySelector("#alternatives .small").click()`);
  await until(`/[#&]stage-layers=/.test(location.hash)`, "the split is kept");
}

/** Nothing fits: what is nearest, and the GPUs that would do. */
async function tooSmall() {
  await open("#model=llama-3.1-405b&gpus=64&seq=8192");
  await until(`document.getElementById("on-more")`, "what more GPUs would do");
  const more = ask("plan", "llama-3.1-405b", "--gpus", "64", "--seq", "8192").nearest.on_more_gpus;
  check("the GPUs that do are the command line's", (await textOf("#on-more")).startsWith(`On ${more.machine.gpus} GPUs one fits: tp${more.layout.tp}`), await textOf("#on-more"));
}

async function economicsTab() {
  await open("#model=llama-3.1-8b&gpus=64&seq=8192&tokens=1000B&deadline=30d&size.gpu=h100-sxm");
  await until("document.documentElement.dataset.plan", "a plan");
  const { run } = ask("plan", "llama-3.1-8b", "--gpus", "64", "--seq", "8192", "--tokens", "1000B"), ran = await textOf(".tiles");
  check("tokens take what the command line says, in its units", run.tokens === 1e12 && ran.includes(`${(run.seconds / 86400).toPrecision(3)} d`), ran);
  await click("#tab-economics");
  await until(`document.getElementById("economics").dataset.version`, "clusters");
  const size = ask("size", "llama-3.1-8b", "--seq", "8192", "--tokens", "1T", "--deadline", "30d", "--gpu", "h100-sxm");
  check("the cluster is the command line's", (await textOf("#economics-head")) === `${size.best.gpus.toLocaleString("en-US")} × ${size.best.gpu}`, await textOf("#economics-head"));
  check("P90 of the time is the command line's", (await textOf("#economics .tiles")).includes(`${(size.best.seconds_p90 / 86400).toPrecision(3)} d`), await textOf("#economics .tiles"));
  check("all clusters are drawn", (await read(`document.querySelectorAll(".clusters circle.dot").length`)) === size.clusters.length);
  await shot("economics-size.webp");
  await click("#economics .choice label:nth-of-type(2) input");
  await until(`document.querySelector(".factors")`, "a demand");
  check("a rate to begin with is in the link", await becomes(`location.hash.includes("rate=5req")`, 2000), await read("location.hash"));
  await typeInto("knob-rate", "20req/s");
  await typeInto("knob-ttft", "1s");
  const demand = ask("demand", "llama-3.1-8b", "--rate", "20req/s", "--span", "20min", "--ttft", "1s");
  const dollars = `$${demand.usd_per_million_tokens < 0.0995 ? demand.usd_per_million_tokens.toPrecision(2) : demand.usd_per_million_tokens.toPrecision(3)}`;
  await until(`document.getElementById("economics-head").textContent.includes(${JSON.stringify(dollars)})`, `${dollars} per million tokens`);
  check("replicas are the command line's", (await textOf("#economics-head")).startsWith(`${demand.replicas} replica`), await textOf("#economics-head"));
  const bought = spawnSync(ceiling, ["demand", "llama-3.1-8b", "--rate", "20req/s", "--span", "20min", "--ttft", "1s"], { encoding: "utf8" }).stdout.match(/^buy +(.*)$/m)[1];
  check("what to buy is the command line's", (await textOf("#buy")) === `buy ${bought}`, `${await textOf("#buy")} / ${bought}`);
  check("the bill is the command line's", (await textOf("#economics .tiles")).includes(`$${demand.bill.usd_per_h.toFixed(2)} an hour`), await textOf("#economics .tiles"));
  check("as many bars as factors, and the API", (await read(`document.querySelectorAll(".factors rect").length`)) === demand.factors.length + 1);
  await shot("economics-demand.webp");
  await typeInto("knob-rate", "20req/x");
  await until(`document.querySelector("[data-flag=rate] .error").textContent`, "a rate in no unit");
  const sentence = spawnSync(ceiling, ["demand", "llama-3.1-8b", "--rate", "20req/x", "--span", "20min"], { encoding: "utf8" }).stderr.trim();
  check("the core's own sentence, at its field", `ceiling: ${await textOf("[data-flag=rate] .error")}` === sentence, await textOf("[data-flag=rate] .error"));
  const table = join(folder, "day.csv"), text = "hour,req_per_min\n0,30\n1,600\n2,90\n";
  writeFileSync(table, text);
  await dropFiles([table], 700, 400);
  await until(`document.getElementById("knob-profile").value === "day.csv"`, "a profile dropped");
  const daily = ask("demand", "llama-3.1-8b", "--profile", table, "--span", "20min", "--ttft", "1s");
  await until(`document.querySelector("#economics .what").textContent.includes(${JSON.stringify(daily.demand.requests.toLocaleString("en-US"))})`, `${daily.demand.requests} requests`);
  check("a short file is in the link", await becomes(`location.hash.includes("profile-text=")`, 2000));
}

async function traceTab() {
  const put = (name, bytes) => (writeFileSync(join(folder, name), bytes), join(folder, name));
  const files = [put("rank0.json.gz", gzipSync(rank(0))), put("rank1.zip", zipOf("rank1.json", rank(1))), put("notes.txt", "no recording\n")];
  await open("#tab=trace&model=llama-3.1-8b&gpus=8");
  await until(`document.getElementById("trace-files")`, "the trace tab");
  await dropFiles(files, 600, 200);
  await until(`document.querySelector("#trace [data-ranks='2']")`, "two ranks");
  const program = spawnSync(resolve(ceiling), ["trace", "notes.txt", "rank0.json.gz", "rank1.zip", "--json"], { encoding: "utf8", cwd: folder }).stdout, trace = JSON.parse(program);
  check("recordings give the command line's bytes", (await kept("#trace", "JSON", "trace.json")).toString() === program);
  const titles = await read(`[...document.querySelectorAll(".stacked rect title")].map((t) => t.textContent)`);
  check("ledger bars", titles.some((t) => t.startsWith("rank 1: compute 100 µs")) && titles.some((t) => t.startsWith("rank 0: waiting for other ranks 39.9 µs")), titles.join(" | "));
  check("who is late", (await textOf("#trace-result")).includes("rank 1") && trace.stragglers[0].rank === 1);
  check("what was skipped", (await textOf("#trace-result .caveat")).includes("notes.txt"));
  check("one row a rank", (await kept("#trace", "CSV", "trace.csv")).toString().trim().split("\n").length === 3);
  check("the drawing can be kept", /^<svg/.test((await kept("#trace", "SVG", "trace.svg")).toString()));
  // Perfetto's window is played by a frame: it says that it is there, and is handed the timeline.
  await read(`(() => { const frame = document.body.appendChild(document.createElement("iframe")), view = frame.contentWindow; window.open = () => view; view.postMessage = (what) => { if (what === "PING") window.dispatchEvent(new MessageEvent("message", { data: "PONG", source: view })); else window.handed = new TextDecoder().decode(what.perfetto.buffer); }; document.getElementById("trace-perfetto").click(); })()`);
  await until(`window.handed`, "a timeline for Perfetto");
  spawnSync(resolve(ceiling), ["trace", "rank0.json.gz", "rank1.zip", "--timeline", "timeline.json"], { cwd: folder });
  check("Perfetto is handed the command line's timeline", (await read(`window.handed`)) === readFileSync(join(folder, "timeline.json"), "utf8"));
  await choose("#trace-others", [files[0]]);
  await until(`/beside the other run/.test(document.getElementById("trace").textContent)`, "another run beside it");
  await shot("trace.webp");
  const published = join("..", "shared", "traces", "megatron-tp8");
  if (existsSync(published)) {
    await choose("#trace-files", [0, 1, 2, 3, 4, 5, 6, 7].map((n) => resolve(published, `rank${n}.json.gz`)));
    await until(`document.querySelector("#trace [data-ranks='8']")`, "published recordings of eight ranks");
    await shot("trace-8.webp");
  }
  await read(`document.querySelector("#trace .drop .buttons button:nth-of-type(3)").click()`);
  await choose("#trace-files", [files[2]]);
  await until(`document.getElementById("banner").textContent.includes("notes.txt")`, "a file that is no recording");
}

/** The page as the command line writes it, opened on an answer. */
async function reports() {
  const write = (name, ...words) => spawnSync(resolve(ceiling), [...words, "-o", name], { encoding: "utf8", cwd: folder });
  const visitReport = (name) => visit(`file://${join(folder, name)}`);
  const request = `{ command: "plan", model: "llama-2-7b", gpus: "8" }`;
  check("a report is written", write("plan.html", "plan", "llama-2-7b", "--gpus", "8", "--json").status === 0);
  await visitReport("plan.html");
  await until("document.documentElement.dataset.plan", "a report of a plan");
  check("it is the answer of the command line, seconds too", !/"seconds": 0,/.test(await read(`ceiling.ask(${request})`)));
  check("it says so", (await textOf("#from")).includes("ceiling plan llama-2-7b --gpus 8"));
  write("demand.html", "demand", "llama-3.1-8b", "--rate", "5req/s", "--span", "2min");
  await visitReport("demand.html");
  await until(`document.querySelector(".factors")`, "a report of a demand");
  write("trace.html", "trace", "rank0.json.gz", "rank1.zip");
  await visitReport("trace.html");
  await until(`document.querySelector("#trace [data-ranks='2']")`, "a report of recordings");
  write("scale.html", "scale", "llama-3.1-8b", "--gpus", "8,24,64");
  await visitReport("scale.html");
  await until(`document.getElementById("wake")`, "a report of a curve, asleep");
  check("a report of a curve is its stored answer", (await textOf("#stored pre")).includes("GPUs") && (await read(`document.querySelectorAll("#stored svg").length`)) === 1);
  check("and asks nothing by itself", (await read(`document.querySelectorAll(".curve .dot").length`)) === 0);
  await screenOf(390, 844);
  const phone = await read(`(() => { const svg = document.querySelector("#stored svg"), type = parseFloat(getComputedStyle(document.querySelector("#stored pre")).fontSize);
    return { label: 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width, type, over: document.documentElement.scrollWidth - innerWidth, moves: svg.parentElement.scrollWidth > svg.parentElement.clientWidth }; })()`);
  check("on a phone its labels and words are of a size to read, and the figure alone moves sideways", phone.label >= 10 && phone.type >= 10 && phone.over <= 0 && phone.moves, JSON.stringify(phone));
  await screenOf(1280, 1000);
  await shot("report.webp");
  await read(`document.getElementById("wake").click()`);
  await until(`document.querySelectorAll(".curve .dot.strong").length === 6`, "a report of a curve");
  check("the sizes asked for", (await textOf("#command")).includes("--gpus 8,24,64"), await textOf("#command"));
}

/** Everything to press or fill has a name for those who do not see it. */
async function names() {
  await open("#model=llama-2-7b&gpus=8");
  await until("document.documentElement.dataset.plan", "a plan");
  const nameless = await read(`[...document.querySelectorAll("input, select, button, [role=img], [role=tabpanel], progress")].filter((e) => !e.hidden && e.type !== "file" && !(e.labels?.length || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim())).map((e) => e.outerHTML)`);
  check("all controls have names", nameless.length === 0, nameless.join("\n"));
}

/** A batch that grows with the GPUs past what any run took is still the person's: it was "nothing fits". */
async function grownBatch() {
  await open("#tab=curve&model=llama-3.1-8b&gpus=8&seq=8192&global-batch=4Mtok&to=4096");
  await until(`/searches in/.test(document.querySelector("#curve .status").textContent)`, "a curve of large batches");
  await read(`[...document.querySelectorAll("#curve details")].forEach((d) => (d.open = true))`);
  check("the largest weak point", await read(`[...document.querySelectorAll("#curve tbody tr")].some((r) => r.textContent.startsWith("4,096weaktp"))`));
}

/** With the keyboard: past the question to the answer. */
async function skips() {
  const press = async (key) => { for (const type of ["keyDown", "keyUp"]) await tell("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: key === "Tab" ? 9 : 13, ...(key === "Enter" && { text: "\r" }) }); };
  await open("#tab=curve&model=llama-2-7b&gpus=8&to=64");
  await until(`document.querySelector(".curve")?.dataset.searchMs`, "a curve");
  await press("Tab");
  check("the first stop is a way past the question, and is seen", await read(`document.activeElement.id === "skip" && document.activeElement.getBoundingClientRect().width > 40`));
  await press("Enter");
  await press("Tab");
  check("the next stop is in the answer", await read(`Boolean(document.activeElement.closest("main"))`), await read("document.activeElement.id"));
}

async function narrow() {
  await screenOf(390, 844);
  await open("#tab=curve&model=llama-3.1-8b&gpus=64&to=1024");
  await until(`document.querySelector(".curve")?.dataset.searchMs`, "a curve on a narrow screen");
  const fits = async (what) => check(`no sideways scrolling: ${what}`, await read("document.documentElement.scrollWidth <= innerWidth"), await read("document.documentElement.scrollWidth"));
  await fits("curve");
  check("the chart comes before the sliders", await read(`document.querySelector(".curve").getBoundingClientRect().top < document.querySelector(".sliders").getBoundingClientRect().top`));
  await shot("narrow.webp");
  for (const tab of ["trace", "plan"]) {
    await click(`#tab-${tab}`);
    await until(`!document.getElementById("${tab}").hidden`, tab);
    if (tab === "plan") await until("document.documentElement.dataset.plan", "a plan on a narrow screen");
    await fits(tab);
  }
  await until(`document.querySelector("#alternatives .small")`, "layouts on a narrow screen");
  check("a layout can be kept there", await read(`[...document.querySelectorAll("#alternatives .small")].every((b) => b.getBoundingClientRect().right <= innerWidth - 10)`));
}

try {
  await start();
  await planTab();
  await errors();
  await curveTab();
  await grownBatch();
  await overlay();
  await tell("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await lesson();
  await fourClicks();
  await exports();
  await ownFiles();
  await jobFiles();
  await unevenStages();
  await tooSmall();
  await economicsTab();
  await tables();
  await traceTab();
  await reports();
  await names();
  await sameBytes();
  await skips();
  await narrow();
  check("no complaint on the console", complaints.length === 0, complaints.join("\n"));
  const outside = fetched.filter((url) => !/^(file|data|blob|about):/.test(url));
  check("nothing is fetched", outside.length === 0, outside.join(" "));
} catch (fault) {
  check("the test itself", false, fault.stack);
} finally {
  await stop();
  rmSync(folder, { recursive: true });
}
if (process.env.VERBOSE) notes.forEach((note) => console.log(note));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
