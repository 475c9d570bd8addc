"""What Auricle adds to the cost of asking a server, beside a loop that reads, encodes and posts.

Both talk to the same stub on loopback, which reads each body whole and answers at once or
after 50 ms. The whole command is measured: start, manifest, journal, scoring and report.
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
from measure import Cost, Sheet, at_most, child

CLIPS, SECONDS, RATE, AT_ONCE = 2_000, 10, 16_000, 64
DIFFERENT = 200  # files on disk; each is used several times, as a page cache would have them
ROUNDS = 3
TEXTS = ("hello there", "hello there you")  # what the stub says, and what lacks a word of it
WALL, CPU = 1.8, 2.0
GROWN = 1.25

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

BARE = """
import asyncio, base64, json, sys
import aiohttp  # noqa: F401
url, data, out, at_once = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
async def main():
    rows = iter([json.loads(line) for line in open(data)])
    written = open(out, "w")
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def work():
            for row in rows:
                sound = base64.b64encode(open(row["audio"], "rb").read()).decode()
                parts = [{"type": "input_audio", "input_audio": {"data": sound, "format": "wav"}},
                         {"type": "text", "text": "Please transcribe."}]
                body = {"model": "m", "messages": [{"role": "user", "content": parts}],
                        "max_tokens": 512, "temperature": 0}
                async with session.post(url + "/chat/completions", json=body) as reply:
                    answer = await reply.json()
                text = answer["choices"][0]["message"]["content"]
                written.write(json.dumps({"id": row["id"], "text": text}) + "\\n")
        await asyncio.gather(*(work() for _ in range(at_once)))
asyncio.run(main())
"""


def clips(folder: Path) -> list[Path]:
    dice = random.Random(7)
    paths = []
    for number in range(DIFFERENT):
        path = folder / f"{number}.wav"
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(dice.randbytes(2 * RATE * SECONDS))
        paths.append(path)
    return paths


def manifest(folder: Path, paths: list[Path], count: int) -> Path:
    data = folder / f"{count}.jsonl"
    rows = ({"id": str(at), "audio": str(paths[at % len(paths)]), "text": TEXTS[at % 2]} for at in range(count))
    data.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    return data


@contextmanager
def stub(latency: float) -> Iterator[str]:
    with subprocess.Popen([sys.executable, "-c", STUB, str(latency)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.kill()


def cost(command: list[str]) -> Cost:
    """Wall and processor seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu)


def bare(url: str, data: Path, out: Path) -> Cost:
    return cost([sys.executable, "-c", BARE, url, str(data), str(out), str(AT_ONCE)])


def words(url: str, data: Path, out: Path) -> list[str]:
    """What stands after `auricle` on the command line; every second answer lacks a word."""
    asked = ["run", str(data), "--as", "asr", "-m", "openai", "-M", f"base_url={url}"]
    return [*asked, "-M", "model=m", "-j", str(AT_ONCE), "-o", str(out), "--fresh"]


def whole(url: str, data: Path, out: Path) -> Cost:
    return cost([sys.executable, "-m", "auricle", *words(url, data, out)])


def peak(url: str, data: Path, out: Path) -> float:
    """The most memory the whole command takes, in MB."""
    argv = ["auricle", *words(url, data, out)]
    return child(f"import sys; sys.argv = {argv!r}\nfrom auricle.cli import main\nmain()").megabytes


def compare(sheet: Sheet, folder: Path, paths: list[Path], latency: float) -> None:
    data = manifest(folder, paths, CLIPS)
    bares, wholes = [], []
    with stub(latency) as url:
        for _ in range(ROUNDS):
            bares.append(bare(url, data, folder / "bare.jsonl"))
            wholes.append(whole(url, data, folder / "run"))
    base, ours = min(bares), min(wholes)
    name = f"{latency * 1000:g} ms"
    sheet.line(f"bare loop, {name}", base.wall, "s", spent=base)
    sheet.line(f"auricle run, {name}, wall", ours.wall / base.wall, "x", at_most(WALL), spent=ours)
    cpu = min(each.cpu for each in wholes) / min(each.cpu for each in bares)
    sheet.line(f"auricle run, {name}, cpu", cpu, "x", at_most(CPU), spent=ours)


def memory(sheet: Sheet, folder: Path, paths: list[Path], most: int) -> None:
    with stub(0.0) as url:
        peaks = [peak(url, manifest(folder, paths, count), folder / "run") for count in (CLIPS, most)]
    sheet.line(f"memory, {CLIPS:,} requests", peaks[0], "MB")
    sheet.line(f"memory, {most:,} requests", peaks[1], "MB", at_most(peaks[0] * GROWN))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=int, default=50_000, help="requests; 0 leaves it out")
    options = parser.parse_args()
    sheet = Sheet(f"{CLIPS:,} clips of {SECONDS} s as base64, {AT_ONCE} at once")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = clips(folder)
        for latency in (0.0, 0.05):
            compare(sheet, folder, paths, latency)
        if options.memory:
            memory(sheet, folder, paths, options.memory)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
