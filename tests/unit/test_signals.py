"""Signals ask for a clean end, and are handed back afterwards."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from domeng_sim.cli import signals
from domeng_sim.cli.signals import Stop, stop_on_signals


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Exit statuses with which the process would have ended."""
    statuses: list[int] = []
    monkeypatch.setattr(signals.os, "_exit", statuses.append)
    monkeypatch.setattr(signals, "_PATIENCE_SECONDS", 0.05)
    return statuses


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signal__sets_the_event_and_the_status_and_handlers_come_back(
    number: int, status: int, ended: list[int]
) -> None:
    before = signal.getsignal(number)
    with stop_on_signals("hint") as stop:
        os.kill(os.getpid(), number)
        assert stop.event.wait(5)
        assert stop.status == status
    assert signal.getsignal(number) is before
    time.sleep(0.15)
    assert ended == []


def test_signal__ends_the_process_where_the_work_goes_on(ended: list[int], capfd: pytest.CaptureFixture[str]) -> None:
    with stop_on_signals(lambda: "the hint") as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        end = time.monotonic() + 5
        while not ended and time.monotonic() < end:
            time.sleep(0.01)
    assert ended == [143]
    assert stop.event.is_set()
    assert capfd.readouterr().err == "the hint\n"


def test_signal__a_second_one_ends_at_once(ended: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "_PATIENCE_SECONDS", 60.0)
    with stop_on_signals("hint"):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
    assert ended == [130]


def test_hint__is_told_once(capfd: pytest.CaptureFixture[str]) -> None:
    stop = Stop("go on with --resume")
    threads = [threading.Thread(target=stop.tell) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert capfd.readouterr().err == "go on with --resume\n"


def test_signal__ignored_hangups_stay_ignored(ended: list[int]) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals("hint") as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.01)
            assert not stop.event.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_signal__in_another_thread_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    found: list[object] = []

    def work() -> None:
        with stop_on_signals("hint") as stop:
            found.append((stop.event.is_set(), signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(False, before)]


class EndedError(Exception):
    """The process has ended."""


@pytest.mark.parametrize(
    ("number", "raised", "status"), [(signal.SIGINT, KeyboardInterrupt, 130), (signal.SIGTERM, SystemExit, 143)]
)
def test_program__is_ended_by_an_exception_and_then_at_once(
    number: int, raised: type[BaseException], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(status: int) -> None:
        raise EndedError(status)

    def receive() -> None:
        os.kill(os.getpid(), number)
        time.sleep(1)

    monkeypatch.setattr(signals, "_ending", threading.Event())
    monkeypatch.setattr(signals.os, "_exit", ended)
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        signals.end_on_signals()
        with pytest.raises(raised):
            receive()
        # not a second such exception, which nobody would handle
        with pytest.raises(EndedError, match=str(status)):
            receive()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def test_program__in_the_background_goes_on_ignoring_the_keyboard() -> None:
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        signals.end_on_signals()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
