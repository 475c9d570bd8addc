"""`scripts/audit.py` on small packages: what it reports, and what it accepts."""

import base64
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths

pytestmark = pytest.mark.slow

CODE = "print('hello')\n"


def add_package(folder: Path, name: str, version: str = "1.0", licence: str = "MIT") -> Path:
    """Install a package with one module by hand, as pip would."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (folder / f"{name}.py").write_text(CODE)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nLicense-Expression: {licence}\n"
    )
    digest = base64.urlsafe_b64encode(hashlib.sha256(CODE.encode()).digest()).rstrip(b"=").decode()
    (info / "RECORD").write_text(f"{name}.py,sha256={digest},15\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")
    return info


class Audit:
    """Runs the script on a lock and on the packages of a folder, which come before all others."""

    def __init__(self, folder: Path) -> None:
        self.packages = folder / "packages"
        self.packages.mkdir()
        self._lock = folder / "some.lock"
        self._folder = folder
        self.lines: list[str] = []

    def __call__(self, *options: Any) -> list[str]:
        """Return the findings that concern packages of the folder, whose names begin with `sound`."""
        environment = f"Python {sys.version_info.major}.{sys.version_info.minor} on linux-x86_64"
        self._lock.write_text("\n".join([f"# Made by scripts/lock.py for {environment}.", *self.lines]) + "\n")
        command = [sys.executable, "-S", "-c", self._script(), "--lock", self._lock, *options]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.packages), str(self._dependencies())])}
        process = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, env=variables, cwd=self._folder
        )
        assert not process.stderr, process.stderr
        findings = process.stdout.splitlines()[:-1]
        assert process.returncode == bool(findings)
        return findings

    def _script(self) -> str:
        """Run without site-packages: only the packages of the folder are installed."""
        scripts = paths.ROOT / "scripts"
        return (
            f"import sys, site; sys.path.insert(0, {str(scripts)!r}); site.getsitepackages = lambda: "
            f"[{str(self.packages)!r}]\nimport lock, audit\naudit.this_environment = lambda: "
            f"lock.read_lock(audit.Path(sys.argv[2]))[0]\nsys.exit(audit.main())"
        )

    def _dependencies(self) -> Path:
        import packaging

        link = self._folder / "dependencies"
        if not link.exists():
            link.mkdir()
            (link / "packaging").symlink_to(Path(packaging.__file__).parent)
        return link


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit(tmp_path)


def test_a_locked_package_in_its_version_passes(audit: Audit) -> None:
    add_package(audit.packages, "sound_one")
    audit.lines = ["sound-one==1.0"]
    assert audit() == []


def test_other_versions_missing_and_unexpected_packages_are_reported(audit: Audit) -> None:
    add_package(audit.packages, "sound_one", "1.1")
    add_package(audit.packages, "sound_two")
    audit.lines = ["sound-one==1.0", "sound-three==2.0"]
    assert audit() == [
        "sound-one: locked at 1.0, installed 1.1",
        "sound-three: locked at 2.0, but not installed",
        "sound-two: installed 1.0, but not in requirements.lock",
    ]


def test_a_build_for_another_machine_has_the_same_version(audit: Audit) -> None:
    add_package(audit.packages, "sound_one", "1.0+cpu")
    audit.lines = ["sound-one==1.0"]
    assert audit() == []


def test_changed_and_missing_files_are_reported(audit: Audit) -> None:
    for name in ("sound_one", "sound_two"):
        add_package(audit.packages, name)
    audit.lines = ["sound-one==1.0", "sound-two==1.0"]
    (audit.packages / "sound_one.py").write_text("print('bad')\n")
    (audit.packages / "sound_two.py").unlink()
    assert audit() == ["sound-one: changed file sound_one.py", "sound-two: missing file sound_two.py"]


def test_startup_code_that_no_package_installed_is_reported(audit: Audit) -> None:
    (audit.packages / "path.pth").write_text("/some/folder\n")
    assert audit() == []
    (audit.packages / "bad.pth").write_text("import os; os.system('true')\n")
    assert audit() == ["bad.pth: runs code whenever Python starts, and belongs to no package"]


def test_a_package_from_another_file_than_the_locked_one_is_reported(audit: Audit) -> None:
    info = add_package(audit.packages, "sound_one")
    audit.lines = [f"sound-one==1.0 --hash=sha256:{'0' * 64}"]
    (info / "direct_url.json").write_text(json.dumps({"url": "file:///x", "archive_info": {}}))
    assert audit() == ["sound-one: not installed from the locked file"]


@pytest.mark.parametrize(
    ("licence", "is_accepted"),
    [
        ("MIT", True),
        ("LGPL-2.1-or-later", True),
        ("AGPL-3.0-only", False),
        ("CC-BY-NC-4.0", False),
        ("AGPL-3.0-only OR MIT", True),
    ],
)
def test_licences_that_restrict_use_are_reported(audit: Audit, licence: str, is_accepted: bool) -> None:
    add_package(audit.packages, "sound_one", licence=licence)
    audit.lines = ["sound-one==1.0"]
    assert audit() == ([] if is_accepted else [f"sound-one: licence {licence}"])


@pytest.mark.parametrize(
    ("affected", "is_vulnerable"),
    [
        ({"versions": ["0.9", "1.0"]}, True),
        ({"versions": ["0.9"]}, False),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.0"}]}]}, False),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.0.1"}]}]}, True),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0.5"}, {"last_affected": "1.0"}]}]}, True),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "1.5"}]}]}, False),
        ({"ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]}, False),
    ],
)
def test_advisories_are_compared_with_installed_versions(
    audit: Audit, tmp_path: Path, affected: dict[str, Any], is_vulnerable: bool
) -> None:
    add_package(audit.packages, "sound_one")
    audit.lines = ["sound-one==1.0"]
    advisory = {"id": "X-1", "summary": "Bad.", "affected": [{"package": {"name": "Sound.One"}, **affected}]}
    (tmp_path / "osv").mkdir()
    (tmp_path / "osv" / "x.json").write_text(json.dumps(advisory))
    assert audit("--advisories", tmp_path / "osv") == (["sound-one 1.0: X-1 Bad."] if is_vulnerable else [])
