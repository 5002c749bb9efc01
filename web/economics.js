/* economics.js -- what it costs: the cluster to rent for a training run, or the fleet that serves a demand. */
import { element } from "./dom.js";
import { csvOf, exportButtons, pictureDetails } from "./export.js";
import { breakEvenFigure, clustersFigure, factorFigure } from "./figure.js";
import { showCount, showLayout, showMoney, showPower, showPrice, showSeconds, showShare, showWhole } from "./format.js";
import { tile } from "./glossary.js";
import { asksTable, requestOf } from "./state.js";

const pause = 300; // ms after a key before the core is asked
const questions = { size: "rent a cluster to train on", demand: "serve a demand", portfolio: "keep a list of jobs running", fleet: "serve several models" };

/** What a question starts with when nothing is said yet. */
const beginnings = {
  size: { tokens: "15T", deadline: "90d" },
  demand: { rate: "5req/s", span: "20min" },
  portfolio: { "portfolio.gpus": "8..256" },
  fleet: { "fleet.span": "1h" },
};
const tableColumns = {
  portfolio: "name, model, tokens or steps or gpu_hours, arrival_h, deadline_h, every_h, priority, min_gpus, max_gpus; or an export of sacct -P, or a public trace of a cluster",
  fleet: "name, model and any flag of a service: rate, prompt, output, ttft, tpot, weights",
};
const enough = { size: ["deadline", "budget", "power"], demand: ["rate", "trace", "profile", "clients"], portfolio: ["portfolio.gpus"], fleet: ["fleet.span"] };

function listed(caption, heads, rows, id = null) {
  return element("div", { class: "scroll" }, element("table", { class: "list words", id }, element("caption", {}, element("span", { class: "cap" }, caption)),
    element("thead", {}, element("tr", {}, heads.map((head, i) => element("th", { scope: "col", class: i ? "number" : null }, head)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell, i) => element(i ? "td" : "th", i ? { class: "number" } : { scope: "row" }, cell)))))));
}

const clusterName = (c) => `${showWhole(c.gpus)} × ${c.gpu}`;

/** Seconds and dollars of the limits, as the core's own numbers would have them; only for the lines of the drawing. */
function limitsOf(state) {
  const [, days, unit] = /^([\d.]+)\s*(d|h|min|s)$/.exec(state.deadline ?? "") ?? [], [, money, scale] = /^([\d.]+)\s*(k|M|G)?USD$/.exec(state.budget ?? "") ?? [];
  return { seconds: days ? Number(days) * { d: 86400, h: 3600, min: 60, s: 1 }[unit] : null, usd: money ? Number(money) * { k: 1e3, M: 1e6, G: 1e9 }[scale] || Number(money) : null };
}

/** A limit that only the median keeps. */
function lateAt90(c, { seconds, usd }) {
  const late = c.seconds_p90 / c.seconds, past = [seconds && c.seconds_p90 > seconds && "deadline", usd && c.usd * late > usd && "budget"].filter(Boolean);
  return past.length ? element("p", { class: "caveat wrong-words" }, `At P90 it is past the ${past.join(" and the ")}.`) : null;
}

