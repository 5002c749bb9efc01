/* pool.js -- questions to the core, spread over workers; on the page itself where there are none. */
import { openCore } from "./core.js";
import { readersOf } from "./files.js";

const keptAnswers = 2000;
const largeAnswer = 1 << 18; // characters; such an answer is not kept
const patience = 30; // ms a cancelled call may go on before its worker is ended

/**
 * @param {WebAssembly.Module} module
 * @param {string} source text of worker.js with what it imports
 */
export function openPool(module, source) {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const cores = navigator.hardwareConcurrency || 2;
  const size = Math.min(6, cores > 2 ? cores - 1 : cores);
  const cache = new Map(); // request as text -> answer
  const queue = [];
  const hands = []; // {worker, job}
  let onPage = null; // a core without a worker
  let draining = false;

  function finish(hand, text) {
    const job = hand.job;
    hand.job = null;
    if (job) settle(job, text);
    next();
  }

  function settle(job, text) {
    const answer = { text, value: JSON.parse(text) };
    if (cache.size > keptAnswers) cache.delete(cache.keys().next().value);
    if (text.length < largeAnswer && !job.files) cache.set(job.key, answer);
    job.resolve(answer);
  }

  function spawn(hand) {
    hand.worker = new Worker(url);
    hand.worker.onmessage = ({ data }) => {
      if (data.text !== undefined) finish(hand, data.text);
      else hand.job?.progress?.(data.share);
    };
    hand.worker.onerror = () => withoutWorkers();
    hand.worker.onmessageerror = () => withoutWorkers();
    hand.worker.postMessage({ module });
  }

  /** Nobody waits for a job any more: it may end by itself soon, or its worker is ended. */
  function giveUp(hand, job) {
    job.resolve(null);
    setTimeout(() => {
      if (hand.job !== job) return;
      hand.worker.terminate();
      hand.job = null;
      spawn(hand);
      next();
    }, patience);
  }

  /** Some browsers forbid workers to pages from a file: then the page calls the core itself. */
  function withoutWorkers() {
    if (onPage) return;
    onPage = openCore(module);
    for (const hand of hands.splice(0)) {
      hand.worker?.terminate();
      if (hand.job) queue.unshift(hand.job);
    }
    drain();
  }

  async function drain() {
    if (draining) return;
    draining = true;
    const call = await onPage;
    while (queue.length) {
      const job = queue.shift();
      settle(job, await call(job.request, await readersOf(job.files ?? [])));
      await new Promise((resolve) => setTimeout(resolve)); // let the page draw
    }
    draining = false;
  }

  function next() {
    if (onPage) return void drain();
    for (const hand of hands) {
      if (hand.job || !queue.length) continue;
      hand.job = queue.shift();
      hand.worker.postMessage({ request: hand.job.request, files: hand.job.files });
    }
  }

  try {
    for (let i = 0; i < size; i++) hands.push({ worker: null, job: null });
    hands.forEach(spawn);
  } catch {
    withoutWorkers();
  }

  return {
    size,
    /**
     * Asks the core; null when the question was cancelled.
     * @param {{group?: string, progress?: (share: number) => void, files?: File[]}} how  files: those the
     *   request names; such an answer is not kept, for names say nothing of what is in them
     * @returns {Promise<{text: string, value: object} | null>}
     */
    ask(request, how = {}) {
      const key = JSON.stringify(request);
      if (!how.files && cache.has(key)) return Promise.resolve(cache.get(key));
      return new Promise((resolve) => {
        queue.push({ key, request, resolve, ...how });
        next();
      });
    },
    /** Knows an answer beforehand. */
    learn(request, text) {
      cache.set(JSON.stringify(request), { text, value: JSON.parse(text) });
    },
    /** Drops the questions of a group; one under way is stopped with its worker. */
    cancel(group) {
      for (let i = queue.length - 1; i >= 0; i--)
        if (queue[i].group === group) queue.splice(i, 1)[0].resolve(null);
      for (const hand of hands) if (hand.job?.group === group) giveUp(hand, hand.job);
    },
  };
}
