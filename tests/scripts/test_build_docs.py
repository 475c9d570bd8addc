"""The documentation site, built once: strict, complete, and without anything from another host."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from scripts.docs_site import cli_pages
from scripts.docs_site.pages import convert_info, convert_page

from scripts import build_docs
from tests.support.extras import require_extra
from tests.support.public_names import PUBLIC_NAMES

LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}
"""Attributes whose address a browser requests at once."""
NOT_FOUND_PAGE = "404.html"


class Page(HTMLParser):
    """The anchors and addresses of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")
            elif (tag, name) in LOADED:
                self.loaded.append(value or "")
            elif (tag, name) == ("a", "href"):
                self.links.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_extra("docs")
    folder = tmp_path_factory.mktemp("docs")
    build_docs.build(folder)
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def locate(site: Path, page: Path, address: str) -> Path:
    """Return the file that a browser opens for an address without a host."""
    path = unquote(urlsplit(address).path)
    folder = site if path.startswith("/") else page.parent
    target = (folder / path.lstrip("/")).resolve() if path else page
    return target / "index.html" if target.is_dir() else target


def find_broken_links(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for address in page.links:
            if urlsplit(address).scheme:
                continue
            target, anchor = locate(site, path, address), unquote(urlsplit(address).fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                yield f"{path.relative_to(site)}: {address}"


@pytest.mark.slow
def test_every_link_of_the_site_leads_to_a_page_and_an_anchor(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages) > 100
    assert [*find_broken_links(site, pages)] == []


@pytest.mark.slow
def test_nothing_is_loaded_from_another_host(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for address in page.loaded:
            assert not urlsplit(address).netloc, f"{path.relative_to(site)}: {address}"
            assert locate(site, path, address).is_file(), f"{path.relative_to(site)}: {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//", style.read_text(encoding="utf-8")), style.name


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name"), PUBLIC_NAMES)
def test_every_public_name_has_a_section(module: str, name: str, pages: dict[Path, Page]) -> None:
    reference = {anchor for path, page in pages.items() if "reference" in path.parts for anchor in page.anchors}
    assert reference & {f"auricle.{name}", f"{module}.{name}"}


@pytest.mark.slow
def test_every_command_has_a_page(site: Path) -> None:
    assert {f"{name}.html" for name in cli_pages.all_names()} <= {
        path.name for path in (site / "reference/cli").iterdir()
    }


@pytest.mark.slow
def test_examples_and_files_beside_the_pages_are_part_of_the_site(pages: dict[Path, Page], site: Path) -> None:
    assert (site / "files/examples/detect/detector.py.html") in pages
    assert (site / "project/changelog.html") in pages
    assert "../files/" not in (site / "project/contributing.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_search_finds_pages_and_options_but_no_source_files(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {"faq.html", "metrics/error-rates.html", "reference/cli/run.html"} <= places
    assert not any(place.startswith("files/") for place in places)


@pytest.mark.slow
def test_the_site_has_an_index_for_language_models_and_no_empty_sitemap(site: Path) -> None:
    index = (site / "llms.txt").read_text(encoding="utf-8")
    addresses = re.findall(r"^- \[.+?\]\((\S+)\)", index, re.MULTILINE)
    assert len(addresses) > 100
    assert [address for address in addresses if not (site / address).is_file()] == []
    assert "# Quickstart" in (site / "llms-full.txt").read_text(encoding="utf-8")
    assert not (site / "sitemap.xml").exists()


@pytest.mark.slow
def test_only_the_home_page_has_no_menu_beside_it(site: Path) -> None:
    hidden = re.compile(r'<div class="md-sidebar md-sidebar--primary"[^>]* hidden')
    assert hidden.search((site / "index.html").read_text(encoding="utf-8"))
    assert not hidden.search((site / "quickstart.html").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_page_for_missing_pages_offers_no_edit(site: Path) -> None:
    text = (site / NOT_FOUND_PAGE).read_text(encoding="utf-8")
    assert "Not found" in text
    assert "edit" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL).lower().replace("credit", "")


@pytest.mark.slow
def test_a_broken_link_and_a_page_in_no_menu_fail_the_build(tmp_path: Path) -> None:
    require_extra("docs")
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text("# Home\n\n[nowhere](missing.md) [no anchor](index.md#missing)\n")
    (source / "lost.md").write_text("# Lost\n")
    config = build_docs.write_config(tmp_path, ["index.md"])
    with pytest.raises(build_docs.BuildError) as error:
        build_docs.run_generator(config)
    for part in ("missing.md", "#missing", "lost.md"):
        assert part in str(error.value)


def test_pages_are_converted_for_the_reader_of_the_site() -> None:
    page = "Text:\n- one\n  - two\n\n```sh no_run exit=3\n- not a list\n```\n\n- three\n\n  ```sh\n  run\n  ```\n"
    converted = "Text:\n\n- one\n    - two\n\n```sh\n- not a list\n```\n\n- three\n\n    ```sh\n    run\n    ```\n"
    assert convert_page(page) == converted
    assert convert_info('yaml no_run title="a b.yaml"') == 'yaml title="a b.yaml"'


def test_code_in_tables_has_plain_bars_and_long_code_may_break() -> None:
    row = r"| `a\|b` | `tests/test_a_long_name.py` | `auricle run TASK -m MODEL -o DIR` | a \| b |"
    converted = r"| `a|b` | `tests/test_a_long_name.py`{ .long } | `auricle run TASK -m MODEL -o DIR` | a \| b |"
    assert convert_page(row) == f"{converted}\n"
    assert convert_page(r"`a\|b`") == "`a\\|b`\n"


def test_options_are_grouped_as_in_the_help_with_defaults() -> None:
    page = cli_pages.write_pages()["reference/cli/run.md"]
    titles = ["Model", "Data", "Scoring", "Speed", "Scale-out", "Cost", "Output", "Other"]
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == titles
    assert re.search(r"`--max-attempts N`\{ #max-attempts \}\n:   .+\*\(default: \d+", page)


def test_help_texts_are_not_read_as_markup() -> None:
    assert cli_pages.escape("Use `a_b|c` for *.wav <ID> [x]") == r"Use `a_b|c` for \*.wav &lt;ID&gt; \[x\]"


def test_a_public_name_without_a_page_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from scripts.docs_site import api_pages

    package = importlib.import_module("auricle")
    monkeypatch.setattr(package, "__all__", [*package.__all__, "Surprise"])
    with pytest.raises(ValueError, match="Surprise"):
        api_pages.write_pages()
