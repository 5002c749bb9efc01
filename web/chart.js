/* chart.js -- the curve as SVG: efficiency over GPUs, and tokens/s below, which hides what is lost: both logarithmic. */
import { drawn } from "./dom.js";
import { decades, showCount, showWhole } from "./format.js";

const margin = { left: 62, right: 14, top: 38, gap: 26, bottom: 34 };
/** A phone's chart leaves room for the sliders below it. */
const heightsOf = (width) => (width < 500 ? { efficiencyHeight: 150, speedHeight: 90 } : { efficiencyHeight: 250, speedHeight: 120 });
const letter = 6.4; // units a character of the chart's text takes, about

function logScale(low, high, from, to) {
  const a = Math.log(low), span = Math.log(high) - a || 1;
  return (value) => from + ((Math.log(value) - a) / span) * (to - from);
}

function pathOf(points, x, y) {
  return points.map((p, i) => `${i ? "L" : "M"}${x(p).toFixed(1)},${y(p).toFixed(1)}`).join("");
}

function bandOf(points, x, y) {
  const back = [...points].reverse();
  return `${pathOf(points, x, (p) => y(p.high))}${pathOf(back, x, (p) => y(p.low)).replace("M", "L")}Z`;
}

function text(words, x, y, anchor = "middle") {
  return drawn("text", { x, y, "text-anchor": anchor }, words);
}

/**
 * Draws into an svg element. Where more GPUs still pay, up to knee and cap, the ground is tinted.
 * @param {{sizes: number[], series: {mode: string, ghost?: boolean, points: {gpus: number,
 *   tokens: number, low: number, high: number, efficiency: number, bound: number, draft: boolean}[]}[],
 *   runs: {gpus: number, tokens: number, words: string}[],
 *   missing: number[], pending: number[], cap: number | null, knee: number | null}} data
 * @returns {(gpus: number | null) => void} moves the guide
 */
export function drawCurve(svg, data, width) {
  const { efficiencyHeight, speedHeight } = heightsOf(width);
  const height = margin.top + speedHeight + margin.gap + efficiencyHeight + margin.bottom;
  const right = width - margin.right, floor = margin.top + efficiencyHeight, top2 = floor + margin.gap, floor2 = top2 + speedHeight;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const all = data.series.flatMap((one) => one.points);
  const x = logScale(data.sizes[0], data.sizes.at(-1), margin.left + 8, right - 8);
  const first = data.series.find((one) => !one.ghost && one.points.length)?.points[0];
  const lowest = Math.min(...all.map((p) => Math.min(p.low, p.useful ?? p.low))), highest = Math.max(...all.map((p) => p.high));
  const y = all.length ? logScale(lowest / 1.15, highest * 1.3, floor2, top2) : () => floor2;
  const best = Math.max(1.05, ...all.map((p) => p.efficiency));
  const e = (share) => floor - (share / best) * efficiencyHeight;
  const scales = { x, y, e, right, floor, floor2, top2, lowest, highest, first, ...emptyRows(data.series, e, floor) };
  const parts = [...axesOf(data, scales)];
  if (first) parts.push(idealOf(first, data.sizes, scales));
  if (first) parts.unshift(...wallsOf(data, scales));
  for (const one of data.series) parts.push(...seriesOf(one, scales));
  if (first) parts.push(...runsOf(data.runs, best, scales));
  for (const gpus of data.pending) parts.push(drawn("circle", { class: "pending", cx: x(gpus), cy: floor2 - 10, r: 4 }, drawn("title", {}, `${showWhole(gpus)} GPUs: not searched yet`)));
  for (const gpus of data.missing) parts.push(drawn("text", { class: "cross", x: x(gpus), y: floor2 - 6, "text-anchor": "middle" }, "×", drawn("title", {}, `${showWhole(gpus)} GPUs: nothing fits`)));
  const guide = drawn("line", { class: "guide", y1: margin.top, y2: floor2, visibility: "hidden" });
  svg.replaceChildren(...parts, guide);
  return (gpus) => {
    guide.setAttribute("visibility", gpus ? "visible" : "hidden");
    if (gpus) for (const end of ["x1", "x2"]) guide.setAttribute(end, x(gpus));
  };
}

