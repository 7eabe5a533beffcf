#!/usr/bin/env python3
"""Draws the charts of pages from the tables beside them, and brings figures of `make bench` into these tables.

usage: draw-charts.py [--check | --results FILE | --self-check]

A comment before a table, <!-- chart NAME SCALE -->, asks for a chart of it, docs/…/charts/NAME.svg beside the page. SCALE is `linear`
(bars) or `logarithmic` (dots; parts with the same unit share it). Each column after the first one is a part of the chart; its heading names what was measured and, after a
comma, the unit. Rows that begin with "Perdure" are set off by colour. Cells without a number are left out.

--check    reports charts that differ from their tables, are missing or belong to no table
--results  first replaces figures of the tables by those of build/bench/results.json, where the run measured them: suites name them with
           `report.chart`. Look at the difference before you commit it, and change the conditions on the page with it.
"""
import argparse
import html
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = re.compile(r"<!-- chart ([a-z-]+) (linear|logarithmic) -->$")
NUMBER = re.compile(r"-?[\d,]*\.?\d+$")

WIDTH, LEFT, RIGHT = 720, 268, 84  # of the picture, of labels, of the figures behind bars
ROW, HEAD, FOOT, GAP = 24, 30, 26, 14
# Colours of a page in light and in dark; the picture has no background of its own.
STYLE = """
text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#1c2430}
.head{font-weight:600}.own{font-weight:600}.tick{font-size:12px;fill:#5b6675}
.grid{stroke:#d3d9e0}.axis{stroke:#8a95a3}.other{fill:#8a95a3;stroke:#8a95a3}.ours{fill:#00796b;stroke:#00796b}
@media (prefers-color-scheme:dark){
text{fill:#e6eaf0}.tick{fill:#a9b4c2}.grid{stroke:#3a4452}.axis,.other{stroke:#76828f}.other{fill:#76828f}.ours{fill:#4db6ac;stroke:#4db6ac}}
""".replace("\n", "")


class fault(Exception):
    pass


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def plain(cell):
    """A cell without emphasis and code marks."""
    return re.sub(r"[*`]", "", cell)


def value_of(cell):
    text = plain(cell)
    return float(text.replace(",", "")) if NUMBER.match(text) else None


class chart:
    """A table of a page: its lines, and the comment that asks for a chart."""

    def __init__(self, page, lines, at):
        self.name, self.scale = MARK.match(lines[at].strip()).groups()
        self.page, self.first = page, at + 1
        while self.first < len(lines) and not lines[self.first].strip():
            self.first += 1
        self.last = self.first
        while self.last < len(lines) and lines[self.last].startswith("|"):
            self.last += 1
        if self.last - self.first < 3:
            raise fault(f"{page.name}:{at + 1}: no table follows the chart {self.name}")
        self.heads = cells_of(lines[self.first])
        self.rows = [cells_of(line) for line in lines[self.first + 2:self.last]]
        for row in self.rows:
            if len(row) != len(self.heads):
                raise fault(f"{page.name}: the row '{row[0]}' of {self.name} has {len(row)} cells, and the table {len(self.heads)} columns")
        for i in range(1, len(self.heads)):
            values = [value_of(row[i]) for row in self.rows]
            if all(value is None for value in values):
                raise fault(f"{page.name}: the column '{self.heads[i]}' of {self.name} has no number")
            if self.scale == "logarithmic" and any(value is not None and value <= 0 for value in values):
                raise fault(f"{page.name}: the column '{self.heads[i]}' of {self.name} has a figure that a logarithmic scale cannot show")

    def file(self):
        return self.page.parent / "charts" / f"{self.name}.svg"


def charts_of(page):
    lines = page.read_text().splitlines()
    return [chart(page, lines, i) for i, line in enumerate(lines) if MARK.match(line.strip())]


def short(value):
    return f"{value:g}" if value < 1e4 else f"{value / 1000:g}k" if value < 1e6 else f"{value / 1e6:g}M"


