/* plan.js -- one plan in full: speed, where the step goes, memory, runners-up, certificate. */
import { element } from "./dom.js";
import { csvOf, exportButtons } from "./export.js";
import { planFigure } from "./figure.js";
import { memoryParts, showBytes, showChance, showChange, showCount, showLayout, showMoney, showPower, showSeconds, showShare, showWhole, timeParts } from "./format.js";
import { explained, meaningOf, tile } from "./glossary.js";

function tilesOf(e, run) {
  const more = run?.as_good_tokens > 1.01 * run?.tokens ? `; past the critical batch as good a model takes ${(run.as_good_tokens / run.tokens).toPrecision(3)} times the tokens` : "";
  const price = e.cost.price ? `${e.cost.usd_per_gpu_h.toPrecision(3)} USD/h per GPU, ${e.cost.price}` : "";
  return element("dl", { class: "tiles" },
    tile("step", showSeconds(e.step_s), `P10–P90 ${showSeconds(e.step_p10_s)} to ${showSeconds(e.step_p90_s)}`),
    tile("tokens/s", showCount(e.tokens_per_s), `${showCount(e.tokens_per_s_per_gpu)} per GPU`),
    tile("MFU", showShare(e.mfu), `${(e.model_flop_per_s_per_gpu / 1e12).toFixed(0)} Tflop/s per GPU`),
    tile("bound by", e.bound_by.replaceAll("_", " ")),
    tile("a million tokens", showMoney(e.cost.usd_per_million_tokens), price),
    tile("power", showPower(e.power.cluster_w), `${e.power.gpu_w.toFixed(0)} W per GPU`),
    run ? tile("run", showSeconds(run.tokens / e.tokens_per_s), `${showCount(run.tokens)} tokens, ${showMoney(e.cost.usd_per_h && (e.cost.usd_per_h * run.tokens) / e.tokens_per_s / 3600)}${more}`) : null);
}

/** The step as a waterfall: every part starts where the one above ended. */
export function waterfallOf(e) {
  let before = 0;
  const rows = timeParts.filter(({ key }) => e.time[key] >= 0.0005 * e.step_s).map(({ key, words, color }) => {
    const left = (100 * before) / e.step_s, width = (100 * e.time[key]) / e.step_s;
    before += e.time[key];
    return element("tr", {}, element("th", { scope: "row" }, explained(words)),
      element("td", { class: "lane" }, element("span", { class: `bar ${color}`, style: `margin-left:${left}%;width:${width}%` })),
      element("td", { class: "number" }, showSeconds(e.time[key])), element("td", { class: "number" }, `${width.toFixed(1)} %`));
  });
  return element("table", { class: "waterfall" }, element("caption", {}, `where the ${showSeconds(e.step_s)} of a step go`), element("tbody", {}, rows));
}

/** Memory of the fullest rank, stacked against what the GPU has. */
export function memoryOf(e) {
  const m = e.memory, whole = Math.max(m.total_bytes, m.capacity_bytes);
  const percent = (bytes) => `${(100 * bytes) / whole}%`;
  const parts = memoryParts.filter(({ key }) => m[key] > 0);
  const verdict = m.fits ? `${showBytes(m.capacity_bytes - m.total_bytes)} free` : `${showBytes(m.total_bytes - m.capacity_bytes)} too much`;
  const words = `memory of the fullest rank (stage ${m.stage}): ${showBytes(m.total_bytes)} of ${showBytes(m.capacity_bytes)}, ${verdict}`;
  const tight = m.fits && m.total_p90_bytes > m.capacity_bytes;
  const sure = `P10–P90 ${showBytes(m.total_p10_bytes)} to ${showBytes(m.total_p90_bytes)}${tight ? ": it may run out; layouts that need less are below" : ""}; chance of running out ${showChance(m.chance_out)}`;
  return element("figure", { class: `memory ${m.fits ? "" : "over"}` }, element("figcaption", {}, words), element("p", { class: `what ${tight ? "wrong-words" : ""}` }, sure),
    element("div", { class: "stack", role: "img", "aria-label": words },
      parts.map(({ key, color }) => element("span", { class: `bar ${color}`, style: `width:${percent(m[key])}` })),
      element("i", { class: "limit", style: `left:${percent(m.capacity_bytes)}` })),
    element("ul", { class: "legend" }, parts.map(({ key, words: name, color }) =>
      element("li", {}, element("i", { class: `swatch ${color}` }), explained(name), ` ${showBytes(m[key])}`))));
}

