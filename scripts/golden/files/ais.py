# ruff: noqa - as users of other frameworks write
from ais_bench.benchmark.registry import ICL_INFERENCERS
from ais_bench.benchmark.openicl.icl_inferencer.icl_base_local_inferencer import BaseLocalInferencer


@ICL_INFERENCERS.register_module()
class Plain(BaseLocalInferencer):
    def batch_inference(self, datum):
        inputs, most = datum.pop("prompt"), datum.pop("max_out_len")
        outputs = self.model.generate(inputs, most)
        for index, asked, answer, abbr in zip(datum["index"], inputs, outputs, datum["data_abbr"]):
            self.output_handler.report_cache_info_sync(index, asked, answer, abbr)
