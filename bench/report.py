"""What the benchmarks say: tables on the terminal, figures with goals, every sample."""

import sys


class Report:
    """Collects samples, tables and figures with goals."""

    def __init__(self, directory):
        self.samples = {}
        self.figures = []
        self.tables = []
        self.charts = {}
        self.directory = directory
        self.on_terminal = sys.stderr.isatty()

    def progress(self, text):
        if self.on_terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def say(self, text=""):
        self.progress("")
        print(text, flush=True)

    def table(self, title, columns, rows):
        self.tables.append({"title": title, "columns": columns, "rows": rows})
        cells = [columns] + [[str(cell) for cell in row] for row in rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
        self.say(f"\n{title}")
        for row in cells:
            self.say("  " + "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths))))

    def chart(self, name, row, figures):
        """Keeps a row of a table in docs/ from which scripts/draw-charts.py draws a picture: {heading: text of the cell}. Only for the
        sizes that the page names."""
        self.charts.setdefault(name, {}).setdefault(row, {}).update(figures)

    def figure(self, name, measured, goal, unit="×"):
        self.figures.append({"name": name, "value": measured, "goal": goal, "unit": unit,
                             "met": measured <= goal})
