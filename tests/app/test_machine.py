"""Memory of the machine and of GPUs, read from a fake driver and from real processes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from auricle.app.machine import (
    MAX_READING_AGE,
    MEBIBYTE,
    GpuMonitor,
    GpuUsage,
    Memory,
    read_gpus,
    read_process_memory,
    read_system_memory,
)

NVIDIA_SMI = """#!/bin/sh
case "$1" in
  --query-gpu=name,memory.used,memory.total)
    printf '%s\\n' 'NVIDIA A100, 1024, 40960' 'NVIDIA T4, 0, 15360' 'MIG, [N/A], [N/A]' ;;
  --query-compute-apps=pid,used_memory) printf '%s\\n' 'PID, 700' 'PID, 24' '1, 300' '2, [N/A]' '[N/A], 5' ;;
  *) exit 2 ;;
esac
"""


@pytest.fixture
def install_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that installs a script as `nvidia-smi`; there is no other."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def install(script: str) -> None:
        command = tmp_path / "nvidia-smi"
        command.write_text(script.replace("printf", "/usr/bin/printf"))
        command.chmod(0o755)

    return install


def test_gpus_and_what_each_process_uses_are_read_from_the_driver(install_driver: Callable[[str], None]) -> None:
    install_driver(NVIDIA_SMI.replace("PID", str(os.getpid())))
    usage = read_gpus()
    gigabyte = 1024 * MEBIBYTE
    assert usage.memories == (Memory("NVIDIA A100", gigabyte, 40 * gigabyte), Memory("NVIDIA T4", 0, 15 * gigabyte))
    assert usage.by_process == {os.getpid(): 724 * MEBIBYTE, 1: 300 * MEBIBYTE}
    assert read_process_memory(gpus=usage)[1] == 724 * MEBIBYTE


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 9\n", "#!/missing\n", "#!/bin/sh\necho no devices\n"])
def test_driver_that_does_not_work_shows_no_gpu(install_driver: Callable[[str], None], script: str) -> None:
    install_driver(script)
    assert read_gpus() == GpuUsage()


class FakeCuda:
    """Two GPUs, of which the second is full."""

    def is_available(self) -> bool:
        return True

    def device_count(self) -> int:
        return 2

    def mem_get_info(self, device: int) -> tuple[int, int]:
        return (6, 8) if device == 0 else (0, 8)

    def get_device_name(self, device: int) -> str:
        return f"GPU {device}"

    def memory_reserved(self, device: int) -> int:
        return device


@pytest.mark.usefixtures("install_driver")
def test_gpus_of_other_makers_are_read_from_torch_once_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=FakeCuda()))
    assert read_gpus() == GpuUsage((Memory("GPU 0", 2, 8), Memory("GPU 1", 8, 8)), {os.getpid(): 1})
    monkeypatch.delitem(sys.modules, "torch")
    assert read_gpus() == GpuUsage()


def test_memory_of_a_process_includes_its_children() -> None:
    alone = read_process_memory()[0]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, text=True) as child:
        usage = GpuUsage((), {child.pid: 5, os.getpid(): 2})
        resident, on_gpus = read_process_memory(gpus=usage)
        assert resident > alone
        assert on_gpus == 7
        child.communicate("\n")
    assert read_process_memory(2**22 + 1) == (0, 0)


def test_machine_has_memory_in_use() -> None:
    memory = read_system_memory()
    assert 0 < memory.used < memory.total
    assert 0.0 < memory.share < 1.0


def test_gpus_are_read_again_in_the_background() -> None:
    now, readings, tasks = [0.0], iter(range(9)), list[Callable[[], None]]()
    monitor = GpuMonitor(lambda: GpuUsage((), {0: next(readings)}), lambda: now[0], tasks.append)
    assert monitor.usage().by_process == {0: 0}
    now[0] = MAX_READING_AGE
    assert [monitor.usage().by_process[0] for _ in range(2)] == [0, 0]
    assert len(tasks) == 1, "one reading at a time"
    tasks.pop()()
    assert monitor.usage().by_process == {0: 1}
    assert not tasks
