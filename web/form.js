/* form.js -- controls drawn from the core's own list of knobs; errors stand at their field. */
import { element } from "./dom.js";
import { asksTable, keyOf, takes } from "./state.js";

const shownGroups = ["MACHINE", "JOB", "SERVING", "CLUSTER", "LAYOUT", "SCALING"];
const foldedGroups = ["LAYOUT", "SCALING"];
const extraKnobs = ["top"]; // of groups that are not shown otherwise
const pageDoes = ["mode"]; // the page draws both modes

function optionsOf(choices) {
  return choices.map(({ name, title }) => element("option", { value: name }, title && title !== name ? `${name}: ${title}` : name));
}

/** The control itself: a box to tick, a list to choose from, or a text with suggestions. */
function controlOf(param) {
  const id = `knob-${param.flag}`, common = { id, name: param.flag, "aria-describedby": `${id}-help ${id}-error` };
  if (param.kind === "switch") return [element("input", { ...common, type: "checkbox" })];
  const free = /RATE|AXIS|USD/.test(param.argument) || param.list;
  if (param.choices.length && !free)
    return withFile(param, element("select", common, element("option", { value: "" }, param.default || "chosen"), optionsOf(param.choices)));
  if (/CSV|built-in/.test(param.argument)) return fileControl(param, common);
  const input = element("input", {
    ...common, type: "text", placeholder: param.default || param.argument, autocomplete: "off", spellcheck: "false",
    inputmode: param.kind === "count" ? "numeric" : null, list: param.choices.length ? `${id}-list` : null,
  });
  return withFile(param, input, param.choices.length ? element("datalist", { id: `${id}-list` }, optionsOf(param.choices)) : null);
}

/** What opens a file for a flag, and the hidden control behind it. */
function fileButton(flag, control, words = "file…") {
  const file = element("input", { type: "file", hidden: true, "data-file": flag });
  file.addEventListener("change", () => { tellFile(control, flag, file.files[0]); file.value = ""; });
  return [file, element("button", { type: "button", class: "small", "aria-label": `${flag} from a file`, title: "a file of your own", onclick: () => file.click() }, words)];
}
const tellFile = (control, flag, file) => control.dispatchEvent(new CustomEvent("file", { bubbles: true, detail: { flag, file } }));

/** A name that may also be a file of one's own. */
function withFile({ argument, flag }, control, ...others) {
  if (!argument.endsWith("|FILE")) return [control, ...others];
  return [element("span", { class: "file own" }, control, fileButton(flag, control, "…")), ...others];
}

/** A file that is read in the page; its name stands in the field. */
function fileControl({ flag, fallback, default: otherwise }, common) {
  const name = element("input", { ...common, type: "text", readonly: true, placeholder: otherwise || fallback || "none" });
  return element("span", { class: "file" }, name, fileButton(flag, name),
    element("button", { type: "button", class: "small", "aria-label": `no ${flag}`, onclick: () => tellFile(name, flag, null) }, "×"));
}

/** What a stranger calls it, where the flag is an abbreviation; the flag stands beside it in grey. */
const plainNames = {
  gpu: "kind of GPU", gpus: "GPUs", nics: "network cards", stack: "software", kernels: "kernel times", network: "link times", seq: "sequence length",
  gradient: "gradients in", master: "master weights", moments: "optimizer moments", term: "software terms", dp: "copies of the model", zero: "shard states (ZeRO)", hsdp: "shards repeat every",
  tp: "tensor parallel", sp: "sequence parallel", cp: "context parallel", ep: "expert parallel", etp: "experts split over", pp: "pipeline stages", vpp: "chunks a stage",
  "max-gpus": "at most GPUs", pue: "cooling (PUE)", life: "written off over", ttft: "first token within", tpot: "later tokens within",
};

function fieldOf(param) {
  const id = `knob-${param.flag}`;
  return element("div", { class: `field ${param.kind}`, "data-flag": param.flag },
    element("label", { for: id, title: param.help }, plainNames[param.flag] ?? param.flag.replaceAll("-", " "), plainNames[param.flag] ? element("small", {}, `--${param.flag}`) : ""),
    controlOf(param),
    element("p", { class: "help", id: `${id}-help` }, param.help),
    element("p", { class: "error", id: `${id}-error`, role: "alert" }));
}

/** The model: a preset by name, or a config.json that was dropped or opened. */
function modelField(models, takeConfig) {
  const title = (m) => `${m.title} (${(m.parameters / 1e9).toPrecision(3)}B)`;
  const field = fieldOf({
    flag: "model", kind: "word", argument: "NAME", default: "", list: true,
    help: "a preset, or a Hugging Face config.json: open one here or drop it on the page",
    choices: models.map((m) => ({ name: m.name, title: title(m) })),
  });
  const file = element("input", { type: "file", accept: ".json,application/json", hidden: true, onchange: () => takeConfig(file.files[0]) });
  field.append(file, element("button", { type: "button", class: "small", onclick: () => file.click() }, "config.json…"));
  return field;
}