function alternativesOf(answer, picked, pick, fix) {
  const all = [answer.best, ...answer.alternatives];
  const row = (e, i) => element("tr", { class: i === picked ? "picked" : null },
    element("th", { scope: "row" }, element("button", { type: "button", class: "link", "aria-pressed": String(i === picked), title: meaningOf(e.layout), onclick: () => pick(i) }, showLayout(e.layout))),
    element("td", { class: "number" }, i === 0 ? showSeconds(e.step_s) : showChange(e.step_s / all[0].step_s)),
    element("td", { class: "number" }, showBytes(e.memory.total_bytes)),
    element("td", { class: "number" }, showChance(e.memory.chance_out)),
    element("td", { class: "number" }, showShare(e.mfu)),
    element("td", {}, e.bound_by.replaceAll("_", " ")),
    element("td", {}, element("button", { type: "button", class: "small", onclick: () => fix(e.layout), title: "set the layout fields to this one" }, "keep")));
  return element("div", { class: "scroll" }, element("table", { class: "list", id: "alternatives" },
    element("caption", {}, "best layouts"),
    element("thead", {}, element("tr", {}, ["layout", "step", "memory", "runs out", "MFU", "bound by"].map((words, i) => element("th", { scope: "col", class: i > 0 && i < 5 ? "number" : null }, explained(words))), element("td", {}))),
    element("tbody", {}, all.map(row))),
    answer.chosen_of_tie ? element("p", { class: "what" }, "The first is chosen of a tie: of plans too near the fastest to be told apart, memory that will do comes first, then the fewest GPUs that share one text.") : null);
}

function frontOf(answer) {
  if (!answer.pareto.length) return null;
  return element("div", { class: "scroll" }, element("table", { class: "list" },
    element("caption", {}, "less memory for more time"),
    element("thead", {}, element("tr", {}, ["layout", "step", "memory", "runs out"].map((words, i) => element("th", { scope: "col", class: i ? "number" : null }, explained(words))))),
    element("tbody", {}, answer.pareto.map((p) => element("tr", {}, element("th", { scope: "row" }, showLayout(p.layout)),
      element("td", { class: "number" }, showSeconds(p.step_s)), element("td", { class: "number" }, showBytes(p.total_bytes)), element("td", { class: "number" }, showChance(p.chance_out)))))));
}

/** Where nothing fits: the first doubling of the GPUs on which something does. */
function onMore(e) {
  if (!e) return "Nor does a layout fit on up to 64 times the GPUs, doubling.";
  return `On ${showWhole(e.machine.gpus)} GPUs one fits: ${showLayout(e.layout)}, ${showSeconds(e.step_s)} a step.`;
}

/** The pipeline of one step, asked for when it is opened. */
function stepsOf(e, page) {
  const place = element("div", {}, "drawing…");
  const box = element("details", { id: "steps", ontoggle: () => {
    page.stepsOpen = box.open;
    if (box.open && !box.dataset.drawn) page.drawSteps(place, e.layout);
    if (box.open) box.dataset.drawn = "1";
  } }, element("summary", {}, "one step, pass by pass"), place);
  box.open = Boolean(page.stepsOpen);
  return box;
}

const lossOf = (e, best) => {
  const parts = timeParts.map(({ key, words }) => ({ words, more: e.time[key] - best.time[key] })).sort((a, b) => b.more - a.more);
  return parts[0].more > 0 ? parts[0].words : "nothing";
};

/** The same plan with one thing undone, what would move it, flags of trainers: asked for when opened. */
function fillWhy(place, why, best) {
  const verdict = ({ illegal, plan }) => (illegal ? [`not legal: ${illegal}`, "", ""]
    : !plan.memory.fits ? [`does not fit: ${showBytes(plan.memory.total_bytes)} of ${showBytes(plan.memory.capacity_bytes)}`, "", ""]
      : [`${showSeconds(plan.step_s)} (${showChange(plan.step_s / best.step_s)})`, showBytes(plan.memory.total_bytes), lossOf(plan, best)]);
  const most = Math.max(0.1, ...why.moves.map(({ elasticity }) => elasticity));
  place.replaceChildren(
    element("div", { class: "scroll" }, element("table", { class: "list words", id: "undone" }, element("caption", {}, "why this one: the same plan with one thing undone"),
      element("thead", {}, element("tr", {}, ["undone", "step", "memory", "loses in"].map((words) => element("th", { scope: "col" }, words)))),
      element("tbody", {}, why.undone.map((row) => element("tr", {}, element("th", { scope: "row" }, row.what), verdict(row).map((words) => element("td", {}, words))))))),
    why.mend && element("p", {}, `Smallest change that fits: ${why.mend}`) || "",
    element("table", { class: "waterfall", id: "moves" }, element("caption", {}, "what would move it: speed gained per unit of each, layout held"), element("tbody", {}, why.moves.map(({ resource, elasticity }) =>
      element("tr", {}, element("th", { scope: "row" }, resource), element("td", { class: "lane" }, element("span", { class: "bar t5", style: `width:${(100 * Math.max(0, elasticity)) / most}%` })), element("td", { class: "number" }, elasticity.toFixed(2)))))),
    ...why.launch.map(({ trainer, text }) => element("details", {}, element("summary", {}, `launch with ${trainer}`), element("pre", { tabindex: 0 }, text.trim()))));
}

function whyOf(e, page) {
  const place = element("div", {}, "asking…");
  const box = element("details", { id: "why", ontoggle: async () => {
    page.whyOpen = box.open;
    if (!box.open || box.dataset.drawn) return;
    box.dataset.drawn = "1";
    const why = await page.askWhy(e.layout);
    if (why?.error) place.textContent = why.error.sentence;
    else if (why) fillWhy(place, why, e);
  } }, element("summary", {}, "why this one, what would move it, how to launch it"), place);
  box.open = Boolean(page.whyOpen);
  return box;
}

