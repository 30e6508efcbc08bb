#!/usr/bin/env python3
"""Counts lines of Rust by crate: all lines of `src`, and those of code, without tests, comments and blank lines.

    scripts/source_lines.py [DIR]     the tree at DIR, or here
"""

import pathlib
import re
import sys

TEST_FILE = re.compile(r"(^|_)tests?\.rs$")


def without_tests(text):
    """The text without modules and items marked `#[cfg(test)]`, as `cargo fmt` lays them out."""
    return re.sub(r"^( *)#\[cfg\(test\)\]\n(?:\1#\[.*\n)*\1\S.*(?:;|\}|\{\n(?:\1 .*\n|\n)*\1\})\n", "", text, flags=re.MULTILINE)


def code(text):
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def is_test(path):
    return "tests" in path.parts or TEST_FILE.search(path.name)


def main(top):
    total = [0, 0]
    print(f"{'crate':<14}{'lines':>8}{'code':>8}")
    for crate in sorted(path for path in (top / "crates").iterdir() if path.is_dir()):
        files = [path for path in sorted((crate / "src").rglob("*.rs")) if not is_test(path.relative_to(crate))]
        texts = [without_tests(path.read_text()) for path in files]
        counts = [sum(text.count("\n") for text in texts), sum(map(code, texts))]
        total = [a + b for a, b in zip(total, counts)]
        print(f"{crate.name:<14}{counts[0]:>8}{counts[1]:>8}")
    print(f"{'total':<14}{total[0]:>8}{total[1]:>8}")


main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
