// A button that downloads a file. The kernel makes the file when the button is pressed, and it goes to the
// browser as a message: it never becomes part of what a notebook saves.

function render({model, el}) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "jupyter-button download";
  button.textContent = model.get("label");
  const receive = (content, buffers) => {
    const address = URL.createObjectURL(new Blob(buffers));
    const link = document.createElement("a");
    link.href = address;
    link.download = content.name;
    link.click();
    URL.revokeObjectURL(address);
  };
  button.addEventListener("click", () => model.send({make: true}));
  model.on("msg:custom", receive);
  el.append(button);
  return () => model.off("msg:custom", receive);
}

export default {render};
