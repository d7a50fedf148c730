// A text area with buttons that insert placeholders at the cursor. While the kernel is busy with one text, only
// the newest of the texts typed meanwhile is kept, so that a slow computer never falls behind a fast typist.

function render({model, el}) {
  const area = document.createElement("textarea");
  area.id = `campaign-text-${Math.random()}`;
  area.rows = 4;
  area.spellcheck = true;
  const label = document.createElement("label");
  label.htmlFor = area.id;
  label.textContent = model.get("label");
  const buttons = document.createElement("div");
  buttons.className = "placeholders";
  buttons.setAttribute("role", "group");
  buttons.setAttribute("aria-label", "Insert from the spreadsheet");
  el.classList.add("text-editor");
  el.append(label, area, buttons);

  let waiting = false;
  let newer = false;
  function pass() {
    newer = waiting;
    if (waiting) return;
    waiting = true;
    model.set("value", area.value);
    model.set("asked", model.get("asked") + 1);
    model.save_changes();
  }
  function leave() {  // a message of its own is not overtaken by the next click, as a change of state may be
    model.set("value", area.value);
    model.send({written: area.value});
  }
  function answered() {
    waiting = model.get("answered") < model.get("asked");
    if (!waiting && newer) pass();
  }
  function inserted(name) {  // a currency stands before some placeholders
    return name.includes("{") ? name : `{${name}}`;
  }
  function insert(name) {
    area.setRangeText(inserted(name), area.selectionStart, area.selectionEnd, "end");
    area.focus();
    pass();
  }
  function offer() {
    const names = model.get("placeholders").map((name) => [name, name]);
    buttons.replaceChildren(...[...names, ...Object.entries(model.get("formats"))].map(([label, name]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "jupyter-button placeholder";
      button.textContent = label;
      button.title = `Insert ${inserted(name)} at the cursor`;
      button.addEventListener("click", () => insert(name));
      return button;
    }));
  }
  function show() {
    if (area.value !== model.get("value") && !waiting) area.value = model.get("value");
  }
  area.addEventListener("input", pass);
  area.addEventListener("change", leave);
  model.on("change:answered", answered);
  model.on("change:placeholders", offer);
  model.on("change:formats", offer);
  model.on("change:value", show);
  offer();
  show();
}

export default {render};
