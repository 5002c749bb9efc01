/* worker.js -- a thread with a core of its own. First message: the module; then some requests each. */
import { openCore } from "./core.js";
import { readersOf } from "./files.js";

let call;
let told = 0;

/** Tells the page how far a search is, a few times a second. */
function tellShare(share) {
  const now = performance.now();
  if (now - told > 80) postMessage({ share });
  if (now - told > 80) told = now;
  return true;
}

onmessage = async ({ data }) => {
  if (data.module) {
    call = openCore(data.module, tellShare);
    return;
  }
  told = performance.now();
  const texts = [];
  for (const request of data.requests) texts.push(await (await call)(request, await readersOf(data.files ?? [])));
  postMessage({ texts });
};
