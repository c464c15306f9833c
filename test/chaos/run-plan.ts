import { addSeconds } from 'date-fns/addSeconds';
import { max } from 'date-fns/max';
import type { LocalSlack } from 'local-slack';
import { VIEWS } from '../../src/bot/domain/ids.ts';
import { chooseFromMenu } from '../support/menu.ts';
import type { Ask, SentNote } from './people.ts';
import type { Doing, Plan } from './plan.ts';
import type { World } from './world.ts';

type Message = ReturnType<LocalSlack['messages']>[number];

/** What happened during a run, for the checks and for finding the cause of a failure. */
export interface History {
  readonly incidents: readonly string[];
  readonly asks: readonly Ask[];
  readonly notes: readonly SentNote[];
  /** Notes for the timeline of an open incident. */
  readonly timelineNotes: readonly SentNote[];
  /** Who has opened the Home tab. */
  readonly homes: ReadonlySet<string>;
  /** `ts` of the cards that people deleted. */
  readonly deleted: readonly string[];
  /** Ids of incidents that were closed by another client, and when. */
  readonly closedElsewhere: ReadonlyMap<string, Date>;
  readonly trace: readonly { readonly at: Date; readonly line: string }[];
}

/** Cards of incidents and storms, oldest first, without replies. */
export function cardsIn(slack: LocalSlack, channel = 'incidents'): Message[] {
  return slack
    .messages(channel)
    .filter(
      ({ ts, threadTs, metadata }) =>
        /^tocsin_(card|storm)$/.test(metadata?.event_type ?? '') && (threadTs ?? ts) === ts,
    );
}

