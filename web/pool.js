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
  const hands = []; // {worker, jobs}: a worker and what it was given
  let onPage = null; // a core without a worker
  let draining = false;

  function finish(hand, texts) {
    const jobs = hand.jobs;
    hand.jobs = [];
    jobs.forEach((job, i) => settle(job, texts[i]));
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
      if (data.texts) finish(hand, data.texts);
      else hand.jobs[0]?.progress?.(data.share);
    };
    hand.worker.onerror = () => withoutWorkers();
    hand.worker.onmessageerror = () => withoutWorkers();
    hand.worker.postMessage({ module });
  }

  /** Nobody waits for these jobs any more: they may end by themselves soon, or their worker is ended. */
  function giveUp(hand) {
    const jobs = hand.jobs;
    for (const job of jobs) job.resolve(null);
    setTimeout(() => {
      if (hand.jobs !== jobs) return;
      hand.worker.terminate();
      hand.jobs = [];
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
      queue.unshift(...hand.jobs);
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

  /** The next job, or a share of several small ones of a group: going to and fro costs more than they do. */
  function takeJobs(idle) {
    const jobs = queue.splice(0, 1), [{ small, group }] = jobs;
    if (!small) return jobs;
    const alike = queue.filter((job) => job.small && job.group === group);
    for (const job of alike.slice(0, Math.ceil((alike.length + 1) / idle) - 1)) jobs.push(...queue.splice(queue.indexOf(job), 1));
    return jobs;
  }

  function next() {
    if (onPage) return void drain();
    const idle = hands.filter((hand) => !hand.jobs.length);
    for (const [i, hand] of idle.entries()) {
      if (!queue.length) return;
      hand.jobs = takeJobs(idle.length - i);
      hand.worker.postMessage({ requests: hand.jobs.map(({ request }) => request), files: hand.jobs[0].files });
    }
  }

  try {
    for (let i = 0; i < size; i++) hands.push({ worker: null, jobs: [] });
    hands.forEach(spawn);
  } catch {
    withoutWorkers();
  }

  let soon = false;
  return {
    size,
    /**
     * Asks the core; null when the question was cancelled.
     * @param {{group?: string, progress?: (share: number) => void, small?: boolean, first?: boolean, files?: File[]}} how
     *   first: before all that wait; small: takes a millisecond, may go with others; files: those the request names; such an answer is not
     *   kept, for names say nothing of what is in them
     * @returns {Promise<{text: string, value: object} | null>}
     */
    ask(request, how = {}) {
      const key = JSON.stringify(request);
      if (!how.files && cache.has(key)) return Promise.resolve(cache.get(key));
      return new Promise((resolve) => {
        queue[how.first ? "unshift" : "push"]({ key, request, resolve, ...how });
        if (soon) return;
        soon = true; // questions asked in one go are shared out together
        queueMicrotask(() => { soon = false; next(); });
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
      for (const hand of hands) if (hand.jobs.length && hand.jobs[0].group === group) giveUp(hand);
    },
  };
}
