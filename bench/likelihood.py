"""Likelihoods of a real language model, beside lm-evaluation-harness on the same prompts.

Both read SmolLM2-135M-Instruct in float32 without its chat template: questions with options of
different length, and texts longer than the window they are given. What is compared is the
log-likelihood of every option and text, and the numbers made of them. lm-evaluation-harness lives
in an environment of its own, made once, in a cache outside the repository.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

from measure import Sheet, at_most

from auricle import evaluate
from auricle.core.types import Sample
from auricle.engine.spec import Spec
from auricle.metrics.catalogue import METRICS
from auricle.tasks.base import Task
from auricle.tasks.inferencers import Choose, Continue

Sums = list[list[float]]
"""Log-likelihoods of the options of each question."""
Numbers = dict[str, float]

HERE = Path(__file__).resolve()
NEEDED = ("lm_eval[hf]==0.4.13", "torch==2.13.0", f"transformers=={version('transformers')}")
WINDOW = 128
"""Tokens a text is read in; small, so that texts take several windows."""
CLOSE, CLOSE_OF_A_TEXT, CLOSE_SHARE = 1e-4, 1e-3, 1e-5
"""How far the log-likelihood of an option or a text may be off, and what share of a perplexity."""
ACCURACIES = {"acc": "acc", "acc_char": "acc_norm", "acc_byte": "acc_bytes", "acc_pmi": "acc_mutual_info"}
PERPLEXITIES = {
    "word_perplexity": "word_perplexity",
    "byte_perplexity": "byte_perplexity",
    "bits_per_byte": "bits_per_byte",
}

# --- the questions ---------------------------------------------------------------

CAPITALS = """France Paris, Japan Tokyo, Italy Rome, Egypt Cairo, Spain Madrid, Germany Berlin,
Russia Moscow, China Beijing, Canada Ottawa, Norway Oslo, Greece Athens, Austria Vienna,
Poland Warsaw, Portugal Lisbon, Cuba Havana, Kenya Nairobi, Peru Lima, Iran Tehran, Iraq Baghdad,
Turkey Ankara, Sweden Stockholm, Finland Helsinki, Hungary Budapest, Ireland Dublin,
Denmark Copenhagen, Belgium Brussels, Thailand Bangkok, Vietnam Hanoi, Chile Santiago,
Argentina Buenos_Aires, Mexico Mexico_City, Nepal Kathmandu"""
OPPOSITES = """hot cold, big small, fast slow, happy unhappy, light dark, early late, rich poor,
open closed, strong weak, full empty, hard soft, high low, old young, wet dry, thick thin,
true false, inside outside, always never, above below, buy sell, win lose, remember forget,
love hate, arrive depart, ancient modern, expensive cheap, dangerous safe, loud quiet, sweet bitter,
day night"""
HOMES = """bird nest, bee hive, dog kennel, spider web, king palace, lion den, horse stable,
fish water, prisoner prison_cell, monk monastery, soldier military_barracks, camper tent"""
CHINESE = """cat 猫, dog 狗, water 水, fire 火, mountain 山, moon 月亮, sun 太阳, book 书, tea 茶,
friend 朋友, teacher 老师, train_station 火车站"""
ORDERS = (
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "January February March April May June July August September October November December",
    "one two three four five six seven eight nine ten eleven twelve",
    "first second third fourth fifth sixth seventh eighth ninth tenth",
)
NOUNS = """keeper harbour winter letter bridge garden engine market river lantern doctor forest
kitchen window captain village morning stranger music journey mountain paper island clock"""
VERBS = "remembered crossed painted followed repaired forgot described carried opened lost"


def pairs(text: str) -> list[tuple[str, str]]:
    found = (each.split() for each in text.split(","))
    return [(first.replace("_", " "), second.replace("_", " ")) for first, second in found]


def questions() -> Iterator[dict[str, Any]]:
    """One right option and three wrong ones a question; the same every time."""
    dice = random.Random(7)
    asked = [
        ("What is the capital of {}?", pairs(CAPITALS)),
        ("What is the opposite of {}?", pairs(OPPOSITES)),
        ("Where does a {} live?", pairs(HOMES)),
        ("What is the Chinese word for {}?", pairs(CHINESE)),
        ("What is {}?", sums(dice)),
        *(("What comes after {}?", following(order)) for order in ORDERS),
    ]
    for question, known in asked:
        for subject, right in known:
            others = sorted({each for _, each in known} - {right})
            options = [right, *dice.sample(others, 3)]
            dice.shuffle(options)
            text = f"Question: {question.format(subject)}\nAnswer:"
            yield {"question": text, "choices": options, "target": options.index(right)}


def sums(dice: random.Random) -> list[tuple[str, str]]:
    chosen = [(dice.randint(1, 60), dice.randint(1, 60)) for _ in range(36)]
    return [(f"{one} plus {other}", str(one + other)) for one, other in chosen]


def following(order: str) -> list[tuple[str, str]]:
    return list(pairwise(order.split()))


def texts() -> Iterator[dict[str, Any]]:
    """Sentences that mean little, in texts of 20 to 600 words; one is not English."""
    dice = random.Random(11)
    nouns, verbs = NOUNS.split(), VERBS.split()
    for length in (3, 8, 20, 45, 80):
        told = (
            f"The {dice.choice(nouns)} {dice.choice(verbs)} the {dice.choice(nouns)} near the {dice.choice(nouns)}."
            for _ in range(length)
        )
        yield {"text": " ".join(told)}
    yield {"text": "灯台守は毎晩、船を数えた。霧が出ると早くから明かりをともした。 " * 6 + "🙂"}


# --- ours ------------------------------------------------------------------------


def choosing() -> Task:
    samples = [
        Sample(id=str(at), inputs={"question": row["question"], "choices": row["choices"]}, target=row["target"])
        for at, row in enumerate(questions())
    ]
    way = Choose("{question}", option=" {choice}", unconditional=True)
    return Task(samples, way, [METRICS.get(name) for name in ACCURACIES], name="choosing")


def continuing() -> Task:
    samples = [Sample(id=str(at), inputs=row) for at, row in enumerate(texts())]
    return Task(samples, Continue(), [METRICS.get(name) for name in PERPLEXITIES], name="continuing")


def ours(task: str, folder: Path, model: Path, **arguments: Any) -> tuple[Sums, Numbers]:
    """The log-likelihood of each option or text, and the numbers made of them."""
    given = {"model": str(model), "chat": False, **arguments}
    spec = Spec(task=f"{HERE}:{task}", model="causal", model_args=given)
    numbers = {each.metric: each.value for each in evaluate(spec, folder / task)}
    lines = [json.loads(line) for line in (folder / task / "outputs.jsonl").open()]
    lines.sort(key=lambda line: line["row"])
    return [[sum(each["logprobs"]) for each in line["outputs"]] for line in lines], numbers


# --- theirs ----------------------------------------------------------------------

CHOOSING = {
    "task": "choosing",
    "dataset_path": "json",
    "output_type": "multiple_choice",
    "test_split": "test",
    "doc_to_text": "{{question}}",
    "doc_to_choice": "choices",
    "doc_to_target": "target",
    "target_delimiter": " ",
    "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in ACCURACIES.values()],
}
CONTINUING = {
    "task": "continuing",
    "dataset_path": "json",
    "output_type": "loglikelihood_rolling",
    "test_split": "test",
    "doc_to_text": "",
    "doc_to_target": "{{text}}",
    "metric_list": [{"metric": name} for name in PERPLEXITIES.values()],
}


def environment() -> Path:
    """The other's commands, installed once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "auricle-bench"
    place = cache / "lm-eval"
    if not (place / "bin" / "lm-eval").exists():
        print("Making an environment for lm-evaluation-harness, which takes minutes …", flush=True)
        venv.create(place, with_pip=True, clear=True)
        subprocess.run([place / "bin" / "pip", "install", "--quiet", *NEEDED], check=True)
    return place / "bin"