function* axesOf(data, { x, y, e, right, floor, floor2, top2, lowest, highest, first, title }) {
  const step = Math.ceil(data.sizes.length / Math.max(3, Math.floor((right - margin.left) / 56)));
  for (const [i, gpus] of data.sizes.entries()) {
    yield drawn("line", { class: "grid", x1: x(gpus), x2: x(gpus), y1: margin.top, y2: floor2 });
    if (i % step === 0) yield text(showWhole(gpus), x(gpus), floor2 + 16);
  }
  yield text("GPUs", (margin.left + right) / 2, floor2 + 31);
  const ticks = first ? decades(lowest / 1.15, highest * 1.3) : [];
  for (const v of ticks.length > 5 ? ticks.filter((_, i) => i % 2) : ticks) {
    yield drawn("line", { class: "grid", x1: margin.left, x2: right, y1: y(v), y2: y(v) });
    yield text(showCount(v), margin.left - 6, y(v) + 4, "end");
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    yield drawn("line", { class: share === 1 ? "baseline" : "grid", x1: margin.left, x2: right, y1: e(share), y2: e(share) });
    yield text(`${100 * share} %`, margin.left - 6, e(share) + 4, "end");
  }
  yield named("tokens/s", margin.left + 6, top2 + 12, "start");
  const baseline = first ? `efficiency: 100 % is ${showCount(first.tokens / first.gpus)} tokens/s per GPU, as on ${showWhole(first.gpus)}` : "efficiency";
  yield named(baseline.length * letter < right - margin.left - 12 ? baseline : "efficiency", margin.left + 6, title, "start");
  for (const end of [floor, floor2]) yield drawn("line", { class: "axis", x1: margin.left, x2: right, y1: end, y2: end });
}

/** Words that stand on lines. */
const named = (words, x, y, anchor) => drawn("text", { class: "halo", x, y, "text-anchor": anchor }, words);

/** Rows for what efficiency is of and for the names of the ground: of a few the first that no line comes near, or else the farthest from them. */
function emptyRows(series, e, floor) {
  const lines = series.flatMap(({ points }) => [(p) => p.efficiency, (p) => p.bound, (p) => (p.useful ? (p.efficiency * p.useful) / p.tokens : null)].map((of) => points.map(of).filter((share) => share !== null).map(e)));
  const between = (a, b, y) => Math.max(0, Math.min(a, b) - y, y - Math.max(a, b));
  const room = (y) => Math.min(...lines.flatMap((line) => line.map((at, i) => between(at, line[i + 1] ?? at, y - 4))), Infinity);
  const pick = (rows) => rows.find((y) => room(y) > 12) ?? rows.reduce((far, y) => (room(y) > room(far) ? y : far));
  const rows = [floor - 26, ...[0.36, 0.61, 0.86].map((share) => e(share))], names = pick(rows);
  return { names, title: pick([floor - 8, ...rows].filter((y) => Math.abs(y - names) > 14)) };
}