def linear_ticks(largest):
    """Multiples of 1, 2 or 5 times a power of ten, at most six; the last one is not below `largest`."""
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(power * factor for factor in (0.2, 0.5, 1, 2, 5, 10) if largest / (power * factor) <= 5)
    return [step * i for i in range(math.ceil(largest / step - 1e-9) + 1)]


def scale_of(one, column):
    """Ticks, and the function from a value to a place."""
    def values_in(columns):
        return [value for row in one.rows for i in columns if (value := value_of(row[i])) is not None]

    if one.scale == "linear":
        ticks = linear_ticks(max(values_in([column])))
        return ticks, lambda value: LEFT + (WIDTH - LEFT - RIGHT) * value / ticks[-1]
    unit = one.heads[column].rpartition(",")[2]
    values = values_in([i for i in range(1, len(one.heads)) if one.heads[i].rpartition(",")[2] == unit])
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = max(math.ceil(math.log10(max(values)) - 1e-9), low + 1)
    return ([10.0 ** i for i in range(low, high + 1)],
            lambda value: LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(value) - low) / (high - low))


def place(value):
    return f"{value:.1f}".removesuffix(".0")


def drawn(one):
    """The picture as SVG. Its description has all figures."""
    parts, said, y = [], [], 0
    for column in range(1, len(one.heads)):
        ticks, at = scale_of(one, column)
        head = plain(one.heads[column])
        shown = [(plain(row[0]), row[column], value) for row in one.rows if (value := value_of(row[column])) is not None]
        parts.append(f'<text class="head" x="0" y="{y + 18}">{html.escape(head)}'
                     + (" (logarithmic scale)" if one.scale == "logarithmic" else "") + "</text>")
        top, bottom = y + HEAD, y + HEAD + ROW * len(shown)
        for tick in ticks:
            x = place(at(tick))
            parts.append(f'<path class="{"axis" if tick == ticks[0] else "grid"}" d="M{x} {top}V{bottom}"/>'
                         f'<text class="tick" x="{x}" y="{bottom + 16}" text-anchor="middle">{short(tick)}</text>')
        for i, (label, cell, value) in enumerate(shown):
            middle = top + ROW * i + ROW // 2
            is_own = label.startswith("Perdure")
            style, right = "ours" if is_own else "other", at(value)
            if one.scale == "linear":
                parts.append(f'<rect class="{style}" x="{LEFT}" y="{middle - 7}" width="{place(max(right - LEFT, 1))}" height="14" stroke="none"/>')
            else:
                parts.append(f'<path class="{style}" d="M{LEFT} {middle}H{place(right)}" stroke-opacity=".5"/>'
                             f'<circle class="{style}" cx="{place(right)}" cy="{middle}" r="5.5"/>')
            weight = ' class="own"' if is_own else ""
            parts.append(f'<text{weight} x="{LEFT - 8}" y="{middle + 5}" text-anchor="end">{html.escape(label)}</text>'
                         f'<text{weight} x="{place(right + 10)}" y="{middle + 5}">{html.escape(plain(cell))}</text>')
        said.append(head + ": " + ", ".join(f"{label} {plain(cell)}" for label, cell, _ in shown))
        y = bottom + FOOT + GAP
    description = html.escape(". ".join(said))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y - GAP}" role="img" aria-labelledby="d">\n'
            f'<desc id="d">{description}</desc>\n<style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n")


def with_results(page, results):
    """Writes the page's tables with the figures of the run; returns what was replaced."""
    lines, replaced = page.read_text().splitlines(), []
    for one in charts_of(page):
        measured = results["charts"].get(one.name)
        if measured is None:
            continue
        rows, heads = {plain(row[0]) for row in one.rows}, set(map(plain, one.heads[1:]))
        for row, figures in measured.items():
            for unknown in {row} - rows | figures.keys() - heads:
                raise fault(f"the run measured '{unknown}' for the chart {one.name}, which the table of {page.name} does not have")
        for number, row in enumerate(one.rows):
            for column in range(1, len(row)):
                figure = measured.get(plain(row[0]), {}).get(plain(one.heads[column]))
                if figure is not None and plain(row[column]) != figure:
                    replaced.append(f"{one.name}: {plain(row[0])}, {plain(one.heads[column])}: {plain(row[column])} becomes {figure}")
                    row[column] = f"**{figure}**" if "**" in row[column] else figure
            lines[one.first + 2 + number] = "| " + " | ".join(row) + " |"
    page.write_text("\n".join(lines) + "\n")
    return replaced


