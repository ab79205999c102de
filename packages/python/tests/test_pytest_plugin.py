"""The pytest plugin: sessions of pytest in processes of their own, which send their cases to the real server."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import Seeded
from touchstone_sdk import Touchstone

SUITE = """
    import os
    import pytest

    WRONG = int(os.environ.get("WRONG", "0"))

    @pytest.mark.parametrize("number", range(60))
    def test_capital(touchstone_case, number):
        touchstone_case.input = f"Country {number}"
        touchstone_case.expected = f"City {number}"
        touchstone_case.output = f"City {number}" if number >= WRONG else "?"
        touchstone_case.score("tone", 0.5)
        assert touchstone_case.output == touchstone_case.expected
"""


@pytest.fixture(autouse=True)
def outside_of_this_session(monkeypatch: pytest.MonkeyPatch) -> None:
    # Set in the workers, if the tests themselves run with xdist.
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)


def run(pytester: pytest.Pytester, seeded: Seeded, *options: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "--touchstone", "--touchstone-component", seeded.component_name, *options
    )


def scores_of(client: Touchstone, seeded: Seeded, evaluator: str) -> list[Any]:
    newest = next(iter(client.evaluations.list(seeded.component_id)))
    return list(client.evaluations.scores(seeded.component_id, newest["id"], evaluator=evaluator))


def test_the_tests_of_a_session_are_the_cases_of_a_run(
    pytester: pytest.Pytester, client: Touchstone, seeded: Seeded
) -> None:
    pytester.makepyfile(
        test_mix="""
        import pytest

        @pytest.mark.touchstone
        @pytest.mark.parametrize("country", ["France", "Italy"])
        def test_marked(country):
            assert country == "France"

        def test_plain():
            pass

        def test_error(touchstone_case):
            touchstone_case.output = {"city": "Paris"}
            raise RuntimeError("no such country")

        @pytest.fixture
        def broken():
            raise OSError("no network")

        def test_setup(touchstone_case, broken):
            pass

        @pytest.mark.touchstone
        @pytest.mark.skip
        def test_skipped():
            pass

        @pytest.mark.xfail
        def test_known_failure(touchstone_case):
            assert False
        """
    )
    done = run(pytester, seeded, "--touchstone-run", "v1", "--touchstone-dataset", "Suite")
    done.assert_outcomes(passed=2, failed=2, errors=1, skipped=1, xfailed=1)
    [run_] = [entry for entry in client.runs.list(seeded.component_id) if entry["name"] == "v1"]
    assert run_["traceCount"] == 5
    [dataset] = [entry for entry in client.datasets.list(seeded.component_id) if entry["name"] == "Suite"]
    items = {item["id"]: item for item in client.datasets.items.list(seeded.component_id, dataset["id"])}
    outcomes = {
        items[score["itemId"] or ""]["metadata"]["pytest.nodeid"].split("::")[1]: score["passed"]
        if score["state"] == "scored"
        else score["error"]
        for score in scores_of(client, seeded, "passed")
    }
    assert outcomes == {
        "test_marked[France]": True,
        "test_marked[Italy]": False,
        "test_error": "RuntimeError: no such country",
        "test_setup": "OSError: no network",
        "test_known_failure": False,
    }
    inputs = {item["input"] for item in items.values()}
    assert '{"country": "France"}' in inputs
    traces = {trace["name"]: trace for trace in client.runs.traces(seeded.component_id, run_["id"])}
    assert traces["test_error"]["status"] == "error"
    assert client.traces.get(traces["test_error"]["id"])["output"] == '{"city": "Paris"}'
    assert traces["test_marked[Italy]"]["status"] == "ok"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_gate_decides_over_the_whole_session(
    workers: str, pytester: pytest.Pytester, client: Touchstone, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_capitals=SUITE)
    gate = [
        "-n",
        workers,
        "--touchstone-baseline",
        "latest",
        "--touchstone-gate",
        "passed",
        "--touchstone-margin",
        "0.1",
    ]
    first = run(pytester, seeded, *gate)
    assert first.ret == 0
    first.stdout.fnmatch_lines(["*touchstone*", "Run *: http://*", "There is no earlier run*"])
    same = run(pytester, seeded, *gate)
    assert same.ret == 0
    same.stdout.fnmatch_lines(["equivalent: *", "Gate: Passed*"])
    monkeypatch.setenv("WRONG", "40")
    # Without this, the failed tests alone would fail the session.
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if report.failed:
                report.outcome = "passed"
            return report
        """
    )
    worse = run(pytester, seeded, *gate)
    worse.assert_outcomes(passed=60)
    assert worse.ret == 1
    worse.stdout.fnmatch_lines(["regressed: *", "Gate: Not passed*"])
    # The items of the first session are found again, by their node ids.
    [dataset] = [entry for entry in client.datasets.list(seeded.component_id) if entry["name"] == "pytest"]
    assert dataset["itemCount"] == 60
    assert [entry["traceCount"] for entry in client.runs.list(seeded.component_id)] == [60, 60, 60]
    assert len(scores_of(client, seeded, "tone")) == 60


