"""IFEval: did the answer do what the prompt told it to, as far as a program can tell?

`checks` holds one function an instruction, `verdict` applies a sample's instructions to its
answer, `scores` has the metrics. What is counted as published and what is not is told in
`docs/open-answers.md`.
"""
