"""What a listening check computes besides gains: chance, changed answers, words, and samples that need no sound."""

from dataclasses import replace

import pytest

from auricle.metrics.base import metric
from auricle.runs.metrics import Number
from auricle.runs.suites import SuiteRun
from auricle.studies.listening.answers import ListeningAnswers
from auricle.studies.listening.items import Answer
from auricle.studies.listening.numbers import check_listening, compute_numbers, list_samples
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.labels.metrics import option_accuracy
from tests.support.listeners import make_answers

RIGHT, WRONG = 1.0, 0.0


def find(answers: ListeningAnswers, name: str, group: str = "all") -> Number | None:
    return next((n for n in compute_numbers(answers) if (n.metric, n.group) == (name, group)), None)


def make_quiz() -> ListeningAnswers:
    stats = {
        "clean": [RIGHT, RIGHT, RIGHT, WRONG],
        "no-audio": [RIGHT, WRONG, RIGHT, WRONG],
        "replace:other": [RIGHT, WRONG, WRONG, WRONG],
        "shuffle": [RIGHT, RIGHT, RIGHT, RIGHT],
    }
    yes, no = Answer("yes", 0), Answer("no", 1)
    answers = {
        "clean": [yes, yes, no, Answer()],
        "no-audio": [yes, no, no, no],
        "replace:other": [yes, no, yes, yes],
        "shuffle": [yes, yes, no, no],
    }
    return make_answers(option_accuracy, stats, answers=answers, options=2)


def test_headline_is_the_gain_against_the_best_control() -> None:
    first = next(compute_numbers(make_quiz()))
    assert (first.metric, first.field, first.value) == ("option_accuracy.gain", "", 0.25)


def test_chance_is_that_of_guessing_an_option() -> None:
    chance = find(make_quiz(), "chance")
    assert chance is not None
    assert (chance.value, chance.unit) == (0.5, "share")
    assert find(make_answers(option_accuracy, {"clean": [RIGHT], "no-audio": [WRONG]}), "chance") is None


def test_changed_answers_are_counted_among_those_read_under_both_conditions() -> None:
    answers = make_quiz()
    swapped, whole = find(answers, "flip_rate", "replace:other"), find(answers, "flip_rate")
    assert swapped is not None
    assert swapped.value == pytest.approx(2 / 3)
    assert swapped.scored == 3
    assert whole is not None
    assert whole.value == swapped.value  # the headline is that of another sample's sound


def test_samples_right_in_every_control_without_the_sound_are_listed() -> None:
    answers = make_quiz()
    (sample,) = list_samples(answers)
    assert (sample["id"], sample["answers"]) == ("s0", {"no-audio": "yes", "replace:other": "yes"})
    assert sample["right_with_sound"]
    share = find(answers, "right_without_listening")
    assert share is not None
    assert (share.value, share.scored, share.higher_is_better) == (0.25, 4, False)


def test_control_without_answers_does_not_count() -> None:
    stats: dict[str, list[float | None]] = {"clean": [RIGHT, WRONG], "replace:other": [RIGHT, WRONG]}
    stats |= {"no-audio": [None, None]}
    answers = make_answers(option_accuracy, stats)
    assert [sample["id"] for sample in list_samples(answers)] == ["s0"]


def test_change_of_predicted_numbers_is_their_mean_absolute_difference() -> None:
    @metric()
    def quality(sample: object, output: object) -> float:
        return 0.0

    answers = {
        "clean": [Answer(values={"mos": 4.0}), Answer(values={"mos": 2.0}), Answer()],
        "replace:silence": [Answer(values={"mos": 1.0}), Answer(values={"mos": 3.0}), Answer(values={"mos": 1.0})],
    }
    stats = {name: [0.0, 0.0, 0.0] for name in answers}
    change = find(make_answers(quality, stats, answers=answers), "change.mos", "replace:silence")
    assert change is not None
    assert (change.value, change.scored) == (2.0, 2)


def test_words_of_a_recogniser_are_counted_per_minute_of_silence_and_noise() -> None:
    stats = dict.fromkeys(("clean", "no-audio", "replace:silence", "replace:other"), [(0, 0, 0, 4)] * 2)
    answers = make_answers(wer, stats)
    items = {
        name: {sample: replace(item, text="thank you") for sample, item in members.items()}
        for name, members in answers.items.items()
    }
    heard = replace(answers, items=items)
    words = find(heard, "nonspeech_words_per_minute", "replace:silence")
    assert words is not None
    assert words.value == pytest.approx(20.0)  # 2 words in 6 s
    assert words.details["words"] == 4
    assert find(heard, "nonspeech_words_per_minute", "replace:other") is None
    assert find(make_quiz(), "nonspeech_words_per_minute", "no-audio") is None


def test_scores_of_every_condition_are_copied() -> None:
    groups = [n.group for n in compute_numbers(make_quiz()) if (n.metric, n.field) == ("option_accuracy", "part")]
    assert groups == ["clean", "no-audio", "replace:other", "shuffle"]


def test_nothing_is_computed_without_the_task_itself() -> None:
    suite: SuiteRun = make_quiz().suite
    assert check_listening(suite, {}).not_computed == {"the listening gain": "the task has no score with its sound."}
