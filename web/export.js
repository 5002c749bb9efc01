/* export.js -- what is on the screen as a file: SVG and PNG from drawings, CSV and JSON from answers. */
import { download, drawn, element } from "./dom.js";

const looks = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "font-size", "font-weight", "font-family", "text-anchor", "visibility"];

/** A copy that looks the same without the page's style sheet. */
function frozen(svg) {
  const copy = svg.cloneNode(true), from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of looks) to[i].style.setProperty(name, style.getPropertyValue(name));
  });
  for (const hidden of copy.querySelectorAll(".guide")) hidden.remove();
  return copy;
}

/** Drawings below each other, on the page's ground, as the text of one SVG file. */
export function standalone(svgs) {
  const paper = getComputedStyle(document.body).backgroundColor;
  let height = 0, width = 0;
  const parts = svgs.map((svg) => {
    const [, , w, h] = svg.getAttribute("viewBox").split(" ").map(Number), copy = frozen(svg);
    for (const [name, value] of Object.entries({ x: 0, y: height, width: w, height: h })) copy.setAttribute(name, value);
    height += h + 8;
    width = Math.max(width, w);
    return copy;
  });
  const whole = drawn("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height }, drawn("rect", { width, height, fill: paper }), parts);
  return new XMLSerializer().serializeToString(whole);
}

/** The same as pixels, two to a unit. */
async function pixelsOf(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), image = new Image();
  image.src = url;
  await image.decode();
  const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Rows of cells as CSV (RFC 4180, lines end with LF). */
export function csvOf(names, rows) {
  const cell = (value) => (/[",\r\n]/.test(String(value ?? "")) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
  return [names, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

/** The picture that the command line draws (--svg), asked for when it is opened: the same bytes. */
export function pictureDetails(name, ask, words = "as the command line draws it (--svg)") {
  const place = element("div", {}, "drawing…");
  const box = element("details", { class: "core-picture", ontoggle: async () => {
    if (!box.open || box.dataset.drawn) return;
    box.dataset.drawn = "1";
    const answer = await ask();
    if (!answer?.svg) return void (place.textContent = answer?.error?.sentence ?? "");
    const url = URL.createObjectURL(new Blob([answer.svg], { type: "image/svg+xml" }));
    place.replaceChildren(element("img", { src: url, alt: "the picture of the command line" }), element("p", {}, element("button", { type: "button", class: "small", onclick: () => download(`${name()}.svg`, "image/svg+xml", answer.svg) }, "keep this SVG")));
  } }, element("summary", {}, words), place);
  return box;
}

/**
 * Buttons that keep what is shown.
 * @param {() => string} name  of the files, without ending
 * @param {{svgs?: () => SVGElement[], csv?: () => string | null, json?: () => string | null}} sources
 */
export function exportButtons(name, { svgs, csv, json }) {
  const button = (words, act) => element("button", { type: "button", class: "small", "aria-label": `keep as ${words}`, onclick: act }, words);
  const text = (kind, type, source) => button(kind.toUpperCase(), () => { const said = source(); if (said) download(`${name()}.${kind}`, type, said); });
  return element("span", { class: "export", role: "group", "aria-label": "keep as a file" },
    svgs && text("svg", "image/svg+xml", () => svgs().length && standalone(svgs())),
    svgs && button("PNG", async () => svgs().length && download(`${name()}.png`, "image/png", await pixelsOf(standalone(svgs())))),
    csv && text("csv", "text/csv", csv), json && text("json", "application/json", json));
}
