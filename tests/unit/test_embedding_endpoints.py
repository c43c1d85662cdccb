"""Embedding endpoints, asked over real HTTP: what is sent, what is tried again, and how failures are told."""

import json
import re
import socket
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest
from tests.embedding_service import Answer, Service, length_vector, ollama, openai

from cocosearch_py.embedding import posting
from cocosearch_py.embedding.models import EmbeddingOptions, open_embedder
from cocosearch_py.errors import EmbeddingError, EmbeddingTimeoutError, RefusedTextsError
from cocosearch_py.model.ports import Embedder

AT_ONCE = {"Retry-After": "0"}  # lets no test wait


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as made:
        yield made


@pytest.fixture
def other() -> Iterator[Service]:
    """A second host, which nobody named."""
    with Service() as made:
        yield made


def opened(service: Service, **options: Any) -> Embedder:
    return open_embedder(EmbeddingOptions(**{"provider": "ollama", "model": "m", "base_url": service.url, **options}))


def failure(work: Callable[[], object]) -> EmbeddingError:
    with pytest.raises(EmbeddingError) as caught:
        work()
    assert type(caught.value) in (EmbeddingError, EmbeddingTimeoutError, RefusedTextsError)
    assert caught.value.hint
    return caught.value


def at_first(*answers: Any, then: Answer = ollama) -> Answer:
    """Answers one after the other, and `then` for good."""
    left = list(answers)
    return lambda body: left.pop(0) if left else then(body)


class TestRequests:
    def test_openai_order_batches_key_and_blank_texts(self, service: Service) -> None:
        service.answer = openai
        embedder = opened(service, provider="openai", base_url=f"{service.url}/v1/", api_key="k-1", batch_size=2)
        rows = embedder.embed_documents(["a", "", "bbb", "cc"])
        assert embedder.dimension == 4
        assert embedder.name == "openai/m"
        expected = np.array([length_vector("a"), [0.0] * 4, length_vector("bbb"), length_vector("cc")])
        assert np.allclose(rows, expected / np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-9))
        assert service.inputs == [["a", "bbb"], ["cc"]]
        assert {request[:2] for request in service.requests} == {("/v1/embeddings", "Bearer k-1")}
        assert not embedder.embed_query(" ").any()

    def test_ollama(self, service: Service) -> None:
        assert np.allclose(opened(service).embed_query("abc"), np.array([3, 0, 0, 1]) / np.sqrt(10))
        assert service.requests[0][:2] == ("/api/embed", None)

    def test_an_asked_dimension_is_sent_and_kept_when_the_service_ignores_it(self, service: Service) -> None:
        embedder = opened(service, output_dimension=2)
        assert service.requests[0][2]["dimensions"] == 2
        assert embedder.embed_query("abc").tolist() == [1.0, 0.0]
        assert embedder.name == "ollama/m#2"

    def test_user_and_query_of_the_address_are_kept(self, service: Service) -> None:
        opened(service, base_url=f"{service.url.replace('//', '//me:p%40ss@')}/x/?version=3")
        assert service.requests[0][:2] == ("/x/api/embed?version=3", "Basic bWU6cEBzcw==")

    def test_a_key_with_a_line_break_at_its_end_is_sent_without(self, service: Service) -> None:
        opened(service, api_key="k-1\n")
        assert service.requests[0][1] == "Bearer k-1"

    @pytest.mark.parametrize("key", ["sk-sec\nret", "sk-sécret", "sk-sec\x00ret"])
    def test_a_key_that_no_header_carries_is_refused(self, service: Service, key: str) -> None:
        error = failure(lambda: opened(service, api_key=key))
        assert "embedding.apiKey has characters" in error.message
        assert "sk-" not in error.message
        assert service.requests == []

    @pytest.mark.parametrize("url", ["http://", "http://[", "http://h:99999", "ftp://h", "h:1", "http://h:x"])
    def test_an_address_that_is_none(self, url: str) -> None:
        assert (
            "is not an HTTP address"
            in failure(lambda: open_embedder(EmbeddingOptions(provider="ollama", model="m", base_url=url))).message
        )

    def test_a_proxy_sees_no_plain_request(
        self, service: Service, other: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, other.url)
        posting._opener.cache_clear()
        try:
            opened(service, api_key="k-1")
        finally:
            posting._opener.cache_clear()
        assert len(service.requests) == 1
        assert other.requests == []


