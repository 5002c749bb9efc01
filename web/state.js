/* state.js -- everything a person set, and the URL that says it again. */

/** Keys that are the page's own; all others are flags of the core, some of them of one command alone: "size.gpu". */
const pageKeys = new Set(["tab", "to", "pin", "model", "config", "money"]);
const listKeys = new Set(["fix", "not"]); // flags that may be given more than once
const shortText = 6000; // characters of a file that a link may hold

/** Flags that mean another thing to another command: a layout kept for training is not one for serving. */
const layoutFlags = ["dp", "zero", "hsdp", "tp", "sp", "cp", "cp-kind", "ep", "etp", "pp", "vpp", "schedule", "micro-batch", "recompute", "recompute-layers", "attention", "fix", "not"];
const ofMachine = new Set(["gpu", "node", "fabric", "nics", "stack", "kernels", "network", "price"]);
const ofTable = { has: (flag) => !ofMachine.has(flag) }; // a row says the rest, or this question
const ownFlags = {
  portfolio: ofTable,
  fleet: ofTable,
  demand: new Set(["deadline", "gpus", "tp", "pp", "dp", "ep"]),
  size: new Set(["gpu", "node", "fabric", "nics", "price", ...layoutFlags]),
};

export const firstState = {
  tab: "curve", to: "4096", model: "llama-3.1-8b", gpus: "64", seq: "8192", "global-batch": "4Mtok",
};
/** What a link that names something leaves out; other flags have the core's own defaults. */
const linkDefaults = { tab: "plan", to: "16384", model: firstState.model, gpus: "1024" };

const linkVersion = "1"; // of what keys mean and what is left out; says also that a link is one, not a first visit

let taken = {}; // command -> flags it takes, as the core says
const longTexts = new Map(); // "trace/name" -> text of a file, also where it is too long for a link

/** @param {{name: string, flags: string[]}[]} commands */
export function learnFlags(commands) {
  taken = Object.fromEntries(commands.map(({ name, flags }) => [name, new Set(flags)]));
}

export const takes = (command, flag) => Boolean(taken[command]?.has(flag));

/** Where the value of a flag is kept for a command. */
export const keyOf = (command, flag) => (ownFlags[command]?.has(flag) ? `${command}.${flag}` : flag);

/** What a table asks: a list of jobs, or of served models. */
export const asksTable = (command) => command === "portfolio" || command === "fleet";

/** The command a state asks. */
export const commandOf = (state) => ({ curve: "scale", economics: ["demand", "portfolio", "fleet"].includes(state.money) ? state.money : "size", trace: "trace" })[state.tab] ?? "plan";

/** State of a URL's hash; what a person never set is as on the first visit. */
export function stateOfHash(hash) {
  const given = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  const named = Object.keys(given);
  delete given.v;
  return named.some((key) => key !== "tab" && key !== "money") ? { ...linkDefaults, ...given } : { ...firstState, ...given };
}

export function hashOfState(state) {
  const set = Object.entries(state).filter(([key, value]) => value !== "" && value !== undefined && value !== linkDefaults[key]);
  return `#${new URLSearchParams([["v", linkVersion], ...set])}`;
}

/** Where weak scaling has the batch given, when nothing is said: half way up, counted in doublings. */
const middleSize = (last) => String(8 * 2 ** Math.max(0, Math.round(Math.log2(last / 8) / 2)));

/** State of a request that the command line answered. */
export function stateOfRequest({ command, files: _, ...request }) {
  const state = { tab: { scale: "curve", size: "economics", demand: "economics", trace: "trace" }[command] ?? "plan", to: firstState.to };
  if (state.tab === "economics") state.money = command;
  for (const [flag, value] of Object.entries(request)) {
    const key = keyOf(command, flag);
    if (value?.text !== undefined) keepText(state, key, value.name, value.text);
    else state[key] = Array.isArray(value) ? value.join(" ") : String(value);
  }
  if (command === "scale") state.to = /^8\.\.(\d+)$/.exec(state.gpus)?.[1] ?? state.gpus ?? state.to;
  if (command === "scale") state.gpus = request.mode === "weak" ? request.gpus.split(/[,.]+/)[0] : middleSize(Number(state.to.split(/[,.]+/).at(-1)));
  return state;
}

/** Sets a flag to a file: in the link when it is short. */
export function keepText(state, key, name, text) {
  state[key] = name;
  delete state[`${key}-text`];
  longTexts.set(`${key}/${name}`, text); // who chooses the name again has the file again
  if (text.length <= shortText) state[`${key}-text`] = text;
}

/** The text of the file a flag names, if it names one. */
export const textOf = (state, key) => state[`${key}-text`] ?? longTexts.get(`${key}/${state[key]}`);

function valueOf(state, key, flag) {
  const value = state[key], text = textOf(state, key);
  if (text !== undefined) return { name: value, text };
  if (listKeys.has(flag)) return value.split(/\s+/).filter(Boolean);
  return value === "true" ? true : value;
}

/** The request to the core. */
export function requestOf(state, command) {
  const request = { command, model: state.model ?? "" };
  if (state.config) request.config = state.config;
  if (asksTable(command)) Object.assign(request, { model: state[`${command}.table`] ?? "TABLE.csv", config: textOf(state, `${command}.table`) ?? "" });
  for (const key of Object.keys(state)) {
    const flag = key.startsWith(`${command}.`) ? key.slice(command.length + 1) : key;
    if (state[key] && !pageKeys.has(key) && takes(command, flag) && keyOf(command, flag) === key) request[flag] = valueOf(state, key, flag);
  }
  if (command === "scale") request.gpus = /\D/.test(state.to || firstState.to) ? state.to : `8..${state.to || firstState.to}`;
  if (command === "scale") delete request.mode;
  return request;
}

const quoted = (word) => (/^[\w.,=/+:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The same question at the command line. */
export function commandLineOf(state, files = []) {
  if (state.tab === "trace") return ["ceiling", "trace", ...(files.length ? files.map(quoted) : ["FILE..."])].join(" ");
  const { command, model, config: _, ...flags } = requestOf(state, commandOf(state));
  const words = Object.entries(flags).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [value].flat().flatMap((one) => [`--${flag}`, quoted(one.name ?? one)]));
  return ["ceiling", command, quoted(model), ...words].join(" ");
}
