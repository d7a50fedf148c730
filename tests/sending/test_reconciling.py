"""Unknown batches and the provider's own list: what it settles, and what stays unknown."""

import pandas as pd
import pytest
from support.refusals import facts_of, refused

from campaign.errors import ColumnError, FileError
from campaign.sending.afterwards.provider_list import read_provider_list
from campaign.sending.afterwards.reconciliation import Reconciliation
from campaign.sending.afterwards.reconciling import match_provider_list

# Batch 1 was accepted at 14:00 UTC; of the batches after it no readable answer came.
CAMPAIGN = """\
batch  status    left   number        message
1      accepted  14:00  256772000001  Hi Grace
1      accepted  14:00  256772000002  Hi Moses
2      unknown   14:05  256772000003  Hi Zoé
2      unknown   14:05  256772000004  Hi Ruth
"""
TOOK_1 = """\
To,Message,Sent at,Cost
256772000001,Hi Grace,2026-11-22 14:00:02Z,35
256772000002,Hi Moses,2026-11-22 14:00:02Z,35
"""
TOOK_2 = """\
256772000003,Hi Zoé,2026-11-22 14:05:01Z,35
256772000004,Hi Ruth,2026-11-22 14:05:01Z,35
"""
NOW = pd.Timestamp("2026-11-24 09:00Z")  # as the list is read
BEFORE = "256772000900,Another campaign,2026-11-22 09:00Z,35\n"
LATER = "256772000901,Another campaign,2026-11-22 15:30Z,35\n"


def campaign_of(text):
    """The frames that are compared with a list: `messages` and `batches`."""
    lines = [line.split(maxsplit=4) for line in text.splitlines()[1:]]
    messages = pd.DataFrame(lines, columns=["batch", "was", "left", "number", "message"], dtype="str")
    messages = messages.astype({"batch": "int64"})
    messages["row"] = range(2, len(messages) + 2)
    groups = messages.groupby("batch")
    batches = groups.agg(messages=("row", "size"), was=("was", "first"))
    batches["left_at"] = pd.to_datetime("2026-11-22 " + groups["left"].first(), utc=True)
    return messages.drop(columns=["left", "was"]), batches


KNOWN = campaign_of(CAMPAIGN)[0]["number"]


def reconciled(provider_list, campaign=CAMPAIGN, **columns) -> Reconciliation:
    messages, batches = campaign_of(campaign)
    entries = read_provider_list(provider_list.encode(), messages["number"], **columns)
    told, people = match_provider_list(entries, messages, batches, NOW)
    return Reconciliation(batches=told, people=people, notices=entries.attrs["notices"])


def verdicts(reconciliation):
    return dict(zip(reconciliation.batches["batch"], reconciliation.batches["verdict"], strict=True))


def people(reconciliation):
    return dict(zip(reconciliation.people["number"].str[-1], reconciliation.people["found"], strict=True))


def test_the_list_has_the_whole_batch():
    told = reconciled(TOOK_1 + TOOK_2)
    assert told.certain == {2: "accepted"}
    assert told.phrase.startswith("settle 1 batch: 1 accepted ")
    (batch,) = told.batches.to_dict("records")
    assert (batch["was"], batch["in_list"], batch["verdict"]) == ("unknown", 2, "all")
    assert batch["left_at"] == pd.Timestamp("2026-11-22 14:05Z")
    assert told.people.empty


def test_the_list_has_none_of_the_batch_and_goes_on_for_more_than_an_hour():
    told = reconciled(TOOK_1 + BEFORE + LATER)
    assert told.certain == {2: "refused"}
    assert told.phrase.startswith("settle 1 batch: 1 refused ")
    assert told.people.empty


def test_the_list_has_half_of_the_batch():
    """It stays unknown, and each of its people is listed."""
    told = reconciled(TOOK_1 + TOOK_2.splitlines()[0] + "\n" + BEFORE + LATER)
    assert verdicts(told) == {2: "some"}
    assert told.certain == {}
    assert told.phrase == ""
    assert people(told) == {"3": "in the list", "4": "not in the list"}


@pytest.mark.parametrize(
    ("last", "verdict"), [("15:04", "not known"), ("15:05", "not known"), ("15:06", "none")]
)
def test_a_list_that_ends_before_the_hour_is_over_cannot_say_none(last, verdict):
    told = reconciled(TOOK_1 + BEFORE + f"256772000901,Other,2026-11-22 {last}Z,35\n")
    assert verdicts(told) == {2: verdict}


