"""A campaign of a Dask DataFrame is the campaign of the same rows in pandas, row by row."""

import io
import os
from dataclasses import replace
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from messages.test_plan_in_parts import CLINIC, HELLO, OPTIONS, SHEETS, UG
from sending.test_plan_in_parts_sent import assert_same_files, assert_same_result, same

import campaign
from campaign.errors import CampaignError, ColumnError, FileError, FolderError, UsageError

TAGS = CLINIC.replace("en\n", "en\n#name,#contact+phone,#date,#lang\n", 1).split("\n")
EXPORT = (
    "caseid,closed,number,Name,Phone,Day,Lang\n1,no,1,Grace,0772000001,---,en\n"
    "2,no,2,---,0772000002,2026-01-05,en\n"
)
TABLES = {
    **{name: (CLINIC, options) for name, options in OPTIONS.items()},
    **SHEETS,
    "a row of tags": (CLINIC.replace("en\n", "en\n#name,#contact+phone,#date,#lang\n", 1), {}),
    "an export with texts for no value": (EXPORT, {}),
    "no rows": ("Name,Phone,Day,Lang\n", {}),
}


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes on this machine, which nobody else can reach."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 4)
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
    assert plan._repr_html_() == other._repr_html_()


@pytest.mark.parametrize("kind", TABLES)
def test_a_plan_of_a_dask_frame_is_that_of_pandas(client, kind):
    text, options = TABLES[kind]
    options, frame = {"message": HELLO, **UG} | options, table(text)
    plan = campaign.prepare(partitions(frame, 1, 1, 3), **options)
    assert not plan.is_in_memory
    assert_same_plan(plan, campaign.prepare(frame, **options))


ROWS = [f"Person {n},0772 000 {n:03},{'North' if n % 3 else 'South'},en" for n in range(1, 20)]
SENT = "\n".join(
    ["Name,Phone,Clinic,Lang", *ROWS[:9], ",,,", "Bad,12,North,en", "Again,0772000003,North,en", *ROWS[9:], ""]
)
CORRECTED = SENT.replace("Bad,12", "Good,0772000900").replace(ROWS[4] + "\n", "")


def sent(frame, folder, **options):
    plan = campaign.prepare(
        frame, message="Hi {Name}, come to {Clinic}.", sender="CLINIC", region="UG", opt_outs=["0772000007"]
    )
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
    """The first, with a pilot; the rest; a corrected table; and the same again, which sends nothing."""
    for text, options in ((SENT, {"pilot": 4}), (SENT, {}), (CORRECTED, {}), (CORRECTED, {})):
        frame = table(text)
        held, texts = sent(frame, tmp_path / "pandas" / "visits", **options)
        result, others = sent(partitions(frame, 2, 7, 12), tmp_path / "dask" / "visits", **options)
        assert_same_result(without_version(result), without_version(held))
        loaded = (campaign.load_result(tmp_path / source / "visits") for source in ("dask", "pandas"))
        assert_same_result(*map(without_version, loaded))
        assert texts == others
        for name in ("contacts", "messages", "issues"):
            same(result.to_dask(name).compute(), pd.concat([getattr(part, name) for part in result.parts()]))
    assert result.nothing_sent
    assert (tmp_path / "dask/visits/rounds/0002/plan/settled.parquet").is_dir()
    assert result.totals["accepted"] == 18