def faults_of(pages):
    known = set()
    for page in pages:
        text = page.read_text()
        for one in charts_of(page):
            known.add(one.file())
            where = one.file().relative_to(ROOT)
            if not one.file().exists():
                yield f"{where} is missing: run scripts/draw-charts.py"
            elif one.file().read_text() != drawn(one):
                yield f"{where} differs from the table of {page.relative_to(ROOT)}: run scripts/draw-charts.py"
            if f"](charts/{one.name}.svg)" not in text:
                yield f"{page.relative_to(ROOT)} does not show charts/{one.name}.svg"
    for file in sorted(ROOT.glob("docs/*/charts/*.svg")):
        if file not in known:
            yield f"{file.relative_to(ROOT)} belongs to no table: remove it"


def self_check():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        table = "<!-- chart some-work linear -->\n\n| | time, s |\n|---|---|\n| **Perdure** | **1.5** |\n| a < b | 1,200 |\n| left out | – |\n"
        page.write_text("text\n\n" + table)
        [one] = charts_of(page)
        picture = drawn(one)
        assert "time, s: Perdure 1.5, a &lt; b 1,200" in picture and "left out" not in picture, picture
        assert [value_of(text) for text in ("1,200", "**0.5**", "–", "3 ms", "")] == [1200, 0.5, None, None, None]
        assert linear_ticks(4.1) == [0, 1, 2, 3, 4, 5] and linear_ticks(1200) == [0, 500, 1000, 1500], linear_ticks(1200)
        replaced = with_results(page, {"charts": {"some-work": {"Perdure": {"time, s": "1.25"}}}})
        assert replaced == ["some-work: Perdure, time, s: 1.5 becomes 1.25"], replaced
        assert page.read_text() == ("text\n\n" + table).replace("1.5", "1.25")
        for unknown in ({"other": {"time, s": "9"}}, {"Perdure": {"other, s": "9"}}):
            try:
                with_results(page, {"charts": {"some-work": unknown}})
                raise AssertionError(f"nothing is wrong with {unknown}")
            except fault:
                pass
        for wrong in (table.replace("1,200", "0").replace("linear", "logarithmic"), table.replace("| 1,200 |", "|"),
                      table.split("\n", 1)[0] + "\n\ntext\n", table.replace("1,200", "no").replace("**1.5**", "no")):
            page.write_text(wrong)
            try:
                charts_of(page)
                raise AssertionError(f"nothing is wrong with {wrong}")
            except fault:
                pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true", help="report charts that differ from their tables")
    group.add_argument("--results", type=pathlib.Path, metavar="FILE", help="first bring the figures of this run into the tables")
    group.add_argument("--self-check", action="store_true", help="check this script")
    options = parser.parse_args()
    if options.self_check:
        self_check()
        return 0
    pages = sorted(ROOT.glob("docs/*/*.md"))
    if options.check:
        faults = list(faults_of(pages))
        for one in faults:
            print(one)
        return 1 if faults else 0
    if options.results:
        try:
            results = json.loads(options.results.read_text())
        except (OSError, ValueError) as failure:
            raise fault(f"{options.results} cannot be read: {failure}") from failure
        if results["options"]["quick"]:
            raise fault(f"{options.results} is of a run with --quick, whose figures say nothing: run `make bench`")
        for page in pages:
            for line in with_results(page, results):
                print(line)
    for page in pages:
        for one in charts_of(page):
            one.file().parent.mkdir(exist_ok=True)
            one.file().write_text(drawn(one))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except fault as found:
        sys.exit(f"draw-charts.py: {found}")
