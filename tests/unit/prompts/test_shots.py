"""Examples before a sample: chosen by whom, never the sample itself, no more than fit."""


from auricle.prompts.shots import Shots
from auricle.types import Sample


def row(name, question="", answer="", **meta):
    inputs = {"question": question or f"question {name}"}
    return Sample(id=name, inputs=inputs, target=answer or f"answer {name}", meta=meta)


def rows(count):
    return [row(f"r{number}") for number in range(count)]


def shots(given, pool, answer=lambda sample: str(sample.target), **rest):
    return Shots.from_options(given, pool, answer, **rest)


def ids(given, pool, sample, **rest):
    return [shot.id for shot in shots(given, pool, **rest).of(sample)]


# --- who chooses ---------------------------------------------------------------


def test_first_takes_the_first_rows_in_their_order():
    assert ids("first:3", rows(9), row("x")) == ["r0", "r1", "r2"]


def test_zero_shows_nothing_and_reads_no_pool():
    def unread():
        raise AssertionError
        yield

    assert ids("zero", unread(), row("x")) == ids(0, unread(), row("x")) == []


def test_a_number_alone_draws_so_many_at_random():
    pool = rows(50)
    assert len(set(ids(3, pool, row("x")))) == 3
    assert ids(3, pool, row("x")) == ids("3", pool, row("x")) == ids("random:3", pool, row("x"))
    assert ids(3, pool, row("x")) != ids(3, pool, row("y"))
    assert ids(3, pool, row("x")) != ids({"k": 3, "seed": 1}, pool, row("x"))
