"""The wheel, without a checkout: it has all that it needs, and sends its own sample."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import campaign

ROOT = Path(__file__).parents[2]
SENDING = """
import campaign
message = campaign.sample("visit_reminder").read_text("utf-8").strip()
plan = campaign.prepare(campaign.sample("clinic_visits"), message=message, sender="CLINIC", region="UG")
result = campaign.send(plan, progress=False)
campaign.write_report(result, "report.html")
print(result.totals["accepted"], campaign.__file__)
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The wheel as an installer lays it out; the source archive has what the wheel is built from."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(place)]
    subprocess.run([*build, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    (archive,) = place.glob("*.tar.gz")
    subprocess.run(["tar", "xf", str(archive)], cwd=place, check=True)
    (source,) = (path for path in place.iterdir() if path.is_dir())
    subprocess.run([*build, "-t", "wheel"], cwd=source, check=True, capture_output=True)
    (wheel,) = place.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(place / "installed")
    return place / "installed"


def test_the_wheel_sends_its_sample_and_writes_a_report(unpacked, tmp_path):
    program = f"import sys; sys.path.insert(0, {str(unpacked)!r})\n{SENDING}"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == f"275 {unpacked / 'campaign' / '__init__.py'}"
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_wheel_has_every_file_of_the_package(unpacked):
    listed = subprocess.run(
        ["git", "ls-files", "campaign", "sample_data"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = {path.removeprefix("campaign/") for path in listed.stdout.splitlines()}
    assert {path for path in paths if not (unpacked / "campaign" / path).is_file()} == set()


def test_a_checkout_has_the_same_samples(unpacked):
    for name in ("clinic_visits", "shop_customers", "visit_reminder"):
        path = campaign.sample(name)
        assert path.read_bytes() == (unpacked / "campaign" / "sample_data" / path.name).read_bytes()


def test_a_sample_of_another_name_is_refused_with_those_that_exist():
    with pytest.raises(campaign.UsageError) as error:
        campaign.sample("clinic visits")
    assert error.value.finding.code == "wrong_choice"
    assert error.value.finding.facts["choices"] == ["'clinic_visits'", "'shop_customers'", "'visit_reminder'"]
    assert error.value.finding.facts["suggestion"] == "clinic_visits"
