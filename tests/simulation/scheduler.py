"""Virtual time, and event loops of which a seeded scheduler runs one callback at a time.

Each simulated server process has an event loop of its own, so that everything the code keeps per loop is that process's memory.
All loops share one scheduler: it picks the next callback among all that are ready, and moves the clock when none is.
"""

import asyncio
import hashlib
import heapq
from asyncio import events
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from random import Random
from typing import Any, TypeVar, TypeVarTuple

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class Abandoned:
    """What crashed processes leave behind: kept, because collecting a suspended coroutine would run its `finally` blocks."""

    def __init__(self) -> None:
        self.kept: list[object] = []


ABANDONED = Abandoned()


STEP_LIMIT = 60_000
"""Steps of one history: several times what the longest takes."""


class Endless(Exception):
    """The history never comes to rest."""


class Scheduler:
    """The order of everything that happens in one history, and its clock in seconds."""

    def __init__(self, seed: str) -> None:
        self.now = 0.0
        self.steps = 0
        self.trace: list[str] = []
        self._random = Random(seed)
        self._digest = hashlib.blake2b(digest_size=12)
        self._ready: list[Handle] = []
        self._timers: list[tuple[float, int, Handle]] = []
        self._numbers = 0

    @property
    def fingerprint(self) -> str:
        """A digest of every choice that was made: two runs of one history have the same."""
        return self._digest.hexdigest()

    def note(self, text: str) -> None:
        """Add a line to the story, and to the fingerprint."""
        self.trace.append(f"{self.now:10.3f}  {text}")
        self._digest.update(text.encode())

    def add(self, handle: "Handle") -> None:
        """The callback may run from now on."""
        self._ready.append(handle)

    def add_at(self, when: float, handle: "Handle") -> None:
        """The callback may run at that time."""
        self._numbers += 1
        heapq.heappush(self._timers, (max(when, self.now), self._numbers, handle))

    def run(self, until: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Run callbacks up to that time, or until nothing is left to run. Raises Endless."""
        ready, timers = self._ready, self._timers
        try:
            while not is_over():
                while timers and timers[0][0] <= self.now:
                    ready.append(heapq.heappop(timers)[2])
                if ready:
                    self._step()
                elif timers and timers[0][0] <= until:
                    self.now = timers[0][0]
                else:
                    self.now = max(self.now, until)
                    return
        finally:
            events._set_running_loop(None)

    @property
    def has_choice(self) -> bool:
        """Return whether anything else could run now if the running callback waited."""
        return bool(self._ready) or bool(self._timers and self._timers[0][0] <= self.now)

    def _step(self) -> None:
        ready = self._ready
        chosen = int(self._random.random() * len(ready))
        handle = ready[chosen]
        last = ready.pop()
        if last is not handle:
            ready[chosen] = last
        if handle._cancelled:
            return
        process = handle.process
        if process.crashed:
            ABANDONED.kept.append(handle)
            return
        if process.frozen_until > self.now:
            self.add_at(process.frozen_until, handle)
            return
        self.steps += 1
        if self.steps > STEP_LIMIT:
            raise Endless
        self._digest.update(b"%d %d %r\n" % (chosen, process.number, self.now))
        events._set_running_loop(process)
        handle.run()


class Handle(asyncio.TimerHandle):
    """A callback of one process."""

    __slots__ = ("process",)

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        process: "Process",
        context: Context | None,
        when: float = 0.0,
    ) -> None:
        # What asyncio's own would do, in a fifth of the time.
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._context = context or copy_context()
        self._when = when
        self.process = process

    def run(self) -> None:
        """Call it, as asyncio does."""
        try:
            self._context.run(self._callback, *self._args)
        except Exception as error:
            self.process.call_exception_handler({"message": "unhandled", "exception": error})

    def cancel(self) -> None:
        """Cancel as asyncio does, without notifying the loop."""
        self._cancelled = True


class Process(asyncio.AbstractEventLoop):
    """One process with an event loop and memory of its own: a server, Daraja, or the people at their devices."""

    def __init__(self, scheduler: Scheduler, name: str, number: int) -> None:
        self.scheduler = scheduler
        self.name = name
        self.number = number
        self.crashed = False
        self.frozen_until = 0.0
        self.skew = 0.0
        """Seconds by which this process's calendar clock is ahead."""
        self.failures: list[str] = []
        """Unexpected exceptions of its callbacks."""
        self.thread_ended: Callable[[], object] = lambda: None
        """Called when what would run in a thread has ended."""
        self._tasks: set[asyncio.Task[Any]] = set()

    def crash(self) -> None:
        """Kill this process: none of its code runs again, and nothing is cleaned up."""
        self.crashed = True
        ABANDONED.kept.append((self, self._tasks))

    def shut_down(self) -> None:
        """Cancel what still runs."""
        for task in list(self._tasks):
            task.cancel()

    # What asyncio asks of an event loop

    def time(self) -> float:
        """Virtual seconds."""
        return self.scheduler.now

    def call_soon(
        self, callback: Callable[[*Arguments], object], *args: *Arguments, context: Context | None = None
    ) -> asyncio.Handle:
        """Run the callback, in any order with others."""
        handle = Handle(callback, args, self, context)
        self.scheduler.add(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run the callback later."""
        return self.call_at(self.scheduler.now + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run the callback at that time."""
        handle = Handle(callback, args, self, context, when)
        self.scheduler.add_at(when, handle)
        return handle

    def create_future(self) -> "asyncio.Future[Any]":
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Generator[Any, None, Result] | Coroutine[Any, Any, Result],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[Result]:
        """A task of this process."""
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., Result], *args: Any
    ) -> "asyncio.Future[Result]":
        """Run at some later step what asyncio would run in a thread."""
        future: asyncio.Future[Result] = self.create_future()

        def work() -> None:
            if future.done():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:
                future.set_exception(error)
            self.thread_ended()

        self.call_soon(work)
        return future

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Record an uncaught exception."""
        error = context.get("exception")
        self.failures.append(f"{context.get('message')}: {error!r}")

    def get_debug(self) -> bool:
        """Never."""
        return False

    def is_running(self) -> bool:
        """Always: asyncio checks this before it schedules."""
        return True

    def is_closed(self) -> bool:
        """Never."""
        return False

    def __hash__(self) -> int:
        # By number: what is kept per loop must not depend on addresses in memory.
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other
