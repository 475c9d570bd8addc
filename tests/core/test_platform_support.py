"""Windows: what works without POSIX, and what is refused with a reason."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.platform_support import require_posix
from tests.support import paths

SOURCE = paths.ROOT / "src" / "auricle"

POSIX_MODULES = {"fcntl", "grp", "pwd", "resource", "termios", "tty", "pty"}
POSIX_NAMES = {
    "signal": {"SIGKILL", "SIGPIPE", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGCHLD", "setitimer", "pthread_sigmask"},
    "select": {"poll", "epoll"},
    "os": {
        *("O_NONBLOCK", "O_CLOEXEC", "fork", "getuid", "geteuid", "getpriority", "setpriority", "posix_spawn", "uname"),
        *("getloadavg", "killpg", "setsid", "sysconf", "mkfifo", "sched_getaffinity"),
    },
}
SIMULATED_WINDOWS = """
import asyncio, os, select, signal, sys, sysconfig, types

def call(*words):
    from auricle.cli import cli
    try:
        cli(words, standalone_mode=False)
    except SystemExit as end:
        assert not end.code, words

RUN = ["run", "quiz.jsonl", "--as", "qa", "-m", "echo", "-o"]
# Libraries with a branch for each system are loaded first: they are not what is tested.
call(*RUN, "before")
sysconfig.get_config_vars()
for name in [name for name in sys.modules if name.partition(".")[0] == "auricle"]:
    del sys.modules[name]

for name in POSIX_MODULES:
    sys.modules[name] = None
for module, names in POSIX_NAMES.items():
    for name in names:
        delattr(sys.modules[module], name)

def refuse(*arguments):
    raise NotImplementedError

def kill(*arguments):
    raise AssertionError("on Windows, os.kill ends a process whatever the signal is")

asyncio.SelectorEventLoop.add_signal_handler = asyncio.SelectorEventLoop.remove_signal_handler = refuse
os.kill = kill
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, LK_UNLCK=0, locking=lambda *arguments: None)
sys.platform = "win32"

for words in ([*RUN, "run"], ["score", "run"], ["show", "run"]):
    call(*words)
"""


def executed_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a module executes when it is imported on any system."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "sys.platform" in ast.unparse(child.test):
            continue
        yield child
        yield from executed_on_import(child)


def needs_posix(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name in POSIX_MODULES for alias in node.names)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr in POSIX_NAMES.get(node.value.id, ())
    return False


@pytest.mark.thorough
def test_no_module_needs_posix_to_be_imported() -> None:
    offenders = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"  # type: ignore[attr-defined]
        for path in SOURCE.rglob("*.py")
        for node in executed_on_import(ast.parse(path.read_text(encoding="utf-8")))
        if needs_posix(node)
    ]
    assert not offenders


@pytest.mark.slow
def test_a_run_with_a_local_model_needs_no_posix(tmp_path: Path) -> None:
    (tmp_path / "quiz.jsonl").write_text('{"id": "1", "question": "Say a.", "answer": "say a"}\n')
    names = f"POSIX_MODULES, POSIX_NAMES = {POSIX_MODULES!r}, {POSIX_NAMES!r}\n"
    command = [sys.executable, "-c", names + SIMULATED_WINDOWS]
    process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert not process.returncode, process.stderr
    assert "exact_match" in process.stdout
    assert (tmp_path / "run" / "metrics.json").is_file()


def test_what_needs_posix_is_refused_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    require_posix("Worker processes")
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SpecError, match=r"^Worker processes need Linux or macOS\. On Windows, use"):
        require_posix("Worker processes")
