/* scale.js -- the one place that turns a request into a curve.
 *
 * Points come from one `explain` question a size, so that workers share them and a picture grows as
 * they come. Cap, knee and hours come from one `scale` question for all sizes: among the layouts
 * that won, which gives the same winners and costs little. */

/** Sizes of a curve as --gpus has them: "16384" and "8..16384" double, "8,16,24" lists. */
export function sizesTo(words) {
  if (words.includes(",")) return [...new Set(words.split(",").map(Number).filter((n) => n >= 1))].sort((a, b) => a - b);
  const [first, last] = words.includes("..") ? words.split("..").map(Number) : [8, Number(words)], sizes = [];
  for (let n = first; n <= last && sizes.length < 18; n *= 2) sizes.push(n);
  return sizes.length ? sizes : [last || 8];
}

/** A batch of so many sequences. From 1e9 tokens on the core asks whether tokens were meant: those are said in tokens. */
const batchOf = (sequences, seq) => (sequences * seq > 5e8 ? `${sequences * seq}tok` : String(sequences));

const heldAxes = ["tp", "sp", "cp", "ep", "etp", "pp", "vpp", "schedule", "zero", "recompute"];

/** Axes that are held where the person left them open. Not recompute, where only some layers of a chunk are
 * recomputed: how many is found only while the axis is open. */
const heldOf = (request, layouts) => heldAxes.filter((axis) => !(axis in request) && !(axis === "recompute" && layouts.some((layout) => layout.recompute_layers > 0)));

/** Holds the axes of a layout that the person left open, so that one size costs a millisecond. */
function draftOf(request, layout) {
  const fix = heldOf(request, [layout]).map((axis) => `${axis}=${Number(layout[axis])}`.replace("NaN", layout[axis]));
  if (!("micro-batch" in request)) fix.push(layout.micro_batch > 1 ? `micro-batch=1,${layout.micro_batch}` : "micro-batch=1");
  return { ...request, fix: [...(request.fix ?? []), ...fix] };
}

/** Every value of the open axes that some layout has. */
function unionOf(request, layouts) {
  const values = (axis) => [...new Set(layouts.map((layout) => String(Number(layout[axis])).replace("NaN", layout[axis])))];
  const fix = heldOf(request, layouts).map((axis) => `${axis}=${values(axis).join()}`);
  if (!("micro-batch" in request)) fix.push(`micro-batch=${[...new Set(layouts.map((layout) => layout.micro_batch))].join()}`);
  return fix;
}

/**
 * The walls of the strong curve: dp_cap, knee, and points with hours and samples.
 * @param {object} request a scale request
 * @param {object[]} layouts the best ones of all sizes
 */
export async function askWalls(ask, request, layouts) {
  if (!layouts.length) return null;
  const answer = await ask({ ...request, fix: [...(request.fix ?? []), ...unionOf(request, layouts)] });
  return answer && (answer.value.error ? null : answer.value);
}

/** A batch that many layouts divide: 2 or 3 times a power of two, where the exact one is no whole number. */
function divisibleBatch(exact) {
  if (Number.isInteger(exact)) return exact;
  const power = 2 ** Math.floor(Math.log2(exact));
  return Math.max(1, exact / power < Math.sqrt(1.5) ? power : exact / power < Math.sqrt(3) ? (power * 3) / 2 : power * 2);
}

/**
 * Asks for the strong and the weak curve. `point` is called as answers come: with the answer of
 * explain, or null where there is none.
 * @param {(request: object) => Promise<{value: object} | null>} ask
 * @param {object} base an explain request; its gpus are the reference of weak scaling
 * @param {number[]} sizes
 * @param {((mode: string, gpus: number) => object | undefined) | null} guide  layouts to hold for
 *        a draft; null searches every size
 * @param {(mode: string, gpus: number, answer: object | null) => void} point
 * @returns {Promise<object | null>} the error that all sizes share, if any
 */
export async function askCurve(ask, base, sizes, guide, point) {
  let error = null, fine = false, over = false;
  const asked = new Map(); // text of a question -> its answer, under way or here
  const once = (request) => {
    const key = JSON.stringify(request);
    if (!asked.has(key)) asked.set(key, ask(request));
    return asked.get(key);
  };
  const questionOf = (request, layout) => (layout ? draftOf(request, layout) : request);
  const one = async (mode, gpus, here) => {
    const layout = guide?.(mode, gpus);
    if (guide && !layout) return;
    const answer = await once(questionOf(here, layout));
    if (!answer || over) return;
    error = answer.value.error ?? error;
    fine = fine || !answer.value.error;
    point(mode, gpus, answer.value.error ? null : answer.value);
  };
  const reference = Number(base.gpus) || sizes[0];
  const given = once(questionOf(base, guide && (guide("strong", reference) ?? guide("any", reference))));
  const strong = sizes.map((gpus) => one("strong", gpus, { ...base, gpus: String(gpus) })); // waits for nothing
  const value = (await given)?.value;
  if (value?.error && !guide) {
    over = true;
    return value.error;
  }
  const perGpu = value && !value.error ? value.layout.global_batch / value.machine.gpus : 0;
  const weak = sizes.map((gpus) => (perGpu ? one("weak", gpus, { ...base, gpus: String(gpus), "global-batch": batchOf(divisibleBatch(perGpu * gpus), value.layout.seq) }) : point("weak", gpus, null)));
  await Promise.all([...strong, ...weak]);
  return fine ? null : error;
}
