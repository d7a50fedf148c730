"""Amounts such as 12.500: the column decides which sign begins the decimals, or it is a question."""

import io

import pandas as pd
import pytest
from support.issue_facts import fact_of, facts_of

import campaign


def plan_of(cells, message="{fee:,.2f}", kind="csv", stream=False, path=None):
    table = pd.DataFrame({"phone": [f"07720000{i:02}" for i in range(1, len(cells) + 1)], "fee": cells})
    source, buffer = table, io.BytesIO()
    if kind == "csv":
        source = table.to_csv(index=False).encode()
    elif kind != "DataFrame":
        table.to_excel(buffer, index=False) if kind == "xlsx" else table.to_parquet(buffer)
        source = buffer.getvalue()
    if stream:
        path.write_bytes(source)
        return campaign.prepare(path, message=message, sender="CLINIC", region="UG", stream=True)
    contacts = campaign.read_contacts(source)
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG")


def outcome(plan):
    """The texts, and each code once."""
    return plan.messages["message"].tolist(), sorted({*plan.issues["code"]})


@pytest.mark.parametrize(
    ("cells", "texts", "codes"),
    [
        # nobody can know
        (["12.500"], [], ["ambiguous_number"]),
        (["12.500", "7.250", "3000"], ["3,000.00"], ["ambiguous_number"]),
        (["1,250", "2.500"], [], ["ambiguous_number"]),
        (["1,500,000", "12.500"], ["1,500,000.00"], ["ambiguous_number"]),
        (["1.500.000", "1,250.00", "12.500"], ["1,500,000.00", "1,250.00"], ["ambiguous_number"]),
        (["05.01.2026", "12.500"], [], ["ambiguous_number", "unreadable_value"]),
        # the point separates thousands
        (["12.500", "1.500.000"], ["12,500.00", "1,500,000.00"], ["decimal_sign"]),
        (["12.500", "12,50"], ["12,500.00", "12.50"], ["decimal_sign"]),
        (["12.500", "1.250,00"], ["12,500.00", "1,250.00"], ["decimal_sign"]),
        (["12.500", "1 250,00"], ["12,500.00", "1,250.00"], ["decimal_sign"]),
        (["12.500", "1\u202f250,5"], ["12,500.00", "1,250.50"], ["decimal_sign"]),
        (["-12.500", "-0,5"], ["-12,500.00", "-0.50"], ["decimal_sign"]),
        (["١٢.٥٠٠", "١.٥٠٠.٠٠٠"], ["12,500.00", "1,500,000.00"], ["decimal_sign"]),
        # the point begins decimals
        (["12.500", "1,250.00"], ["12.50", "1,250.00"], ["decimal_sign"]),
        (["12.500", "0.5"], ["12.50", "0.50"], ["decimal_sign"]),
        (["12.500", "0.750"], ["12.50", "0.75"], ["decimal_sign"]),
        (["12.500", "12.5"], ["12.50", "12.50"], ["decimal_sign"]),
        (["12.500", "1250.500"], ["12.50", "1,250.50"], ["decimal_sign"]),
        (["12.500", "1'250.5"], ["12.50", "1,250.50"], ["decimal_sign"]),
        # the comma: 1,250 is 1250 by custom, and as the format has it
        (["1,250"], ["1,250.00"], []),
        (["1,250", "12.5"], ["1,250.00", "12.50"], []),
        (["1,250", "12,50"], ["1.25", "12.50"], ["decimal_sign"]),
        (["0,500", "12,500"], ["0.50", "12.50"], ["decimal_sign"]),
        (["1,50", "150,000", "75,000", "9,500", "1,250"], ["150,000.00", "75,000.00", "9,500.00", "1,250.00"],
         ["unreadable_value"]),  # a slip
        (["1.500.000", "1,250"], ["1,500,000.00"], ["ambiguous_number"]),
        # clear by itself
        (["1,25,000"], ["125,000.00"], []),
        (["1 250 000", "1250"], ["1,250,000.00", "1,250.00"], []),
        (["1500,5"], ["1,500.50"], []),
        (["١٢٫٥٠٠", "١٢٬٥٠٠"], ["12.50", "12,500.00"], []),
    ],
)  # fmt: skip
def test_other_cells_of_the_column_show_it(cells, texts, codes, tmp_path):
    assert outcome(plan_of(cells)) == (texts, codes)
    assert outcome(plan_of(cells, stream=True, path=tmp_path / "fees.csv")) == (texts, codes)


@pytest.mark.parametrize(
    ("message", "cells", "texts"),
    [
        ("Pay UGX {fee:,.0f}", ["UGX 12.500", "500"], ["Pay UGX 500"]),
        ("Pay UGX {fee:,.0f}", ["UGX 12.500", "1.500.000"], ["Pay UGX 12,500", "Pay UGX 1,500,000"]),
        ("Pay € {fee:,.2f}", ["€ 1.500,00", "12.500 €"], ["Pay € 1,500.00", "Pay € 12,500.00"]),
        ("Pay {fee}", ["12.500", "1,250"], ["Pay 12.500", "Pay 1,250"]),  # without a format, as it is written
    ],
)
def test_currencies_and_values_without_a_format(message, cells, texts):
    assert plan_of(cells, message).messages["message"].tolist() == texts


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "DataFrame"])
@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ([1.25, 1.125, 12.5], ["1.25", "1.13", "12.50"]),
        ([1.125, 2.375], ["1.13", "2.38"]),  # numbers, though each has three decimals
        (["12.500", "7.125"], []),  # texts: no number is held as 12.500
        (["12.500", "1.500.000"], ["12,500.00", "1,500,000.00"]),
    ],
)
def test_numbers_of_workbooks_and_tables_are_no_question(kind, cells, texts):
    assert outcome(plan_of(cells, kind=kind))[0] == texts


def test_the_question_names_both_readings_and_the_notice_what_shows_it():
    for plan in (plan_of(["12.500"]), plan_of(["UGX 12.500"], "UGX {fee:,.0f}")):
        assert fact_of(plan, "ambiguous_number", "readings") == [["12500", "12.5"]]
    (facts,) = facts_of(plan_of(["12.500", "1.500.000"]), "decimal_sign")
    assert (facts["meaning"], facts["like"], facts["other"]) == ("12500", "1.500.000", "12.5")


def test_rows_to_correct_are_read_as_their_campaign_did(tmp_path):
    """In the file of rows to correct, no cell shows any more what the point does."""
    plan = plan_of(["1.500.000", "12.500", "soon"])
    with campaign.Sandbox() as sandbox:
        result = campaign.send(plan, account=sandbox.account, folder=tmp_path / "fees", progress=False)
    campaign.write_follow_up(result, tmp_path / "correct.csv")
    table = pd.read_csv(tmp_path / "correct.csv", dtype="str").assign(fee="7.500")
    contacts = campaign.read_contacts(table.to_csv(index=False).encode())
    again = campaign.prepare(contacts, message="{fee:,.0f}", sender="CLINIC", region="UG")
    assert again.messages["message"].tolist() == ["7,500"]
