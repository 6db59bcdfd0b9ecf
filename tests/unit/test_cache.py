"""The folder of machine code: damage is as if nothing were there, and nobody else can put anything into it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from domeng_sim.core import announce

cache = pytest.importorskip("domeng_sim.core.cache")
jit = pytest.importorskip("domeng_sim.core.jit")
DIGEST = "0123456789abcdef"


def double(x):
    return x + x


def compiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, bool]:
    """Whether something was compiled, and whether there is a folder to keep it in; as in a process that just began."""
    monkeypatch.setenv("DOMENG_SIM_CACHE", str(folder))
    monkeypatch.setattr(jit, "CACHE_FOLDER", cache.cache_folder(DIGEST))
    told: list[int] = []
    with announce.when_compiling(lambda: told.append(1)):
        anew = jit.entry(double)
        assert anew(21) == 42 and anew(1.5) == 3.0
    return len(told), jit.CACHE_FOLDER is not None


@pytest.mark.compiled
def test_cache__whose_files_are_damaged_is_compiled_again_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    assert compiled(folder, monkeypatch) == (1, True)
    assert compiled(folder, monkeypatch) == (0, True)
    files = list(folder.rglob("*.code"))
    assert len(files) == 2
    for damage in (lambda data: b"", lambda data: data[:-1], lambda data: b"x" + data[1:]):
        for path in files:
            path.write_bytes(damage(path.read_bytes()))
        assert compiled(folder, monkeypatch) == (1, True)
    assert compiled(folder, monkeypatch) == (0, True)


@pytest.mark.compiled
def test_cache__into_which_others_could_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    assert compiled(folder, monkeypatch) == (1, True)
    [inner] = folder.iterdir()
    assert inner.stat().st_mode & 0o777 == 0o700
    inner.chmod(0o777)
    assert compiled(folder, monkeypatch) == (1, False)
    inner.chmod(0o700)
    assert compiled(folder, monkeypatch) == (0, True)


@pytest.mark.skipif(os.name == "nt", reason="rights are told otherwise there")
def test_only_ours__looks_at_all_folders_above(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert cache.only_ours(deep)
    (tmp_path / "a").chmod(0o777)
    assert not cache.only_ours(deep)
    (tmp_path / "link").symlink_to(deep)
    assert not cache.only_ours(tmp_path / "link")
    (tmp_path / "a").chmod(0o1777)  # as /tmp
    assert cache.only_ours(deep)
    deep.chmod(0o1777)
    assert not cache.only_ours(deep)
    deep.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(tmp_path / "a", 12345, -1)
        assert not cache.only_ours(deep)


def test_cache_folder__removes_only_old_folders_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOMENG_SIM_CACHE", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "thesis.txt").write_text("mine")
    for name in ("numba-fedcba9876543210", "numba-mine", "photos"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    (tmp_path / "numba-0000000000000000").symlink_to(tmp_path / "elsewhere")
    for path in tmp_path.iterdir():
        os.utime(path, (time.time() - 10**7, time.time() - 10**7))
    assert cache.cache_folder(DIGEST) == tmp_path / f"numba-{DIGEST}"
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["elsewhere", f"numba-{'0' * 16}", f"numba-{DIGEST}", "numba-mine", "photos"]
    assert (tmp_path / "elsewhere" / "thesis.txt").exists()


def test_cache_folder__that_cannot_be_made_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOMENG_SIM_CACHE", str(tmp_path / "file" / "cache"))
    assert cache.cache_folder(DIGEST) is None


def test_when_compiling__tells_the_innermost_once() -> None:
    told: list[str] = []
    announce.compiling()
    with announce.when_compiling(lambda: told.append("outer")):
        with announce.when_compiling(lambda: told.append("inner")):
            announce.compiling()
            announce.compiling()
        announce.compiling()
    announce.compiling()
    assert told == ["inner", "outer"]
