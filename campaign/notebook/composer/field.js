// A line to write in. What is written is told in a message of its own when the line is left: messages arrive in
// the order in which they are sent, whereas a change of state may wait, and be overtaken by the next click.

function render({model, el}) {
  const input = document.createElement("input");
  input.type = "text";
  input.id = `campaign-field-${Math.random()}`; // a count would begin again in each field's copy of this script
  input.placeholder = model.get("placeholder");
  const label = document.createElement("label");
  label.className = "widget-label";
  label.htmlFor = input.id;
  label.textContent = model.get("description");
  el.classList.add("widget-text", "widget-inline-hbox");
  el.append(label, input);

  let told = model.get("value");
  function type() {
    if (!model.get("at_once")) return;
    model.set("value", input.value);
    model.save_changes();
  }
  function leave() {
    if (input.value === told) return;
    told = input.value;
    model.set("value", told);
    model.send({written: told});
  }
  function show() {
    if (document.activeElement === input && model.get("at_once")) return;
    told = input.value = model.get("value");
  }
  input.addEventListener("input", type);
  input.addEventListener("change", leave);
  input.addEventListener("blur", leave);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat) return;
    const repeated = input.value === told;
    leave(); // what a browser fills in is no "change"
    model.send({entered: true, repeated});
  });
  model.on("change:value", show);
  model.on("change:placeholder", () => { input.placeholder = model.get("placeholder"); });
  show();
  return leave; // the line may be drawn anew under somebody who writes
}

export default {render};
