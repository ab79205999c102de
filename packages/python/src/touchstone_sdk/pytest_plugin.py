"""Tests as cases of a dataset: each session is a run, which can be compared with an earlier one.

Inactive without `--touchstone`. With xdist, the workers attach their cases to the reports of tests, and the controller
sends them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from . import tracing
from .case_span import CaseSpan
from .errors import TouchstoneError
from .pytest_session import PASSED, PublishedSession, RecordedCase, SessionSettings, publish
from .scoring import no_score, score_of
from .settings import read_settings
from .texts import to_text

_CASE = pytest.StashKey["TouchstoneCase"]()


class TouchstoneCase:
    """What a test reports about its case. Values that are not texts become JSON."""

    def __init__(self, name: str, input: object) -> None:  # noqa: A002 - the name of the field
        self.input = input
        self.output: object = None
        self.expected: object = None
        self._span = CaseSpan(name)
        self._scores: dict[str, dict[str, Any]] = {}

    def score(self, name: str, value: object) -> None:
        """Adds a score: a number from 0 to 1, a bool, or a dict with score, label, passed, reason, details."""
        self._scores[name] = score_of(value)

    def record(self, error: str | None, *, passed: bool) -> RecordedCase:
        self._span.end(output=to_text(self.output), error=error)
        outcome = {"passed": passed} if error is None else no_score(error)
        scores = {PASSED: outcome, **self._scores}
        return RecordedCase(self._span, to_text(self.input), to_text(self.expected), scores)

    def current(self) -> AbstractContextManager[None]:
        """Spans that are started meanwhile belong to the trace of this case."""
        return tracing.inside_span(self._span.trace_id, self._span.span_id)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("touchstone", "Touchstone: tests as cases of a dataset")
    group.addoption("--touchstone", action="store_true", help="send the cases of this session as a run")
    for name, text in _OPTIONS.items():
        group.addoption(f"--touchstone-{name}", metavar=name.upper(), help=text)
        parser.addini(f"touchstone_{name}", text)


_OPTIONS = {
    "component": "name or id of the component; it must exist",
    "dataset": "name of the dataset (default: pytest); created if missing",
    "run": "name of the run (default: the time)",
    "baseline": 'run to compare with: its name or id, or "latest" for the one before',
    "gate": "metric that must not get worse than the baseline, such as passed",
    "margin": "the loss that the gate accepts (default: 0.05)",
}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "touchstone: the test is a case of a Touchstone dataset")
    if not config.getoption("--touchstone"):
        return
    try:
        settings = SessionSettings.read({name: _value_of(config, name) for name in _OPTIONS})
        # A missing key is reported now, and not after all tests.
        read_settings()
    except TouchstoneError as error:
        raise pytest.UsageError(str(error)) from None
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Reporter(settings), "touchstone-reporter")


def _value_of(config: pytest.Config, name: str) -> str | None:
    value = config.getoption(f"--touchstone-{name}") or config.getini(f"touchstone_{name}")
    return str(value) if value else None


@pytest.fixture
def touchstone_case(request: pytest.FixtureRequest) -> Iterator[TouchstoneCase]:
    """The case of this test. Set `input`, `output` and `expected`; add scores with `score(name, value)`."""
    case = _case_of(request.node)
    with case.current():
        yield case


def _case_of(item: pytest.Item) -> TouchstoneCase:
    known = item.stash.get(_CASE, None)
    if known is not None:
        return known
    callspec = getattr(item, "callspec", None)
    parameters = {} if callspec is None else dict(callspec.params)
    case = item.stash[_CASE] = TouchstoneCase(item.name, parameters or item.name)
    return case


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    uses_fixture = "touchstone_case" in getattr(item, "fixturenames", ())
    is_case = uses_fixture or item.get_closest_marker("touchstone") is not None
    was_run = report.when == "call" or (report.when == "setup" and report.failed)
    is_expected_failure = hasattr(report, "wasxfail")
    if is_case and was_run and (not report.skipped or is_expected_failure):
        # A failed assertion is a result; anything else that is raised is an error of the case.
        is_error = call.excinfo is not None and not call.excinfo.errisinstance((AssertionError, pytest.fail.Exception))
        error = f"{call.excinfo.typename}: {call.excinfo.value}" if call.excinfo and is_error else None
        # Attributes of a report reach the controller of xdist; unlike user_properties, they are in no JUnit file.
        report.__dict__["touchstone_case"] = _case_of(item).record(error, passed=report.passed).plain()
        del item.stash[_CASE]
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--touchstone"):
        tracing.flush()


class _Reporter:
    """Collects the cases of the session, in the process that has all of them, and sends them at its end."""

    def __init__(self, settings: SessionSettings) -> None:
        self._settings = settings
        self._cases: dict[str, RecordedCase] = {}
        self._published: PublishedSession | None = None
        self._error: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        plain = getattr(report, "touchstone_case", None)
        if plain is not None:
            # A test that is repeated counts with its last result.
            self._cases[report.nodeid] = RecordedCase.restore(plain)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_complete = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if not is_complete or not self._cases:
            return
        try:
            self._published = publish(self._settings, self._cases)
        except TouchstoneError as error:
            self._error = str(error)
        if self._error is not None or (self._published is not None and not self._published.passed):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("touchstone")
        if self._error is not None:
            terminalreporter.line(f"The cases were not evaluated: {self._error}", red=True)
        elif self._published is None:
            terminalreporter.line("No run was created: the session has no cases, or it was interrupted.")
        else:
            passed = self._published.passed
            for line in self._published.lines:
                terminalreporter.line(line, green=passed, red=not passed)
