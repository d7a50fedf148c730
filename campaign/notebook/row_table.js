// Draws a table of itables from rows that the kernel sends for looking at. The rows travel in a message and
// never become part of the widget's state, because notebooks and programs that run them save that state.

async function draw(el, {esm, css, options}) {
  const address = URL.createObjectURL(new Blob([esm], {type: "text/javascript"}));
  const itable = await import(address);
  URL.revokeObjectURL(address);
  const style = document.createElement("style");
  style.textContent = css;
  const place = document.createElement("div");
  el.replaceChildren(style, place);
  const model = {get: (name) => options[name], set() {}, save_changes() {}, on() {}, off() {}};
  await itable.default.render({model, el: place});
  namePages(place);
}

// A screen reader lists the landmarks of a page by their names. DataTables calls every one "pagination", so
// that nobody can tell the pages of two tables apart.
function namePages(place) {
  globalThis.campaignRowTables = (globalThis.campaignRowTables ?? 0) + 1;
  for (const pages of place.querySelectorAll("nav"))
    pages.setAttribute("aria-label", `Pages of table ${globalThis.campaignRowTables}`);
}

function render({model, el}) {
  el.textContent = model.get("waiting");
  const receive = (content) => draw(el, content);
  model.on("msg:custom", receive);
  model.send({show: true});
  return () => model.off("msg:custom", receive);
}

export default {render};
