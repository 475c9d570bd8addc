"""IFEval: whether an answer follows instructions that a program can check.

`checks` has one function per instruction, `instructions` applies the instructions of a sample to its answer, and
`scores` has the metrics. `docs/open-answers.md` lists the differences from the published implementation.
"""
