import { setTimeout as delay } from 'node:timers/promises';
import type { ClickTarget, Look, Message, Person, SlackRemote } from './local-slack.ts';
import type { TrueIncident } from './score.ts';
import { cardSubject, type Watch } from './watch.ts';

/** Timeout for a response of the app or of Slack. */
const ANSWER_MS = 20_000;
/** Timeout for a form to open. Its trigger expires after three seconds. */
const FORM_MS = 5_000;
const LOOK_EVERY_MS = 150;
/** How long people keep trying; longer than any fault of a scenario. */
const PERSISTENCE_MS = 75_000;
const BEFORE_TRYING_AGAIN_MS = 1_000;

/** A simulated person on the page of local Slack who responds to incidents and retries after failures. */
export interface Responder {
  /** Acknowledges all matching incidents that are not acknowledged. @throws Error when one cannot be acknowledged */
  acknowledge(by: 'card' | 'command', isMine: Mine): Promise<void>;
  /** Closes all matching open incidents. @param meanwhile runs once, between opening and submitting the form */
  resolve(note: string, isMine: Mine, meanwhile: () => Promise<void>): Promise<void>;
}

type Mine = (incident: TrueIncident) => boolean;

export function createResponder(
  deps: { slack: SlackRemote; watch: Watch; now: () => number; stopping: AbortSignal; log: (line: string) => void },
  who: Person,
): Responder {
  const { slack, watch, now, log } = deps;

  /** Runs `act` and waits for a response of the app or of Slack. @returns whether the app responded */
  async function expectAnswer(what: string, act: () => Promise<string | null>): Promise<boolean> {
    const at = now();
    const before = traces(await slack.look(who));
    const failure = await act();
    if (failure !== null) {
      log(`${who}: ${what}: Slack says "${failure}"`);
      watch.noteInteraction({ at, isAnswered: true });
      await delay(BEFORE_TRYING_AGAIN_MS);
      return false;
    }
    while (now() - at < ANSWER_MS) {
      if (traces(await slack.look(who)) !== before) {
        watch.noteInteraction({ at, isAnswered: true });
        return true;
      }
      await delay(LOOK_EVERY_MS);
    }
    log(`${who}: ${what}: no response`);
    watch.noteInteraction({ at, isAnswered: false });
    return false;
  }

  async function press(label: string, incident: TrueIncident): Promise<boolean> {
    const button = findButton(watch.messages, incident.id, label);
    if (button === null) {
      await delay(LOOK_EVERY_MS); // the card does not exist yet, or is being edited
      return false;
    }
    return await expectAnswer(`${label} of ${incident.rootService}`, () =>
      slack.click(who, button.message, button.target),
    );
  }

  /** Clicks Resolve. @returns the id of the opened form; null: none opened, retry */
  async function openForm(incident: TrueIncident): Promise<string | null> {
    const before = new Set((await slack.look(who)).views.map(({ id }) => id));
    // A form can open even after Slack has given up waiting, and a response to an earlier action may come first.
    const until = now() + ((await press('Resolve', incident)) ? FORM_MS : 0);
    do {
      const opened = (await slack.look(who)).views.find(({ id }) => !before.has(id));
      if (opened !== undefined) {
        return opened.id;
      }
      await delay(LOOK_EVERY_MS);
    } while (now() < until);
    return null;
  }

  /** @returns whether the form was accepted and closed */
  async function sendForm(form: string, what: string, note: string): Promise<boolean> {
    const view = (await slack.look(who)).views.find(({ id }) => id === form);
    const input = view?.content.blocks.find(({ type }) => type === 'input');
    if (input === undefined) {
      return true;
    }
    await expectAnswer(what, () => slack.submit(who, form, { [input.block_id]: note }));
    return (await slack.look(who)).views.every(({ id }) => id !== form);
  }

  async function persist(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const since = now();
    while (!(await isDone())) {
      deps.stopping.throwIfAborted();
      if (now() - since > PERSISTENCE_MS) {
        throw new Error(`${who} gave up: ${what}`);
      }
    }
  }

  const pending = (isMine: Mine): TrueIncident[] => watch.observed().incidents.filter(isMine);

  return {
    async acknowledge(by, isMine) {
      await persist('acknowledging', async () => {
        const next = pending(isMine).find(
          ({ acknowledgedAt, closedAt }) => acknowledgedAt === null && closedAt === null,
        );
        if (next === undefined) {
          return true;
        }
        if (by === 'card') {
          await press('Acknowledge', next);
        } else {
          await expectAnswer(`/incidents ack of ${next.rootService}`, () =>
            slack.type(who, 'incidents', `/incidents ack ${next.id}`),
          );
        }
        await watch.until('a look', () => true, ANSWER_MS).catch(() => {});
        return false;
      });
    },

    async resolve(note, isMine, meanwhile) {
      const sent = new Set<string>();
      let isFirst = true;
      await persist('resolving', async () => {
        const next = pending(isMine).find(({ id, closedAt }) => closedAt === null && !sent.has(id));
        if (next === undefined) {
          return true;
        }
        const form = await openForm(next);
        if (form === null) {
          return false;
        }
        if (isFirst) {
          isFirst = false;
          await meanwhile();
        }
        const text = sent.size === 0 ? note : `${note} (${sent.size + 1})`;
        const what = `the note of ${next.rootService}`;
        await persist(`sending ${what}`, () => sendForm(form, what, text));
        sent.add(next.id);
        watch.noteTyped({ incidentId: next.id, text, at: now() });
        return false;
      });
    },
  };
}

/** Changes with every response of the app: a new or replaced ephemeral message, or a modal. */
function traces({ ephemerals, views }: Look): string {
  const said = ephemerals.filter(({ from }) => from === 'app').map(({ ts, revision }) => `${ts}/${revision}`);
  return JSON.stringify([said, views.map(({ id }) => id)]);
}

/** Finds a button on the current card of an incident; null: none. */
function findButton(
  messages: readonly Message[],
  incidentId: string,
  label: string,
): { readonly message: Message; readonly target: ClickTarget } | null {
  const card = messages.find((message) => cardSubject(message, 'incident_id') === incidentId);
  for (const block of card?.blocks ?? []) {
    const element = block.elements?.find(({ text }) => Reflect.get(Object(text), 'text') === label);
    if (card !== undefined && element?.action_id !== undefined) {
      return { message: card, target: { blockId: block.block_id, actionId: element.action_id } };
    }
  }
  return null;
}
