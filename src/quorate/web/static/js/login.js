// The screen that asks for the server's token, which goes there once and comes back as a cookie that no script reads.

import { h, replace } from "quorate/dom";

/** Ask for the token, and call `done` when the server has accepted it. */
export function login(root, source, done) {
  const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
  const token = h(
    "input",
    { id: "token", type: "password", autocomplete: "current-password", required: true, spellcheck: "false" },
  );
  const send = h("button", { class: "main", type: "submit" }, "Log in");
  const form = h("form", { class: "login panel", on: { submit: submitted } },
    h("h1", null, "This server asks for a token"),
    h("p", { class: "dim" }, "It is in QUORATE_TOKEN, or in the file of --token-file, where the server was started; ask whoever runs it."),
    h("label", { for: "token" }, "Token"), token, wrong, send);
  replace(root, form);
  token.focus();

  async function submitted(event) {
    event.preventDefault();
    send.disabled = true;
    try {
      await source.login(token.value);
      done();
    } catch (error) {
      const refused = error.status === 401 || error.status === 403;
      wrong.textContent = refused ? "That is not the server's token." : `${error.title}. ${error.detail}`;
      wrong.hidden = false;
      token.select();
    } finally {
      send.disabled = false;
    }
  }
}
