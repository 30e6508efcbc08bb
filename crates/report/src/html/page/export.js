// What is drawn, as files.
const MOST_PIXELS = 8000;

function save(blob, ending) {
  const link = html("a", { href: URL.createObjectURL(blob), download: `${data.name.replace(/[^\p{L}\p{N}._-]+/gu, "_")}-${state.view}.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The drawing as a picture of its own: everything in view, nothing hidden, with its style. */
function picture() {
  const { x, y, width, height } = viewport.getBBox();
  const box = [x - 20, y - 20, width + 40, height + 40].map((value) => Math.round(value));
  const root = svg("svg", { xmlns: SVG, class: "figure", viewBox: box.join(" "), width: box[2], height: box[3] });
  svg("title", {}, root).textContent = `${data.name}: ${find("counts").textContent}`;
  svg("style", {}, root).textContent = find("figure-style").textContent;
  svg("rect", { class: "paper", x: box[0], y: box[1], width: box[2], height: box[3] }, root);
  const content = viewport.cloneNode(true);
  content.removeAttribute("transform");
  for (const element of content.querySelectorAll(".off, .hit")) element.remove();
  for (const element of content.querySelectorAll("[class]")) element.classList.remove("chosen", "above", "under", "found", "on-way", "pointed", "picked", "at-end");
  root.append(content);
  // XML has no place for control characters, and a name may have some.
  const text = new XMLSerializer().serializeToString(root).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  return { text, width: box[2], height: box[3] };
}

const saveSvg = () => save(new Blob([picture().text], { type: "image/svg+xml" }), "svg");

function savePng() {
  const { text, width, height } = picture();
  const scale = Math.min(2, MOST_PIXELS / Math.max(width, height));
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, "png"), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

const drawnItems = () => items.filter((item) => item.isDrawn);

function saveDot() {
  const quoted = (node) => `"${names[node].replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  const looks = { undirected: "dir=none", missing: "style=dashed, color=orange", extra: "style=dotted, color=red", reversed: "style=dashed, color=purple" };
  const edge = ({ from, to, probability, kind }) =>
    `  ${quoted(from)} -> ${quoted(to)} [probability=${probability}${looks[kind] ? `, ${looks[kind]}` : ""}];`;
  const lines = ["digraph {", ...names.map((_, node) => `  ${quoted(node)};`), ...drawnItems().map(edge), "}", ""];
  save(new Blob([lines.join("\n")], { type: "text/vnd.graphviz" }), "dot");
}

function saveCsv() {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = ({ from, to, probability, kind }) => [quoted(names[from]), quoted(names[to]), probability, kind].join(",");
  const lines = ["from,to,probability,kind", ...drawnItems().map(line), ""];
  save(new Blob([lines.join("\n")], { type: "text/csv;charset=utf-8" }), "csv");
}
