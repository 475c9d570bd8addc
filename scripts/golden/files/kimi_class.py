from .base import BaseModel


class Naming(BaseModel):
    NAME = "Naming"

    def __init__(self, **kwargs):
        pass

    def generate_inner(self, msg):
        heard = msg["audio"][0].rpartition("/")[2].removesuffix(".wav")
        return f"{msg['meta']['task']} {msg['meta']['lang']}", heard.replace("_", " ")
