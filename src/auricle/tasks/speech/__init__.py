"""Speech synthesis and spoken answers."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "speech synthesis and spoken answers",
    metrics={
        "metrics.sets": {"spoken_answers": "set: the following, for any answers that are speech"},
        "metrics.failures": {"speech_failures": "share of speech that is empty, clipped, silent or of odd length"},
        "metrics.signal_quality": {
            "speech_silence": "share of silence in spoken answers",
            "speech_leading_silence": "mean s of silence before the speech",
            "speech_trailing_silence": "mean s of silence after the speech",
            "speech_cut_off": "share of spoken answers that break off at a high level",
            "speech_clipping": "share of samples at full scale",
            "speech_duration": "mean s of spoken answers",
            "characters_per_second": "characters of the text per second of speech",
            "words_per_second": "words of the text per second of speech",
        },
        "metrics.speed": {
            "synthesis_rtf": "seconds that a model takes per second of speech",
            "synthesis_rtfx": "seconds of speech per second that a model takes",
            "time_to_first_audio": "median s from the request to its first audio",
            "time_to_first_audible": "median s from the request to its first audible sample",
        },
        "metrics.full_reference": {
            "pesq_wb": "PESQ, wide band: quality against the row's recording",
            "pesq_nb": "PESQ, narrow band: quality against the row's recording",
            "stoi": "STOI: intelligibility against the row's recording",
            "estoi": "ESTOI: intelligibility against the row's recording",
            "si_sdr": "SI-SDR in dB against the row's recording",
        },
        "metrics.prosody": {
            "mcd": "mel-cepstral distance in dB, frames paired by DTW",
            "mcd_plain": "mel-cepstral distance in dB of equally long recordings",
            "f0_rmse": "root mean squared error of the pitch in Hz",
            "f0_rmse_cents": "root mean squared error of the pitch in cents",
            "f0_correlation": "correlation of the pitch with that of the row's recording",
            "vuv_error": "share of frames that are voiced in one recording only",
        },
        "metrics.round_trip": {
            "round_trip": "set: the following four, for spoken answers (--recogniser)",
            "round_trip_wer": "WER of a recogniser's transcript of spoken answers",
            "round_trip_cer": "CER of a recogniser's transcript of spoken answers",
            "round_trip_wer_mean": "mean WER of utterances, as seed-tts-eval computes it",
            "round_trip_floor": "the same recogniser's WER on people speaking the same texts",
        },
        "metrics.speaker_similarity": {
            "speaker_similarity": "voice of answers against that of the row (--speaker-model)"
        },
        "metrics.predicted_quality": {
            "predicted_quality": "set: the following five, as far as --quality-model allows",
            "dnsmos_ovrl": "predicted by DNSMOS P.835: overall quality of spoken answers",
            "dnsmos_sig": "predicted by DNSMOS P.835: quality of the speech itself",
            "dnsmos_bak": "predicted by DNSMOS P.835: how little noise there is",
            "plcmos": "predicted by PLCMOS: quality under packet loss",
            "distillmos": "predicted by DistillMOS: overall quality",
        },
    },
    task_kinds={"tts": ("kind:tts", "speech synthesis of your texts (`--as tts`)")},
    inferencers={"speak": ("inferencers:Speak", "a text to speak, once or with several seeds")},
    report_sections={"spoken-answers": ("figures:render_spoken_answers", "why spoken answers fail", "250")},
    more={
        "figures": {"speech": ("figures:SpeechFigures", "")},
        "judge_roles": {
            "recogniser": ("roles:RECOGNISER", "transcribes spoken answers"),
            "speaker": ("roles:SPEAKER", "rates how similar two voices are"),
            "quality": ("roles:QUALITY", "predicts how listeners would rate spoken answers"),
        },
        "row_formats": {".lst": ("formats:read_seed_tts", "lists of seed-tts-eval")},
    },
    headlines={
        "metrics.signal_quality": (),
        "metrics.speed": ("time_to_first_audio", "synthesis_rtfx"),
        "metrics.full_reference": ("pesq_wb", "stoi"),
        "metrics.prosody": ("mcd", "f0_correlation"),
        "metrics.round_trip": ("round_trip_wer", "round_trip_floor"),
        "metrics.predicted_quality": ("dnsmos_ovrl", "distillmos"),
    },
)