function sizeView(a, state, width, open) {
  const c = a.best ?? a.nearest ?? null, plotted = a.clusters.filter((one) => one.usd > 0);
  const drawing = plotted.length > 1 ? clustersFigure(plotted, limitsOf(state), plotted.find((one) => c && one.gpu === c.gpu && one.gpus === c.gpus), width, open) : null;
  const row = (one) => [element("button", { type: "button", class: "link", onclick: () => open(one) }, clusterName(one)), showSeconds(one.seconds), one.usd > 0 ? showMoney(one.usd) : "no price", showPower(one.power_w), showShare(one.mfu), showShare(one.goodput), one.meets ? "yes" : "no"];
  const heads = ["cluster", "time", "rent", "power", "MFU", "goodput", "meets"];
  const fastest = [...a.clusters].sort((x, y) => x.seconds - y.seconds), front = fastest.filter((one) => one.on_front);
  const nodes = [
    c && element("h2", { id: "economics-head" }, a.best ? clusterName(c) : `No cluster meets the limits; ${clusterName(c)} comes nearest.`),
    c && element("p", { class: "what" }, `${showLayout(c.layout)}; ${c.fabric}; ${c.price ? `$${c.usd_per_gpu_h.toFixed(2)} an hour and GPU, ${c.price}${c.price_date ? `, ${c.price_date}` : ""}` : "no price known"}`),
    c && element("dl", { class: "tiles" }, tile("time", showSeconds(c.seconds), `P10–P90 ${showSeconds(c.seconds_p10)} to ${showSeconds(c.seconds_p90)}, ${showCount(a.tokens)} tokens`), tile("rent", showMoney(c.usd), c.usd > 0 ? `P10–P90 ${showMoney((c.usd * c.seconds_p10) / c.seconds)} to ${showMoney((c.usd * c.seconds_p90) / c.seconds)}, ${showPrice((1e6 * c.usd) / a.tokens)} per million tokens` : ""),
      tile("power", showPower(c.power_w), "cooling included"), tile("utilization", showShare(c.mfu), `MFU; ${showShare(c.goodput)} of the time is training`), tile("exposed traffic", showShare(c.exposed_communication_share), "of a step"),
      a.owning && tile("owning pays", a.owning.break_even_utilization === null ? "never" : `above ${showShare(a.owning.break_even_utilization)} use`, `$${a.owning.usd_per_gpu_h.toFixed(2)} an hour and GPU`),
      typeof a.carbon_g === "number" && tile("carbon", `${showCount(a.carbon_g / 1e6)} t`, "CO₂ of its electricity")),
    c && a.best && lateAt90(c, limitsOf(state)),
    drawing && element("h3", {}, "every cluster considered: time against rent"), drawing?.svg,
    drawing && element("ul", { class: "legend" }, drawing.kinds.map((kind, i) => element("li", {}, element("i", { class: `swatch round t${i % 10}` }), kind)), element("li", {}, element("i", { class: "swatch line" }), "nothing is faster and cheaper"), element("li", {}, "faint: misses a limit")),
    a.equal_time?.length > 1 && listed("the fewest GPUs of each kind that finish in the same time", heads, a.equal_time.map(row)),
    front.length > 0 && listed("nothing considered is faster and cheaper than these", heads, front.map(row), "clusters-front"),
  ];
  const names = ["gpu", "gpus", "fabric", "seconds", "usd", "power_w", "energy_j", "mfu", "goodput", "meets", "on_front"];
  return { nodes, svgs: drawing ? [drawing.svg] : [], csv: csvOf([...names, "layout"], a.clusters.map((one) => [...names.map((name) => one[name]), showLayout(one.layout)])) };
}

/** Both ends of an interval in words; one that no fleet reaches is null. */
const pairOf = (ends, show) => ends.map((v) => (v === null ? "no fleet" : show(v))).join(" to ");

function between(ends, show) {
  if (!ends || ends[0] === ends[1]) return "";
  return ` (P10–P90 ${pairOf(ends, show)})`;
}

/** What is paid in 30 days: the fleet as it is, scaled by window, and the API for the same tokens. */
function billWords(bill) {
  const rows = [["", bill.usd_per_30_days], ["autoscaled in time ", bill.autoscaled_usd_per_30_days < bill.usd_per_30_days ? bill.autoscaled_usd_per_30_days : null], ["by the API ", bill.api_usd_per_30_days]];
  const said = rows.filter(([, usd]) => typeof usd === "number").map(([words, usd]) => `${words}${showPrice(usd)}`);
  return said.length ? `in 30 days ${said.join("; ")}` : "";
}

/** How many GPUs are sure to do: what is predicted is as often too few as too many. */
function buyWords({ headroom, gpus }) {
  const odds = (p) => (p > 0.99 ? "above 99 %" : p < 0.01 ? "below 1 %" : `${(100 * p).toFixed(0)} %`);
  const more = headroom.buy_gpus > gpus, count = more ? headroom.buy_gpus : gpus;
  return `buy ${showWhole(count)} ${count > 1 ? "GPUs: they hold" : "GPU: it holds"} the target with ${odds(more ? headroom.buy_chance : headroom.chance)} chance${more ? `; ${showWhole(gpus)} with ${odds(headroom.chance)}` : ""}`;
}

