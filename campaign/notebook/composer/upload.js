// A button to choose a file. Its name and its content go to the kernel as one message, and nothing of them becomes
// part of what a notebook saves.

function render({model, el}) {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = model.get("accept");
  input.hidden = true;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "jupyter-button upload";
  button.textContent = model.get("label");
  button.addEventListener("click", () => {
    input.value = ""; // so that the same file can be chosen again, once it is corrected
    input.click();
  });
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (file) model.send({name: file.name}, undefined, [await file.arrayBuffer()]);
  });
  el.append(button, input);
}

export default {render};
