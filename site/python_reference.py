"""A hook of MkDocs: the docstrings of the Python package as entries of a page. They are read from its sources: nothing is built or imported.

A page of docs/ names a module in a comment, as <!-- docstrings of perdure.graph -->. There the site has an entry for each name of the module's
`__all__`, with signature and docstring, and for each public member of its classes.
"""
import ast
import pathlib
import re
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python/perdure"
PLACE = re.compile(r"^<!-- docstrings of (?P<module>[\w.]+) -->$", re.M)
ARGUMENT = re.compile(r"(?P<name>\w+): (?=\S)")
LINE = 100


def tree_of(module):
    path = PACKAGE.parent / (module.replace(".", "/") + ".py")
    return ast.parse((path if path.exists() else path.with_suffix("") / "__init__.py").read_text())


def names_of(tree):
    """The names in `__all__`, in the order of the source."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    raise SystemExit("python_reference.py: a module of the reference needs __all__")


def find(tree, name):
    """The class or function that a module calls by this name, in whichever module of the package it is; None for one of the extension."""
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return node
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("perdure.") and node.module != "perdure._perdure":
            for one in node.names:
                if (one.asname or one.name) == name:
                    return find(tree_of(node.module), one.name)
    return None


def text_of(docstring):
    """Paragraphs as they are, arguments ("name: what it is") as a list, examples as blocks."""
    lines = []
    in_example = False
    for line in docstring.splitlines():
        bare = line.strip()
        if bare.startswith(">>>") and not in_example:
            lines += ["", "```pycon"]
            in_example = True
        elif in_example and not bare:
            lines.append("```")
            in_example = False
        lines.append(line.removeprefix("    ") if in_example and line.startswith("    >>>") else line)
    if in_example:
        lines.append("```")
    marked = "\n".join(lines)
    parts = re.split(r"(?ms)(^```pycon\n.*?^```$)", marked)
    for number in range(0, len(parts), 2):
        found = []
        for line in parts[number].splitlines():
            argument = ARGUMENT.match(line)
            # A list begins behind a blank line.
            if argument and not (found and found[-1].startswith("- ")) and not (found and found[-1].startswith("  ")):
                found.append("")
            if argument:
                found.append(f"- `{argument['name']}`: {line[argument.end():]}")
            elif found and line and found[-1].startswith(("- ", "  ")):
                found.append("  " + line)
            else:
                found.append(line)
        parts[number] = "\n".join(found)
    # An example in a docstring is indented as a whole or not at all.
    for number in range(1, len(parts), 2):
        body = parts[number].removeprefix("```pycon\n").removesuffix("\n```")
        parts[number] = f"```pycon\n{textwrap.dedent(body)}\n```"
    return "\n".join(parts).strip()


def signature(node, owner=None):
    arguments = node.args
    if owner and not any(ast.unparse(one) == "staticmethod" for one in node.decorator_list):
        arguments.args = arguments.args[1:] if arguments.args else arguments.args
        if not arguments.args:
            arguments.posonlyargs = arguments.posonlyargs[1:]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    name = f"{owner}.{node.name}" if owner else node.name
    whole = f"{name}({ast.unparse(arguments)}){returns}"
    if len(whole) <= LINE:
        return whole
    parts = [one.strip() for one in re.split(r", (?![^\[(]*[\])])", ast.unparse(arguments))]
    return f"{name}(\n" + "".join(f"    {one},\n" for one in parts) + f"){returns}"


def is_property(node):
    return any(ast.unparse(one) == "property" for one in node.decorator_list)


def members_of(node):
    """Properties and fields as (name, type, docstring), and methods; public ones that have a docstring."""
    values, methods = [], []
    for one, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_") and ast.get_docstring(one):
            if is_property(one):
                values.append((one.name, one.returns, ast.get_docstring(one)))
            else:
                methods.append(one)
        elif isinstance(one, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            values.append((one.target.id, one.annotation, after.value.value))
    return values, methods


def entry(name, node):
    docstring = ast.get_docstring(node)
    if not docstring:
        raise SystemExit(f"python_reference.py: {name} has no docstring")
    if isinstance(node, ast.FunctionDef):
        return f"### {name}\n\n```python\n{signature(node)}\n```\n\n{text_of(docstring)}\n"
    values, methods = members_of(node)
    parts = [f"### {name}\n", text_of(docstring) + "\n"]
    if values:
        rows = [f"| `{value}` | {f'`{ast.unparse(kind)}`' if kind else ''} | {' '.join(what.split())} |" for value, kind, what in values]
        parts.append("| attribute | type | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    for one in methods:
        parts.append(f"#### {name}.{one.name}\n\n```python\n{signature(one, name)}\n```\n\n{text_of(ast.get_docstring(one))}\n")
    return "\n".join(parts)


def reference_of(module):
    tree = tree_of(module)
    found = {name: find(tree, name) for name in names_of(tree)}
    return "\n".join(entry(name, node) for name, node in found.items() if node)


def on_page_markdown(markdown, **_):
    """The text of a page with the entries of each module that it names."""
    return PLACE.sub(lambda place: reference_of(place["module"]), markdown)