function demandView(a, width) {
  const be = a.break_even, full = a.factors[1]?.usd_per_million_tokens, price = a.usd_per_million_tokens, layout = a.replica.layout;
  const apiUsd = be.api && full ? full / be.utilization : null;
  const factors = a.factors.length ? factorFigure(a.factors, apiUsd && { usd: apiUsd }, width) : null;
  const curve = full ? breakEvenFigure({ full, api: apiUsd, share: be.utilization, here: a.rho, price }, width) : null;
  const verdict = !apiUsd ? "" : be.utilization > 1 ? `Even a full replica costs more than the API: ${be.utilization.toFixed(1)} ×.` : `A replica pays above ${showShare(be.utilization)} of its capacity, ${Number(be.requests_per_s.toPrecision(3))} requests/s; here it ${price < apiUsd ? "pays" : "does not"}: ${showPrice(price)} against ${showPrice(apiUsd)}.`;
  const times = ["p50", "p90", "p99", "mean"].filter((p) => a.ttft_s[p] !== undefined);
  const words = [`tp${layout.tp}`, `pp${layout.pp}`, layout.dp > 1 && `dp${layout.dp}`, layout.ep > 1 && `ep${layout.ep}`, `weights ${layout.weights}`, `cache ${layout.cache}`].filter(Boolean).join(" ");
  const nodes = [
    element("h2", { id: "economics-head" }, `${showWhole(a.replicas)} replica${a.replicas === 1 ? "" : "s"}, ${showWhole(a.gpus)} GPU${a.gpus === 1 ? "" : "s"}: ${price === null ? "no price known for this GPU" : `${showPrice(price)} per million output tokens`}`),
    element("p", { class: "what" }, `a replica: ${a.replica.gpus} GPU${a.replica.gpus === 1 ? "" : "s"}, ${words}; ${showWhole(a.demand.requests)} requests${a.demand.span_s > 0 ? `, ${Number(a.demand.mean_rate_per_s.toPrecision(3))} a second over ${showSeconds(a.demand.span_s)}, busiest ${a.demand.peak_over_mean.toFixed(2)} × the mean` : ""}` +
      `${a.demand.rows_left_out ? `; ${showWhole(a.demand.rows_left_out)} rows left out` : ""}`),
    a.p10_p90 && element("p", { class: "what" }, `P10 – P90: ${pairOf(a.p10_p90.gpus, showWhole)} GPUs${price === null ? "" : `, ${pairOf(a.p10_p90.usd_per_million_tokens, showPrice)} per million`}, by how far off tokens/s of such models were on other tables`),
    a.headroom?.buy_gpus !== undefined && element("p", { id: "buy" }, buyWords(a)),
    a.meets_target === false && element("p", { class: "caveat wrong-words" }, "The latency target is not met."),
    element("dl", { class: "tiles" }, typeof a.bill?.usd_per_h === "number" && tile("bill", `$${a.bill.usd_per_h.toFixed(2)} an hour`, billWords(a.bill)), tile("busy", showShare(a.utilization), "of the time"), tile("load", showShare(a.rho), "of capacity (rho)"), tile("MFU", showShare(a.mfu)),
      tile("output", `${showCount(a.output_tokens_per_s)} tokens/s`, `of ${showCount(a.capacity_tokens_per_s)} at most${between(a.p10_p90?.capacity_tokens_per_s, showCount)}`), tile("first token, p99", showSeconds(a.ttft_s.p99), a.ttft_p99_interval_s && `${showSeconds(a.ttft_p99_interval_s[0])} to ${showSeconds(a.ttft_p99_interval_s[1])} with iterations ± 5 %`),
      tile("each token, p99", showSeconds(a.tpot_s.p99)), tile("GPUs kept full", showWhole(a.gpus_kept_full), `by this demand${between(a.p10_p90?.gpus_kept_full, showWhole)}`)),
    factors && element("h3", {}, "a million output tokens, factor by factor"), factors,
    curve && element("h3", {}, "price over load, and break-even"), curve, verdict && element("p", { id: "verdict" }, verdict),
    !be.api && element("p", { class: "status" }, "No API price is known for this model: choose one, or give your own, under Serving: more."),
    be.api && element("p", { class: "status" }, `API: ${be.api.name}, ${showPrice(be.api.usd_per_million_input)} in and ${showPrice(be.api.usd_per_million_output)} out per million (${be.api.date})`),
    listed("latency", ["of a request", ...times], [["first token", a.ttft_s], ["each token after", a.tpot_s], ["whole answer", a.e2e_s]].map(([name, of]) => [name, ...times.map((p) => showSeconds(of[p]))])),
    a.iteration && listed(`where a token's time goes: ${showWhole(a.iteration.sequences)} decoding with ${showWhole(a.iteration.context_tokens)} tokens each, no prompt`, ["part", "time", "share"],
      [...a.iteration.parts.filter((p) => p.seconds >= 0.005 * a.iteration.seconds), { name: "all", seconds: a.iteration.seconds }].map((p) => [p.name, showSeconds(p.seconds), showShare(p.seconds / a.iteration.seconds)])),
    a.autoscaled?.windows > 1 && element("p", { class: "status" }, `Scaled over ${showWhole(a.autoscaled.windows)} windows: ${a.autoscaled.replicas_mean.toFixed(2)} replicas on average, ${showWhole(a.autoscaled.replicas_most)} at most.`),
    ...["levers", "gpus_compared", "search"].map((key) => Array.isArray(a[key]) && a[key].length > 0 && leverView(key, a[key])),
  ];
  return { nodes, svgs: [factors, curve].filter(Boolean), csv: csvOf(["factor", "times", "usd_per_million_tokens"], a.factors.map((f) => [f.name, f.factor, f.usd_per_million_tokens])) };
}

