"""The form in a real browser: `campaign app`, and `campaign.compose()` in JupyterLab."""

import re
import shutil
import sys
import time

import pytest
from playwright.sync_api import expect
from support.foreign_servers import SERVERS
from support.form_page import SAMPLE, FormPage, is_in_sight, live_at, running_app
from support.links import link_for
from support.live_service import LiveService, start_live
from support.shares import one_of

import campaign

pytest_plugins = ["support.jupyter_browser"]
pytestmark = pytest.mark.browser

SAMPLE_TEXT = "Hi {First name}, your visit is on {Visit date:%-d %B}. Bring your card. Thank you!"
LONG = (
    "Bring your card, your child's book and the receipt of your last visit. Thank you very much for coming."
)


@pytest.fixture
def open_form(chromium):
    """Opens an address in a new window of the browser, and returns the form there."""
    contexts = []

    def open_it(address, width=1280):
        contexts.append(chromium.new_context(viewport={"width": width, "height": 800}))
        form = FormPage(contexts[-1].new_page())
        form.page.goto(address)
        return form

    yield open_it
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_stranger_has_a_first_result_within_90_seconds(tmp_path, open_form, width):
    """Each page is as it should be: light and dark, for keys and fingers, with few words."""
    begun = time.monotonic()
    with running_app(tmp_path / "desk") as app:
        form = open_form(app.address, width)
        expect(form.title).to_have_text("Your messages")
        assert app.seconds < 4
        faults = form.faults()
        form.press("New message")
        form.arrive("Who is it for?")
        faults += form.faults()
        form.choose(SAMPLE)
        form.form.locator("table").wait_for()
        faults += form.faults()
        form.go_on("What do you want to tell them?")
        form.write(f"{SAMPLE_TEXT} {LONG}")
        form.phone.locator("s").wait_for()
        faults += form.faults()
        form.write(SAMPLE_TEXT)
        form.phone.get_by_text("Thank you!").wait_for()
        faults += form.faults()
        form.go_on("275 people get the message. 16 rows need a correction.")
        faults += form.faults()
        form.go_on("Ready for 275 people")
        faults += form.faults()
        form.go_on("accepted for 275 of 294 people")
        faults += form.faults()
        assert time.monotonic() - begun < 90
        name, report = form.download("Report")
        assert re.fullmatch(r"clinic_visits 20\d\d-\d\d-\d\d report\.html", name)
        assert report.startswith(b"<!doctype html>")
        assert form.download("Workbook")[1].startswith(b"PK")
        _, to_correct = form.download("Download 19 rows")
        assert len(campaign.read_contacts(to_correct)) == 19
        form.press("Done")
        form.arrive("Your messages")
        faults += form.faults()
    assert faults == []
    assert form.problems == []


PUPILS = """name,phone,class
Aisha Nakato,0772 000 001,P4
Benjamin Okello,0772 000 002,P4
Carol Auma,+256 772 000 003,P5
"""
NAME = "sms.example.com"


