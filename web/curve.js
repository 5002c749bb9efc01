/* curve.js -- the scaling curve: sliders, strong and weak lines, what runs at each size.
 *
 * While a slider moves, every size keeps the layout it had and is only priced anew (a draft, drawn
 * hollow); when it rests, every size is searched. */
import { drawCurve, sizeAt } from "./chart.js";
import { drawn, element } from "./dom.js";
import { csvOf, exportButtons, pictureDetails } from "./export.js";
import { showBytes, showCount, showLayout, showMoney, showSeconds, showShare, showWhole, timeParts } from "./format.js";
import { explained, meaningOf } from "./glossary.js";
import { runsOfModel } from "./runs.js";
import { askCurve, askWalls, sizesTo } from "./scale.js";
import { requestOf, stateOfHash, textOf } from "./state.js";

const rest = 220; // ms without a change before every size is searched
const breath = 300; // ms between two questions for walls, so that drafts have the workers to themselves
const modes = { strong: "strong: the batch held", weak: "weak: the batch per GPU held" };
const rates = ["", "25Gbit/s", "50Gbit/s", "100Gbit/s", "200Gbit/s", "400Gbit/s", "800Gbit/s", "1600Gbit/s", "3200Gbit/s"];
const powersOf2 = (low, high) => Array.from({ length: high - low + 1 }, (_, i) => 2 ** (low + i));

/** Stops of the sliders: flag, words, and the values from left to right. Powers of two, because a
 * batch without divisors has few layouts and would draw a ragged curve. */
function stopsOf(models) {
  const bySize = [...models].sort((a, b) => a.parameters - b.parameters);
  return [
    ["model", "model, by size", bySize.map((m) => m.name)],
    ["global-batch", "global batch", powersOf2(-3, 7).map((m) => `${m}Mtok`)],
    ["seq", "sequence", powersOf2(10, 17).map(String)],
    ["fabric", "fabric per GPU", rates],
    ["critical-batch", "critical batch", ["", ...powersOf2(-3, 7).map((m) => `${m}Mtok`), "none"]],
    ["to", "up to GPUs", powersOf2(6, 17).map(String)],
  ];
}

const multiples = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** A number with its multiple, whatever the unit: enough to compare two of a kind. */
function sizeOf(value) {
  const [, number, multiple] = /^\s*([\d.]+)\s*([kMGT])?/.exec(value) ?? [];
  return Number(number) * (multiples[multiple] ?? 1);
}

/** The stop nearest to a value that may lie between stops. */
function placeOf(values, value) {
  const exact = values.indexOf(value ?? "");
  if (exact >= 0) return exact;
  const wanted = Math.log(sizeOf(value));
  if (!Number.isFinite(wanted)) return 0;
  const far = (v) => (Number.isNaN(sizeOf(v)) ? Infinity : Math.abs(Math.log(sizeOf(v)) - wanted));
  return values.reduce((near, v, i) => (v && (!values[near] || far(v) < far(values[near])) ? i : near), 0);
}

function sliderOf([flag, words, values], fallback, set, help) {
  const shown = element("output", {}), range = element("input", {
    type: "range", min: 0, max: values.length - 1, step: 1, id: `slide-${flag}`,
    oninput: () => set(flag, values[range.value]), onchange: () => set(flag, values[range.value], true),
  });
  const box = element("div", { class: "slider" }, element("label", { for: range.id, title: help }, words), flag === "to" ? "" : element("small", { class: "flag", "aria-hidden": "true" }, `--${flag}`), range, shown);
  return { box, show(state) {
    range.value = placeOf(values, state[flag] || (values[0] === "" ? "" : fallback));
    shown.textContent = state[flag] || fallback;
    range.setAttribute("aria-valuetext", shown.textContent);
  } };
}

const exposedParts = timeParts.map(({ key }) => key).filter((key) => key.endsWith("_exposed_s"));