const leverTitles = { levers: "one change to the replica", gpus_compared: "the best replica on each GPU", search: "replicas weighed, fewest GPUs first" };

/** What was taken, what loses quality, whose kernel times are another GPU's, whose price is for a term. */
const marked = (l) => [l.name, l.chosen && "taken", l.quality_loss > 0 && `loses some ${showShare(l.quality_loss)} of scores`, l.borrowed_kernels && "borrowed kernels",
  l.term && l.term !== "on-demand" && l.term].filter(Boolean).join(", ");

function leverView(key, rows) {
  const number = (v, say) => (v === null || v === undefined ? "–" : say(v));
  return listed(leverTitles[key], ["choice", "GPUs", "tokens/s per GPU", "USD per million, full", "break-even", "USD/h needed"], rows.map((l) => (l.fits === false ? [marked(l), "does not fit", "", "", "", ""]
    : [marked(l), showWhole(l.gpus), number(l.output_tokens_per_s_per_gpu, showCount), number(l.usd_per_million_tokens_full, showPrice), number(l.break_even_utilization, showShare), number(l.usd_per_h, (v) => `$${v < 99.5 ? v.toPrecision(3) : showWhole(v)}`)])));
}

/** What the command line prints, and its picture where it draws one. */
function printedView(state, command, text, drawn) {
  const nodes = [element("h2", { id: "economics-head" }, `${state[`${command}.table`]}: ${questions[command]}`), element("pre", { tabindex: "0" }, text), drawn];
  return { nodes, svgs: [], csv: "" };
}

/** What to bring, and a way to choose it. */
function tableHint(command, take) {
  const file = element("input", { type: "file", hidden: true, "data-table": command, onchange: () => file.files[0] && take(file.files[0], command) });
  return element("div", { class: "drop" }, element("p", {}, `Drop or paste a table, or `, element("button", { type: "button", onclick: () => file.click() }, "choose a file"), file), element("p", { class: "what" }, `Columns: ${tableColumns[command]}.`));
}

