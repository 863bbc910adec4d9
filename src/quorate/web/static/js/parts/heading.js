// A session's heading: what it is about, how it stands, and what can be done with it.

import { h, replace, setText } from "quorate/dom";
import { brief, verdictTone, visible, words } from "quorate/format";
import { href } from "quorate/router";
import { ask } from "quorate/parts/dialog";

export class Heading {
  #interrupts = null;
  #now = null;
  #shown = {};

  constructor({ ctx, writes, changed, fork }) {
    this.ctx = ctx;
    this.writes = writes;
    this.changed = changed;
    this.fork = fork;
    this.title = h("h1", { tabindex: "-1" }, "…");
    this.facts = h("div", { class: "row standing" });
    this.acts = h("div", { class: "acts", id: "session-acts", popover: "auto" });
    this.menu = h("button", { class: "acts-menu", type: "button", popovertarget: "session-acts" }, "Actions");
    this.notice = h("div", { class: "notices" });
    this.element = h(
      "header",
      { class: "heading" },
      h("div", { class: "about" }, this.title, this.facts),
      this.menu,
      this.acts,
      this.notice,
    );
  }

  /** Learn which interruptions the protocol knows, so that only what is possible is offered. */
  protocol(protocol) {
    const named = protocol?.interrupts;
    this.#interrupts = named ? new Map(named.map((each) => [each.reason, each.to])) : null;
  }

  /** Show a state; what can be done goes by the live end. */
  show(state, summary, live, now = state) {
    if (!summary) return;
    const people = new Set(now.waiting.map((each) => each.ask));
    this.#now = { phase: now.phase, people: people.size > 0 && now.open.every((ask) => people.has(ask.id)) };
    const { phase, round, conclusion, ruling, opening } = state;
    const { running, failure, verdict, waiting, damage } = summary;
    const stands = [phase, round, conclusion, ruling, opening?.fork, live ? null : state.seq, running, waiting];
    this.#once("facts", stands, () => replace(this.facts, this.#facts(state, summary, live)));
    this.#once("acts", [running, verdict, damage, summary.rulings, summary.ruling, this.#interrupts && [...this.#interrupts], this.#now], () => this.#act(summary));
    this.#once("notice", [failure, waiting, live, verdict, damage], () => replace(this.notice, this.#notices(summary, live)));
    const heading = brief(summary.title || summary.session, 300);
    setText(this.title, heading);
    if (this.title.title !== heading) this.title.title = heading;
  }

  /** Draw a part only when what it shows has changed, so that the focus stays where it is. */
  #once(part, key, draw) {
    const text = JSON.stringify(key);
    if (this.#shown[part] === text) return;
    this.#shown[part] = text;
    draw();
  }

  #act(summary) {
    replace(this.acts, this.#actions(summary));
    this.menu.hidden = !this.acts.childElementCount;
  }

