"""Builds the documentation as a small site: `site.py docs target/site [--notebooks FOLDER] [--report FILE] [--api]`.

Needs the package `markdown` alone. `--report`: the report of a run, for the gallery. `--api`: the references of both interfaces are
going to lie in `target/site/api`.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
from pathlib import Path

import markdown

#: The pages in the order in which they are read.
PAGES = [
    ("tutorial", "Ten minutes"),
    ("guide", "Guide"),
    ("coming-from", "Coming from …"),
    ("methods", "Scores and methods"),
    ("options", "Options"),
    ("gallery", "Gallery"),
    ("benchmarks", "Benchmarks"),
    ("benchmarks-tables", "All tables"),
    ("bench", "Running benches"),
    ("paper", "The paper"),
    ("paper-report", "The paper, in one quick run"),
    ("research", "What was tried"),
    ("architecture", "Architecture"),
    ("dependencies", "Dependencies"),
]

#: The notebooks, in the order in which they are read, under the page that lists them.
NOTEBOOKS = [
    "diabetes", "wine", "sachs", "sachs_interventions", "election_survey", "smoking", "economy", "from_csv_to_graph", "comparing_methods",
]

#: What of an output is shown: the first of these that there is.
SHOWN = ("image/svg+xml", "text/html", "text/plain")

STYLE = """
:root { color-scheme: light dark; --line: #cdd6df; --soft: #52606d; --raised: #f4f7fa; --accent: #0b62a8; }
@media (prefers-color-scheme: dark) { :root { --line: #37444f; --soft: #a9b6c3; --raised: #1d2630; --accent: #6cb6ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 16px/1.6 system-ui, sans-serif; display: grid; gap: 1rem 2rem;
  grid-template-columns: minmax(0, 1fr); }
nav { display: flex; flex-wrap: wrap; }
@media (min-width: 60rem) { body { grid-template-columns: 13rem minmax(0, 1fr); } nav { display: block; position: sticky; top: 1rem; align-self: start; } }
nav a { display: block; padding: 0.15rem 0.5rem; color: inherit; text-decoration: none; border-radius: 6px; }
nav a[aria-current] { background: var(--raised); font-weight: 600; }
nav small { display: block; padding: 0.5rem; color: var(--soft); }
nav small a { display: inline; padding: 0; text-decoration: underline; }
main { min-width: 0; overflow-wrap: anywhere; }
a { color: var(--accent); }
pre { background: var(--raised); padding: 0.8rem; border-radius: 8px; overflow-x: auto; }
pre.output { background: none; border-left: 4px solid var(--line); border-radius: 0; font-size: 0.85rem; line-height: 1.35; }
.output { overflow-x: auto; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.9em; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.93rem; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; background: #fff; border-radius: 8px; }
blockquote { border-left: 4px solid var(--line); margin: 0; padding-left: 1rem; color: var(--soft); }
"""


def navigation(current: str, known: list[tuple[str, str]], has_api: bool) -> str:
    marked = lambda page: ' aria-current="page"' if page == current else ""  # noqa: E731
    links = [f'<a href="{page}.html"{marked(page)}>{html.escape(title)}</a>' for page, title in known]
    if has_api:
        links.append('<small>API: <a href="api/python/gflowcausal.html">Python</a>, <a href="api/rust/gflowcausal/index.html">Rust</a></small>')
    return f"<nav>{''.join(links)}</nav>"


def slug(text: str, separator: str) -> str:
    """The anchor of a heading, as the hosts of repositories make it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]+>", "", text).strip().lower())
    return kept.replace(" ", separator)


def converted(text: str) -> str:
    """HTML of Markdown, where links between pages keep their anchors."""
    convert = markdown.Markdown(extensions=["tables", "fenced_code", "toc"], extension_configs={"toc": {"slugify": slug}})
    return re.sub(r'href="([\w\-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', convert.convert(text))


def title_of(text: str, otherwise: str) -> str:
    title = re.search(r"^# (.+)$", text, re.M)
    return title[1] if title else otherwise


def page(name: str, title: str, body: str, frame: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        f'initial-scale=1"><title>{html.escape(title)} – GFlowCausal</title><style>{STYLE}</style></head><body>'
        f"{frame}<main>{body}</main></body></html>"
    )


def output(said: dict[str, object]) -> str:
    """What a cell of a notebook printed or drew."""
    if "text" in said:
        return f'<pre class="output">{html.escape("".join(said["text"]))}</pre>'
    data = said.get("data", {})
    kind = next((kind for kind in SHOWN if kind in data), None)
    if kind is None:
        return ""
    text = "".join(data[kind])
    return f'<pre class="output">{html.escape(text)}</pre>' if kind == "text/plain" else f'<div class="output">{text}</div>'


def notebook(path: Path) -> tuple[str, str]:
    """The title of a notebook, and its cells with their outputs."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(converted(source))
        else:
            parts.append(f"<pre><code>{html.escape(source)}</code></pre>{''.join(map(output, cell['outputs']))}")
    return title_of("".join(cells[0]["source"]), path.stem), "".join(parts)


def broken_links(out: Path) -> list[str]:
    """Links between pages, and to pictures, that lead nowhere."""
    ids = {path.name: set(re.findall(r'id="([^"]+)"', path.read_text())) for path in out.glob("*.html")}
    broken = []
    for path in out.glob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"]+)"', path.read_text()):
            file, _, anchor = html.unescape(target).partition("#")
            if "://" in target or file.startswith(("../", "api/")):
                continue
            known = (out / (file or path.name)).exists()
            if not known or (anchor and anchor not in ids.get(file or path.name, set())):
                broken.append(f"{path.name}: {target}")
    return broken


def write_notebooks(folder: Path, out: Path, frame: str) -> None:
    """A page for each notebook, and one that lists them."""
    entries = []
    for name in NOTEBOOKS:
        title, body = notebook(folder / f"{name}.ipynb")
        (out / f"notebook-{name}.html").write_text(page(name, title, body, frame), encoding="utf-8")
        entries.append(f'<li><a href="notebook-{name}.html">{html.escape(title)}</a></li>')
    text = f"<h1>Notebooks</h1><p>Real tables, and two of general use; run in the tests.</p><ul>{''.join(entries)}</ul>"
    (out / "notebooks.html").write_text(page("notebooks", "Notebooks", text, frame), encoding="utf-8")


def add_report(report: Path, out: Path) -> None:
    """The report of a run beside the gallery, which links to it where it names it."""
    shutil.copy(report, out / "gallery" / "report.html")
    gallery, named = out / "gallery.html", "<code>run/report.html</code>"
    text = gallery.read_text(encoding="utf-8")
    if named not in text:
        raise SystemExit("the gallery does not name run/report.html")
    gallery.write_text(text.replace(named, f'<a href="gallery/report.html">{named}</a>', 1), encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("docs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--notebooks", type=Path)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--api", action="store_true")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    source, out = asked.docs, asked.out
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    known = [(name, title) for name, title in PAGES if (source / f"{name}.md").exists()]
    if asked.notebooks:
        known.insert(2, ("notebooks", "Notebooks"))
        write_notebooks(asked.notebooks, out, navigation("notebooks", known, asked.api))
    for name, _ in known:
        if name != "notebooks":
            text = (source / f"{name}.md").read_text(encoding="utf-8")
            frame = navigation(name, known, asked.api)
            (out / f"{name}.html").write_text(page(name, title_of(text, name), converted(text), frame), encoding="utf-8")
    (out / "index.html").write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={known[0][0]}.html">')
    for folder in ("figures", "gallery"):
        if (source / folder).exists():
            shutil.copytree(source / folder, out / folder)
    if asked.report:
        add_report(asked.report, out)
    broken = broken_links(out)
    if broken:
        raise SystemExit("links that lead nowhere:\n  " + "\n  ".join(broken))
    print(f"{len(known)} pages in {out}: open {out}/index.html")


if __name__ == "__main__":
    main()