def test_an_item_follows_a_test_that_has_changed(pytester: pytest.Pytester, client: Touchstone, seeded: Seeded) -> None:
    for expected in ("Paris", "Lyon"):
        pytester.makepyfile(
            test_change=f"""
            def test_capital(touchstone_case):
                touchstone_case.input = "France"
                touchstone_case.expected = {expected!r}
            """
        )
        assert run(pytester, seeded).ret == 0
    [dataset] = [entry for entry in client.datasets.list(seeded.component_id) if entry["name"] == "pytest"]
    [item] = client.datasets.items.list(seeded.component_id, dataset["id"])
    assert (item["input"], item["expected"]) == ("France", "Lyon")


def test_without_the_option_nothing_is_sent(pytester: pytest.Pytester, client: Touchstone, seeded: Seeded) -> None:
    pytester.makepyfile(test_capitals=SUITE)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    done.assert_outcomes(passed=60)
    assert "touchstone" not in done.stdout.lines[-1]
    assert list(client.runs.list(seeded.component_id)) == []


def test_a_server_that_is_down_fails_the_session_with_the_reason(
    pytester: pytest.Pytester, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_URL", "http://127.0.0.1:1")
    pytester.makepyfile("def test_it(touchstone_case): pass")
    done = run(pytester, seeded)
    done.assert_outcomes(passed=1)
    assert done.ret == 1
    done.stdout.fnmatch_lines(["The cases were not evaluated: GET http://127.0.0.1:1/*"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--touchstone"], "--touchstone needs --touchstone-component"),
        (["--touchstone", "--touchstone-component=A", "--touchstone-gate=passed"], "needs --touchstone-baseline"),
        (
            [
                "--touchstone",
                "--touchstone-component=A",
                "--touchstone-gate=passed",
                "--touchstone-baseline=v1",
                "--touchstone-margin=much",
            ],
            "must be a number",
        ),
    ],
)
def test_wrong_options_are_usage_errors(pytester: pytest.Pytester, options: list[str], message: str) -> None:
    pytester.makepyfile("def test_it(touchstone_case): pass")
    done = pytester.runpytest_subprocess(*options)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr.str()


def test_a_missing_key_is_reported_before_the_tests_run(
    pytester: pytest.Pytester, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOUCHSTONE_API_KEY")
    pytester.makepyfile("def test_it(touchstone_case): pass")
    done = run(pytester, seeded)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "No API key" in done.stderr.str()


def test_options_can_be_settings_of_the_project(pytester: pytest.Pytester, client: Touchstone, seeded: Seeded) -> None:
    pytester.makeini(f"[pytest]\ntouchstone_component = {seeded.component_id}\ntouchstone_dataset = From settings\n")
    pytester.makepyfile("def test_it(touchstone_case): pass")
    assert pytester.runpytest_subprocess("--touchstone").ret == 0
    assert "From settings" in {dataset["name"] for dataset in client.datasets.list(seeded.component_id)}
