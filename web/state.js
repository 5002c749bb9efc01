/* state.js -- everything a person set, and the URL that says it again. */

/** Keys that are the page's own; all others are flags of the core. */
const pageKeys = new Set(["tab", "to", "pin", "model", "config"]);
const listKeys = new Set(["fix", "not"]); // flags that may be given more than once
const onlyFor = { top: "plan", mode: "scale", "critical-batch": "scale", knee: "scale" };

export const firstState = {
  tab: "plan", to: "16384", model: "llama-3.1-405b", gpus: "1024", seq: "8192", "global-batch": "16Mtok",
};

/** State of a URL's hash; what a person never set is as on the first visit. */
export function stateOfHash(hash) {
  const given = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  return Object.keys(given).some((key) => key !== "tab") ? { tab: "plan", to: "16384", ...given } : { ...firstState, ...given };
}

export function hashOfState(state) {
  const set = Object.entries(state).filter(([, value]) => value !== "" && value !== undefined);
  return `#${new URLSearchParams(set)}`;
}

function valueOf(key, value) {
  if (listKeys.has(key)) return value.split(/\s+/).filter(Boolean);
  return value === "true" ? true : value;
}

/** The request to the core. */
export function requestOf(state, command) {
  const request = { command, model: state.model ?? "" };
  if (state.config) request.config = state.config;
  for (const [key, value] of Object.entries(state))
    if (!pageKeys.has(key) && value && (onlyFor[key] ?? command) === command) request[key] = valueOf(key, value);
  if (command === "scale") request.gpus = `8..${state.to || firstState.to}`;
  return request;
}

const quoted = (word) => (/^[\w.,=/+:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The same question at the command line. */
export function commandLineOf(state) {
  const { command, model, config: _, ...flags } = requestOf(state, state.tab === "curve" ? "scale" : "plan");
  const words = Object.entries(flags).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [value].flat().flatMap((one) => [`--${flag}`, quoted(one)]));
  return ["ceiling", command, quoted(model), ...words].join(" ");
}
