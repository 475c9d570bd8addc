"""Speech recognition: error rates, words that matter, hallucination, masked words."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "speech recognition: error rates, words that matter, hallucination, masked words",
    metrics={
        "error_rates": {
            "wer": "word error rate, pooled over all samples",
            "cer": "character error rate, pooled over all samples",
            "mer": "mixed error rate: Chinese characters and Latin words",
            "exact_match": "answer equals a reference",
            "contains": "answer contains a reference",
            "empty": "share of empty answers",
        },
        "hallucination": {
            "hallucination": "set: the following six, for any recogniser",
            "nonspeech_output": "share of empty references for which words are written",
            "nonspeech_words_per_minute": "words per minute where the reference is empty",
            "repetition_loops": "share of answers that repeat words 4 times in a row",
            "insertion_bursts": "share of answers with 5 inserted words in a row",
            "other_script": "share of answers in another script than the reference",
            "nothing_heard": "share of replies that state that nothing can be heard",
        },
        "words.biasing": {
            "biased_words": "set: the following three, for the column `biasing_words`",
            "b_wer": "B-WER: word error rate of the words of a list",
            "u_wer": "U-WER: word error rate of all other words",
            "over_biasing": "wrong words from the list per 1,000 words of the reference",
        },
        "words.entities": {
            "entities": "set: the following four, for the column `entities`",
            "entity_f1": "F1 of entities at their place, by label in the details",
            "entity_recall": "share of entities that are recognised at their place",
            "entity_precision": "share of entities in answers that are at their place",
            "entity_cer": "character error rate within entities",
        },
        "words.numbers": {
            "numbers": "set: the following four, by value, in digits or in words",
            "number_f1": "F1 of numbers at their place",
            "number_recall": "share of numbers that are recognised at their place",
            "number_precision": "share of numbers in answers that are right",
            "number_value_errors": "share of numbers recognised with another value",
        },
        "words.written_form": {
            "written_form": "set: the following nine, for case and punctuation",
            "cased_wer": "word error rate that keeps case",
            "punctuated_wer": "word error rate with each mark as a word, without case",
            "formatted_wer": "word error rate that keeps case and marks",
            "punctuation_f1": "F1 of commas, full stops and question marks",
            "punctuation_precision": "share of marks in answers that are right",
            "punctuation_recall": "share of marks in references that are recognised",
            "punctuation_ser": "slot error rate: wrong marks per mark of the reference",
            "capitalisation_accuracy": "share of recognised words with the right case",
            "capitalisation_f1": "F1 of capital letters among recognised words",
        },
        "words.code_switching": {
            "code_switching": "set: the following three, for speech that mixes languages",
            "mer_cjk": "mixed error rate of Chinese characters and kana",
            "mer_latin": "mixed error rate of Latin words",
            "switch_error_rate": "errors per token next to a switch of scripts",
        },
        "words.segments": {
            "long_form": "set: the following two, for the column `segments`",
            "segment_wer_mean": "mean WER of the segments of long references",
            "lost_segments": "share of segments of which no word is recognised",
        },
        "words.semantic": {"semantic_wer": "judge: WER of the errors that change the meaning"},
        "benchmark_fitting": {
            "reference_errors": "set: agreement with wrong references, and both WERs",
            "reference_error_agreement": "share of reference errors that the answer has, too",
            "wer_official": "WER against the reference, of rows with a correction",
            "wer_corrected": "WER against the corrected reference",
            "masked_words": "set: the following three, for `--as masked-words`",
            "masked_excess": "recall of masked words above that of control words",
            "masked_recall": "share of masked words that are recognised",
            "masked_control_recall": "share of masked control words that are recognised",
        },
    },
    task_kinds={
        "asr": ("kind:asr", "speech recognition on your data (`--as asr`)"),
        "masked-words": (
            "masked_words:masked_words_task",
            "recognition of words cut out of the sound (`--as masked-words`)",
        ),
    },
    tasks={"silence": ("silence:silence", "40 sounds without speech, made on this machine")},
    commands={"words": ("commands:words", "Print which words a recogniser lost, confused and inserted.", "Inspect")},
    report_sections={"words": ("word_errors:render_words", "words that were lost, confused and inserted", "240")},
    more={
        "path_arguments": dict.fromkeys(("words", "entities"), ("word_options:TranscriptOptions", "")),
        "scoring_arguments": dict.fromkeys(("words", "entities"), ("word_options:TranscriptOptions", "")),
        "record_observers": {
            "vowel-marks": ("vowel_marks:VowelMarks", "vowel marks that one side lacks"),
            "word-errors": ("word_errors:WordErrorObserver", "errors by word"),
        },
    },
    headlines={"words.written_form": ("formatted_wer", "punctuation_f1", "capitalisation_f1")},
)
