"""Record the output of the command line, and compare two recordings.

    python scripts/golden.py record OUT     run every case and store its results in OUT
    python scripts/golden.py compare A B    print every difference; exit code 1 if there are any

Use it for changes that must not alter a number, such as renames: record before, record after,
compare. Only commands are run, so the same script works for both versions; PYTHONPATH selects
the source tree. Numbers are compared to the bit, as are exit codes, JSON keys, columns of tables
and model outputs. Prose, times and everything derived from class names is left out: see IGNORED.

The script creates its own audio, manifests, and classes and results of other frameworks. It also
uses the recordings in $AURICLE_SHARED/data (default: ../shared/data) if they exist. Only one
recording runs at a time: its folder and ports are fixed, because fake models hash paths.
"""

from __future__ import annotations

import argparse
import ast
import csv
import fcntl
import io
import json
import math
import os
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml

Json = Any

# --- tables: change these, and nothing else, when things are renamed ----------------------

WORDS = {
    # Commands.
    "run": "run", "score": "score", "show": "show", "samples": "samples", "compare": "compare",
    "leaderboard": "leaderboard", "doctor": "doctor", "preview": "preview", "ask": "ask",
    "demo": "demo", "perf": "perf", "import": "import", "export": "export",
    "data list": "data list", "data check": "data check", "data prepare": "data prepare",
    "cache show": "cache show", "cache clear": "cache clear", "env list": "env list",
    "env show": "env show", "fake-server": "fake-server", "list tasks": "list tasks",
    "list models": "list models", "list metrics": "list metrics",
    "list inferencers": "list inferencers", "list retrievers": "list retrievers",
    "list encoders": "list encoders", "list profiles": "list profiles",
    # Options.
    "-m": "-m", "-M": "-M", "-T": "-T", "-J": "-J", "-n": "-n", "-o": "-o", "--as": "--as",
    "--attempts": "--max-attempts", "--batch-size": "--batch-size", "--by": "--by",
    "--cache-path": "--cache-path", "--count": "--count", "--every": "--all-metrics",
    "--failed": "--failed", "--fault": "--fault", "--fault-attempts": "--fault-attempts",
    "--flips": "--flips", "--fresh": "--fresh", "--from": "--from", "--html": "--html",
    "--however-asked": "--ignore-prompt", "--infer-only": "--infer-only", "--json": "--json",
    "--judge": "--judge", "--keep-failed": "--skip-failed", "--limit": "--limit",
    "--load": "--load", "--metric": "--metric", "--model": "--model", "--parity": "--parity",
    "--port": "--port", "--prices": "--prices", "--processes": "--processes",
    "--profile": "--profile", "--replicas": "--replicas", "--reply": "--reply",
    "--retry-after": "--retry-after", "--root": "--root", "--seed": "--seed",
    "--stream": "--stream", "--table": "--format", "--text": "--text", "--window": "--window", "--worst": "--worst",
    # Names of models.
    "-m echo": "echo", "-m fake-api": "fake-api", "-m fake-labels": "fake-labels",
    "-m fake-reward": "fake-reward", "-m completions": "completions", "-m openai": "openai",
    "-m transcription": "transcription", "--model fake-api": "fake-api",
    "--judge openai": "openai", "fake-api:": "fake-api",
    # Arguments of tasks, and what they may be.
    "-T answers": "answers", "-T by": "by", "-T cluster": "cluster", "-T data": "data",
    "-T inferencer": "inferencer", "-T metrics": "metrics", "-T mode": "mode",
    "-T outputs": "outputs", "-T prompt": "prompt", "-T rubric": "rubric",
    "-T samples": "samples", "-T shots": "shots", "-T ties": "ties", "-T votes": "votes",
    "-T inferencer=choose": "choose", "-T inferencer=first-token": "first-token",
    # Keys of task files, and what they may be.
    "inferencer:": "inferencer", "shots:": "shots", "use:": "use", "option:": "option",
    "unconditional:": "unconditional", "whole:": "whole", "same:": "same", "encoder:": "encoder",
    "use: choose": "choose", "use: balanced": "balanced", "use: diverse": "diverse",
}  # fmt: skip
"""Words of commands that may be renamed: as the cases below write them, and as they are now. A value is
looked up together with its option."""

API = """
import json, auricle
from auricle.runs.documents import encode_document
spec = auricle.Spec(
    task="asr", task_args={"data": "asr.jsonl", "language": "en"},
    model="fake-api", model_args={"wrong": 0.3},
)
plain = lambda value: json.loads(encode_document(value))
print(json.dumps({
    "evaluate": plain(list(auricle.evaluate(spec, "runs/python"))),
    "score": plain(list(auricle.score("runs/python", profile="basic"))),
    "summary": plain(auricle.summary("runs/python", by="subset")),
    "compare": plain(auricle.compare("runs/asr-en", "runs/asr-wrong", by="subset")),
}))
"""
"""The same from Python: the only case that imports the package."""

RENAMED = {"predicted": "said"}  # matrix.rises of `compare --json`
"""Keys and whole texts in results that were renamed on purpose: the new one, and the old one."""

IGNORED = {
    # Times, and what follows from them.
    "created": ("value", "a date"),
    "date": ("value", "a date"),
    "oldest": ("value", "a date"),
    "newest": ("value", "a date"),
    "outputs.jsonl.seconds": ("value", "how long an answer took"),
    "verdicts.jsonl.seconds": ("value", "how long a verdict took"),
    "timing": ("value", "when the parts of an answer arrived"),
    "crc": ("value", "the checksum of a line with times"),
    "derived": ("value", "digests of files with times"),
    "wall_seconds": ("value", "how long a pass took"),
    "samples_per_second": ("value", "follows from that"),
    "rtfx": ("value", "follows from that"),
    # What a load measures. Counts, samples, answers and accuracy stay.
    "measures": ("floats", "times; how many there are stays"),
    "requests.jsonl": ("floats", "times"),
    "points.window": ("floats", "times"),
    "points.run": ("leaves", "rates"),
    "points.health": ("leaves", "how well this machine kept up"),
    "health.json": ("leaves", "the same"),
    "points.saturation": ("value", "the same"),
    "points.validity": ("value", "the same"),
    "points.notes": ("value", "the same, in sentences"),
    "valid": ("value", "the same, in one word"),
    "summary.csv": ("leaves", "all of this as a table"),
    # The machine and its packages.
    "auricle": ("value", "the package's own version"),
    "versions": ("leaves", "of packages"),
    "platform": ("value", "of the machine"),
    "cores": ("value", "of the machine"),
    "megabytes": ("value", "of an SQLite file, which decides that itself"),
    # Words for people.
    "message": ("words", "why a sample failed"),
    "info": ("words", "the same, in files of UltraEval-Audio"),
    "reason": ("words", "what is wrong with a row"),
    "notes": ("words", "remarks; how many stays"),
    "refused": ("words", "why a metric is missing; which one stays"),
    "withheld": ("words", "why a percentile is missing; which one stays"),
    "unreadable": ("reasons", "why answers cannot be read; how many stays"),
    "definitions": ("words", "what measures mean; their names stay"),
    "points.method": ("words", "how percentiles are found"),
    "title": ("value", "of a corpus"),
    "layout": ("value", "of a corpus, described"),
    "command": ("value", "the command as it was given"),
    # Names of classes, and what hashes them.
    "inferencer": ("value", "an object's repr"),
    "asked": ("value", "an inferencer's class and a digest of its repr"),
    "signature": ("signed", "the same in its third part; the package's version in its last"),
    "doc_hash": ("value", "of inputs, which name their classes"),
    "task_hashes": ("value", "made from these"),
    # Where things are, and digests of files that hold a date.
    "uri": ("name", "a path; the demo's sounds lie in the source tree"),
    "sha256": ("value", "of a file that may hold a date"),
    "sources": ("leaves", "the same"),
}
"""What is not compared: a key, or parent.key; how it is left out; and why.

value    the value, unless it is null
leaves   all values below it; their keys stay
words    texts below it; numbers and keys stay
reasons  texts, also those that are keys; counts stay
floats   numbers below it that are not whole
name     all of a path but its last part
signed   the parts named above
"""
DATE = re.compile(r"\d{8}_\d{6}|\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")
"""As it stands in the names of exported files."""
JOURNALS = ("outputs.jsonl", "scores.jsonl", "verdicts.jsonl", "requests.jsonl")
"""Files whose lines stand in the order in which answers came; here they are sorted."""
NOTHING, ABSENT = "~", "(absent)"

