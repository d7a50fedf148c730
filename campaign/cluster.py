"""A Dask cluster that somebody else has made: the one door to Dask.

What runs there are functions of this package without side effects, or such as may run twice: Dask runs a
task again when a worker is lost, also one that had finished.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeVar

from msgspec import Struct

from campaign.argument_checks import wrong
from campaign.arrow_text import Ints
from campaign.errors import CampaignError, UsageError
from campaign.libraries import require
from campaign.masking import mask_text
from campaign.text import clean, shorten

T = TypeVar("T")

_AHEAD = 3  # calls under way for each thread of the cluster: enough to keep it busy, few enough to hold
_CONNECT = "client=distributed.Client(address)"


def is_dask_frame(value: object) -> bool:
    """Whether this is a Dask DataFrame; costs nothing for anything else."""
    if type(value).__module__.partition(".")[0] != "dask":
        return False
    from dask.dataframe import DataFrame

    return isinstance(value, DataFrame)


def empty_frame(frame: Any) -> Any:
    """The columns of a Dask frame, as a DataFrame without rows."""
    return frame._meta


def frame_in_parts(parts: Sequence[T], read: Callable[[T], Any]) -> Any:
    """A Dask frame with a partition for each part, which `read` gives when it is computed.

    Raises `InstallationError` where Dask is not installed.
    """
    require("dask")
    import dask
    from dask.dataframe import from_map

    make: Callable[..., Any] = from_map
    with dask.config.set({"dataframe.convert-string": False}):  # our tables have the texts of pandas
        return make(read, list(parts), meta=read(parts[0]).iloc[:0], enforce_metadata=False)


class Cluster(Struct, frozen=True, eq=False):
    """The cluster of a client. Values that calls return stay on the workers until somebody asks for them."""

    client: Any

    @classmethod
    def of(cls, client: Any = None) -> Cluster | None:
        """The cluster of a client of `distributed`; without one that of the current client, if there is one.

        Raises `UsageError` for anything else, and for a client that has been closed.
        """
        if client is None:
            if "distributed" not in sys.modules:  # then there is no client either
                return None
            from distributed import get_client

            try:
                client = get_client()
            except ValueError:
                return None
        return cls(_checked(client))

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers."""
        with self._reached():
            return list(self.client.scheduler_info(n_workers=-1)["workers"])

    def keep(self, value: T) -> Any:
        """A value for many calls, sent to the cluster once."""
        import dask

        # A list of opt-outs may be some megabytes, and is needed on every worker.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "10GB"}):
            return self.start(_same, [value])[0]

    def start(self, function: Callable[..., T], *columns: Iterable[Any]) -> list[Any]:
        """Begin a call for each entry of the columns, with arguments or what earlier calls have returned."""
        calls = zip(*columns, strict=False)  # an endless column may repeat one argument
        with self._reached():
            return [self.client.submit(function, *call, pure=False) for call in calls]

    def start_with_partitions(self, frame: Any, function: Callable[..., T]) -> list[Any]:
        """Begin a call for each partition of a Dask frame and its number, counted from 0."""
        from dask.delayed import delayed

        with self._reached():
            calls = [
                delayed(function, pure=False)(partition, number)
                for number, partition in enumerate(frame.to_delayed())
            ]
            futures: list[Any] = self.client.compute(calls)
        return futures

    def value(self, future: Any) -> Any:
        """What a call has returned. Raises what it raised; a foreign error as `CampaignError`."""
        with self._reached():
            value = future.result()
        return value

    def each(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        """What a function returns for each entry of the columns, in order; some calls are under way at a
        time, and nothing of them stays on the workers."""
        most = max(_AHEAD * self._threads, 4)
        under_way: deque[Any] = deque()
        for call in zip(*columns, strict=False):
            if len(under_way) == most:
                yield self.value(under_way.popleft())
            under_way.extend(self.start(function, *([argument] for argument in call)))
        while under_way:
            yield self.value(under_way.popleft())

    def alone(self, function: Callable[..., T], futures: Sequence[Any], *arguments: Any) -> T:
        """What a function returns that one worker calls with a `RemoteValues` of what calls have returned."""
        made: T = next(self.each(_with_remote_values, [function], [_Unresolved(futures)], [arguments]))
        return made

    def start_long(self, function: Callable[..., T], count: int, *arguments: Any) -> list[Any]:
        """Begin so many long calls, spread over the workers, that leave room for others beside them.

        Dask makes a call again elsewhere when it loses its worker.
        """
        workers = self.workers
        with self._reached():
            return [
                self.client.submit(
                    _apart, function, arguments, pure=False, retries=0,
                    workers=[workers[number % len(workers)]], allow_other_workers=True,
                )
                for number in range(count)
            ]  # fmt: skip

    def has_ended(self, future: Any) -> bool:
        """Whether a call is over, however it ended."""
        with self._reached():
            return bool(future.done())

    def forget(self, futures: Sequence[Any]) -> None:
        """Wait no longer for some calls. One that is under way goes on."""
        with self._reached():
            self.client.cancel(futures)

    def everywhere(self, function: Callable[..., T], *arguments: Any) -> dict[str, T | BaseException]:
        """What a function returns, or the error that it raises, on each worker, by its address."""
        with self._reached():
            answers: dict[str, T | BaseException] = self.client.run(function, *arguments, on_error="return")
        return answers

    @property
    def _threads(self) -> int:
        with self._reached():
            return sum(self.client.nthreads().values())

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Raise errors of the cluster, and of tasks of a user's table, as one of ours."""
        if self.client.status != "running":
            raise CampaignError("cluster_lost")
        try:
            yield
        except CampaignError:
            raise
        except CancelledError:  # restarted, or all workers ended
            raise CampaignError("cluster_lost") from None
        except Exception as error:
            raise _failure(error) from None


def packed(positions: Ints) -> Ints | range:
    """Ascending positions as an argument of a call: consecutive ones take a few bytes."""
    if not len(positions):
        return range(0)
    first, last = int(positions[0]), int(positions[-1])
    return range(first, last + 1) if last - first == len(positions) - 1 else positions


class RemoteValues:
    """Values on the workers, of which a worker that is not theirs gets what it asks for, one at a time."""

    def __init__(self, client: Any, futures: Sequence[Any]) -> None:
        self._client, self._futures = client, futures

    def of(self, function: Callable[[Any], T]) -> Iterator[T]:
        """What a function makes of each value where it is, in order."""
        for future in self._futures:
            called = self._client.submit(function, future, pure=False)
            yield called.result()


class _Unresolved(Struct, frozen=True, eq=False):
    """Futures that Dask does not replace with their values when it calls a function."""

    futures: Sequence[Any]


def _with_remote_values(function: Callable[..., T], unresolved: _Unresolved, arguments: tuple[Any, ...]) -> T:
    from distributed import worker_client

    with worker_client() as client:  # gives its thread back, so that the other calls are not waited for
        return function(RemoteValues(client, unresolved.futures), *arguments)


def _apart(function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    from distributed import secede

    leave: Callable[[], None] = secede
    leave()  # the threads of this worker, which stay free for other calls
    return function(*arguments)


def _same(value: T) -> T:
    return value


def _checked(client: Any) -> Any:
    is_client = False
    if type(client).__module__.partition(".")[0] == "distributed":
        from distributed import Client

        is_client = isinstance(client, Client)
    if not is_client:
        raise wrong(client, subject="client", needs="a Client of Dask", write=_CONNECT)
    state = "asynchronous" if client.asynchronous else client.status
    if state != "running":
        raise UsageError(
            "wrong_value", argument="client", needs="one that is running", given=state, write=_CONNECT
        )
    return client


def _failure(error: Exception) -> CampaignError:
    kind, words = type(error).__name__, mask_text(shorten(clean(error), 300)).rstrip(".")
    is_foreign = isinstance(error, ImportError) or "deserialization of the task graph" in words
    code = "cluster_differs" if is_foreign else "cluster_failed"
    return CampaignError(code, reason=f"{kind}: {words}" if words else kind)
