// Draws the pages of the form, and hands on what a person does. `mount(root, wire)` is all that a page needs;
// `wire` is {send(message, content)} and calls the function that `wire.listen` is given. What it returns is called
// with a sentence once no program is behind the page any more.
//
// A page comes whole with every message. What is as it was stays in place, with its cursor and its scrolling.

const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== "") node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
};
let counter = 0;
const fresh = () => `campaign-${++counter}`;

// One entry for each kind of item: `make` builds it once, `fill` shows what it is now.
const KINDS = {
  note: {
    make: () => el("p"),
    fill(node, item) {
      node.className = `note ${item.tone ?? ""}`;
      node.setAttribute("role", item.tone === "bad" ? "alert" : "note");
      if (item.tone !== "bad") node.removeAttribute("role");
      node.textContent = item.text;
    },
  },

  text: {
    make(item, form) {
      const id = fresh();
      const many = (item.lines ?? 1) > 1;
      const input = many ? el("textarea", {id, rows: item.lines, spellcheck: "true"})
        : el("input", {id, type: item.is_secret ? "password" : "text", autocomplete: item.is_secret ? "off" : ""});
      const count = el("p", {class: "count", id: `${id}-count`, role: "status"});
      input.setAttribute("aria-describedby", count.id);
      const chips = el("div", {class: "chips", role: "group", "aria-label": "Insert"});
      input.addEventListener("input", () => form.change(item.id, input.value));
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !many) form.settle(); // what is typed is taken in before anything is pressed
      });
      return el("div", {class: "field"}, el("label", {for: id}, item.label), input, count, chips);
    },
    fill(node, item, form) {
      const input = node.querySelector("input,textarea");
      const [label] = node.children;
      label.textContent = item.label;
      input.placeholder = item.hint ?? "";
      // What a person has typed since is newer than this.
      if (!item.is_secret && !form.isNewer(item.id) && input.value !== (item.value ?? "")) input.value = item.value ?? "";
      const count = node.querySelector(".count");
      count.textContent = item.count ?? "";
      count.classList.toggle("bad", Boolean(item.is_wrong));
      if (item.is_wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      const chips = node.querySelector(".chips");
      const offered = JSON.stringify(item.chips ?? []);
      if (chips.offered === offered) return;
      chips.offered = offered;
      chips.replaceChildren(...(item.chips ?? []).map((chip) => {
        const button = el("button", {type: "button", title: `Insert ${chip.insert}`}, chip.label);
        button.addEventListener("click", () => {
          input.setRangeText(chip.insert, input.selectionStart, input.selectionEnd, "end");
          input.focus();
          form.change(item.id, input.value);
        });
        return button;
      }));
    },
  },

  choice: {
    make(item, form) {
      if ((item.look ?? "list") === "list") {
        const id = fresh();
        const select = el("select", {id, "aria-describedby": `${id}-hint`});
        select.addEventListener("change", () => form.change(item.id, select.value));
        return el("div", {class: "field"}, el("label", {for: id}), select, el("p", {class: "note soft", id: `${id}-hint`}));
      }
      return el("fieldset", {class: item.look}, el("legend"), el("div", {class: "options"}));
    },
    fill(node, item, form) {
      if ((item.look ?? "list") === "list") {
        const [label, select, hint] = node.children;
        label.textContent = item.label;
        select.replaceChildren(...item.options.map(([value, words]) => el("option", {value: value || undefined}, words)));
        [...select.options].forEach((option, place) => { option.value = item.options[place][0]; });
        select.value = item.value;
        hint.textContent = item.hint ?? "";
        return;
      }
      const [legend, options] = node.children;
      const [asked, ...more] = item.label.split("\n"); // below the question, examples
      legend.replaceChildren(asked, ...more.map((line) => el("span", {}, line)));
      const name = options.firstElementChild?.querySelector("input")?.name ?? fresh();
      sync(options, item.options.map(([value, words]) => ({key: value, words})), ({key, words}) => {
        const input = el("input", {type: "radio", name});
        input.value = key;
        input.addEventListener("change", () => form.change(item.id, key));
        return el("label", {}, input, el("span", {}, words));
      }, (label, {key, words}) => {
        label.lastElementChild.textContent = words;
        label.firstElementChild.checked = key === item.value;
      });
    },
  },

  checks: {
    make: () => el("fieldset", {class: "checks"}, el("legend"), el("div", {class: "options"})),
    fill(node, item, form) {
      const [legend, options] = node.children;
      legend.textContent = item.label;
      const pass = () => form.change(item.id, [...options.querySelectorAll("input:checked")].map((input) => input.value));
      sync(options, item.options.map(([value, words]) => ({key: value, words})), ({key}) => {
        const input = el("input", {type: "checkbox"});
        input.value = key;
        input.addEventListener("change", pass);
        return el("label", {}, input, el("span"));
      }, (label, {key, words}) => {
        label.lastElementChild.textContent = words;
        label.firstElementChild.checked = item.value.includes(key);
      });
    },
  },

  upload: {
    make(item, form) {
      const input = el("input", {type: "file", accept: item.accept, id: fresh()});
      const label = el("label", {for: input.id});
      const node = el("div", {class: `upload ${item.is_small ? "small" : "drop"}`}, input, label);
      const take = async (file) => {
        input.focus(); // so that whoever works by keys goes on there, or at the top of what it leads to
        if (file) form.upload(item.id, file.name, await file.arrayBuffer());
      };
      input.addEventListener("change", () => { take(input.files[0]); input.value = ""; }); // the same one again, once corrected
      node.addEventListener("dragover", (event) => event.preventDefault());
      node.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); });
      return node;
    },
    fill(node, item) {
      node.lastElementChild.textContent = item.label;
    },
  },

  button: {
    make(item, form) {
      const button = el("button", {type: "button"});
      button.addEventListener("click", () => form.press(button.item));
      return button;
    },
    fill(node, item) {
      node.item = item;
      node.className = item.look ?? "plain";
      node.textContent = item.label;
      node.disabled = Boolean(item.is_off);
    },
  },

  table: {
    make: () => el("div", {class: "table"}),
    fill(node, item) {
      const head = el("tr", {}, ...item.columns.map((name) => el("th", {scope: "col"}, name)));
      const rows = item.rows.map((row) => el("tr", {}, ...row.map((value) => el("td", {dir: "auto"}, value))));
      const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
      const scroll = el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": item.label}, table);
      node.replaceChildren(scroll, ...(item.more ? [el("p", {class: "note soft"}, item.more)] : []));
    },
  },

  phone: {
    make(item, form) {
      const turn = (step, label, sign) => {
        const button = el("button", {type: "button", "aria-label": label}, sign);
        button.addEventListener("click", () => form.press({id: `turn:${step}`}));
        return button;
      };
      return el("div", {class: "phone", role: "group", "aria-label": "Preview"}, el("p", {class: "from"}), el("div", {class: "screen"}),
        el("nav", {"aria-label": "Other people"}, turn("-1", "Previous person", "‹"), el("span"), turn("1", "Next person", "›")));
    },
    fill(node, item) {
      const [header, screen, nav] = node.children;
      header.textContent = item.sender;
      const texts = item.texts.map(([text, cut]) => el("div", {class: "bubble", dir: "auto"}, text, ...(cut ? [el("s", {}, cut)] : [])));
      screen.replaceChildren(...(item.says ? [el("p", {class: "note soft"}, item.says)] : texts));
      nav.children[1].textContent = item.caption;
      nav.hidden = !item.caption;
    },
  },

  bar: {
    make: () => el("div", {class: "outcome"}, el("div", {class: "bar", role: "img"}), el("ul")),
    fill(node, item) {
      const parts = item.parts.filter(([, count]) => count > 0);
      const [bar, list] = node.children;
      bar.setAttribute("aria-label", parts.map(([words, count]) => `${count.toLocaleString("en")} ${words}`).join(", ") || "nothing yet");
      bar.replaceChildren(...parts.map(([, count, tone]) => {
        const part = el("i", {class: tone});
        part.style.flex = `${count} 0 3px`;
        return part;
      }));
      list.replaceChildren(...parts.map(([words, count, tone]) =>
        el("li", {class: tone}, el("b", {}, count.toLocaleString("en")), ` ${words}`)));
    },
  },

  pairs: {
    make: () => el("dl"),
    fill(node, item) {
      node.replaceChildren(...item.pairs.flatMap(([term, words]) => [el("dt", {}, term), el("dd", {dir: "auto"}, words)]));
    },
  },

  group: {
    make(item, form) {
      if (item.look === "fold" || item.look === "task") {
        const summary = el("summary", {}, el("b"), el("span"));
        return el("details", {class: item.look, name: item.look === "task" && form.tasks}, summary, el("div", {class: "items"}));
      }
      const look = item.look ?? "column";
      return el(look === "danger" ? "section" : "div", {class: `group ${look}`}, el("h2"), el("div", {class: "items"}));
    },
    fill(node, item, form) {
      const [head, items] = node.children;
      if (node.tagName === "DETAILS") {
        if (item.is_open && !node.wasOpened) node.open = true; // later it is as a person leaves it
        node.wasOpened = item.is_open;
        const [number, title] = head.children;
        number.textContent = item.figure ?? "";
        title.textContent = item.title ?? "";
      } else {
        head.textContent = item.title ?? "";
        head.hidden = !item.title;
      }
      draw(items, item.items, form);
    },
  },
};

