"""Files with bytes flipped, ends cut off and parts exchanged: an error of ours or a table, within seconds.

The files are read in a process of their own with little memory, so that a crash is seen and not shared.
"""

import io
import multiprocessing
import os
import random
import traceback
import zipfile
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from campaign.contacts import reading
from campaign.contacts.workbooks.sheet_grid import grid_of
from campaign.errors import CampaignError

SAMPLES = Path(__file__).parents[1] / "support" / "samples"
MEMORY = 4 << 30  # bytes of address space for the reading process
PATIENCE = 20.0  # seconds of computing; a workbook is stopped after 10


def originals():
    """Small files of every format."""
    rows = [["name", "phone", "date"], ["Amina", "0772000001", "2026-01-05"], ["Zoë", 256772000002, None]] * 4
    book, xlsx, parquet = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.row_dimensions[3].hidden = True
    book.active["D2"] = "=1+1"
    book.save(xlsx)
    pd.DataFrame({"name": ["Amina", "Zoë"], "phone": [1, None], "seen": [True, False]}).to_parquet(parquet)
    text = '"name";"phone"\r\n"Amina ""A""";0772000001\r\n\r\nZoë;"0772\n000002"\r\n' * 3
    return {
        "xlsx": xlsx.getvalue(),
        "parquet": parquet.getvalue(),
        "csv": text.encode(),
        "cp1252": text.encode("cp1252"),
        "utf-16": text.encode("utf-16"),
    } | {path.name: path.read_bytes() for path in sorted(SAMPLES.glob("*.[xo][ld]s"))}


def mutated(data, chance):
    """A few bytes changed, a piece cut out, doubled or cut off, or the parts of a zip file tampered with."""
    changed = bytearray(data)
    kind = chance.choice(
        ["flip", "flip", "one bit", "cut off", "cut out", "double", "parts", "parts", "parts"]
    )
    if kind == "parts" and data.startswith(b"PK"):
        return with_other_parts(data, chance)
    if kind in ("flip", "parts"):
        for _ in range(chance.choice([1, 3, 30])):
            changed[chance.randrange(len(changed))] = chance.choice([0, 255, chance.randrange(256)])
    elif kind == "one bit":
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    elif kind == "cut off":
        del changed[chance.randrange(len(changed)) :]
    else:
        start, length = chance.randrange(len(changed)), chance.choice([1, 4, 100, 2000])
        piece = changed[start : start + length]
        changed[start : start + length] = piece * 2 if kind == "double" else b""
    return bytes(changed)


def with_other_parts(data, chance):
    """A well-formed zip file whose parts are exchanged, lost, or changed inside."""
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    names = list(parts)
    one, other = chance.choice(names), chance.choice(names)
    kind = chance.choice(["exchange", "lose", "change", "change", "change", "numbers"])
    if kind == "exchange":
        parts[one], parts[other] = parts[other], parts[one]
    elif kind == "lose":
        del parts[one]
    elif kind == "numbers":  # counts, references and row numbers go wild
        inside = bytearray(parts[one])
        digits = [i for i, sign in enumerate(inside) if 48 <= sign < 58]
        for i in chance.sample(digits, min(len(digits), 5)):
            inside[i : i + 1] = chance.choice([b"9", b"99999", b"0", b"-1", b"4294967295"])
        parts[one] = bytes(inside)
    elif parts[one]:
        inside = bytearray(parts[one])
        for _ in range(chance.choice([1, 5])):
            inside[chance.randrange(len(inside))] = chance.choice([60, 62, 34, 0, 57, chance.randrange(256)])
        parts[one] = bytes(inside)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in parts.items():
            written.writestr(name, content)
    return target.getvalue()


def limit_memory():
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def read_here(kind, data, **options):
    """Stands in for `read_workbook`: the reader itself, in this process, with nothing caught."""
    options.pop("limits")
    read = getattr(import_module(f"campaign.contacts.workbooks.{kind}"), f"read_{kind}")
    return grid_of(read(data, **options))


def without_a_process_for_each():
    limit_memory()
    reading.read_workbook = read_here


def read_damaged(data):
    """What came of reading one damaged file, and how many seconds of computing it took."""
    start = sum(os.times()[:4])
    try:
        blanks = reading.read_contacts(data).isna().any(axis=None)
        outcome = "missing cells" if blanks else "read"
    except CampaignError as error:
        outcome = "refused" if str(error) else "no sentence"
    except BaseException as error:
        outcome = f"{type(error).__name__}: {error}"
        raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
        if "campaign" not in Path(raised_in).parts:  # a library's; in a process of its own it is a sentence
            outcome = "raised by a library"
    return outcome, sum(os.times()[:4]) - start


def damage(count, kept, prepare_worker=limit_memory):
    """Read that many damaged files; how many were read and how many refused. A failing one is kept."""
    files, counts = list(originals().items()), {"read": 0, "refused": 0}
    if prepare_worker is without_a_process_for_each:
        counts["raised by a library"] = 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=prepare_worker) as pool:
        for seed in range(count):
            name, data = files[seed % len(files)]
            damaged = mutated(data, random.Random(f"{name} {seed}"))
            (kept / "damaged").write_bytes(damaged)
            outcome, seconds = pool.submit(read_damaged, damaged).result(timeout=150)
            assert outcome in counts, f"{name}, seed {seed}, kept in {kept}: {outcome}"
            assert seconds < PATIENCE, f"{name}, seed {seed}, kept in {kept}: {seconds:.1f} s"
            counts[outcome] += 1
    return counts


def test_damaged_files_are_read_or_refused(tmp_path):
    counts = damage(40, tmp_path)  # each workbook takes a process of its own
    assert min(counts.values()) > 3


def test_our_own_readers_raise_nothing_but_sentences_for_damaged_files(tmp_path):
    """Without the process that turns anything into a sentence, so that a fault of ours would be seen."""
    counts = damage(300, tmp_path, without_a_process_for_each)
    assert counts["read"] > 20
    assert counts["refused"] > 20


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
def test_ten_thousand_damaged_files_are_read_or_refused(tmp_path):
    counts = damage(10_000, tmp_path)
    print(counts)
    assert min(counts.values()) > 500
