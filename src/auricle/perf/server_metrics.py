"""Watch the server while a load point runs: a Prometheus page, and power and memory of the GPUs of this machine.

Lines of `server.jsonl` have the time since the start of the load point, and a value by the names of `GAUGES` and
`RATIOS`; any other name is that of a metric of the page.
"""

from __future__ import annotations

import math
import re
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from auricle.core.errors import SpecError
from auricle.perf.request_records import Floats
from auricle.perf.windows import Window
from auricle.runs.perf_files import read_server_readings, write_server_readings

SCRAPE_INTERVAL = 1.0
SCRAPE_TIMEOUT = 5.0
GAUGES: Mapping[str, tuple[str, ...]] = {
    "running": ("vllm:num_requests_running", "sglang:num_running_reqs", "tgi_batch_current_size"),
    "queued": ("vllm:num_requests_waiting", "sglang:num_queue_reqs", "tgi_queue_size"),
    "kv_use": ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage"),
    "hit_rate": ("sglang:cache_hit_rate",),
    "accept_rate": ("sglang:spec_accept_rate",),
}
"""Names of gauges in vLLM, SGLang and TGI."""
RATIOS: Mapping[str, tuple[str, str]] = {
    "hit": ("vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total"),
    "accept": ("vllm:spec_decode_num_accepted_tokens_total", "vllm:spec_decode_num_draft_tokens_total"),
}
"""Counters of vLLM whose increases are divided; they are stored as `hit_part`, `hit_whole` and so on."""
AVERAGED = frozenset({"kv_use", "hit_rate", "accept_rate"})
"""Gauges that are averaged over the series of a page, such as several engines; others are added."""
METRIC_LINE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{.*\})?\s+(\S+)(?:\s+\d+)?")

Sample = dict[str, float]


def parse_metrics(page: str, pattern: re.Pattern[str] | None = None) -> Sample:
    """Read the known metrics of a Prometheus page, and those whose name matches a pattern."""
    series: dict[str, list[float]] = {}
    for line in page.splitlines():
        if match := METRIC_LINE.fullmatch(line.strip()):
            series.setdefault(match[1], []).append(_parse_number(match[2]))
    sample: Sample = {}
    for name, candidates in GAUGES.items():
        values = next((series[candidate] for candidate in candidates if candidate in series), None)
        if values:
            sample[name] = sum(values) / (len(values) if name in AVERAGED else 1)
    for name, (part, whole) in RATIOS.items():
        if part in series and whole in series:
            sample |= {f"{name}_part": sum(series[part]), f"{name}_whole": sum(series[whole])}
    if pattern:
        sample |= {name: sum(values) for name, values in series.items() if pattern.search(name)}
    return {name: value for name, value in sample.items() if math.isfinite(value)}


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


class GpuSensor:
    """Power and memory of all GPUs of this machine, through NVML."""

    def __init__(self) -> None:
        try:
            import importlib

            self._nvml: Any = importlib.import_module("pynvml")
        except ImportError as error:
            raise SpecError("--gpu needs the package nvidia-ml-py: pip install nvidia-ml-py.") from error
        try:
            self._nvml.nvmlInit()
            count = self._nvml.nvmlDeviceGetCount()
        except Exception as error:
            raise SpecError(f"--gpu: NVML cannot be used on this machine: {error}.") from error
        self._devices = [self._nvml.nvmlDeviceGetHandleByIndex(index) for index in range(count)]

    def __call__(self) -> Sample:
        """Return watts and gigabytes, added over the GPUs."""
        watts = sum(self._nvml.nvmlDeviceGetPowerUsage(device) / 1000 for device in self._devices)
        used = sum(self._nvml.nvmlDeviceGetMemoryInfo(device).used / 1e9 for device in self._devices)
        return {"power_w": watts, "memory_gb": used}


@dataclass(frozen=True, slots=True)
class PageSensor:
    """The metrics page of a server."""

    url: str
    pattern: re.Pattern[str] | None = None

    def __call__(self) -> Sample:
        with urllib.request.urlopen(self.url, timeout=SCRAPE_TIMEOUT) as reply:  # noqa: S310 - open_sensors checks it
            return parse_metrics(reply.read().decode("utf-8", "replace"), self.pattern)


def open_sensors(url: str, match: str, gpu: bool) -> list[Callable[[], Sample]]:
    """Return what is to be watched, after a first reading of each.

    Raises:
        SpecError: if the page cannot be read or has no known metric, the pattern is invalid, or there is no NVML.
    """
    sensors: list[Callable[[], Sample]] = [GpuSensor()] if gpu else []
    if url and urlsplit(url).scheme not in ("http", "https"):
        raise SpecError(f"--metrics-url must have the form http://host:port/metrics, not {url!r}.")
    if url:
        try:
            sensor = PageSensor(url, re.compile(match) if match else None)
            if not sensor():
                raise SpecError(f"{url} has no metric of vLLM, SGLang or TGI. Name others with --metrics-match REGEX.")
        except re.error as error:
            raise SpecError(f"--metrics-match is not a regular expression: {error}.") from error
        except (OSError, ValueError) as error:
            raise SpecError(f"--metrics-url cannot be read: {url}: {error}.") from error
        sensors.append(sensor)
    return sensors


