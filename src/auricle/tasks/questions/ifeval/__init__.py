"""IFEval: whether an answer follows instructions that a program can check.

`docs/open-answers.md` lists the differences from the published implementation.
"""