# --- cases ---------------------------------------------------------------------------------

WORK = Path(tempfile.gettempdir()) / "auricle-golden"
LOCK = "lock"
SERVERS = {
    "server": (47811, ""),
    "faulty": (47812, "--fault 429=0.3 --fault cut=0.1 --fault-attempts 2 --retry-after 0.01"),
    "agreeing": (47813, "--reply 'Verdict: yes'"),
}
"""Fake servers by the name that stands for their address in a command: port and options."""
LISTS = "tasks models metrics inferencers retrievers encoders profiles"
FORMS = "kimi lmms-eval ultraeval open-asr"
PROFILES = {
    "en": "none basic whisper-en chars kimi-en lmms-eval-en open-asr ultraeval-en kimi",
    "zh": "zh mixed kimi-zh lmms-eval-zh ultraeval-zh",
}


@dataclass(frozen=True)
class Case:
    """One command, the exit code it should end with, and how its output is read."""

    name: str
    command: str
    exits: int = 0
    form: str = "json"
    """json; names, the keys of an object; keys, all of them without values; csv; python, where the
    command is code; or none, text for people."""


def run(name: str, words: str, exits: int = 0) -> Case:
    """A run in a folder of the case's name."""
    return Case(name, f"run {words} -o runs/{name} --json", exits)


def as_json(name: str, words: str, exits: int = 0) -> Case:
    return Case(name, f"{words} --json", exits)


def text_only(name: str, words: str, exits: int = 0) -> Case:
    return Case(name, words, exits, form="none")


def listings() -> list[Case]:
    return [
        *(Case(f"list-{kind}", f"list {kind} --json", form="names") for kind in LISTS.split()),
        as_json("data-list", "data list"),
        as_json("data-list-one", "data list fleurs"),
        as_json("env-list", "env list"),
        as_json("env-show-unknown", "env show nowhere", 2),
        as_json("cache-show-empty", "cache show"),
        text_only("doctor", "doctor"),
        text_only("doctor-data", "doctor asr.jsonl --as asr -m echo --parity"),
        text_only("doctor-bad-data", "doctor broken.jsonl --as asr", 2),
        text_only("preview", "preview mcq.jsonl --as mcq -m echo -n 2"),
    ]


def recognition() -> list[Case]:
    """Transcribing: real recognisers on the demo's sounds, fakes on those made here."""
    english, chinese = "asr.jsonl --as asr -T language=en", "zh.jsonl --as asr -T language=zh"
    return [
        as_json("demo", "demo --limit 2 -o runs/demo"),
        run("demo-pocketsphinx", "demo -m pocketsphinx --limit 4"),
        run("demo-moonshine", "demo -m moonshine --limit 8"),
        run("asr-en", f"{english} -m echo"),
        run("asr-zh", f"{chinese} -m echo"),
        *(
            as_json(f"score-{language}-{profile}", f"score runs/asr-{language} --profile {profile}")
            for language, profiles in PROFILES.items()
            for profile in profiles.split()
        ),
        as_json("score-unknown-profile", "score runs/asr-en --profile nonsense", 2),
        run("asr-wrong", f"{english} -m fake-api -M wrong=0.3 -T cluster=speaker"),
        run("asr-fail", f"{english} -m fake-api -M wrong=0.2 -M fail=0.3", 3),
        run("asr-replicas", f"{english} -m echo -M wrong=0.3 --replicas 2 --batch-size 2"),
        run("asr-processes", f"{english} -m fake-api -M wrong=0.3 --processes 2"),
        run("asr-server", f"{english} -m transcription -M base_url=@server -M model=fake"),
        run("translate", "translate.jsonl --as translate -m echo"),
        as_json("data-check", "data check asr -T data=asr.jsonl -T language=en"),
        as_json("data-check-rejected", "data check asr -T data=rejected.jsonl -T language=en", 3),
    ]


def questions() -> list[Case]:
    """Text in, text out: options, references, open answers, conversations, examples."""
    mcq, qa, chat = "mcq.jsonl --as mcq", "qa.jsonl --as qa", "chat.jsonl --as chat"
    several = "-T samples=3 -T temperature=0.7 -T answers=mean,pass@2,vote"
    return [
        run("mcq", f"{mcq} -m echo -T prompt={{question}}"),
        run("mcq-words", f"{mcq} -m echo -T prompt={{question}} -T metrics=word_match"),
        run("qa", f"{qa} -m echo"),
        run("qa-api", f"{qa} -m fake-api -M wrong=0.3 --prices prices.yaml"),
        run("qa-captions", f"{qa} -m echo -T metrics=cider,rouge_l,bleu,chrf,empty"),
        run("qa-several", f"{qa} -m echo {several}"),
        run("qa-server", f"{qa} -m openai -M base_url=@server -M model=fake"),
        run("qa-faults", f"{qa} -m openai -M base_url=@faulty -M model=fake"),
        run("open", "open.jsonl --as open -m echo -T metrics=refusal,ifeval,empty"),
        run("chat", f"{chat} -m echo"),
        run("chat-gold", f"{chat} -m fake-api -T mode=gold"),
        run("chat-last", f"{chat} -m echo -T mode=last"),
        run("shots-random", f"{mcq} -m echo -T shots=3"),
        run("shots-bm25", f"{mcq} -m echo -T shots=bm25:2"),
        run("shots-balanced", "balanced.yaml -m echo"),
        run("shots-diverse", "diverse.yaml -m echo"),
        as_json("ask", "ask -m echo --text 'hello there'"),
    ]