@dataclass(slots=True)
class ServerWatch:
    """Reads sensors in a thread until it is closed; a reading that fails is left out, and counted."""

    sensors: Sequence[Callable[[], Sample]]
    interval: float = SCRAPE_INTERVAL
    start_time: float = 0.0
    """Start of the load on the monotonic clock; set while the watch runs."""
    _readings: list[tuple[float, Sample]] = field(default_factory=list)
    _failures: list[str] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> ServerWatch:
        if self.sensors:
            self._thread = threading.Thread(target=self._run, name="auricle-server-watch", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join(SCRAPE_TIMEOUT + self.interval)

    def _run(self) -> None:
        while True:
            sample: Sample = {}
            now = time.monotonic()
            for sensor in self.sensors:
                try:
                    sample |= sensor()
                except Exception as error:  # noqa: BLE001 - the load must go on
                    self._failures.append(f"{type(error).__name__}: {error}")
            self._readings.append((now, sample))
            if self._stop.wait(self.interval):
                return

    def list_notes(self) -> list[str]:
        """State how many readings failed, and why the last one did; nothing if none failed."""
        if not self._failures:
            return []
        count = len(self._readings) * len(self.sensors)
        return [f"{len(self._failures)} of {count} readings of the server failed, the last with: {self._failures[-1]}"]

    def write(self, point_folder: Path) -> None:
        """Write the readings with their time since the start of the load."""
        lines = [{"t": round(at - self.start_time, 3), **sample} for at, sample in self._readings if sample]
        if lines:
            write_server_readings(point_folder, lines)


@dataclass(frozen=True, slots=True)
class ServerSamples:
    """Readings of a load point, as columns; NaN where a reading has no value."""

    times: Floats
    columns: Mapping[str, Floats]

    @classmethod
    def from_lines(cls, lines: Iterable[Mapping[str, float]]) -> ServerSamples:
        rows = list(lines)
        names = dict.fromkeys(name for row in rows for name in row if name != "t")
        columns = {name: np.array([row.get(name, math.nan) for row in rows]) for name in names}
        return cls(np.array([row["t"] for row in rows]), columns)

    @classmethod
    def read(cls, point_folder: Path) -> ServerSamples | None:
        """Read the samples of a load point; None if the server was not watched."""
        lines = read_server_readings(point_folder)
        return cls.from_lines(lines) if lines else None

    def mean(self, name: str, window: Window) -> float | None:
        values = self._select(name, window)
        return float(values.mean()) if len(values) else None

    def maximum(self, name: str, window: Window) -> float | None:
        values = self._select(name, window)
        return float(values.max()) if len(values) else None

    def ratio(self, name: str, window: Window) -> float | None:
        """Return the increase of a counter divided by that of another."""
        part, whole = (self._select(f"{name}_{side}", window) for side in ("part", "whole"))
        increase = whole[-1] - whole[0] if len(whole) > 1 else 0.0
        return float((part[-1] - part[0]) / increase) if increase > 0 and len(part) == len(whole) else None

    def _select(self, name: str, window: Window) -> Floats:
        values = self.columns.get(name, np.full(len(self.times), math.nan))
        return values[window.contains(self.times) & ~np.isnan(values)]


def compute_server_measures(
    samples: ServerSamples | None, window: Window, rates: Mapping[str, float | None]
) -> dict[str, float | None]:
    """Compute the measures of the server and its energy; None where nothing was read.

    Args:
        samples: What was read while the load point ran.
        window: The measured window.
        rates: Rates of the load point: `audio_in_x` and `tok_out_s`.
    """
    if samples is None:
        return dict.fromkeys(SERVER_MEASURES)
    hit, accept = samples.ratio("hit", window), samples.ratio("accept", window)
    power = samples.mean("power_w", window)
    return {
        "server_running_mean": samples.mean("running", window),
        "server_queue_mean": samples.mean("queued", window),
        "server_queue_max": samples.maximum("queued", window),
        "server_kv_share": samples.mean("kv_use", window),
        "server_hit_share": samples.mean("hit_rate", window) if hit is None else hit,
        "server_accept_share": samples.mean("accept_rate", window) if accept is None else accept,
        "gpu_power_w": power,
        "gpu_memory_gb": samples.maximum("memory_gb", window),
        "energy_audio_hour_wh": _divide(power, rates.get("audio_in_x")),
        "energy_1k_tokens_wh": _divide(power, (rates.get("tok_out_s") or 0.0) * 3.6),
    }


SERVER_MEASURES = (
    *("server_running_mean", "server_queue_mean", "server_queue_max", "server_kv_share"),
    *("server_hit_share", "server_accept_share", "gpu_power_w", "gpu_memory_gb"),
    *("energy_audio_hour_wh", "energy_1k_tokens_wh"),
)


def _divide(numerator: float | None, denominator: float | None) -> float | None:
    return numerator / denominator if numerator is not None and denominator else None
