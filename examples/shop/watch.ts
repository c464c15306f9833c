import { z } from 'zod';
import type { Message, SlackRemote } from './local-slack.ts';
import type { Observed, SeenCard, State, TrueIncident } from './score.ts';

/** `event_type` in the metadata of a card, by the field that names its incident or storm. */
const EVENT_TYPES = { incident_id: 'tocsin_card', storm_id: 'tocsin_storm' } as const;
const STATES: Readonly<Record<string, State>> = {
  'Not acknowledged': 'open',
  Acknowledged: 'acknowledged',
  Closed: 'closed',
};
const NEWEST = 200;
const TIMEOUT_MS = 15_000;

/** Observes the state of the service and of Slack, and records since when each state was seen. */
export interface Watch {
  /** Looks at both. @throws Error when one of them does not respond; earlier observations stay */
  look(): Promise<void>;
  /** What was seen of the incidents that were opened since `since`, as of the last look. */
  observed(since: number): Observed;
}

export function createWatch(deps: {
  slack: Pick<SlackRemote, 'messages'>;
  incidents: () => Promise<readonly TrueIncident[]>;
  now: () => number;
}): Watch {
  const { slack, now } = deps;
  const startedAt = now();
  const cards = new Map<string, SeenCard>();
  let incidents: readonly TrueIncident[] = [];
  let messages: readonly Message[] = [];
  let lastLookAt = startedAt;

  return {
    async look() {
      // Slack is read first, so that the state of a correct card is already at the service.
      const askedAt = now();
      messages = await slack.messages();
      rememberCards(cards, messages, { askedAt, seenAt: now(), startedAt });
      incidents = await deps.incidents();
      lastLookAt = now();
    },
    observed(since) {
      const own = incidents.filter(({ openedAt }) => openedAt >= since);
      const ids = new Set(own.map(({ id }) => id));
      return {
        at: lastLookAt,
        incidents: own,
        cards: [...cards.values()].filter(({ incidentId }) => ids.has(incidentId)),
        storms: messages.filter((message) => cardSubject(message, 'storm_id') !== null).map(wordsOf),
      };
    },
  };
}

const Incidents = z.object({
  incidents: z.array(
    z.object({
      id: z.string(),
      root_service: z.string(),
      opened_at: z.string(),
      acknowledged_at: z.string().nullish(),
      closed_at: z.string().nullish(),
    }),
  ),
});

/** Reads the newest incidents by the API. @param serviceUrl without a slash at the end */
export async function readIncidents(serviceUrl: string, apiKey: string): Promise<TrueIncident[]> {
  const response = await fetch(`${serviceUrl}/v1/incidents?limit=${NEWEST}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return Incidents.parse(await response.json()).incidents.map((incident) => ({
    id: incident.id,
    rootService: incident.root_service,
    openedAt: Date.parse(incident.opened_at),
    acknowledgedAt: toTime(incident.acknowledged_at),
    closedAt: toTime(incident.closed_at),
  }));
}

/** The id of the incident or storm that a card is about. null: it is no such card. */
function cardSubject({ metadata }: Message, field: keyof typeof EVENT_TYPES): string | null {
  const id = metadata?.event_type === EVENT_TYPES[field] ? metadata.event_payload[field] : undefined;
  return typeof id === 'string' ? id : null;
}

/** @param look its findings are from between `askedAt` and `seenAt` */
function rememberCards(
  cards: Map<string, SeenCard>,
  messages: readonly Message[],
  look: { readonly askedAt: number; readonly seenAt: number; readonly startedAt: number },
): void {
  const { askedAt, seenAt, startedAt } = look;
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
