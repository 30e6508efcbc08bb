// The drawing: edges and boxes, moved, zoomed, searched and chosen.
const graph = find("graph");
const viewport = svg("g", {}, graph);
const edgeLayer = svg("g", {}, viewport);
const nodeLayer = svg("g", {}, viewport);
const camera = { x: 0, y: 0, scale: 1 };
// A flat graph needs no high paper.
graph.style.setProperty("--wanted", `${Math.max(260, data.height * Math.min(1.6, graph.clientWidth / data.width) + 24)}px`);
/** What the drawing shows when it is fitted: all of the graph, and a small graph not too large. */
const paper = { width: Math.max(data.width, graph.clientWidth / 1.6), height: Math.max(data.height, graph.clientHeight / 1.6) };
graph.setAttribute("viewBox", `0 0 ${paper.width} ${paper.height}`);
const MISTAKES = ["missing", "extra", "reversed"];
let items = [];

const boxes = names.map((name, node) => {
  const box = svg("g", { class: "node" }, nodeLayer);
  svg("title", {}, box).textContent = name;
  svg("rect", { rx: 8, height: HEIGHT, width: places[node].width }, box);
  svg("text", {}, box).textContent = labels[node];
  box.dataset.node = node;
  return box;
});

function placeBox(node) {
  const { x, y, width } = places[node];
  const [, rect, text] = boxes[node].children;
  rect.setAttribute("x", x - width / 2);
  rect.setAttribute("y", y - HEIGHT / 2);
  text.setAttribute("x", x);
  text.setAttribute("y", y + 4.5);
}

/** Draws the edges of the current view anew. */
function drawEdges() {
  items = itemsOfView();
  edgeLayer.replaceChildren(...items.map(edgeElement));
  for (const { element } of items) if (element.classList.contains("negative")) markNegative(element);
  applyThreshold();
}

function edgeElement(item, index) {
  const isError = MISTAKES.includes(item.kind);
  const sign = isNegative(item) && state.view !== "truth" ? " negative" : "";
  // A mistake is drawn so that it is seen, however probable it is.
  const opacity = isError ? 1 : 0.3 + 0.7 * item.probability;
  const group = svg("g", { class: `edge ${item.kind}${sign}`, opacity: opacity.toFixed(2) });
  group.dataset.item = index;
  item.element = group;
  drawItem(item);
  return group;
}

function drawItem(item) {
  const points = pointsOf(item.from, item.to);
  const parts = [svg("path", { class: "hit", d: smooth(points) })];
  const width = MISTAKES.includes(item.kind) ? 2.8 : 0.8 + 1.8 * item.probability;
  const head = item.kind === "undirected" ? null : arrowHead(points);
  parts.push(svg("path", { class: "line", d: smooth(points), "stroke-width": width.toFixed(1) }));
  if (head) parts.push(svg("path", { class: "head", d: head, "stroke-width": 1.2 }));
  else for (const [cx, cy] of [besideEnd(points[0], points[1]), besideEnd(points.at(-1), points.at(-2))]) parts.push(svg("circle", { class: "end", cx, cy, r: 3 }));
  item.element.replaceChildren(...parts);
  if (item.element.isConnected && item.element.classList.contains("negative")) markNegative(item.element);
}

/** A bar across the middle of a line, so that a negative slope is seen without its colour. */
function markNegative(element) {
  const line = element.querySelector(".line");
  const length = line.getTotalLength();
  const [before, middle, after] = [0.5 * length - 2, 0.5 * length, 0.5 * length + 2].map((at) => line.getPointAtLength(at));
  const [dx, dy] = [after.x - before.x, after.y - before.y];
  const unit = 6 / (Math.hypot(dx, dy) || 1);
  const ends = { x1: middle.x - dy * unit, y1: middle.y + dx * unit, x2: middle.x + dy * unit, y2: middle.y - dx * unit };
  svg("line", { class: "sign", ...ends }, element);
}

/** A place on the line from `end` to `next`, just outside the box. */
function besideEnd(end, next) {
  const share = 4 / (Math.hypot(next[0] - end[0], next[1] - end[1]) || 1);
  return [end[0] + (next[0] - end[0]) * share, end[1] + (next[1] - end[1]) * share];
}

/** Hides what is less probable than wanted; everything else stays where it is. */
function applyThreshold() {
  const least = threshold();
  for (const item of items) {
    item.isDrawn = item.isLeft(least);
    item.element.classList.toggle("off", !item.isDrawn);
  }
  const drawn = items.filter((item) => item.isDrawn);
  find("counts").textContent = countsText(drawn);
  find("threshold").value = least;
  find("threshold-value").textContent = least.toFixed(2);
  graph.setAttribute("aria-label", `Drawing of ${countsText(drawn)}`);
  if (state.chosen !== null) choose(state.chosen);
  graph.classList.toggle("comparing", state.view === "truth");
  markPicked();
  remember();
}

/** All variables that are reached from `node` over drawn edges, along `next`. */
function reached(node, next) {
  const seen = new Set();
  const waiting = [node];
  while (waiting.length) {
    for (const other of next.get(waiting.pop()) ?? []) {
      if (!seen.has(other)) {
        seen.add(other);
        waiting.push(other);
      }
    }
  }
  seen.delete(node);
  return seen;
}

