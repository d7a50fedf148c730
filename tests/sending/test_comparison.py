"""What a plan says beside what its campaign has said already: nobody twice, nobody forgotten."""

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaign.arrow_text import normalize_texts, text_array
from campaign.messages.text import folding
from campaign.sending.rounds import comparison
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    CHANGED,
    MOVED,
    NEW,
    REFUSED,
    UNKNOWN,
    UNSENT,
    Comparison,
    RecordedTexts,
    RowTexts,
    compare_texts,
    missing_numbers,
    reached_alternatives,
    repeated_texts,
)

ANN, BEN, CAS, DEE = 256772000001, 256772000002, 256772000003, 256772000004
KENYAN_ANN = 254772000001


def rows(*entries: tuple[int, str] | tuple[int, str, str]) -> RowTexts:
    """Rows of number and text; the cell is the number in the national form, or the third entry."""
    cells = [entry[2] if len(entry) > 2 else f"0{entry[0] % 10**9}" for entry in entries]
    numbers = np.array([entry[0] for entry in entries], dtype=np.int64)
    return RowTexts(numbers, text_array([entry[1] for entry in entries]), text_array(cells))


def record(*batches: RowTexts, part: int = 2) -> comparison.Record:
    """The rows of batches 1, 2 … in this order, read back in parts; row 2 of the sheet is the first."""
    entries = [
        (number, *entry)
        for number, batch in enumerate(batches, 1)
        for entry in zip(
            batch.numbers.tolist(), batch.texts.to_pylist(), batch.cells.to_pylist(), strict=True
        )
    ]
    return record_of(entries, part)


def record_of(entries: list[tuple[int, int, str, str]], part: int = 2) -> comparison.Record:
    """Rows of batch, number, text and cell in any order, read back in parts of some rows."""

    labels = np.arange(len(entries)) + 2

    def parts():
        for start in range(0, len(entries), part):
            batches, *columns = zip(*entries[start : start + part], strict=True)
            yield RecordedTexts(rows(*zip(*columns, strict=True)), numbers(*batches), labels[start:][:part])

    return parts


def knowledge(*states: int) -> comparison.Knowledge:
    """What is known of batches 1, 2 …"""
    return np.array([NEW, *states], dtype=np.int8)


def numbers(*digits: int) -> np.ndarray:
    return np.array(digits, dtype=np.int64)


def compare(planned: RowTexts, *said: tuple[int, RowTexts], excluded=()) -> Comparison:
    """The plan compared with batches, each with what is known of it."""
    states, batches = zip(*said, strict=True) if said else ((), ())
    return compare_texts(planned, numbers(*excluded), record(*batches), knowledge(*states))


def outcome(compared: Comparison) -> list[tuple[int, int]]:
    return list(zip(compared.knowledge.tolist(), compared.batches.tolist(), strict=True))


# --- one person ---------------------------------------------------------------------------------------


def test_a_first_plan_is_all_new():
    compared = compare(rows((ANN, "Hi Ann"), (BEN, "Hi Ben")))
    assert outcome(compared) == [(NEW, 0), (NEW, 0)]
    assert compared.recorded_rows.tolist() == [0, 0]
    assert compared.gone.tolist() == []


@pytest.mark.parametrize("state", [UNSENT, REFUSED, AGAIN, UNKNOWN, ACCEPTED])
def test_of_the_same_text_it_is_known_what_became_of_its_batch(state):
    compared = compare(
        rows((ANN, "Hi Ann")), (ACCEPTED, rows((BEN, "Hi Ben"))), (state, rows((ANN, "Hi Ann")))
    )
    assert outcome(compared) == [(state, 2)]