@pytest.mark.parametrize("server", one_of(SERVERS))
def test_the_weekly_text_is_sent_for_real_with_an_account_that_was_typed_in(tmp_path, open_form, server):
    """To a service over TLS that nobody here wrote; the second text to the same list within a minute."""
    pupils = tmp_path / "pupils.csv"
    pupils.write_text(PUPILS)
    link = link_for(NAME, tmp_path)
    with (
        SERVERS[server](link) as service,
        live_at(service.port, link.ca_file) as variables,
        running_app(tmp_path / "desk", **variables) as app,
    ):
        form = open_form(app.address)
        form.press("New message")
        form.choose(pupils)
        form.form.get_by_label("Country").select_option(label="Uganda")
        form.go_on("What do you want to tell them?")
        form.write("Hi {name}, school closes on Friday.", "SCHOOL")
        form.go_on("3 people get the message.")
        form.go_on("Ready for 3 people")
        form.add_account(f"https://{NAME}", "clinic", "only-for-tests")
        faults = form.faults()
        form.send_for_real("Send 3 messages")
        form.arrive("accepted for 3 of 3 people")
        faults += form.faults()
        expect(form.form.locator(".badge")).to_have_text("LIVE")

        begun = time.monotonic()
        form.press("Done")
        form.press("New message")
        form.choose(pupils)
        form.arrive("You have sent to this file before")
        faults += form.faults()
        form.press("New message to these people")
        form.go_on("What do you want to tell them?")
        form.write("Hi {name}, school opens on Monday.", "SCHOOL")
        form.go_on("3 people get the message.")
        form.go_on("Ready for 3 people")
        form.send_for_real("Send 3 messages")
        form.arrive("accepted for 3 of 3 people")
        assert time.monotonic() - begun < 60
        form.press("Done")
        form.arrive("Your messages")
        faults += form.faults()
        _, said = app.interrupt()
    numbers = [f"25677200000{last}" for last in (1, 2, 3)]
    assert sorted(service.numbers) == sorted([*numbers, *numbers])
    assert faults == []
    assert form.problems == []
    assert said == ""
    kept = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert [content for content in kept if b"only-for-tests" in content] == []


CONSENT = """name,phone,May we text you?
Aisha,0772 000 001,yes
Ben,0772 000 002,Yes
Carol,0772 000 003,
Dan,0772 000 004,?
Eve,0772 000 005,no
Fay,0772 000 006,YES
"""


def test_consent_reaches_only_a_clear_yes(tmp_path, open_form):
    """Neither an empty cell nor a question mark is one, unless a person says so."""
    table = tmp_path / "members.csv"
    table.write_text(CONSENT)
    with running_app(tmp_path / "desk") as app:
        form = open_form(app.address)
        form.press("New message")
        form.choose(table)
        form.form.get_by_label("Country").select_option(label="Uganda")
        form.go_on("What do you want to tell them?")
        form.write("Hi {name}, the market opens on Monday.")
        form.go_on("3 people get the message.")
        assert form.faults() == []
        asked = form.form.get_by_role("group", name="May we text you?")
        ticked = [box.evaluate("box => box.labels[0].innerText") for box in asked.locator(":checked").all()]
        assert [words.split()[0].lower() for words in ticked] == ["yes"]
        empty = asked.get_by_label(re.compile("empty"))
        empty.check()
        expect(form.title).to_contain_text("4 people get the message.")
        expect(empty).to_be_focused()
        empty.uncheck()
        expect(form.title).to_contain_text("3 people get the message.")
        form.go_on("Ready for 3 people")
        form.go_on("accepted for 3 of")
        result = campaign.load_result(app.desk / "campaigns" / "members.local")
        assert form.problems == []
    assert result.messages["number"].tolist() == ["256772000001", "256772000002", "256772000006"]


@pytest.fixture
def crowd(tmp_path):
    """A spreadsheet of two thousand people."""
    table = tmp_path / "crowd.csv"
    numbers = [f"+256{prefix}{n:03}" for prefix in (772000, 701000) for n in range(1000)]
    table.write_text("name,phone\n" + "\n".join(f"P{n},{number}" for n, number in enumerate(numbers)))
    return table


@pytest.fixture
def slow_service(monkeypatch):
    """A live service that answers after two seconds, and the variables of an account there."""
    with start_live(lambda name: None, monkeypatch, latency=2) as sandbox:
        service = LiveService(sandbox)
        port = int(sandbox.account.url.rsplit(":", 1)[1].strip("/"))
        with live_at(port, sandbox.ca_file) as variables:
            account = service.account
            yield service, {
                **variables, "CAMPAIGN_LIVE_URL": account.url, "CAMPAIGN_LIVE_USERNAME": account.username,
                "CAMPAIGN_LIVE_PASSWORD": "only-for-tests",
            }  # fmt: skip


