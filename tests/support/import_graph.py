"""Which module of the package imports which, read from the source."""

import ast
import gc
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "campaign"


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Every module by its name below the package, with its syntax tree."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = (".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths)
    trees = (ast.parse(path.read_text("utf-8")) for path in paths)
    found = tuple(zip((name.removesuffix(".__init__") for name in names), trees, strict=True))
    gc.collect()
    gc.freeze()  # half a million nodes that are kept: each collection in later tests would look at them again
    return found


@cache
def imports_of(tree: ast.Module) -> tuple[str, ...]:
    """Every name that a module imports, with where it comes from."""
    return tuple(_imported(tree))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports() -> list[tuple[str, str]]:
    """Pairs of modules: the importing and the imported one. The root, which imports all, is left out."""
    trees = dict(modules())
    pairs = set()
    for name, tree in trees.items():
        if name == "__init__":
            continue
        for target in imports_of(tree):
            if target.startswith("campaign."):
                below = target.removeprefix("campaign.")
                pairs.add((name, below if below in trees else below.rpartition(".")[0] or below))
    return sorted(pairs)


def rooms(folder: str) -> set[str]:
    """The modules and folders at a folder's own level."""
    inside = (PACKAGE / folder).iterdir()
    python = (path for path in inside if path.suffix == ".py" or (path / "__init__.py").is_file())
    return {path.stem for path in python if not path.stem.startswith("__")}


def edges_inside(folder: str) -> list[tuple[str, str]]:
    """Which of a folder's rooms imports which other."""
    below = folder + "."
    pairs = {
        (name.removeprefix(below).split(".")[0], target.removeprefix(below).split(".")[0])
        for name, target in imports()
        if name.startswith(below) and target.startswith(below)
    }
    return sorted((here, there) for here, there in pairs if here != there)


def deepest(edges: Iterable[tuple[str, str]]) -> int:
    """On how many layers the modules stand when each is above all that it imports; huge for a circle."""
    targets: dict[str, set[str]] = {}
    for here, there in edges:
        targets.setdefault(here, set()).add(there)
    depths: dict[str, int] = {}

    def depth(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            return sys.maxsize
        if name not in depths:
            depths[name] = 1 + max(
                (depth(other, (*above, name)) for other in targets.get(name, ())), default=0
            )
        return depths[name]

    return max((depth(name, ()) for name in targets), default=1)
