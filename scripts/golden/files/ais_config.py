# ruff: noqa - as users of other frameworks write
from ais_bench.benchmark.openicl.icl_prompt_template import PromptTemplate
from ais_bench.benchmark.openicl.icl_retriever import FixKRetriever
from ais_bench.benchmark.openicl.icl_inferencer import GenInferencer
from ais_bench.benchmark.openicl.icl_evaluator import AccEvaluator

template = "</E>Question: {question}\nAnswer: {answer}"
sums_datasets = [
    dict(
        abbr="sums",
        path="sums.jsonl",
        reader_cfg=dict(input_columns=["question"], output_column="answer", test_range="[:3]"),
        infer_cfg=dict(
            ice_template=dict(type=PromptTemplate, template=template, ice_token="</E>"),
            retriever=dict(type=FixKRetriever, fix_id_list=[0]),
            inferencer=dict(type=GenInferencer, max_out_len=64),
        ),
        eval_cfg=dict(evaluator=dict(type=AccEvaluator)),
    )
]