def test_a_list_that_begins_after_the_batch_left_cannot_say_none():
    later = "256772000001,Hi Grace,2026-11-22 14:06Z,35\n"
    told = reconciled(TOOK_1.splitlines()[0] + "\n" + later + LATER)
    assert verdicts(told) == {2: "not known"}


def test_with_nothing_accepted_beside_it_no_list_says_none():
    days = BEFORE.replace("-22", "-20") + LATER.replace("-22 15:30", "-23 20:00")
    told = reconciled(TOOK_1.splitlines()[0] + "\n" + days, CAMPAIGN.replace("accepted", "unknown "))
    assert verdicts(told) == {1: "not known", 2: "not known"}


def test_a_list_of_another_account_cannot_say_none():
    told = reconciled(TOOK_1.splitlines()[0] + "\n" + BEFORE + LATER)
    assert verdicts(told) == {2: "not known"}


def test_an_entry_from_the_future_says_nothing_of_when_the_list_ends():
    """Somebody's message is planned for tomorrow, and the list was made ten minutes after the batch left."""
    planned = "256772000902,Come tomorrow,2026-11-25 09:00Z,35\n"
    told = reconciled(TOOK_1 + BEFORE + planned)
    assert told.certain == {}
    assert reconciled(TOOK_1 + BEFORE + LATER + planned).certain == {2: "refused"}
    assert reconciled(TOOK_1 + TOOK_2 + planned).certain == {2: "accepted"}


def test_a_clock_that_is_a_year_ahead_settles_nothing():
    assert reconciled((TOOK_1 + BEFORE + LATER).replace("2026-", "2027-")).certain == {}


def test_a_list_without_times_can_say_all_and_never_none():
    whole = "Number,Text\n256772000001,Hi Grace\n256772000002,Hi Moses\n"
    assert reconciled(whole + "256772000003,Hi Zoé\n256772000004,Hi Ruth\n").certain == {2: "accepted"}
    assert verdicts(reconciled(whole)) == {2: "not known"}


TWICE = """\
batch  status    left   number        message
1      accepted  14:00  256772000003  Come on Monday
2      unknown   14:05  256772000003  Come on Monday
"""
TOOK_MONDAY = "256772000003,Come on Monday,2026-11-22 14:{}Z,35\n"


def test_the_same_text_to_one_number_in_an_accepted_batch_is_taken_away_first():
    head = TOOK_1.splitlines()[0] + "\n"
    once = reconciled(head + BEFORE + TOOK_MONDAY.format("00") + LATER, TWICE)
    twice = reconciled(head + TOOK_MONDAY.format("00") + TOOK_MONDAY.format("05"), TWICE)
    assert once.certain == {2: "refused"}
    assert twice.certain == {2: "accepted"}


def test_an_accepted_batch_comes_first_even_if_it_left_later():
    campaign = TWICE.replace("unknown   14:05", "unknown   13:50")
    told = reconciled(TOOK_1.splitlines()[0] + "\n" + BEFORE + TOOK_MONDAY.format("00") + LATER, campaign)
    assert told.certain == {2: "refused"}


def test_the_same_text_in_two_unknown_batches_and_once_in_the_list_settles_neither():
    campaign = TWICE.replace("accepted", "unknown ")
    told = reconciled(TOOK_1.splitlines()[0] + "\n" + BEFORE + TOOK_MONDAY.format("05") + LATER, campaign)
    assert verdicts(told) == {1: "not known", 2: "not known"}
    assert set(told.people["found"]) == {"not clear"}


def test_last_months_reminder_is_no_proof_that_todays_was_taken():
    last_month = TOOK_2.replace("2026-11-22", "2026-10-22")
    assert reconciled(TOOK_1 + last_month + LATER).certain == {2: "refused"}


def test_an_earlier_message_of_the_same_day_is_no_proof_either():
    campaign = CAMPAIGN.replace("14:05", "18:05")
    told = reconciled(TOOK_1 + TOOK_2 + LATER.replace("15:30", "23:30"), campaign)
    assert verdicts(told) == {2: "not known"}
    assert set(people(told).values()) == {"not clear"}


def test_who_is_in_the_list_with_another_text_is_looked_at_by_a_person():
    changed = TOOK_2.replace("Hi Zoé", "Hi Zo?").replace("Hi Ruth", "Hi R")
    told = reconciled(TOOK_1 + changed + BEFORE + LATER)
    assert verdicts(told) == {2: "not known"}
    assert set(people(told).values()) == {"not clear"}


