"""Run the pages of docs/tutorials as their readers would: every command, in order, in one shell.

Blocks of `sh` and `python` are executed; a block with `title="name"` is written to that file. A block of `text` after a
command shows what it prints: each of its lines must be part of the output, in order, where `…` stands for anything.
`output=varies` after `text` is for output that depends on the processor or on time: any number may stand where the page
shows one, and any words may be the target and the answer of a sample.
`exit=3` after `sh` is the exit code of its last command.

To print what the commands of a page print, for its blocks of `text`:

    python -m tests.support.tutorials docs/tutorials/first-evaluation.md
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support import paths

BLOCK = re.compile(r"^```(?P<language>\w+)(?P<options>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
PORTS = ("8000", "8001")
"""Ports of servers on the pages; replaced by free ones."""
TIMEOUT = 400
START = "@@ block "
WAIT_FOR_PORT = 'until (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; do [ "$(jobs -pr)" ]; sleep 0.1; done'


ACCEPT_BUSY_MACHINE = """\
auricle() {
  local code=0
  command auricle "$@" || code=$?
  if [ "$1" = perf ] && [ $code = 3 ]; then return 0; fi
  return $code
}
"""
"""Measurements of a load test that runs beside other tests may be found not valid, which is exit code 3."""


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    line: int
    language: str
    options: str
    body: str

    def find_option(self, name: str) -> str:
        match = re.search(rf'\b{name}="?([^"\s]+)', self.options)
        return match[1] if match else ""

    def write_script(self) -> str:
        """Return shell code that does what a reader would do with the block."""
        if title := self.find_option("title"):
            return f"mkdir -p {shlex.quote(str(Path(title).parent))}\n{_here_document(f'cat > {title}', self.body)}"
        if self.language == "python":
            return _here_document("python -", self.body)
        if self.language != "sh":
            return ""
        if code := self.find_option("exit"):
            return f'set +e\n{self.body}code=$?\nset -e\n[ $code = {code} ] || (echo "exit code $code"; exit 1)\n'
        ports = re.findall(r"--port (\d+).*&$", self.body, re.MULTILINE)
        return "\n".join([self.body, *(WAIT_FOR_PORT.format(port=port) for port in ports), ""])


def _here_document(command: str, body: str) -> str:
    return f"{command} <<'END OF BLOCK'\n{body}END OF BLOCK\n"


def read_blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    for port in PORTS:
        text = re.sub(rf"\b{port}\b", str(_find_free_port()), text)
    return [
        Block(text[: match.start()].count("\n") + 1, match["language"], match["options"], match["body"])
        for match in BLOCK.finditer(text)
    ]


def _find_free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def run_page(page: Path, folder: Path, environment: Path, checkout: Path = paths.ROOT) -> dict[str, str]:
    """Run a page in an empty folder with the programs of a virtual environment, and check what it prints.

    Pages find the repository in the folder `auricle`; one that changes it needs a `checkout` of its own.

    Returns:
        The output of each block by the line of the page it begins on, for further checks.
    """
    (folder / "auricle").symlink_to(checkout)
    blocks = read_blocks(page)
    script = "".join(f'echo "{START}{block.line}"\n{block.write_script()}' for block in blocks)
    code, printed = _run_script(f"set -e -o pipefail\n{ACCEPT_BUSY_MACHINE}{script}", folder, environment)
    outputs = dict(part.split("\n", 1) for part in printed.split(START)[1:])
    name = page.relative_to(paths.ROOT)
    last = [*outputs][-1] if outputs else "1"
    assert code == 0, f"{name}:{last} ended with code {code}:\n{outputs.get(last, printed)}"
    for command, expected in itertools.pairwise(blocks):
        if expected.language == "text":
            varies = expected.find_option("output") == "varies"
            check_output(expected.body, outputs[str(command.line)], f"{name}:{expected.line}", varies=varies)
    return outputs


def _run_script(script: str, folder: Path, environment: Path) -> tuple[int | str, str]:
    """Return the exit code and the output of a script, and end the servers it started."""
    output = folder / "output of the page.txt"
    with output.open("wb") as file:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=_clean_environment(environment),
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        code: int | str = process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        code = f"none within {TIMEOUT} s"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return code, output.read_text(encoding="utf-8")


def check_output(expected: str, printed: str, place: str, *, varies: bool = False) -> None:
    """Check that each line of `expected` is in the output, in order."""
    rest = iter(printed.splitlines())
    for line in expected.splitlines():
        pattern = _compile_line(line, varies=varies)
        assert any(pattern.search(candidate) for candidate in rest), (
            f"{place} shows {line!r}, but it printed:\n{printed}"
        )


def _compile_line(line: str, *, varies: bool) -> re.Pattern[str]:
    """Return the pattern of a line: `…` is any text, and spaces and rules are of any length."""
    text = ".*".join(r"\s+".join(map(re.escape, part.split())) for part in line.split("…"))
    text = re.sub("─+", "─+", text)
    if varies:
        text = re.sub(r"^(target|answer)\\s\+.*", r"\1\\s+.*", text)
        text = re.sub(r"(?:\\-)?\d+(?:\\\.\d+)?", r"-?\\d+(?:\\.\\d+)?", text)
    return re.compile(text)


def _clean_environment(environment: Path) -> dict[str, str]:
    """Return the variables of a user's shell with an active virtual environment, and no settings of the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "CI" and not name.startswith(("AURICLE", "COV", "PIP", "PYTEST", "PYTHON"))
    }
    return {**kept, "PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(environment)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for line, printed in run_page(Path(sys.argv[1]).resolve(), Path(name), Path(sys.prefix)).items():
            sys.stdout.write(f"{START}{line}\n{printed}")
