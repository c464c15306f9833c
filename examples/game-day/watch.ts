import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceClient } from '../../src/client/service-client.ts';
import type { IncidentSummary } from '../../src/contract/resources.ts';
import type { Look, Message, SlackRemote } from './local-slack.ts';
import type { Interaction, Observed, SeenCard, State, TrueIncident, TypedNote } from './score.ts';

const LOOK_EVERY_MS = 250;
/** `event_type` in the metadata of a card, by the field that names its incident or storm. */
const EVENT_TYPES = { incident_id: 'tocsin_card', storm_id: 'tocsin_storm' } as const;
const STATES: Readonly<Record<string, State>> = {
  'Not acknowledged': 'open',
  Acknowledged: 'acknowledged',
  Closed: 'closed',
};

/** Observes the state of the service and of Slack, and records since when each state was seen. */
export interface Watch extends AsyncDisposable {
  /** Observations of incidents and notes since `since`, as of the last look. */
  observed(since?: number): Observed;
  /** The messages that ana last saw in #incidents. */
  readonly messages: readonly Message[];
  /** The cards of incidents that were opened since `since`. */
  cardsOf(since: number): readonly Message[];
  noteInteraction(interaction: Interaction): void;
  noteTyped(note: TypedNote): void;
  /** Waits until `find` returns something. @throws Error with `what` after `timeoutMs`, or when stopped */
  until<T>(what: string, find: () => T | null | undefined | false, timeoutMs: number): Promise<T>;
}

export function startWatch(deps: {
  slack: SlackRemote;
  service: ServiceClient;
  now: () => number;
  stopping: AbortSignal;
}): Watch {
  const { slack, service, now } = deps;
  const startedAt = now();
  const cards = new Map<string, SeenCard>();
  const incidents = new Map<string, TrueIncident>();
  const interactions: Interaction[] = [];
  const notes: TypedNote[] = [];
  const ended = new AbortController();
  let messages: readonly Message[] = [];
  let lastLookAt = startedAt;
  /** Why the latest look failed. null: it succeeded. */
  let fault: string | null = null;

  async function lookAtSlack(): Promise<void> {
    const askedAt = now();
    const look = await slack.look('ana');
    messages = look.messages;
    rememberCards(cards, look, askedAt, now(), startedAt);
  }

  async function lookAtService(): Promise<void> {
    for await (const summary of service.incidents({ pageSize: 50 })) {
      if (Date.parse(summary.opened_at) < startedAt) {
        return; // newest first, so all following incidents are older
      }
      incidents.set(summary.id, await toTruth(summary));
    }
  }

  /** Reads the note, which the list does not have. */
  async function toTruth(summary: IncidentSummary): Promise<TrueIncident> {
    const known = incidents.get(summary.id);
    const isNoteMissing = summary.status === 'closed' && (known?.note ?? null) === null;
    const note = isNoteMissing ? ((await service.getIncident(summary.id)).resolution_note ?? null) : known?.note;
    return {
      id: summary.id,
      rootService: summary.root_service,
      openedAt: Date.parse(summary.opened_at),
      acknowledgedAt: toTime(summary.acknowledged_at),
      closedAt: toTime(summary.closed_at),
      note: note ?? null,
    };
  }

  async function follow(): Promise<void> {
    while (!ended.signal.aborted) {
      // Slack is read first, so that the state of a correct card is already at the service.
      await lookAtSlack()
        .then(lookAtService)
        .then(() => {
          lastLookAt = now();
          fault = null;
        })
        .catch((error: unknown) => {
          fault = String(error); // one of them does not respond; earlier observations stay until it is back
        });
      await delay(LOOK_EVERY_MS, undefined, { signal: ended.signal }).catch(() => {});
    }
  }

  const following = follow();
  return {
    observed(since = startedAt) {
      const own = new Map([...incidents].filter(([, { openedAt }]) => openedAt >= since));
      return {
        at: lastLookAt,
        incidents: [...own.values()],
        cards: [...cards.values()].filter(({ incidentId }) => own.has(incidentId)),
        storms: messages.filter((message) => cardSubject(message, 'storm_id') !== null).map(wordsOf),
        interactions: interactions.filter(({ at }) => at >= since),
        notes: notes.filter(({ at }) => at >= since),
      };
    },
    get messages() {
      return messages;
    },
    cardsOf: (since) =>
      messages.filter((message) => {
        const openedAt = incidents.get(cardSubject(message, 'incident_id') ?? '')?.openedAt;
        return openedAt !== undefined && openedAt >= since;
      }),
    noteInteraction: (interaction) => interactions.push(interaction),
    noteTyped: (note) => notes.push(note),
    async until(what, find, timeoutMs) {
      const askedAt = now();
      for (;;) {
        const found = lastLookAt > askedAt && find();
        if (found !== null && found !== undefined && found !== false) {
          return found;
        }
        deps.stopping.throwIfAborted();
        if (now() - askedAt > timeoutMs) {
          const cause = fault === null ? '' : `; the last look failed: ${fault}`;
          throw new Error(`${what}: timeout after ${timeoutMs / 1_000} s${cause}`);
        }
        await delay(LOOK_EVERY_MS);
      }
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await following;
    },
  };
}

/** The id of the incident or storm of a card; null: not such a card. */
export function cardSubject({ metadata }: Message, field: keyof typeof EVENT_TYPES): string | null {
  const id = metadata?.event_type === EVENT_TYPES[field] ? metadata.event_payload[field] : undefined;
  return typeof id === 'string' ? id : null;
}

/** @param askedAt start of this look; its findings are from between `askedAt` and `seenAt` */
function rememberCards(
  cards: Map<string, SeenCard>,
  { messages }: Look,
  askedAt: number,
  seenAt: number,
  startedAt: number,
): void {
  const present = new Set<string>();
  for (const message of messages) {
    const incidentId = cardSubject(message, 'incident_id');
    const postedAt = Number(message.ts) * 1_000;
    if (incidentId === null || postedAt < startedAt) {
      continue;
    }
    present.add(message.ts);
    const state = stateIn(message);
    const states = cards.get(message.ts)?.states ?? [];
    cards.set(message.ts, {
      incidentId,
      postedAt,
      lastSeenAt: askedAt,
      isStanding: true,
      states: states.at(-1)?.state === state ? states : [...states, { state, at: seenAt }],
    });
  }
  for (const [ts, card] of cards) {
    if (!present.has(ts)) {
      cards.set(ts, { ...card, isStanding: false });
    }
  }
}

/** The state in the text of a card, which says what its blocks say. */
function stateIn(message: Message): State | 'unreadable' {
  return STATES[/^(Not acknowledged|Acknowledged|Closed)\b/m.exec(message.text)?.[1] ?? ''] ?? 'unreadable';
}

function wordsOf({ text, blocks }: Message): string {
  return blocks.length > 0 ? blocks.map((block) => block.text?.text ?? '').join('\n') : text;
}

function toTime(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text);
}