/** What one answer adds to a line; c is exposed traffic over the rest of the step. */
function pointOf(gpus, { answer, draft }, first) {
  const e = answer;
  const perGpu = e.tokens_per_s / gpus;
  const exposed = exposedParts.reduce((sum, key) => sum + e.time[key], 0), c = exposed / (e.step_s - exposed);
  return { gpus, draft, answer: e, c, bound: 1 / (1 + c), tokens: e.tokens_per_s, low: (e.tokens_per_s * e.step_s) / e.step_p90_s, high: (e.tokens_per_s * e.step_s) / e.step_p10_s, efficiency: first ? perGpu / first : 1 };
}

/** Points of one mode in order of size, efficiency relative to the first that runs. */
function lineOf(held, mode, sizes) {
  const points = [];
  for (const gpus of sizes) {
    const one = held.get(`${mode}/${gpus}`);
    if (!one?.answer?.memory.fits) continue;
    points.push(pointOf(gpus, one, points[0] && points[0].tokens / points[0].gpus));
  }
  return points;
}

/** What a batch beyond the critical one costs, at one size of the strong curve. */
function progressOf(wall) {
  if (!wall?.layout) return null;
  const money = wall.usd_to_target === null ? "" : `, ${showMoney(wall.usd_to_target)}`;
  return element("p", {}, `${wall.past_critical_batch ? "steps past the critical batch; " : wall.past_dp_cap ? "past the DP cap; " : ""}${showSeconds(3600 * wall.hours_to_target)} to the target${money}, ` +
    `${wall.samples_needed_ratio.toFixed(2)} × the samples of small batches, ${showShare(wall.marginal_share)} of added GPUs become progress`);
}

function wallWords(walls, known) {
  if (!walls) return "";
  const { dp_cap: cap, knee } = walls;
  const laws = cap.laws?.length ? ` (${cap.laws.map(({ name, batch_tokens }) => `${name} ${showCount(batch_tokens)}`).join(", ")})` : "";
  const batch = cap.batch_tokens === null ? "no critical batch" : `critical batch ${showCount(cap.batch_tokens)} tokens, ${cap.law}${laws}`;
  return `${known ? "" : "draft, layouts held: "}DP cap: ${cap.gpus === null ? "none" : `${showWhole(cap.gpus)} GPUs`}; knee: ${knee.gpus === null ? knee.why : `${showWhole(knee.gpus)} GPUs, ${knee.why}`}; ${batch}`;
}

/** What the curve says, in two sentences; only of what was searched. */
function sentenceOf(walls, { model, points }) {
  const first = walls.points.find((p) => p.layout), last = points.at(-1).gpus;
  const { dp_cap: cap, knee } = walls, tokens = first.layout.global_batch * first.layout.seq, critical = cap.batch_tokens && showCount(cap.batch_tokens);
  const past = (gpus) => `past ${showWhole(gpus)} GPUs`, over = critical && tokens > 2 * cap.batch_tokens;
  const copies = cap.gpus === null ? "copies of the model never run out of work, for no critical batch is set"
    : over ? `${(tokens / cap.batch_tokens).toFixed(1)} times what a step can learn from (the critical ${critical} tokens): ${showShare(1 / first.samples_needed_ratio)} of them become progress, and with steps of ${critical} tokens, copies of the model run out of work ${past(cap.gpus)}`
      : cap.gpus > last ? `copies of the model have work beyond ${showWhole(last)} GPUs (up to ${showWhole(cap.gpus)})`
        : `${past(cap.gpus)} copies of the model run out of work, for a step of more than the critical ${critical} tokens teaches little more`;
  const gain = knee.gpus === null ? `Up to ${showWhole(last)} GPUs more than half of every added one becomes progress` : `P${past(knee.gpus).slice(1)} less than half of every added one becomes progress`;
  return `${model}, ${showCount(tokens)} tokens a step${over ? ", " : ": "}${copies}. ${gain}.`;
}

