/* core.js -- the WebAssembly core: text in, text out. Runs in a page, in a worker and in Node. */

/**
 * What the C library asks of its host. The core touches no file; only a failed assertion writes,
 * and what it writes is the reason that callers see.
 */
function hostCalls(said, memory) {
  const write = (_, vectors, count, written) => {
    const view = new DataView(memory());
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(vectors + 8 * i, true), size = view.getUint32(vectors + 8 * i + 4, true);
      said.text += new TextDecoder().decode(new Uint8Array(view.buffer, at, size));
      total += size;
    }
    view.setUint32(written, total, true);
    return 0;
  };
  return { fd_close: () => 8, fd_seek: () => 8, fd_write: write };
}

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
 * Files as the core reads them: each from its start to its end, as much at a time as it asks for.
 * @param {((at: number, size: number) => Uint8Array)[]} files
 */
function feedOf(files) {
  const places = files.map(() => 0);
  return (file, capacity) => {
    const bytes = files[file]?.(places[file], capacity) ?? new Uint8Array();
    places[file] += bytes.length;
    return bytes;
  };
}

/**
 * Opens the core.
 * @param {WebAssembly.Module} module
 * @param {(share: number) => boolean} progress called now and then in a search; false stops it
 * @returns {Promise<(request: object, files?: Function[]) => Promise<string>>} answers a request, always with JSON;
 *   files are those it names, each a function (at, size) => Uint8Array
 */
export async function openCore(module, progress = () => true) {
  const said = { text: "" };
  let core, feed = feedOf([]);
  const read = (file, to, capacity) => {
    const bytes = feed(file, capacity);
    new Uint8Array(core.memory.buffer, to, bytes.length).set(bytes);
    return bytes.length;
  };
  const open = async () => {
    const { exports } = await WebAssembly.instantiate(module, {
      core: { progress: (share) => Number(progress(share)), read },
      wasi_snapshot_preview1: hostCalls(said, () => core.memory.buffer),
    });
    core = exports;
    core._initialize();
  };
  await open();
  return async (request, files = []) => {
    feed = feedOf(files);
    try {
      return callCore(core, request);
    } catch (fault) {
      // out of memory or a bug: this instance is not to be trusted any more
      const sentence = `the core stopped: ${said.text.trim() || fault.message}`;
      said.text = "";
      await open();
      return JSON.stringify({ error: { status: 1, field: "", message: sentence, mend: "", sentence } });
    }
  };
}
