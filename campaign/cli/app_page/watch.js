// What a page of the app does beside its widgets: it asks before it is left while texts are being sent, ends the
// program behind it when it goes, and says so when that program is gone or the app was started again, so that no
// button pretends to work.
(() => {
  const INTERVAL = 1000; // milliseconds between two looks
  const PATIENCE = 5000; // milliseconds until a look is without an answer: a busy app may take some seconds
  const MISSES = 2; // looks without an answer, because one can be lost
  const STOPPED =
    "<strong>The app has stopped, and nothing on this page works any more.</strong> What was sent is kept. Start " +
    "the app again in the same folder. If texts are left to send, press the button “Go on with …” there: your spreadsheet, " +
    "text and list of people who want no texts come back with it, and only what is missing goes out. Single numbers of " +
    "people who want no texts, which were typed, are not kept: the page asks about these people before it sends.";
  const ENDED =
    "<strong>The program behind this page has ended, and nothing on this page works any more.</strong> Load the " +
    "page again: what you had chosen comes back, and only what is missing goes out.";
  const STARTED_AGAIN =
    "<strong>The app was started again, and nothing on this page works any more.</strong> Use the page that it has " +
    "opened since: its address is a new one, and stands where the app was started. What was sent is kept. If texts are " +
    "left to send, press the button “Go on with …” there.";

  const settings = () => JSON.parse(document.getElementById("jupyter-config-data").textContent);
  const program = (path) => `${settings().baseUrl}${path}/${settings().kernelId}`;

  function isSending() {
    const words = [...document.querySelectorAll(".campaign-status .word")];
    return words.some((word) => !word.closest(".campaign").classList.contains("campaign-final"));
  }

  // Added before voila's own listener, which would try to end the program even for a person who decides to stay.
  window.addEventListener("beforeunload", (event) => {
    event.stopImmediatePropagation();
    if (isSending()) event.preventDefault(); // "Leave site?"
  }, true);
  window.addEventListener("pagehide", () => {
    const token = new URLSearchParams(location.search).get("token");
    const cookie = document.cookie.match("\\b_xsrf=([^;]*)\\b")?.[1];
    const headers = token ? {Authorization: `token ${token}`} : {"X-XSRFToken": cookie ?? ""};
    fetch(program("voila/api/shutdown"), {method: "POST", keepalive: true, headers});
  });

  function show(sentence) {
    const alert = document.getElementById("campaign-gone");
    if (alert.innerHTML !== sentence) alert.innerHTML = sentence;
    document.getElementById("rendered_cells").toggleAttribute("inert", sentence !== "");
  }

  let misses = 0;
  let start; // of the app: each has a name, which is in all of its answers
  let isLooking = false;

  async function find() {
    const options = {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)};
    const answer = await fetch(program("api/kernels"), options);
    const answering = answer.headers.get("Campaign-Start");
    if (answering === null) throw new Error("another program answers");
    start ??= answering;
    if (answering !== start) return STARTED_AGAIN;
    const isGone = answer.status === 404 || (answer.ok && (await answer.json()).execution_state === "dead");
    return isGone ? ENDED : "";
  }

  async function look() {
    if (isLooking) return;
    isLooking = true;
    try {
      const sentence = await find();
      misses = 0;
      show(sentence);
      if (sentence === STARTED_AGAIN) clearInterval(looking); // nothing brings this page back
    } catch {
      misses += 1;
      if (misses >= MISSES) show(STOPPED);
    }
    isLooking = false;
  }

  let looking;
  window.addEventListener("load", () => {
    looking = setInterval(look, INTERVAL);
    look(); // which start of the app this page is from
  });
  // A page in the background looks once a minute: browsers slow it down.
  document.addEventListener("visibilitychange", () => { if (looking) look(); });
})();