/** What is shown as a drawing and as a table, to keep. */
function keepsOf(answer, e) {
  const m = e.memory, parts = memoryParts.filter(({ key }) => m[key] > 0);
  const drawing = () => planFigure(`${e.model.name} on ${showWhole(e.machine.gpus)} × ${e.machine.gpu}: ${showSeconds(e.step_s)} a step, ${showLayout(e.layout)}`,
    timeParts.filter(({ key }) => e.time[key] > 0).map(({ key, words, color }) => ({ words, color, value: e.time[key], said: showSeconds(e.time[key]) })),
    { title: `memory of the fullest rank, ${showBytes(m.total_bytes)} of ${showBytes(m.capacity_bytes)}`, capacity: m.capacity_bytes, most: Math.max(m.total_bytes, m.capacity_bytes), rows: parts.map(({ key, words, color }) => ({ words, color, value: m[key], said: showBytes(m[key]) })) }, 860);
  const plans = [answer.best, ...answer.alternatives].filter(Boolean);
  return {
    svgs: () => { // it takes its colours from the style sheet, so it has to stand in the page for a moment
      const svg = drawing();
      svg.classList.add("unseen");
      document.body.append(svg);
      setTimeout(() => svg.remove());
      return [svg];
    },
    csv: () => csvOf(["layout", "step_s", "step_p10_s", "step_p90_s", "tokens_per_s", "mfu", "total_bytes", "bound_by", ...timeParts.map(({ key }) => key)],
      plans.map((p) => [showLayout(p.layout), p.step_s, p.step_p10_s, p.step_p90_s, p.tokens_per_s, p.mfu, p.memory.total_bytes, p.bound_by, ...timeParts.map(({ key }) => p.time[key])])),
  };
}

function certificateOf({ search: s }) {
  if (!s) return null;
  const end = s.complete ? "The search is complete: none is faster by this model." : "The search was stopped before its end.";
  return element("p", { id: "certificate" }, `${showWhole(s.layouts)} legal layouts: ${showWhole(s.cut.memory_bound)} ruled out by memory, ` +
    `${showWhole(s.cut.time_bound)} by a lower bound on time, ${showWhole(s.cut.recomputes_more)} that recompute more layers than they must, ${s.cut.balanced_as_even ? `${showWhole(s.cut.balanced_as_even)} balanced as they are, ` : ""}${showWhole(s.priced)} priced (${showWhole(s.cut.does_not_fit)} of them do not fit). ${end}`);
}

function headOf(e) {
  return [element("h2", { id: "layout" }, showLayout(e.layout)), element("p", { class: "what" }, meaningOf(e.layout).split("\n").join(" · ")),
    element("p", { class: "what" }, `${e.model.name} on ${showWhole(e.machine.gpus)} × ${e.machine.gpu}, ${e.machine.node}, ${e.machine.fabric}, ${e.machine.stack}; ` +
      `${showWhole(e.layout.global_batch)} sequences × ${showWhole(e.layout.seq)} tokens in ${showWhole(e.layout.accumulation)} micro-batches, ${e.layout.precision}`),
    e.caveats ? element("p", { class: "caveat" }, e.caveats) : null];
}

/**
 * Draws an answer of the plan command.
 * @param {{fix: (layout: object) => void, drawSteps: (place: HTMLElement, layout: object) => void,
 *   askWhy: (layout: object) => Promise<object>, text: () => string | null, stepsOpen?: boolean,
 *   whyOpen?: boolean}} page
 */
export function showPlan(panel, answer, page, picked = 0) {
  const children = [];
  if (!answer.best) {
    const missing = answer.nearest;
    children.push(element("h2", { id: "layout" }, "No layout fits."));
    if (missing) children.push(element("p", {}, `The nearest, ${showLayout(missing.plan.layout)}, needs ${showBytes(missing.missing_bytes)} more than a GPU has.`), element("p", { id: "on-more" }, onMore(missing.on_more_gpus)), memoryOf(missing.plan));
  } else {
    const e = picked ? answer.alternatives[picked - 1] : answer.best;
    children.push(...headOf(e), tilesOf(e, answer.run), waterfallOf(e), memoryOf(e), answer.search && stepsOf(e, page), answer.search && whyOf(e, page),
      alternativesOf(answer, picked, (i) => showPlan(panel, answer, page, i), page.fix), frontOf(answer));
  }
  const shown = answer.best ? (picked ? answer.alternatives[picked - 1] : answer.best) : answer.nearest?.plan;
  if (shown) children.push(element("p", { class: "buttons" }, exportButtons(() => `${shown.model.name}-plan`, { ...keepsOf(answer, shown), json: page.text })));
  const focused = document.activeElement?.closest?.("#alternatives") && picked;
  panel.replaceChildren(...[...children, certificateOf(answer)].filter(Boolean));
  if (focused !== false && focused !== undefined && focused !== null) panel.querySelectorAll("#alternatives .link")[picked]?.focus();
}