function choose(node) {
  state.chosen = node;
  if (node !== null) state.picked = null;
  markPicked();
  remember();
  const [children, parents] = [new Map(), new Map()];
  const add = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
  const directed = items.filter((item) => item.isDrawn && item.kind !== "undirected");
  for (const { from, to } of directed) {
    add(children, from, to);
    add(parents, to, from);
  }
  const [above, under] = node === null ? [new Set(), new Set()] : [reached(node, parents), reached(node, children)];
  boxes.forEach((box, other) => {
    box.classList.toggle("chosen", other === node);
    box.classList.toggle("above", above.has(other));
    box.classList.toggle("under", under.has(other));
  });
  const isOnWay = (set, { from, to }) => (set.has(from) || from === node) && (set.has(to) || to === node);
  for (const item of items) item.element.classList.toggle("on-way", isOnWay(above, item) || isOnWay(under, item));
  graph.classList.toggle("focused", node !== null);
  if (node !== null) showVariable(node, above, under);
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  const matches = wanted ? names.flatMap((name, node) => (name.toLowerCase().includes(wanted) ? [node] : [])) : [];
  const exact = matches.find((node) => names[node].toLowerCase() === wanted);
  boxes.forEach((box, node) => box.classList.toggle("found", matches.includes(node)));
  choose(exact ?? (matches.length === 1 ? matches[0] : null));
  if (state.chosen !== null) showInView(state.chosen);
  return matches;
}

function moveCamera() {
  viewport.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.scale})`);
}

function fit() {
  Object.assign(camera, { x: (paper.width - data.width) / 2, y: (paper.height - data.height) / 2, scale: 1 });
  moveCamera();
}

/** A place of the screen, in the drawing's own units. */
const onPaper = (x, y) => new DOMPoint(x, y).matrixTransform(graph.getScreenCTM().inverse());

/** Zooms by `factor` so that a place of the paper stays. */
function zoom(factor, { x, y } = { x: paper.width / 2, y: paper.height / 2 }) {
  const scale = Math.max(0.2, Math.min(40, camera.scale * factor));
  const real = scale / camera.scale;
  Object.assign(camera, { scale, x: x - (x - camera.x) * real, y: y - (y - camera.y) * real });
  moveCamera();
}

/** Brings a box into the middle where it is too small to be read or out of sight. */
function showInView(node) {
  const size = viewport.getScreenCTM().a;
  if (size < 0.5) zoom(0.8 / size);
  const { left, top, right, bottom } = graph.getBoundingClientRect();
  const at = new DOMPoint(places[node].x, places[node].y).matrixTransform(viewport.getScreenCTM());
  if (at.x > left + 40 && at.x < right - 40 && at.y > top + 30 && at.y < bottom - 30) return;
  camera.x = paper.width / 2 - places[node].x * camera.scale;
  camera.y = paper.height / 2 - places[node].y * camera.scale;
  moveCamera();
}

function dragNode(node, dx, dy) {
  Object.assign(places[node], { x: places[node].x + dx, y: places[node].y + dy, isMoved: true });
  placeBox(node);
  for (const item of items) if (item.from === node || item.to === node) drawItem(item);
}

function resetPlaces() {
  places.forEach((place, node) => {
    Object.assign(place, home[node], { isMoved: false });
    placeBox(node);
  });
  drawEdges();
  fit();
}

function watchPointers() {
  const pointers = new Map();
  let dragged = null;
  let distance = 0;
  const nodeOf = (event) => event.target.closest?.(".node")?.dataset.node;
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  graph.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    const node = nodeOf(event);
    dragged = node === undefined ? null : Number(node);
    distance = 0;
    graph.setPointerCapture(event.pointerId);
  });
  graph.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return pointAt(event);
    const before = pointers.size === 2 ? spread() : 0;
    pointers.set(event.pointerId, event);
    const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
    distance += Math.abs(dx) + Math.abs(dy);
    if (pointers.size === 2) {
      return zoom(spread() / (before || 1), onPaper(event.clientX, event.clientY));
    }
    if (distance < 4) return undefined;
    graph.classList.add("moving");
    hideTip();
    const unit = graph.getScreenCTM().a;
    if (dragged !== null) return dragNode(dragged, dx / unit / camera.scale, dy / unit / camera.scale);
    camera.x += dx / unit;
    camera.y += dy / unit;
    return moveCamera();
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    graph.classList.remove("moving");
  };
  graph.addEventListener("pointerup", (event) => {
    release(event);
    if (distance >= 4) return;
    // The pointer was captured, so the target is the drawing itself.
    const target = document.elementFromPoint(event.clientX, event.clientY);
    const edge = target?.closest(".edge");
    if (edge) pick(items[edge.dataset.item]);
    else if (dragged === null) letGo();
    else choose(dragged);
  });
  graph.addEventListener("pointercancel", release);
  graph.addEventListener("pointerleave", hideTip);
  graph.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== graph) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), onPaper(event.clientX, event.clientY));
  }, { passive: false });
}

function watchKeys() {
  const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  graph.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step) {
      const unit = graph.getScreenCTM().a;
      camera.x += step[0] / unit;
      camera.y += step[1] / unit;
      moveCamera();
    } else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.fullscreenElement) letGo();
  });
}
