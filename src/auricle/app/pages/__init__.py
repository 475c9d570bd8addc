"""The pages of the app, one per module; `page()` draws it. Packages add pages through entry points."""

from __future__ import annotations

import re
from collections.abc import Callable

from auricle.core.features import Builtin
from auricle.core.registry import Registry, name_to_title

_PAGES = {
    "home": ("Home", "home"),
    "inference": ("Single inference", "hearing"),
    "benchmark": ("Benchmark", "speed"),
    "samples": ("Samples", "playlist_play"),
    "compare": ("Compare", "compare_arrows"),
    "leaderboard": ("Leaderboard", "leaderboard"),
    "performance": ("Performance", "timer"),
}
"""Title and icon of each page, by URL path, which is also the name of its module."""
FIRST_PAGE = "home"
PACKAGE_ICON = "extension"

PAGES: Registry[Callable[[], None]] = Registry(
    "app page",
    {name: Builtin(f"auricle.app.pages.{name}:page", title) for name, (title, _) in _PAGES.items()},
    expects=(Callable, "a function"),
)


def list_pages() -> list[str]:
    """List the pages in the order of the navigation, those of packages last."""
    return [*_PAGES, *(name for name in PAGES if name not in _PAGES)]


def url_path(name: str) -> str:
    """Return the path of a page in the app's address, in which only some characters are allowed."""
    return re.sub(r"[^\w-]+", "-", name)


def title_and_icon(name: str) -> tuple[str, str]:
    """Return the title of a page and the name of its icon; the title of a package's page is its name."""
    return _PAGES.get(name) or (name_to_title(name), PACKAGE_ICON)
