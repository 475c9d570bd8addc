def heard(doc):
    return [doc["audio"]]


def asked(doc):
    return doc["question"]


def right(doc, results):
    return {"right": float(results[0].lower() == doc["answer"])}
