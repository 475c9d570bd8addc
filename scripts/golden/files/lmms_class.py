# ruff: noqa - as users of other frameworks write
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model
from lmms_eval.protocol import ChatMessages


@register_model("counting")
class Counting(lmms):
    is_simple = False

    def __init__(self, pretrained: str, **kwargs):
        super().__init__()

    def generate_until(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        doc_to_messages, gen_kwargs, doc_id, task, split = request.args
        messages = ChatMessages(messages=doc_to_messages(self.task_dict[task][split][doc_id]))
        images, videos, audios = messages.extract_media()
        return "one" if len(audios[0]["array"]) < 5_000 else "two"
