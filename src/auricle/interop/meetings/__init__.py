"""Files of who speaks what and when, as programs for meetings write them: RTTM, STM, CTM and SegLST."""