/** The lesson, each a link of its own. */
const lessonLinks = [
  ["cheap scaling", "model=llama-3.1-8b&global-batch=4Mtok&to=512"], ["the wall", "model=llama-3.1-8b&global-batch=4Mtok&to=16384"],
  ["grow the model", "model=llama-3.1-70b&global-batch=4Mtok&to=16384"], ["drop the critical batch", "model=llama-3.1-70b&global-batch=4Mtok&to=16384&critical-batch=500ktok"],
].map(([words, link]) => element("a", { class: "lesson", href: `#tab=curve&gpus=64&seq=8192&${link}` }, words));

function cardOf(mode, point, wall, searched) {
  if (!point) return element("div", { class: "card" }, element("h3", { class: mode }, modes[mode]), element("p", {}, searched ? "nothing fits here" : "not searched yet"));
  const e = point.answer;
  return element("div", { class: "card" }, element("h3", { class: mode }, modes[mode], point.draft ? element("small", {}, "draft: layout held") : null),
    element("p", { class: "layout", title: meaningOf(e.layout) }, showLayout(e.layout)),
    element("p", {}, `${showCount(e.tokens_per_s)} tokens/s, step ${showSeconds(e.step_s)}, MFU ${showShare(e.mfu)}, efficiency ${showShare(point.efficiency)}, traffic adds c = ${showShare(point.c)} to the rest of the step (1/(1+c) = ${showShare(point.bound)}), ` +
      `${showWhole(e.layout.global_batch)} sequences, ${showBytes(e.memory.total_bytes)}, bound by ${e.bound_by.replaceAll("_", " ")}`),
    progressOf(wall),
    element("div", { class: "stack thin" }, timeParts.filter(({ key }) => e.time[key] > 0).map(({ key, words, color }) =>
      element("span", { class: `bar ${color}`, style: `width:${(100 * e.time[key]) / e.step_s}%`, title: `${words} ${showSeconds(e.time[key])}` }))),
    element("p", { class: "ledger" }, timeParts.filter(({ key }) => e.time[key] > 0.005 * e.step_s).map(({ key, words, color }) =>
      element("span", {}, element("i", { class: `swatch ${color}` }), explained(words), ` ${showShare(e.time[key] / e.step_s)}`))));
}

const columns = [["gpus", (p) => p.gpus], ["mode", (_, mode) => mode], ["layout", (p) => showLayout(p.answer.layout)],
  ["global_batch", (p) => p.answer.layout.global_batch], ["step_s", (p) => p.answer.step_s], ["step_p10_s", (p) => p.answer.step_p10_s],
  ["step_p90_s", (p) => p.answer.step_p90_s], ["tokens_per_s", (p) => p.answer.tokens_per_s], ["efficiency", (p) => p.efficiency.toPrecision(6)], ["communication_fraction", (p) => p.c.toPrecision(6)],
  ["mfu", (p) => p.answer.mfu], ["total_bytes", (p) => p.answer.memory.total_bytes], ["bound_by", (p) => p.answer.bound_by]];

function curveRows(lines) {
  return csvOf(columns.map(([name]) => name), Object.entries(lines).flatMap(([mode, points]) => points.map((p) => columns.map(([, of]) => of(p, mode)))));
}

/** The other machine of --against-...: another GPU comes with its own node, fabric and price, another node with its own fabric. */
function againstOf(state) {
  const other = { ...state };
  let own = false;
  for (const flag of ["gpu", "node", "fabric", "price"]) {
    const said = state[`against-${flag}`];
    if (said || (own && !(flag === "price" && !state["against-gpu"]))) {
      other[flag] = said ?? "";
      other[`${flag}-text`] = said && textOf(state, `against-${flag}`);
    }
    own ||= Boolean(said);
  }
  return own ? other : null;
}

function tableOf(lines) {
  const number = (words) => element("td", { class: "number" }, words);
  return element("table", { class: "list" },
    element("thead", {}, element("tr", {}, ["GPUs", "mode", "layout", "step", "tokens/s", "efficiency"].map((words) => element("th", { scope: "col" }, words)))),
    element("tbody", {}, Object.entries(lines).flatMap(([mode, points]) => points.map((p) => element("tr", {},
      number(showWhole(p.gpus)), element("td", {}, mode), element("td", {}, showLayout(p.answer.layout)),
      number(showSeconds(p.answer.step_s)), number(showCount(p.tokens)), number(showShare(p.efficiency)))))));
}