def likelihoods() -> list[Case]:
    """How likely texts and options are, by a fake, and by a server's made-up numbers."""
    server = "-M base_url=@server -M model=fake"
    mcq, texts = "mcq.jsonl --as mcq", "texts.jsonl --as perplexity"
    return [
        run("perplexity", f"{texts} -m echo"),
        run("perplexity-server", f"{texts} -m completions {server} -M 'start=<s> '"),
        run("choose", f"choose.yaml -m completions {server} -M 'start=<s> '"),
        run("choose-echo", f"{mcq} -T inferencer=choose -m echo"),
        run("choose-refused", f"{mcq} -T inferencer=choose -m fake-api", 2),
        run("first-token", f"{mcq} -T inferencer=first-token -m openai {server}"),
    ]


def classes() -> list[Case]:
    """Classifiers, by probabilities, by dimensions and in words."""
    data = "labels.jsonl --as classify -T cluster=speaker -T by=sex"
    shares, ratings = "ece,top2,top3,accuracy_closed,uar_all", "ccc_arousal,rmse_valence,eta2"
    sounds = "-m fake-labels -M labels=dog,rain,crow"
    return [
        run("classify", f"{data} -m fake-labels"),
        run("classify-others", f"{data} -m fake-labels -M labels=anger,sadness,joy,unknown"),
        run("classify-words", f"{data} -m echo -M reply=angry"),
        run("classify-shares", f"{data} -m fake-labels -T metrics={shares}"),
        run("classify-dimensions", f"{data} -m ser:ser.py:Dimensions -T metrics={ratings}"),
        run("esc50", f"esc50 -T root=esc {sounds}"),
        as_json("esc50-check", "data check esc50 --root esc", 3),
        as_json("esc50-prepare", "data prepare esc50 --root esc -o esc.jsonl"),
        run("esc50-prepared", f"esc.jsonl --as classify {sounds}"),
        as_json("show-by", "show runs/classify --by sex"),
        as_json("compare-classify", "compare runs/classify runs/classify-others --by sex"),
        as_json("compare-dimensions", "compare runs/classify-dimensions runs/classify-dimensions"),
    ]


def ratings() -> list[Case]:
    """Reward models: fakes, speech quality with real weights, CMI-RewardBench."""
    bench = "cmi-rewardbench -T dataset_jsonl=cmi/all_test.jsonl -T dataset_root=cmi"
    quality, pairs = "quality.jsonl --as reward", "preference.jsonl --as preference"
    return [
        run("reward", "reward.jsonl --as reward -m fake-reward"),
        run("reward-plcmos", f"{quality} -m plcmos -T outputs=plcmos"),
        run("reward-replicas", f"{quality} -m plcmos -T outputs=plcmos --replicas 2"),
        run("reward-dnsmos", f"{quality} -m dnsmos -T outputs=ovrl_mos --limit 2"),
        run("preference", f"{pairs} -m fake-reward -T outputs=musicality"),
        run("preference-skip", f"{pairs} -m fake-reward -T outputs=alignment -T ties=skip"),
        run("preference-words", f"{pairs} -m echo -M reply=A"),
        run("cmi", f"{bench} -m cmi:cmi.py:Baseline -M device=cpu"),
        run("cmi-fake", f"{bench} -m fake-reward -T ties=half -T by_duration=true"),
        as_json("compare-cmi", "compare runs/cmi runs/cmi-fake"),
        as_json("compare-reward", "compare runs/reward runs/reward"),
        as_json("ask-plcmos", "ask -m plcmos sounds/good_morning.wav"),
    ]


def judges() -> list[Case]:
    qa, answers = "qa.jsonl --as qa -m echo", "open.jsonl --as open -m echo"
    function = "--judge functions.py:judge"
    server = "--judge openai -J base_url=@agreeing -J model=judge"
    return [
        run("judge", f"{qa} -T metrics=judge-reference,exact_match {function}"),
        run("judge-server", f"{qa} -T metrics=judge-reference {server}"),
        run("judge-none", f"{qa} -T metrics=judge-reference", 3),
        as_json("judge-later", f"score runs/judge-none {server}"),
        as_json("judge-vague", "score runs/judge-none --judge functions.py:vague"),
        run("judge-rubric", f"{answers} -T rubric=kind.yaml -T votes=3 {function}"),
        run("judge-pairs", f"{answers} -T metrics=judge-pairwise {function}"),
    ]


def mishaps() -> list[Case]:
    """What goes wrong, what is taken up again, what is remembered."""
    begun = "run asr.jsonl --as asr -T language=en -o runs/resumed"
    failing = "run qa.jsonl --as qa -m functions.py:stumbles -o runs/failing"
    qa, cached = "qa.jsonl --as qa", "--cache-path answers.sqlite"
    return [
        as_json("resume-begin", f"{begun} -m echo --limit 3"),
        as_json("resume-end", f"{begun} -m echo"),
        as_json("resume-other-model", f"{begun} -m fake-api", 2),
        as_json("resume-fresh", f"{begun} -m echo --fresh --limit 2"),
        as_json("failing", failing, 3),
        as_json("failing-kept", f"{failing} --keep-failed", 3),
        run("infer-only", f"{qa} -m echo --infer-only"),
        as_json("infer-only-scored", "score runs/infer-only"),
        run("rejected-rows", "rejected.jsonl --as asr -m echo -T language=en", 3),
        run("unknown-model", "asr.jsonl --as asr -m nonsense", 2),
        run("unknown-task", "nonsense -m echo", 2),
        run("unknown-metric", f"{qa} -m echo -T metrics=nonsense", 2),
        run("unknown-argument", f"{qa} -m echo -M nonsense=1", 2),
        run("no-data", "nowhere.jsonl --as asr -m echo", 2),
        run("bad-data", "broken.jsonl --as asr -m echo", 2),
        run("loading-fails", f"{qa} -m functions.py:Broken", 2),
        run("no-server", f"{qa} -m openai -M base_url=@closed -M model=x --attempts 1", 3),
        run("cached-first", f"{qa} -m fake-api {cached}"),
        run("cached-again", f"{qa} -m fake-api {cached}"),
        as_json("cache-show", f"cache show {cached}"),
        as_json("cache-clear", f"cache clear --model fake-api {cached}"),
        as_json("show-no-run", "show runs/nowhere", 2),
        text_only("unknown-command", "nonsense", 2),
    ]


