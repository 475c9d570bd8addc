"""Speaker verification: scores of pairs of recordings."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "speaker verification: scores of pairs of recordings",
    metrics={
        "metrics": {
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
        }
    },
    task_kinds={"verify": ("kind:verify", "speaker verification on your data (`--as verify`)")},
    more={"importers": {"trial-scores": ("results:FORMAT", "scores of speaker verification, with --reference")}},
    report_sections={"detection": ("figures:render_detection", "DET curve, scores and calibration", "50")},
    headlines={"metrics": ("eer", "min_dcf", "cllr")},
)