// Give `parent` one child for each entry, by its key: what was there stays, what is gone goes.
function sync(parent, entries, make, fill) {
  const old = new Map([...parent.children].map((child) => [child.key, child]));
  entries.forEach((entry, place) => {
    let node = old.get(entry.key);
    old.delete(entry.key);
    if (!node) {
      node = make(entry);
      node.key = entry.key;
    }
    fill(node, entry);
    if (parent.children[place] !== node) parent.insertBefore(node, parent.children[place] ?? null);
  });
  old.forEach((node) => node.remove());
}

function draw(parent, items, form) {
  const entries = items.map((item, place) => ({
    key: `${item.id || place} ${item.kind} ${item.look ?? ""} ${item.lines ?? ""} ${item.is_small ?? ""}`, item,
  }));
  sync(parent, entries, ({item}) => KINDS[item.kind].make(item, form), (node, {item}) => {
    const said = JSON.stringify(item);
    if (node.said !== said) KINDS[item.kind].fill(node, item, form);
    node.said = said;
  });
}

const PATIENCE = 400; // milliseconds until it is said what goes on
const SAVED = 60_000; // milliseconds until a browser has saved a file

export function mount(root, wire) {
  root.classList.add("campaign-form");
  const top = el("div", {class: "top"});
  const steps = el("ol", {class: "steps", "aria-label": "Steps"});
  const badge = el("p", {class: "badge"});
  const title = el("h1", {tabindex: "-1"});
  const body = el("div", {class: "items"});
  const busy = el("p", {class: "busy", role: "status"});
  const foot = el("div", {class: "foot"});
  root.replaceChildren(top, steps, badge, title, body, el("div", {class: "end"}, busy, foot));

  // Messages are counted from the moment on, so that an answer to the page before a reload answers nothing here.
  let sent = Date.now();
  let answered = sent;
  let timer = 0;
  const newest = new Map(); // field -> the last message about it
  const waiting = new Map(); // field -> a value that is sent once the one before it is taken in
  let step = "";

  function send(message, content) {
    sent += 1;
    wire.send({...message, number: sent}, content);
    return sent;
  }
  function work(words) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      busy.textContent = words || "Working …";
      root.setAttribute("aria-busy", "true");
    }, PATIENCE);
  }
  const form = {
    isNewer: (id) => waiting.has(id) || (newest.get(id) ?? 0) > answered,
    change(id, value) {
      if (form.isNewer(id)) { // so that a slow computer never falls behind a fast typist
        waiting.set(id, value);
        return;
      }
      newest.set(id, send({do: "change", id, value}));
      work("");
    },
    settle() { // hand on everything that was typed
      waiting.forEach((value, id) => newest.set(id, send({do: "change", id, value})));
      waiting.clear();
    },
    press(item) {
      if (form.pressed > answered) return; // a second click, while the first one is at work
      form.settle();
      form.pressed = send({do: "press", id: item.id});
      work(item.busy);
    },
    upload(id, name, content) {
      form.settle();
      send({do: "upload", id, name}, content);
      work("Reading the file …");
    },
    pressed: 0,
    tasks: fresh(),
  };

  function show(page) {
    const isOther = page.step !== step;
    const hadFocus = root.contains(document.activeElement);
    const showTop = page.step !== "start";
    const back = el("button", {type: "button", class: "link"}, "Your messages");
    back.addEventListener("click", () => form.press({id: "start"}));
    top.replaceChildren(el("b", {}, page.top || "Campaign"), ...(showTop ? [back] : []));
    steps.hidden = !(page.steps ?? []).length;
    sync(steps, (page.steps ?? []).map(([name, line, state], place) => ({key: name, line, state, place})), ({key, place}) => {
      const button = el("button", {type: "button"}, el("b", {}, key), el("small"));
      button.addEventListener("click", () => form.press({id: `step:${place}`}));
      return el("li", {}, button);
    }, (node, {line, state}) => {
      node.className = state;
      if (state === "now") node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
      node.firstElementChild.disabled = state !== "done";
      node.firstElementChild.lastElementChild.textContent = line;
    });
    badge.textContent = page.badge ?? "";
    badge.hidden = !page.badge;
    badge.classList.toggle("live", page.badge === "LIVE");
    root.classList.toggle("is-live", page.badge === "LIVE");
    title.textContent = page.title;
    if (isOther) body.replaceChildren();
    draw(body, page.items ?? [], form);
    draw(foot, (page.foot ?? []).map((item) => ({...item, kind: "button"})), form);
    foot.hidden = !(page.foot ?? []).length;
    if (isOther && step) root.scrollIntoView({block: "start"});
    // Whoever works by keys goes on at the top of what is new, or where what they used was.
    if ((isOther && step) || (hadFocus && !root.contains(document.activeElement))) title.focus({preventScroll: true});
    step = page.step;
  }

  wire.listen((message, content) => {
    if (message.file) {
      const link = el("a", {download: message.file, href: URL.createObjectURL(new Blob([content]))});
      root.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(link.href), SAVED);
    }
    if (!message.page) return;
    answered = Math.max(answered, message.number);
    if (answered >= sent) {
      clearTimeout(timer);
      busy.textContent = "";
      root.removeAttribute("aria-busy");
    }
    show(message.page);
    [...waiting].forEach(([id, value]) => {
      if ((newest.get(id) ?? 0) > answered) return;
      waiting.delete(id);
      form.change(id, value);
    });
  });
  send({do: "look"});
  work("");

  return (sentence) => {
    [...root.children].forEach((child) => child.setAttribute("inert", ""));
    root.prepend(el("p", {class: "note bad", role: "alert"}, sentence));
  };
}

const STOPPED = "The kernel has stopped. What was sent is kept: run this cell again.";
const GONE = ["restarting", "autorestarting", "terminating", "dead"];

// In a notebook.
export default {
  render({model, el: root}) {
    const end = mount(root, {
      send: (message, content) => model.send(message, undefined, content ? [content] : []),
      listen: (take) => model.on("msg:custom", (message, buffers) => take(message, buffers[0])),
    });
    const kernel = model.widget_manager?.kernel;
    if (!kernel?.statusChanged) return undefined; // elsewhere than in Jupyter
    let isOver = false;
    const stop = () => {
      if (!isOver) end(STOPPED);
      isOver = true;
    };
    const look = (_, status) => { if (GONE.includes(status)) stop(); };
    kernel.statusChanged.connect(look);
    kernel.disposed.connect(stop);
    return () => {
      kernel.statusChanged.disconnect(look);
      kernel.disposed.disconnect(stop);
    };
  },
};