def test_sorting_the_rows_and_adding_one_changes_nothing_for_the_others():
    said = rows((ANN, "Hi Ann"), (BEN, "Hi Ben"), (CAS, "Hi Cas"))
    compared = compare(
        rows((CAS, "Hi Cas"), (DEE, "Hi Dee"), (ANN, "Hi Ann"), (BEN, "Hi Ben")), (ACCEPTED, said)
    )
    assert outcome(compared) == [(ACCEPTED, 1), (NEW, 0), (ACCEPTED, 1), (ACCEPTED, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "Grüße aus Köln",
        "  Grüße aus Köln",
        "Grüße aus\u00a0Köln ",
        "Grüße  aus\nKöln",
        "Gru\u0308ße aus Ko\u0308ln",
    ],
)
def test_spaces_and_the_way_an_accent_is_typed_make_no_other_text(text):
    assert outcome(compare(rows((ANN, text)), (ACCEPTED, rows((ANN, "Grüße aus Köln"))))) == [(ACCEPTED, 1)]


@pytest.mark.parametrize("text", ["Hi Anne", "hi Ann", "HiAnn", "Hi Ann.", ""])
def test_a_corrected_text_is_asked_about(text):
    compared = compare(rows((ANN, text)), (ACCEPTED, rows((ANN, "Hi Ann"))))
    assert outcome(compared) == [(CHANGED, 1)]
    assert compared.recorded_rows.tolist() == [2]


@pytest.mark.parametrize("state", [UNSENT, REFUSED])
def test_a_text_that_never_arrived_can_be_corrected_freely(state):
    assert outcome(compare(rows((ANN, "Hi Anne")), (state, rows((ANN, "Hi Ann"))))) == [(NEW, 0)]


@pytest.mark.parametrize("state", [AGAIN, UNKNOWN])
def test_what_may_have_arrived_counts_as_reached_by_another_text(state):
    assert outcome(compare(rows((ANN, "Hi Anne")), (state, rows((ANN, "Hi Ann"))))) == [(CHANGED, 1)]


def test_refused_twice_and_then_accepted_is_accepted():
    said = rows((ANN, "Hi Ann"))
    assert outcome(compare(said, (REFUSED, said), (ACCEPTED, said), (REFUSED, said))) == [(ACCEPTED, 2)]


def test_of_two_equal_outcomes_the_later_batch_counts():
    said = rows((ANN, "Hi Ann"))
    assert outcome(compare(said, (REFUSED, said), (REFUSED, said))) == [(REFUSED, 2)]


def test_a_chosen_second_text_that_was_refused_goes_out_without_another_question():
    """The person got "Visit on Monday", chose to get "Visit on Tuesday" too, and funds ran out."""
    monday, tuesday = rows((ANN, "Visit on Monday")), rows((ANN, "Visit on Tuesday"))
    assert outcome(compare(tuesday, (ACCEPTED, monday), (REFUSED, tuesday))) == [(REFUSED, 2)]


def test_going_back_to_a_first_text_that_was_refused_is_asked_about():
    """Monday was refused, Tuesday arrived: Monday now would be a second text, and nobody chose that."""
    monday, tuesday = rows((ANN, "Visit on Monday")), rows((ANN, "Visit on Tuesday"))
    assert outcome(compare(monday, (REFUSED, monday), (ACCEPTED, tuesday))) == [(CHANGED, 2)]


def test_the_record_may_name_the_batches_in_any_order():
    """Tuesday was refused, Monday arrived, Tuesday was chosen and waits: no question, although read first."""
    tuesday, monday = (ANN, "Visit on Tuesday", "0772000001"), (ANN, "Visit on Monday", "0772000001")
    said = record_of([(3, *tuesday), (1, *tuesday), (2, *monday)], part=3)
    states = knowledge(REFUSED, ACCEPTED, UNSENT)
    assert outcome(compare_texts(rows(tuesday), numbers(), said, states)) == [(REFUSED, 1)]


def test_what_was_ordered_to_go_out_again_does():
    monday, tuesday = rows((ANN, "Visit on Monday")), rows((ANN, "Visit on Tuesday"))
    assert outcome(compare(monday, (AGAIN, monday), (ACCEPTED, tuesday))) == [(AGAIN, 1)]


# --- rows that get nothing, and people who are gone -----------------------------------------------------