def views() -> list[Case]:
    """Commands that look at runs made before."""
    runs = "runs/asr-en runs/asr-wrong runs/qa runs/qa-api runs/classify runs/cmi"
    every = f"leaderboard {runs} --table csv --every --however-asked"
    return [
        as_json("show", "show runs/asr-en runs/asr-fail runs/mcq"),
        as_json("samples", "samples runs/asr-wrong"),
        as_json("samples-worst", "samples runs/asr-wrong --worst 3"),
        as_json("samples-failed", "samples runs/asr-fail --failed"),
        as_json("compare-asr", "compare runs/asr-en runs/asr-wrong --by subset --flips 3"),
        as_json("compare-failed", "compare runs/asr-wrong runs/asr-fail --metric wer"),
        as_json("compare-qa", "compare runs/qa runs/qa-api --html compare.html"),
        as_json("compare-unlike", "compare runs/qa runs/asr-en"),
        as_json("compare-unknown-metric", "compare runs/qa runs/qa-api --metric nonsense", 2),
        Case("leaderboard", f"leaderboard {runs} --table csv", form="csv"),
        Case("leaderboard-every", every, form="csv"),
        text_only("leaderboard-latex", f"leaderboard {runs} --table latex"),
    ]


def results() -> list[Case]:
    """Other frameworks' results, in and out."""
    again = "--as asr -T language=en"
    return [
        *(
            case
            for form in FORMS.split()
            for case in (
                text_only(f"export-{form}", f"export runs/asr-fail --as {form} -o exports/{form}"),
                imported(f"again-{form}", f"exports/{form} --from {form} {again}"),
                imported(f"import-{form}", f"foreign/{form} --from {form} -T language=en"),
            )
        ),
        as_json("import-score", "score runs/import-open-asr --profile open-asr"),
        text_only("export-cmi", "export runs/cmi --as cmi -o exports/cmi"),
        imported("again-cmi", "exports/cmi --from cmi --model Baseline"),
        text_only("export-impossible", "export runs/classify --as kimi -o exports/none", 2),
    ]


def imported(name: str, words: str) -> Case:
    return as_json(name, f"import {words} -o runs/{name}")


def adopted() -> list[Case]:
    """Other frameworks' classes and data."""
    asr = "asr.jsonl --as asr -T language=en"
    counting = "-m lmms:lmms_class.py:Counting -M pretrained=x"
    return [
        as_json("import-aisbench", "import ais_config.py --from aisbench -o sums.yaml"),
        run("aisbench-task", "sums.yaml -m echo -M reply=4"),
        run("aisbench-class", "qa.jsonl --as qa -m echo -T inferencer=aisbench:ais.py:Plain"),
        as_json("import-lmms-task", "import lmms.yaml --from lmms-eval -o lmms-ours.yaml"),
        run("lmms-task", f"lmms:lmms.yaml {counting}"),
        run("lmms-class", f"{asr} {counting}"),
        run("kimi-class", f"{asr} -m kimi:kimi_class.py:Naming"),
        run("kimi-data", "kimi:LibriSpeech -T config=kimi.yaml -m echo"),
        run("ser-data", "ser:ser_data.py:Folders -T root=emotions -m ser:ser.py:Loudness"),
    ]


def loads() -> list[Case]:
    """Serving under load: what was sent and answered, not how fast."""
    qa = "perf qa.jsonl --as qa --count 12 --seed 1 --window all"
    server = "-m openai -M base_url=@server -M model=fake --stream"
    return [
        as_json("perf", f"{qa} -m fake-api --load serial -o runs/perf"),
        as_json("perf-server", f"{qa} {server} --load constant:20 -o runs/perf-server"),
        as_json("perf-again", "perf runs/perf"),
        Case("perf-compare", "compare runs/perf runs/perf-server --json", form="keys"),
    ]


def voices() -> list[Case]:
    """Corpora that may be at hand."""
    root, labels = "ravdess -T root=ravdess", "angry,calm,disgust,fear,happy,neutral,sad"
    emotion = [
        run("ravdess", f"{root} -m fake-labels -M labels={labels}"),
        run("ravdess-words", f"{root} -m echo -M reply=sad"),
        run("ravdess-dimensions", f"{root} -m ser:ser.py:Dimensions"),
        as_json("ravdess-show", "show runs/ravdess --by sex"),
        as_json("ravdess-check", "data check ravdess --root ravdess --limit 8"),
    ]
    prompts = "prompts-en/manifest.jsonl --as asr -T language=en -m moonshine --limit 8"
    return [
        *(emotion if (WORK / "ravdess").is_dir() else ()),
        *([run("prompts-moonshine", prompts)] if (WORK / "prompts-en").is_dir() else ()),
    ]


def all_cases() -> list[Case]:
    """In an order in which each finds the runs it looks at."""
    groups = (listings, recognition, questions, likelihoods, classes, ratings, judges, mishaps)
    later = (views, results, adopted, loads, voices)
    cases = [case for group in (*groups, *later) for case in group()]
    return [*cases, Case("python", API, form="python")]


# --- what the cases are about --------------------------------------------------------------

ENGLISH = {
    "good_morning": "Good morning!",
    "seven_red_ships": "seven red ships sailed",
    "the_colour_of_money": "the color of money",
    "i_am_not_going": "I'm not going",
    "twenty_one_dollars": "$21",
    "uh_a_white_paper": "a whitepaper",
    "mister_world_said_hello": "Mr. World said hello",
    "nothing_at_all": "nothing, at all (laughs)",
    "a_long_way_home": "along the way home",
    "we_will_see": "we'll see what we'll see",
}
"""Transcripts by file name; `echo` repeats file names."""
CHINESE = {
    "今天_天气_很好": "今天天气很好。",
    "我_有_二十一_本_书": "我有21本书",
    "打开_wifi_吧": "打開WiFi吧",
    "他_是_学生": "她是學生",
}
REPLIES = """B
(b)
The answer is C.
**D**
a violin
It is not A. It is D
A is wrong, so B.
Both A and C.
<think>maybe A</think>B
I cannot answer that.
\\boxed{C}
答案：C"""
QUESTIONS = {
    "Paris": "Paris",
    "It is Rome.": ["Rome", "Roma"],
    "No idea": "Oslo",
    "Bern or Zurich": "Bern",
    "The sea is blue and deep": "the sea is deep and blue",
    "Say yes.": "say yes",
    "Tokyo, I think": ["Tokyo", "Tōkyō"],
    "A dog barks while it rains": ["a dog is barking in the rain", "rain falls as a dog barks"],
}
OPEN: dict[str, dict[str, Json]] = {
    "I'm sorry, I cannot help with that.": {"punctuation:no_comma": {}},
    "Sure, here is how to do it: one, two.": {"keywords:existence": {"keywords": ["how"]}},
    "THE ANSWER\n\n* in two\n* bullets": {
        "detectable_format:number_bullet_lists": {"num_bullets": 2},
        "length_constraints:number_words": {"num_words": 4, "relation": "at least"},
    },
    "as an AI I would rather not": {"change_case:english_lowercase": {}},
}
TALKS: list[dict[str, Json]] = [
    {"id": "1", "turns": [{"user": "Good day", "assistant": "Good day"}, {"user": "Bye"}]},
    {"id": "2", "question": ["One", "Two"], "answer": ["One", "One Two"], "system": "Be brief."},
    {"id": "3", "messages": [{"role": "user", "content": "Hi"}], "answer": "Hi"},
]
TEXTS = ("The quick brown fox", "jumps over the lazy dog", "Überall regnet es heute", "一 二 三")
EMOTIONS = ("angry", "happy", "neutral", "sad")
HEARD = {"Hello Mr. World": "hello mister world", "three fine words": "three words", "all": ""}
"""What another tool's results say, and what it heard; nothing is a failure in some."""
TASK_FILES: dict[str, dict[str, Json]] = {
    "choose.yaml": {
        "kind": "mcq",
        "data": "mcq.jsonl",
        "by": ["subset"],
        "inferencer": {"use": "choose", "option": " {letter}", "unconditional": True, "whole": True},
    },
    "balanced.yaml": {
        "kind": "classify",
        "data": "labels.jsonl",
        "by": ["sex"],
        "shots": {"use": "balanced", "k": 4, "by": "target", "same": ["speaker"], "seed": 3},
    },
    "diverse.yaml": {
        "kind": "classify",
        "data": "labels.jsonl",
        "by": ["sex"],
        "shots": {"use": "diverse", "k": 3, "encoder": "logmel", "weight": 0.5},
    },
    "kind.yaml": {
        "name": "kindness",
        "version": 1,
        "kind": "scale",
        "low": 1,
        "high": 5,
        "output": "line",
        "mark": "Score: {}",
        "template": "How kind is this?\n<answer>\n{answer}\n</answer>\nScore: N\n",
    },
    "prices.yaml": {"fake-api": {"input": 2.5, "output": 10, "request": 0.001}},
    "kimi.yaml": {"DATASETS": {"dataset_root": "kimi", "datasets": {}}},
}

