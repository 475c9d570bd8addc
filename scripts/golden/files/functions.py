import re


def judge(text):
    """Judge by the length of the answer, in a form that fits every rubric."""
    answer = re.findall(r"<answer(?:_a)?>\n(.*?)\n</answer", text, re.S)[0]
    if "Winner" in text:
        return "Winner: " + ("A", "B", "tie")[len(answer) % 3]
    if "Score" in text:
        return f"Score: {1 + len(answer) % 5}"
    return "Verdict: " + ("yes" if len(answer) % 2 else "no")


def stern(text):
    """Judge that nothing is right."""
    return "Verdict: no"


def unread(text):
    """Read the first option from every reply."""
    return "A"


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