def test_somebody_who_opted_out_after_being_reached_keeps_the_batch_that_reached_them():
    said = rows((ANN, "Hi Ann"), (BEN, "Hi Ben"))
    compared = compare(rows((CAS, "Hi Cas")), (ACCEPTED, said), (REFUSED, said), excluded=[BEN, 0, DEE, BEN])
    assert compared.reached_before.tolist() == [1, 0, 0, 1]
    assert compared.gone.tolist() == [ANN]


def test_what_is_known_best_says_how_an_excluded_row_was_reached():
    said = rows((BEN, "Hi Ben"))
    compared = compare(rows(), (AGAIN, said), (ACCEPTED, said), (UNKNOWN, said), excluded=[BEN])
    assert compared.reached_before.tolist() == [2]


def test_everybody_who_was_reached_and_is_in_no_row_is_gone_once():
    compared = compare(
        rows((ANN, "Hi Ann")),
        (ACCEPTED, rows((DEE, "Hi Dee"), (BEN, "Hi Ben"), (DEE, "Hello Dee"), (ANN, "Hi Ann"))),
        (UNSENT, rows((CAS, "Hi Cas"))),
        (UNKNOWN, rows((BEN, "Hello Ben"))),
    )
    assert compared.gone.tolist() == [BEN, DEE]


def test_waiting_people_who_are_in_no_row_are_missing():
    said = record(rows((ANN, "Hi")), rows((BEN, "Hi"), (CAS, "Hi"), (DEE, "Hi")))
    assert missing_numbers(said, np.array([False, False, True]), numbers(ANN, CAS, 0)).tolist() == [BEN, DEE]
    assert missing_numbers(said, np.array([False, False, False]), numbers()).tolist() == []
    assert missing_numbers(record(), np.array([False]), numbers(ANN)).tolist() == []


# --- the same cell, another number ----------------------------------------------------------------------


def test_a_cell_that_was_reached_under_another_number_has_moved():
    """The region was UG and is KE now: another number, and the same person as far as we know."""
    compared = compare(
        rows((KENYAN_ANN, "Hi Ann", "0772 000 001")), (ACCEPTED, rows((ANN, "Hi Ann", "0772 000 001")))
    )
    assert outcome(compared) == [(MOVED, 1)]
    assert compared.recorded_rows.tolist() == [2]
    assert compared.gone.tolist() == [ANN]


def test_of_an_identical_pair_the_first_cell_that_moved_counts():
    said = rows((ANN, "Hi", "0772000001")), rows((BEN, "Hi", "0772000002"))
    planned = rows((KENYAN_ANN, "Hi", "0772000001"), (KENYAN_ANN, "Hi", "0772000002"))
    assert outcome(compare(planned, (ACCEPTED, said[0]), (ACCEPTED, said[1]))) == [(MOVED, 1), (MOVED, 1)]


def test_a_cell_has_not_moved_while_its_old_number_is_still_in_a_row():
    said, planned = rows((ANN, "Hi Ann", "0772000001")), rows((KENYAN_ANN, "Hi Ann", "0772000001"))
    assert outcome(compare(planned, (ACCEPTED, said), excluded=[ANN])) == [(NEW, 0)]
    both = rows((KENYAN_ANN, "Hi Ann", "0772000001"), (ANN, "Hi Ann", "0772000001"))
    assert outcome(compare(both, (ACCEPTED, said))) == [(NEW, 0), (ACCEPTED, 1)]


def test_going_back_to_a_number_that_was_refused_is_asked_about():
    first, second = rows((KENYAN_ANN, "Hi", "0772000001")), rows((ANN, "Hi", "0772000001"))
    assert outcome(compare(first, (REFUSED, first), (ACCEPTED, second))) == [(MOVED, 2)]
    assert outcome(compare(second, (ACCEPTED, first), (REFUSED, second))) == [(REFUSED, 2)]


# --- several texts for one number -----------------------------------------------------------------------


def test_on_a_shared_phone_equal_texts_are_matched_first():
    said = rows((ANN, "Hi Ann"), (ANN, "Hi Ben"))
    compared = compare(rows((ANN, "Hi Benny"), (ANN, "Hi Ann")), (ACCEPTED, said))
    assert outcome(compared) == [(CHANGED, 1), (ACCEPTED, 1)]


