"""Who speaks when, and what: turns, speakers and words of meetings."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "who speaks when, and what: turns, speakers and words of meetings",
    metrics={
        "metrics.speakers": {
            "der": "diarisation error rate: missed, false and confused speech",
            "der_miss": "share of reference speech that is missed",
            "der_false_alarm": "speech of no one, per reference speech",
            "der_confusion": "share of reference speech with the wrong speaker",
            "jer": "Jaccard error rate, mean over speakers",
            "speaker_count_error": "mean absolute error of the number of speakers",
            "speaker_count_accuracy": "share of recordings with the right number of speakers",
        },
        "metrics.words": {
            "cpwer": "WER by speaker, under the best mapping of speakers",
            "tcpwer": "cpWER whose words match only within 5 s",
            "orcwer": "WER whatever the speakers: utterances match any stream",
            "dicpwer": "cpWER without speaker errors: segments get any speaker",
            "wder": "share of recognised words with the wrong speaker",
            "segment_errors": "share of reference segments with a wrong word",
        },
    },
    task_kinds={"meeting": ("kind:meeting", "who speaks when, and what, on your data (`--as meeting`)")},
    more={
        "figures": {"meetings": ("figures:MeetingFigures", "")},
        "path_arguments": {"uem": ("kind:MeetingOptions", "")},
        "scoring_arguments": dict.fromkeys(
            ("collar", "overlap", "convention", "word_collar", "contents"), ("kind:MeetingOptions", "")
        ),
        "row_formats": dict.fromkeys(
            (".rttm", ".stm", ".ctm", ".seglst"), ("segment_files:read_recordings", "a row for each recording")
        ),
        "importers": {
            "rttm": ("formats:RTTM", "turns of speakers in RTTM, with --reference"),
            "stm": ("formats:STM", "words of speakers in STM, with --reference"),
            "ctm": ("formats:CTM", "words with times in CTM, with --reference"),
            "seglst": ("formats:SEGLST", "words of speakers in SegLST (JSON), with --reference"),
        },
        "exporters": {
            "rttm": ("formats:export_rttm", "turns of speakers in RTTM"),
            "stm": ("formats:export_stm", "words of speakers in STM"),
            "ctm": ("formats:export_ctm", "words with times in CTM"),
            "seglst": ("formats:export_seglst", "words of speakers in SegLST (JSON)"),
        },
    },
    report_sections={"recordings": ("figures:render_recordings", "errors by recording", "260")},
    headlines={"metrics.speakers": ("der", "speaker_count_accuracy"), "metrics.words": ("cpwer", "tcpwer")},
)
