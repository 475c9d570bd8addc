"""Check pages with axe-core, which is downloaded once and cached outside the repository."""

import hashlib
import subprocess
import tarfile
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests.support.weights import cached_folder

PACKAGE = "axe-core@4.10.3"
SHA256 = "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"
"""Of its script."""
DOWNLOAD_SECONDS = 120
IMPACTS = ("serious", "critical")
RULES = ("heading-order",)
"""Rules that must hold too, although axe-core takes them less seriously."""
COLOUR_RULES = ("color-contrast",)
"""Rules whose result depends on the theme."""
RUN = """async rules => {
    const only = rules.length ? { runOnly: rules } : {};
    const { violations } = await axe.run(document, { resultTypes: ["violations"], ...only });
    return violations.flatMap(({ id, impact, nodes }) => nodes.map(node =>
        ({ id, impact, target: node.target.flat().join(" "), html: node.html, summary: node.failureSummary })));
}"""


def load_axe() -> str:
    """Return axe-core's script, or skip the test if it cannot be downloaded."""
    script = (cached_folder(PACKAGE.replace("@", "-"), _download) / "axe.min.js").read_text(encoding="utf-8")
    assert hashlib.sha256(script.encode()).hexdigest() == SHA256, f"{PACKAGE} has changed"
    return script


def _download(folder: Path) -> Path:
    """Unpack the package; none of its code is run by npm."""
    npm = which("npm")
    if npm is None:
        pytest.skip(f"no {PACKAGE}: npm is not installed")
    command = [npm, "pack", "--ignore-scripts", "--silent", PACKAGE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS)
    if done.returncode:
        pytest.skip(f"no {PACKAGE}: {done.stderr.strip()[-200:]}")
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as content:
        content.extract("package/axe.min.js", folder, filter="data")
    return folder / "package"


def find_violations(page: Any, script: str, *rules: str) -> list[str]:
    """Return a line for each element of a page that breaks one of these rules, or any."""
    page.evaluate(script)
    findings = [item for item in page.evaluate(RUN, rules) if item["impact"] in IMPACTS or item["id"] in RULES]
    return [
        f"{item['id']}: {item['target']}\n  {item['html'][:300]}\n  {item['summary'].splitlines()[-1].strip()}"
        for item in findings
    ]
