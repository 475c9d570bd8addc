"""The report in a real browser: it works offline, without scripts, in dark mode and on a phone."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from auricle import Spec, compare, evaluate
from auricle.core.signature import Signature
from auricle.core.types import Failure, Generation, Prediction, Record, Sample
from auricle.media import Audio
from auricle.report.run_html import render_report
from auricle.runs.metrics import ModelFacts, TaskFacts
from auricle.scoring.run_scores import build_metrics
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.asr import error_rates
from auricle.tasks.calls.metrics.latency import voice_to_voice
from auricle.tasks.labels import dimensions
from auricle.tasks.labels import metrics as labels
from tests.support.browser import wait_until
from tests.support.call_recordings import make_call_audio, make_recording
from tests.support.report_pages import view_samples

LONG = "unbroken" * 40


def page_of(records: Any, metrics: Any) -> Any:
    table = ScoreTable(metrics)
    list(score_records(records, table))
    signature = Signature.parse(f"{LONG}:1|local|Respond#0000||model|auricle 0.1.0")
    document = build_metrics(
        table,
        summarise(table, signature),
        task=TaskFacts(f"task-{LONG}", source=f"{LONG}.jsonl"),
        model=ModelFacts(f"model-{LONG}", {"path": LONG}),
        auricle="0.1.0",
        created="2026-08-14T10:22:31+00:00",
        rows=99,
    )
    by_id = {record.sample.id: record for record in records}
    return render_report(
        document, view_samples([by_id[record.sample.id] for record, _ in table.worst_records()], metrics[0])
    )


def heard(at: Any, audio: Any = None) -> Any:
    """Transcripts in several scripts, some of them missing, some without end."""
    answers = [("turn the light on", "turn light on now"), ("打开客厅的灯", "打开客厅灯"),
            ("مرحبا بكم في هذا", "مرحبا كم في"), (LONG, f"{LONG} {LONG}")]  # fmt: skip
    target, answer = answers[at % len(answers)]
    meta = {"subset": f"set {at % 3}", "accent": LONG if at % 2 else "none", "speaker": at % 20}
    sample = Sample(id=f"{at:03d}-{LONG if at % 5 == 0 else 'x'}", inputs={"audio": audio or []},
                    target=target, meta=meta, origin=f"{LONG}.jsonl:{at}")  # fmt: skip
    if at % 11 == 10:
        return Record(sample=sample, row=at, error=Failure("Timeout", f"no answer from {LONG}"))
    return Record(sample=sample, row=at, outputs=(Generation(text=answer),))


def classified(at: Any) -> Any:
    names = ["angry", "calm", "disgusted", "fearful", "happy", "neutral", "sad", LONG]
    values = {name: 1 / (2 + (at * 7 + place) % 8) for place, name in enumerate(names)}
    sample = Sample(id=f"c{at}", inputs={"choices": names}, target=names[at % 8], meta={"actor": at % 4})
    output = Generation(text="no idea") if at % 9 == 8 else Prediction(values=values, scale="logit")
    return Record(sample=sample, row=at, outputs=(output,))


def moved(at: Any) -> Any:
    names = ["angry", "calm", "happy", LONG]
    values = {"arousal": at % 7 / 6, "dominance": 0.5 + at % 3 / 9, "valence": at % 11 / -10}
    sample = Sample(id=f"d{at}", inputs={}, target=names[at % 4], meta={"actor": at % 4})
    output = Prediction(values=values, scale="continuous")
    return Record(sample=sample, row=at, outputs=(output,))


def heard_otherwise(at: Any) -> Any:
    names, own = ["angry", "calm", "sad"], ["生气/angry", "难过/sad", f"其他/{LONG}", "<unk>"]
    values = {name: 1 / (2 + (at * 7 + place) % 5) for place, name in enumerate(own)}
    sample = Sample(id=f"m{at}", inputs={"choices": names}, target=names[at % 3], meta={})
    output = Prediction(values=values, scale="probability")
    return Record(sample=sample, row=at, outputs=(output,))


def called(at: int) -> Record:
    recording = make_recording(audio=make_call_audio())
    return Record(sample=Sample(id=f"call {at}", inputs={}), row=at, outputs=(recording,))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("pages")
    wave = 0.3 * np.sin(2 * np.pi * 440 * np.arange(24_000) / 16_000)
    sound = [Audio.of(wave.astype(np.float32), rate=16_000)]
    made = {
        "speech": page_of([heard(at, sound) for at in range(44)], [error_rates.wer, error_rates.cer]),
        "classes": page_of(
            [classified(at) for at in range(80)], [labels.accuracy, labels.uar, labels.macro_f1, labels.weighted_f1]
        ),
        "dimensions": page_of([moved(at) for at in range(90)], [dimensions.eta2]),
        "matched": page_of([heard_otherwise(at) for at in range(90)], [labels.uar]),
        "calls": page_of([called(at) for at in range(3)], [voice_to_voice]),
        "empty": page_of([], [error_rates.wer]),
    }
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


class Visit:
    """A page with its console messages and requests."""

    def __init__(self, browser: Any, path: Any, width: int = 1280, **context: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **context)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requested_urls: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requested_urls.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.context.close()

    def shown(self) -> Any:
        return self.page.locator(".cards > li:visible").count()


@pytest.mark.parametrize("name", ["speech", "classes", "dimensions", "matched", "calls", "empty"])
def test_page_requests_nothing_and_logs_nothing(browser: Any, pages: Any, name: str) -> None:
    with Visit(browser, pages / f"{name}.html") as visit:
        visit.page.wait_for_load_state("networkidle")
        assert visit.complaints == []
        assert all(url.startswith(("file:", "data:")) for url in visit.requested_urls)


def test_markup_that_a_model_injected_does_not_run(browser: Any, pages: Any, tmp_path: Any) -> None:
    injected = """<script>document.title = "OWNED"</script><img src="data:," onerror="document.title = 'OWNED'">
        <p id="styled" style="color: red">x</p><a id="link" href="javascript:document.title='OWNED'">y</a>"""
    page = (pages / "speech.html").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(page.replace("<main", f"{injected}<main"), encoding="utf-8")
    with Visit(browser, tmp_path / "page.html") as visit:
        visit.page.locator("#link").click()
        visit.page.get_by_label("Filter").fill("light")
        assert visit.page.title() != "OWNED"
        assert visit.page.locator("#styled").evaluate("e => getComputedStyle(e).color") != "rgb(255, 0, 0)"
        refused = [text for text in visit.complaints if "Content Security Policy" in text]
        assert len(refused) >= 4
        assert visit.shown() > 0


def test_pages_of_comparisons_and_load_tests_break_no_policy(browser: Any, tmp_path: Any) -> None:
    data = tmp_path / "quiz.jsonl"
    data.write_text("".join(f'{{"id": "{at}", "question": "say {at}", "answer": "say {at}"}}\n' for at in range(20)))
    for name, wrong in (("a", 0.0), ("b", 0.5)):
        evaluate(
            Spec(task="qa", task_args={"data": str(data)}, model="echo", model_args={"wrong": wrong}), tmp_path / name
        )
    compare(tmp_path / "a", tmp_path / "b").write_html(tmp_path / "comparison.html")
    command = [
        "perf",
        str(data),
        "--as",
        "qa",
        "-m",
        "echo",
        "--load",
        "closed:1",
        "--load",
        "closed:2",
        "--count",
        "4",
    ]
    subprocess.run([sys.executable, "-m", "auricle", *command, "-o", str(tmp_path / "load")], check=True)
    for path in (tmp_path / "comparison.html", tmp_path / "load" / "report.html"):
        with Visit(browser, path) as visit:
            assert visit.complaints == []
            assert visit.page.locator("h1").first.is_visible()


def test_only_one_sound_plays_at_a_time(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "speech.html") as visit:
        playing = visit.page.evaluate(
            """async () => {
                const [first, second] = document.querySelectorAll("audio");
                const paused = new Promise((resolve) => first.addEventListener("pause", resolve));
                for (const player of [first, second]) { player.muted = true; await player.play(); }
                await paused;
                return [first.paused, second.paused];
            }"""
        )
        assert playing == [True, False]
        assert visit.complaints == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["speech", "classes", "dimensions", "matched", "calls", "empty"])
def test_page_fits_the_window(browser: Any, pages: Any, name: str, width: int) -> None:
    with Visit(browser, pages / f"{name}.html", width) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["classes", "dimensions", "matched"])
def test_no_word_of_a_picture_is_cut_off(browser: Any, pages: Any, name: str) -> None:
    with Visit(browser, pages / f"{name}.html") as visit:
        beyond = visit.page.evaluate(
            """() => [...document.querySelectorAll("svg.plot text")].filter((text) => {
                const [own, whole] = [text, text.ownerSVGElement].map(
                    (each) => each.getBoundingClientRect());
                return own.left < whole.left - 1 || own.right > whole.right + 1
                    || own.top < whole.top - 1 || own.bottom > whole.bottom + 1;
            }).map((text) => text.textContent)"""
        )
        assert visit.page.locator("svg.plot text").count() > 10
        assert beyond == []


def test_a_small_matrix_has_space_beside_its_table(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "matched.html") as visit:
        assert visit.page.locator(".fields.pair").count() == 1
        figure, table = (visit.page.locator(f".pair > {each}").bounding_box() for each in ("figure", "div"))
        assert figure["x"] + figure["width"] < table["x"]
        assert visit.page.evaluate(
            "[...document.querySelectorAll('.pair .wide')].every((each) => each.scrollWidth <= each.clientWidth)"
        )


def test_sound_can_be_played(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "speech.html") as visit:
        seconds = visit.page.evaluate(
            """() => new Promise((resolve, reject) => {
                const player = document.querySelector("audio");
                player.addEventListener("loadedmetadata", () => resolve(player.duration));
                player.addEventListener("error", () => reject(player.error.message));
                player.preload = "metadata";
                player.load();
            })"""
        )
        assert 1.4 < seconds < 1.7
        assert visit.complaints == []


def test_filter_leaves_the_samples_that_match(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "speech.html") as visit:
        everything = visit.page.locator(".cards > li").count()
        visit.page.get_by_label("Filter").fill("LIGHT now")
        assert 0 < visit.shown() < everything
        assert visit.page.locator("#match-count").inner_text() == f"{visit.shown()} shown"
        visit.page.get_by_label("Filter").fill("no such words anywhere")
        assert visit.shown() == 0
        visit.page.get_by_label("Filter").fill("")
        assert visit.shown() == everything


def test_the_ten_worst_samples_are_shown_and_the_others_behind_one_click(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "speech.html") as visit:
        visible = visit.page.locator(".cards > li:visible")
        everything = visit.page.locator(".cards > li").count()
        assert visible.count() == 10 < everything
        visit.page.locator("#more-cards > summary").click()
        assert visible.count() == everything
        assert visit.page.locator("#match-count").inner_text() == f"{everything} samples"
    with Visit(browser, pages / "speech.html") as visit:
        last = visit.page.locator(".cards > li").last.get_attribute("id")
        visit.page.evaluate("(id) => { location.hash = id; }", last)
        wait_until(visit.page, "document.querySelector('#more-cards').open")
        assert visit.complaints == []


def test_order_can_be_turned_round(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "speech.html") as visit:
        first = visit.page.locator(".cards > li").first.get_attribute("data-id")
        visit.page.get_by_label("Order").select_option("best")
        assert visit.page.locator(".cards > li").last.get_attribute("data-id") == first
        visit.page.get_by_label("Order").select_option("id")
        assert visit.page.locator(".cards > li").first.get_attribute("data-rank") != "0"
        ids = visit.page.locator(".cards > li").evaluate_all("all => all.map(i => i.dataset.id)")
        assert ids == sorted(ids)


def test_signature_can_be_copied_with_the_keyboard(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "speech.html") as visit:
        button = visit.page.locator(".copy").first
        button.focus()
        visit.page.keyboard.press("Enter")
        wait_until(visit.page, "document.querySelector('.copy').textContent !== 'Copy'")
        assert visit.page.evaluate("getSelection().toString()").startswith(LONG)
        assert visit.complaints == []


def test_page_works_without_script(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "speech.html", java_script_enabled=False) as visit:
        assert visit.page.locator(".cards > li").first.is_visible()
        assert not visit.page.locator("#controls").is_visible()
        assert not visit.page.locator(".copy").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_paper(browser: Any, pages: Any, scheme: str) -> None:
    with Visit(browser, pages / "speech.html", color_scheme=scheme) as visit:
        for selector in ("body", ".quiet", ".diff del", ".diff ins", "nav a"):
            assert contrast(visit.page, selector) >= 4.5, selector


def contrast(page: Any, selector: Any) -> Any:
    """The contrast ratio of the web's accessibility guidelines, against the page's paper."""
    ink = page.locator(selector).first.evaluate("e => getComputedStyle(e).color")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: Any) -> Any:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


PLAYHEAD = "parseFloat(document.querySelectorAll('.playhead')[1].style.left || '0')"


def test_line_in_the_timeline_of_a_call_follows_its_player_and_a_click_moves_it(browser: Any, pages: Any) -> None:
    with Visit(browser, pages / "calls.html") as visit:
        page = visit.page
        page.evaluate("document.querySelectorAll('audio')[1].play()")
        wait_until(page, f"{PLAYHEAD} > 0")
        page.evaluate("document.querySelectorAll('audio')[1].pause()")
        drawing = page.locator(".timeline .pictures").nth(1)
        box = drawing.bounding_box()
        drawing.click(position={"x": box["width"] / 2, "y": 40})
        wait_until(page, f"{PLAYHEAD} > 45")
        assert 8 < page.evaluate("document.querySelectorAll('audio')[1].currentTime") < 11
        page.get_by_text("As a table").nth(1).click()
        page.get_by_role("cell", name="does not answer").wait_for(state="detached")
        assert page.get_by_role("cell", name="say: When does the library open?").count() == 1
