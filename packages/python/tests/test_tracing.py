"""`init` and `observe`, in processes of their own: a tracer provider can be registered only once in a process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import uuid
from typing import Any

import pytest

from conftest import Server
from touchstone_sdk import Touchstone, observe


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def component(client: Touchstone) -> str:
    name = f"Greeter {uuid.uuid4().hex[:8]}"
    client.components.create(name)
    return name


def spans_of(client: Touchstone, component: str) -> list[dict[str, Any]]:
    """The spans of the only trace of the component, in the order of their start."""
    [row] = [row for row in client.traces.list() if row["componentName"] == component]
    return [dict(span) for span in client.traces.get(row["id"])["spans"]]


def test_observed_calls_are_sent_at_the_end_of_the_program(client: Touchstone, component: str) -> None:
    program = f"""
        import touchstone_sdk
        assert touchstone_sdk.init({component!r})

        @touchstone_sdk.observe(kind="llm")
        def ask(question, *, style="short"):
            return {{"text": "Hello", "style": style}}

        @touchstone_sdk.observe
        def greet(name):
            return ask(f"Greet {{name}}", style="long")["text"]

        greet("Ada")
    """
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")
    outer, inner = spans_of(client, component)
    assert (outer["name"], outer["input"], outer["output"]) == ("greet", "Ada", "Hello")
    assert (inner["name"], inner["kind"], inner["parentSpanId"]) == ("ask", "llm", outer["spanId"])
    assert inner["input"] == '{"question": "Greet Ada", "style": "long"}'


def test_coroutines_generators_methods_and_errors_are_recorded(client: Touchstone, component: str) -> None:
    program = f"""
        import asyncio
        from touchstone_sdk import init, observe
        init({component!r})

        class Model:
            @observe
            def words(self, text):
                stop = yield text
                yield " and " if stop is None else stop
                yield self.tail()

            @observe(capture_input=False, capture_output=False)
            def tail(self):
                return "secret"

        @observe
        async def chunks(count):
            for number in range(count):
                yield number
                await asyncio.sleep(0)

        @observe
        async def fail():
            raise ValueError("broken")

        @observe(name="everything")
        async def main():
            words = Model().words("salt")
            assert [next(words), words.send(" or "), next(words)] == ["salt", " or ", "secret"]
            assert list(words) == []
            assert [number async for number in chunks(3)] == [0, 1, 2]
            try:
                await fail()
            except ValueError:
                pass
            return object()

        asyncio.run(main())
    """
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")
    spans = {span["name"]: span for span in spans_of(client, component)}
    root = spans["everything"]
    assert {span["name"] for span in spans.values() if span["parentSpanId"] == root["spanId"]} == {
        "words",
        "chunks",
        "fail",
    }
    assert spans["tail"]["parentSpanId"] == spans["words"]["spanId"]
    assert (spans["words"]["input"], spans["words"]["output"]) == ("salt", "salt or secret")
    assert (spans["tail"]["input"], spans["tail"]["output"]) == (None, None)
    assert spans["chunks"]["output"] == "[0, 1, 2]"
    assert (spans["fail"]["status"], spans["fail"]["statusMessage"]) == ("error", "ValueError: broken")
    assert root["status"] == "ok"


def test_another_provider_stays_and_observed_spans_still_arrive(client: Touchstone, component: str) -> None:
    program = f"""
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        other = TracerProvider()
        trace.set_tracer_provider(other)

        import touchstone_sdk
        assert touchstone_sdk.init({component!r})
        assert trace.get_tracer_provider() is other
        touchstone_sdk.observe(lambda: None)
        touchstone_sdk.observe(name="own")(lambda: "here")()
        with trace.get_tracer("theirs").start_as_current_span("theirs"):
            pass
        touchstone_sdk.shutdown()
    """
    done = run(program)
    assert done.returncode == 0
    assert done.stderr.count("Another tracer provider is registered and stays") == 1
    assert [span["name"] for span in spans_of(client, component)] == ["own"]


@pytest.mark.parametrize(
    ("variables", "warning"),
    [
        ({"TOUCHSTONE_API_KEY": ""}, "No API key"),
        ({"TOUCHSTONE_URL": "nonsense"}, "URL of the server"),
        ({"TOUCHSTONE_API_KEY": "tsk_secret\n"}, ""),
        ({"TOUCHSTONE_API_KEY": "tsk_secret key"}, "printable"),
    ],
)
def test_init_never_raises_and_never_prints_the_key(variables: dict[str, str], warning: str) -> None:
    program = """
        import touchstone_sdk
        touchstone_sdk.init("Greeter")
        touchstone_sdk.init("Greeter")
        assert touchstone_sdk.observe(lambda word: word)("works") == "works"
        touchstone_sdk.shutdown()
    """
    done = run(program, **variables)
    assert done.returncode == 0, done.stderr
    assert warning in done.stderr
    assert "secret" not in done.stderr


def test_a_server_that_is_down_does_not_fail_the_program(server: Server) -> None:
    program = """
        import touchstone_sdk
        touchstone_sdk.init("Greeter")
        print(touchstone_sdk.observe(lambda word: word)("works"))
    """
    # Retries of the exporter would wait for minutes.
    done = run(program, TOUCHSTONE_URL="http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TIMEOUT="1")
    assert (done.returncode, done.stdout) == (0, "works\n")
    assert server.api_key not in done.stderr


def test_without_opentelemetry_everything_runs_and_a_warning_says_what_to_install() -> None:
    program = """
        import sys
        sys.modules["opentelemetry"] = None
        import touchstone_sdk
        assert touchstone_sdk.init("Greeter") is False
        assert touchstone_sdk.observe(lambda word: word)("works") == "works"
        assert list(touchstone_sdk.observe(lambda: (yield 1))()) == [1]
        touchstone_sdk.flush()
        touchstone_sdk.shutdown()
    """
    done = run(program)
    assert done.returncode == 0, done.stderr
    assert "pip install 'touchstone-sdk[otel]'" in done.stderr


def test_spans_inside_of_a_task_belong_to_the_trace_of_its_case(client: Touchstone, component: str) -> None:
    program = f"""
        import touchstone_sdk
        touchstone_sdk.init({component!r})
        with touchstone_sdk.Touchstone() as client:
            [component] = [entry for entry in client.components.list() if entry["name"] == {component!r}]
            dataset = client.datasets.create(component["id"], "Names")
            client.datasets.items.create(component["id"], dataset["id"], [{{"input": "Ada", "expected": "Hello Ada"}}])

        @touchstone_sdk.observe(kind="llm")
        def ask(name):
            return f"Hello {{name}}"

        @touchstone_sdk.observe
        def main():
            return touchstone_sdk.evaluate(
                lambda item: ask(item["input"]), component={component!r}, dataset="Names", evaluators=["exactMatch"]
            )

        main()
    """
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [row for row in client.traces.list() if row["componentName"] == component]
    names = sorted([span["name"] for span in client.traces.get(row["id"])["spans"]] for row in rows)
    assert names == [["<lambda>", "ask"], ["main"]]


def test_a_value_that_cannot_be_written_does_not_fail_the_call() -> None:
    class Unwritable:
        def __str__(self) -> str:
            raise RuntimeError("no text")

        __repr__ = __str__

    def same(value: object) -> object:
        return value

    value = Unwritable()
    assert observe(same)(value) is value
