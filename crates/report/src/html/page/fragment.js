// The view in the address, so that a link shows what its sender saw.
let isRestoring = true;

/** The view in words: names, not numbers, so that a link to a newer run of the same data still fits. */
function fragment() {
  const said = new URLSearchParams({ view: state.view });
  if (state.view === "runners-up") said.set("rank", state.rank);
  if (threshold()) said.set("least", threshold());
  if (state.chosen !== null) said.set("variable", names[state.chosen]);
  if (state.picked) said.set("edge", JSON.stringify([names[state.picked.from], names[state.picked.to]]));
  return `#${said}`;
}

function remember() {
  if (isRestoring || location.hash === fragment()) return;
  history.replaceState(null, "", fragment());
}

/** Shows what the address says; what it does not know is left out. */
function restore() {
  isRestoring = true;
  const said = new URLSearchParams(location.hash.slice(1));
  const known = [...document.getElementsByName("view")].map((radio) => radio.value);
  if (known.includes(said.get("view"))) {
    state.rank = Math.max(0, Math.min(data.runners_up.length - 1, Number(said.get("rank")) || 0));
    find("rank").value = state.rank;
    const least = Number(said.get("least"));
    if (said.has("least") && least >= 0 && least <= 1) state.thresholds[said.get("view")] = least;
    show(said.get("view"));
  }
  const node = indices.get(said.get("variable"));
  if (node !== undefined) choose(node);
  try {
    const [from, to] = JSON.parse(said.get("edge") ?? "[]").map((name) => indices.get(name));
    if (from !== undefined && to !== undefined) pick({ from, to, kind: "row" });
  } catch {
    // An address that somebody else wrote.
  }
  isRestoring = false;
}

function share() {
  const address = location.href.replace(/#.*/, "") + fragment();
  const say = (words) => (find("shared").textContent = words);
  history.replaceState(null, "", fragment());
  if (navigator.clipboard?.writeText) navigator.clipboard.writeText(address).then(() => say("copied"), () => say("it is in the address bar"));
  else say("it is in the address bar");
}