def send_to(form, crowd):
    """Compose a message to two thousand people, and press the button that sends it for real, twice."""
    form.press("New message")
    form.choose(crowd)
    form.go_on("What do you want to tell them?")
    form.write("Hi {name}, the road is closed today.")
    form.go_on("2,000 people get the message.")
    form.go_on("Ready for 2,000 people")
    form.type_phrase()
    form.button("Send 2,000 messages").dblclick()
    form.arrive("Sending 2,000 messages")


def wait_for_some(service):
    """Wait until the first batch is accepted and the next ones have left."""
    until = time.monotonic() + 60
    while not service.numbers:
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(0.5)


def test_a_reload_a_second_tab_and_a_second_click_send_nothing_twice(
    tmp_path, open_form, crowd, slow_service
):
    """The tab that is not in use says so, and its buttons do nothing until it is taken into use again."""
    service, variables = slow_service
    with running_app(tmp_path / "desk", **variables) as app:
        form = open_form(app.address)
        send_to(form, crowd)
        expect(form.form.locator(".badge")).to_have_text("LIVE")
        form.page.reload()
        expect(form.title).to_have_text("Sending 2,000 messages")
        second = open_form(app.address)
        expect(second.title).to_have_text("Sending 2,000 messages")
        says = form.page.get_by_role("alert")
        expect(says).to_contain_text("open in another tab")
        expect(form.form).to_have_attribute("inert", "")
        second.press("Pause")
        expect(second.title).to_have_text("Paused")
        assert second.faults() == []
        form.page.get_by_role("button", name="Use it here").click()
        expect(second.form).to_have_attribute("inert", "")
        expect(form.title).to_have_text("Paused")
        form.press("Resume")
        expect(form.title).to_contain_text("accepted for 2,000 of 2,000 people")
        assert form.faults() == []
        assert form.problems + second.problems == []
        assert len([*(app.desk / "campaigns").iterdir()]) == 1
    assert len(service.numbers) == len({*service.numbers}) == 2000


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
@pytest.mark.parametrize("ending", one_of(["kill", "Ctrl-C"]))
def test_what_was_interrupted_is_continued_without_sending_anything_twice(
    tmp_path, open_form, crowd, slow_service, ending
):
    """What may have arrived is never sent again: a person says what became of it."""
    service, variables = slow_service
    desk = tmp_path / "desk"
    with running_app(desk, **variables) as app:
        form = open_form(app.address)
        send_to(form, crowd)
        wait_for_some(service)
        if ending == "kill":
            app.kill()
        else:
            _, said = app.interrupt()
            assert (app.process.returncode, said) == (0, "")
        expect(form.page.get_by_role("alert")).to_contain_text("The app has stopped")
        expect(form.form).to_have_attribute("inert", "")
    with running_app(desk, **variables) as app:
        form = open_form(app.address)
        expect(form.form).to_contain_text("of 2,000 accepted")
        form.press("Continue")
        expect(form.form.get_by_role("button", name=re.compile("^Send the"))).to_be_visible()
        assert form.faults() == []
        form.type_phrase()
        form.press(re.compile("^Send the"))
        form.arrive("Sending")
        form.arrive("accepted for")
        if ending == "kill":
            form.button("It was accepted").first.click()
            form.button("Yes, I am sure").wait_for()
            assert form.faults() == []
            form.press("Yes, I am sure")
            expect(form.button("Yes, I am sure")).to_have_count(0)
            expect(form.button("It was accepted")).to_have_count(7)
            assert form.faults() == []
            form.button("It did not get there").first.click()
            form.press("Cancel")
            expect(form.button("It was accepted")).to_have_count(7)
        assert form.problems == []
    assert len(service.numbers) == len({*service.numbers})
    assert len(service.numbers) >= 200


def compose_in(lab, open_notebook, name):
    """The form in a cell of a new notebook, as a person sees it there."""
    lab.write(name, "import campaign\ncampaign.compose()", "import os\nos._exit(1)")
    notebook = open_notebook(name)
    notebook.run_cell(0)
    form = FormPage(notebook.page)
    expect(form.title).to_have_text("Your messages")
    return notebook, form