def test_texts_are_compared_without_regard_to_accents_form_and_white_space():
    spaced = "256772000003,  Hi\u00a0 Zoe\u0301 ,2026-11-22 14:05Z,35\n256772000004,Hi   Ruth,,35\n"
    assert reconciled(TOOK_1 + spaced).certain == {2: "accepted"}


def test_a_list_without_entries_settles_nothing():
    """The provider has taken nothing at all yet, or the wrong days were asked for."""
    assert verdicts(reconciled(TOOK_1.splitlines()[0] + "\n")) == {2: "not known"}


# --- lists that are a part of one: never a false "none" ------------------------------------------------

# 60 people, every second one of another network, in batches of ten. Another campaign of the account has
# entries the day before and in the two hours after. Only batch 4 is unknown.
DAY = pd.Timestamp("2026-11-22 21:00Z")
PEOPLE = pd.DataFrame({"n": range(60)})
PEOPLE = PEOPLE.assign(
    batch=PEOPLE["n"] // 10 + 1,
    number=[f"2567{'75'[n % 2]}2000{n:03}" for n in PEOPLE["n"]],
    text=[f"Hi Person {n}" for n in PEOPLE["n"]],
    time=DAY + pd.to_timedelta(PEOPLE["n"] // 10 * 5, unit="min"),
)
OTHERS = pd.DataFrame({"number": ["256772000900", "256752000901"] * 3, "text": "Another campaign"})
OTHERS["time"] = [DAY + pd.Timedelta(hours=hours) for hours in (-20, -19, -2, -1, 3, 4)]
NETWORK = "256772"


def sent_as(unknown):
    """The frames of the campaign of which these batches are unknown, the others accepted."""
    status = PEOPLE["batch"].isin(unknown).map({True: "unknown", False: "accepted"})
    lines = [
        f"{one.batch} {status} {one.time:%H:%M} {one.number} {one.text}"
        for one, status in zip(PEOPLE.itertuples(), status, strict=True)
    ]
    return "\n".join(["batch status left number message", *lines])


def newest_first(entries):
    return entries.iloc[::-1]


def in_kampala(entries):
    return entries.assign(time=entries["time"] + pd.Timedelta(hours=3))


def texts_of(*batches):
    return PEOPLE.loc[PEOPLE["batch"].isin(batches), "text"]


PARTS = {
    "complete": lambda entries: entries,
    "newest first": newest_first,
    "first page": lambda entries: entries.head(50),
    "first page, newest first": lambda entries: newest_first(entries).head(20),
    "second page": lambda entries: entries.iloc[50:],
    "first page by number": lambda entries: entries.sort_values("number").head(20),
    "one network": lambda entries: entries[entries["number"].str.startswith(NETWORK)],
    "delivered": lambda entries: entries[entries["number"].str[-1] != "7"],
    "third batch lost": lambda entries: entries[~entries["text"].isin(texts_of(3, 4))],
    "fifth batch lost": lambda entries: entries[~entries["text"].isin(texts_of(4, 5))],
    "this day": lambda entries: entries[entries["time"].dt.day == 22],
    "next day": lambda entries: entries[entries["time"].dt.day == 23],
    "from the second batch on": lambda entries: entries[entries["time"] > DAY],
    "morning": lambda entries: entries[entries["time"] < DAY],
    "another zone": in_kampala,
    "without times": lambda entries: entries.drop(columns="time"),
    "empty": lambda entries: entries.head(0),
    "others only": lambda entries: entries[entries["text"] == "Another campaign"],
}
# What a list shows all the same: it has entries from after the batch, and the batches beside it.
COVERS = ("complete", "newest first")
UNKNOWN = ({4}, {1}, {1, 2, 3, 4, 5, 6})  # one of many, the first one, and with nothing accepted beside


def listed(took, part):
    """The provider's list, oldest first, and then as a person has it."""
    entries = pd.concat([OTHERS, took]).sort_values("time", kind="stable")[["number", "text", "time"]]
    entries = PARTS[part](entries)
    if "time" in entries:
        zone = "" if part == "another zone" else "Z"
        entries = entries.assign(time=entries["time"].dt.strftime(f"%Y-%m-%d %H:%M{zone}"))
    return entries.to_csv(index=False)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("unknown", UNKNOWN, ids=str)
def test_a_batch_that_was_taken_is_never_called_none_whatever_the_list_lacks(part, unknown):
    told = reconciled(listed(PEOPLE, part), sent_as(unknown))
    assert "refused" not in told.certain.values()
    if part in COVERS:
        assert set(verdicts(told).values()) == {"all"}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("unknown", UNKNOWN, ids=str)
def test_a_batch_that_was_not_taken_is_none_by_a_list_that_covers_its_time(part, unknown):
    told = reconciled(listed(PEOPLE[~PEOPLE["batch"].isin(unknown)], part), sent_as(unknown))
    assert "accepted" not in told.certain.values()
    has_accepted = len(unknown) < 6
    if part in COVERS:
        assert set(verdicts(told).values()) == {"none" if has_accepted else "not known"}


@pytest.mark.parametrize("part", COVERS)
def test_half_of_a_batch_is_some(part):
    told = reconciled(listed(PEOPLE[PEOPLE["n"] != 35], part), sent_as({4}))
    assert verdicts(told) == {4: "some"}
    assert told.people["found"].value_counts().to_dict() == {"in the list": 9, "not in the list": 1}


@pytest.mark.parametrize("by_network", [False, True])
def test_a_batch_of_a_network_that_the_list_lacks_is_not_none(by_network):
    """A table in the order of its numbers: the last batch is of another network than all before it."""
    table = PEOPLE.assign(number=[f"2567{'75'[n >= 50]}2000{n:03}" for n in PEOPLE["n"]])
    lines = [
        f"{one.batch} {'unknown' if one.batch == 6 else 'accepted'} {one.time:%H:%M} {one.number} {one.text}"
        for one in table.itertuples()
    ]
    campaign = "\n".join(["batch status left number message", *lines])
    told = reconciled(listed(table[table["n"] < 50], "one network" if by_network else "complete"), campaign)
    assert verdicts(told) == {6: "not known" if by_network else "none"}


# --- times --------------------------------------------------------------------------------------------


def without_zone(text):
    return text.replace("Z,", ",")


def test_times_without_a_zone_are_utc_where_accepted_messages_confirm_it_and_that_is_said():
    told = reconciled(without_zone(TOOK_1 + BEFORE + LATER))
    assert told.certain == {2: "refused"}
    assert facts_of(told.findings)["list_times_without_zone"] == {"times": 4}


def test_a_date_and_a_time_in_two_columns_are_one_time():
    text = "To,Message,Date,Time\n256772000001,Hi Grace,2026-11-22,17:00 +03:00\n"
    (entry,) = read_provider_list(text.encode(), KNOWN).to_dict("records")
    assert entry["time"] == pd.Timestamp("2026-11-22 14:00Z")


def test_times_of_another_zone_settle_none():
    """14:00 UTC is 17:00 in Kampala: what stands there as 15:30 was before the batch left."""
    took = TOOK_1.replace(" 14:", " 17:")
    told = reconciled(without_zone(took + BEFORE + LATER))
    assert verdicts(told) == {2: "not known"}
    assert reconciled((took + BEFORE + LATER.replace("15:30", "18:30")).replace("Z,", "+03:00,")).certain == {
        2: "refused"
    }


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-11-22 14:05", "14:05"),
        ("2026-11-22T14:05:30.25Z", "14:05:30"),
        ("2026/11/22 17:05 +03:00", "14:05"),
        ("2026-11-22 17:05 UTC+3", "14:05"),
        ("2026-11-22 09:05-0500", "14:05"),
        ("22/11/2026 14:05", "14:05"),
        ("11/22/2026 2:05 PM", "14:05"),
        ("22.11.2026, 14:05 GMT", "14:05"),
        ("2026-11-22 12:05 am", "00:05"),
        ("11/10/2026 14:05", None),
        ("2026-11-22", None),
        ("2026-11-31 14:05", None),
        ("yesterday", None),
    ],
)
def test_times_as_people_and_programs_write_them(written, read):
    entries = read_provider_list(f'To,Text,Time\n256772000001,Hi,"{written}"\n'.encode(), KNOWN)
    expected = pd.NaT if read is None else pd.Timestamp(f"2026-11-22 {read}", tz="UTC")
    assert entries["time"].tolist() == [expected]
    assert ("list_times_unread" in facts_of(entries.attrs["notices"])) is (read is None)


