// The title of a section. It takes the focus when it is asked to, so that whoever works without a mouse or without
// seeing the page goes on there, and not at the top of the page, when the button they pressed has gone.

const answered = new WeakMap(); // by model, for a title can be shown anew

// JupyterLab hands the messages of some widgets to the main thread of the kernel and those of others to a second
// one. There, a click could overtake the text that was written right before it, so all of them go to the first.
function keepOrder(kernel) {
  if (kernel && "commsOverSubshells" in kernel) kernel.commsOverSubshells = "disabled";
}

function render({model, el}) {
  keepOrder(model.widget_manager?.kernel);
  const heading = document.createElement("h2");
  heading.tabIndex = -1;
  heading.textContent = model.get("text");
  el.append(heading);

  // The section is on the page a moment before the title is asked; what is typed by then would be lost.
  function isWrittenIn() {
    const active = document.activeElement;
    return active.matches("input, textarea, select") && el.closest(".section")?.contains(active);
  }
  function take() {
    if (model.get("asked") <= (answered.get(model) ?? 0)) return;
    answered.set(model, model.get("asked"));
    // once it is in the page, and what was there before is not
    setTimeout(() => { if (!isWrittenIn()) heading.focus(); });
  }
  model.on("change:asked", take);
  take();
  return () => model.off("change:asked", take);
}

export default {render};
