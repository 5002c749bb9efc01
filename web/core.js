/* core.js -- the WebAssembly core: text in, text out. Runs in a page, in a worker and in Node. */

/** What the C library asks of its host. The core touches no file, so nothing is ever answered. */
const noFiles = { fd_close: () => 8, fd_seek: () => 8, fd_write: () => 8 };

/** Writes a request into the core's memory, calls it, and reads the NUL-terminated answer. */
function callCore(core, request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const place = core.clg_allocate(bytes.length);
  new Uint8Array(core.memory.buffer, place, bytes.length).set(bytes);
  const answer = core.clg_call(place, bytes.length);
  const memory = new Uint8Array(core.memory.buffer); // anew: it may have grown
  const text = new TextDecoder().decode(memory.subarray(answer, memory.indexOf(0, answer)));
  core.clg_free(answer);
  core.clg_free(place);
  return text;
}

/**
 * Opens the core.
 * @param {WebAssembly.Module} module
 * @param {(share: number) => boolean} progress called now and then in a search; false stops it
 * @returns {Promise<(request: object) => Promise<string>>} answers one request, always with JSON text
 */
export async function openCore(module, progress = () => true) {
  const imports = {
    core: { progress: (share) => Number(progress(share)) },
    wasi_snapshot_preview1: noFiles,
  };
  const open = async () => {
    const { exports } = await WebAssembly.instantiate(module, imports);
    exports._initialize();
    return exports;
  };
  let core = open();
  await core;
  return async (request) => {
    try {
      return callCore(await core, request);
    } catch (fault) {
      core = open(); // out of memory or a bug: this instance is not to be trusted any more
      const sentence = `the core stopped (${fault.message}); try a smaller question`;
      return JSON.stringify({ error: { status: 1, field: "", message: sentence, mend: "", sentence } });
    }
  };
}
