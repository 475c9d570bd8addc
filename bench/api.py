"""Compare `auricle run` on an API with a bare loop that reads, encodes and posts the same clips.

Both send to the same stub on loopback, which reads each body and answers at once or after 50 ms. The whole command
is measured: start, manifest, journal, scoring and report.
"""

from __future__ import annotations

import argparse
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
REFERENCES = ("hello there", "hello there you")  # the answer of the stub, and a reference of which it lacks a word
MAX_WALL_RATIO, MAX_CPU_RATIO = 1.8, 2.0
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
import asyncio, base64, json, sys
import aiohttp  # noqa: F401
url, data, out, concurrency = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
async def main():
    rows = iter([json.loads(line) for line in open(data)])
    written = open(out, "w")
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def work():
            for row in rows:
                audio = base64.b64encode(open(row["audio"], "rb").read()).decode()
                parts = [{"type": "input_audio", "input_audio": {"data": audio, "format": "wav"}},
                         {"type": "text", "text": "Please transcribe."}]
                body = {"model": "m", "messages": [{"role": "user", "content": parts}],
                        "max_tokens": 512, "temperature": 0}
                async with session.post(url + "/chat/completions", json=body) as reply:
                    answer = await reply.json()
                text = answer["choices"][0]["message"]["content"]
                written.write(json.dumps({"id": row["id"], "text": text}) + "\\n")
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


def write_manifest(folder: Path, paths: list[Path], count: int) -> Path:
    data = folder / f"{count}.jsonl"
    rows = (
        {"id": str(index), "audio": str(paths[index % len(paths)]), "text": REFERENCES[index % 2]}
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


def measure_command(command: list[str]) -> Cost:
    """Return wall and processor seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu)


def run_bare_loop(url: str, data: Path, out: Path) -> Cost:
    return measure_command([sys.executable, "-c", BARE_LOOP, url, str(data), str(out), str(CONCURRENCY)])


def build_arguments(url: str, data: Path, out: Path) -> list[str]:
    """Return the arguments of `auricle`; every second answer lacks a word."""
    arguments = ["run", str(data), "--as", "asr", "-m", "openai", "-M", f"base_url={url}"]
    return [*arguments, "-M", "model=m", "-j", str(CONCURRENCY), "-o", str(out), "--fresh"]


def run_auricle(url: str, data: Path, out: Path) -> Cost:
    return measure_command([sys.executable, "-m", "auricle", *build_arguments(url, data, out)])


def measure_peak_memory(url: str, data: Path, out: Path) -> float:
    """Return the peak memory of the whole command in MB."""
    argv = ["auricle", *build_arguments(url, data, out)]
    return measure_process(f"import sys; sys.argv = {argv!r}\nfrom auricle.cli import main\nmain()").megabytes


def compare(sheet: Sheet, folder: Path, paths: list[Path], latency: float) -> None:
    data = write_manifest(folder, paths, CLIPS)
    bare_costs, auricle_costs = [], []
    with run_stub(latency) as url:
        for _ in range(ROUNDS):
            bare_costs.append(run_bare_loop(url, data, folder / "bare.jsonl"))
            auricle_costs.append(run_auricle(url, data, folder / "run"))
    bare, ours = min(bare_costs), min(auricle_costs)
    name = f"{latency * 1000:g} ms"
    sheet.line(f"bare loop, {name}", bare.wall, "s", cost=bare)
    sheet.line(f"auricle run, {name}, wall", ours.wall / bare.wall, "x", at_most(MAX_WALL_RATIO), cost=ours)
    cpu_ratio = min(cost.cpu for cost in auricle_costs) / min(cost.cpu for cost in bare_costs)
    sheet.line(f"auricle run, {name}, cpu", cpu_ratio, "x", at_most(MAX_CPU_RATIO), cost=ours)


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
    options = parser.parse_args()
    sheet = Sheet(f"{CLIPS:,} clips of {SECONDS} s as base64, concurrency {CONCURRENCY}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_clips(folder)
        for latency in (0.0, 0.05):
            compare(sheet, folder, paths, latency)
        if options.memory:
            compare_memory(sheet, folder, paths, options.memory)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
