"""Files that run code when they are read, names that are paths, and files that others could read."""

import os
import pickle
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.hostile_texts import ESCAPES, IMAGE
from support.refusals import refused
from support.small_campaigns import people, plan_for

import campaign


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __reduce__(self):
        return (Path.touch, (Path("it-ran"),))


@pytest.mark.parametrize("ending", ["pkl", "pickle", "csv", "xlsx", "parquet", "ods", "txt"])
@pytest.mark.parametrize("protocol", [2, 5])
def test_a_pickle_is_never_opened(ending, protocol, plan):
    data = pickle.dumps(Bomb(), protocol=protocol)
    path = Path(f"people.{ending}")
    path.write_bytes(data)
    calls = [
        lambda: campaign.read_contacts(path),
        lambda: campaign.read_contacts(data),
        lambda: plan_for(people(1), opt_outs=path),
        lambda: plan_for(people(1), not_again=path),
        lambda: campaign.load_result(path),
    ]
    campaign.send(plan, folder="visits", progress=False)
    frozen = [path.relative_to("visits") for path in Path("visits/rounds").rglob("*") if path.is_file()]
    for number, file in enumerate([Path("manifest.json"), Path("ledger.sqlite"), *frozen]):
        shutil.copytree("visits", f"with-{number}")
        Path(f"with-{number}", file).write_bytes(data)
        calls.append(lambda folder=f"with-{number}": campaign.load_result(folder))
    for call in calls:
        with pytest.raises(campaign.CampaignError):
            call()
    assert not Path("it-ran").exists()
    pickle.loads(data)
    assert Path("it-ran").exists()  # it would have run


NAMES = [
    "../../etc/x", "/etc/x", "..", ".", "CON", "nul.txt", "a\0b", "x" * 300, "a\\b:c*?", IMAGE,
    "'); DROP TABLE batches;--", "-rf", "~", "$HOME", "é", "\u202egnp",
]  # fmt: skip


def test_the_name_of_a_campaign_is_no_path(plan, tmp_path):
    """It becomes letters, digits and hyphens, and the hash beside it tells campaigns apart."""
    before = {*tmp_path.parent.iterdir(), tmp_path / "campaigns"}
    for name in ("", "\u202e", ESCAPES):
        with refused("campaign_name_missing", campaign.UsageError):
            campaign.send(plan, name=name, progress=False)
    for name in NAMES:
        folder = campaign.send(plan, name=name, progress=False).folder
        assert folder.parent == tmp_path / "campaigns"
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}(-[0-9a-f]{8})?\.local", folder.name)
    assert {*tmp_path.parent.iterdir(), *tmp_path.iterdir()} == before


def test_a_spreadsheet_called_like_a_path_is_none_either(plan, tmp_path):
    """Without a name it is that of the file."""
    Path("..%2f CON;rm -rf.csv").write_text("name,phone\nAisha,0772000001\n")
    result = campaign.send(plan_for(campaign.read_contacts("..%2f CON;rm -rf.csv")), progress=False)
    assert re.fullmatch(r"2f-con-rm--rf-[0-9a-f]{8}\.local", result.folder.name)


@pytest.mark.parametrize("name", ["vis\0its", "x" * 300, "file/visits", "../" * 3000], ids=str.__len__)
def test_a_campaign_in_a_folder_whose_name_none_can_have(name, plan):
    Path("file").touch()
    with pytest.raises(campaign.FolderError):
        campaign.send(plan, name="visits", folder=name, progress=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rep\0ort.html", "NUL in a name"),
        ("x" * 300 + ".xlsx", "xxxx… cannot be written: File name too long"),
        ("visits.csv/report.html", "cannot be written: Not a directory"),
        ("../" * 3000 + "x.csv", "cannot be written: File name too long"),
    ],
    ids=["NUL", "300 characters", "below a file", "9,000 characters"],
)
def test_a_report_whose_name_no_file_can_have(plan, name, words):
    Path("visits.csv").touch()
    result = campaign.send(plan, folder="visits", progress=False)
    with pytest.raises(campaign.ReportError, match=re.escape(words)):
        campaign.write_report(result, name)
    assert {path.name for path in Path().iterdir()} == {"visits", "visits.csv"}


def test_a_report_is_put_in_the_place_of_the_old_one(plan):
    """The old file is not written into: whoever has it open, or linked to it, keeps what it was."""
    result = campaign.send(plan, folder="visits", progress=False)
    for ending in ("html", "xlsx", "csv"):
        report, kept = Path(f"report.{ending}"), Path(f"kept.{ending}")
        campaign.write_report(result, report)
        kept.hardlink_to(report)
        before = kept.read_bytes()
        campaign.write_report(result, report, reveal=True)
        assert kept.read_bytes() == before != report.read_bytes()


def test_a_report_is_the_old_one_or_the_new_one_whenever_it_is_killed():
    campaign.send(plan_for(people(400)), folder="visits", progress=False)
    code = (
        "import campaign; result = campaign.load_result('visits'); print('go', flush=True)\n"
        "while True: campaign.write_report(result, 'report.html')"
    )
    report = Path("report.html")
    for pause in (0.0, 0.11, 0.23):
        report.write_text("old</html>\n")
        writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert writer.stdout.readline() == b"go\n"
        time.sleep(pause)
        writer.kill()
        writer.communicate()
        assert report.read_text("utf-8").rstrip().endswith("</html>")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_nobody_else_reads_a_file_even_without_a_umask(plan):
    usual = os.umask(0)
    try:
        with campaign.Sandbox(latency=0.2) as sandbox:
            run = campaign.start(
                plan, account=sandbox.account, folder="visits", batch_size=1, ledger="elsewhere.sqlite"
            )
            while not (during := set(Path().glob("elsewhere.sqlite*"))):
                time.sleep(0.01)
            open_files = {path: path.stat().st_mode for path in during}
            result = run.wait()
        for ending in ("html", "xlsx", "csv"):
            campaign.write_report(result, f"visits/report.{ending}")
    finally:
        os.umask(usual)
    modes = open_files | {path: path.stat().st_mode for path in Path().rglob("*")}
    assert len(modes) > 10
    empty = {Path("visits/lock")}  # only ever locked, never written
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077 and path not in empty} == {}
    assert Path("visits/lock").stat().st_size == 0
