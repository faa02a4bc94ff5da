// Copy buttons. They are hidden in the page, since without this script they would do nothing.
"use strict";
function enableCopying(root) {
  for (const button of root.querySelectorAll("[data-copy]")) {
    const source = document.getElementById(button.dataset.copy);
    if (!source) continue;
    button.hidden = false;
    const label = button.textContent;
    button.setAttribute("aria-live", "polite");
    const say = (text) => {
      button.textContent = text;
      setTimeout(() => { button.textContent = label; }, 1500);
    };
    const select = () => {
      const range = document.createRange();
      range.selectNodeContents(source);
      const selection = window.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    };
    button.addEventListener("click", () => {
      const text = source.textContent;
      // Without a secure context there is no clipboard; then the text is at least selected.
      if (!navigator.clipboard) { select(); return; }
      navigator.clipboard.writeText(text).then(() => say(button.dataset.copied), select);
    });
  }
}
enableCopying(document);
// A part of the page that was replaced has new buttons.
document.addEventListener("replaced", (event) => enableCopying(event.detail));
