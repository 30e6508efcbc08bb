"""Builds the documentation as a small site: `site.py docs target/site`. Needs the package `markdown` alone."""

from __future__ import annotations

import html
import re
import shutil
import sys
from pathlib import Path

import markdown

#: The pages in the order in which they are read.
PAGES = [
    ("tutorial", "Ten minutes"),
    ("guide", "Guide"),
    ("coming-from", "Coming from …"),
    ("options", "Options"),
    ("gallery", "Gallery"),
    ("benchmarks", "Benchmarks"),
    ("benchmarks-tables", "All tables"),
    ("paper", "The paper"),
    ("research", "What was tried"),
    ("architecture", "Architecture"),
    ("dependencies", "Dependencies"),
]

STYLE = """
:root { color-scheme: light dark; --line: #cdd6df; --soft: #52606d; --raised: #f4f7fa; --accent: #0b62a8; }
@media (prefers-color-scheme: dark) { :root { --line: #37444f; --soft: #a9b6c3; --raised: #1d2630; --accent: #6cb6ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 16px/1.6 system-ui, sans-serif; display: grid; gap: 1rem 2rem;
  grid-template-columns: minmax(0, 1fr); }
@media (min-width: 60rem) { body { grid-template-columns: 13rem minmax(0, 1fr); } nav { position: sticky; top: 1rem; align-self: start; } }
nav a { display: block; padding: 0.15rem 0.5rem; color: inherit; text-decoration: none; border-radius: 6px; }
nav a[aria-current] { background: var(--raised); font-weight: 600; }
nav small { display: block; padding: 0.5rem; color: var(--soft); }
nav small a { display: inline; padding: 0; text-decoration: underline; }
main { min-width: 0; overflow-wrap: anywhere; }
a { color: var(--accent); }
pre { background: var(--raised); padding: 0.8rem; border-radius: 8px; overflow-x: auto; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.9em; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.93rem; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; background: #fff; border-radius: 8px; }
blockquote { border-left: 4px solid var(--line); margin: 0; padding-left: 1rem; color: var(--soft); }
"""


def navigation(current: str, known: list[tuple[str, str]]) -> str:
    marked = lambda page: ' aria-current="page"' if page == current else ""  # noqa: E731
    links = [f'<a href="{page}.html"{marked(page)}>{html.escape(title)}</a>' for page, title in known]
    links.append('<small>API: <code>make site-api</code> writes <a href="api/python/gflowcausal.html">Python</a> and '
                 '<a href="api/rust/gflowcausal/index.html">Rust</a></small>')
    return f"<nav>{''.join(links)}</nav>"


def slug(text: str, separator: str) -> str:
    """The anchor of a heading, as the hosts of repositories make it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]+>", "", text).strip().lower())
    return kept.replace(" ", separator)


def page(path: Path, known: list[tuple[str, str]]) -> str:
    text = path.read_text(encoding="utf-8")
    convert = markdown.Markdown(extensions=["tables", "fenced_code", "toc"], extension_configs={"toc": {"slugify": slug}})
    # Links between pages keep their anchors.
    body = re.sub(r'href="([\w\-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', convert.convert(text))
    title = re.search(r"^# (.+)$", text, re.M)
    name = html.escape(title[1] if title else path.stem)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        f'initial-scale=1"><title>{name} – GFlowCausal</title><style>{STYLE}</style></head><body>'
        f"{navigation(path.stem, known)}<main>{body}</main></body></html>"
    )


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


def main() -> None:
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    known = [(name, title) for name, title in PAGES if (source / f"{name}.md").exists()]
    for name, _ in known:
        (out / f"{name}.html").write_text(page(source / f"{name}.md", known), encoding="utf-8")
    (out / "index.html").write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={known[0][0]}.html">')
    for folder in ("figures", "gallery"):
        if (source / folder).exists():
            shutil.copytree(source / folder, out / folder)
    broken = broken_links(out)
    if broken:
        raise SystemExit("links that lead nowhere:\n  " + "\n  ".join(broken))
    print(f"{len(known)} pages in {out}: open {out}/index.html")


if __name__ == "__main__":
    main()
