"""Results of τ-voice: `results.json` with its simulations inside or in `simulations/`, or one simulation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import Failure
from auricle.frameworks.exchange.result_files import (
    NOT_ANSWERED,
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
)
from auricle.frameworks.tau_voice.recordings import make_recording
from auricle.tasks.calls.metrics.ticks import TICK_SECONDS

RESULTS_FILE = "results.json"
SIMULATIONS_FOLDER = "simulations"
METRICS = (
    "tau_voice",
    "voice_to_voice",
    "response_rate",
    "barge_in_yield",
    "yield_latency",
    "false_yield_backchannel",
    "agent_interruption",
    "overlap_share",
    "talk_ratio",
    "silence_share",
)
"""Metrics that need no more than who speaks when."""
META_FIELDS = ("trial", "seed", "termination_reason")


class TauVoiceFormat(ResultFormat):
    """Files that are JSON documents, each with the simulations of a model and a domain."""

    def find_files(self, path: Path) -> list[Path]:
        if path.is_file():
            return [path]
        if not path.exists():
            raise DataError(f"There is no file or folder {path}.")
        if files := sorted(path.rglob(RESULTS_FILE)):
            return files
        raise DataError(f"{path} contains no results of {self.title}. Expected {self.file_example}.")

    def read_lines(self, path: Path) -> list[ResultLine]:
        """Return the simulations of a file, and of the folder beside it."""
        document = _read_document(path)
        if "ticks" in document or not ("simulations" in document or "info" in document):
            return [(path.name, document)]
        inside = document.get("simulations") or []
        simulations = [(f"{path.name}:{number}", simulation) for number, simulation in enumerate(inside, 1)]
        simulations += [(file.name, _read_document(file)) for file in _list_simulation_files(path)]
        if not simulations:
            raise DataError(f"{path} has no simulations, and there are none in {path.parent / SIMULATIONS_FOLDER}.")
        return simulations


def _list_simulation_files(path: Path) -> list[Path]:
    return sorted((path.parent / SIMULATIONS_FOLDER).glob("*.json"))


def _read_document(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_bytes())
    except ValueError as error:
        raise DataError(f"{path} is not valid JSON ({error}).") from error
    if not isinstance(values, dict):
        raise DataError(f"{path} is {type(values).__name__}, expected a JSON object.")
    return values


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Convert the simulations of a file to calls."""
    is_single = len(lines) == 1 and lines[0][0] == path.name
    source = path.parent.parent / RESULTS_FILE if is_single else path
    info = (_read_document(source).get("info") or {}) if source.is_file() else {}
    agent, audio = info.get("agent_info") or {}, info.get("audio_native_config") or {}
    domain = str((info.get("environment_info") or {}).get("domain_name") or "")
    stated = (tick.get("tick_duration_seconds") for _, values in lines for tick in (values["ticks"] or ())[:1])
    tick_seconds = float(next(filter(None, stated), None) or audio.get("tick_duration_seconds") or TICK_SECONDS)
    samples, notes = deduplicate_ids([_to_sample(line, domain, tick_seconds) for line in lines])
    if tick_seconds != TICK_SECONDS:
        notes += (f"Ticks have {tick_seconds:g} s; metrics of the set tau_voice divide calls into {TICK_SECONDS} s.",)
    return ImportedResults(
        path=path,
        model=str(audio.get("model") or agent.get("llm") or ""),
        dataset=f"tau-voice-{domain}" if domain else "tau-voice",
        samples=samples,
        kind="conversation",
        task_options={"metrics": list(METRICS), "cluster": "task"},
        extra_files=() if is_single else tuple(_list_simulation_files(path)),
        notes=notes,
    )


def _to_sample(line: ResultLine, domain: str, tick_seconds: float) -> ImportedSample:
    origin, values = line
    task, trial = str(values.get("task_id", origin)), values.get("trial")
    meta = {name: values[name] for name in META_FIELDS if values.get(name) is not None}
    reward = (values.get("reward_info") or {}).get("reward")
    row = {
        "id": f"{task}.{trial}" if trial else task,
        # The caller's audio is not in the files. The script is silence, and the instructions keep calls apart.
        "script": [{"wait": 1}],
        "instructions": f"Imported from τ-voice: {domain} task {task}, trial {trial or 0}.".replace("  ", " "),
        "meta": {"task": task, **meta, **({} if reward is None else {"reward": reward})},
    }
    if not values["ticks"]:
        reason = f"no ticks ({values.get('termination_reason') or 'no termination_reason'})"
        return ImportedSample(manifest_row=row, origin=origin, error=Failure(NOT_ANSWERED, reason))
    return ImportedSample(manifest_row=row, origin=origin, outputs=(make_recording(values, tick_seconds),))


FORMAT = TauVoiceFormat(
    "tau-voice", "τ-voice", ("ticks",), RESULTS_FILE, f"{RESULTS_FILE} with simulations that have ticks", read
)
