// Connects the page to the program that serves it, and says so when that is gone.
import {mount} from "/page.js";

const WRONG_TOKEN = 4401, TAKEN_OVER = 4409;
const AGAIN = 1000; // milliseconds until the connection is tried again
const STOPPED = "The app has stopped. What was sent is kept: start it again in the same folder.";
const OTHER_START = "The app was started again: use the page that it has opened.";
const TAKEN = "The form is open in another tab.";
const TOO_LARGE = 1009;
const LARGEST = "That file is too large for this page.";

const form = document.getElementById("form");
const gone = document.getElementById("gone");

function say(sentence, ...more) {
  gone.replaceChildren(sentence, ...more);
  form.toggleAttribute("inert", sentence !== "");
}

function again(label) {
  const button = document.createElement("button");
  button.textContent = label;
  button.addEventListener("click", connect);
  return button;
}

function connect() {
  const socket = new WebSocket(`ws://${location.host}/form`);
  socket.binaryType = "arraybuffer";
  let take = () => {};
  let waits = null; // a message whose content follows
  socket.addEventListener("open", () => {
    say("");
    socket.send(location.hash.slice(1));
    mount(form, {
      send(message, content) {
        socket.send(JSON.stringify({...message, content: Boolean(content)}));
        if (content) socket.send(content);
      },
      listen(listener) { take = listener; },
    });
  });
  socket.addEventListener("message", ({data}) => {
    if (typeof data !== "string") {
      take(waits, data);
      return;
    }
    const message = JSON.parse(data);
    if (message.content) waits = message;
    else take(message);
  });
  socket.addEventListener("close", ({code}) => {
    if (code === WRONG_TOKEN) {
      say(OTHER_START);
    } else if (code === TAKEN_OVER) {
      say(TAKEN, again("Use it here"));
    } else if (code === TOO_LARGE) {
      say(LARGEST, again("Go on"));
    } else {
      say(STOPPED);
      setTimeout(connect, AGAIN);
    }
  });
}

// A file that is dropped beside its place does not replace the page.
for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => event.preventDefault());
connect();
