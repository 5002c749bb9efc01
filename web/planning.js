/* planning.js -- asks for the plan of a state: the best layout first, its rivals when they are found. */
import { element } from "./dom.js";
import { showLayout, showSeconds } from "./format.js";
import { showPlan } from "./plan.js";
import { requestOf } from "./state.js";
import { showTimeline } from "./timeline.js";

const typing = 250; // ms after a key before a plan is asked for

/** The flags of a layout; 0 recomputed layers is not a value but the lack of one, as are stages split evenly. */
const axes = ["dp", "zero", "hsdp", "tp", "sp", "cp", "cp_kind", "ep", "etp", "pp", "vpp", "schedule", "micro_batch", "recompute", "recompute_layers", "order", "stage_layers"];
const flagsOf = (layout) => Object.fromEntries(axes.filter((axis) => (axis !== "recompute_layers" || layout[axis] > 0) && layout[axis] !== undefined)
  .map((axis) => [axis.replace("_", "-"), String(Number(layout[axis])).replace("NaN", layout[axis])]));

/**
 * @param {HTMLElement} panel
 * @param {object} pool
 * @param {{fail: (error: object | null) => void, fix: (flags: object) => void, say: (words: string) => void}} page
 */
export function openPlan(panel, pool, page) {
  const place = element("div", { id: "plan-result" }), status = element("p", { class: "status", id: "plan-status" });
  const bar = element("progress", { id: "progress", max: 1, hidden: true, "aria-label": "searching" });
  let state = {}, last = null, timer = 0, asked = 0, shown = 0, waiting = false;
  panel.append(bar, place, status);

  const here = (layout, command) => {
    const { fix: _, not: __, ...request } = requestOf({ ...state, ...flagsOf(layout) }, command);
    return request;
  };
  const view = {
    /** Puts a layout into the form: the search then has one layout to price. */
    fix: (layout) => page.fix(flagsOf(layout)),
    text: () => last?.text ?? null,
    askWhy: async (layout) => (await pool.ask(here(layout, "why")))?.value,
    async drawSteps(host, layout) {
      const answer = await pool.ask(here(layout, "timeline"));
      if (answer?.value.error) host.textContent = answer.value.error.sentence;
      else if (answer) showTimeline(host, answer.value);
    },
  };

  /** The best layout alone is found sooner than its rivals: it is shown while they are searched. */
  async function preview(mine) {
    const answer = await pool.ask(requestOf(state, "explain"), { group: "plan" });
    if (!answer || mine !== asked || shown === mine || !answer.value.memory?.fits) return;
    page.fail(null);
    showPlan(place, { best: answer.value, run: answer.value.run, alternatives: [], pareto: [], search: null }, view);
    status.textContent = "searching for the layouts next to it…";
    document.documentElement.dataset.previewMs ??= performance.now().toFixed(0);
  }

  async function plan() {
    const mine = ++asked, began = performance.now();
    waiting = false;
    pool.cancel("plan");
    const progress = (share) => mine === asked && ((bar.hidden = false), (bar.value = share));
    preview(mine);
    const answer = await pool.ask(requestOf(state, "plan"), { group: "plan", progress });
    if (mine !== asked || !answer) return;
    bar.hidden = true;
    shown = mine;
    page.fail(answer.value.error ?? null);
    if (answer.value.error) status.textContent = "";
    if (answer.value.error) return;
    last = answer;
    showPlan(place, answer.value, view);
    status.textContent = `answered in ${showSeconds((performance.now() - began) / 1000)}`;
    page.say(answer.value.best ? `best layout ${showLayout(answer.value.best.layout)}, ${showSeconds(answer.value.best.step_s)} a step` : "no layout fits");
    document.documentElement.dataset.plan = String(mine);
    document.documentElement.dataset.planMs = performance.now().toFixed(0);
  }

  return {
    show(next, settled) {
      state = { ...next };
      clearTimeout(timer);
      timer = setTimeout(plan, settled ? 0 : typing);
      waiting = true;
    },
    /** Whether a change waits for more keys. */
    waits: () => waiting,
    /** The plan that is shown, as `plan --json` prints it. */
    bestText: () => (last?.value.best ? last.text : null),
  };
}
