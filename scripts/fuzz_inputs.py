"""Build hostile inputs: damaged sounds, manifests with impossible rows, YAML files that are bombs.

Every function takes a seeded generator, so that an input can be built again from its number.
"""

from __future__ import annotations

import io
import json
import os
import random
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

VALUES = (
    *("null", "true", "false", "0", "-1", "1e30", "1e999", "-1e400", "NaN", "Infinity", "0.1e-400", "1e308"),
    *("9" * 5000, str(2**64), str(-(2**70)), '""', '" "', '"5"', '"inf"', '"NaN"', '"2024-13-45"', '"-1"', "[]", "{}"),
    *('"\\u0000"', '"\\ud800"', '"a\\u0000b.wav"', '"\\u202e\\u0007"', '"\\u001b]0;x\\u0007\\u001b[31mred"'),
    *('["a"]', "[[]]", '{"path": 5}', '{"bytes": "AAAA"}', '{"path": null, "bytes": null}', '{"": ""}', "[null, 1]"),
    *("[" * 600 + "]" * 600, '{"a": ' * 500 + "1" + "}" * 500, "[" * 100_000, json.dumps("a" * 300_000)),
    *('"../../../../etc/hostname"', '"/dev/zero"', '"/dev/random"', '"/"', '"pipe"', '"~"', json.dumps("x" * 5000)),
    *('"http://127.0.0.1:9/a.wav"', '"file:///etc/hostname"', '"data:audio/wav;base64,AAAA"', '"tone.wav\\n"'),
    *('"tone.wav"', '"yes"', '["yes", "no"]', '{"yes": 1}', "1.5", "[0.5, -1]"),
)
"""JSON texts, valid or not, that stand for a value."""
MARK = "@@hostile@@"


def hostile_json(document: Any, rng: random.Random) -> str:
    """Replace, remove or add one part of a document, and return it as text."""
    copy = json.loads(json.dumps(document))
    parent, key = rng.choice(_places(copy))
    action = rng.random()
    if action < 0.15:
        del parent[key]
    elif action < 0.25 and isinstance(parent, dict):
        parent[rng.choice(["__class__", "", "id", "\x00", key * 2])] = MARK
    else:
        parent[key] = MARK
    return json.dumps(copy, ensure_ascii=rng.random() < 0.5).replace(json.dumps(MARK), rng.choice(VALUES))


def _places(document: Any) -> list[tuple[Any, Any]]:
    items = document.items() if isinstance(document, dict) else enumerate(document)
    places = []
    for key, value in items:
        places.append((document, key))
        if isinstance(value, dict | list):
            places += _places(value)
    return places


def damage(data: bytes, rng: random.Random) -> bytes:
    """Change, remove, repeat or insert bytes, at the beginning more often than elsewhere."""
    result = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        position = rng.randrange(min(len(result), 64) if rng.random() < 0.6 else len(result)) if result else 0
        action = rng.randrange(6)
        if action == 0:
            result[position : position + 1] = bytes([rng.randrange(256)])
        elif action == 1:
            size = rng.choice([2, 4, 8])
            result[position : position + size] = rng.choice([b"\0", b"\xff", b"\x7f", b"\x80"]) * size
        elif action == 2:
            del result[position : position + rng.choice([1, 4, 100, len(result)])]
        elif action == 3:
            result[position:position] = rng.randbytes(rng.choice([1, 7, 300]))
        elif action == 4:
            result[position:position] = result[position : position + rng.choice([8, 200])]
        else:
            del result[rng.randrange(len(result)) if result else 0 :]
    return bytes(result)


# --- sounds ---------------------------------------------------------------------------------

