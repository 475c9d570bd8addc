"""Questions and task options that several benchmarks share."""

from __future__ import annotations

SCENE_QUESTION = "Which acoustic scene was this recorded in?"
VOCAL_SOUND_QUESTION = "Which human vocal sound is this?"
CAPTION_OPTIONS = {
    "question": "Describe this audio in one sentence.",
    "metrics": ["cider", "rouge_l", "bleu", "chrf"],
    "max_tokens": 128,
}
