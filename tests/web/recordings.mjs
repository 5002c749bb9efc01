/* Recordings of a job of two ranks, small enough to check by hand. */
import { deflateRawSync } from "node:zlib";

const kernel = (name, ts, dur, correlation, args = "") => `{"ph":"X","cat":"kernel","name":"${name}","pid":0,"tid":7,"ts":${ts},"dur":${dur},"args":{"device":0,"stream":7,"correlation":${correlation}${args}}}`;
/** A recording of one rank of two: a product, then an all-reduce that rank 1 joins late. */
export const rank = (n) => `{"distributedInfo":{"rank":${n},"world_size":2},"traceEvents":[${kernel("gemm", 10, 100.125, 1)},${kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 110 + 40 * n, 90 - 40 * n, 2, ',"Collective name":"allreduce","In msg nelems":1024,"dtype":"BFloat16","Process Group Ranks":"[0, 1]","Group size":2,"Process Group Name":"0"')}]}`;
/** A zip archive of one member, as a browser of files makes it: sizes behind the data. */
export function zipOf(name, text) {
  const packed = deflateRawSync(text), local = Buffer.alloc(30), entry = Buffer.alloc(46), end = Buffer.alloc(22), word = Buffer.from(name);
  local.write("PK\x03\x04", "latin1"); local.writeUInt16LE(8, 6); local.writeUInt16LE(8, 8); local.writeUInt16LE(word.length, 26);
  const after = Buffer.alloc(16); after.write("PK\x07\x08", "latin1"); after.writeUInt32LE(packed.length, 8); after.writeUInt32LE(text.length, 12);
  entry.write("PK\x01\x02", "latin1"); entry.writeUInt16LE(8, 10); entry.writeUInt32LE(packed.length, 20); entry.writeUInt32LE(text.length, 24); entry.writeUInt16LE(word.length, 28);
  end.write("PK\x05\x06", "latin1"); end.writeUInt16LE(1, 8); end.writeUInt16LE(1, 10); end.writeUInt32LE(46 + word.length, 12); end.writeUInt32LE(30 + word.length + packed.length + 16, 16);
  return Buffer.concat([local, word, packed, after, entry, word, end]);
}
