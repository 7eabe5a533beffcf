"""A hook of MkDocs: makes links of pages to files of the repository, and names of the API, work in the site.

- The menu has the folders of docs/ in the order of FOLDERS, and in each the pages in the order of its index.md.
- A link to a source leads to Doxygen's page of it, or to a generated page with its text.
- A link to a folder leads to a generated page that lists its files.
- A link to a notebook leads to a generated page of its cells.
- A name of the API in code style, such as `perdure::manager`, leads to its entry in Doxygen's reference.
"""
import html
import json
import logging
import os
import pathlib
import posixpath
import re
import xml.etree.ElementTree as tree

from mkdocs.structure.files import File

FOLDERS = ("tutorial", "how-to", "reference", "explanation", "dev")
log = logging.getLogger("mkdocs.hooks.links")
ROOT = pathlib.Path(__file__).resolve().parent.parent
TAGS = ROOT / "build/docs/api.tag"
LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")
CODE = re.compile(r"<code>(?P<name>[\w:]+)(?P<rest>(?:\(\))?)</code>(?!</a>)")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".f90": "fortran", ".py": "python", ".lua": "lua", ".sh": "sh", ".slurm": "sh"}


def read_tags():
    """Places in Doxygen's pages, of names and of headers' paths."""
    names, headers = {}, {}
    for compound in tree.parse(TAGS).getroot():
        name, place = compound.findtext("name"), compound.findtext("filename")
        kind = compound.get("kind")
        if kind == "file":
            path = pathlib.PurePath((compound.findtext("path") or "") + name)
            headers[path.as_posix().removeprefix(ROOT.as_posix() + "/")] = place if place.endswith(".html") else place + ".html"
        elif kind in ("class", "struct", "namespace", "concept", "module"):
            names[name] = place
        if kind in ("class", "struct", "namespace", "file", "module"):
            for member in compound.findall("member"):
                anchor = member.findtext("anchorfile") + "#" + member.findtext("anchor")
                own = member.findtext("name")
                names.setdefault(own if kind == "file" else f"{name}::{own}", anchor)
    return names, headers


names, headers = read_tags()
generated = {}  # path in the repository: path in the site


def path_in_repository(page):
    """The file that a page of the site is made of."""
    for source, uri in generated.items():
        if uri == page:
            return source
    return "docs/" + page


def target_of(link, source):
    """The path in the repository that a link in a file of it leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def links_of(text):
    in_block = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            in_block = not in_block
        elif not in_block:
            yield from (found[2] for found in LINK.finditer(line))


def notebook(path):
    """The cells of a notebook, with the texts that they print."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        printed = "".join("".join(one["text"]) for one in cell.get("outputs", ()))
        parts.append(f"```python\n{text}\n```" if cell["cell_type"] == "code" else text)
        if printed:
            parts.append(f"```text\n{printed.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def page_of(source):
    """The text of the generated page of a file or folder."""
    path = ROOT / source
    if path.suffix == ".md":
        return path.read_text()
    if path.suffix == ".ipynb":
        return notebook(path)
    if path.is_dir():
        files = "\n".join(sorted(p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file()))
        return f"# {source}\n\nFiles of this folder in the source tree:\n\n```\n{files}\n```\n"
    return f"# {source}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text()}\n````\n"


def header_page(source):
    return next((place for path, place in headers.items() if source == path or source.endswith("include/" + path)), None)


def on_files(files, config):
    files.append(File.generated(config, "assets/iframe-worker.js", content=(ROOT / "site/iframe-worker.js").read_text()))
    files.append(File.generated(config, "assets/pages.css", content=(ROOT / "site/pages.css").read_text()))
    waiting = [("docs/" + file.src_uri, file.content_string) for file in files.documentation_pages()]
    while waiting:
        source, text = waiting.pop()
        for link in links_of(text):
            target = target_of(link, source)
            if target.startswith(("docs/", "..")) or target in generated or header_page(target) or not (ROOT / target).exists():
                continue
            visible = target.lstrip(".")  # MkDocs leaves out names that begin with a dot
            uri = f"source/{visible if visible.endswith('.md') else visible + '.md'}"
            generated[target] = uri
            content = page_of(target)
            files.append(File.generated(config, uri, content=content))
            if target.endswith((".md", ".ipynb")):
                waiting.append((target, content))
    return files


def pages_in_order(section):
    """The pages of a folder, its index first, then in the order in which the index links to them."""
    index = section.children[0].file
    order = ["index.md", *links_of(index.content_string)]

    def place(page):
        name = posixpath.basename(page.file.src_uri)
        if name not in order:
            log.warning(f"{index.src_uri} has no link to {name}")
        return order.index(name) if name in order else len(order)

    return sorted(section.children, key=place)


def on_nav(nav, **_):
    folders = {posixpath.dirname(item.children[0].file.src_uri): item for item in nav.items if item.is_section and item.children[0].is_page}
    nav.items = [item for item in nav.items if not item.is_section] + [folders[folder] for folder in FOLDERS if folder in folders]
    for section in nav.items:
        if section.is_section:
            section.children = pages_in_order(section)
    return nav


def on_page_markdown(markdown, page, **_):
    source = path_in_repository(page.file.src_uri)
    here = posixpath.dirname(page.file.src_uri)

    def mend(found):
        target = target_of(found[2], source)
        if target in generated:
            found_uri = generated[target]
        elif target.startswith("docs/"):
            found_uri = target.removeprefix("docs/")
        elif header_page(target):
            return f"{found[1]}api:{header_page(target)})"  # on_page_content knows the way from this page
        else:
            return found[0]  # MkDocs warns of it
        return found[1] + posixpath.relpath(found_uri, here or ".") + found[3]

    parts = re.split(r"(?ms)(^[ \t]*```.*?^[ \t]*`{3,}[ \t]*$)", markdown)
    return "".join(part if number % 2 else LINK.sub(mend, part) for number, part in enumerate(parts))


def on_page_content(content, page, **_):
    up = os.path.relpath("api", posixpath.dirname(page.file.src_uri) or ".")

    def link_name(found):
        name = found["name"]
        place = names.get(name) or names.get("perdure::" + name) if "::" in name or name.startswith("perdure_") else None
        return f'<a href="{up}/{html.escape(place)}">{found[0]}</a>' if place else found[0]

    content = content.replace('href="api:', f'href="{up}/')
    parts = re.split(r"(?s)(<pre.*?</pre>|<a .*?</a>|<h\d.*?</h\d>)", content)
    return "".join(part if number % 2 else CODE.sub(link_name, part) for number, part in enumerate(parts))
