"""Datasets in an object store: the same bytes as in a directory, one writer, and faults of all kinds in between.

The store is a real S3 server on the loopback address, behind a proxy that breaks off, refuses, delays and answers.
"""

from __future__ import annotations

import json
import pickle
import re
import shlex
import socket
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import domeng_sim
from domeng_sim.errors import Refused, UserError
from domeng_sim.runs import plan, runner
from domeng_sim.runs.executors.base import Executor
from domeng_sim.runs.store import dataset, object_systems, objects
from domeng_sim.runs.store.location import location
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.runs.store.storage import MANIFEST
from tests import object_stores
from tests.command_line import call, contents, make_config, manifest, one_line
from tests.object_stores import KEY, SECRET, Store

WORDS = ("run", "--matches", 4, "--seed", 1, "--threads", 2, "--quiet")
Fault = Callable[[bytes, socket.socket], None]


@pytest.fixture(scope="module")
def server() -> Iterator[Store]:
    with object_stores.running_store() as store:
        yield store


@pytest.fixture
def store(server: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The server without faults, credentials in the environment, and parts of three matches."""
    object_stores.set_credentials(monkeypatch)
    for level in plan._PART_ROUNDS:
        monkeypatch.setitem(plan._PART_ROUNDS, level, (200, 200))
    monkeypatch.setattr(dataset, "_SHORT_SECONDS", 1e9)  # the manifest lists each part as soon as it is finished
    server.proxy.fault = object_stores.nothing
    yield server
    server.proxy.fault = object_stores.nothing


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `WORDS` leave in a directory."""
    path = tmp_path_factory.mktemp("disk") / "run"
    with pytest.MonkeyPatch.context() as patch:
        for level in plan._PART_ROUNDS:
            patch.setitem(plan._PART_ROUNDS, level, (200, 200))
        domeng_sim.run(path, matches=4, seed=1, threads=2)
    return path


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    return re.sub(r"\W+", "-", request.node.name).strip("-")


def same_but_place(said: Any, place: str) -> str:
    """What a command printed, without the place, and folded as if that were short."""
    return re.sub(r"\s+", " ", said.out.replace(shlex.quote(place), "PLACE").replace(place, "PLACE"))


def test_store__holds_the_same_bytes_as_a_directory_and_every_command_reads_it(
    store: Store, prefix: str, on_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prefix = f"{prefix}/run"
    address = store.address(prefix)
    assert call(capsys, *WORDS, "--out", address).status == 0
    copy = store.download(prefix, tmp_path / "copy")
    assert contents(copy) == contents(on_disk)
    assert len(manifest(copy)["parts"]) == 6
    for words in (
        ("verify", "RUN", "--json"),
        ("report", "RUN", "--quiet", "--json"),
        ("show", "RUN", "--match", 3, "--json"),
        ("export", "RUN", "--table", "games", "--match", "1..2"),
        (
            "odds",
            "--from",
            "RUN",
            "--match",
            3,
            "--round",
            1,
            "--step",
            9,
            "--samples",
            50,
            "--seed",
            1,
            "--json",
            "--quiet",
        ),
        ("run", "--resume", "--quiet", "--json", "--out", "RUN"),
    ):
        said = [call(capsys, *(str(word).replace("RUN", place) for word in words)) for place in (address, str(on_disk))]
        assert said[0].status == said[1].status == 0, (words, said[0].err)
        texts = [same_but_place(one, place) for one, place in zip(said, (address, str(on_disk)), strict=True)]
        texts = [re.sub(r'"run": {[^}]*}|"seconds": [^,]*,', "", text) for text in texts]
        assert texts[0] == texts[1], words
    assert domeng_sim.load(address).rounds.equals(domeng_sim.load(on_disk).rounds)
    assert domeng_sim.load(f"file://{on_disk}").rounds.equals(domeng_sim.load(on_disk).rounds)
    assert not store.contents(f"{prefix}/.lease")


def test_study__in_a_store_is_gone_on_with_and_equals_that_in_a_directory(
    store: Store, prefix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("compare", "heaviest", "random", "--seed", 3, "--quiet", "--threads", 2, "--blocks")
    address = store.address(prefix)
    assert call(capsys, *words, 20, "--out", tmp_path / "disk").status == 0
    assert call(capsys, *words, 20, "--out", address).status == 0
    removed = next(name for name in store.contents(prefix) if name.startswith("blocks/"))
    store.remove(f"{prefix}/{removed}")
    assert call(capsys, *words, 20, "--out", address, "--resume").status == 0
    assert contents(store.download(prefix, tmp_path / "copy")) == contents(tmp_path / "disk")
    # a folder that people look into holds nothing else
    assert {name.partition("/")[0] for name in store.contents(prefix)} == {"blocks", MANIFEST}


class Sent(Executor):
    """An executor of which all is sent elsewhere, as to other machines."""

    n_workers, is_local = 1, False

    def map(self, function: Any, items: Iterable[Any], on_wait: Callable[[], None]) -> Generator[Any, None, None]:
        for item in items:
            yield pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(function))(item)))


