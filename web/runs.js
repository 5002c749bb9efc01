/* runs.js -- training runs that others published (data/runs/), as marks on the curve. */

/** Rows of a CSV text as objects by its header (RFC 4180); a line that begins with "id," is a header. */
export function runsIn(text) {
  const rows = [], pattern = /("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/gy;
  let cells = [], names = [];
  while (pattern.lastIndex < text.length) {
    const [, cell, end] = pattern.exec(text);
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === ",") continue;
    if (cells[0] === "id") names = cells;
    else if (cells.length === names.length) rows.push(Object.fromEntries(names.map((name, i) => [name, cells[i]])));
    cells = [];
  }
  return rows;
}

/** Runs of a model on a kind of GPU, with what to say of each. */
export function runsOfModel(rows, model, gpu) {
  return rows.filter((row) => row.model === model && row.gpu === gpu && Number(row.step_s) > 0).map((row) => ({
    gpus: Number(row.gpus), tokens: (Number(row.global_batch) * Number(row.seq)) / Number(row.step_s),
    words: `measured: ${row.gpus} GPUs, ${row.global_batch} sequences of ${row.seq} tokens, ${row.precision}, step ${row.step_s} s (${row.cite})`,
  }));
}