def theirs(
    config: dict[str, Any], rows: Sequence[dict[str, Any]], folder: Path, model: Path, more: str = ""
) -> tuple[Sums, Numbers]:
    name = config["task"]
    here = folder / f"their-{name}"
    here.mkdir()
    data = here / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = {**config, "dataset_kwargs": {"data_files": {"test": str(data)}}}
    (here / f"{name}.yaml").write_text(json.dumps(told))  # JSON is YAML
    command = [environment() / "lm-eval", "run", "--model", "hf", "--tasks", name]
    command += ["--model_args", f"pretrained={model},dtype=float32{more}", "--device", "cpu"]
    command += ["--include_path", here, "--output_path", here / "out", "--log_samples"]
    around = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(here / "cache")}
    done = subprocess.run([*map(str, command), "--batch_size", "8"], env=around, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"lm-evaluation-harness failed:\n{done.stderr[-3000:]}")
    return _read(here / "out", name)


def _read(out: Path, name: str) -> tuple[Sums, Numbers]:
    (results,) = out.rglob("results_*.json")
    (samples,) = out.rglob(f"samples_{name}_*.jsonl")
    found = json.loads(results.read_text())["results"][name]
    numbers = {key.partition(",")[0]: each for key, each in found.items() if "stderr" not in key}
    lines = sorted(map(json.loads, samples.open()), key=lambda line: line["doc_id"])
    return [[_total(each[0]) for each in line["resps"]] for line in lines], numbers


def _total(response: Any) -> float:
    """A pair of log-likelihood and greediness, or the first alone."""
    return float(response[0] if isinstance(response, list) else response)


# --- side by side ------------------------------------------------------------------


def farthest(one: Sums, other: Sums) -> float:
    return max(abs(a - b) for these, those in zip(one, other, strict=True) for a, b in zip(these, those, strict=True))


def tell(sheet: Sheet, names: dict[str, str], found: Numbers, other: Numbers, share: float) -> None:
    """Each number of ours beside theirs; they may differ by a share of theirs."""
    for mine, its in names.items():
        sheet.line(f"{mine}, Auricle", found[mine], "")
        sheet.line(f"{its}, lm-evaluation-harness", other[its], "")
        sheet.line("  difference", abs(found[mine] - other[its]), "", at_most(share * other[its]))


def main() -> int:
    sys.path.insert(0, str(HERE.parents[1] / "tests" / "contract"))
    from real_server import model_folder

    model = model_folder()
    rows, long = list(questions()), list(texts())
    sheet = Sheet(f"Likelihoods: {len(rows)} questions, {len(long)} texts, SmolLM2-135M-Instruct")
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        of_options, found = ours("choosing", folder, model)
        their_options, other = theirs(CHOOSING, rows, folder, model)
        tell(sheet, ACCURACIES, found, other, 0.0)
        apart = farthest(of_options, their_options)
        sheet.line("log-likelihood of an option, largest difference", apart, "", at_most(CLOSE))

        of_texts, found = ours("continuing", folder, model, window=WINDOW, stride=WINDOW)
        their_texts, other = theirs(CONTINUING, long, folder, model, f",max_length={WINDOW}")
        tell(sheet, PERPLEXITIES, found, other, CLOSE_SHARE)
        apart = farthest(of_texts, their_texts)
        sheet.line("log-likelihood of a text, largest difference", apart, "", at_most(CLOSE_OF_A_TEXT))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