def test_parts__that_others_write_straight_into_the_store_are_the_same(
    store: Store, prefix: str, on_disk: Path, tmp_path: Path
) -> None:
    place = location(store.address(prefix))
    result = runner.run(make_config({"matches": 4, "seed": 1}), place, executor=Sent())
    assert result.dataset.complete and result.rounds == result.dataset.manifest["totals"]["rounds"]
    assert contents(store.download(prefix, tmp_path / "copy")) == contents(on_disk)


@pytest.mark.parametrize("at_once", [True, False], ids=["at-once", "copied"])
def test_overwrite__removes_what_is_ours_and_nothing_else(
    at_once: bool,
    store: Store,
    prefix: str,
    on_disk: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # a store where an object is seen before it is complete: all is copied into its place
    monkeypatch.setattr(objects.ObjectStorage, "_appears_at_once", at_once)
    address = store.address(prefix)
    assert call(capsys, "run", "--matches", 12, "--seed", 7, "--out", address, "--quiet").status == 0
    before = store.contents(prefix)
    assert "already holds a dataset" in one_line(call(capsys, *WORDS, "--out", address))
    assert store.contents(prefix) == before
    others = {"rounds/2024.parquet": b"mine", "notes.txt": b"mine too", "rounds/deep/x": b"3"}
    for name, content in others.items():
        store.put(f"{prefix}/{name}", content)
    # where the new one fails before it has a finished part, the old one stays
    store.proxy.fault = object_stores.answer("403 Forbidden", "AccessDenied", only=b".parquet")
    assert "access denied" in one_line(call(capsys, *WORDS, "--out", address, "--overwrite"))
    store.proxy.fault = object_stores.nothing
    assert store.contents(prefix) == {**before, **others}
    assert call(capsys, *WORDS, "--out", address, "--overwrite").status == 0
    found = store.contents(prefix)
    assert {name: found.pop(name) for name in others} == others
    for name in others:
        store.remove(f"{prefix}/{name}")
    assert contents(store.download(prefix, tmp_path / "copy")) == contents(on_disk)


def test_run__into_a_prefix_that_holds_something_else_is_refused(
    store: Store, prefix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store.put(f"{prefix}/thesis.tex", b"mine")
    for more in ((), ("--overwrite",), ("--resume",)):
        said = call(capsys, *WORDS, "--out", store.address(prefix), *more)
        assert "is not empty and is no dataset" in one_line(said)
    assert "has no manifest.json" in one_line(call(capsys, "verify", store.address(prefix)))
    assert "does not exist" in one_line(call(capsys, "verify", store.address(f"{prefix}-none")))
    assert store.contents(prefix) == {"thesis.tex": b"mine"}


# --- One writer -------------------------------------------------------------------------------------------------------


def test_lease__lets_one_write_and_is_taken_over_only_when_asked(
    store: Store, prefix: str, on_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = store.address(prefix)
    first, second = (objects.ObjectStorage(location(address)) for _ in range(2))  # type: ignore[arg-type]
    with first.hold():
        first.write(MANIFEST, b"first")
        with (
            pytest.raises(Refused, match=r"in use by process \d+ of .+ since 20.+ which wrote last at 20"),
            second.hold(),
        ):
            pass
        said = call(capsys, *WORDS, "--out", address)
        assert "is not empty" not in one_line(said) and "--take-over" not in one_line(said)
        store.remove(f"{prefix}/{MANIFEST}")
        assert "if it has ended, go on with --take-over" in one_line(call(capsys, *WORDS, "--out", address))
        with second.hold(take_over=True):
            # who was taken for dead, and was not, stops before it writes
            with pytest.raises(Refused, match="was taken over by another writer"):
                first.write(MANIFEST, b"late")
            new = first.new("rounds/000000000000000-000000000000199.parquet")
            new.file.write(b"late")
            with pytest.raises(Refused, match="was taken over"):
                new.finish()
            second.write(MANIFEST, b"{}")
    assert store.contents(prefix) == {MANIFEST: b"{}"}
    store.remove(f"{prefix}/{MANIFEST}")
    # left by a process that was killed: its lease says who that was
    store.put(f"{prefix}/.lease/0123456789abcdef", b'{"process": 7, "host": "node\\u001b[2J", "since": "2026"}')
    assert "in use by process 7 of node\\x1b[2J since 2026;" in one_line(call(capsys, *WORDS, "--out", address))
    assert call(capsys, *WORDS, "--out", address, "--take-over").status == 0
    assert contents(store.download(prefix, tmp_path / "copy")) == contents(on_disk)


def test_lease__of_two_that_come_at_the_same_time_is_seen_by_the_other(store: Store, prefix: str) -> None:
    one, other = (objects.ObjectStorage(location(store.address(prefix))) for _ in range(2))  # type: ignore[arg-type]
    put = one._put

    def put_between(path: str, content: bytes | memoryview) -> None:
        other._put(f"{objects.LEASES}/fedcba9876543210", b"{}")
        put(path, content)

    # one looks, the other writes its lease, one writes its own: both look again, and both find the other
    one._put = put_between  # type: ignore[method-assign]
    with pytest.raises(Refused, match="in use by another writer"), one.hold():
        pytest.fail("held")
    assert list(one.entries(objects.LEASES)) == ["fedcba9876543210"]
    with pytest.raises(Refused), other.hold():
        pytest.fail("held")


# --- Faults -----------------------------------------------------------------------------------------------------------

OUT_OF_ORDER = object_stores.answer("500 Internal Server Error", "InternalError")
PASSING: dict[str, Fault] = {
    "500": object_stores.answer("500 Internal Server Error", "InternalError", times=2),
    "slow": object_stores.delay(0.02),
    "reset": object_stores.reset(b"PUT", times=2, after=100),
}
LASTING: dict[str, tuple[Fault, str]] = {
    "500": (OUT_OF_ORDER, "the store failed at PutObject (INTERNAL_FAILURE)"),
    "expired": (object_stores.answer("400 Bad Request", "ExpiredToken"), "the credentials have expired; renew them"),
    "denied": (object_stores.answer("403 Forbidden", "AccessDenied"), "access denied; look at the credentials"),
    "reset": (object_stores.broken, "the store cannot be reached, or does not answer"),
}


@pytest.mark.parametrize("kind", PASSING)
def test_run__gets_over_faults_that_pass(
    kind: str, store: Store, prefix: str, on_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.proxy.fault = PASSING[kind]
    said = call(capsys, *WORDS, "--out", store.address(prefix))
    assert (said.status, said.err) == (0, "")
    store.proxy.fault = object_stores.nothing
    assert contents(store.download(prefix, tmp_path / "copy")) == contents(on_disk)


@pytest.mark.parametrize("kind", LASTING)
def test_run__that_a_fault_ends_says_one_line_and_goes_on_to_the_same_bytes(
    kind: str, store: Store, prefix: str, on_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fault, message = LASTING[kind]
    # in the middle: some parts are finished and listed
    store.proxy.fault = object_stores.after(1, fault, b"PUT /dominoes/" + prefix.encode() + b"/rounds")
    said = call(capsys, *WORDS, "--threads", 1, "--out", store.address(prefix))
    store.proxy.fault = object_stores.nothing
    line = one_line(said)
    assert said.status == 1 and message in line
    assert "go on with --resume" in line and SECRET not in line and KEY not in line
    is_held = bool(store.contents(f"{prefix}/.lease"))
    assert is_held == ("with --take-over, for the lease of this call could not be removed" in line)
    assert len(json.loads(store.contents(prefix)[MANIFEST])["parts"]) == 3
    go_on = ("run", "--resume", "--quiet", "--out", store.address(prefix))
    if is_held:
        assert "in use by process" in one_line(call(capsys, *go_on))
    assert call(capsys, *go_on, *(["--take-over"] * is_held)).status == 0
    copy = store.download(prefix, tmp_path / "copy")
    assert contents(copy) == contents(on_disk)
    assert SECRET.encode() not in (copy / MANIFEST).read_bytes()


def test_upload__of_several_parts_that_is_broken_off_leaves_no_object(store: Store, prefix: str) -> None:
    storage = objects.ObjectStorage(location(store.address(prefix)))  # type: ignore[arg-type]
    path = "rounds/000000000000000-000000000000199.parquet"
    for times in (1 << 30, 1):
        new = storage.new(path)
        new.file.write(b"x" * 12_000_000)
        store.proxy.fault = object_stores.reset(b"partNumber=2", times=times, after=300_000)
        if times == 1:  # asked for once more, it is all there
            assert new.finish() == 12_000_000
            assert len(storage.open(path).read()) == 12_000_000
        else:
            with pytest.raises(UserError, match="cannot be reached"):
                new.finish()
            assert store.contents(prefix) == {}
    new = storage.new("rounds/000000000000200-000000000000399.parquet")
    new.file.write(b"half")
    new.abandon()
    del new
    assert list(store.contents(prefix)) == [path]


def test_store__that_refuses_connections_or_is_silent_is_one_line_before_long(
    store: Store, prefix: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(object_systems, "ANSWER_SECONDS", 1.0)
    store.proxy.fault = object_stores.silence
    assert "does not answer" in one_line(call(capsys, "verify", store.address(prefix)))
    store.proxy.fault = object_stores.nothing
    store.proxy.stop()
    try:
        assert "cannot be reached" in one_line(call(capsys, "report", store.address(f"{prefix}-2"), "--quiet"))
    finally:
        store.proxy.start()


def test_part__that_was_changed_in_the_store_is_found_out(
    store: Store, prefix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    address = store.address(prefix)
    assert call(capsys, *WORDS, "--out", address).status == 0
    found = store.contents(prefix)
    name = next(name for name in found if name.startswith("rounds/"))
    content = bytearray(found[name])
    content[len(content) // 2] ^= 1
    store.put(f"{prefix}/{name}", bytes(content))
    assert f"{name}: damaged (checksum differs)" in one_line(call(capsys, "verify", address))
    assert "cannot be read" in one_line(
        call(capsys, "export", address, "--table", "rounds", "-o", "/dev/null", "--overwrite")
    )
    assert "checksum differs" in one_line(call(capsys, "run", "--resume", "--out", address, "--quiet"))
    store.remove(f"{prefix}/{name}")
    assert f"{name}: missing" in one_line(call(capsys, "verify", address))
    assert call(capsys, "run", "--resume", "--out", address, "--quiet").status == 0
    assert store.contents(prefix)[name] == found[name]


# --- Addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3://", "names no place in a bucket"),
        ("s3://bucket", "names no place in a bucket"),
        ("s3:///run", "names no place in a bucket"),
        ("s3://bucket//run", "names no place in a bucket"),
        ("s3://bucket/../run", "names no place in a bucket"),
        ("s3://bucket/%2E%2e/run", "names no place in a bucket"),
        ("s3://bucket/run\x1b[2J", "control characters"),
        ("s3://bucket/my run", "has no blanks"),
        ("s3://bucket/run#first", "has no blanks"),
        (f"s3://{KEY}:{SECRET}@bucket/run", "holds no credentials"),
        (f"s3://{KEY}@bucket/run", "holds no credentials"),
        (f"gs://{SECRET}@bucket/run", "holds no credentials"),
        (f"abfs://:{SECRET}@account.dfs.core.windows.net/box/run", "holds no credentials"),
        (f"s3://bucket/run?secret_key={SECRET}", "not 'secret_key'"),
        (f"s3://bucket/run?region=x&session_token={SECRET}", "not 'session_token'"),
        (f"abfs://box@account.dfs.core.windows.net/run?client_secret={SECRET}", "not 'client_secret'"),
        (f"gs://bucket/run?access_token={SECRET}", "not 'access_token'"),
        (f"s3://bucket/run?endpoint_override=http://me:{SECRET}@host:9000", "a host without user and password"),
        ("s3://bucket/run?regoin=eu-north-1", "takes endpoint_override, region and scheme"),
        (f"https://me:{SECRET}@example.org/run", "https:// is no place for a dataset"),
        ("hdfs://host/run", "it takes a directory, s3://, gs://, abfs:// or file://"),
        ("file://run", "takes the whole path of a directory"),
        ("file:///tmp/run?x=1", "takes the whole path of a directory"),
    ],
)
def test_address__that_cannot_be_taken_is_one_line_that_repeats_no_secret(
    address: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(f"out = {json.dumps(address)}\n")
    for words in (
        (*WORDS, "--out", address),
        (*WORDS, "--config", "plan.toml"),
        ("verify", address),
        ("report", address),
        ("odds", "--from", address),
        ("compare", "random", "heaviest", "--blocks", 2, "--out", address, "--resume"),
        ("play", "--out", address),
        ("export", "run", "-o", address),
    ):
        said = call(capsys, *words)
        line = one_line(said)
        assert said.status == 2, words
        assert message in line or words[0] == "export", words
        assert SECRET not in line and KEY not in line
    for load in (domeng_sim.load, lambda place: domeng_sim.run(place, matches=2)):
        with pytest.raises(UserError, match=re.escape(message)) as caught:
            load(address)
        assert SECRET not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


@pytest.mark.parametrize(
    ("address", "canonical"),
    [
        ("S3://bucket/run/", "s3://bucket/run"),
        ("gcs://anonymous@bucket/a/b?retry_limit_seconds=5", "gs://anonymous@bucket/a/b?retry_limit_seconds=5"),
        ("abfss://box@account.dfs.core.windows.net/run", "abfs://box@account.dfs.core.windows.net/run"),
        ("s3://bucket/my%20run?region=eu-north-1", "s3://bucket/my%20run?region=eu-north-1"),
    ],
)
def test_address__is_a_value_that_other_processes_can_be_sent(address: str, canonical: str) -> None:
    place = location(address)
    assert str(place) == canonical
    assert location(str(place)) == place == pickle.loads(pickle.dumps(place))
    assert storage_of(place) is storage_of(location(canonical))
    assert str(place / "x") == canonical.replace("run", "run/x").replace("a/b", "a/b/x")
    assert (place / "x").parent == place


def test_reason__of_any_store_repeats_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    object_stores.set_credentials(monkeypatch)
    said = object_systems.reason(OSError(f"no such user {KEY} with\x1b {SECRET}\nand more"))
    assert said == "no such user *** with\\x1b ***"


def test_merge__of_pieces_in_a_store_gives_the_same_bytes_there_and_on_a_disk(
    store: Store, prefix: str, on_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pieces = [store.address(f"{prefix}/piece-1"), tmp_path / "piece-2"]
    for number, piece in enumerate(pieces, 1):
        assert call(capsys, *WORDS, "--shard", f"{number}/2", "--out", piece).status == 0
    whole = store.address(f"{prefix}/whole")
    # left by a process that was killed
    store.put(f"{prefix}/whole/.lease/0123456789abcdef", b'{"process": 7, "host": "node", "since": "2026"}')
    asked = ["merge", *pieces, "--out", whole, "--quiet"]
    assert "go on with --take-over" in one_line(call(capsys, *asked))
    assert call(capsys, *asked, "--take-over").status == 0
    assert contents(store.download(f"{prefix}/whole", tmp_path / "copy")) == contents(on_disk)
    said = call(capsys, "merge", *pieces, "--out", tmp_path / "whole", "--move", "--quiet")
    assert "of them copied" in said.out
    assert contents(tmp_path / "whole") == contents(on_disk)
    assert not store.contents(f"{prefix}/piece-1")
    assert not (tmp_path / "piece-2").exists()
