"""The benchmark `pitch-order` for Auricle."""

import auricle

pitch_order = auricle.task_file(__package__, "task.yaml")
