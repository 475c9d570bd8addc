"""The pages of docs/: every page is in the menu of the site."""

from __future__ import annotations

from scripts.build_docs import expand_nav, read_nav
from scripts.docs_site.llms import list_pages

from tests.support import paths

GENERATED = ("reference/", "project/")


def test_every_page_is_in_the_menu_once() -> None:
    listed = [page for page in list_pages(expand_nav(read_nav(), paths.DOCS)) if not page.startswith(GENERATED)]
    pages = {path.relative_to(paths.DOCS).as_posix() for path in paths.DOCS.rglob("*.md")}
    assert sorted(listed) == sorted(pages), "add new pages to the nav of mkdocs.yml"