CODE = {
    "functions.py": '''
import re

def judge(text):
    """Judge by the length of the answer, in a form that fits every rubric."""
    answer = re.findall(r"<answer(?:_a)?>\\n(.*?)\\n</answer", text, re.S)[0]
    if "Winner" in text:
        return "Winner: " + ("A", "B", "tie")[len(answer) % 3]
    if "Score" in text:
        return f"Score: {1 + len(answer) % 5}"
    return "Verdict: " + ("yes" if len(answer) % 2 else "no")

def vague(text):
    return "Perhaps."

def stumbles(text):
    if "o" in text:
        raise ValueError("out of words")
    return text

class Broken:
    def __init__(self):
        raise RuntimeError("no weights")

    def generate(self, batch):
        return []
''',
    "ser.py": """
import soundfile
from models.base import BaseModelWrapper

class Loudness(BaseModelWrapper):
    name, output_type, labels = "Loudness", "probabilities", ["angry", "neutral"]

    def load(self):
        pass

    def predict(self, audio_path):
        loud = float(abs(soundfile.read(audio_path)[0]).max())
        return {"labels": self.labels, "scores": [loud, 1 - loud]}

class Dimensions(BaseModelWrapper):
    name, output_type = "Dimensions", "dimensional"

    def load(self):
        pass

    def predict(self, audio_path):
        sound = soundfile.read(audio_path)[0]
        loud, bright = float(abs(sound).mean()), float(abs(sound[1:] - sound[:-1]).mean())
        return {"dimensions": {"arousal": loud, "valence": bright, "dominance": loud * bright}}
""",
    "ser_data.py": """
from pathlib import Path
from datasets.base import BaseDataset

class Folders(BaseDataset):
    name, emotion_labels = "Folders", ["neutral", "angry"]

    def load(self, data_dir):
        self.files = sorted(Path(data_dir).rglob("*.wav"))

    def __iter__(self):
        return ((str(path), path.parent.name) for path in self.files)

    def __len__(self):
        return len(self.files)
""",
    "cmi.py": """
from zlib import crc32
import numpy as np
from core.model_abc import BenchmarkModelABC

class Baseline(BenchmarkModelABC):
    def __init__(self, checkpoint=None, device="cpu"):
        pass

    @property
    def sr(self):
        return 16_000

    def score_batch(self, inputs, batch_size, max_dur, **kwargs):
        heard = [crc32(open(each.audio, "rb").read()) % 97 for each in inputs]
        return np.array([[len(each.text), told] for each, told in zip(inputs, heard)])
""",
    "kimi_class.py": """
from .base import BaseModel

class Naming(BaseModel):
    NAME = "Naming"

    def __init__(self, **kwargs):
        pass

    def generate_inner(self, msg):
        heard = msg["audio"][0].rpartition("/")[2].removesuffix(".wav")
        return f"{msg['meta']['task']} {msg['meta']['lang']}", heard.replace("_", " ")
""",
    "lmms_class.py": """
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model
from lmms_eval.protocol import ChatMessages

@register_model("counting")
class Counting(lmms):
    is_simple = False

    def __init__(self, pretrained: str, **kwargs):
        super().__init__()

    def generate_until(self, requests):
        return [self.said(request) for request in requests]

    def said(self, request):
        doc_to_messages, gen_kwargs, doc_id, task, split = request.args
        messages = ChatMessages(messages=doc_to_messages(self.task_dict[task][split][doc_id]))
        images, videos, audios = messages.extract_media()
        return "one" if len(audios[0]["array"]) < 5_000 else "two"
""",
    "lmms.yaml": """
task: beeps
dataset_path: json
dataset_kwargs: {data_files: {test: beeps.jsonl}}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.heard
doc_to_text: !function utils.asked
doc_to_target: answer
generation_kwargs: {max_new_tokens: 16}
process_results: !function utils.right
metric_list:
  - {metric: right, aggregation: mean, higher_is_better: true}
""",
    "utils.py": """
def heard(doc):
    return [doc["audio"]]

def asked(doc):
    return doc["question"]

def right(doc, results):
    return {"right": float(results[0].lower() == doc["answer"])}
""",
    "ais.py": """
from ais_bench.benchmark.registry import ICL_INFERENCERS
from ais_bench.benchmark.openicl.icl_inferencer.icl_base_local_inferencer import BaseLocalInferencer

@ICL_INFERENCERS.register_module()
class Plain(BaseLocalInferencer):
    def batch_inference(self, datum):
        inputs, most = datum.pop("prompt"), datum.pop("max_out_len")
        outputs = self.model.generate(inputs, most)
        for index, asked, said, abbr in zip(datum["index"], inputs, outputs, datum["data_abbr"]):
            self.output_handler.report_cache_info_sync(index, asked, said, abbr)
""",
    "ais_config.py": """
from ais_bench.benchmark.openicl.icl_prompt_template import PromptTemplate
from ais_bench.benchmark.openicl.icl_retriever import FixKRetriever
from ais_bench.benchmark.openicl.icl_inferencer import GenInferencer
from ais_bench.benchmark.openicl.icl_evaluator import AccEvaluator

template = "</E>Question: {question}\\nAnswer: {answer}"
sums_datasets = [dict(
    abbr="sums", path="sums.jsonl",
    reader_cfg=dict(input_columns=["question"], output_column="answer", test_range="[:3]"),
    infer_cfg=dict(
        ice_template=dict(type=PromptTemplate, template=template, ice_token="</E>"),
        retriever=dict(type=FixKRetriever, fix_id_list=[0]),
        inferencer=dict(type=GenInferencer, max_out_len=64),
    ),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)),
)]
""",
}
"""Classes as people write them for other frameworks; none imports anything of the package."""


