"""Compare `auricle run` on an API with a bare loop that reads, encodes and posts the same clips.

Both send to the same stub on loopback, which reads each body and answers at once or after 50 ms. The whole command
is measured: start, manifest, journal, scoring and report.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
from measure import Cost, Sheet, at_most, measure_process

CLIPS, SECONDS, RATE, CONCURRENCY = 2_000, 10, 16_000, 64
DISTINCT_FILES = 200  # each file is used several times and stays in the page cache
ROUNDS = 3
REFERENCES = {
    "half wrong": (
        "hello there",
        "hello there you",
    ),  # the answer of the stub, and a reference of which it lacks a word
    "all wrong": ("good evening", "hello there you"),
}
MAX_WALL_RATIO, MAX_CPU_MS = 1.4, 1.5
MAX_MEMORY_GROWTH = 1.25

STUB = """
import asyncio, sys
from aiohttp import web
latency = float(sys.argv[1])
REPLY = (
    b'{"choices":[{"message":{"role":"assistant","content":"hello there"},'
    b'"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}'
)
async def chat(request):
    await request.read()
    if latency:
        await asyncio.sleep(latency)
    return web.Response(body=REPLY, content_type="application/json")
app = web.Application(client_max_size=1 << 30)
app.router.add_post("/v1/chat/completions", chat)
async def main():
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""

BARE_LOOP = """
import asyncio, sys
import aiohttp, orjson, pybase64
url, data, out, concurrency = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
async def main():
    rows = iter([orjson.loads(line) for line in open(data, "rb")])
    written = open(out, "wb")
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def work():
            for row in rows:
                audio = pybase64.b64encode_as_string(open(row["audio"], "rb").read())
                parts = [{"type": "input_audio", "input_audio": {"data": audio, "format": "wav"}},
                         {"type": "text", "text": "Please transcribe."}]
                body = {"model": "m", "messages": [{"role": "user", "content": parts}],
                        "max_tokens": 512, "temperature": 0}
                headers = {"Content-Type": "application/json"}
                async with session.post(url + "/chat/completions", data=orjson.dumps(body), headers=headers) as reply:
                    answer = orjson.loads(await reply.read())
                text = answer["choices"][0]["message"]["content"]
                written.write(orjson.dumps({"id": row["id"], "text": text}, option=orjson.OPT_APPEND_NEWLINE))
        await asyncio.gather(*(work() for _ in range(concurrency)))
asyncio.run(main())
"""


def write_clips(folder: Path) -> list[Path]:
    dice = random.Random(7)
    paths = []
    for number in range(DISTINCT_FILES):
        path = folder / f"{number}.wav"
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(dice.randbytes(2 * RATE * SECONDS))
        paths.append(path)
    return paths


def write_manifest(folder: Path, paths: list[Path], count: int, answers: str = "half wrong") -> Path:
    data = folder / f"{count}.jsonl"
    rows = (
        {"id": str(index), "audio": str(paths[index % len(paths)]), "text": REFERENCES[answers][index % 2]}
        for index in range(count)
    )
    data.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    return data


@contextmanager
def run_stub(latency: float) -> Iterator[str]:
    with subprocess.Popen([sys.executable, "-c", STUB, str(latency)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.kill()


def measure_command(command: list[str], tree: Path | None = None) -> Cost:
    """Return wall and processor seconds of one process; `tree` is the source folder of another version."""
    environment = {**os.environ, **({"PYTHONPATH": str(tree)} if tree else {})}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu)


def run_bare_loop(url: str, data: Path, out: Path) -> Cost:
    return measure_command([sys.executable, "-c", BARE_LOOP, url, str(data), str(out), str(CONCURRENCY)])


def build_arguments(url: str, data: Path, out: Path) -> list[str]:
    """Return the arguments of `auricle`."""
    arguments = ["run", str(data), "--as", "asr", "-m", "openai", "-M", f"base_url={url}"]
    return [*arguments, "-M", "model=m", "-j", str(CONCURRENCY), "-o", str(out), "--fresh"]


def run_auricle(url: str, data: Path, out: Path, tree: Path | None = None) -> Cost:
    return measure_command([sys.executable, "-m", "auricle", *build_arguments(url, data, out)], tree)


def measure_peak_memory(url: str, data: Path, out: Path) -> float:
    """Return the peak memory of the whole command in MB."""
    argv = ["auricle", *build_arguments(url, data, out)]
    return measure_process(f"import sys; sys.argv = {argv!r}\nfrom auricle.cli import main\nmain()").megabytes


def compare(sheet: Sheet, folder: Path, data: Path, latency: float, name: str, before: Path | None) -> None:
    """Measure the bare loop, an earlier version if there is one, and this version in turn."""
    costs: dict[str, list[Cost]] = {"bare": [], "before": [], "auricle": []}
    with run_stub(latency) as url:
        for _ in range(ROUNDS):
            costs["bare"].append(run_bare_loop(url, data, folder / "bare.jsonl"))
            if before:
                costs["before"].append(run_auricle(url, data, folder / "run", before))
            costs["auricle"].append(run_auricle(url, data, folder / "run"))
    name, bare = f"{latency * 1000:g} ms, {name}", min(costs["bare"])
    sheet.line(f"bare loop, {name}", 1000 * bare.cpu / CLIPS, "ms", cost=bare)
    for version in ("before", "auricle") if before else ("auricle",):
        best, cpu = min(costs[version]), 1000 * min(cost.cpu for cost in costs[version]) / CLIPS
        is_ours = version == "auricle"
        wall_target, cpu_target = (at_most(MAX_WALL_RATIO), at_most(MAX_CPU_MS)) if is_ours else (None, None)
        sheet.line(f"{version}, {name}, wall", best.wall / bare.wall, "x", wall_target, cost=best)
        sheet.line(f"{version}, {name}, cpu per request", cpu, "ms", cpu_target, cpu * CLIPS / 1000 / bare.cpu)


def compare_memory(sheet: Sheet, folder: Path, paths: list[Path], max_requests: int) -> None:
    with run_stub(0.0) as url:
        peaks = [
            measure_peak_memory(url, write_manifest(folder, paths, count), folder / "run")
            for count in (CLIPS, max_requests)
        ]
    sheet.line(f"memory, {CLIPS:,} requests", peaks[0], "MB")
    sheet.line(f"memory, {max_requests:,} requests", peaks[1], "MB", at_most(peaks[0] * MAX_MEMORY_GROWTH))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=int, default=50_000, help="number of requests; 0 skips the measurement")
    parser.add_argument("--before", type=Path, help="source folder to compare with")
    options = parser.parse_args()
    sheet = Sheet(f"{CLIPS:,} clips of {SECONDS} s as base64, concurrency {CONCURRENCY}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_clips(folder)
        for latency, answers in ((0.0, "half wrong"), (0.05, "half wrong"), (0.05, "all wrong")):
            data = write_manifest(folder, paths, CLIPS, answers)
            compare(sheet, folder, data, latency, answers, options.before)
        if options.memory:
            compare_memory(sheet, folder, paths, options.memory)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
