/* glossary.js -- what the page's words mean, for those who never trained a model: one list, shown under the pointer
 * where a word stands and whole at the foot of the page. */
import { element } from "./dom.js";
import { showWhole } from "./format.js";

const meanings = {
  "token": "a piece of a word; models read and write texts in tokens",
  "step": "the model reads a batch of texts and is corrected once; training is up to a million steps",
  "batch": "the texts read between two corrections",
  "critical batch": "a step of more tokens than this teaches little more",
  "strong": "more GPUs for the same batch: each has less to do",
  "weak": "more GPUs and a batch that grows with them: each has as much to do as before",
  "DP cap": "GPUs at which copies of the model have used up the critical batch; DP is data parallelism, copies that read different texts",
  "knee": "from here on less than half of an added GPU becomes progress",
  "efficiency": "what a GPU does, of what it did at the first size that runs",
  "MFU": "share of the arithmetic a GPU could do that goes into the model",
  "P10–P90": "eight runs of ten should lie between these two",
  "bound by": "what most of the time goes into",
  "runs out": "chance that the GPUs' memory is too small after all: then the job stops at its first steps",
  "rank": "one GPU's share of the job",
  "compute": "arithmetic and the GPU's own memory",
  "tensor-parallel traffic": "waiting for the GPUs that share every matrix",
  "context-parallel traffic": "waiting for the GPUs that share every text",
  "expert-parallel traffic": "waiting for tokens on their way to the experts, parts of the model that each read some of the tokens",
  "data-parallel traffic": "waiting while copies of the model agree on one correction",
  "pipeline traffic": "waiting while a stage hands its results to the next one",
  "pipeline bubble": "stages without work at the start and the end of a step",
  "optimizer": "applying the correction",
  "host": "waiting for the computer that the GPUs are in",
  "waiting for stragglers": "no two GPUs are equally fast; all wait for the slowest",
  "data loading": "waiting for texts",
  "weights": "the model itself",
  "gradients": "the correction that is being gathered",
  "optimizer states": "what the optimizer remembers of earlier corrections",
  "activations": "results kept until the correction needs them",
  "buffers": "room for what is sent and received",
  "allocator reserve": "memory that is held but not used",
};

/** A word of the list with its meaning under the pointer; any other words as they are. */
export const explained = (words) => (meanings[words] ? element("abbr", { title: meanings[words] }, words) : words);

/** A number in a box, under its words. */
export const tile = (words, value, more = "") =>
  element("div", { class: "tile" }, element("dt", {}, explained(words)), element("dd", {}, value, more ? element("small", {}, more) : null));

/** What the letters of a layout say, in words. */
export function meaningOf(l) {
  const n = showWhole;
  return [`tp${l.tp}: ${l.tp > 1 ? `${n(l.tp)} GPUs share every matrix` : "matrices are not split"}`, l.sp && "sp: and what lies between the matrices", l.cp > 1 && `cp${l.cp}: ${n(l.cp)} share every text`,
    l.ep > 1 && `ep${l.ep}: ${n(l.ep)} share the experts`, l.etp > 1 && `etp${l.etp}: ${n(l.etp)} share every expert`,
    `pp${l.pp}: ${l.pp > 1 ? `layers in ${n(l.pp)} stages, one after another` : "layers are not split"}`, l.vpp > 1 && `vpp${l.vpp}: a stage has ${n(l.vpp)} pieces of them, to wait less`,
    `dp${l.dp}: ${l.dp > 1 ? `${n(l.dp)} ${l.tp * l.cp * l.pp > 1 ? "such groups" : "GPUs"} read different texts` : "one such group"}`,
    `zero${l.zero}: ${["each keeps all it needs", "they share the optimizer's memory", "and that of the gradients", "and of the weights"].slice(l.zero ? 1 : 0, l.zero + 1).join(" ")}`,
    `mb${l.micro_batch}: ${l.micro_batch > 1 ? `${n(l.micro_batch)} texts` : "a text"} at once`, `recompute-${l.recompute}: ${l.recompute === "none" ? "results are kept" : "some results are calculated again instead of kept"}`].filter(Boolean).join("\n");
}

/** All of it, folded. */
export const glossary = () => element("details", { id: "words" }, element("summary", {}, "what the words mean"),
  element("dl", {}, Object.entries(meanings).flatMap(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)])));