/**
 * @param {HTMLElement} panel
 * @param {object} pool
 * @param {{takeTable: (file: File, command: string) => void, change: (state: object) => void, fail: (error: object | null) => void, open: (state: object) => void,
 *   say: (words: string) => void}} page
 */
export function openEconomics(panel, pool, page) {
  const status = element("p", { class: "status" }), bar = element("progress", { max: 1, hidden: true, "aria-label": "simulating" }), result = element("div", {});
  const choices = Object.entries(questions).map(([money, words]) => element("label", { class: "inline" }, element("input", { type: "radio", name: "economics-question", value: money, onchange: () => page.change({ money }) }), words));
  const keep = element("p", { class: "buttons" });
  let state = {}, asked = 0, timer = 0, last = null, shown = { svgs: [], csv: "" };
  panel.append(element("fieldset", { class: "choice" }, element("legend", { class: "unseen" }, "what to pay for"), choices), bar, status, result, keep);

  function draw() {
    const width = Math.max(300, panel.clientWidth || 700), a = last.value;
    const command = state.money ?? "size", picture = () => pool.ask({ ...requestOf(state, command), picture: true }, { group: "picture" });
    shown = last.words ? printedView(state, command, last.words, command === "portfolio" && pictureDetails(() => "portfolio", async () => (await picture())?.value))
      : a.kind === "demand" ? demandView(a, width) : sizeView(a, state, width, (c) => page.open({ gpu: c.gpu, gpus: String(c.gpus) }));
    result.replaceChildren(...shown.nodes.filter(Boolean));
    keep.replaceChildren(exportButtons(() => `${asksTable(command) ? state[`${command}.table`] : state.model}-${command}`,
      { svgs: shown.svgs.length ? () => shown.svgs : null, csv: shown.csv ? () => shown.csv : null, json: () => last?.text }));
    result.dataset.kind = a.kind;
  }

  async function ask() {
    const mine = ++asked, began = performance.now(), command = state.money ?? "size";
    const request = requestOf(state, command);
    pool.cancel("economics");
    status.textContent = "";
    if (asksTable(command) && !request.config) return void result.replaceChildren(tableHint(command, page.takeTable));
    status.textContent = command === "size" ? "planning clusters…" : "simulating…";
    const how = { group: "economics", progress: (share) => { if (mine === asked) { bar.hidden = false; bar.value = share; } } };
    const [answer, said] = await Promise.all([pool.ask(request, how), asksTable(command) ? pool.ask({ ...request, text: true }, how) : null]);
    if (mine !== asked || !answer) return;
    bar.hidden = true;
    page.fail(answer.value.error ?? null);
    result.classList.toggle("stale", Boolean(answer.value.error));
    status.textContent = answer.value.error ? "" : `answered in ${showSeconds((performance.now() - began) / 1000)}`;
    if (answer.value.error) return void (last === null && result.replaceChildren(element("p", {}, answer.value.error.sentence)));
    last = { ...answer, words: said?.value.text };
    draw();
    page.say(result.querySelector("h2")?.textContent ?? "");
    panel.dataset.version = String(mine);
  }

  let width = 0;
  new ResizeObserver(() => { if (last && !last.words && panel.clientWidth && panel.clientWidth !== width) draw(); width = panel.clientWidth; }).observe(panel);
  return {
    /** @returns {object | null} what the state lacks to be a question */
    beginning(of) {
      const money = of.money ?? "size";
      return enough[money].some((flag) => of[flag]) && (money !== "size" || of.tokens) ? null : Object.fromEntries(Object.entries(beginnings[money]).filter(([flag]) => !of[flag]));
    },
    show(next, settled) {
      if (last && (next.money ?? "size") !== (state.money ?? "size")) { last = null; result.replaceChildren(); keep.replaceChildren(); }
      state = { ...next };
      for (const choice of panel.querySelectorAll("[name=economics-question]")) choice.checked = choice.value === (state.money ?? "size");
      clearTimeout(timer);
      timer = setTimeout(ask, settled ? 0 : pause);
    },
  };
}