  #notices(summary, live) {
    const failed = summary.failure && visible(summary.failure).slice(0, 2000);
    return [
      summary.damage
        ? h(
          "p",
          { class: "notice bad", role: "alert" },
          h("strong", null, "Damaged, read-only: "),
          visible(summary.damage.says).slice(0, 2000),
          ". What stands here is how it was before the first entry that does not hold; ",
          h("code", null, `quorate repair ${summary.session}`),
          " repairs it.",
        )
        : null,
      failed ? h("p", { class: "notice bad" }, h("strong", null, "The run stopped: "), failed) : null,
      this.#waiting(summary, live),
    ];
  }

  #facts(state, summary, live) {
    const { conclusion, ruling, opening } = state;
    const protocol = summary.protocol;
    return [
      h("a", { href: href(["protocols", protocol]) }, words(protocol)),
      conclusion
        ? h(
          "span",
          { class: `chip strong ${verdictTone(conclusion.verdict, conclusion.exit_code)}` },
          words(conclusion.verdict),
        )
        : h("span", { class: "chip accent" }, `${words(state.phase)}${state.round ? `, round ${state.round}` : ""}`),
      conclusion && conclusion.degradation && conclusion.degradation !== "none"
        ? h(
          "span",
          { class: "chip warn", title: "Not everybody took part" },
          `degraded, ${words(conclusion.degradation)}`,
        )
        : null,
      conclusion?.interrupted
        ? h("span", { class: "chip warn" }, `interrupted: ${words(conclusion.interrupted)}`)
        : null,
      ruling
        ? h(
          "span",
          { class: `chip strong ${verdictTone(ruling.verdict)}`, title: visible(ruling.reason) },
          `ruled ${words(ruling.verdict)} by ${brief(ruling.by, 30)}`,
        )
        : null,
      conclusion ? h("span", { class: "dim small" }, `exit code ${conclusion.exit_code}`) : null,
      !conclusion && live && this.ctx.source.live
        ? h(
          "span",
          { class: summary.running ? "chip good" : "chip" },
          summary.elsewhere ? "runs in another process" : summary.running ? "running" : summary.waiting?.length ? "waiting" : "not running",
        )
        : null,
      opening?.fork
        ? h(
          "a",
          { class: "small", href: href(["sessions", opening.fork.of, "live"], { at: opening.fork.at }) },
          `fork of ${brief(opening.fork.of, 20)} at #${opening.fork.at}`,
        )
        : null,
      live ? null : h("span", { class: "chip warn strong" }, `as of event ${state.seq}`),
    ];
  }

  #waiting(summary, live) {
    if (!live || summary.verdict || !summary.waiting?.length) return null;
    const seats = summary.waiting.map((each) => (typeof each === "string" ? each : each.seat));
    return h(
      "p",
      { class: "notice warn" },
      h("strong", null, "Waiting for a person: "),
      seats.map(words).join(", "),
      ". ",
      this.writes ? h("a", { href: "#/inbox" }, "Answer in the inbox") : null,
    );
  }

  #actions(summary) {
    if (!this.writes || summary.damage) return [];
    const open = !summary.verdict;
    const knows = (reason) => this.#interrupts === null || this.#interrupts.has(reason);
    const { phase, people } = this.#now;
    const button = (label, run, danger = false) => h(
      "button",
      {
        type: "button",
        class: danger ? "danger" : "",
        on: { click: () => (this.acts.matches(":popover-open") && this.acts.hidePopover(), run()) },
      },
      label,
    );
    return [
      open && summary.running && !summary.elsewhere ? button("Suspend", () => this.#do("suspend")) : null,
      open && !summary.running && !people ? button(
        "Resume",
        () => this.#sure(
          "resume",
          "Go on with this session?",
          "Open questions are asked again, which may cost money.",
          "Resume",
        ),
      ) : null,
      open && knows("wish") ? button(
        "Wrap up",
        () => this.#sure(
          "conclude",
          "Wrap up this session?",
          "It ends after its current phase, with what was said so far.",
          "Wrap up",
        ),
      ) : null,
      open && knows("escalation") && this.#interrupts?.get("escalation") !== phase ? button(
        "Escalate",
        () => this.#sure(
          "escalate",
          "Put what is in dispute to a person?",
          "The session asks a person where it cannot agree.",
          "Escalate",
        ),
      ) : null,
      open && knows("cancelled") ? button(
        "Cancel",
        () => this.#sure(
          "cancel",
          "Cancel this session?",
          "It ends now. What was said is kept; what is being said right now is lost.",
          "Cancel the session",
          true,
        ),
        true,
      ) : null,
      !open && summary.rulings?.length && !summary.ruling ? button("Rule", () => this.#rule(summary)) : null,
      this.fork ? button("Fork", this.fork) : null,
    ];
  }

  async #do(what, why) {
    try {
      await this.ctx.source.act(this.ctx.id, what, why);
      this.changed();
    } catch (error) {
      this.ctx.problem(error);
    }
  }

  async #sure(what, title, text, does, danger = false) {
    const why = h("input", { id: "why", autocomplete: "off" });
    const body = what === "resume" ? null : h(
      "div",
      { class: "asked" },
      h("label", { for: "why" }, "Why (it is recorded; may stay empty)"),
      why,
    );
    const done = await ask(
      { title, text, does, danger, body, act: () => this.ctx.source.act(this.ctx.id, what, why.value.trim()) },
    );
    if (done) this.changed();
  }

  async #rule({ rulings }) {
    const verdict = h(
      "select",
      { id: "rule-verdict", required: true },
      rulings.map((name) => h("option", { value: name }, words(name))),
    );
    const by = h("input", { id: "rule-by", required: true, autocomplete: "name" });
    const reason = h("textarea", { id: "rule-reason", required: true, rows: "4" });
    const done = await ask({
      title: "Rule on this session",
      text: "The ruling is recorded beside the conclusion, which stays as it was.",
      does: "Rule",
      body: h(
        "div",
        { class: "asked" },
        h("label", { for: "rule-verdict" }, "Verdict"),
        verdict,
        h("label", { for: "rule-by" }, "Your name"),
        by,
        h("label", { for: "rule-reason" }, "Reason"),
        reason,
      ),
      act: () => this.ctx.source.rule(this.ctx.id, { verdict: verdict.value, by: by.value, reason: reason.value }),
    });
    if (done) this.changed();
  }
}