/** Executes the steps of a plan. */
export async function runPlan(world: World, plan: Plan): Promise<History> {
  const { slack, service, clock } = world;
  const incidents: string[] = [];
  const asks: Ask[] = [];
  const notes: SentNote[] = [];
  const timelineNotes: SentNote[] = [];
  const homes = new Set<string>();
  let slackIsBackAt = clock.now();
  const deleted: string[] = [];
  const closedElsewhere = new Map<string, Date>();
  const trace: { at: Date; line: string }[] = [];

  const chosen = <Thing>(things: readonly Thing[], pick: number): Thing | undefined => things.at(pick % things.length);
  const buttons = (label: string) => cardsIn(slack).filter(({ blocks }) => JSON.stringify(blocks).includes(label));
  const incidentOf = (card: Message | undefined) => {
    const id = card?.metadata?.event_payload.incident_id;
    return typeof id === 'string' ? id : null;
  };

  function ask(person: string, what: string, incidentId: string | null, asked: Promise<{ shown: string | null }>): Ask {
    const made: Ask = { person, what, incidentId, shown: undefined };
    asks.push(made);
    asked.then(
      ({ shown }) => {
        made.shown = shown;
      },
      (error: unknown) => {
        made.shown = `impossible: ${String(error)}`;
      },
    );
    return made;
  }

  function click(person: string, label: string, pick: number): void {
    const card = chosen(buttons(`"${label}"`), pick);
    if (card !== undefined) {
      ask(person, label, incidentOf(card), slack.as(person).click(card, label));
    }
  }

  function endSnooze(person: string, pick: number): void {
    const card = chosen(buttons('"End snooze"'), pick);
    if (card !== undefined) {
      ask(person, 'End snooze', incidentOf(card), chooseFromMenu(slack, person, card, 'End snooze'));
    }
  }

  function submit(person: string): void {
    const view = slack.openViews(person).at(-1);
    if (view?.content.callback_id === VIEWS.note) {
      submitTimelineNote(person, view);
      return;
    }
    const incidentId = incidents.find((id) => view?.content.private_metadata?.includes(`"${id}"`) ?? false);
    if (view === undefined || incidentId === undefined) {
      return;
    }
    const sent: SentNote = { person, incidentId, note: `put it right, try ${notes.length + 1}`, isTaken: undefined };
    notes.push(sent);
    const submitted = slack.as(person).submit(view, { 'Resolution note': sent.note });
    void submitted.then(({ shown, errors }) => {
      sent.isTaken = shown === null && Object.keys(errors).length === 0;
    });
    ask(
      person,
      'note',
      incidentId,
      submitted.then(({ shown, errors }) => ({ shown: shown ?? Object.values(errors)[0] ?? null })),
    );
  }

  /** Adds a message to the newest open incident, if the form shows one. */
  function submitTimelineNote(person: string, view: ReturnType<LocalSlack['openViews']>[number]): void {
    const selected = JSON.stringify(view.content.blocks).match(/"initial_option":\{[^}]*"value":"([^"]+)"/)?.[1];
    const incidentId = incidents.find((id) => id === selected);
    if (incidentId === undefined) {
      return;
    }
    const note = `seen here, note ${timelineNotes.length + 1}.`;
    const sent: SentNote = { person, incidentId, note, isTaken: undefined };
    timelineNotes.push(sent);
    const submitted = slack.as(person).submit(view, { Note: note });
    void submitted.then(({ shown, errors }) => {
      sent.isTaken = shown === null && Object.keys(errors).length === 0;
    });
    ask(
      person,
      'a note for the timeline',
      incidentId,
      submitted.then(({ shown, errors }) => ({ shown: shown ?? Object.values(errors)[0] ?? null })),
    );
  }

  function undo(person: string, pick: number): void {
    const receipts = slack
      .ephemerals(person, 'incidents')
      .filter(({ blocks }) => JSON.stringify(blocks).includes('"Undo"'));
    const receipt = chosen(receipts, pick);
    const incidentId = incidents.find((id) => receipt?.text.includes(service.incident(id).rootService) ?? false);
    if (receipt !== undefined && incidentId !== undefined) {
      ask(person, 'undo', incidentId, slack.as(person).click(receipt, 'Undo'));
    }
  }

  function snooze(person: string, pick: number): void {
    const incidentId = chosen(incidents, pick);
    if (incidentId !== undefined && world.shape === 'added') {
      ask(person, 'snooze', incidentId, slack.as(person).command('incidents', `/incidents snooze ${incidentId} 1h`));
    }
  }

  function type(person: string, word: 'ack' | 'resolve', pick: number): void {
    const incidentId = chosen(incidents, pick);
    if (incidentId === undefined) {
      return;
    }
    const note = `typed it right, try ${notes.length + 1}`;
    const typed = `/incidents ${word} ${incidentId}${word === 'resolve' ? ` ${note}` : ''}`;
    const made = slack.as(person).command('incidents', typed);
    ask(person, word, incidentId, made);
    if (word === 'resolve') {
      const sent: SentNote = { person, incidentId, note, isTaken: undefined };
      notes.push(sent);
      void made.then(({ shown }) => {
        sent.isTaken = shown === null;
      });
    }
  }

  async function act(doing: Doing): Promise<void> {
    switch (doing.kind) {
      case 'open': {
        const signals = Array.from({ length: doing.signals }, () => ({ type: 'trace' }) as const);
        const name = `${doing.group}-${String(incidents.length + 1).padStart(4, '0')}`;
        incidents.push(service.openIncident({ service: name, openedAt: clock.now(), signals }));
        break;
      }
      case 'grow': {
        const id = chosen(incidents, doing.pick);
        if (id !== undefined && service.incident(id).status === 'open') {
          service.addSignals(id, [{ type: 'log' }]);
        }
        break;
      }
      case 'close elsewhere': {
        const id = chosen(incidents, doing.pick);
        if (id !== undefined && service.incident(id).status === 'open') {
          service.closeIncident(id);
          closedElsewhere.set(id, clock.now());
        }
        break;
      }
      case 'acknowledge':
        click(doing.person, 'Acknowledge', doing.pick);
        break;
      case 'open the note modal':
        click(doing.person, 'Resolve', doing.pick);
        break;
      case 'submit the note':
        submit(doing.person);
        break;
      case 'type':
        type(doing.person, doing.word, doing.pick);
        break;
      case 'acknowledge all': {
        const storm = chosen(buttons('Acknowledge all of'), doing.pick);
        const label = JSON.stringify(storm?.blocks ?? []).match(/Acknowledge all of [^"]+/)?.[0];
        if (storm !== undefined && label !== undefined) {
          ask(doing.person, 'acknowledge all', null, slack.as(doing.person).click(storm, label));
        }
        break;
      }
      case 'snooze':
        snooze(doing.person, doing.pick);
        break;
      case 'end a snooze':
        endSnooze(doing.person, doing.pick);
        break;
      case 'undo':
        undo(doing.person, doing.pick);
        break;
      case 'open the form of a note': {
        const message = slack.messages('general').find(({ text }) => text === `${doing.person} writes a message`);
        void slack.as(doing.person).shortcut('add_note_to_incident', message);
        break;
      }
      case 'open the Home tab':
        if (clock.now() >= slackIsBackAt) {
          homes.add(doing.person);
          slack.as(doing.person).openAppHome('home');
        }
        break;
      case 'delete a card': {
        const card = chosen(cardsIn(slack), doing.pick);
        if (card !== undefined) {
          deleted.push(card.ts);
          slack.as('ben').delete(card);
        }
        break;
      }
      case 'fail a call':
        slack.faults.repeat(
          doing.method,
          doing.fault === 'internal_error'
            ? { kind: 'error', error: doing.fault }
            : doing.fault === 'rate_limited'
              ? { kind: doing.fault, retryAfterSeconds: 10 }
              : { kind: doing.fault },
          { calls: doing.calls },
        );
        break;
      case 'limit':
        slack.faults.repeat(doing.method, { kind: 'rate_limited', retryAfterSeconds: 30 }, { seconds: doing.seconds });
        break;
      case 'Slack is away':
        slack.awayFor(doing.seconds);
        slackIsBackAt = max([slackIsBackAt, addSeconds(clock.now(), doing.seconds)]);
        break;
      case 'cut the sockets':
        slack.disconnectSockets();
        break;
      case 'drop acknowledgements':
        slack.faults.dropAcks(doing.count);
        break;
      case 'duplicate events':
        slack.faults.duplicateEvents(doing.count);
        break;
      case 'the service is away':
        service.setAway(true);
        clock.after(doing.seconds * 1_000, () => service.setAway(false));
        break;
      case 'the service fails':
        service.failNext(doing.fault === 'answer 500' ? { status: 500, body: 'out of order' } : doing.fault, {
          method: doing.method,
        });
        break;
      case 'shuffle the pages':
        service.shufflePages(doing.isOn);
        break;
      case 'kill a bot':
        void world.killBot(doing.pick, doing.turns);
        clock.after(doing.downMs, () => void world.startMissingBots());
        break;
    }
  }

  for (const { doing, thenMs } of plan.steps) {
    trace.push({ at: clock.now(), line: JSON.stringify(doing) });
    await act(doing);
    if (thenMs > 0) {
      await world.pass(thenMs);
    }
  }
  return { incidents, asks, notes, timelineNotes, homes, deleted, closedElsewhere, trace };
}
