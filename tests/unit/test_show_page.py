"""Pages of rounds fit the terminal."""

from __future__ import annotations

import pytest

from domeng_sim.cli.show_page import page_lines, pages_of, told, whole_table, wrapped
from domeng_sim.games import GAMES
from domeng_sim.games.shared.narrative import Look
from tests.golden.make_told import rows_of

CASES = [("domeng", {}), ("draw", {}), ("draw", {"table": "10x6"}), ("draw", {"table": "20x20"})]


def story_of(kind, rules):
    telling, all_rules = GAMES[kind].telling, GAMES[kind].resolve_rules(rules)
    rows = rows_of(kind, 0, 0, rules)
    return telling, telling.tell(rows, all_rules, (0, 0), {}, None)


@pytest.mark.parametrize(("columns", "rows"), [(80, 23), (120, 50), (40, 23), (60, 12), (40, 5), (80, 1)])
@pytest.mark.parametrize(("kind", "rules"), CASES)
def test_page__has_no_more_lines_and_columns_than_there_are(kind, rules, columns, rows):
    telling, story = story_of(kind, rules)
    pages = pages_of([story])
    assert len(pages) == len(story.steps) + 2
    for page in pages:
        lines = page_lines(page, telling, Look(width=columns, height=rows))
        assert len(lines) <= rows
        assert max(len(line.text) for line in lines) <= columns
        assert lines[0].text.startswith("match 0, game 0, round 0")


@pytest.mark.parametrize(("kind", "rules"), CASES)
def test_page__of_a_play_shows_the_newest_tile_and_the_words(kind, rules):
    telling, story = story_of(kind, rules)
    for page in pages_of([story])[1:-1]:
        text = "\n".join(line.text for line in page_lines(page, telling, Look(width=80, height=23)))
        assert " ".join(page.texts[0].split()[:3]) in text
        assert "┏" in text and "┛" in text


@pytest.mark.parametrize(("kind", "rules"), CASES)
def test_told__names_every_step_by_its_number(kind, rules):
    telling, story = story_of(kind, rules)
    texts = [line.text for line in told(story, telling, Look())]
    numbers = [int(text[:3]) for text in texts if text[:3].strip().isdigit() and text[3:5] == "  "]
    assert numbers == [step.at for step in story.steps]
    assert max(map(len, texts)) <= 80


def test_wrapped__leaves_tables_as_they_are():
    assert wrapped("seat     0   1", 80) == ["seat     0   1"]
    assert wrapped("one two three", 9, 2, "7") == ["7 one two", "  three"]


def test_table__that_is_cut_says_on_which_sides():
    telling, story = story_of("draw", {"table": "20x20"})
    step = story.steps[-1]
    whole = telling.picture(step, Look(width=200))
    cut = telling.picture(step, Look(width=20, height=8))
    assert not [line for line in whole if "more above" in line or "more below" in line or "‹" in line or "›" in line]
    assert cut[0] == "… more above" or "… more below" in cut
    assert any(line.startswith("‹") for line in cut) or any(line.endswith("›") for line in cut)
    assert max(map(len, cut)) <= 20


@pytest.mark.parametrize("height", [10, 16, 24, 60])
@pytest.mark.parametrize(("kind", "rules"), CASES)
def test_whole_table__leaves_nothing_out(kind, rules, height):
    telling, story = story_of(kind, rules)
    for step in story.steps:
        text = "\n".join(whole_table(step, telling, Look(width=80, height=height)))
        assert "…" not in text
        assert text.count("┏") == 1
        for word in ("tiles", "seat     0" if kind == "domeng" else "score"):
            assert word in text


def test_page__does_not_cut_a_table_that_fits_below_the_words():
    # wide enough that there is no room at its side, and too high for what each seat holds to fit below all of it
    telling, story = story_of("draw", {"table": "26x16"})
    checked = 0
    for page in pages_of([story])[1:-1]:
        whole, standing = (draw(page.step, Look(width=80)) for draw in (telling.picture, telling.standing))
        room = 23 - 1 - len(wrapped(page.texts[0], 80))
        if max(map(len, whole)) > 80 - 31 - 3 and len(whole) <= room < len(whole) + len(standing) + 2:
            lines = [line.text for line in page_lines(page, telling, Look(width=80, height=23))]
            assert any(lines[at : at + len(whole)] == whole for at in range(len(lines)))
            checked += 1
    assert checked > 3


@pytest.mark.parametrize(("kind", "rules"), CASES)
def test_table__is_in_the_last_lines_where_the_screen_is_small(kind, rules):
    telling, story = story_of(kind, rules)
    for step in story.steps:
        lines = whole_table(step, telling, Look(width=40, height=5))
        picture = telling.picture(step, Look(width=40))
        assert lines[-len(picture) :] == picture or len(lines) <= 5
