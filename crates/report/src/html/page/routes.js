// The ways of edges between boxes. Positions come with the data, and stay where they are in every view.
const HEIGHT = 32;
const HEAD = 10;
const CLEARANCE = 7;
const TURN = 8;

const places = data.places.map(([x, y, width, row]) => ({ x, y, width, row, isMoved: false }));
const home = places.map(({ x, y }) => ({ x, y }));
const rows = [];
for (const place of places) (rows[place.row] ??= { y: place.y, places: [] }).places.push(place);

/** Where an edge that leans towards `x` meets the upper or lower side of a box. */
function port(place, x) {
  const most = 0.35 * place.width;
  return place.x + Math.max(-most, Math.min(most, 0.12 * (x - place.x)));
}

/** A free place in a row, as near to `x` as there is one. */
function gap(row, x) {
  const taken = row.places
    .map((place) => [place.x - place.width / 2 - CLEARANCE, place.x + place.width / 2 + CLEARANCE])
    .sort((a, b) => a[0] - b[0]);
  const isFree = (at) => taken.every(([left, right]) => at <= left || at >= right);
  const free = [x, ...taken.flat()].filter(isFree);
  return free.reduce((best, at) => (Math.abs(at - x) < Math.abs(best - x) ? at : best), free[0] ?? x);
}

/** Where an edge passes the rows between its ends. */
function bendsOf(from, to) {
  const [a, b] = [places[from], places[to]];
  const known = laidOut.get(pair(from, to)) ?? laidOut.get(pair(to, from));
  const step = a.row < b.row ? 1 : -1;
  const between = [];
  for (let row = a.row + step; row !== b.row && a.row !== b.row; row += step) between.push(row);
  const xs = known && (known.from === from ? known.bends : [...known.bends].reverse());
  return between.map((row, at) => {
    const ideal = a.x + ((b.x - a.x) * (at + 1)) / (between.length + 1);
    return { x: xs ? xs[at] : gap(rows[row], ideal), y: rows[row].y };
  });
}

/** The points of an edge from box to box. */
function pointsOf(from, to) {
  const [a, b] = [places[from], places[to]];
  if (a.isMoved || b.isMoved) return [edgeOfBox(a, b), edgeOfBox(b, a)];
  if (a.row === b.row) {
    const depth = a.y + HEIGHT / 2 + 12 + Math.min(24, Math.abs(a.x - b.x) / 12);
    return [[port(a, b.x), a.y + HEIGHT / 2], [(2 * a.x + b.x) / 3, depth], [(a.x + 2 * b.x) / 3, depth], [port(b, a.x), b.y + HEIGHT / 2]];
  }
  const half = a.row < b.row ? HEIGHT / 2 : -HEIGHT / 2;
  const bends = bendsOf(from, to);
  // Beside boxes a line is upright, and turns only outside their row.
  const turn = half + Math.sign(half) * TURN;
  const points = bends.flatMap(({ x, y }) => [[x, y - turn], [x, y - half], [x, y + half], [x, y + turn]]);
  return [[port(a, bends[0]?.x ?? b.x), a.y + half], ...points, [port(b, bends.at(-1)?.x ?? a.x), b.y - half]];
}

/** Where the line from the middle of one box to another leaves the first. */
function edgeOfBox(box, other) {
  const [dx, dy] = [other.x - box.x, other.y - box.y];
  const share = Math.min(box.width / 2 / Math.abs(dx || 1e-9), HEIGHT / 2 / Math.abs(dy || 1e-9), 0.5);
  return [box.x + dx * share, box.y + dy * share];
}

/** A path through points with round corners. */
function smooth(points) {
  const text = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const middle = (p, q) => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  let path = `M${text(points[0])}`;
  for (let at = 1; at + 1 < points.length; at++) {
    if (at === 1) path += `L${text(middle(points[0], points[1]))}`;
    path += `Q${text(points[at])} ${text(middle(points[at], points[at + 1]))}`;
  }
  return `${path}L${text(points.at(-1))}`;
}

/** The head of an arrow at the end of `points`, which are cut back to where it begins. */
function arrowHead(points) {
  const [before, tip] = points.slice(-2);
  const length = Math.hypot(tip[0] - before[0], tip[1] - before[1]) || 1e-9;
  const [ux, uy] = [(tip[0] - before[0]) / length, (tip[1] - before[1]) / length];
  const base = [tip[0] - HEAD * ux, tip[1] - HEAD * uy];
  points[points.length - 1] = base;
  const corner = (sign) => `${(base[0] - sign * 0.45 * HEAD * uy).toFixed(1)} ${(base[1] + sign * 0.45 * HEAD * ux).toFixed(1)}`;
  return `M${tip[0].toFixed(1)} ${tip[1].toFixed(1)}L${corner(1)}L${corner(-1)}Z`;
}