/**
 * @param {HTMLFormElement} form
 * @param {object} knobs answer of the params command
 * @param {(flag: string, value: string, settled: boolean) => void} changed
 * @param {(file: File) => void} takeConfig
 * @param {(flag: string, file: File | null) => void} takeFile
 */
export function openForm(form, knobs, changed, takeConfig, takeFile) {
  const extra = knobs.groups.flatMap((group) => group.params).filter((param) => extraKnobs.includes(param.flag));
  for (const group of knobs.groups.filter(({ name }) => shownGroups.includes(name))) {
    const fields = group.params.filter(({ flag }) => !pageDoes.includes(flag)).map(fieldOf);
    if (group.name === "LAYOUT") fields.push(...extra.map(fieldOf));
    if (group.name === "MACHINE") form.append(modelField(knobs.models, takeConfig));
    const first = group.params.filter((param) => param.first).map(({ flag }) => flag);
    const isShown = (field) => first.length === 0 || first.includes(field.dataset.flag);
    const shown = fields.filter(isShown), folded = fields.filter((field) => !isShown(field));
    form.append(foldedGroups.includes(group.name)
      ? element("details", { class: "group" }, element("summary", {}, group.title), element("div", { class: "fields" }, shown))
      : element("fieldset", { class: "group" }, element("legend", {}, group.title), element("div", { class: "fields" }, shown)));
    if (folded.length) form.append(element("details", { class: "group" }, element("summary", {}, `${group.title}: more`), element("div", { class: "fields" }, folded)));
  }
  form.addEventListener("file", ({ detail }) => takeFile(detail.flag, detail.file));
  const defaultGpu = form.querySelector("#knob-gpu option").textContent;
  let command = "plan";
  const valueOfControl = (control) => (control.type === "checkbox" ? (control.checked ? "true" : "") : control.value.trim());
  const tell = (settled) => (event) => event.target.name && !event.target.readOnly && changed(keyOf(command, event.target.name), valueOfControl(event.target), settled);
  form.addEventListener("input", tell(false));
  form.addEventListener("change", tell(true));
  form.addEventListener("submit", (event) => event.preventDefault());
  return {
    /** Puts the state into the controls of a command, except the one being typed in. */
    show(state, of) {
      command = of;
      for (const field of form.querySelectorAll(".field")) field.hidden = field.dataset.flag === "model" ? asksTable(command) : !takes(command, field.dataset.flag);
      for (const group of form.querySelectorAll(".group")) group.hidden = ![...group.querySelectorAll(".field")].some((field) => !field.hidden);
      form.querySelector("#knob-gpu option").textContent = command === "size" ? "every kind with a price" : defaultGpu;
      for (const control of form.querySelectorAll("[name]")) {
        const value = state[control.closest(".field").hidden ? control.name : keyOf(command, control.name)] ?? "";
        if (control === document.activeElement && control.type === "text") continue;
        if (control.type === "checkbox") control.checked = value === "true";
        else if (control.value !== value) control.value = value;
        if (control.tagName === "SELECT" && control.value !== value) control.append(element("option", { value, selected: true }, value));
        if (value && !control.closest(".field").hidden && control.closest("form details")) control.closest("form details").open = true;
      }
    },
    /** Shows the core's sentence at its field; true when there is one for it. */
    fail(error) {
      this.clear();
      const named = error.file && [...form.querySelectorAll("[name]")].find((control) => control.value === error.file && !control.closest(".field").hidden);
      const flag = named?.name ?? flagOfError(error), field = flag && form.querySelector(`[data-flag="${CSS.escape(flag)}"]`);
      if (!field || field.hidden) return false;
      field.classList.add("wrong");
      field.querySelector("[name]").setAttribute("aria-invalid", "true");
      field.querySelector(".error").textContent = error.sentence;
      if (field.closest("form details")) field.closest("form details").open = true;
      return true;
    },
    clear() {
      for (const field of form.querySelectorAll(".wrong")) {
        field.classList.remove("wrong");
        field.querySelector("[name]").removeAttribute("aria-invalid");
        field.querySelector(".error").textContent = "";
      }
    },
  };
}

/** The knob an error is about: its field, a flag in its words, or the model when a file is named. */
function flagOfError({ field, file, message }) {
  if (field.startsWith("--")) return field.slice(2);
  const named = /--([a-z][a-z-]*)/.exec(message);
  if (named) return named[1];
  return file || field === "model" || /\bmodel\b/.test(message) ? "model" : field;
}