def test_on_a_shared_phone_one_more_person_is_new():
    compared = compare(
        rows((ANN, "Hi Anne"), (ANN, "Hi Benny"), (ANN, "Hi Cas")),
        (ACCEPTED, rows((ANN, "Hi Ann"))),
        (ACCEPTED, rows((ANN, "Hi Ben"))),
    )
    assert outcome(compared) == [(CHANGED, 1), (CHANGED, 2), (NEW, 0)]


def test_a_person_removed_from_a_shared_phone_changes_nothing_for_the_other():
    said = rows((ANN, "Hi Ann"), (ANN, "Hi Ben"))
    assert outcome(compare(rows((ANN, "Hi Ann")), (ACCEPTED, said))) == [(ACCEPTED, 1)]


def test_on_a_shared_phone_the_corrected_text_is_asked_about_and_the_refused_one_goes_out():
    compared = compare(
        rows((ANN, "Hi Ben"), (ANN, "Hi Anne")),
        (REFUSED, rows((ANN, "Hi Ben"))),
        (ACCEPTED, rows((ANN, "Hi Ann"))),
    )
    assert outcome(compared) == [(REFUSED, 1), (CHANGED, 2)]


def test_an_identical_pair_goes_out_once():
    planned = rows((ANN, "Hi"), (BEN, "Hi"), (ANN, " Hi "), (ANN, "Hello"), (BEN, "Hi"), (ANN, "Hi"))
    assert repeated_texts(planned).tolist() == [False, False, True, False, True, True]
    compared = compare(planned, (ACCEPTED, rows((ANN, "Hi"))), (ACCEPTED, rows((BEN, "Bye"))))
    assert outcome(compared) == [
        (ACCEPTED, 1),
        (CHANGED, 2),
        (ACCEPTED, 1),
        (NEW, 0),
        (CHANGED, 2),
        (ACCEPTED, 1),
    ]


def test_a_number_in_ten_thousand_rows_costs_no_more_than_others():
    planned = rows(*((ANN, f"Ticket {ticket}") for ticket in range(10_000)))
    compared = compare_texts(planned, numbers(), record(planned, part=5_000), knowledge(ACCEPTED))
    assert set(outcome(compared)) == {(ACCEPTED, 1)}  # in pairs, this would have been 100 million


# --- which of several rows with one number is kept -------------------------------------------------------


def test_the_row_whose_text_was_reached_is_kept_instead():
    kept = rows((ANN, "Hi Ann"), (BEN, "Hi Ben"), (CAS, "Hi Cas"), (DEE, "Hi Dee"))
    alternatives = rows((DEE, "Hi D."), (BEN, "Hi B."), (BEN, "Hi Benny"), (ANN, "Hi A."), (CAS, "Hi C."))
    said = record(
        rows((BEN, "Hi Benny"), (ANN, "Hi A."), (CAS, "Hi C.")), rows((CAS, "Hi Cas")), rows((DEE, "Hi D."))
    )
    states = knowledge(ACCEPTED, UNKNOWN, REFUSED)
    reached = reached_alternatives(kept, alternatives, said, states)
    assert (reached.instead.tolist(), reached.beside.tolist()) == ([2, 3], [4])


def test_rows_whose_texts_were_reached_as_well_are_kept_beside():
    kept = rows((ANN, "Hi Ann"), (BEN, "Hi Ben"), (CAS, "Hi Cas"))
    alternatives = rows((ANN, "Hi A."), (BEN, "Hi B."), (BEN, "Hi Benny"), (CAS, "Hi C."))
    said = record(
        rows((ANN, "Hi Ann"), (ANN, "Hi A.")), alternatives.take(numbers(1, 2)), kept.take(numbers(2))
    )
    reached = reached_alternatives(kept, alternatives, said, knowledge(ACCEPTED, UNKNOWN, REFUSED))
    assert (reached.instead.tolist(), reached.beside.tolist()) == ([1], [0, 2])


