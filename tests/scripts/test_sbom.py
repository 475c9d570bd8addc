"""The list of packages of a release."""

import json
import subprocess
import sys
from importlib.metadata import version

from scripts.lock import read_lock

from tests.support import paths


def test_every_installed_package_is_listed_with_the_hash_of_its_locked_version() -> None:
    command = [sys.executable, str(paths.ROOT / "scripts" / "sbom.py")]
    document = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert (document["bomFormat"], document["metadata"]["component"]["name"]) == ("CycloneDX", "auricle")
    components = {component["name"]: component for component in document["components"]}
    assert "auricle" not in components
    assert components["numpy"]["purl"] == f"pkg:pypi/numpy@{version('numpy')}"
    _, locked = read_lock()
    for name, component in components.items():
        is_locked = name in locked and locked[name].version == component["version"] and locked[name].sha256
        assert [each["content"] for each in component.get("hashes", [])] == ([locked[name].sha256] if is_locked else [])
