"""The documentation site, opened from the disk in a real browser: search works, and nothing is requested."""

from pathlib import Path
from typing import Any

import pytest

from scripts import build_docs
from tests.support import paths
from tests.support.extras import require_extra

WORDS = "# Words\n\n## Bootstrap\n\nUse the bootstrap.\n\n## Limits\n\n`--max-cost` is a barge-in, p99 a percentile.\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a small site with the settings of the real one."""
    require_extra("docs")
    folder = tmp_path_factory.mktemp("docs")
    source = folder / "source"
    (source / "assets").mkdir(parents=True)
    for asset in (paths.DOCS / "assets").iterdir():
        (source / "assets" / asset.name).write_bytes(asset.read_bytes())
    (source / "index.md").write_text("# Home\n\nSee [words](words.md).\n")
    (source / "words.md").write_text(WORDS)
    build_docs.run_generator(build_docs.write_config(folder, [{"Home": "index.md"}, {"Words": "words.md"}]))
    return folder / "site"


@pytest.mark.parametrize(
    ("width", "scheme", "query"),
    [
        *((1280, "light", "bootstrap"), (390, "dark", "bootstrap"), (1280, "light", "--max-cost barge-")),
        (1280, "light", "p99"),
    ],
)
def test_search_works_without_a_server_and_nothing_is_requested(
    browser: Any, site: Path, width: int, scheme: str, query: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.extend([request.url] * request.url.startswith("http")))
    page.goto((site / "index.html").as_uri())
    if width < 1000:
        page.locator("label.md-header__button[for=__search]").click()
    page.get_by_placeholder("Search").press_sequentially(query)
    result = page.locator(".md-search-result__link").first
    result.wait_for()
    assert "words.html" in (result.get_attribute("href") or "")
    assert complaints == []
    context.close()
