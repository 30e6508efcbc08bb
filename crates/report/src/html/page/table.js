// The table of edges: sorted by any column, narrowed down by name.
const FEW_ROWS = 300;

const columns = [
  { name: "Cause", value: (row) => names[row.from], cell: (row) => edgeButton(row) },
  { name: "Effect", value: (row) => names[row.to], cell: (row) => named(row.to) },
  ...(data.single ? [] : [
    { name: "Probability", value: (row) => row.probability, digits: 2 },
    { name: "Reversed", value: (row) => row.reversed, digits: 2 },
  ]),
  { name: "Direction", value: (row) => row.direction },
  { name: "Weight", value: (row) => row.best?.weight ?? null, digits: 3 },
  { name: "Score lost without", value: (row) => row.best?.delta_score ?? null, digits: 1 },
  { name: "Lost if reversed", value: (row) => row.best?.delta_reversed ?? null, digits: 1 },
  ...(trueEdges ? [{ name: "Truth", value: (row) => row.truth }] : []),
];
const sorting = data.single ? { column: 0, isDescending: false } : { column: 2, isDescending: true };
let showsAll = false;

const tableRows = (() => {
  const pairs = new Set(bestEdges.keys());
  for (const [from, to, probability] of data.probabilities) if (probability >= LEAST_PROBABLE) pairs.add(pair(from, to));
  for (const [from, to] of data.truth ?? []) pairs.add(pair(from, to));
  return [...pairs].map((at) => {
    const [from, to] = [Math.floor(at / count), at % count];
    const best = bestEdges.get(at);
    const direction = best ? (best.compelled ? "compelled" : "reversible") : "not in the best graph";
    const [probability, reversed] = [best?.probability ?? probabilities[at], best?.reverse_probability ?? probabilities[pair(to, from)]];
    return { from, to, best, direction, probability, reversed, truth: verdict(from, to), kind: "row" };
  });
})();

function edgeButton(row) {
  const button = html("button", { type: "button", title: "Why this edge?" }, named(row.from));
  button.addEventListener("click", () => {
    for (const other of find("edges").querySelectorAll("tr.chosen")) other.classList.remove("chosen");
    button.closest("tr").classList.add("chosen");
    pick(row);
    // What is known of the edge stands beside the drawing, which may be far above.
    find("about").scrollIntoView({ block: "start" });
  });
  return button;
}

/** Sorts numbers by size and text by the alphabet; what has no value comes last. */
function compare(a, b) {
  const [x, y] = [columns[sorting.column].value(a), columns[sorting.column].value(b)];
  if (x === null || y === null) return (x === null) - (y === null);
  const order = typeof x === "number" ? x - y : x.localeCompare(y);
  return sorting.isDescending ? -order : order;
}

function drawHead() {
  const head = html("tr");
  columns.forEach((column, at) => {
    const button = html("button", { type: "button" }, column.name);
    const cell = html("th", { scope: "col", className: column.digits === undefined ? "" : "number" }, button);
    if (at === sorting.column) cell.ariaSort = sorting.isDescending ? "descending" : "ascending";
    button.addEventListener("click", () => {
      const isSame = sorting.column === at;
      Object.assign(sorting, { column: at, isDescending: isSame ? !sorting.isDescending : column.digits !== undefined });
      drawHead();
      drawRows();
      find("edges").tHead.rows[0].cells[at].firstChild.focus();
    });
    head.append(cell);
  });
  find("edges").tHead.replaceChildren(head);
}

function drawRows() {
  const wanted = find("filter").value.trim().toLowerCase();
  const onlyBest = find("only-best").checked;
  const isWanted = ({ from, to, best }) =>
    (best || !onlyBest) && (names[from].toLowerCase().includes(wanted) || names[to].toLowerCase().includes(wanted));
  const rows = tableRows.filter(isWanted).sort(compare);
  const shown = showsAll ? rows : rows.slice(0, FEW_ROWS);
  find("edges").tBodies[0].replaceChildren(...shown.map(tableRow));
  find("more-rows").hidden = shown.length === rows.length;
  const parts = ["the best graph"];
  if (trueEdges) parts.push("the truth");
  if (!data.single) parts.push(`every other edge of probability ${LEAST_PROBABLE.toFixed(2)} or more`);
  find("table-count").textContent = `${shown.length} of ${tableRows.length} rows: ${parts.join(", ")}`;
}

function tableRow(row) {
  const cells = columns.map((column) => {
    if (column.cell) return html("td", {}, column.cell(row));
    const value = column.value(row);
    return column.digits === undefined
      ? html("td", { className: "word" }, value)
      : html("td", { className: "number" }, fixed(value, column.digits));
  });
  return html("tr", {}, ...cells);
}
