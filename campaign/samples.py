"""The sample files: in an installed package in a folder of its own, in a checkout beside the package."""

from pathlib import Path

from campaign.argument_checks import check_choice
from campaign.public_calls import public_call

_PACKAGE = Path(__file__).parent
_FOLDERS = (_PACKAGE / "sample_data", _PACKAGE.parent / "sample_data")


@public_call
def sample(name: str) -> Path:
    """Find a sample file, for trying things out.

    Parameters
    ----------
    name
        "clinic_visits" (a workbook), "shop_customers" (a csv file) or "visit_reminder" (a text).

    Returns
    -------
    pathlib.Path
        The file. The people in it are made up, and so are their mistakes, which its README lists.

    Raises
    ------
    UsageError
        For another name.

    Examples
    --------
    >>> contacts = campaign.read_contacts(campaign.sample("clinic_visits"))
    >>> len(contacts)
    299
    """
    folder = next(folder for folder in _FOLDERS if folder.is_dir())
    files = {path.stem: path for path in sorted(folder.iterdir()) if path.stem != "README"}
    check_choice(name, files, subject="name")
    return files[name]
