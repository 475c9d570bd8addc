"""A package that adds a model, a task and a metric through entry points."""

from collections.abc import Sequence

from auricle import BatchModel, Generate, Generation, Sample, Task, metric
from auricle.tasks.inferencers import Respond


class Whisperer(BatchModel):
    """A model that answers in lower case."""

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=str(request.turns[-1].parts[-1]).lower()) for request in batch]


@metric(limits=(0.0, 1.0))
def polite(sample: Sample, output: Generation) -> float:
    """Return whether the answer contains "please"."""
    return float("please" in output.text.lower())


def greetings() -> Task:
    """Build a task with two greetings."""
    words = ("Hello, please", "Hey")
    samples = [Sample(id=word, inputs={"text": word}, target=word) for word in words]
    return Task(samples, Respond("{text}"), [polite], name="greetings")