def test_a_text_that_is_to_go_out_again_is_kept_before_one_that_nobody_ordered():
    kept, alternatives = rows((ANN, "Hi"), (BEN, "Hi")), rows((ANN, "Hello"), (BEN, "Hello"))
    said = record(rows((ANN, "Hello"), (BEN, "Hello")), rows((BEN, "Hi")))
    assert reached_alternatives(kept, alternatives, said, knowledge(AGAIN, AGAIN)).instead.tolist() == [0]
    assert reached_alternatives(kept, alternatives, said, knowledge(AGAIN, ACCEPTED)).instead.tolist() == [0]


def test_of_several_reached_alternatives_the_best_is_kept_then_the_first():
    kept = rows((ANN, "Hi"), (BEN, "Hi"))
    alternatives = rows((ANN, "Hi 1"), (ANN, "Hi 2"), (BEN, "Hi 1"), (BEN, "Hi 2"))
    said = record(rows((ANN, "Hi 1")), rows((BEN, "Hi 2"), (ANN, "Hi 2")), rows((BEN, "Hi 1")))
    states = knowledge(UNKNOWN, ACCEPTED, ACCEPTED)
    assert reached_alternatives(kept, alternatives, said, states).instead.tolist() == [1, 2]


def test_a_kept_text_that_is_to_go_out_again_gives_way_to_one_that_arrived():
    kept, alternatives = rows((ANN, "Hi")), rows((ANN, "Hello"))
    states = knowledge(AGAIN, UNKNOWN)
    assert reached_alternatives(kept, alternatives, record(kept, alternatives), states).instead.tolist() == [
        0
    ]


def test_without_alternatives_the_record_is_not_even_read():
    def unreadable():
        raise AssertionError("read for nothing")

    assert reached_alternatives(rows((ANN, "Hi")), rows(), unreadable, knowledge()).instead.tolist() == []


# --- any plan, any record: the same row by row -------------------------------------------------------------

PEOPLE = st.sampled_from([ANN, BEN, CAS, DEE])
WORDS = st.sampled_from(["Hi", " Hi", "Hi\u00a0", "Hé", "He\u0301", "Ho  ho", "Ho ho", "Bye"])
CELLS = st.sampled_from(["0772000001", "0772000002", "0772000003"])
ROWS = st.lists(st.tuples(PEOPLE, WORDS, CELLS), max_size=8)
STATES = st.sampled_from([UNSENT, REFUSED, AGAIN, UNKNOWN, ACCEPTED])


def fold(text):
    return " ".join(unicodedata.normalize("NFC", text).split())


def row_by_row(planned, excluded, entries, states):
    """What `compare_texts` says, slowly: a list of (knowledge, batch, recorded row), and who is gone."""
    said = [
        (states[batch - 1], batch, number, fold(text), cell, row)
        for row, (batch, number, text, cell) in enumerate(entries, 2)
    ]
    texts = list(dict.fromkeys((number, fold(text)) for number, text, _ in planned))
    named = {number for number, _ in texts} | set(excluded)
    reached = [entry for entry in said if entry[0] >= AGAIN]
    best, last = {}, {}
    for text in texts:
        own = [(state, batch) for state, batch, *said_text, _, _ in said if tuple(said_text) == text]
        best[text] = (*max(own, default=(NEW, 0)), 0)
        last[text] = max((batch for _, batch in own), default=0)
    for number in {number for number, _ in texts}:
        replaced = {}
        for state, batch, other, text, _, row in reached:
            if other == number and (number, text) not in texts:
                replaced[text] = max(replaced.get(text, (0, 0, 0)), (state, batch, row))
        replaced = sorted((batch, row) for _, batch, row in replaced.values())
        unsent = sorted(
            (text for text in texts if text[0] == number and best[text][0] < AGAIN),
            key=lambda text: last[text],
        )
        kept = replaced[max(len(replaced) - len(unsent), 0) :]
        for text, (batch, row) in zip(unsent, kept, strict=False):
            if batch > last[text]:
                best[text] = (CHANGED, batch, row)
    for number, text, cell in planned:
        key = (number, fold(text))
        lost = [
            (batch, -row) for _, batch, other, _, own, row in reached if other not in named and own == cell
        ]
        if best[key][0] in (NEW, UNSENT, REFUSED) and lost:
            batch, row = max(lost)
            if batch > last[key]:
                best[key] = (MOVED, batch, -row)
    gone = sorted({number for _, _, number, *_ in reached} - named)
    return [best[number, fold(text)] for number, text, _ in planned], gone