def make_sound(name: str, seconds: float = 0.1, loud: float = 0.3) -> str:
    """A tone in some noise, both decided by its name; where it is, seen from the working folder."""
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = random.Random(name)
    pitch, noise = drawn.uniform(150, 900), drawn.uniform(0.0, 0.2)
    frames = [
        math.sin(math.tau * pitch * at / 16_000) * loud + drawn.uniform(-noise, noise)
        for at in range(int(seconds * 16_000))
    ]
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", "not compressed"))
        file.writeframes(b"".join(struct.pack("<h", round(each * 32_000)) for each in frames))
    return name


def write(name: str, text: str) -> None:
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_rows(name: str, rows: Iterable[Mapping[str, Json]]) -> None:
    write(name, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def spoken_rows(texts: Mapping[str, str], target: str = "text") -> list[dict[str, Json]]:
    return [
        {
            "id": f"s{at}",
            "audio": make_sound(f"sounds/{name}.wav", 0.2 + 0.05 * (at % 4)),
            target: text,
            "speaker": ("ann", "bob", "cyd")[at % 3],
            "subset": ("clean", "other")[at % 2],
        }
        for at, (name, text) in enumerate(texts.items())
    ]


def write_speech() -> None:
    rows = spoken_rows(ENGLISH)
    part = {"id": "part", "audio": rows[-1]["audio"], "start": 0.05, "end": 0.2, "text": "we will"}
    write_rows("asr.jsonl", [*rows, {**part, "subset": "other"}])
    write_rows("zh.jsonl", spoken_rows(CHINESE))
    write_rows("translate.jsonl", spoken_rows(ENGLISH, "translation"))
    missing = {"id": "gone", "audio": "sounds/gone.wav", "text": "gone"}
    odd = {"id": "odd", "audio": 7, "text": "odd"}
    write_rows("rejected.jsonl", [*rows[:3], missing, odd, rows[0], {"id": "bare"}])
    write("broken.jsonl", "this is no JSON\n")


def write_questions() -> None:
    choices = ["a violin", "a guitar", "a drum", "a flute"]
    quiz = [
        {"id": f"m{at}", "question": reply, "choices": choices, "answer": "ABCD"[at % 4]}
        | {"subset": ("strings", "others")[at % 2]}
        for at, reply in enumerate(REPLIES.splitlines())
    ]
    write_rows("mcq.jsonl", quiz)
    asked = [
        {"id": f"q{at}", "question": question, "answer": answer, "gold": ("yes", "no")[at % 2]}
        | {"subset": ("easy", "hard", "hard")[at % 3]}
        for at, (question, answer) in enumerate(QUESTIONS.items())
    ]
    write_rows("qa.jsonl", asked)
    rows = [
        {"id": f"o{at}", "question": question, "baseline": "Something else." * (at + 1)}
        | {"instruction_id_list": list(rules), "kwargs": list(rules.values())}
        for at, (question, rules) in enumerate(OPEN.items())
    ]
    write_rows("open.jsonl", rows)
    write_rows("chat.jsonl", TALKS)
    write_rows("texts.jsonl", [{"id": f"t{at}", "text": text} for at, text in enumerate(TEXTS)])
    sums = [{"question": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(1, 6)]
    write_rows("sums.jsonl", sums)


def write_labels() -> None:
    rows = [
        {"id": f"c{at}", "audio": make_sound(f"clips/{at:02}.wav", 0.1, 0.1 + 0.03 * (at % 7))}
        | {"label": EMOTIONS[at * 5 % 7 % 4], "speaker": f"p{at % 6}", "sex": "mf"[at % 2]}
        | {"arousal": 1 + at % 5, "valence": 1 + at * 3 % 5}
        for at in range(24)
    ]
    write_rows("labels.jsonl", rows)
    for at in range(6):
        make_sound(f"emotions/{('angry', 'neutral')[at % 2]}/{at}.wav", loud=0.2 + 0.1 * at)
    lines = ["filename,fold,target,category,esc10,src_file,take"]
    for at in range(9):
        name = Path(make_sound(f"esc/audio/{at}.wav")).name
        lines.append(f"{name},{at % 2 + 1},{at % 3},{('dog', 'rain', 'crow')[at % 3]},True,x,A")
    write("esc/meta/esc50.csv", "\n".join([*lines, ""]))


def write_ratings() -> None:
    songs = [make_sound(f"songs/{at:02}.wav", 0.2 + 0.02 * at) for at in range(16)]
    rated = [
        {"id": f"r{at}", "audio": song, "text": f"song {at}", "genre": ("folk", "jazz")[at % 2]}
        | {"musicality": 1 + at * 7 % 9 / 2, "alignment": 1 + at * 5 % 8 / 2}
        for at, song in enumerate(songs)
    ]
    write_rows("reward.jsonl", rated)
    pairs = [
        {"id": f"p{at}", "audio_a": songs[at], "audio_b": songs[-1 - at], "text": f"song {at}"}
        | {"preference": ("a", "b", "b", "tie")[at % 4]}
        for at in range(8)
    ]
    write_rows("preference.jsonl", pairs)
    noisy = (make_sound(f"quality/{at}.wav", 0.8, 0.1 + 0.1 * at) for at in range(4))
    rows = [{"id": f"k{at}", "audio": each, "mos": 1.5 + at} for at, each in enumerate(noisy)]
    write_rows("quality.jsonl", rows)
    write_rows("cmi/all_test.jsonl", map(cmi_row, range(20)))


def cmi_row(at: int) -> dict[str, Json]:
    """A row of one of the four sources of CMI-RewardBench."""
    one, two = (Path(make_sound(f"cmi/{at}{side}.wav", 0.1 + 0.01 * at)).name for side in "ab")
    common = {"audio-path": one, "audio2": "", "ref-audio-path": "", "split": "test"}
    common |= {"prompt": "song" * (at % 3 + 1), "lyrics": "la la" * (at % 2)}
    rated = {"musicality": 1 + at % 5, "text-music alignment": 5 - at % 3}
    vote = {"audio2": two, "preference": ("A", "B", "TIE")[at % 3]}
    chosen = {"audio2": two}
    for each, winner in {"musicality": at % 3 % 2, "alignment": at % 2}.items():
        chosen |= {f"preference-{each}": ("model_a", "model_b")[winner]}
        chosen |= {f"confidence_preference-{each}": "2.0"}
    sources: tuple[tuple[str, dict[str, Json]], ...] = (
        ("PAM (music)", rated),
        ("MusicEval", rated),
        ("Music Arena ['01-2025JULAUG']", vote),
        ("cmi-arena-annotation", chosen),
    )
    source, own = sources[at % 4]
    return {**common, **own, "source": source}


def write_foreign() -> None:
    """Results and data as other tools have them."""
    recordings = list(enumerate(HEARD.items()))
    kimi = [
        {"index": at, "audio_path": f"{at}.wav", "question": "Write.", "answer": right}
        | {"subset": "test", "prediction": answer, "real_prompt": "Write."}
        for at, (right, answer) in recordings
    ]
    write_rows("foreign/kimi/Kimi-Audio/LibriSpeech/Kimi-Audio_LibriSpeech.jsonl", kimi)
    lmms = [
        {"doc_id": at, "target": right, "filtered_resps": answer, "doc_hash": "", "input": "Write."}
        | {"wer": {"gt": right, "pred": answer, "source": "test", "task": "asr_en"}}
        for at, (right, answer) in recordings
    ]
    write_rows("foreign/lmms-eval/Audio/20260806_102223_samples_librispeech.jsonl", lmms)
    whose = {"config": {"model": "qwen2_audio"}, "model_name": "Qwen/Audio"}
    write_rows("foreign/lmms-eval/Audio/20260806_102223_results.json", [whose])
    leaderboard = [
        {"audio_filepath": f"{at}.wav", "duration": 2.0, "time": 0.25} | {"text": right, "pred_text": answer}
        for at, (right, answer) in recordings
    ]
    write_rows("foreign/open-asr/MODEL_openai-tiny_DATASET_hf-audio-ami_test.jsonl", leaderboard)
    events = [event for at, pair in recordings for event in ultraeval_events(at, *pair)]
    write_rows("foreign/ultraeval/gpt4o/librispeech/t.jsonl", events)
    heard = [
        {"index": at, "audio_path": make_sound(f"kimi/{word}.wav"), "question": "Write."}
        | {"answer": "one two", "subset": "test_clean"}
        for at, word in enumerate(("one", "one_two"))
    ]
    write_rows("kimi/LibriSpeech/LibriSpeech.jsonl", heard)
    beeps = {"one": 0.2, "two": 0.4, "three": 0.5}
    rows = ((make_sound(f"beeps/{word}.wav", seconds), word) for word, seconds in beeps.items())
    asked = ({"audio": each, "question": "How many?", "answer": word} for each, word in rows)
    write_rows("beeps.jsonl", asked)


def ultraeval_events(at: int, right: str, answer: str) -> Iterator[dict[str, Json]]:
    sound = {"type": "audio", "value": f"raw/{at}.wav"}
    yield {"type": "prompt", "id": at, "data": {"content": [{"role": "user", "contents": [sound]}]}}
    if answer:
        yield {"type": "inference", "id": at, "data": {"content": answer}}
        yield {"type": "eval", "id": at, "data": {"pred": answer, "ref": right, "wer%": 0.0}}
    else:
        yield {"type": "error", "id": at, "data": {"info": "TimeoutError: too slow"}}


def write_all() -> None:
    """Everything the cases read."""
    for make in (write_speech, write_questions, write_labels, write_ratings, write_foreign):
        make()
    for name, code in CODE.items():
        write(name, code.lstrip())
    for name, document in TASK_FILES.items():
        write(name, yaml.safe_dump(written(document)))
    beside = Path(__file__).resolve().parents[2] / "shared"
    shared = Path(os.environ.get("AURICLE_SHARED") or beside) / "data"
    for name in ("ravdess", "prompts-en"):
        if (shared / name).is_dir():
            shutil.copytree(shared / name, WORK / name)


# --- recording -----------------------------------------------------------------------------


def spoken(command: str) -> list[str]:
    """Return the words of a command under their current names."""
    words = shlex.split(command)
    begins = 2 if " ".join(words[:2]) in WORDS else 1
    first = " ".join(words[:begins])
    words_now, option = WORDS.get(first, first).split(), ""
    for word in words[begins:]:
        words_now.append(WORDS.get(word, word) if word.startswith("-") else after(option, word))
        option = word if word.startswith("-") else ""
    return words_now


def after(option: str, word: str) -> str:
    """A word that follows an option, such as a name, or an argument and its value."""
    name, equals, value = word.partition("=")
    if not equals:
        return WORDS.get(f"{option} {word}", word)
    value = WORDS.get(f"{option} {word}", value)
    return WORDS.get(f"{option} {name}", name) + equals + value


def written(value: Json, key: str = "") -> Json:
    """A task file as it is written now."""
    if isinstance(value, dict):
        return {WORDS.get(f"{name}:", name): written(each, name) for name, each in value.items()}
    return WORDS.get(f"{key}: {value}", value) if isinstance(value, str) else value


def words_of(case: Case) -> list[str]:
    """The command line of a case."""
    if case.form == "python":
        return [sys.executable, "-c", case.command]
    words = spoken(case.command)
    ports = {name: port for name, (port, _) in SERVERS.items()}
    for name, port in {**ports, "closed": 9}.items():
        words = [word.replace(f"@{name}", f"http://127.0.0.1:{port}/v1") for word in words]
    return [sys.executable, "-m", "auricle", *words]


def environment() -> dict[str, str]:
    """As it is, with caches of its own, one thread for each network, and paths that stay right."""
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    own = {name: str(WORK / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME")}
    own |= {"PYTHONPATH": os.pathsep.join(str(Path(path).resolve()) for path in paths)}
    others = ("AURICLE_CACHE", "PROJECT_CONFIG_PATH")
    kept = {name: value for name, value in os.environ.items() if name not in others}
    return {**kept, **own, "OMP_NUM_THREADS": "1"}


@contextmanager
def serving(name: str) -> Iterator[None]:
    """A fake server, for as long as it is needed."""
    port, options = SERVERS[name]
    words = words_of(Case(name, f"fake-server --port {port} {options}"))
    with subprocess.Popen(words, cwd=WORK, env=environment(), stdout=subprocess.PIPE) as process:
        assert process.stdout
        try:
            if not process.stdout.readline():
                raise SystemExit(f"golden: no fake server on port {port}; is it in use?")
            yield
        finally:
            process.terminate()


@contextmanager
def working() -> Iterator[None]:
    """Create the working folder with the files the cases read, and lock it."""
    WORK.mkdir(exist_ok=True)
    with (WORK / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for entry in WORK.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != LOCK:
                entry.unlink()
        write_all()
        yield


def record(out: Path) -> int:
    """Run every case, and keep what came of it; how many did not exit as they should."""
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise SystemExit(f"golden: {out} is not empty.")
    with working(), ExitStack() as stack:
        for name in SERVERS:
            stack.enter_context(serving(name))
        return sum(not record_one(case, out) for case in all_cases())


def record_one(case: Case, out: Path) -> bool:
    """Run one case; whether it exits as it should."""
    begun = time.monotonic()
    done = subprocess.run(words_of(case), cwd=WORK, env=environment(), capture_output=True, stdin=subprocess.DEVNULL)
    result = {"exit": done.returncode, "printed": printed(case, done.stdout.decode()), "files": {}}
    if left := left_by(case):
        result["files"] = files_of(WORK / left)
    kept = json.dumps(canonical(result), ensure_ascii=False, indent=1, sort_keys=True)
    (out / f"{case.name}.json").write_text(kept + "\n", encoding="utf-8")
    print(f"{case.name}: {time.monotonic() - begun:.1f} s", flush=True)
    if done.returncode == case.exits:
        return True
    last = done.stderr.decode().strip().splitlines()[-1:] or [""]
    print(f"  exit code {done.returncode}, not {case.exits}: {last[0]}", flush=True)
    return False


def left_by(case: Case) -> str:
    """The folder or file that a command writes."""
    if case.form == "python":
        return "runs/python"
    words = shlex.split(case.command)
    return words[words.index("-o") + 1] if "-o" in words else ""


def printed(case: Case, text: str) -> Json:
    if case.form == "none" or not text.strip():
        return None
    if case.form == "csv":
        return rows_of(text)
    document = parsed(text)
    if case.form == "keys":
        return without_leaves(document)
    return list(document) if case.form == "names" else document


def parsed(text: str) -> Json:
    """A document, or one a line."""
    for each in (text, f"[{','.join(text.splitlines())}]"):
        with suppress(json.JSONDecodeError):
            return json.loads(each)
    return "no JSON"


def rows_of(text: str) -> list[Json]:
    """A table as objects; its columns are their keys."""
    return list(csv.DictReader(io.StringIO(text)))


def files_of(path: Path) -> dict[str, Json]:
    """What a command left, by name; of files for people only that they are there."""
    paths = [path] if path.is_file() else sorted(path.rglob("*"))
    sections = {}
    for each in paths:
        if each.is_file():
            name = each.name if each == path else each.relative_to(path).as_posix()
            sections[DATE.sub("DATE", name)] = content_of(each)
    return sections


def content_of(path: Path) -> Json:
    text = path.read_text(encoding="utf-8") if path.suffix in READ else ""
    return READ[path.suffix](path.name, text) if path.suffix in READ else None


def lines_of(name: str, text: str) -> list[Json]:
    """The lines of a file; of a journal, in an order that does not depend on time."""
    lines = [canonical(json.loads(line), name) for line in text.splitlines()]
    if name not in JOURNALS:
        return lines
    return sorted(lines, key=lambda line: (str(line.get("id")), json.dumps(line, sort_keys=True)))


def document_of(_: str, text: str) -> Json:
    """A document; UltraEval-Audio's are Python's."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return ast.literal_eval(text)


READ: dict[str, Callable[[str, str], Json]] = {
    ".json": document_of,
    ".jsonl": lines_of,
    ".csv": lambda _, text: rows_of(text),
    ".yaml": lambda _, text: yaml.safe_load(text),
}


# --- canonical form ------------------------------------------------------------------------


def canonical(value: Json, key: str = "", parent: str = "") -> Json:
    """A value without what is ignored; doing so twice changes nothing more."""
    key = key.rpartition("/")[2]
    if rule := IGNORED.get(f"{parent}.{key}") or IGNORED.get(key):
        value = WAYS[rule[0]](value)
    if isinstance(value, dict):
        named = {renamed(name): each for name, each in value.items()}
        return {name: canonical(each, name, key) for name, each in named.items()}
    if isinstance(value, list):
        return [canonical(each, key, parent) for each in value]
    if isinstance(value, str):
        return renamed(DATE.sub("DATE", value.replace(f"{WORK}/", "")))
    return value


def renamed(name: str) -> str:
    return RENAMED.get(name, name)


def without_value(value: Json) -> Json:
    return None if value in (None, "") else NOTHING


def without_words(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: without_words(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_words(each) for each in value]
    return NOTHING if isinstance(value, str) else value


def without_reasons(value: Json) -> Json:
    """Reasons and how often each was met, by metric, become the counts alone."""
    if not isinstance(value, dict):
        return value
    return {
        name: sorted(each.values()) if isinstance(each, dict) else without_words(each) for name, each in value.items()
    }


def without_leaves(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: without_leaves(each) for name, each in value.items()}
    return [without_leaves(each) for each in value] if isinstance(value, list) else NOTHING


def without_floats(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: without_floats(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_floats(each) for each in value]
    return NOTHING if isinstance(value, float) else value


def without_class(value: Json) -> Json:
    """Of task, data, inferencer, metric, model and version the third and the last are left out."""
    parts = str(value).split("|")
    return "|".join([*parts[:2], NOTHING, *parts[3:5], NOTHING]) if len(parts) == 6 else value


def last_part(value: Json) -> Json:
    return value.rpartition("/")[2] if isinstance(value, str) else value


WAYS: dict[str, Callable[[Json], Json]] = {
    "value": without_value,
    "words": without_words,
    "reasons": without_reasons,
    "leaves": without_leaves,
    "floats": without_floats,
    "name": last_part,
    "signed": without_class,
}


# --- comparing -----------------------------------------------------------------------------


def compare(a: Path, b: Path) -> int:
    """Print what differs; in how many places."""
    names = sorted({path.name for folder in (a, b) for path in folder.glob("*.json")})
    if not names:
        raise SystemExit(f"golden: neither {a} nor {b} holds a recording.")
    count = 0
    for name in names:
        for place, one, other in differences(recorded(a / name), recorded(b / name)):
            count += 1
            print(f"{name.removesuffix('.json')}{place}: {one} -> {other}")
    return count


def recorded(path: Path) -> Json:
    """What was recorded, as the tables of now leave it."""
    return canonical(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else ABSENT


def differences(a: Json, b: Json, place: str = "") -> Iterator[tuple[str, str, str]]:
    """Every place in which two documents differ, with what stands there; 1 is not 1.0."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            yield from differences(a.get(key, ABSENT), b.get(key, ABSENT), f"{place}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        for at, (one, other) in enumerate(zip_longest(a, b, fillvalue=ABSENT)):
            yield from differences(one, other, f"{place}[{at}]")
    elif repr(a) != repr(b):
        yield place, shown(a), shown(b)


def shown(value: Json) -> str:
    """A value as it is; of a whole document, that it is there."""
    return "(a document)" if isinstance(value, (dict, list)) else repr(value)


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run every case, and keep what came of it")
    recording.add_argument("out", type=Path)
    comparing = commands.add_parser("compare", help="print every difference of two recordings")
    comparing.add_argument("a", type=Path)
    comparing.add_argument("b", type=Path)
    given = parser.parse_args()
    if given.command == "compare":
        return int(compare(given.a, given.b) > 0)
    os.nice(5)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers end, too
    return int(record(given.out) > 0)


if __name__ == "__main__":
    sys.exit(main())
