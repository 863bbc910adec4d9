// Dialogs that ask before something is lost or costs money.

import { h } from "quorate/dom";
import { visible } from "quorate/format";
import { sentence } from "quorate/source";

/**
 * Ask something and wait: {title, text, does, danger, body, focus}. `body` is what stands between text and buttons, and
 * `act()` is done while the dialog is open, so that its error can be shown in it. Resolves to what it returned, or null.
 */
export function ask({ title, text, does, danger = false, body = null, act = async () => true }) {
  return new Promise((resolve) => {
    let result = null;
    const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
    const go = h("button", { class: danger ? "main danger" : "main", type: "submit" }, does);
    const stay = h("button", { type: "button", on: { click: () => dialog.close() } }, "Not now");
    const form = h(
      "form",
      { method: "dialog", on: { submit: submitted } },
      h("h2", { id: "ask-title" }, title),
      text ? h("p", null, text) : null,
      body,
      wrong,
      h("div", { class: "buttons" }, stay, go),
    );
    const dialog = h("dialog", { "aria-labelledby": "ask-title", on: { close: closed } }, form);

    async function submitted(event) {
      event.preventDefault();
      go.disabled = true;
      try {
        result = (await act()) ?? true;
        dialog.close();
      } catch (error) {
        wrong.textContent = visible(sentence(error));
        wrong.hidden = false;
      } finally {
        go.disabled = false;
      }
    }
    function closed() {
      dialog.remove();
      resolve(result);
    }
    document.body.append(dialog);
    dialog.showModal();
    if (!body) (danger ? stay : go).focus();
  });
}