def test_in_jupyterlab_from_the_file_to_the_report(lab, open_notebook, tmp_path):
    """The notebook is saved without anything of the people in it."""
    visits = tmp_path / "ward_visits.xlsx"  # the other notebooks of this folder send the sample by its name
    shutil.copyfile(SAMPLE, visits)
    notebook, form = compose_in(lab, open_notebook, "compose.ipynb")
    form.press("New message")
    form.choose(visits)
    form.go_on("What do you want to tell them?")
    form.write(SAMPLE_TEXT)
    expect(form.phone).to_contain_text("Hi Harriet, your visit is on 5 March.")
    assert form.form.bounding_box()["width"] > 700
    assert notebook.accessibility_findings(".campaign-form") == []
    form.go_on("275 people get the message.")
    assert notebook.accessibility_findings(".campaign-form") == []
    assert is_in_sight(form.main, form.page)
    form.go_on("Ready for 275 people")
    expect(form.form).to_contain_text("To send for real, add an account in the app.")
    form.go_on("accepted for 275 of 294 people")
    name, report = form.download("Report")
    assert re.fullmatch(r"ward_visits 20\d\d-\d\d-\d\d report\.html", name)
    assert report.startswith(b"<!doctype html>")
    notebook.keep_widget_state(True)
    notebook.save()
    notebook.keep_widget_state(False)
    saved = (lab.folder / "compose.ipynb").read_text("utf-8")
    assert "application/vnd.jupyter.widget-state+json" in saved
    assert [
        word
        for word in ("Harriet", "Hi {First", "772000", "772 000", "ward_visits", "CLINIC")
        if word in saved
    ] == []
    assert form.problems == []


@pytest.mark.parametrize("ending", one_of(["it dies", "it is restarted", "it is shut down"]))
def test_in_jupyterlab_the_form_says_that_its_kernel_has_stopped(lab, open_notebook, ending):
    notebook, form = compose_in(lab, open_notebook, f"{ending.split()[-1]}.ipynb")
    if ending == "it dies":
        notebook.run_cell(1)
    elif ending == "it is restarted":
        notebook.restart_kernel()
    else:
        lab.end_kernels()
    expect(form.form.get_by_role("alert")).to_contain_text("The kernel has stopped.")
    expect(form.form.locator(".items").first).to_have_attribute("inert", "")
    if ending != "it is shut down":
        notebook.wait_until_ready()  # Jupyter starts another one


# Every control of the form that a person can use now.
CONTROLS = """form => [...form.querySelectorAll("button, input, select, textarea, summary, [tabindex='0']")]
  .filter(node => !node.disabled && node.checkVisibility())"""


def missed_by_tab(form):
    """The controls that are not reached by pressing Tab from the title on, all around the page."""
    form.title.focus()
    count, reached = form.form.evaluate(f"form => ({CONTROLS})(form).length"), set()
    for _ in range(count + 3):  # between the last one and the first one are those of the browser
        form.page.keyboard.press("Tab")
        reached.add(form.form.evaluate(f"form => ({CONTROLS})(form).indexOf(document.activeElement)"))
    return [place for place in range(count) if place not in reached]


def press_key(form, control, key="Enter"):
    """Go to a control by Tab, and press a key there."""
    form.title.focus()
    for _ in range(60):
        form.page.keyboard.press("Tab")
        if control.evaluate("node => node === document.activeElement"):
            break
    expect(control).to_be_focused()
    form.page.keyboard.press(key)