class TestTryingAgain:
    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
    def test_a_passing_status(self, service: Service, status: int) -> None:
        embedder = opened(service)
        service.answer = at_first((status, {}, AT_ONCE), (status, {}, AT_ONCE))
        assert embedder.embed_documents(["abc"]).any()
        assert service.inputs == [["abc"]] * 3

    def test_a_date_in_retry_after(self, service: Service) -> None:
        embedder = opened(service)
        service.answer = at_first((429, {}, {"Retry-After": formatdate(0, usegmt=True)}))
        assert embedder.embed_documents(["abc"]).any()

    def test_without_retry_after_it_waits_by_itself(self, service: Service) -> None:
        embedder = opened(service)
        service.answer = at_first((503, {}, {"Retry-After": "soon"}))
        assert embedder.embed_query("abc").any()

    def test_an_end_of_the_attempts(self, service: Service) -> None:
        embedder = opened(service)
        service.answer = lambda body: (503, b"warming\nup", AT_ONCE)
        error = failure(lambda: embedder.embed_documents(["abc"]))
        assert error.message.endswith("/api/embed refused the request with status 503: warming up (tried 6 times)")
        assert len(service.inputs) == 6
        assert "(tried 2 times)" in failure(lambda: embedder.embed_query("abc")).message

    def test_who_asks_for_a_long_pause_is_not_waited_for(self, service: Service) -> None:
        embedder = opened(service)
        service.answer = lambda body: (429, {}, {"Retry-After": "3600"})
        error = failure(lambda: embedder.embed_documents(["abc"]))
        assert "the service asks to wait 3600 seconds" in error.message
        assert "rate limit" in error.hint
        assert len(service.inputs) == 1

    def test_a_connection_that_breaks(self, service: Service) -> None:
        embedder = opened(service)
        service.answer = at_first(None, (200, b'{"embeddings": [[1,', {"Content-Length": "1000"}))
        assert embedder.embed_documents(["abc"]).any()
        assert len(service.inputs) == 3

    def test_an_answer_that_does_not_come(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            options = EmbeddingOptions(provider="ollama", model="m", base_url=url, timeout_s=0.05)
            error = failure(lambda: open_embedder(options))
        assert "timed out (tried 2 times)" in error.message
        assert "embedding.timeout" in error.hint

    @pytest.mark.parametrize("status", [401, 403, 404, 501])
    def test_what_does_not_pass_is_told_at_once(self, service: Service, status: int) -> None:
        service.answer = lambda body: (status, {"error": "no"})
        assert f"status {status}" in failure(lambda: opened(service)).message
        assert len(service.requests) == 1

    def test_nobody_listening_is_told_at_once(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            url = f"http://user:pw@127.0.0.1:{taken.getsockname()[1]}"
            error = failure(lambda: open_embedder(EmbeddingOptions(provider="ollama", model="m", base_url=url)))
        assert error.message.startswith("no usable answer from http://127.0.0.1")
        assert "refused" in error.message
        assert "tried" not in error.message
        assert "pw" not in error.message


class TestWhatIsNotBelieved:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_no_redirect_is_followed(self, service: Service, other: Service, status: int) -> None:
        target = other.url.replace("//", "//u:pw@") + "/v1?token=t"
        service.answer = lambda body: (status, b"", {"Location": target})
        error = failure(lambda: opened(service, api_key="k-1"))
        assert f"redirects to {other.url}/v1; redirects are not followed" in error.message
        assert "set embedding.baseUrl" in error.hint
        assert other.requests == []
        assert len(service.requests) == 1

    def test_an_answer_without_end(self, service: Service) -> None:
        service.answer = lambda body: (200, b" " * (2 * 1024**2 + 1))
        assert "answered with more than 2 MiB" in failure(lambda: opened(service)).message

    def test_the_key_is_in_no_error_and_no_repr(self, service: Service) -> None:
        service.answer = lambda body: (401, {"error": "bad key sk-secret, Bearer sk-secret"})
        options = EmbeddingOptions(provider="openrouter", model="m", base_url=service.url, api_key="sk-secret")
        error = failure(lambda: open_embedder(options))
        assert "sk-secret" not in f"{error.message} {error.hint} {error.__cause__!r}"
        assert "embedding.apiKey" in error.hint
        assert "sk-secret" not in repr(options)

    @pytest.mark.parametrize(
        ("place", "secret"),
        [
            ("user-token@", "user-token"),
            ("me:pass%20word@", "pass word"),
            ("me:pass%20word@", "bWU6cGFzcyB3b3Jk"),
            ("?code=query-secret", "query-secret"),
        ],
    )
    def test_what_is_secret_in_an_address_is_in_no_error(self, service: Service, place: str, secret: str) -> None:
        service.answer = lambda body: (401, f"{secret} is no key, {' ' * 772} nor is {secret}".encode())
        url = service.url + place if place.startswith("?") else service.url.replace("//", f"//{place}")
        error = failure(lambda: open_embedder(EmbeddingOptions(provider="openrouter", model="m", base_url=url)))
        assert "*** is no key, nor is" in error.message
        assert secret[:4] not in error.message

    def test_what_an_address_says_of_versions_is_told(self, service: Service) -> None:
        service.answer = lambda body: (401, b"API version 2024-02-01 is not supported")
        options = EmbeddingOptions(provider="openrouter", model="m", base_url=f"{service.url}?api-version=2024-02-01")
        assert "version 2024-02-01 is not" in failure(lambda: open_embedder(options)).message

    @pytest.mark.parametrize("status", [400, 500])
    @pytest.mark.parametrize("cut", [None, 60])
    def test_what_is_asked_is_not_repeated(self, service: Service, status: int, cut: int | None) -> None:
        question = 'why is "PIN 4711"\n refused, größer than 1234-5678 and all the others of last week'
        embedder = opened(service)
        for echo in (question, json.dumps(question)[1:-1], json.dumps(question, ensure_ascii=False)[1:-1]):
            service.answer = lambda body, echo=echo: (status, f"cannot embed <{echo[:cut]}> now".encode())
            message = failure(lambda: embedder.embed_query(question)).message.partition("; the text has")[0]
            assert f"status {status}: cannot embed <[the text]> now" in message

    @pytest.mark.parametrize(
        "content",
        [
            b"<html>",
            b"[" * 100_000,
            {"data": []},
            {"data": [{"embedding": [1.0]}]},
            [1],
            {"data": [{"index": 0, "embedding": []}]},
            {"data": [{"index": 1, "embedding": [1.0]}]},
            {"data": [{"index": 0, "embedding": ["1.0"]}]},
            {"data": [{"index": 0, "embedding": [True]}]},
            {"data": [{"index": 0, "embedding": [1e300]}]},
            b'{"data": [{"index": 0, "embedding": [NaN]}]}',
            b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}",
        ],
    )
    def test_an_answer_without_one_vector_per_text_is_refused(self, service: Service, content: Any) -> None:
        service.answer = lambda body: (200, content)
        error = failure(lambda: opened(service, provider="openai"))
        assert re.search(re.escape(service.url), error.message)

    def test_two_vectors_of_one_text_are_refused(self, service: Service) -> None:
        service.answer = openai
        embedder = opened(service, provider="openai")
        service.answer = lambda body: (200, {"data": [{"index": 0, "embedding": [1.0] * 4}] * 2})
        assert "one vector per text" in failure(lambda: embedder.embed_documents(["a", "b"])).message

    def test_vectors_of_another_length_are_refused(self, service: Service) -> None:
        embedder = opened(service)
        service.answer = lambda body: (200, {"embeddings": [[1.0, 2.0]] * len(body["input"])})
        assert "changed the length" in failure(lambda: embedder.embed_documents(["a"])).message


class TestRefusedTexts:
    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_a_batch_that_is_too_large_is_sent_in_halves(self, service: Service, status: int) -> None:
        embedder = opened(service)
        service.answer = lambda body: (status, {}) if len(body["input"]) > 2 else ollama(body)
        texts = ["a", "bb", "ccc", "dddd", "eeeee"]
        alone = np.array([embedder.embed_query(text) for text in texts])
        assert np.array_equal(embedder.embed_documents(texts), alone)
        assert service.inputs[len(texts) :] == [texts, texts[:2], texts[2:], texts[2:3], texts[3:]]

    def test_what_is_secret_in_a_text_that_is_refused_is_not_told(self, service: Service) -> None:
        embedder = opened(service)
        service.answer = lambda body: (400, {})
        message = failure(lambda: embedder.embed_query("db: postgresql://me:hunter2-and-much-more@host/db")).message
        assert "begins 'db: postgresql://me:***@host/db'" in message

    def test_the_text_that_is_refused_is_told(self, service: Service) -> None:
        embedder = opened(service)
        bad = "def much(" + "x" * 100
        service.answer = lambda body: (400, {"error": "too long"}) if bad in body["input"] else ollama(body)
        error = failure(lambda: embedder.embed_documents(["a", bad, "c", "d"]))
        assert isinstance(error, RefusedTextsError)
        assert "refused the request with status 400" in error.message
        assert f"the text has {len(bad)} characters and begins 'def much(xxx" in error.message
        assert "indexing.chunkSize" in error.hint
        assert service.inputs == [["a", bad, "c", "d"], ["a", bad], ["a"], [bad]]


def test_an_endpoint_that_fails_is_named_with_the_commands_that_start_it(service: Service) -> None:
    embedder = opened(service)
    service.answer = lambda _: (404, {})
    error = failure(lambda: embedder.embed_query("a"))
    assert error.details == {"service": "ollama", "base_url": service.url, "model": error.details["model"]}
    assert f"`ollama serve` starts Ollama, `ollama pull {error.details['model']}` gets the model" in error.hint
