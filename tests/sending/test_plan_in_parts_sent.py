"""A plan in parts is sent, loaded, sent again and reported as the same plan in memory is."""

import json
from pathlib import Path

import pandas as pd
import pytest

import campaign

ROWS = [
    f"Person {number},0772 000 {number:03},{'North' if number % 3 else 'South'},en" for number in range(1, 20)
]
CLINIC = "\n".join(
    [
        "Name,Phone,Clinic,Lang",
        *ROWS[:9],
        ",,,",
        "Bad,12,North,en",
        "Again,0772000003,North,en",
        *ROWS[9:],
        "",
    ]
)
TEXT = "Hi {Name}, come to {Clinic}."


_SAME_TABLES = ("Reasons", "People", "Kinds of issues", "Issues row by row", "Values of Clinic")


@pytest.fixture(autouse=True)
def parts_of_seven_rows(monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 7)
    monkeypatch.setattr("campaign.sending.store.frozen_messages.PART_MESSAGES", 6)


def plan_of(
    folder: Path, *, stream: bool, text: str = CLINIC, message: str = TEXT, **options
) -> campaign.Plan:
    file = folder / "visits.csv"
    file.write_text(text, encoding="utf-8")
    return campaign.prepare(file, message=message, sender="CLINIC", region="UG", stream=stream, **options)


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other)


def assert_same_result(result: campaign.Result, other: campaign.Result) -> None:
    times = ["submitted_at", "seconds", "code"]
    same(result.batches.drop(columns=times), other.batches.drop(columns=times))
    same(result.messages.drop(columns="code"), other.messages.drop(columns="code"))
    same(result.contacts.drop(columns="code"), other.contacts.drop(columns="code"))
    same(result.issues, other.issues)
    same(result.follow_up(), other.follow_up())
    same(result.by("Clinic"), other.by("Clinic"))
    assert dict(result.totals) == dict(other.totals)
    sentences = [one.sentence.replace(str(one.folder), "") for one in (result, other)]
    assert sentences[0] == sentences[1]
    assert result.totals.cost == other.totals.cost


def both(tmp_path, monkeypatch):
    """Folders in which the same campaigns are sent from memory and from parts."""
    for stream in (False, True):
        home = tmp_path / ("parts" if stream else "memory")
        home.mkdir(exist_ok=True)
        monkeypatch.chdir(home)
        yield home, stream


def sent(tmp_path, monkeypatch, *sendings):
    """What comes of some sendings, one after the other, from memory and from parts: the results as they are
    returned and as they are loaded."""
    results = []
    for home, stream in both(tmp_path, monkeypatch):
        with campaign.Sandbox(price=35) as sandbox:
            for sending in sendings:
                result = sending(home, stream, sandbox)
            results.append((result, campaign.load_result(result.folder), sandbox.inbox))
    return results


def send_all(home, stream, sandbox, **options):
    return campaign.send(
        plan_of(home, stream=stream), account=sandbox, batch_size=3, concurrency=1, progress=False, **options
    )


