"""Compare likelihoods of a real language model with lm-evaluation-harness on the same prompts.

Both run SmolLM2-135M-Instruct in float32 without its chat template, on questions with options of different length
and on texts longer than the context window. The log-likelihood of every option and text is compared, and the
metrics computed from them. lm-evaluation-harness is installed once into a virtual environment outside the repository.
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
from auricle.engine.inferencers import Choose, Continue
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.metrics.catalogue import METRICS

LogLikelihoods = list[list[float]]
"""Log-likelihoods of the options of each question."""
Numbers = dict[str, float]

HERE = Path(__file__).resolve()
REQUIREMENTS = ("lm_eval[hf]==0.4.13", "torch==2.13.0", f"transformers=={version('transformers')}")
WINDOW = 128
"""Context window in tokens; small, so that texts need several windows."""
OPTION_TOLERANCE, TEXT_TOLERANCE, PERPLEXITY_TOLERANCE = 1e-4, 1e-3, 1e-5
"""Largest differences of the log-likelihood of an option and of a text, and relative difference of a perplexity."""
ACCURACIES = {"acc": "acc", "acc_char": "acc_norm", "acc_byte": "acc_bytes", "acc_pmi": "acc_mutual_info"}
PERPLEXITIES = {
    "word_perplexity": "word_perplexity",
    "byte_perplexity": "byte_perplexity",
    "bits_per_byte": "bits_per_byte",
}

# --- data ------------------------------------------------------------------------

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


def parse_pairs(text: str) -> list[tuple[str, str]]:
    pairs = (pair.split() for pair in text.split(","))
    return [(first.replace("_", " "), second.replace("_", " ")) for first, second in pairs]


def build_questions() -> Iterator[dict[str, Any]]:
    """Yield questions with one right and three wrong options; always the same."""
    dice = random.Random(7)
    topics = [
        ("What is the capital of {}?", parse_pairs(CAPITALS)),
        ("What is the opposite of {}?", parse_pairs(OPPOSITES)),
        ("Where does a {} live?", parse_pairs(HOMES)),
        ("What is the Chinese word for {}?", parse_pairs(CHINESE)),
        ("What is {}?", build_sums(dice)),
        *(("What comes after {}?", list(pairwise(order.split()))) for order in ORDERS),
    ]
    for question, answers in topics:
        for subject, right in answers:
            wrong = sorted({answer for _, answer in answers} - {right})
            options = [right, *dice.sample(wrong, 3)]
            dice.shuffle(options)
            text = f"Question: {question.format(subject)}\nAnswer:"
            yield {"question": text, "choices": options, "target": options.index(right)}


def build_sums(dice: random.Random) -> list[tuple[str, str]]:
    pairs = [(dice.randint(1, 60), dice.randint(1, 60)) for _ in range(36)]
    return [(f"{first} plus {second}", str(first + second)) for first, second in pairs]


def build_texts() -> Iterator[dict[str, Any]]:
    """Yield texts of 20 to 600 words from random sentences; one is not English."""
    dice = random.Random(11)
    nouns, verbs = NOUNS.split(), VERBS.split()
    for length in (3, 8, 20, 45, 80):
        sentences = (
            f"The {dice.choice(nouns)} {dice.choice(verbs)} the {dice.choice(nouns)} near the {dice.choice(nouns)}."
            for _ in range(length)
        )
        yield {"text": " ".join(sentences)}
    yield {"text": "灯台守は毎晩、船を数えた。霧が出ると早くから明かりをともした。 " * 6 + "🙂"}


# --- Auricle ---------------------------------------------------------------------


def multiple_choice() -> Task:
    samples = [
        Sample(id=str(index), inputs={"question": row["question"], "choices": row["choices"]}, target=row["target"])
        for index, row in enumerate(build_questions())
    ]
    inferencer = Choose("{question}", option=" {choice}", unconditional=True)
    return Task(samples, inferencer, [METRICS.get(name) for name in ACCURACIES], name="multiple_choice")


def perplexity() -> Task:
    samples = [Sample(id=str(index), inputs=row) for index, row in enumerate(build_texts())]
    return Task(samples, Continue(), [METRICS.get(name) for name in PERPLEXITIES], name="perplexity")


def run_auricle(task: str, folder: Path, model: Path, **arguments: Any) -> tuple[LogLikelihoods, Numbers]:
    """Return the log-likelihood of each option or text, and the metrics."""
    model_args = {"model": str(model), "chat": False, **arguments}
    spec = Spec(task=f"{HERE}:{task}", model="causal", model_args=model_args)
    numbers = {number.metric: number.value for number in evaluate(spec, folder / task)}
    lines = [json.loads(line) for line in (folder / task / "outputs.jsonl").open()]
    lines.sort(key=lambda line: line["row"])
    return [[sum(output["logprobs"]) for output in line["outputs"]] for line in lines], numbers


# --- lm-evaluation-harness -------------------------------------------------------

MULTIPLE_CHOICE_CONFIG = {
    "task": "multiple_choice",
    "dataset_path": "json",
    "output_type": "multiple_choice",
    "test_split": "test",
    "doc_to_text": "{{question}}",
    "doc_to_choice": "choices",
    "doc_to_target": "target",
    "target_delimiter": " ",
    "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in ACCURACIES.values()],
}
PERPLEXITY_CONFIG = {
    "task": "perplexity",
    "dataset_path": "json",
    "output_type": "loglikelihood_rolling",
    "test_split": "test",
    "doc_to_text": "",
    "doc_to_target": "{{text}}",
    "metric_list": [{"metric": name} for name in PERPLEXITIES.values()],
}


def install_harness() -> Path:
    """Install lm-evaluation-harness once, and return the folder of its commands."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "auricle-bench"
    environment = cache / "lm-eval"
    if not (environment / "bin" / "lm-eval").exists():
        print("Installing lm-evaluation-harness into a virtual environment; this takes minutes …", flush=True)
        venv.create(environment, with_pip=True, clear=True)
        subprocess.run([environment / "bin" / "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    return environment / "bin"


def run_harness(
    config: dict[str, Any], rows: Sequence[dict[str, Any]], folder: Path, model: Path, model_args: str = ""
) -> tuple[LogLikelihoods, Numbers]:
    name = config["task"]
    task_folder = folder / f"harness-{name}"
    task_folder.mkdir()
    data = task_folder / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    task_file = {**config, "dataset_kwargs": {"data_files": {"test": str(data)}}}
    (task_folder / f"{name}.yaml").write_text(json.dumps(task_file))  # JSON is YAML
    command = [install_harness() / "lm-eval", "run", "--model", "hf", "--tasks", name]
    command += ["--model_args", f"pretrained={model},dtype=float32{model_args}", "--device", "cpu"]
    command += ["--include_path", task_folder, "--output_path", task_folder / "out", "--log_samples"]
    variables = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(task_folder / "cache")}
    done = subprocess.run([*map(str, command), "--batch_size", "8"], env=variables, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"lm-evaluation-harness failed:\n{done.stderr[-3000:]}")
    return _read_results(task_folder / "out", name)


def _read_results(out: Path, name: str) -> tuple[LogLikelihoods, Numbers]:
    (results,) = out.rglob("results_*.json")
    (samples,) = out.rglob(f"samples_{name}_*.jsonl")
    metrics = json.loads(results.read_text())["results"][name]
    numbers = {key.partition(",")[0]: value for key, value in metrics.items() if "stderr" not in key}
    lines = sorted(map(json.loads, samples.open()), key=lambda line: line["doc_id"])
    return [[_log_likelihood(response[0]) for response in line["resps"]] for line in lines], numbers


def _log_likelihood(response: Any) -> float:
    """Return the log-likelihood of a response, which may be paired with whether it was greedy."""
    return float(response[0] if isinstance(response, list) else response)


# --- comparison --------------------------------------------------------------------


def largest_difference(a: LogLikelihoods, b: LogLikelihoods) -> float:
    return max(
        abs(value_a - value_b)
        for row_a, row_b in zip(a, b, strict=True)
        for value_a, value_b in zip(row_a, row_b, strict=True)
    )


def compare_numbers(
    sheet: Sheet, names: dict[str, str], ours: Numbers, theirs: Numbers, relative_tolerance: float
) -> None:
    """Print each metric of Auricle and of lm-evaluation-harness, and their difference."""
    for name, harness_name in names.items():
        expected = theirs[harness_name]
        sheet.line(f"{name}, Auricle", ours[name], "")
        sheet.line(f"{harness_name}, lm-evaluation-harness", expected, "")
        sheet.line("  difference", abs(ours[name] - expected), "", at_most(relative_tolerance * expected))


def main() -> int:
    sys.path.insert(0, str(HERE.parents[1]))
    from tests.support.real_server import model_folder

    model = model_folder()
    questions, texts = list(build_questions()), list(build_texts())
    sheet = Sheet(f"Likelihoods: {len(questions)} questions, {len(texts)} texts, SmolLM2-135M-Instruct")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        our_options, ours = run_auricle("multiple_choice", folder, model)
        their_options, theirs = run_harness(MULTIPLE_CHOICE_CONFIG, questions, folder, model)
        compare_numbers(sheet, ACCURACIES, ours, theirs, 0.0)
        difference = largest_difference(our_options, their_options)
        sheet.line("log-likelihood of an option, largest difference", difference, "", at_most(OPTION_TOLERANCE))

        our_texts, ours = run_auricle("perplexity", folder, model, window=WINDOW, stride=WINDOW)
        their_texts, theirs = run_harness(PERPLEXITY_CONFIG, texts, folder, model, f",max_length={WINDOW}")
        compare_numbers(sheet, PERPLEXITIES, ours, theirs, PERPLEXITY_TOLERANCE)
        difference = largest_difference(our_texts, their_texts)
        sheet.line("log-likelihood of a text, largest difference", difference, "", at_most(TEXT_TOLERANCE))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
