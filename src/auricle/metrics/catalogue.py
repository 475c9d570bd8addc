"""Built-in metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.errors import MissingExtra
from auricle.core.registry import Builtin, Registry

PROFILE_MARK = "@"
"""Separates the name of a metric from that of its text normaliser, if a task has the metric under several."""
DIMENSIONS = ("arousal", "dominance", "valence")
"""Dimensions of emotion that have metrics of their own."""
_SUMMARIES: Mapping[str, Mapping[str, str]] = {
    "error_rates": {
        "wer": "word error rate, pooled over all samples",
        "cer": "character error rate, pooled over all samples",
        "mer": "mixed error rate: Chinese characters and Latin words",
        "exact_match": "answer equals a reference",
        "contains": "answer contains a reference",
        "empty": "share of empty answers",
    },
    "judge": {
        "judge-reference": "judge: answer means the same as a reference",
        "judge-choice": "judge: answer chooses the right option",
        "judge-1-5": "judge: quality from 1 to 5",
        "judge-1-10": "judge: quality from 1 to 10",
        "judge-pairwise": "judge: win rate against a baseline, in both orders",
        "judge-solution-1-5": "judge: result and steps against a solution, 1 to 5",
    },
    "kimi": {
        "kimi-choice": "judge (Kimi): answer chooses the right option",
        "kimi-reference": "judge (Kimi): answer means the same as the reference",
        "kimi-sd-qa": "judge (Kimi, sd-qa): answer is right, in one word",
        "kimi-answer": "judge (Kimi, OpenAudioBench): answer expresses a reference",
        "kimi-open": "judge (Kimi): reply to a spoken request, 1 to 5",
        "kimi-alpaca": "judge (Kimi, alpaca_eval): quality from 1 to 10, times 10",
        "kimi-reasoning": "judge (Kimi, reasoning_qa): solution, 1 to 5, times 20",
        "vb-mcq": "letter read as by a checkout of the evalkit, else drawn",
    },
    "refusal": {"refusal": "share of refusals"},
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
    "timestamps.sets": {"timestamps": "set: errors of starts and ends, recall, coverage, faults"},
    "timestamps.words": {
        **{
            f"{side}_{name}": summary.format(side)
            for side in ("start", "end")
            for name, summary in {
                "error": "mean absolute error of the {}s of matched words, in s",
                "error_median": "median of the absolute errors of {}s, in s",
                "error_p95": "95th percentile of the absolute errors of {}s, in s",
                "error_centred": "{} error after removing the median offset, in s",
                "bias": "mean signed error of {}s in s; late is positive",
                **{f"within_{limit}ms": f"share of matched {{}}s within {limit} ms" for limit in (20, 50, 100, 200)},
            }.items()
        },
        **{
            f"boundary_recall_{limit}ms": f"share of all starts and ends that are right within {limit} ms"
            for limit in (20, 50, 100, 200)
        },
        "word_coverage": "share of the reference words whose times are compared",
        "word_iou": "mean overlap of matched words, over their union",
    },
    "timestamps.segmentation": {
        "segmentation": "set: the following five within 50 ms, without labels",
        **{
            f"segmentation_{name}_{limit}ms": f"{summary} within {limit} ms"
            for name, summary in {
                "f1": "F1 of inner boundaries",
                "precision": "share of the model's boundaries that are right",
                "recall": "share of the reference's boundaries that are found",
                "r_value": "R-value of boundaries",
            }.items()
            for limit in (20, 50, 100, 200)
        },
        "over_segmentation": "boundaries of the model per reference boundary, minus 1",
    },
    "timestamps.sanity": {
        "invalid_times": "share of words with times that cannot be right",
        "negative_durations": "share of words that end before they start",
        "unordered_starts": "share of words that start before the preceding one",
        "outside_audio": "share of words outside the recording",
    },
    "meetings.speakers": {
        "der": "diarisation error rate: missed, false and confused speech",
        "der_miss": "share of reference speech that is missed",
        "der_false_alarm": "speech of no one, per reference speech",
        "der_confusion": "share of reference speech with the wrong speaker",
        "jer": "Jaccard error rate, mean over speakers",
        "speaker_count_error": "mean absolute error of the number of speakers",
        "speaker_count_accuracy": "share of recordings with the right number of speakers",
    },
    "meetings.words": {
        "cpwer": "WER by speaker, under the best mapping of speakers",
        "tcpwer": "cpWER whose words match only within 5 s",
        "orcwer": "WER whatever the speakers: utterances match any stream",
        "dicpwer": "cpWER without speaker errors: segments get any speaker",
        "wder": "share of recognised words with the wrong speaker",
        "segment_errors": "share of reference segments with a wrong word",
    },
    "verification": {
        "eer": "equal error rate on the convex hull, for `--as verify`",
        "eer_interpolated": "equal error rate between neighbouring thresholds",
        "min_dcf": "lowest detection cost, P_target 0.01",
        "min_dcf_05": "lowest detection cost, P_target 0.05 (VoxSRC, SRE18 VAST)",
        "min_dcf_sre08": "lowest detection cost, SRE 1996–2008",
        "min_dcf_sre10": "lowest detection cost, SRE10",
        "min_dcf_sre12": "lowest detection cost, SRE12: mean of two priors",
        "min_dcf_sre16": "lowest detection cost, SRE16, SRE18 CMN2, SRE19 CTS",
        "act_dcf": "detection cost of log-likelihood ratios, P_target 0.01",
        "act_dcf_05": "detection cost of log-likelihood ratios, P_target 0.05",
        "act_dcf_sre08": "detection cost of log-likelihood ratios, SRE 1996–2008",
        "act_dcf_sre10": "detection cost of log-likelihood ratios, SRE10",
        "act_dcf_sre12": "detection cost of log-likelihood ratios, SRE12",
        "act_dcf_sre16": "detection cost of log-likelihood ratios, SRE16 to SRE19 CTS",
        "dcf_loss": "act_dcf minus min_dcf: the cost of calibration",
        "cllr": "cost of log-likelihood ratios in bits; 1 without information",
        "min_cllr": "cllr after the best calibration (PAV)",
        "cllr_loss": "cllr minus min_cllr: the cost of calibration",
    },
    "calls.conversation": {"conversation": "set: latency, turn taking and success of calls"},
    "calls.latency": {
        "voice_to_voice": "median s, caller's last to agent's first audible sample",
        "voice_to_voice_p95": "95th percentile of voice-to-voice latency",
        "first_byte_latency": "median s, caller's last audible sample to first audio",
        "endpoint_delay": "median s, caller's last audible sample to speech_stopped",
        "think_time": "median s, speech_stopped to the first audio of the answer",
        "lead_silence": "median s of silence at the start of an answer",
    },
    "calls.turn_taking": {
        "response_rate": "share of the caller's turns that the agent answers",
        "barge_in_yield": "share of barge-ins at which the agent stops within 2 s",
        "barge_in_success": "share of barge-ins with a stop and an answer",
        "yield_latency": "median s from barge-in to silence of the agent",
        "stop_signal_delay": "median s from barge-in to the model's signal",
        "false_yield_backchannel": "share of backchannels that stop the agent",
        "false_yield_vocalisation": "share of coughs and hums that stop the agent",
        "false_yield_aside": "share of remarks to others that stop the agent",
        "false_yield_noise": "share of noises that stop the agent",
        "pause_handling": "share of pauses in turns in which the agent is silent",
        "agent_interruption": "starts of the agent during a turn, per turn",
        "overlap_share": "share of the speech in which both speak",
        "talk_ratio": "the agent's share of all speech",
        "silence_share": "share of the call in which neither side speaks",
    },
    "calls.playback": {
        "underruns": "seconds without audio per minute of the agent's speech",
        "truncation_error": "seconds between what the model believes was heard and was",
    },
    "calls.success": {
        "tool_calls": "share of expected tool calls made, with their arguments",
        "facts": "share of expected facts in what was heard of the agent",
        "call_completion": "share of calls that the agent did not drop",
        "task_success": "share of calls that meet all expectations",
        **{f"task_success_pass{k}": f"pass^{k}: all of {k} repetitions of a conversation succeed" for k in range(2, 6)},
    },
    "calls.judged": {
        "judged_success": "judge: share of expected statements that are true of a call",
        "task_success_judged": "judge: share of calls that meet rules and statements",
    },
    "calls.transcripts": {
        "caller_wer": "WER of what the model understood against the script",
        "agent_wer": "WER of the agent's transcript against `agent_text` of the row",
    },
    "calls.tau_voice": {
        "tau_voice": "set: the following eight, as τ-voice computes them",
        "tau_response_latency_mean": "τ-voice L_R: mean s from turn to response, in 0.2 s ticks",
        "tau_yield_latency_mean": "τ-voice L_Y: mean s from interruption to silence",
        "tau_response_rate": "τ-voice R_R: turns that get a response",
        "tau_yield_rate": "τ-voice R_Y: interruptions that the agent yields to",
        "tau_agent_interruption_rate": "τ-voice I_A: interruptions by the agent per turn",
        "tau_selectivity_backchannel": "τ-voice S_BC: backchannels that the agent ignores",
        "tau_selectivity_vocal_tic": "τ-voice S_VT: vocal tics that the agent ignores",
        "tau_selectivity_non_directed": "τ-voice S_ND: talk to others that the agent ignores",
    },
    "calls.streaming": {
        "streaming": "set: delays, stability and lagging of streaming recognisers",
        "first_partial_delay": "median s from start of speech to the first text",
        "finalisation_delay": "median s from end of speech to the last final text",
        "word_emission_delay": "median s from a right word's end to the first text with it",
        "word_emission_delay_stable": "the same, to the text from which on it stays",
        "word_emission_recall": "share of the words with times that are right",
        "normalised_erasure": "words erased from partial texts per final word",
        "edit_overhead": "share of word edits of partial texts that were unnecessary",
        "unstable_partial_words": "words of partial texts changed later, per final word",
        "streaming_ap": "average proportion (AP) of the speech sent before a word",
        "streaming_al": "average lagging (AL) in seconds",
        "streaming_laal": "length-adaptive average lagging (LAAL) in seconds",
        "streaming_dal": "differentiable average lagging (DAL) in seconds",
        **{
            f"wer_at_{milliseconds}ms": f"word error rate {milliseconds} ms after the end of speech"
            for milliseconds in (0, 200, 500, 1000, 2000)
        },
        "real_time_factor": "seconds until the last text per second of speech",
    },
    "calls.full_duplex_bench": {
        "full_duplex_bench": "set: the following eight, as Full-Duplex-Bench has them",
        "fdb_tor_pause": "FDB: share of turns with pauses in which the agent takes over",
        "fdb_tor_turn_taking": "FDB: share of turns after which the agent takes over",
        "fdb_tor_interruption": "FDB: share of interruptions that the agent responds to",
        "fdb_tor_backchannel": "FDB: share of turns in which the agent takes over",
        "fdb_latency_turn_taking": "FDB: mean s from turn to take-over, negative ones as 0",
        "fdb_latency_interruption": "FDB: the same, after interruptions",
        "fdb_backchannel_frequency": "FDB: backchannels of the agent per second of turns",
        "fdb_backchannel_jsd": "FDB: distance of their timing from that of people",
    },
    "calls.eva": {"eva_turn_taking": "EVA: mean score of turns for latency and interruptions"},
    "spoken.sets": {"spoken_answers": "set: the following, for any answers that are speech"},
    "spoken.failures": {"speech_failures": "share of speech that is empty, clipped, silent or of odd length"},
    "spoken.signal": {
        "speech_silence": "share of silence in spoken answers",
        "speech_leading_silence": "mean s of silence before the speech",
        "speech_trailing_silence": "mean s of silence after the speech",
        "speech_cut_off": "share of spoken answers that break off at a high level",
        "speech_clipping": "share of samples at full scale",
        "speech_duration": "mean s of spoken answers",
        "characters_per_second": "characters of the text per second of speech",
        "words_per_second": "words of the text per second of speech",
    },
    "spoken.speed": {
        "synthesis_rtf": "seconds that a model takes per second of speech",
        "synthesis_rtfx": "seconds of speech per second that a model takes",
        "time_to_first_audio": "median s from the request to its first audio",
        "time_to_first_audible": "median s from the request to its first audible sample",
    },
    "spoken.full_reference": {
        "pesq_wb": "PESQ, wide band: quality against the row's recording",
        "pesq_nb": "PESQ, narrow band: quality against the row's recording",
        "stoi": "STOI: intelligibility against the row's recording",
        "estoi": "ESTOI: intelligibility against the row's recording",
        "si_sdr": "SI-SDR in dB against the row's recording",
    },
    "spoken.prosody": {
        "mcd": "mel-cepstral distance in dB, frames paired by DTW",
        "mcd_plain": "mel-cepstral distance in dB of equally long recordings",
        "f0_rmse": "root mean squared error of the pitch in Hz",
        "f0_rmse_cents": "root mean squared error of the pitch in cents",
        "f0_correlation": "correlation of the pitch with that of the row's recording",
        "vuv_error": "share of frames that are voiced in one recording only",
    },
    "spoken.round_trip": {
        "round_trip": "set: the following four, for spoken answers (--recogniser)",
        "round_trip_wer": "WER of a recogniser's transcript of spoken answers",
        "round_trip_cer": "CER of a recogniser's transcript of spoken answers",
        "round_trip_wer_mean": "mean WER of utterances, as seed-tts-eval computes it",
        "round_trip_floor": "the same recogniser's WER on people speaking the same texts",
    },
    "spoken.speaker_similarity": {"speaker_similarity": "voice of answers against that of the row (--speaker-model)"},
    "spoken.predicted_quality": {
        "predicted_quality": "set: the following five, as far as --quality-model allows",
        "dnsmos_ovrl": "predicted by DNSMOS P.835: overall quality of spoken answers",
        "dnsmos_sig": "predicted by DNSMOS P.835: quality of the speech itself",
        "dnsmos_bak": "predicted by DNSMOS P.835: how little noise there is",
        "plcmos": "predicted by PLCMOS: quality under packet loss",
        "distillmos": "predicted by DistillMOS: overall quality",
    },
    "ifeval.scores": {
        "ifeval": "IFEval: mean of the four accuracies",
        "ifeval_prompt_strict": "IFEval: prompts with all instructions followed, strict",
        "ifeval_prompt_loose": "IFEval: prompts with all instructions followed, loose",
        "ifeval_instruction_strict": "IFEval: instructions followed, strict",
        "ifeval_instruction_loose": "IFEval: instructions followed, loose",
    },
    "translation": {
        "bleu": "corpus BLEU by sacrebleu, with the tokeniser of the language",
        "bleu_char": "BLEU over characters, for Chinese and Japanese",
        "bleu_zh": "BLEU with sacrebleu's zh tokeniser",
        "chrf": "corpus chrF, computed with sacrebleu",
        "chrf_pp": "corpus chrF++ (with word bigrams), computed with sacrebleu",
        "ter": "translation edit rate, computed with sacrebleu",
    },
    "captions": {
        "rouge_l": "ROUGE-L: F-measure of the longest common subsequence",
        "cider": "CIDEr-D: TF-IDF similarity of n-grams to reference captions",
    },
    "labels": {
        "word_match": "answer has the words of the right option only (MMAU)",
        "option_accuracy": "right option of a multiple-choice question",
        "accuracy": "right label; in pairs, the side that people prefer",
        "wa": "weighted accuracy, another name of accuracy",
        "accuracy_matched": "accuracy over samples whose label the model has",
        "accuracy_closed": "accuracy among the labels that model and task share",
        "top2": "right label is one of the two highest",
        "top3": "right label is one of the three highest",
        "uar": "unweighted average recall",
        "uar_all": "unweighted average recall; labels the model lacks count as 0",
        "macro_f1": "mean F1 over classes",
        "weighted_f1": "mean F1 weighted by class size",
        "macro_precision": "mean precision over classes",
        "weighted_precision": "mean precision weighted by class size",
        "weighted_recall": "mean recall weighted by class size",
        "ece": "expected calibration error, 15 bins",
    },
    "tagging": {
        "tagging": "set: the following ten, for `--as tag`",
        "mean_ap": "mean average precision over classes (mAP), from scores",
        "base_rate": "mAP of scores that are all equal: the share of true labels",
        "micro_ap": "average precision over all recordings and classes at once",
        "lwlrap": "label-weighted label-ranking average precision",
        "mean_auc": "mean area under the ROC curve over classes",
        "d_prime": "d′ of the mean area under the ROC curve",
        "tag_f1": "F1 over all labels of all recordings, at a threshold",
        "tag_f1_macro": "mean F1 over classes, at a threshold",
        "tag_precision": "share of predicted labels that are true",
        "tag_recall": "share of true labels that are predicted",
    },
    "events.detection": {"detection": "set: the following nine, for `--as detect`"},
    "events.segment_based": {
        "segment_f1": "F1 of classes active in segments of 1 s",
        "segment_f1_macro": "mean of the segment-based F1 over classes",
        "segment_error_rate": "substituted, deleted, inserted activities per true one",
        "segment_miss_rate": "share of event time that is not detected",
        "segment_false_alarm_rate": "share of time without events in which one is detected",
    },
    "events.event_based": {
        "event_f1": "F1 of events, onset within 200 ms, offset also within 20 %",
        "event_f1_macro": "mean of the event-based F1 over classes",
    },
    "events.psds": {
        "psds1": "PSDS, scenario 1: precise times; from scores, all thresholds",
        "psds2": "PSDS, scenario 2: the right class; from scores, all thresholds",
    },
    "dimensions": {
        "eta2": "mean share of variance between labels, over all dimensions",
        **{
            f"{name}_{dimension}": f"{dimension}: {summary}"
            for name, summary in {
                "eta2": "share of variance between labels",
                "ccc": "concordance with listeners' ratings",
                "pearson": "correlation with listeners' ratings",
                "rmse": "root mean squared error against listeners' ratings",
            }.items()
            for dimension in DIMENSIONS
        },
    },
    "ratings": {
        "srcc": "Spearman's rank correlation with human ratings",
        "lcc": "Pearson's linear correlation with human ratings (PLCC)",
        "ktau": "Kendall's tau-b with human ratings",
        "rmse": "root mean squared error against human ratings",
    },
    "preference": {
        "chance": "accuracy of a coin toss on pairs",
        "always_b": "accuracy of always choosing the second of a pair",
        "position_bias": "share of pairs decided by position, not by content",
    },
    "likelihood": {
        "acc": "right option is the likeliest",
        "acc_token": "right option is the likeliest per token",
        "acc_char": "right option is the likeliest per character",
        "acc_byte": "right option is the likeliest per byte",
        "acc_pmi": "right option gains most from the prompt (PMI)",
        "acc_whole": "prompt and right option have the lowest perplexity (AISBench)",
        "acc_first": "letter of the right option is the likeliest token",
        "token_perplexity": "perplexity per token, pooled",
        "word_perplexity": "perplexity per word, pooled",
        "byte_perplexity": "perplexity per byte, pooled",
        "bits_per_byte": "bits per byte of text, pooled",
        "sequence_perplexity": "mean perplexity of the texts",
    },
}
"""The metrics of each module, with a summary."""

METRICS: Registry[Any] = Registry(
    "metric",
    {
        name: Builtin(f"auricle.metrics.{module}:{name.replace('-', '_')}", summary)
        for module, summaries in _SUMMARIES.items()
        for name, summary in summaries.items()
    },
)


def metric_title(name: str) -> str:
    """Return the title of a metric that a document names; `srcc.musicality` is a metric of a dimension.

    >>> metric_title("wer"), metric_title("wer@basic"), metric_title("srcc.musicality"), metric_title("mine")
    ('WER', 'WER (basic)', 'SRCC musicality', 'mine')
    >>> metric_title("option_accuracy.pass@2")
    'Option accuracy pass@2'
    """
    from auricle.text.profiles import is_profile

    plain_name, _, profile = name.rpartition(PROFILE_MARK)
    if is_profile(profile):  # not the 2 of pass@2
        return f"{metric_title(plain_name)} ({profile})"
    builtin, _, suffix = name.partition(".")
    if builtin not in METRICS.builtin:
        return name
    try:
        title = str(getattr(METRICS.get(builtin), "title", builtin))  # a set of metrics has no title
    except MissingExtra:
        return name
    return f"{title} {suffix}".strip()
