"""Write what is installed in an environment as a software bill of materials (CycloneDX 1.6, JSON).

    path/to/environment/bin/python scripts/sbom.py > sbom.json

It needs no package, so that nothing is installed for it. A package in its locked version has the hash of the lock.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parent))
from lock import normalize, read_lock

ROOT_PACKAGE = "auricle"


def describe(package: Distribution) -> dict[str, Any]:
    """Return a package as a component."""
    name = normalize(package.metadata["Name"])
    url = f"pkg:pypi/{name}@{quote(package.version)}"
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": package.version,
        "purl": url,
    }
    if licence := package.metadata.get("License-Expression"):
        component["licenses"] = [{"expression": licence}]
    _, locked = read_lock()
    if name in locked and locked[name].version == package.version and locked[name].sha256:
        component["hashes"] = [{"alg": "SHA-256", "content": locked[name].sha256}]
    return component


def build() -> dict[str, Any]:
    """Return the document of this environment."""
    components = sorted(map(describe, distributions()), key=lambda component: str(component["name"]))
    (root,) = (component for component in components if component["name"] == ROOT_PACKAGE)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**root, "type": "application"}},
        "components": [component for component in components if component is not root],
    }


if __name__ == "__main__":
    json.dump(build(), sys.stdout, indent=2)
    print()
