/* figure.js -- the smaller drawings: stacked bars, a price in factors, break-even, clusters. All SVG, so that they can be kept. */
import { drawn } from "./dom.js";
import { decades, showMoney, showPrice, showSeconds, showShare, showWhole } from "./format.js";

/** A sheet of a width with a description for those who do not see it. */
function sheet(width, height, words, kind) {
  return drawn("svg", { class: `figure ${kind}`, role: "img", "aria-label": words, viewBox: `0 0 ${width} ${height}`, width, height });
}

const label = (words, x, y, attributes = {}) => drawn("text", { x, y, ...attributes }, words);
const titled = (node, words) => (node.append(drawn("title", {}, words)), node);

/** Cuts words to about a width in pixels. */
const cut = (words, width) => (words.length * 6.6 <= width ? words : `${words.slice(0, Math.max(1, Math.floor(width / 6.6) - 1))}…`);

/**
 * One stacked bar a row.
 * @param {{name: string, more?: string, whole: number, values: Record<string, number>}[]} rows
 * @param {{key: string, words: string, color: string}[]} parts
 */
export function stackedFigure(rows, parts, width, words) {
  const narrow = width < 560, left = narrow ? 70 : 120, right = narrow ? 62 : 76, tall = rows.length > 40 ? 13 : 19, foot = 20;
  const most = Math.max(...rows.map(({ whole }) => whole), 1e-12), room = width - left - right;
  const svg = sheet(width, rows.length * tall + foot, words, "stacked");
  for (const [i, row] of rows.entries()) {
    let x = left;
    svg.append(label(cut(row.name, left - 8), left - 8, i * tall + tall - 5, { "text-anchor": "end" }));
    for (const { key, words: part, color } of parts) {
      const value = row.values[key] ?? 0, wide = (room * value) / most;
      if (value > 0) svg.append(titled(drawn("rect", { class: color, x, y: i * tall + 1, width: Math.max(wide, 0.2), height: tall - 3 }), `${row.name}: ${part} ${showSeconds(value)}, ${showShare(value / row.whole)}`));
      x += wide;
    }
    svg.append(label(row.more ?? showSeconds(row.whole), x + 6, i * tall + tall - 5));
  }
  for (const share of [0, 0.5, 1]) svg.append(label(showSeconds(most * share), left + room * share, rows.length * tall + 14, { "text-anchor": "middle" }));
  return svg;
}

/** A price as a product: every bar starts where the one above ended. */
export function factorFigure(factors, api, width) {
  const narrow = width < 560, left = narrow ? 130 : 150, right = 100, tall = 24, rows = factors.length + (api ? 1 : 0);
  const most = Math.max(api?.usd ?? 0, ...factors.map((f) => f.usd_per_million_tokens)), x = (usd) => left + ((width - left - right) * usd) / most;
  const svg = sheet(width, rows * tall + 8, `a million output tokens, factor by factor: ${factors.map((f) => `${f.name} times ${f.factor.toFixed(2)}`).join(", ")}`, "factors");
  let before = 0;
  for (const [i, f] of factors.entries()) {
    const usd = f.usd_per_million_tokens, from = Math.min(before, usd), to = Math.max(before, usd), y = i * tall;
    svg.append(label(f.name, left - 8, y + 16, { "text-anchor": "end" }),
      titled(drawn("rect", { class: i === 0 ? "t0" : usd < before ? "t5" : "t4", x: x(from), y: y + 4, width: Math.max(x(to) - x(from), 1), height: tall - 8 }), `${f.name}: ${i ? `× ${f.factor.toFixed(2)} = ` : ""}${showPrice(usd)}`),
      label(i ? `× ${f.factor.toFixed(2)}  ${showPrice(usd)}` : showPrice(usd), Math.min(x(to) + 6, width - right + 2), y + 16));
    before = usd;
  }
  if (!api) return svg;
  const y = factors.length * tall;
  svg.append(label("API, same mix", left - 8, y + 16, { "text-anchor": "end" }), drawn("rect", { class: "t6", x: left, y: y + 4, width: Math.max(x(api.usd) - left, 1), height: tall - 8 }),
    label(showPrice(api.usd), Math.min(x(api.usd) + 6, width - right + 2), y + 16),
    drawn("line", { class: "wall", x1: x(api.usd), x2: x(api.usd), y1: 0, y2: y + tall - 4 }));
  return svg;
}

