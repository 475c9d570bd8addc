"""`requirements.lock` fits `pyproject.toml`, and `scripts/lock.py` writes what pip reports."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths
from tests.support.extras import base_requirements, declared_requirements

SCRIPT = paths.ROOT / "scripts" / "lock.py"
LOCK = paths.ROOT / "requirements.lock"


@pytest.fixture(scope="module")
def lock() -> Any:
    return runpy.run_path(str(SCRIPT))


def test_the_lock_satisfies_the_project(lock: Any) -> None:
    _, packages = lock["read_lock"](LOCK)
    for requirement in (*base_requirements(), *declared_requirements("test")):
        package = packages.get(lock["normalize"](requirement.name))
        assert package, f"{requirement.name} is not locked. Run `make lock`."
        assert requirement.specifier.contains(package.version), f"{requirement}: locked {package}. Run `make lock`."


def test_the_lock_has_exact_versions_and_hashes_and_no_address(lock: Any) -> None:
    text = LOCK.read_text(encoding="utf-8")
    assert "://" not in text
    assert "index" not in text
    first, *lines = text.splitlines()
    assert re.fullmatch(r"# Made by scripts/lock\.py for Python 3\.\d+ on [\w.-]+\.", first)
    assert all(lock["LINE"].fullmatch(line) for line in lines)
    _, packages = lock["read_lock"](LOCK)
    assert {name for name, package in packages.items() if not package.sha256} == lock["WITHOUT_HASH"]
    assert {*lock["TOOLS"]} <= packages.keys()


def entry(name: str, **changes: Any) -> dict[str, Any]:
    url = "https://example.org/a.whl"
    return {
        "metadata": {"name": name, "version": "1.0+cpu"},
        "is_direct": False,
        "is_yanked": False,
        "download_info": {"url": url, "archive_info": {"hashes": {"sha256": "ab" * 32}}},
        **changes,
    }


def test_a_report_of_pip_becomes_lines_without_the_project(lock: Any) -> None:
    packages = lock["locked"]([entry("Some_Package"), entry("torch"), entry("auricle", is_direct=True)])
    assert [str(package) for package in packages] == [f"some-package==1.0+cpu --hash=sha256:{'ab' * 32}", "torch==1.0"]


def test_withdrawn_versions_and_files_without_hash_are_refused(lock: Any) -> None:
    with pytest.raises(SystemExit, match=r"a 1\.0\+cpu was withdrawn by its authors"):
        list(lock["locked"]([entry("a", is_yanked=True)]))
    with pytest.raises(SystemExit, match="comes without a SHA-256 hash"):
        list(lock["locked"]([entry("a", download_info={"url": "https://example.org/a.whl"})]))


def run_install(tmp_path: Path, environment: str, *words: str) -> tuple[list[list[str]], str]:
    """Install with a pip that records its arguments and the requirements it gets; return both with the output."""
    calls = tmp_path / "calls"
    fake = tmp_path / "fake" / "pip"
    fake.mkdir(parents=True)
    (fake / "__init__.py").touch()
    (fake / "__main__.py").write_text(
        "import json, os, sys\n"
        "words = [open(word).read() if word.endswith('.txt') else word for word in sys.argv[1:]]\n"
        f"print(json.dumps(words), file=open({str(calls)!r}, 'a'))\n"
        "if '--report' in words:\n"
        "    names = [{'metadata': {'name': name}} for name in ('numpy', 'torch', 'auricle')]\n"
        "    open(words[words.index('--report') + 1], 'w').write(json.dumps({'install': names}))\n"
    )
    lock = tmp_path / "requirements.lock"
    lines = [f"pip==26.3 --hash=sha256:{'0' * 64}", f"numpy==2.0 --hash=sha256:{'1' * 64}", "torch==2.13.0"]
    lock.write_text(f"# Made by scripts/lock.py for {environment}.\n" + "\n".join(lines) + "\n")
    command = [sys.executable, str(SCRIPT), "install", *(words or ["test"]), "--lock", str(lock)]
    variables = {**os.environ, "PYTHONPATH": str(tmp_path / "fake")}
    process = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
    return [json.loads(line) for line in calls.read_text().splitlines()], process.stdout


def test_install_accepts_only_locked_files_where_the_lock_was_made(lock: Any, tmp_path: Path) -> None:
    (tools, packages, project), output = run_install(tmp_path, lock["this_environment"]())
    assert "--require-hashes" in tools
    assert tools[-1] == f"pip==26.3 --hash=sha256:{'0' * 64}\n"
    assert {"--require-hashes", "--no-deps"} <= {*packages}
    assert f"numpy==2.0 --hash=sha256:{'1' * 64}\n" in packages[-1]
    assert "torch" not in packages[-1]
    assert project[project.index("--constraint") + 1] == "pip==26.3\nnumpy==2.0\ntorch==2.13.0\n"
    assert project[-2:] == ["--editable", f"{paths.ROOT}[test]"]
    assert output == ""


def test_a_copy_of_the_project_with_some_extras_has_locked_files_too(lock: Any, tmp_path: Path) -> None:
    calls, _ = run_install(tmp_path, lock["this_environment"](), "api,demo", "--no-editable")
    _, resolved, packages, project = calls
    assert f"{paths.ROOT}[api,demo]" in resolved
    assert {"--require-hashes", "--no-deps"} <= {*packages}
    assert packages[-1] == f"numpy==2.0 --hash=sha256:{'1' * 64}\n"  # neither torch nor the project has a hash
    assert project[-1] == f"{paths.ROOT}[api,demo]"
    assert "--editable" not in project


def test_install_resolves_as_usual_elsewhere(tmp_path: Path) -> None:
    calls, output = run_install(tmp_path, "Python 3.99 on vax")
    assert not [word for call in calls for word in call if "hash" in word or "constraint" in word]
    assert calls[-1][-1] == f"{paths.ROOT}[test]"
    assert "requirements.lock is for Python 3.99 on vax" in output
