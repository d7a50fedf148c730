"""What a key that is pressed in the text of the form costs until its page is known, as a ratio of CPU time.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_form.py -s
"""

import statistics
import time

import pytest
from support.form_person import Person

pytestmark = pytest.mark.benchmark

ROWS = 100_000
TEXT = "Hi {name}, come on {day}"
KEYS = 15


def cpu_of(call):
    begun = time.process_time()
    call()
    return time.process_time() - begun


def test_a_key_costs_less_than_filling_in_the_text_of_each_row_twice(tmp_path, monkeypatch):
    """Measured: 0.03 s at 100,000 rows, 1.0 times what Python takes to fill them in; in Chromium 0.1 s until
    it is seen, while ten other programs shared two cores."""
    monkeypatch.chdir(tmp_path)
    rows = [{"name": f"P{row}", "day": "Mon"} for row in range(ROWS)]
    lines = [f"{row['name']},+256772{place:06},Mon" for place, row in enumerate(rows)]
    person = Person()
    person.press("new")
    person.upload("source", "many.csv", "\n".join(["name,phone,day", *lines]))
    person.press("next")
    person.fill("text", TEXT)
    keys = [
        cpu_of(lambda typed="x" * count: person.fill("text", f"{TEXT}{typed}")) for count in range(1, KEYS)
    ]
    assert person.item("phone")["texts"] == [["Hi P0, come on Mon" + "x" * (KEYS - 1), ""]]
    filled = [cpu_of(lambda: [len(TEXT.format_map(row)) for row in rows]) for _ in range(KEYS)]
    ratio = statistics.median(keys) / statistics.median(filled)
    print(f"a key: {statistics.median(keys):.3f} s, {ratio:.2f} of what filling in {ROWS:,} texts takes")
    assert ratio < 2
