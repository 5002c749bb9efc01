/* A headless Chromium over its debugging pipe: what a person does in a page, and what the page says. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const chromium = ["chromium", "chromium-browser", "google-chrome"].find((name) => spawnSync(name, ["--version"]).status === 0);
const profile = mkdtempSync(join(tmpdir(), "page-"));
const browser = spawn(chromium, ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`,
  "--remote-debugging-pipe", "--window-size=1280,1000", "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

let buffered = "", lastId = 0, session;
const waiting = new Map();
/** What the console complained of; every address that was asked for. */
export const complaints = [], fetched = [];
browser.stdio[4].setEncoding("utf8").on("data", (chunk) => {
  const parts = (buffered + chunk).split("\0");
  buffered = parts.pop();
  for (const part of parts) hear(JSON.parse(part));
});

function hear(message) {
  if (message.id) return waiting.get(message.id)(message);
  if (message.method === "Runtime.exceptionThrown") complaints.push(message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text);
  if (message.method === "Log.entryAdded" && message.params.entry.level === "error") complaints.push(message.params.entry.text);
  if (message.method === "Network.requestWillBeSent") fetched.push(message.params.request.url);
}

/** A command of the debugging protocol. */
export async function tell(method, params = {}) {
  const id = ++lastId;
  browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
  const answer = await new Promise((done) => waiting.set(id, done));
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

/** The value of an expression in the page. */
export async function read(expression) {
  const { result, exceptionDetails } = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
  return result.value;
}

/** Whether an expression became true, also while a page loads. */
export async function becomes(expression, limit = 60000) {
  const end = Date.now() + limit;
  while (Date.now() < end) {
    if (await read(`(() => { try { return Boolean(${expression}); } catch { return false; } })()`)) return true;
    await new Promise((done) => setTimeout(done, 20));
  }
  return false;
}

export const typeInto = (id, value) => read(`{ const c = document.getElementById(${JSON.stringify(id)}); c.focus(); c.value = ${JSON.stringify(value)};
  c.dispatchEvent(new Event("input", {bubbles: true})); c.dispatchEvent(new Event("change", {bubbles: true})); c.blur(); }`);
export const textOf = (selector) => read(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`);
export async function visit(url) {
  await tell("Page.navigate", { url: "about:blank" });
  await tell("Page.navigate", { url });
}

/** A picture of the page, as WebP bytes. */
export async function picture(full = true) {
  const { data } = await tell("Page.captureScreenshot", { format: "webp", quality: 80, captureBeyondViewport: full });
  return Buffer.from(data, "base64");
}
export const dark = (on) => tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: on ? "dark" : "light" }] });
export const screenOf = (width, height) => tell("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });

/** Puts files into a file input, as a person chooses them. */
export async function choose(selector, files) {
  const { result } = await tell("Runtime.evaluate", { expression: `document.querySelector(${JSON.stringify(selector)})` });
  await tell("DOM.setFileInputFiles", { objectId: result.objectId, files });
}

/** Drops files onto the page at a place. */
export async function dropFiles(files, x, y) {
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await tell("Input.dispatchDragEvent", { type, x, y, data });
}

export async function start() {
  const { targetId } = await tell("Target.createTarget", { url: "about:blank" });
  ({ sessionId: session } = await tell("Target.attachToTarget", { targetId, flatten: true }));
  for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await tell(`${domain}.enable`);
  await screenOf(1280, 1000);
}

export async function stop() {
  browser.kill();
  await new Promise((done) => browser.on("exit", done));
  rmSync(profile, { recursive: true, force: true, maxRetries: 15 }); // its children may still write, for seconds on a busy machine
}
