// Which edges each view has, and which of them the least probability leaves.
const LEAST_PROBABLE = 0.01;
const SURE = 0.9;

const state = { view: data.single || !data.consensus.length ? "best" : "consensus", rank: 0, thresholds: { probable: 0.5 }, chosen: null, picked: null };
const threshold = () => state.thresholds[state.view] ?? 0;

/** Edges of the current view: ends, probability, kind, and whether a threshold leaves them. */
function itemsOfView() {
  const plain = (from, to, probability, kind) => ({ from, to, probability, kind, isLeft: (least) => probability >= least - 1e-9 });
  const ofBest = (edge, kind, probability = edge.probability) => plain(edge.from, edge.to, probability, kind);
  const direction = (compelled) => (compelled ? "compelled" : "reversible");
  switch (state.view) {
    case "consensus":
      return data.consensus.map(([from, to]) => plain(from, to, probabilities[pair(from, to)], certainty(from, to)));
    case "runners-up":
      return data.runners_up[state.rank].edges.map(([from, to, compelled]) => plain(from, to, probabilities[pair(from, to)], direction(compelled)));
    case "cpdag":
      return data.edges.map((edge) =>
        edge.compelled ? ofBest(edge, "compelled") : ofBest(edge, "undirected", Math.min(1, edge.probability + edge.reverse_probability)));
    case "probable":
      return data.probabilities
        .filter(([, , probability]) => probability >= LEAST_PROBABLE)
        .map(([from, to, probability]) => plain(from, to, probability, direction(bestEdges.get(pair(from, to))?.compelled ?? true)));
    case "truth":
      return differences(ofBest);
    default:
      return data.edges.map((edge) => ofBest(edge, direction(edge.compelled)));
  }
}

/** How sure the consensus is of an edge: of its direction, of the edge alone, or of neither. */
function certainty(from, to) {
  const [forward, backward] = [probabilities[pair(from, to)], probabilities[pair(to, from)]];
  if (forward >= SURE) return "compelled";
  return forward + backward >= SURE ? "reversible" : "unsure";
}

/** Whether the effect falls as the cause rises, where the slope is known. */
const isNegative = ({ from, to }) => (bestEdges.get(pair(from, to))?.weight ?? 0) < 0;

/** The best graph's edges, and those of the truth that no edge left of the best graph joins. */
function differences(ofBest) {
  const found = data.edges.map((edge) => ofBest(edge, verdict(edge.from, edge.to)));
  const byPair = new Map(found.map((item) => [pair(item.from, item.to), item]));
  const missing = data.truth.map(([from, to]) => {
    const joining = [byPair.get(pair(from, to)), byPair.get(pair(to, from))].filter(Boolean);
    const isLeft = (least) => !joining.some((item) => item.isLeft(least));
    return { from, to, probability: probabilities[pair(from, to)], kind: "missing", isLeft };
  });
  return [...found, ...missing];
}

/** What the drawing says, in numbers. */
function countsText(items) {
  const of = (kind) => items.filter((item) => item.kind === kind).length;
  const edges = `${items.length} ${items.length === 1 ? "edge" : "edges"} among ${count} variables`;
  if (state.view === "truth") {
    const [right, missing, extra, reversed] = ["right", "missing", "extra", "reversed"].map(of);
    const either = items.filter(({ from, to, kind }) => kind === "reversed" && !bestEdges.get(pair(from, to)).compelled).length;
    const shd = missing + extra + reversed;
    return `${right} right, ${missing} missing, ${extra} extra, ${reversed} reversed: SHD ${shd}, or ${shd - either} with reversible edges either way`;
  }
  if (state.view === "cpdag") return `${edges}: ${of("compelled")} directed, ${of("undirected")} undirected`;
  if (state.view === "probable") return `${edges} have at least probability ${Math.max(threshold(), LEAST_PROBABLE).toFixed(2)}`;
  if (state.view === "consensus") {
    const said = `${edges}: ${of("compelled")} with a sure direction, ${of("reversible")} with an open direction, ${of("unsure")} unsure`;
    const rest = data.unsure_pairs - data.consensus.filter(([from, to]) => certainty(from, to) === "unsure").length;
    return rest > 0 ? `${said}; ${rest} unsure ${rest === 1 ? "pair is" : "pairs are"} not drawn: no edge is likelier` : said;
  }
  return `${edges}: ${of("compelled")} compelled, ${of("reversible")} reversible`;
}

const LEGENDS = {
  best: [["compelled", "direction compelled"], ["reversible", "direction reversible"]],
  consensus: [["compelled", "sure: direction at least 0.9"], ["reversible", "direction open: edge at least 0.9"], ["unsure", "unsure: the likelier of edge and none"]],
  "runners-up": [["compelled", "direction compelled"], ["reversible", "direction reversible"]],
  cpdag: [["compelled", "directed"], ["undirected", "undirected: either way"]],
  probable: [["compelled", "compelled, or not in the best graph"], ["reversible", "reversible in the best graph"]],
  truth: [["right", "right"], ["missing", "missing"], ["extra", "extra"], ["reversed", "reversed"]],
};
