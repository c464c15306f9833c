import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import { type Mapping, StateAnswers } from '../../contract/integrations.ts';
import { atMost } from '../../runtime/cache-limit.ts';
import { secondsToMilliseconds } from '../../runtime/dates.ts';
import { senderOf } from '../core/api-key.ts';
import type { Integration } from '../core/integration.ts';
import { maskJson } from '../core/mask-json.ts';
import { ownFingerprint } from '../core/own-alerts.ts';
import { type MappedFormat, type MappedReading, readMappedEvent } from '../ingest/mapping/mapped-event.ts';
import { MAX_MAPPED_EVENTS, type Mapped } from '../ingest/mapping/mapping.ts';
import { doubtfulIn, type OpenFailures, type Settled, settle } from '../ingest/mapping/settle.ts';
import { ActionBody, actorAt, createAlertActions } from './alert-actions.ts';
import type { ApiEnv } from './api-env.ts';
import { acceptReceived, type IngestRouteDeps } from './ingest-gates.ts';
import { PartlyRefusedError } from './take-entries.ts';
import { invalidBody } from './validate.ts';

/** Characters of a payload that are kept for its mapping; a longer one is not kept. */
const KEPT_CHARACTERS = 16_000;
/** Minimum time between two stored payloads of an integration that were accepted and say the same. */
const KEPT_EACH_MS = secondsToMilliseconds(60);

/** A body, and what the mapping read from each of its events. */
export interface MappedBody {
  readonly body: unknown;
  readonly events: readonly Mapped[];
}

export interface MappedRequest {
  readonly type: MappedFormat['type'];
  readonly mapping: Pick<Mapping, 'state'>;
  /** null: the key belongs to none. */
  readonly integration: Integration | null;
  readonly bodies: readonly MappedBody[];
}

/**
 * Stores what mapped events say: failures, ends, acknowledgements, notes. A state that nobody has explained is asked
 * about at the integration.
 *
 * @throws {RequestError} if nothing can be read, and for what cannot once the rest is stored
 */
export type TakeMapped = (c: Context<ApiEnv>, request: MappedRequest) => Promise<void>;

export function createMappedIntake(deps: Omit<IngestRouteDeps, 'keys'>): TakeMapped {
  const { signals, askedStates, accept, now } = deps;
  const act = createAlertActions(deps);
  const keptLately = new LRUCache<string, true>({ ...atMost(10_000), ttl: KEPT_EACH_MS });

  async function openAmong(readings: readonly MappedReading[], sender: string, at: Date): Promise<OpenFailures> {
    const doubtful = new Map(doubtfulIn(readings).map((each) => [ownFingerprint(sender, each), each]));
    const open = await signals.findOpenAlerts([...doubtful.keys()], at);
    return new Map([...open].map(([own, word]) => [doubtful.get(own) ?? own, word]));
  }

  function keepNow(
    c: Context<ApiEnv>,
    readings: readonly MappedReading[],
    settled: Settled,
    bodies: readonly MappedBody[],
  ) {
    const [kind = 'ignored'] = readings.map((reading) => reading.kind).filter((each) => each !== 'unreadable');
    const words = readings.map((reading) => ('word' in reading ? reading.word : null));
    const which = `${senderOf(c.get('key'))} ${kind} ${words[0]}`;
    if (bodies.length === 0 || (keptLately.has(which) && settled.endedNothing === 0)) {
      c.set('payload', undefined);
      return;
    }
    keptLately.set(which, true, { ttl: keptLately.getRemainingTTL(which) || KEPT_EACH_MS });
    const outcome = settled.endedNothing === 0 ? null : 'ended nothing: no failure with its key was open';
    const [only, ...more] = bodies;
    keepPayload(c, more.length === 0 ? only?.body : bodies.map(({ body }) => body), { kind, outcome });
  }

  return async (c, { type, mapping, integration, bodies }) => {
    const [key, at] = [c.get('key'), now()];
    const sender = senderOf(key);
    const answers = StateAnswers.safeParse(integration?.config.states).data ?? {};
    const format: MappedFormat = { type, mapping, answers, sender };
    const items = bodies.flatMap(({ body, events }, index) =>
      (events.length === 0 ? [null] : events).map((mapped) => ({
        body,
        mapped,
        pointer: bodies.length > 1 ? `/${index}` : '',
      })),
    );
    if (items.length > MAX_MAPPED_EVENTS) {
      throw invalidBody([{ pointer: '', detail: `must have at most ${MAX_MAPPED_EVENTS} events` }]);
    }
    const read = items.map(({ body, mapped, pointer }) => ({
      body,
      pointer,
      reading: mapped === null ? UNREADABLE : readMappedEvent(mapped, mapped.event ?? body, format, at),
    }));
    const refused = read.filter(({ reading }) => reading.kind === 'unreadable');
    const faults = refused.map(({ pointer }) => ({ pointer, detail: NO_TITLE }));
    if (read.length > 0 && refused.length === read.length) {
      throw invalidBody(faults);
    }
    const readings = read.map(({ reading }) => reading);
    const settled = settle(readings, await openAmong(readings, sender, at), at);
    const left = refused.map(({ body }) => body);
    const refusal = left.length === 0 ? null : new PartlyRefusedError(faults, left, read.length);
    if (refusal === null && type === 'json') {
      keepNow(c, readings, settled, bodies);
    } else if (refusal !== null) {
      keepPayload(c, left);
    }
    if (integration !== null) {
      await askedStates.add(integration.id, settled.asked, at);
    }
    await acceptReceived(c, settled.batch, accept);
    for (const { kind, fingerprint, ...said } of settled.done) {
      const { user, note } = ActionBody.parse(said);
      const does = kind === 'noted' ? 'note' : 'acknowledge';
      await act({ kind: does, sender, fingerprint, actor: actorAt(key, user), note });
    }
    if (refusal !== null) {
      throw refusal;
    }
  };
}

const UNREADABLE: MappedReading = { kind: 'unreadable' };
const NO_TITLE = 'the mapping finds no title here: change it at the integration';

/** Keeps a payload for the page of its integration. */
export function keepPayload(
  c: Context<ApiEnv>,
  body: unknown,
  about: Pick<NonNullable<ApiEnv['Variables']['payload']>, 'kind' | 'outcome'> = {},
): void {
  const text = JSON.stringify(maskJson(body), null, 2);
  if (text.length <= KEPT_CHARACTERS) {
    c.set('payload', { text, ...about });
  }
}