/**
 * @param {HTMLElement} panel
 * @param {object} pool
 * @param {object} knobs
 * @param {{set: Function, fail: (error: object | null) => void, say: (words: string) => void,
 *   runs: Promise<object[]>, open: (gpus: number) => void}} page
 */
export function openCurve(panel, pool, knobs, page) {
  const defaults = Object.fromEntries(knobs.groups.flatMap(({ params }) => params).map((param) => [param.flag, param.default]));
  const helps = Object.fromEntries(knobs.groups.flatMap(({ params }) => params).map((param) => [param.flag, param.help]));
  const sliders = stopsOf(knobs.models).map((stops) => sliderOf(stops, defaults[stops[0]] ?? "", page.set, helps[stops[0]] ?? null));
  const svg = drawn("svg", { class: "curve", role: "img", tabindex: 0, width: "100%", "aria-label": "efficiency and tokens per second over GPUs; arrow keys walk along the curve" });
  const cards = element("div", { class: "cards" }), status = element("p", { class: "status" });
  const table = element("div", { class: "scroll" });
  const pin = element("button", { type: "button", onclick: () => page.set("pin", state.pin ? "" : pinOf(state), true) }, "pin");
  const pictures = element("div", {});
  const tip = element("div", { class: "tip", hidden: true, "aria-hidden": "true" }), runsName = element("li", { hidden: true }), missingName = element("li", { hidden: true }, element("span", { class: "swatch cross" }, "×"), "nothing fits");
  let runs = [];
  page.runs.then((rows) => { runs = rows; drawSoon(); });
  const pinnedName = element("li", {}), wallLine = element("p", { class: "walls" });
  let state = {}, sizes = [], held = new Map(), guides = new Map(), pinned = { key: "", held: new Map() };
  let moveGuide = () => {}, hovered = null, wanted = 0, drafted = 0, drafting = false, timer = 0, lines = {}, pending = 0, walls = null, walling = false, guided = 0, wallsOf = "";

  const pinOf = ({ pin: _, tab: __, money: ___, ...rest }) => new URLSearchParams(Object.entries(rest).filter(([, v]) => v)).toString();
  const sentence = element("p", { class: "sentence", id: "sentence", role: "status" });
  const bar = element("progress", { max: 1, "aria-label": "sizes searched" }), cancel = element("button", { type: "button", class: "small", onclick: () => stop() }, "stop");
  const searching = element("div", { class: "searching", hidden: true }, bar, cancel);
  panel.append(element("p", { class: "lessons" }, lessonLinks), element("div", { class: "sliders" }, sliders.map(({ box }) => box)), status, searching,
    sentence, element("ul", { class: "legend" }, Object.entries(modes).map(([mode, words]) => element("li", {}, element("i", { class: `swatch ${mode}` }), words)),
      element("li", {}, element("i", { class: "swatch dotted" }), "in proportion to GPUs"), element("li", {}, element("i", { class: "swatch thinline" }), "1/(1+c): only traffic counted"),
      element("li", {}, element("i", { class: "swatch dashed" }), "useful tokens: those that count as progress"),
      element("li", {}, element("i", { class: "swatch band" }), "8 of 10 runs"),
      element("li", { title: "copies of the model are added, each on its own share of the batch" }, element("i", { class: "swatch cheap" }), "cheap"),
      element("li", { title: "the model is split further, or the batch grows beyond what teaches: each GPU brings less" }, element("i", { class: "swatch costly" }), "dear"),
      element("li", { title: "of each added GPU less than half becomes progress" }, element("i", { class: "swatch wasted" }), "half wasted"),
      element("li", {}, element("i", { class: "swatch wall" }), "walls: cap and knee"), element("li", {}, element("i", { class: "swatch hollow" }), "hollow: draft, or not searched"), missingName, runsName, pinnedName),
    element("div", { class: "chart" }, svg, tip), wallLine, cards,
    element("p", { class: "buttons" }, pin,
      element("button", { type: "button", onclick: () => page.open(hovered ?? Number(state.gpus)) }, "plan at this size"),
      exportButtons(() => `${state.model}-curve`, { svgs: () => [svg], csv: () => curveRows(lines),
        json: () => JSON.stringify({ request: requestOf(state, "scale"), walls, ...Object.fromEntries(Object.entries(lines).map(([mode, points]) => [mode, points.map((p) => p.answer)])) }, null, 2) })),
    element("details", { id: "curve-table", ontoggle: () => table.replaceChildren(tableOf(lines)) }, element("summary", {}, "as a table"), table), pictures);

  function draw() {
    pending = 0;
    const width = svg.clientWidth || panel.clientWidth || 700;
    lines = Object.fromEntries(Object.keys(modes).map((mode) => [mode, lineOf(held, mode, sizes)]));
    const ghosts = Object.keys(modes).map((mode) => ({ mode, ghost: true, points: lineOf(pinned.held, mode, sizes) })).filter((one) => one.points.length);
    const missing = sizes.filter((n) => held.has(`strong/${n}`) && !lines.strong.some((p) => p.gpus === n));
    const current = wallsOf === wallStamp() ? walls : null, known = current !== null && complete === wanted;
    svg.dataset.walls = String(known);
    wallLine.textContent = wallWords(current, known);
    sentence.textContent = known ? sentenceOf(walls, { model: knobs.models.find(({ name }) => name === state.model)?.title ?? state.model, points: lines.strong }) : complete === wanted && !lines.strong.length ? "Nothing fits at any of these sizes." : "Searching: what is drawn hollow is a draft or not searched yet.";
    const useful = new Map(known ? walls.points.filter((p) => p.layout).map((p) => [p.gpus, p.tokens_per_s / p.samples_needed_ratio]) : []);
    for (const p of lines.strong) p.useful = useful.get(p.gpus) ?? null;
    const unasked = complete === wanted ? [] : sizes.filter((n) => !held.has(`strong/${n}`));
    const cap = current?.dp_cap.gpus ?? null, knee = current?.knee.gpus ?? null;
    const measured = runsOfModel(runs, state.model, state.gpu || "h100-sxm").filter((run) => run.gpus >= sizes[0] && run.gpus <= sizes.at(-1));
    missingName.hidden = !missing.length;
    runsName.hidden = !measured.length;
    runsName.replaceChildren(element("i", { class: "swatch run" }), `${measured.length} published run${measured.length > 1 ? "s" : ""} of this model and GPU, any batch`);
    moveGuide = drawCurve(svg, { sizes, runs: measured, missing, pending: unasked, cap, knee, series: [...ghosts, ...Object.entries(lines).map(([mode, points]) => ({ mode, points }))] }, width);
    hover(hovered);
    if (table.parentElement.open) table.replaceChildren(tableOf(lines));
  }
  const drawSoon = () => (pending ||= requestAnimationFrame(draw));

  function hover(gpus) {
    hovered = sizes.includes(gpus) ? gpus : null;
    const at = hovered ?? sizes.findLast((n) => lines.strong.some((p) => p.gpus === n)) ?? sizes[0];
    moveGuide(at);
    cards.replaceChildren(element("h2", {}, `${showWhole(at)} GPUs`), ...Object.entries(lines).map(([mode, points]) => cardOf(mode, points.find((p) => p.gpus === at), mode === "strong" && svg.dataset.walls === "true" && walls.points.find((p) => p.gpus === at), held.has(`${mode}/${at}`))));
  }
  const briefly = (gpus) => [`${showWhole(gpus)} GPUs`, ...Object.entries(lines).map(([mode, points]) => [mode, points.find((p) => p.gpus === gpus)])
    .map(([mode, p]) => `${mode}: ${p ? `${showShare(p.efficiency)}, ${showCount(p.tokens)} tokens/s, ${showLayout(p.answer.layout)}` : held.has(`${mode}/${gpus}`) ? "nothing fits" : "not searched yet"}`)];
  /** What stands at the pointer, on the side where there is room. */
  function tell(event) {
    const gpus = sizeAt(svg, sizes, event.clientX), box = svg.getBoundingClientRect(), across = event.clientX - box.left;
    const words = event.target.closest?.(".run")?.textContent;
    hover(gpus);
    tip.replaceChildren(...(words ? [words] : briefly(gpus)).map((line) => element("div", {}, line)));
    tip.hidden = false;
    tip.style.left = across > box.width / 2 ? "" : `${across + 14}px`;
    tip.style.right = across > box.width / 2 ? `${box.width - across + 14}px` : "";
    tip.style.top = `${event.clientY - box.top + 14}px`;
  }
  svg.addEventListener("pointermove", (event) => sizes.length && tell(event));
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  svg.addEventListener("click", (event) => sizes.length && hover(sizeAt(svg, sizes, event.clientX)));
  svg.addEventListener("dblclick", () => hovered && page.open(hovered));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Enter" && hovered) page.open(hovered);
    if (!step) return;
    event.preventDefault();
    const at = sizes.indexOf(hovered ?? (step > 0 ? sizes[0] / 2 : sizes.at(-1)));
    hover(sizes[Math.max(0, Math.min(sizes.length - 1, at + step))]);
    page.say(briefly(hovered).join("; "));
  });
  new ResizeObserver(() => sizes.length && drawSoon()).observe(panel);

  /** The layout a size had, or the one of the nearest size that had any. */
  function guide(mode, gpus) {
    if (guides.has(`${mode}/${gpus}`)) return guides.get(`${mode}/${gpus}`);
    const near = [...guides.keys()].filter((key) => mode === "any" || key.startsWith(mode)).sort((a, b) => far(a, gpus) - far(b, gpus))[0];
    return near && guides.get(near);
  }
  const far = (key, gpus) => Math.abs(Math.log(Number(key.split("/")[1]) / gpus));

  const wallStamp = () => `${wanted}/${guided}`;

  /** Walls for the newest state, among the layouts at hand; one question at a time. */
  async function findWalls() {
    if (walling) return;
    walling = true;
    let asked = "";
    while (asked !== wallStamp()) { // another state, or other layouts found for it meanwhile
      asked = wallStamp();
      const layouts = sizes.map((gpus) => guide("strong", gpus)).filter(Boolean);
      const found = await askWalls((request) => pool.ask(request, { group: "walls", first: !sliding }), requestOf(state, "scale"), layouts);
      walls = found; // while a slider moves that of a moment ago: better than none
      wallsOf = asked;
      draw();
      if (asked !== wallStamp()) await new Promise((resolve) => setTimeout(resolve, breath));
    }
    walling = false;
  }

  /** Prices the layouts at hand for the newest state, again while it keeps changing. */
  async function draft() {
    if (drafting || !guides.size) return;
    drafting = true;
    while (drafted !== wanted) {
      const version = wanted, began = performance.now(), fresh = new Map();
      await askCurve((request) => pool.ask(request, { group: "draft", small: true }), requestOf(state, "explain"), sizes, guide,
        (mode, gpus, answer) => fresh.set(`${mode}/${gpus}`, { answer, draft: true }));
      drafted = version;
      if (searched === version) continue; // the search itself was faster
      held = fresh;
      status.textContent = `draft in ${(performance.now() - began).toFixed(0)} ms`;
      svg.dataset.draftMs = (performance.now() - began).toFixed(1);
      draw();
      findWalls(); // after the draft: it keeps a worker for as long as a draft takes
    }
    drafting = false;
  }

  /** Gives up the search; what was found stays, and what was not stays unsaid. */
  function stop() {
    pool.cancel("curve");
    searching.hidden = true;
    status.textContent = `stopped: ${held.size} of ${2 * sizes.length} sizes searched`;
  }

  const layoutsFound = () => new Map([...held].filter(([, one]) => one.answer && !one.draft).map(([key, one]) => [key, one.answer.layout]));

  let searched = 0, complete = 0; // states that were begun, and whose strong curve was answered to the end
  async function search() {
    const version = wanted, began = performance.now();
    let done = 0, strong = 0;
    searched = version;
    /** Walls are of the strong curve: named while the weak one is still searched. */
    const nameWalls = () => {
      complete = version;
      guides = new Map([...guides, ...layoutsFound()]);
      guided++;
      findWalls();
    };
    bar.value = 0;
    searching.hidden = false;
    const error = await askCurve((request) => pool.ask(request, { group: "curve" }), requestOf(state, "explain"), sizes, null, (mode, gpus, answer) => {
      if (version !== wanted) return;
      held.set(`${mode}/${gpus}`, { answer, draft: false });
      bar.value = ++done / (2 * sizes.length);
      if (mode === "strong" && ++strong === sizes.length) nameWalls();
      status.textContent = `searching: ${done} of ${2 * sizes.length} sizes`;
      drawSoon();
    });
    if (version !== wanted || searching.hidden) return;
    searching.hidden = true;
    page.fail(error);
    if (error) return;
    pictures.replaceChildren(pictureOf("as the command line draws it (--svg)", againstOf(state) ? {} : { mode: "both" }),
      pictureOf("the model grown with the cluster (--mode grow --svg)", { mode: "grow" }));
    guides = layoutsFound();
    draw();
    svg.dataset.searchMs = (performance.now() - began).toFixed(1);
    svg.dataset.version = String(version);
    status.textContent = `${2 * sizes.length} searches in ${showSeconds((performance.now() - began) / 1000)}; the band holds 8 of 10 runs`;
  }

  const pictureOf = (words, how) => pictureDetails(() => `${state.model}-${how.mode ?? "scale"}`,
    async () => (await pool.ask({ ...requestOf(state, "scale"), ...how, picture: true }, { group: "picture" }))?.value, words);

  /** The curve beside this one: pinned before, or on the machine to set against. */
  async function searchBeside() {
    const other = state.pin ? stateOfHash(state.pin) : againstOf(state), key = other ? JSON.stringify([requestOf(other, "explain"), sizes]) : "";
    if (pinned.key === key) return;
    pool.cancel("pin");
    pinned = { key, held: new Map() };
    pinnedName.textContent = other ? `dashed: ${[other.model, other.gpu || "h100-sxm", other.node, other.fabric, other.seq && `seq ${other.seq}`].filter(Boolean).join(", ")}` : "";
    if (!other) return drawSoon();
    const mine = pinned.held;
    const error = await askCurve((request) => pool.ask(request, { group: "pin" }), requestOf(other, "explain"), sizes, null, (mode, gpus, answer) => {
      mine.set(`${mode}/${gpus}`, { answer, draft: false });
      drawSoon();
    });
    if (error && pinned.key === key) pinnedName.textContent = error.sentence;
  }

  let sliding = false; // a slider is held
  panel.addEventListener("pointerdown", () => { sliding = true; });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { sliding = false; });
  function searchAtRest() {
    if (sliding) return void (timer = setTimeout(searchAtRest, rest));
    search();
    searchBeside();
  }

  return {
    /** Draws the curve of a state; only a change of it asks the core. */
    show(next) {
      state = { ...next };
      sizes = sizesTo(state.to || "16384");
      sliders.forEach((one) => one.show(state));
      pin.textContent = state.pin ? "unpin" : "pin this curve";
      wanted++;
      svg.dataset.walls = "false";
      searching.hidden = true;
      if (!guides.size) held = new Map();
      pool.cancel("curve");
      clearTimeout(timer);
      timer = setTimeout(searchAtRest, guides.size ? rest : 0);
      draft();
    },
  };
}