def test_one_date_says_whether_the_day_comes_first_in_all_of_them():
    text = "To,Text,Date,Time\n256772000001,Hi,03/04/2026,08:00\n256772000002,Hi,22/04/2026,09:00\n"
    entries = read_provider_list(text.encode(), KNOWN)
    assert entries["time"].dt.strftime("%m-%d %H").tolist() == ["04-03 08", "04-22 09"]


def test_a_frame_keeps_its_zone():
    moments = pd.to_datetime(["2026-11-22 17:05"]).tz_localize("Africa/Kampala")
    frame = pd.DataFrame({"phone": ["256772000001"], "text": ["Hi"], "time": moments})
    entries = read_provider_list(frame, KNOWN)
    assert entries["time"].tolist() == [pd.Timestamp("2026-11-22 14:05Z")]


# --- columns and numbers ------------------------------------------------------------------------------


def test_numbers_are_found_however_the_provider_writes_them():
    text = "Recipient,Text\n+256 772-000 001,a\n00256772000002,b\n0772000003,c\n772000004,d\n"
    entries = read_provider_list(text.encode(), KNOWN)
    assert entries["number"].tolist() == [f"25677200000{n}" for n in (1, 2, 3, 4)]


def test_numbers_that_could_be_several_people_are_refused():
    known = KNOWN.replace("256772000001", "254772000003")
    with refused("list_number_ambiguous", FileError):
        read_provider_list(b"To,Text\n0772000003,Hi\n", known)