def frozen_files(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of the last round, without their division into parts."""
    last = sorted((folder / "rounds").iterdir())[-1]
    parts = {table: sorted(table.glob("*.parquet")) for table in last.iterdir() if table.is_dir()}
    return {
        table.name: pd.concat(map(pd.read_parquet, files), ignore_index=True)
        for table, files in parts.items()
        if files
    }


def assert_same_files(one: Path, other: Path) -> None:
    files, others = frozen_files(one), frozen_files(other)
    assert files.keys() == others.keys()
    for name, frame in files.items():
        same(frame, others[name])


def test_a_first_sending_is_the_same(tmp_path, monkeypatch):
    (held, held_later, inbox), (streamed, streamed_later, other) = sent(tmp_path, monkeypatch, send_all)
    assert_same_result(held, streamed)
    assert_same_result(held_later, streamed_later)
    assert_same_files(held.folder, streamed.folder)
    assert inbox["text"].tolist() == other["text"].tolist()
    assert len(list(streamed_later.plan.parts())) == 4
    assert streamed_later.totals["accepted"] == 19
    manifests = [
        json.loads((result.folder / "rounds/0001/manifest.json").read_bytes()) for result in (held, streamed)
    ]
    for left_out in ("digests", "created_at", "reading"):
        for manifest in manifests:
            del manifest[left_out]
    assert manifests[0] == manifests[1]


def test_a_pilot_and_the_rest_are_the_same(tmp_path, monkeypatch):
    def pilot(home, stream, sandbox):
        return send_all(home, stream, sandbox, pilot=4)

    first = sent(tmp_path / "", monkeypatch, pilot)
    assert_same_result(first[0][0], first[1][0])
    assert_same_result(first[0][1], first[1][1])
    assert_same_files(first[0][0].folder, first[1][0].folder)
    assert first[1][1].totals["not_sent"] == 15

    def rest(home, stream, sandbox):
        return campaign.resume(home / "campaigns/visits.local", account=sandbox, progress=False)

    with campaign.Sandbox(price=35):
        second = sent(tmp_path, monkeypatch, rest)
    assert_same_result(second[0][0], second[1][0])
    assert second[1][0].totals["accepted"] == 19


def corrected(home, stream, sandbox):
    """A number is corrected, a row is added, one is dropped, and one person answered STOP."""
    text = (
        CLINIC.replace("Bad,12", "Good,0772000900").replace(ROWS[4] + "\n", "") + "New,0772000901,South,en\n"
    )
    plan = plan_of(home, stream=stream, text=text, opt_outs=["0772000007"])
    return campaign.send(plan, account=sandbox, batch_size=3, concurrency=1, progress=False)


def test_a_corrected_table_is_the_same(tmp_path, monkeypatch):
    (held, held_later, inbox), (streamed, streamed_later, other) = sent(
        tmp_path, monkeypatch, send_all, corrected
    )
    assert_same_result(held, streamed)
    assert_same_result(held_later, streamed_later)
    assert_same_files(held.folder, streamed.folder)
    assert inbox["text"].tolist() == other["text"].tolist()
    assert len(other) == 21
    assert (streamed.issues["code"] == "reached_before").sum() == 1


def changed(choice):
    def send(home, stream, sandbox):
        text = CLINIC.replace("Person 2,", "Person Two,").replace("Person 15,", "Person Fifteen,")
        plan = plan_of(home, stream=stream, text=text)
        return campaign.send(plan, account=sandbox, changed=choice, concurrency=1, progress=False)

    return send


def test_changed_texts_are_the_same(tmp_path, monkeypatch):
    (held, held_later, inbox), (streamed, streamed_later, other) = sent(
        tmp_path, monkeypatch, send_all, changed("send"), changed("send")
    )
    assert_same_result(held, streamed)
    assert_same_result(held_later, streamed_later)
    assert_same_files(held.folder, streamed.folder)
    assert inbox["text"].tolist() == other["text"].tolist()
    assert len(other) == 21


def test_people_who_leave_or_keep_their_text_leave_a_plan_in_parts(tmp_path, monkeypatch):
    """No whole table is made of it: neither for texts that people keep, nor for repeats, nor after STOP."""
    made, results = [], []
    monkeypatch.setattr("campaign.messages.plan_tables.plan_part.check_fits", lambda *told: made.append(told))
    twice = CLINIC.replace("Person 2,", "Person Two,") + f"{ROWS[6]}\n{ROWS[15]}\n"
    for home, stream in both(tmp_path, monkeypatch):
        with campaign.Sandbox() as sandbox:
            options = {"account": sandbox, "concurrency": 1, "progress": False}
            folder = send_all(home, stream, sandbox).folder
            plan = plan_of(home, stream=stream, text=twice, duplicates="keep")
            kept = campaign.send(plan, changed="skip", **options)
            stopped = campaign.resume(folder, opt_outs=["0772000005", "0772000018", "no number"], **options)
            assert len(sandbox.inbox) == 20
        assert [one.plan.is_in_memory for one in (kept, stopped)] == [not stream] * 2
        assert made == []
        results.append((kept, stopped))
    for held, streamed in zip(*results, strict=True):
        assert_same_result(held, streamed)
    assert_same_files(held.folder, streamed.folder)
    codes = streamed.issues["code"].value_counts()
    assert [codes[code] for code in ("opted_out", "earlier_text", "same_text")] == [2, 1, 2]


def test_rows_that_share_a_phone_and_have_their_texts_are_the_same(tmp_path, monkeypatch):
    """Every different text is sent, then one for each phone; later a row gets another number."""
    family = CLINIC.replace("0772 000 017", "0772 000 002")
    joined = f"{family}Zoe,0772 000 300,,en\n"
    results, told = [], []
    for home, stream in both(tmp_path, monkeypatch):
        with campaign.Sandbox(price=35) as sandbox:
            for options in ({"text": family, "duplicates": "keep"}, {"text": joined}):
                plan = plan_of(home, stream=stream, **options)
                result = campaign.send(plan, account=sandbox, concurrency=1, progress=False)
            assert len(sandbox.inbox) == 20
            plan = plan_of(home, stream=stream, text=joined.replace("17,0772 000 002", "17,0772 000 099"))
            told.append(campaign.compare(plan))
        results.append((result, campaign.load_result(result.folder)))
    for held, streamed in zip(*results, strict=True):
        assert_same_result(held, streamed)
    assert_same_files(held.folder, streamed.folder)
    assert (streamed.totals["accepted"], streamed.totals.sharing) == (20, 0)
    assert told[0].findings == told[1].findings
    assert (told[1].new, told[1].reached, told[1].gone) == (1, 19, 0)


def test_rows_on_a_phone_that_another_row_has_reached_are_the_same(tmp_path, monkeypatch):
    """The rows whose texts went to the phones leave the table; one stays with a number of its own."""
    family = CLINIC.replace("0772 000 017", "0772 000 002").replace("0772 000 016", "0772 000 002")
    left = family.replace(f"{ROWS[1]}\n", "").replace("Person 3,0772 000 003", "Person 3,0772 000 099")
    results, told = [], []
    for home, stream in both(tmp_path, monkeypatch):
        with campaign.Sandbox(price=35) as sandbox:
            options = {"account": sandbox, "concurrency": 1, "progress": False}
            campaign.send(plan_of(home, stream=stream, text=family), **options)
            for message in (TEXT, f"{TEXT} Bring your card."):
                told.append(
                    campaign.compare(plan_of(home, stream=stream, text=left, message=message)).findings
                )
            kept = campaign.send(plan_of(home, stream=stream, text=left), changed="skip", **options)
            assert campaign.resume(kept.folder, opt_outs=["0772 000 300"], **options).nothing_sent
        results.append((kept, campaign.load_result(kept.folder)))
    for held, streamed in zip(*results, strict=True):
        assert_same_result(held, streamed)
    assert_same_files(held.folder, streamed.folder)
    assert streamed.totals["accepted"] == 16
    why = streamed.contacts["why"].value_counts()
    assert (why["earlier_text"], why["shared_phone"]) == (2, 1)
    assert told[:2] == told[2:]


def test_a_question_about_changed_texts_is_the_same(tmp_path, monkeypatch):
    told = []
    for home, stream in both(tmp_path, monkeypatch):
        with campaign.Sandbox() as sandbox:
            send_all(home, stream, sandbox)
            with pytest.raises(campaign.ConfirmationError) as question:
                changed("ask")(home, stream, sandbox)
            told.append(str(question.value))
            assert len(sandbox.inbox) == 19
    assert told[0] == told[1]


def test_nothing_is_sent_twice(tmp_path, monkeypatch):
    (held, _, _), (streamed, _, inbox) = sent(tmp_path, monkeypatch, send_all, send_all)
    assert_same_result(held, streamed)
    assert streamed.nothing_sent
    assert len(inbox) == 19
    assert sorted(path.name for path in (streamed.folder / "rounds").iterdir()) == ["0001"]


def test_texts_of_several_pieces_stay_together(tmp_path, monkeypatch):
    def long_texts(home, stream, sandbox):
        plan = plan_of(home, stream=stream, message=TEXT + " Bring your card." * 12, overlong="split")
        return campaign.send(plan, account=sandbox, batch_size=3, concurrency=1, progress=False)

    (held, held_later, _), (streamed, streamed_later, inbox) = sent(
        tmp_path, monkeypatch, long_texts, long_texts
    )
    assert_same_result(held, streamed)
    assert_same_result(held_later, streamed_later)
    assert_same_files(held.folder, streamed.folder)
    assert len(inbox) == 38


def test_reports_are_the_same(tmp_path, monkeypatch):
    written = {}
    for name, result in zip(
        ("held", "streamed"), [one[0] for one in sent(tmp_path, monkeypatch, send_all)], strict=True
    ):
        codes = {code: "code" for code in result.batches["code"] if code}
        campaign.write_report(result, tmp_path / f"{name}.csv")
        campaign.write_report(result, tmp_path / f"{name}.html", by="Clinic")
        campaign.write_report(result, tmp_path / f"{name}.xlsx")
        campaign.write_follow_up(result, tmp_path / f"{name}-follow-up.csv")
        table = pd.read_csv(tmp_path / f"{name}.csv", dtype=str, keep_default_na=False)
        table["code"] = table["code"].replace(codes)
        sheets = pd.read_excel(
            tmp_path / f"{name}.xlsx",
            sheet_name=["Contacts", "Issues", "Follow-up"],
            dtype=str,
            engine="calamine",
        )
        sheets["Contacts"] = sheets["Contacts"].drop(columns="code")
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        sections = page.split('aria-label="')[1:]
        tables = [text.split("</table>")[0] for text in sections if text.startswith(_SAME_TABLES)]
        written[name] = (
            table,
            sheets,
            tables,
            (tmp_path / f"{name}-follow-up.csv").read_text(encoding="utf-8-sig"),
        )
    (table, sheets, tables, follow_up), (table2, sheets2, tables2, follow_up2) = written.values()
    same(table, table2)
    for name, sheet in sheets.items():
        same(sheet, sheets2[name])
    assert tables == tables2
    assert len(tables) == len(_SAME_TABLES)
    assert follow_up == follow_up2
