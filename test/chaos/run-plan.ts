import { addSeconds } from 'date-fns/addSeconds';
import { max } from 'date-fns/max';
import type { LocalSlack } from 'local-slack';
import { chooseFromMenu } from '../support/menu.ts';
import type { Ask, SentNote } from './people.ts';
import type { Doing, Plan } from './plan.ts';
import { createUserActions } from './user-actions.ts';
import type { World } from './world.ts';

type Message = ReturnType<LocalSlack['messages']>[number];

/** What happened during a run, for the checks and for finding the cause of a failure. */
export interface History {
  /** Also those that people declared. */
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
  const asks: Ask[] = [];
  const homes = new Set<string>();
  let slackIsBackAt = clock.now();
  const deleted: string[] = [];
  const closedElsewhere = new Map<string, Date>();
  const trace: { at: Date; line: string }[] = [];

  const chosen = <Thing>(things: readonly Thing[], pick: number): Thing | undefined => things.at(pick % things.length);
  const buttons = (label: string) => cardsIn(slack).filter(({ blocks }) => JSON.stringify(blocks).includes(label));
  const rootOf = (id: string) => service.incident(id).rootService;
  /** The root of the incident of a card; null: it is of a storm. */
  const shownIn = (card: Message) => {
    const id = card.metadata?.event_payload.incident_id;
    return typeof id === 'string' ? rootOf(id) : null;
  };

  function ask(person: string, what: string, about: string | null, asked: Promise<{ shown: string | null }>): void {
    const made: Ask = { person, what, about, shown: undefined };
    asks.push(made);
    asked.then(
      ({ shown }) => {
        made.shown = shown;
      },
      (error: unknown) => {
        made.shown = `impossible: ${String(error)}`;
      },
    );
  }
  const userActions = createUserActions(world, ask);

  function click(person: string, label: string, pick: number): void {
    const card = chosen(buttons(`"${label}"`), pick);
    if (card !== undefined) {
      ask(person, label, shownIn(card), slack.as(person).click(card, label));
    }
  }

  function endSnooze(person: string, pick: number): void {
    const card = chosen(buttons('"End snooze"'), pick);
    if (card !== undefined) {
      ask(person, 'End snooze', shownIn(card), chooseFromMenu(slack, person, card, 'End snooze'));
    }
  }

  async function act(doing: Doing): Promise<void> {
    switch (doing.kind) {
      case 'open': {
        const name = `${doing.group}-${String(service.incidentIds().length + 1).padStart(4, '0')}`;
        const more = Array.from(
          { length: doing.signals - 1 },
          () => ({ type: 'trace', service: `${name}-db` }) as const,
        );
        service.openIncident({ service: name, openedAt: clock.now(), signals: [{ type: 'trace' }, ...more] });
        break;
      }
      case 'grow': {
        const id = chosen(service.incidentIds(), doing.pick);
        if (id !== undefined && service.incident(id).status === 'open') {
          service.addSignals(id, [{ type: 'log' }]);
        }
        break;
      }
      case 'close elsewhere': {
        const id = chosen(service.incidentIds(), doing.pick);
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
      case 'submit the form':
        userActions.submit(doing.person);
        break;
      case 'type':
        userActions.type(doing.person, doing.word, chosen(service.incidentIds(), doing.pick));
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
        userActions.snooze(doing.person, chosen(service.incidentIds(), doing.pick));
        break;
      case 'end a snooze':
        endSnooze(doing.person, doing.pick);
        break;
      case 'undo':
        userActions.takeBack(doing.person, doing.label, doing.pick);
        break;
      case 'declare':
        userActions.declare(doing.person, doing.subject);
        break;
      case 'mute':
        userActions.mute(doing.person, doing.subject, doing.isPlanned);
        break;
      case 'open the form of a change':
        userActions.openChange(doing.person, doing.field, chosen(service.incidentIds(), doing.pick));
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
      case 'the network delays a write':
        // Only this shape has the means to refuse it.
        if (world.shape === 'added') {
          const { promise: dropUntil, resolve } = Promise.withResolvers<void>();
          clock.after(doing.seconds * 1_000, resolve);
          service.failNext({ dropUntil }, { method: 'POST', path: /^\/incidents\/[^/]+\/(?!card)/ });
        }
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
  const { notes, timelineNotes } = userActions;
  const told = { asks, notes, timelineNotes, homes, deleted, closedElsewhere, trace };
  return {
    ...told,
    get incidents() {
      return service.incidentIds(); // some are declared later
    },
  };
}