@pytest.mark.parametrize("number", ["2.56772E+11", "2567*****003", "0772OOOOO3"])
def test_a_number_that_cannot_be_read_is_refused_as_nobody_knows_whom_the_list_lacks(number):
    with refused("list_number_unreadable", FileError, row=6):
        reconciled(f"{TOOK_1}{BEFORE}{LATER}{number},Hi Zoé,2026-11-22 14:05Z,35\n")


def test_rows_without_a_number_do_not_count():
    told = reconciled(TOOK_1 + BEFORE + LATER + "Total,,,105\n")
    assert verdicts(told) == {2: "none"}
    assert facts_of(told.notices) == {"list_rows_unused": {"rows": 1}}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Who,Message\n256772000001,Hi\n", "number"),
        ("Phone,Greeting\n256772000001,Hi\n", "text"),
    ],
)
def test_without_usable_columns_the_columns_are_listed(text, missing):
    columns = text.split("\n")[0].split(",")
    with refused("list_column_missing", ColumnError, what=missing, columns=columns):
        read_provider_list(text.encode(), KNOWN)


def test_columns_can_be_named():
    told = reconciled(
        "Who,Greeting\n256772000003,Hi Zoé\n256772000004,Hi Ruth\n", number="who", text="greeting"
    )
    assert told.certain == {2: "accepted"}


# --- how it is shown ----------------------------------------------------------------------------------

MANY = (
    CAMPAIGN
    + """\
3      unknown   14:06  256772000005  Hi Ivan
4      unknown   14:07  256772000006  Hi Amina
4      unknown   14:07  256772000007  Hi Sarah
"""
)


def test_several_batches_and_the_phrase_that_settles_what_is_certain():
    third = "256772000006,Hi Amina,2026-11-22 14:07Z,35\n"
    told = reconciled(TOOK_1 + TOOK_2 + third + BEFORE + LATER, MANY)
    assert told.certain == {2: "accepted", 3: "refused"}
    assert told.phrase.startswith("settle 2 batches: 1 accepted, 1 refused ")
    assert verdicts(told) == {2: "all", 3: "none", 4: "some"}


@pytest.mark.parametrize("times", ["14:05", "14:05 +00:00"])
def test_a_header_that_names_utc_is_one_of_times(times):
    text = f"To,Message,Time (UTC)\n256772000001,Hi,2026-11-22 {times}\n"
    (entry,) = read_provider_list(text.encode(), KNOWN).to_dict("records")
    assert entry["time"] == pd.Timestamp("2026-11-22 14:05Z")


def test_nothing_unknown_is_nothing_to_settle():
    told = reconciled(TOOK_1 + TOOK_2, CAMPAIGN.replace("unknown ", "accepted"))
    assert (told.certain, told.phrase) == ({}, "")
    assert told.batches.empty


def test_the_card_masks_numbers_and_escapes_texts():
    campaign = MANY.replace("Hi Sarah", "<b>0772 000 007</b>")
    told = reconciled(TOOK_1 + "256772000006,Hi Amina,2026-11-22 14:07Z,35\n" + BEFORE + LATER, campaign)
    shown = told._repr_html_()
    assert "25677*****07" in shown
    assert not [text for text in ("256772000007", "0772 000 007", "<b>") if text in shown]
    assert "settle 2 batches: 2 refused" in shown
    assert "256772" not in repr(told)


def test_the_frames_are_left_as_they_were():
    messages, batches = campaign_of(CAMPAIGN)
    entries = read_provider_list((TOOK_1 + TOOK_2).encode(), KNOWN)
    before = [frame.copy() for frame in (entries, messages, batches)]
    match_provider_list(entries, messages, batches, NOW)
    for frame, copy in zip((entries, messages, batches), before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)
