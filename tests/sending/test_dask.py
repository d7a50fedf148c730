"""A campaign of a Dask DataFrame is the campaign of the same rows in pandas, row by row."""

import io
import os
import shutil
import signal
from functools import partial
from importlib import reload

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster
from messages.test_plan_in_parts import CLINIC, HELLO, OPTIONS, SHEETS, UG
from sending.test_plan_in_parts_sent import assert_same_result, same
from support.cards import card_without_its_moment
from support.refusals import refused

import campaign
from campaign.contacts.table_version import table_version
from campaign.errors import CampaignError, FileError, FolderError, UsageError
from campaign.messages.plan_tables import cluster_tables
from campaign.messages.plan_tables.duplicates import DuplicateFinder
from campaign.sending.store import part_files
from campaign.sending.store.part_files import part_path, write_part
from campaign.values import replace

TAGGED = CLINIC.replace("en\n", "en\n#name,#contact+phone,#date,#lang\n", 1)
TABLES = {
    **{
        name: (CLINIC, OPTIONS[name])
        for name in ("languages", "texts that are split", "people reached before", "a region for each row")
    },
    **{name: SHEETS[name] for name in ("a column of regions", "dates whose order a late row shows")},
    "a row of tags": (TAGGED, {}),
    "no rows": ("Name,Phone,Day,Lang\n", {}),
}


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes on this machine, which nobody else can reach."""
    place = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=2, threads_per_worker=1, **place) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 8)
    monkeypatch.setattr("campaign.sending.store.frozen_messages.PART_MESSAGES", 5)


def table(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def partitions(frame: pd.DataFrame, *ends: int) -> dd.DataFrame:
    """A Dask frame whose partitions end at these rows."""
    bounds = [0, *ends, len(frame)]
    return dd.from_map(lambda place: frame.iloc[bounds[place] : bounds[place + 1]], range(len(ends) + 1))


def assert_same_plan(plan: campaign.Plan, other: campaign.Plan) -> None:
    assert plan.totals.as_record() == other.totals.as_record()
    assert list(plan.totals.countries) == list(other.totals.countries)
    assert plan.fingerprint == other.fingerprint
    assert replace(plan.reading, version="") == replace(other.reading, version="")
    for name in ("messages", "contacts", "issues"):
        same(getattr(plan, name), getattr(other, name))
    same(plan.addressing.alternatives, other.addressing.alternatives)
    np.testing.assert_array_equal(plan.addressing.numbers, other.addressing.numbers)
    assert plan.addressing.columns == other.addressing.columns
    assert card_without_its_moment(plan) == card_without_its_moment(other)


def test_without_a_client_the_way_is_told():
    with refused("dask_frame", UsageError):
        campaign.prepare(partitions(table(CLINIC), 3), message=HELLO, **UG)


def test_rows_to_correct_do_not_come_back_on_a_cluster(client):
    frame = table("last status,row in the file,campaign,Phone\nrefused,2,visits,0772000001\n")
    with refused("dask_corrections", UsageError):
        campaign.prepare(partitions(frame), message=HELLO, client=client, **UG)


@pytest.mark.parametrize("kind", TABLES)
def test_a_plan_of_a_dask_frame_is_that_of_pandas(client, kind):
    text, options = TABLES[kind]
    options, frame = {"message": HELLO, **UG} | options, table(text)
    plan = campaign.prepare(partitions(frame, 1, 1, 7), **options)
    assert not plan.is_in_memory
    assert_same_plan(plan, campaign.prepare(frame, **options))


ROWS = [f"Person {n},0772 000 {n:03},{'North' if n % 3 else 'South'},en" for n in range(1, 20)]
SENT = "\n".join(
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
CORRECTED = SENT.replace("Bad,12", "Good,0772000900").replace(ROWS[4] + "\n", "")


def prepared(frame):
    return campaign.prepare(frame, message="Hi {Name}, come to {Clinic}.", **UG, opt_outs=["0772000007"])


def sent(frame, folder, **options):
    plan = prepared(frame)
    with campaign.Sandbox(price=35) as sandbox:
        result = campaign.send(
            plan, account=sandbox, folder=folder, batch_size=3, concurrency=1, progress=False, **options
        )
        return result, sandbox.inbox["text"].tolist()


def without_version(result):
    """The result with no version of its table: that of a Dask frame is of its parts, and so another one."""
    vars(result.plan)["reading"] = replace(result.plan.reading, version="")
    return result


def test_rounds_of_dask_frames_are_those_of_pandas(client, tmp_path):
    """A pilot first, then a corrected table."""
    for text, options in ((SENT, {"pilot": 4}), (CORRECTED, {"waiting": "withdraw"})):
        frame = table(text)
        held, texts = sent(frame, tmp_path / "pandas" / "visits", **options)
        result, others = sent(partitions(frame, 2, 7, 12), tmp_path / "dask" / "visits", **options)
        assert_same_result(without_version(result), without_version(held))
        assert texts == others
    loaded = [campaign.load_result(tmp_path / source / "visits") for source in ("dask", "pandas")]
    assert_same_result(*map(without_version, loaded))
    assert result.totals["accepted"] == 18
    assert part_path(tmp_path / "dask/visits/rounds/0002/settled", 1).is_file()
    for name in ("contacts", "messages", "issues"):
        same(result.to_dask(name).compute(), pd.concat([getattr(part, name) for part in result.parts()]))
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.erase(tmp_path / "dask" / "visits")
    campaign.erase(tmp_path / "dask" / "visits", confirm=question.value.phrase)
    assert {path.name for path in (tmp_path / "dask/visits/rounds/0002").iterdir()} == {"manifest.json"}


def test_the_frozen_tables_are_those_of_pandas(client, tmp_path):
    held, _ = sent(table(SENT), tmp_path / "pandas" / "visits")
    result, _ = sent(partitions(table(SENT), 5), tmp_path / "dask" / "visits")
    for name in ("contacts", "issues", "alternatives"):
        same(*(pd.read_parquet(one.folder / "rounds/0001" / name) for one in (result, held)))
    for part in range(4):
        plans = [part_path(one.folder / "rounds/0001/plan", part) for one in (result, held)]
        assert plans[0].read_bytes() == plans[1].read_bytes()


def test_a_part_that_was_added_changes_nothing_and_one_that_was_taken_away_is_noticed(client, tmp_path):
    result, _ = sent(partitions(table(SENT), 5), tmp_path / "visits")
    parts = result.folder / "rounds/0001/contacts"
    shutil.copy(part_path(parts, 0), part_path(parts, 7))
    assert campaign.load_result(result.folder).totals == result.totals
    part_path(parts, 1).unlink()
    with refused("campaign_file_damaged", FolderError):
        campaign.load_result(result.folder)


def kill(client, count):
    """End some workers as the system does when memory is short; their nannies start new ones."""
    for process in list(client.run(os.getpid).values())[:count]:
        os.kill(process, signal.SIGKILL)


def test_what_a_killed_worker_held_is_made_again(client, tmp_path):
    held, texts = sent(table(SENT), tmp_path / "pandas" / "visits")
    plan = prepared(partitions(table(SENT), 2, 7))
    kill(client, 1)
    with campaign.Sandbox(price=35) as sandbox:
        folder = tmp_path / "dask" / "visits"
        result = campaign.send(plan, account=sandbox, folder=folder, batch_size=3, progress=False)
        assert sorted(sandbox.inbox["text"]) == sorted(texts)
    assert dict(result.totals) == dict(held.totals)
    assert not [*tmp_path.rglob("unfinished-*")]


def test_a_source_that_gives_other_rows_the_second_time_is_refused(client, tmp_path):
    file = tmp_path / "visits.csv"
    file.write_text(SENT, encoding="utf-8")
    frame = dd.from_map(partial(pd.read_csv, dtype=str, keep_default_na=False), [file])
    plan = prepared(frame)
    file.write_text(CORRECTED, encoding="utf-8")
    kill(client, 2)
    with refused("dask_table_changed", FileError):
        campaign.send(plan, folder=tmp_path / "visits", progress=False)
    assert not (tmp_path / "visits" / "rounds" / "0001" / "manifest.json").exists()


def hide_folder():
    """Make this worker one that does not see the folder, as on a machine that does not share it."""

    def write(table, path):
        raise FileNotFoundError(2, "No such file or directory", path)

    part_files._write_table = write


def test_a_folder_that_a_worker_does_not_see_is_refused(client, tmp_path):
    plan = prepared(partitions(table(SENT), 2))
    blind = client.scheduler_info()["workers"].keys()
    client.run(hide_folder, workers=[next(iter(blind))])
    try:
        with refused("campaign_file_unusable", FolderError):
            campaign.send(plan, folder=tmp_path / "visits", progress=False)
    finally:
        client.run(partial(reload, part_files))
    result = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    assert result.totals["accepted"] == 18


def test_a_block_that_is_finished_twice_is_the_same():
    """What a worker was given is not changed by what it makes of it: Dask may ask for that again."""
    contacts = campaign.read_contacts(table(CLINIC))
    rules = campaign.prepare(contacts, message=HELLO, **UG)._made_of.rules
    texts = cluster_tables._write_block(contacts, 0, table_version(contacts), rules)
    numbers = texts.block.recipients.numbers
    duplicates = DuplicateFinder(numbers)
    sharing = duplicates.sharing(0, len(numbers))
    rest = duplicates.find(0, texts.candidates(sharing)), "skip", None
    (first, _), (second, _) = (cluster_tables._finish_block(texts, *rest) for _ in range(2))
    assert "duplicate" in first["contacts"]["status"].tolist()
    for name in ("messages", "issues", "contacts"):
        same(first[name], second[name])


def test_a_file_that_is_written_twice_stays_what_it_is(tmp_path):
    path, one, other = tmp_path / "part-00000.parquet", pa.table({"row": [1]}), pa.table({"row": [2]})
    digest = write_part(one, path)
    assert write_part(one, path) == digest
    with refused("cluster_differs", FolderError):
        write_part(other, path)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_plan_whose_cluster_is_gone_says_so(client):
    with Client(client.scheduler.address, set_as_default=False) as own:
        plan = campaign.prepare(partitions(table(SENT)), message="Hi {Name}", client=own, **UG)
        assert plan.totals.rows == 22
    with refused("cluster_lost", CampaignError):
        _ = plan.messages


def fails(part):
    raise KeyError("0772 000 001")


def test_errors_of_a_partition_are_ours_and_masked(client):
    frame = partitions(table(SENT), 3)
    with refused("cluster_failed", CampaignError, reason="KeyError: '077*****01'"):
        prepared(frame.map_partitions(fails, meta=table(SENT).iloc[:0]))
    with refused("dask_frame", UsageError):
        campaign.read_contacts(frame)
    with refused("wrong_value", UsageError, argument="client"):
        campaign.prepare(frame, message="Hi", client="tcp://127.0.0.1:1", **UG)
