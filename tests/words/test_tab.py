"""What Tab offers on a plan, a result and a run: at most twenty names, all of them there."""

import pytest

import campaign


@pytest.fixture
def offered(tmp_path):
    table = b"name,phone\nAmina,0772 000 001\n"
    plan = campaign.prepare(table, message="Hi {name}", sender="CLINIC", region="UG")
    run = campaign.start(plan, folder=tmp_path / "visits")
    return plan, run.wait(), run


def test_tab_offers_twenty_names_at_most_and_each_is_there(offered):
    for thing in offered:
        assert len(dir(thing)) <= 20
        assert [name for name in dir(thing) if not hasattr(thing, name)] == []
