"""Build the documentation site: `make docs`, or `python scripts/build_docs.py --out FOLDER`.

The pages of docs/ are written for GitHub. They are copied to the folder `source`, with the generated reference of the
command line and the Python API, `llms.txt` and the configuration; a site generator only reads that folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.docs_site import api_pages, cli_pages, llms
from scripts.docs_site.pages import ROOT, SiteSource

CONFIG = ROOT / "mkdocs.yml"


class BuildError(Exception):
    """The site could not be built; the message is what the generator printed."""


def prepare(folder: Path, site_url: str = "") -> Path:
    """Write the source and the configuration of the site, and return the configuration."""
    source = SiteSource(folder / "source")
    shutil.rmtree(source.folder, ignore_errors=True)
    source.copy_all()
    for place, text in {**cli_pages.write_pages(), **api_pages.write_pages()}.items():
        source.write(place, text)
    nav = expand_nav(read_nav(), source.folder)
    for place, text in llms.write_files(nav, source.folder).items():
        source.write(place, text)
    hide_navigation(source.folder / "index.md")
    return write_config(folder, nav, site_url)


def hide_navigation(page: Path) -> None:
    """Leave out the menu beside a page that is alone in its section."""
    page.write_text(f"---\nhide: [navigation]\n---\n\n{page.read_text(encoding='utf-8')}", encoding="utf-8")


def read_nav() -> list[Any]:
    """Return the navigation of mkdocs.yml, in which a folder stands for all of its pages."""
    text = CONFIG.read_text(encoding="utf-8")
    nav = yaml.safe_load(text[text.index("\nnav:") :])["nav"]
    assert isinstance(nav, list)
    return nav


def expand_nav(nav: list[Any], source: Path) -> list[Any]:
    """Replace each folder by its pages: its index first, generated ones in their own order, others by name."""
    expanded: list[Any] = []
    for entry in nav:
        ((title, value),) = entry.items() if isinstance(entry, dict) else [("", entry)]
        if isinstance(value, list):
            expanded.append({title: expand_nav(value, source)})
        elif value.endswith("/"):
            expanded.append({title: _list_folder(source, value)} if title else value)
        else:
            expanded.append(entry)
    return expanded


def _list_folder(source: Path, folder: str) -> list[str]:
    pages = [path.relative_to(source).as_posix() for path in (source / folder).glob("*.md")]
    generated = {f"{cli_pages.FOLDER}/": cli_pages.all_names(), f"{api_pages.FOLDER}/": [*api_pages.TOP_LEVEL]}
    order = [f"{folder}{name}.md" for name in ("index", "README", *generated.get(folder, ()))]
    return sorted(pages, key=lambda page: (order.index(page) if page in order else len(order), page))


def write_config(folder: Path, nav: list[Any], site_url: str = "") -> Path:
    """Write the configuration of the site with a complete navigation."""
    text = CONFIG.read_text(encoding="utf-8")
    settings = text[: text.index("\nnav:")].replace("paths: [src]", f"paths: [{ROOT / 'src'}]")
    address = f"site_url: {site_url}\n" if site_url else ""
    config = folder / CONFIG.name
    rest = yaml.safe_dump({"nav": nav}, allow_unicode=True, sort_keys=False)
    config.write_text(f"{address}{settings}\n{rest}", encoding="utf-8")
    return config


def build(folder: Path, site_url: str = "") -> None:
    """Build the site into the folder `site`."""
    run_generator(prepare(folder, site_url))
    if not site_url:  # without an address, it would list nothing
        for name in ("sitemap.xml", "sitemap.xml.gz"):
            (folder / "site" / name).unlink(missing_ok=True)


def run_generator(config: Path) -> None:
    """Build the site of a configuration.

    Raises:
        BuildError: A link is broken, an anchor missing, or a page in no menu.
    """
    process = subprocess.run(
        # With --quiet, warnings would not fail the build.
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    if process.returncode:
        raise BuildError(process.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs", help="folder for source and site")
    parser.add_argument("--site-url", default="", help="address the site will have; needed for its sitemap")
    arguments = parser.parse_args()
    try:
        build(arguments.out.resolve(), arguments.site_url)
    except BuildError as error:
        sys.exit(str(error))
    print(f"Open {os.path.relpath(arguments.out / 'site' / 'index.html')}; it needs no server.")


if __name__ == "__main__":
    main()