/** Cheap ground from the first size that runs to the nearer wall, dear up to the knee, half wasted past it; a line for each wall. */
function* wallsOf({ cap, knee, sizes }, { x, names: row, floor2, right, first: { gpus: first } }) {
  const last = sizes.at(-1), inside = (gpus) => gpus && gpus <= last && gpus >= sizes[0];
  const walls = [cap, knee].filter(inside), end = Math.min(...walls, last);
  if (end > first) yield drawn("rect", { class: "cheap", x: x(first), y: margin.top, width: x(end) - x(first), height: floor2 - margin.top });
  /** The longest of some names that there is room for. */
  const between = (kind, names, from, to) => {
    const words = names.find((one) => one.length * letter < x(to) - x(from) - 8);
    return words ? [drawn("text", { class: `regime ${kind} halo`, x: (x(from) + x(to)) / 2, y: row, "text-anchor": "middle" }, words)] : [];
  };
  const ground = (kind, from, to) => drawn("rect", { class: kind, x: x(from), y: margin.top, width: x(to) - x(from), height: floor2 - margin.top });
  if (walls.length && end > first) yield* between("", ["cheap: copies of the model", "cheap"], first, end);
  const wasted = inside(knee) ? Math.max(knee, first) : last;
  if (walls.length && wasted > end) yield ground("costly", end, wasted);
  if (walls.length && wasted > end) yield* between("dear", cap && cap <= end ? ["dear: split further, batch too large", "dear: split further", "dear"] : ["dear"], end, wasted);
  if (inside(knee) && last > wasted) yield ground("wasted", wasted, last);
  if (inside(knee) && last > wasted) yield* between("lost", ["half wasted: machines that wait", "half wasted", "waste"], wasted, last);
  for (const [words, gpus, line] of [["DP cap: copies run out", cap, 1], ["knee: added GPUs half lost", knee, 2]]) {
    if (!inside(gpus)) continue;
    const side = x(gpus) > (margin.left + right) / 2 ? "end" : "start", above = margin.top - 13 * line;
    yield drawn("line", { class: "wall", x1: x(gpus), x2: x(gpus), y1: above - 9, y2: floor2 });
    yield drawn("text", { class: "wall-name halo", x: x(gpus) + (side === "end" ? -4 : 4), y: above, "text-anchor": side }, words);
  }
}

/** What others measured: a mark in each half, its source under the pointer. */
function* runsOf(runs, best, { x, y, e, first, lowest, highest }) {
  for (const { gpus, tokens, words } of runs) {
    const share = tokens / gpus / (first.tokens / first.gpus), mark = (height) => drawn("path", { class: "run", d: `M${x(gpus)},${height - 5}l5,5l-5,5l-5,-5z` }, drawn("title", {}, words));
    if (share <= best) yield mark(e(share));
    if (tokens > lowest / 1.15 && tokens < highest * 1.3) yield mark(y(tokens));
  }
}

/** As if the first size that runs were copied: tokens/s in proportion to GPUs. */
function idealOf(first, sizes, { x, y }) {
  const last = sizes.at(-1);
  const high = (first.tokens * last) / first.gpus;
  return drawn("path", { class: "ideal", d: `M${x(first.gpus)},${y(first.tokens)}L${x(last)},${y(high)}` });
}

function* seriesOf({ mode, ghost, points }, { x, y, e }) {
  const across = (p) => x(p.gpus), kind = ghost ? `${mode} ghost` : mode;
  if (!ghost && points.length > 1) yield drawn("path", { class: `band ${mode}`, d: bandOf(points, across, y) });
  yield drawn("path", { class: `line ${kind}`, d: pathOf(points, across, (p) => y(p.tokens)) });
  yield drawn("path", { class: `line ${kind}`, d: pathOf(points, across, (p) => e(p.efficiency)) });
  if (ghost) return;
  const useful = points.filter((p) => p.useful);
  if (useful.length > 1)
    for (const height of [(p) => y(p.useful), (p) => e((p.efficiency * p.useful) / p.tokens)]) yield drawn("path", { class: "line useful", d: pathOf(useful, across, height) });
  yield drawn("path", { class: `line thin ${mode}`, d: pathOf(points, across, (p) => e(p.bound)) });
  for (const p of points)
    for (const height of [y(p.tokens), e(p.efficiency)])
      yield drawn("circle", { class: `dot ${mode}${p.draft ? " draft" : ""}`, cx: across(p), cy: height, r: 3.5 });
}

/** The size nearest to a place on the picture. */
export function sizeAt(svg, sizes, clientX) {
  const box = svg.getBoundingClientRect();
  const x = logScale(sizes[0], sizes.at(-1), margin.left + 8, box.width - margin.right - 8);
  return sizes.reduce((near, n) => (Math.abs(x(n) - (clientX - box.left)) < Math.abs(x(near) - (clientX - box.left)) ? n : near));
}
