/* files.js -- recordings as bytes: gzip and zip are unpacked by the browser; a page, a worker and Node read alike. */

const piece = 1 << 16; // bytes given to the inflater at a time: what a damaged piece held is lost

/** Whatever can be had of a packed stream, also when it ends too early or is damaged. */
async function inflate(packed, format) {
  const stream = new DecompressionStream(format), writer = stream.writable.getWriter(), reader = stream.readable.getReader();
  const parts = [];
  const collect = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
  })().catch(() => {});
  try {
    for (let at = 0; at < packed.size; at += piece) await writer.write(new Uint8Array(await packed.slice(at, at + piece).arrayBuffer()));
    await new Promise((resolve) => setTimeout(resolve)); // an early end drops what was not collected yet
    await writer.close();
  } catch {
    // the core says what is missing
  }
  await collect;
  return new Blob(parts);
}

/**
 * The first member of a zip archive (PKWARE appnote 4.3): the central directory has its size, for
 * a local header may leave it to what follows the data.
 */
async function firstMember(archive, head) {
  const tail = Math.min(archive.size, 65557), end = new DataView(await archive.slice(archive.size - tail).arrayBuffer());
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  const start = 30 + head.getUint16(26, true) + head.getUint16(28, true);
  if (at < 0) return archive.slice(start); // cut: as far as it goes
  const from = end.getUint32(at + 16, true), size = end.getUint32(at + 12, true);
  const entries = new DataView(await archive.slice(from, from + size).arrayBuffer());
  for (let i = 0; i + 46 <= entries.byteLength; i += 46 + entries.getUint16(i + 28, true) + entries.getUint16(i + 30, true) + entries.getUint16(i + 32, true))
    if (entries.getUint32(i + 42, true) === 0) return archive.slice(start, start + entries.getUint32(i + 20, true));
  return archive.slice(start);
}

/** A file without its gzip or zip around it. */
export async function unpacked(file) {
  const head = new DataView(await file.slice(0, 30).arrayBuffer());
  if (head.byteLength >= 2 && head.getUint16(0) === 0x1f8b) return inflate(file, "gzip");
  const zip = head.byteLength === 30 && head.getUint32(0) === 0x504b0304;
  if (zip && head.getUint16(8, true) === 8) return inflate(await firstMember(file, head), "deflate-raw");
  return file;
}

/** A file as the core reads it; a worker takes slices, so that no file has to fit in memory. */
export async function readerOf(file) {
  if (typeof FileReaderSync !== "undefined") {
    const reader = new FileReaderSync();
    return (at, size) => new Uint8Array(reader.readAsArrayBuffer(file.slice(at, at + size)));
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  return (at, size) => bytes.subarray(at, at + size);
}

/** Files for a core, unpacked. */
export const readersOf = (files) => Promise.all(files.map(async (file) => readerOf(await unpacked(file))));
