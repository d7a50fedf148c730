"""A real JupyterLab in a real Chromium, one of each for a test run, with a hard time-out on every step.

Every Jupyter folder is temporary: the tests neither see nor leave anything of the person who runs them.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

TOKEN = "made-up-for-this-test-run"
STEP = 30_000  # milliseconds for one step in the page; a kernel on a busy machine takes ten seconds to start
START = 60  # seconds for JupyterLab to answer

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without the grammars that `tests/conftest.py` does without.
_JUPYTERLAB = "import sys; sys.modules['rfc3987_syntax'] = None; from jupyterlab.labapp import main; main()"
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
_SETTINGS = {
    # no question about news and no look at the network
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # all cells are in the page, also those outside the window
    "notebook-extension/tracker": {"windowingMode": "none"},
}
# The page's own sign of being idle comes before the kernel is connected.
_READY = """() => {
    const session = window.jupyterapp?.shell.currentWidget?.sessionContext;
    const kernel = session?.session?.kernel;
    return session?.isReady && kernel?.status === 'idle' && kernel?.connectionStatus === 'connected';
}"""


def find_chromium() -> str:
    """The path of a Chromium. Without one the test is skipped, but fails in CI."""
    found = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    if found is None:
        give_up = pytest.fail if os.environ.get("CI") else pytest.skip
        give_up("There is no Chromium here: install the package chromium to see the notebook in a browser.")
    return found


@dataclass(frozen=True)
class Lab:
    """A JupyterLab that serves one folder."""

    folder: Path
    port: int

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}?token={TOKEN}"

    def ask(self, path: str, method: str = "GET") -> bytes:
        request = urllib.request.Request(self.address(path), method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read()

    def write(self, name: str, *cells: str) -> str:
        """A notebook of code cells in the folder; returns its name."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, self.folder / name)
        return name

    def end_kernels(self) -> None:
        for kernel in json.loads(self.ask("api/kernels")):
            self.ask(f"api/kernels/{kernel['id']}", "DELETE")


@dataclass(frozen=True)
class Notebook:
    """A notebook open in the browser.

    `errors` are those that its page has thrown or logged, and requests that left this machine.
    """

    page: Page
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda entry: entry.type == "error" and self.errors.append(entry.text))
        self.page.on("request", lambda request: self._note_address(request.url))

    def _note_address(self, address: str) -> None:
        if not address.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            self.errors.append(f"a request to {address}")

    def execute(self, command: str, **arguments: str) -> None:
        """Give JupyterLab a command. Its promise is not waited for: it may never be kept."""
        self.page.evaluate(
            "([command, arguments]) => { jupyterapp.commands.execute(command, arguments); return null }",
            [command, arguments],
        )

    def save(self) -> None:
        """Save, and wait until it is saved."""
        self.execute("docmanager:save")
        self.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")

    def keep_widget_state(self, is_kept: bool) -> None:
        """Let JupyterLab save the state of widgets with each notebook, or not."""
        command = "@jupyter-widgets/jupyterlab-manager:saveWidgetState"
        self.execute(command)  # turns it the other way
        self.page.wait_for_function(
            "([command, is_kept]) => jupyterapp.commands.isToggled(command) === is_kept",
            arg=[command, is_kept],
        )

    def restart_kernel(self) -> None:
        """Restart the kernel without the question whether to."""
        self.page.evaluate(
            "() => { jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); return null }"
        )

    def wait_until_ready(self) -> None:
        """Wait until the kernel is connected and idle."""
        self.page.wait_for_function(_READY, timeout=STEP)

    def accessibility_findings(self, part: str = ".campaign") -> list[str]:
        """What axe-core finds wrong with what this package shows, light and then dark."""
        findings = []
        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            self.execute("apputils:change-theme", theme=theme)
            light = str(theme.endswith("Light")).lower()
            self.page.wait_for_selector(f"body[data-jp-theme-light={light}]", state="attached")
            violations = Axe().run(self.page, context=part).response["violations"]
            findings += [
                f"{theme}: {one['id']}: {node['html'][:200]}" for one in violations for node in one["nodes"]
            ]
        self.execute("apputils:change-theme", theme="JupyterLab Light")
        self.page.wait_for_selector("body[data-jp-theme-light=true]", state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")
        return findings

    def run_cell(self, place: int) -> None:
        self.page.evaluate(
            """place => {
                jupyterapp.shell.currentWidget.content.activeCellIndex = place;
                jupyterapp.commands.execute('notebook:run-cell');
                return null;
            }""",
            place,
        )

    def run_all(self) -> None:
        self.execute("notebook:run-all-cells")

    def find(self, selector: str, **filters: str) -> Locator:
        return self.page.locator(selector, **filters)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """JupyterLab on a free port, in a temporary folder."""
    find_chromium()  # without a browser there is no need for it
    home, folder = tmp_path_factory.mktemp("jupyter"), tmp_path_factory.mktemp("notebooks")
    for name, settings in _SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        lab = Lab(folder, free.getsockname()[1])
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(_command(lab), env=_environment(home), cwd=folder, stdout=log, stderr=log)
        try:
            _wait_until_up(lab, server, home / "log")
            yield lab
            lab.end_kernels()
        finally:
            server.terminate()
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


# For a module, not for the whole run: while playwright's loop lives in this thread, asyncio.run is refused.
@pytest.fixture(scope="module")
def chromium():
    """Chromium with a fresh profile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(_FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def lab_context(chromium: Browser) -> Iterator[BrowserContext]:
    """What the pages of JupyterLab share: its programs, which a browser loads and compiles once."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    yield context
    context.close()


@pytest.fixture
def open_notebook(lab: Lab, lab_context: BrowserContext):
    """Opens a notebook of the lab's folder by its name, and returns it when its kernel is ready."""
    pages = []

    def open_it(name: str) -> Notebook:
        page = lab_context.new_page()
        pages.append(page)
        page.set_default_timeout(STEP)
        notebook = Notebook(page)
        page.goto(lab.address(f"doc/tree/{name}") + "&reset", timeout=STEP)
        notebook.wait_until_ready()
        return notebook

    expect.set_options(timeout=STEP)
    yield open_it
    for page in pages:
        page.close()
    lab.end_kernels()


def _command(lab: Lab) -> list[str]:
    return [
        sys.executable, "-c", _JUPYTERLAB, "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={lab.port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={lab.folder}", "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        # No search for language servers, for which a dozen programs would be started.
        "--LanguageServerManager.autodetect=False",
    ]  # fmt: skip


def _environment(home: Path) -> dict[str, str]:
    """This environment with all of Jupyter's folders inside `home`."""
    folders = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }  # fmt: skip
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    return kept | {name: str(home / folder) for name, folder in folders.items()}


def _wait_until_up(lab: Lab, server: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until:
        if server.poll() is not None:
            break
        try:
            lab.ask("api/status")
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")