@settings(max_examples=100)
@given(
    ROWS,
    st.lists(PEOPLE | st.just(0), max_size=4),
    st.lists(STATES, min_size=5, max_size=5),
    st.lists(st.tuples(st.integers(1, 5), PEOPLE, WORDS, CELLS), max_size=12),
    st.integers(1, 7),
)
def test_whole_columns_say_what_row_by_row_says(planned, excluded, states, entries, part):
    compared = compare_texts(rows(*planned), numbers(*excluded), record_of(entries, part), knowledge(*states))
    fields = (compared.knowledge, compared.batches, compared.recorded_rows)
    expected, gone = row_by_row(planned, excluded, entries, states)
    assert list(zip(*(field.tolist() for field in fields), strict=True)) == expected
    assert compared.gone.tolist() == gone
    reached = [
        (states[batch - 1], batch, number) for batch, number, *_ in entries if states[batch - 1] >= AGAIN
    ]
    reached_before = [
        max(((state, batch) for state, batch, own in reached if own == number), default=(0, 0))[1]
        for number in excluded
    ]
    assert compared.reached_before.tolist() == reached_before
    seen = [(number, fold(text)) for number, text, _ in planned]
    repeated = [text in seen[:place] for place, text in enumerate(seen)]
    assert repeated_texts(rows(*planned)).tolist() == repeated


# --- folding, for every character there is ---------------------------------------------------------------


@pytest.fixture(scope="module")
def characters():
    """Every character there is."""
    return [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]


def test_every_white_space_is_folded(characters):
    spaces = text_array([f"a{character}b" for character in characters])
    plain = np.flatnonzero([text == "a b" for text in folding.folded(spaces).to_pylist()])
    assert [characters[place] for place in plain] == [
        character for character in characters if character.isspace()
    ]


def test_a_column_of_nothing_but_ascii_is_folded_alike():
    spaces = [chr(code) for code in range(128) if chr(code).isspace()]
    texts = [form.format(space) for space in spaces for form in ("{0}a b", "a{0}b", "a b{0}", "a {0}b")]
    assert folding.folded(text_array(texts)).to_pylist() == ["a b"] * len(texts)
    assert folding.folded(text_array([])).to_pylist() == []


def test_every_character_that_nfc_may_change_is_looked_for(characters):
    """A text is normalized only if it has one of these: changed alone, behind a mark or a letter."""
    alone = text_array(characters)
    others = ~folding.matches(alone, folding.COMPOSABLE)
    for before in ("", "a\u0345"):  # U+0345 is of the last class: any other mark behind it is moved before it
        texts = text_array([before + character for character in characters])
        changed = [
            one != other
            for one, other in zip(texts.to_pylist(), normalize_texts(texts).to_pylist(), strict=True)
        ]
        assert [characters[place] for place in np.flatnonzero(np.array(changed) & others)] == []
    decompositions = [unicodedata.decomposition(character).split() for character in characters]
    pairs = [
        "".join(chr(int(code, 16)) for code in pair)
        for pair in decompositions
        if len(pair) == 2 and "<" not in pair[0]
    ]
    unnoticed = ~folding.matches(text_array(pairs), folding.COMPOSABLE)
    assert [pairs[place] for place in np.flatnonzero(unnoticed)] == []


@given(st.lists(st.text(max_size=12), max_size=12))
def test_folding_a_column_is_folding_each_text(texts):
    assert folding.folded(text_array(texts)).to_pylist() == [fold(text) for text in texts]
