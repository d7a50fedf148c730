// Widgets are dark where the page says so as JupyterLab does; its style sheets follow the person's settings alone.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.body.setAttribute("data-jp-theme-light", String(!dark.matches));
  dark.addEventListener("change", follow);
  follow();
})();
