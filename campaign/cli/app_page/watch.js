// What a page of the app does beside its widgets: it asks before it is left while texts are being sent, ends the
// program behind it when it goes, and says so when that program is gone, so that no button pretends to work.
(() => {
  const INTERVAL = 2000; // milliseconds between two looks
  const MISSES = 2; // looks without an answer, because one can be lost
  const STOPPED =
    "<strong>The app has stopped, and nothing on this page works any more.</strong> What was sent is kept. Start " +
    "the app again in the same folder. If texts are left to send, press the button “Go on with …” there: your spreadsheet, " +
    "text and list of people who want no texts come back with it, and only what is missing goes out.";
  const ENDED =
    "<strong>The program behind this page has ended, and nothing on this page works any more.</strong> Load the " +
    "page again: what you had chosen comes back, and only what is missing goes out.";

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
  async function look() {
    try {
      const answer = await fetch(program("api/kernels"), {cache: "no-store"});
      misses = 0;
      const isGone = answer.status === 404 || (answer.ok && (await answer.json()).execution_state === "dead");
      show(isGone ? ENDED : "");
    } catch {
      misses += 1;
      if (misses >= MISSES) show(STOPPED);
    }
  }
  window.addEventListener("load", () => setInterval(look, INTERVAL));
})();
