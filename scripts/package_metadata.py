"""Make the readme and the addresses of the package for hatchling.

Links in README.md are relative to the repository, and a package index has no such files. With the address of the
repository in REPOSITORY_URL, as the release workflow has it, they become links to the files of this version, and the
package gets its addresses. Without it, they become plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "REPOSITORY_URL"
RELATIVE = r"\((?!https?://|#)(?P<target>[^)\s]+)\)"
IMAGE = re.compile(rf"!\[(?P<text>[^\[\]]*)\]{RELATIVE}")
LINK = re.compile(rf"(?<!!)\[(?P<text>(?:!\[[^\[\]]*\]\([^)]*\)|[^\[\]])*)\]{RELATIVE}")
PAGES = {
    "Homepage": "",
    "Documentation": "/blob/{ref}/docs/quickstart.md",
    "Changelog": "/blob/{ref}/CHANGELOG.md",
    "Source": "",
    "Issues": "/issues",
}


class PackageMetadata(MetadataHookInterface):
    """Fill in the fields that depend on the repository and the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme` and `urls`."""
        repository = os.environ.get(VARIABLE, "").rstrip("/")
        ref = ref_of(metadata["version"])
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": render_readme(text, repository, ref)}
        metadata["urls"] = (
            {name: repository + page.format(ref=ref) for name, page in PAGES.items()} if repository else {}
        )


def ref_of(version: str) -> str:
    """Return the tag of a released version, or the newest commit for a version in development."""
    return "HEAD" if "dev" in version else f"v{version}"


def render_readme(text: str, repository: str, ref: str) -> str:
    """Return a readme that needs no files beside it.

    >>> render_readme("See [the guide](docs/guide.md#start).", "https://example.org/a", "v1")
    'See [the guide](https://example.org/a/blob/v1/docs/guide.md#start).'
    >>> render_readme("See [the guide](docs/guide.md#start).", "", "v1")
    'See the guide.'
    """
    if not repository:
        return LINK.sub(r"\g<text>", IMAGE.sub("", text))
    with_images = IMAGE.sub(rf"![\g<text>]({repository}/raw/{ref}/\g<target>)", text)
    return LINK.sub(rf"[\g<text>]({repository}/blob/{ref}/\g<target>)", with_images)