def test_by_the_keyboard_alone(tmp_path, open_form):
    """Tab reaches everything, and the focus is at the title of each page that is new, and never lost."""
    with running_app(tmp_path / "desk") as app:
        form = open_form(app.address)
        expect(form.title).to_have_text("Your messages")
        press_key(form, form.button("New message"))
        form.arrive("Who is it for?")
        with form.page.expect_file_chooser() as chooser:
            press_key(form, form.form.locator("input[type=file]"))
        chooser.value.set_files(SAMPLE)
        form.form.locator("table").wait_for()
        form.arrive("Who is it for?")
        missed = []
        for key in ("Enter", "Space", "Enter"):
            missed += missed_by_tab(form)
            if form.title.inner_text().startswith("What do"):
                press_key(form, form.form.locator("textarea"), "H")
                form.page.keyboard.type("ello ")
                press_key(form, form.button("First name"), "Space")
                expect(form.form.locator("textarea")).to_be_focused()
                form.page.keyboard.type("!")
                expect(form.form.locator("textarea")).to_have_value("Hello {First name}!")
                form.page.keyboard.press("Tab")
                press_key(form, form.form.get_by_label("Sender"), "X")
                press_key(form, form.button("Next person"), "Space")
                expect(form.phone).to_contain_text("Hello Charles!")
                expect(form.button("Next person")).to_be_focused()
            before = form.title.inner_text()
            press_key(form, form.main, key)
            expect(form.title).not_to_have_text(before)
            expect(form.title).to_be_focused()
        assert missed == []
        summary = form.form.locator("summary", has_text="Name, price")
        press_key(form, summary)
        press_key(form, form.form.get_by_label("Name of this campaign"), "End")
        form.page.keyboard.type(" again")
        press_key(form, form.main)
        form.arrive("accepted for")
        assert missed_by_tab(form) == []
        assert campaign.history(app.desk / "campaigns")["name"].tolist() == ["clinic_visits again"]
        assert form.problems == []


DROP = """(node, [name, content]) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([content], name));
  const event = kind => new DragEvent(kind, {dataTransfer: dropped, bubbles: true, cancelable: true});
  return [event("dragover"), event("drop")].map(one => !node.dispatchEvent(one));
}"""


def test_a_file_is_dropped_and_two_clicks_rehearse_once(tmp_path, open_form):
    """A file that is dropped beside its place replaces nothing; a wrong one is answered in a sentence."""
    with running_app(tmp_path / "desk") as app:
        form = open_form(app.address)
        form.press("New message")
        form.arrive("Who is it for?")
        assert form.title.evaluate(DROP, ["pupils.csv", PUPILS]) == [True, True]
        assert form.form.locator(".drop").evaluate(DROP, ["letter.pdf", "%PDF-1.7 no table"]) == [True, True]
        expect(form.form.get_by_role("alert")).to_be_visible()
        expect(form.form.locator("table")).to_have_count(0)
        assert form.form.locator(".drop").evaluate(DROP, ["pupils.csv", PUPILS]) == [True, True]
        expect(form.form.locator("table")).to_contain_text("Benjamin Okello")
        expect(form.form.get_by_role("alert")).to_have_count(0)
        form.form.get_by_label("Country").select_option(label="Uganda")
        form.main.dblclick()
        form.arrive("What do you want to tell them?")
        form.write("Hi {name}, school closes on Friday.", "SCHOOL")
        form.main.dblclick()
        form.arrive("3 people get the message.")
        form.main.dblclick()
        form.arrive("Ready for 3 people")
        form.main.dblclick()
        form.arrive("accepted for 3 of 3 people")
        assert form.problems == []
        assert [path.name for path in app.desk.glob("campaigns/*/rounds/*")] == ["0001"]


def test_a_page_from_before_the_app_was_started_again_says_so(tmp_path, open_form):
    with running_app(tmp_path / "desk") as app:
        form = open_form(app.address)
        expect(form.title).to_have_text("Your messages")
        app.interrupt()
        says = form.page.get_by_role("alert")
        expect(says).to_contain_text("The app has stopped")
        port = re.search(r":(\d+)/", app.address)[1]
    with running_app(tmp_path / "desk", "--port", port) as app:
        expect(says).to_contain_text("The app was started again")
        expect(form.form).to_have_attribute("inert", "")
        form.page.goto(app.address)
        form.page.reload()  # only what is behind `#` has changed
        expect(form.title).to_have_text("Your messages")
        expect(says).to_have_count(0)