/** Two logarithmic axes with ticks in words. */
function plotOf(svg, box, [x0, x1], [y0, y1], xWords, yWords, xTick, yTick) {
  const x = (v) => box.left + ((box.right - box.left) * Math.log(v / x0)) / Math.log(x1 / x0), y = (v) => box.bottom - ((box.bottom - box.top) * Math.log(v / y0)) / Math.log(y1 / y0);
  let last = -Infinity;
  for (const v of decades(x0, x1)) {
    svg.append(drawn("line", { class: "grid", x1: x(v), x2: x(v), y1: box.top, y2: box.bottom }));
    if (x(v) - last > 46) svg.append(label(xTick(v), (last = x(v)), box.bottom + 15, { "text-anchor": "middle" }));
  }
  for (const v of decades(y0, y1)) svg.append(drawn("line", { class: "grid", x1: box.left, x2: box.right, y1: y(v), y2: y(v) }), label(yTick(v), box.left - 6, y(v) + 4, { "text-anchor": "end" }));
  svg.append(drawn("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }), drawn("line", { class: "axis", x1: box.left, x2: box.left, y1: box.top, y2: box.bottom }),
    label(xWords, (box.left + box.right) / 2, box.bottom + 31, { "text-anchor": "middle" }), label(yWords, box.right - 4, box.top + 11, { "text-anchor": "end" }));
  return { x, y };
}

/** Price over load of a replica: full price over load, the comparator, where they meet, where this demand is. */
export function breakEvenFigure({ full, api, share, here, price }, width) {
  const svg = sheet(width, 250, `price of a million output tokens over the load of the fleet${share <= 1 ? `; break-even at ${showShare(share)}` : ""}`, "break-even");
  const low = Math.min(0.01, (here || 1) / 2), top = Math.max(full / low, api ?? 0), bottom = Math.min(full, api ?? full, price ?? full) / 1.6;
  const { x, y } = plotOf(svg, { left: 62, right: width - 24, top: 8, bottom: 208 }, [low, 1], [bottom, top], "load: output tokens/s over capacity", "USD per million output tokens", (v) => `${Number((100 * v).toPrecision(2))} %`, (v) => showPrice(v));
  svg.append(drawn("path", { class: "line strong", d: `M${x(low)},${y(full / low)}L${x(1)},${y(full)}` }));
  if (api) svg.append(drawn("line", { class: "wall", x1: x(low), x2: x(1), y1: y(api), y2: y(api) }), label(`API ${showPrice(api)}`, x(1) - 4, y(api) - 5, { "text-anchor": "end", class: "wall-name" }));
  if (api && share <= 1 && share >= low) svg.append(drawn("rect", { class: "cheap", x: x(share), y: 8, width: x(1) - x(share), height: 200 }), drawn("line", { class: "guide-line", x1: x(share), x2: x(share), y1: y(api), y2: 208 }), label(`pays above ${showShare(share)}`, x(share) + (share > 0.3 ? -5 : 5), 200, { "text-anchor": share > 0.3 ? "end" : "start" }));
  if (here >= low && price) svg.append(titled(drawn("circle", { class: "dot here", cx: x(Math.min(1, here)), cy: y(price), r: 5 }), `this demand: ${showShare(here)} of capacity, ${showPrice(price)}`), label("this demand", x(Math.min(1, here)) + (here > 0.3 ? -9 : 9), y(price) + 4, { "text-anchor": here > 0.3 ? "end" : "start" }));
  return svg;
}

/** Clusters as days against dollars; those nothing beats are joined. */
export function clustersFigure(clusters, limits, chosen, width, open) {
  const svg = sheet(width, 330, `${clusters.length} clusters, time against money`, "clusters"), day = 86400;
  const days = clusters.map((c) => c.seconds / day), money = clusters.map((c) => c.usd);
  const xs = [Math.min(...days, (limits.seconds ?? Infinity) / day) / 1.2, Math.max(...days, (limits.seconds ?? 0) / day) * 1.2], ys = [Math.min(...money, limits.usd ?? Infinity) / 1.3, Math.max(...money, limits.usd ?? 0) * 1.3];
  const { x, y } = plotOf(svg, { left: 70, right: width - 16, top: 8, bottom: 288 }, xs, ys, "days", "rent, USD", (v) => (v >= 1 ? showWhole(v) : String(Number(v.toPrecision(1)))), (v) => showMoney(v).replace(" USD", ""));
  const kinds = [...new Set(clusters.map(({ gpu }) => gpu))], front = clusters.filter((c) => c.on_front).sort((a, b) => a.seconds - b.seconds);
  if (limits.seconds) svg.append(drawn("line", { class: "wall", x1: x(limits.seconds / day), x2: x(limits.seconds / day), y1: 8, y2: 288 }), label("deadline", x(limits.seconds / day) - 4, 34, { class: "wall-name", "text-anchor": "end" }));
  if (limits.usd) svg.append(drawn("line", { class: "wall", x1: 70, x2: width - 16, y1: y(limits.usd), y2: y(limits.usd) }), label("budget", 76, y(limits.usd) - 4, { class: "wall-name" }));
  svg.append(drawn("path", { class: "line front", d: front.map((c, i) => `${i ? "L" : "M"}${x(c.seconds / day).toFixed(1)},${y(c.usd).toFixed(1)}`).join("") }));
  for (const c of clusters) {
    const words = `${showWhole(c.gpus)} × ${c.gpu}: ${showSeconds(c.seconds)}, ${showMoney(c.usd)}`;
    svg.append(titled(drawn("circle", { class: `dot t${kinds.indexOf(c.gpu) % 10}${c.meets ? "" : " misses"}`, cx: x(c.seconds / day), cy: y(c.usd), r: c === chosen ? 7 : c.on_front ? 5 : 3.5, onclick: () => open(c) }), words));
  }
  if (chosen) svg.append(drawn("circle", { class: "ring", cx: x(chosen.seconds / day), cy: y(chosen.usd), r: 10 }));
  return { svg, kinds };
}

/** The ledger of a step and of memory, as a drawing to keep: the page itself has them as tables. */
export function planFigure(title, time, memory, width) {
  const svg = sheet(width, 34 + 20 * time.length + 26 + 20 * memory.rows.length + 12, title, "plan"), left = 200, right = 90, room = width - left - right;
  let before = 0, y = 30;
  svg.append(label(title, 8, 18, { class: "head" }));
  const whole = time.reduce((sum, { value }) => sum + value, 0);
  for (const { words, value, color, said } of time) {
    svg.append(label(words, left - 8, y + 14, { "text-anchor": "end" }), drawn("rect", { class: color, x: left + (room * before) / whole, y: y + 3, width: Math.max(1, (room * value) / whole), height: 14 }), label(said, width - right + 6, y + 14));
    before += value;
    y += 20;
  }
  svg.append(label(memory.title, 8, (y += 18)));
  y += 6;
  before = 0;
  for (const { words, value, color, said } of memory.rows) {
    svg.append(label(words, left - 8, y + 14, { "text-anchor": "end" }), drawn("rect", { class: color, x: left + (room * before) / memory.most, y: y + 3, width: Math.max(1, (room * value) / memory.most), height: 14 }), label(said, width - right + 6, y + 14));
    before += value;
    y += 20;
  }
  const limit = left + (room * memory.capacity) / memory.most;
  svg.append(drawn("line", { class: "wall", x1: limit, x2: limit, y1: y - 20 * memory.rows.length, y2: y }));
  return svg;
}