FORMATS = (
    *(("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "FLOAT"), ("WAV", "ULAW"), ("WAV", "PCM_U8"), ("WAVEX", "DOUBLE")),
    *(("FLAC", "PCM_16"), ("FLAC", "PCM_24"), ("OGG", "VORBIS"), ("OGG", "OPUS"), ("MP3", "MPEG_LAYER_III")),
    *(("AIFF", "PCM_16"), ("AU", "ULAW"), ("W64", "PCM_16"), ("CAF", "ALAC_16")),
)
SUFFIXES = ("wav", "flac", "ogg", "mp3", "m4a", "webm", "aiff", "opus", "raw", "")
LONG_SECONDS = 3 * 3600


@cache
def sound_bytes(container: str, subtype: str, channels: int) -> bytes:
    """Encode 0.2 seconds of a tone."""
    wave = 0.3 * np.sin(2 * np.pi * 440 * np.arange(3200) / 16_000).astype(np.float32)
    buffer = io.BytesIO()
    soundfile.write(buffer, np.stack([wave] * channels, axis=1), 16_000, format=container, subtype=subtype)
    return buffer.getvalue()


@cache
def long_silence() -> bytes:
    """Encode hours of silence, which are a small file and a large waveform."""
    buffer = io.BytesIO()
    with soundfile.SoundFile(buffer, "w", 8000, 1, format="FLAC", subtype="PCM_16") as file:
        block = np.zeros(8000 * 600, dtype=np.int16)
        for _ in range(LONG_SECONDS // 600):
            file.write(block)
    return buffer.getvalue()


def wav_with_header(rng: random.Random) -> bytes:
    """Write a WAV header whose fields contradict each other or the data."""
    numbers = [0, 1, 2, 3, 16, 255, 16_000, 65_535]
    large = [0, 1, 36, 16_000, 2**31 - 1, 2**31, 2**32 - 1]
    tag, channels, align, bits = (rng.choice(numbers) for _ in range(4))
    rate, byte_rate, riff_size, data_size = (rng.choice(large) for _ in range(4))
    chunk = struct.pack("<HHIIHH", tag, channels, rate, byte_rate, align, bits)
    header = b"RIFF" + struct.pack("<I", riff_size) + b"WAVEfmt " + struct.pack("<I", 16) + chunk
    return header + b"data" + struct.pack("<I", data_size) + rng.randbytes(rng.choice([0, 1, 640, 6400]))


def build_sound(rng: random.Random) -> tuple[str, bytes]:
    """Return a suffix and the bytes of a damaged sound."""
    container, subtype = rng.choice(FORMATS)
    suffix = rng.choice(SUFFIXES) if rng.random() < 0.2 else container.lower()
    choice = rng.random()
    if choice < 0.004:
        return "flac", long_silence()
    if choice < 0.2:
        return "wav", wav_with_header(rng)
    if choice < 0.25:
        return suffix, rng.choice([b"", b"RIFF", b"fLaC", b"OggS", b"ID3\x04", b"\xff\xfb", b"\0" * 4096])
    base = sound_bytes(container, subtype, rng.choice([1, 1, 2]))
    if choice < 0.3:
        return suffix, base + sound_bytes(*rng.choice(FORMATS), 1)
    return suffix, damage(base, rng)


# --- manifests ------------------------------------------------------------------------------

ROWS: dict[str, dict[str, Any]] = {
    "asr": {"id": "1", "audio": "tone.wav", "text": "yes", "start": 0.0, "end": 0.1, "subset": "a"},
    "qa": {"id": "1", "question": "yes or no?", "answer": "yes", "audio": "tone.wav"},
    "mcq": {"id": "1", "question": "which?", "choices": ["yes", "no"], "answer": "yes"},
    "classify": {"id": "1", "audio": "tone.wav", "label": "angry"},
    "open": {"id": "1", "question": "why?", "answer": "because"},
    "translate": {"id": "1", "audio": "tone.wav", "translation": "ja"},
    "chat": {"id": "1", "turns": [{"role": "user", "content": "hi"}], "answer": "ho"},
}
MODELS = {"classify": "fake-labels", "asr": "listens.py:Listens", "qa": "listens.py:Listens"}


def build_manifest(rng: random.Random, folder: Path) -> list[str]:
    """Write a manifest with hostile rows and return the arguments of `run` for it."""
    kind = rng.choice([*ROWS])
    writer: Callable[[str, random.Random], tuple[str, bytes]] = rng.choice([jsonl, jsonl, jsonl, csv_table, json_array])
    suffix, data = writer(kind, rng)
    if rng.random() < 0.15:
        data = damage(data, rng)
    if rng.random() < 0.05:
        suffix = rng.choice(["parquet", "tsv", "json", "csv", "txt", "yaml"])
    path = folder / f"data.{suffix}"
    path.write_bytes(data)
    options = ["--infer-only"] if rng.random() < 0.6 else []
    return [path.name, "--as", kind, "-m", MODELS.get(kind, "echo"), *options]


def rows_of(kind: str, rng: random.Random) -> list[str]:
    """Return JSON rows of which some are hostile and the others are valid."""
    rows = []
    for number in range(rng.choice([2, 4, 8])):
        row = {**ROWS[kind], "id": f"{number}"}
        rows.append(hostile_json(row, rng) if rng.random() < 0.5 else json.dumps(row))
    return rows


def jsonl(kind: str, rng: random.Random) -> tuple[str, bytes]:
    lines = [line.encode("utf-8", "surrogatepass") for line in rows_of(kind, rng)]
    extras = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"text"',
        b"\xff\xfe",
        b"\0" * 20,
        b"\xef\xbb\xbf{}",
        b'{"id": "0"}',
        b"{}{}",
    ]
    for _ in range(rng.choice([0, 1, 2])):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(extras))
    return "jsonl", rng.choice([b"\n", b"\n", b"\r\n", b"\r"]).join(lines) + rng.choice([b"\n", b""])


def json_array(kind: str, rng: random.Random) -> tuple[str, bytes]:
    return "json", f"[{','.join(rows_of(kind, rng))}]".encode("utf-8", "surrogatepass")


def csv_table(kind: str, rng: random.Random) -> tuple[str, bytes]:
    columns = [*ROWS[kind]]
    cells = ['"', '""', "a,b", "\0", "x" * 200_000, "nan", "inf", "-1", "1e999", "", "=1+1", "é", '"a\nb"', "9" * 5000]
    header = rng.choice([columns, columns, columns * 2, columns[:1], [""], ["id", "id"]])
    lines = [",".join(header)]
    for number in range(rng.choice([0, 2, 5])):
        row = [str(number), *(str(value) for value in [*ROWS[kind].values()][1:])]
        if rng.random() < 0.6:
            row[rng.randrange(len(row))] = rng.choice(cells)
        lines.append(rng.choice([",", ",", ",", ";", "\t"]).join(row[: rng.choice([len(row), len(row), 1])]))
    return "csv", "\n".join(lines).encode(rng.choice(["utf-8", "utf-8", "utf-16", "latin-1"]), "replace")


# --- YAML -----------------------------------------------------------------------------------

TASKS: tuple[dict[str, Any], ...] = (
    {
        "kind": "qa",
        "data": "good.jsonl",
        "prompt": {"system": "Be short.", "turns": [{"user": "{question}"}, {"assistant": "Answer:"}]},
        "shots": {"use": "random", "k": 1, "pool": "good.jsonl", "same": ["subset"], "seed": 0},
        "metrics": ["exact_match"],
        "by": ["subset"],
        "rows": "[0:2]",
    },
    {
        "kind": "mcq",
        "data": "choices.jsonl",
        "inferencer": {"use": "choose", "option": " {letter}", "unconditional": True},
        "metrics": ["acc"],
        "cluster": "subset",
        "name": "quiz",
    },
    {
        "kind": "asr",
        "data": "speech.jsonl",
        "root": ".",
        "language": "en",
        "profile": "basic",
        "max_tokens": 5,
        "temperature": 0.5,
        "stop": ["."],
        "samples": 2,
        "answers": "first",
    },
)
CONFIG: dict[str, Any] = {
    "task": "qa",
    "model": "echo",
    "task_args": {"data": "good.jsonl"},
    "model_args": {"reply": "yes"},
    "concurrency": 2,
    "limit": 2,
    "max_attempts": 1,
}
BOMBS = (
    "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(9))
    + "kind: qa\ndata: *j\n",
    "kind: qa\ndata: &a [*a]\n",
    "&a kind: qa\ndata: &b {x: *b}\n",
    "kind: qa\ndata: " + "[" * 3000 + "]" * 3000 + "\n",
    "kind: qa\ndata: " + "{a: " * 2000 + "1" + "}" * 2000 + "\n",
    "kind: qa\ndata: 2024-13-45\n",
    "kind: qa\ndata: 2024-01-45 99:99:99\n",
    'kind: qa\ndata: "a\\0b.jsonl"\n',
    f"kind: qa\ndata: good.jsonl\nmax_tokens: {'9' * 5000}\n",
    "kind: qa\ndata: good.jsonl\nmax_tokens: 0x" + "f" * 5000 + "\n",
    "kind: qa\ndata: good.jsonl\nmax_tokens: " + "1:" * 3000 + "1\n",
    "kind: qa\ndata: !!python/object/apply:os.getcwd []\n",
    "kind: qa\ndata: !!binary '%%%'\n",
    "kind: qa\ndata: !!timestamp 'x'\n",
    "kind: qa\ndata: !!float 'x'\n",
    "kind: qa\ndata: !!int ''\n",
    "? [kind]\n: qa\n",
    "{[a]: b}: c\n",
    "kind: qa\n<<: [1, 2]\n",
    "<<: &a {<<: *a}\n",
    "--- 1\n--- 2\n",
    "\t- x\n",
    "%YAML 9.9\n---\nkind: qa\n",
    "kind: " + "x" * 3_000_000 + "\n",
    "- " * 2000 + "x\n",
    "? " * 2000 + "x\n",
    "!" * 50_000,
    "'" + "a\n" * 50_000,
    "kind: qa\nkind: asr\ndata: good.jsonl\n",
    ".inf: .nan\n",
    "= : =\n",
    "",
    "~",
    "kind",
    "[]",
)


def build_yaml(rng: random.Random, folder: Path) -> list[str]:
    """Write a task file or a config and return the arguments of `run` for it."""
    is_task = rng.random() < 0.6
    if rng.random() < 0.35:
        data = rng.choice(BOMBS).encode()
    else:
        # JSON is YAML; what is not JSON (NaN, half a list) is hostile in another way.
        data = hostile_json(rng.choice(TASKS) if is_task else CONFIG, rng).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        data = damage(data, rng)
    path = folder / rng.choice(["task.yaml", "task.yaml", "task.yml"])
    path.write_bytes(data)
    return [path.name, "-m", "echo", "--infer-only"] if is_task else ["--config", path.name, "--infer-only"]


def write_common_files(folder: Path) -> None:
    """Write what hostile inputs refer to: a valid sound, a valid manifest, a pipe, and a model that decodes sound."""
    (folder / "tone.wav").write_bytes(sound_bytes("WAV", "PCM_16", 1))
    for name, kind in (("good", "qa"), ("choices", "mcq"), ("speech", "asr")):
        rows = [{**ROWS[kind], "id": f"{number}", "subset": "a"} for number in range(3)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.mkfifo(folder / "pipe")
    (folder / "listens.py").write_text(
        "from auricle import BatchModel, Generation\n\n\nclass Listens(BatchModel):\n    sample_rate = 16_000\n\n"
        "    def generate(self, batch):\n        return [Generation(text='yes') for _ in batch]\n"
    )
