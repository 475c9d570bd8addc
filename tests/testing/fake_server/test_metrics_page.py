from auricle.testing.fake_server.metrics_page import ServedTokens, render_metrics


def read(page: str, name: str) -> float:
    (line,) = [line for line in page.splitlines() if line.startswith(f"vllm:{name}{{")]
    return float(line.split()[-1])


def test_requests_beyond_the_slots_are_waiting() -> None:
    page = render_metrics(ServedTokens(), in_flight=5, slots=4)
    assert (read(page, "num_requests_running"), read(page, "num_requests_waiting")) == (4, 1)
    assert read(page, "kv_cache_usage_perc") == 1.0
    assert read(render_metrics(ServedTokens(), 5, None), "num_requests_waiting") == 0


def test_repeated_prompts_are_in_the_cache() -> None:
    tokens = ServedTokens()
    for digest in ("a", "b", "a", "a"):
        tokens.add(digest, prompt=10, generated=9)
    page = render_metrics(tokens, 0, None)
    assert (read(page, "prefix_cache_queries_total"), read(page, "prefix_cache_hits_total")) == (40, 20)
    assert read(page, "generation_tokens_total") == 36
    accepted = read(page, "spec_decode_num_accepted_tokens_total")
    assert accepted / read(page, "spec_decode_num_draft_tokens_total") == 0.75
