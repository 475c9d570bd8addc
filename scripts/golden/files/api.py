"""The same from Python."""

import json

import auricle
from auricle.runs.documents import encode_document

spec = auricle.Spec(
    task="asr", task_args={"data": "asr.jsonl", "language": "en"}, model="fake-api", model_args={"wrong": 0.3}
)


def plain(value: object) -> object:
    return json.loads(encode_document(value))


results = {
    "evaluate": plain(list(auricle.evaluate(spec, "runs/python"))),
    "score": plain(list(auricle.score("runs/python", profile="basic"))),
    "summary": plain(auricle.summary("runs/python", by="subset")),
    "compare": plain(auricle.compare("runs/asr-en", "runs/asr-wrong", by="subset")),
    "wer": plain(auricle.wer(["the cat sat"], ["the cat sit"])),
}
print(json.dumps(results, indent=1))
