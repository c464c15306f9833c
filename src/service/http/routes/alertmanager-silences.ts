import type { Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Mute } from '../../../contract/mute.ts';
import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import { addMinutes } from '../../../runtime/dates.ts';
import type { ApiKey } from '../../core/api-key.ts';
import { NotFoundError } from '../../core/errors.ts';
import { MUTE_LABELS_HELP } from '../../core/mute-labels.ts';
import { faultOfMuteTime } from '../../core/mute-time.ts';
import { matchersOf, muteOfSilence } from '../../core/silence.ts';
import { FROM_NOW_ONCE, type NewMute } from '../../store/mutes/mute-store.ts';
import { actorOf } from '../actor-of.ts';
import { actorAt } from '../alert-actions.ts';
import { readMatchers } from '../alert-matchers.ts';
import { type ApiEnv, limitBody } from '../api-env.ts';
import { demandScope } from '../auth.ts';
import type { IngestRouteDeps } from '../ingest-gates.ts';
import { invalidBody, parseBody } from '../validate.ts';

const MAX_BYTES = 64 * 1024;
/** A clock of a client that is ahead by this much still means now. */
const CLOCK_SKEW_MINUTES = 1;

/** `postableSilence` of Alertmanager's API v2. */
const PostableSilence = z.object({
  id: z.string().nullish(),
  matchers: z
    .array(
      z.object({
        name: z.string().min(1).max(200),
        value: z.string().max(255),
        isRegex: z.boolean(),
        isEqual: z.boolean().default(true),
      }),
    )
    .min(1)
    .max(20),
  startsAt: z.iso.datetime({ offset: true }),
  endsAt: z.iso.datetime({ offset: true }),
  createdBy: z.string().trim().min(1).max(200),
  comment: z.string().trim().min(1).max(1_000),
});

/** Silences are mutes of services and of labels. They need a read-write key, since an ingest key may only send. */
export function bindSilences(
  api: Hono<ApiEnv>,
  base: string,
  gates: readonly MiddlewareHandler<ApiEnv>[],
  { mutes, now }: Pick<IngestRouteDeps, 'mutes' | 'now'>,
): void {
  api.on('GET', [`${base}/silences`], ...gates, async (c) => {
    demandScope(c.get('key'), 'read-only');
    const matches = readMatchers(new URL(c.req.url).searchParams.getAll('filter'));
    const silences = (await mutes.list(now())).flatMap(toSilence);
    return c.json(
      silences.filter(({ matchers }) => matches(Object.fromEntries(matchers.map(({ name, value }) => [name, value])))),
    );
  });

  api.on('POST', [`${base}/silences`], ...gates, limitBody(MAX_BYTES), async (c) => {
    demandScope(c.get('key'), 'read-write');
    const silence = await parseBody(PostableSilence, c.req.raw);
    const created = await mutes.create(toMute(silence, c.get('key'), now()), now());
    if (created === null) {
      throw invalidBody([{ pointer: '/matchers', detail: MUTE_LABELS_HELP }]);
    }
    // What takes the place of another silence may be for something else.
    if ((silence.id ?? created.id) !== created.id) {
      await mutes.delete(silence.id ?? '', actorOf({ user: silence.createdBy }, c.get('key').name), now());
    }
    return c.json({ silenceID: created.id });
  });

  api.on('GET', [`${base}/silence/:id`], ...gates, async (c) => {
    demandScope(c.get('key'), 'read-only');
    const id = c.req.param('id') ?? '';
    const [silence] = (await mutes.list(now())).filter((mute) => mute.id === id).flatMap(toSilence);
    if (silence === undefined) {
      throw new NotFoundError('mute', id);
    }
    return c.json(silence);
  });

  api.on('DELETE', [`${base}/silence/:id`], ...gates, async (c) => {
    demandScope(c.get('key'), 'read-write');
    const id = c.req.param('id') ?? '';
    if (!(await mutes.delete(id, actorAt(c.get('key')), now()))) {
      throw new NotFoundError('mute', id);
    }
    return c.body(null, 200);
  });
}

/** @throws {RequestError} */
function toMute(
  { matchers, startsAt, endsAt, createdBy, comment }: z.output<typeof PostableSilence>,
  key: Pick<ApiKey, 'name'>,
  now: Date,
): NewMute {
  const muted = muteOfSilence(matchers);
  if (typeof muted === 'string') {
    throw invalidBody([{ pointer: '/matchers', detail: muted }]);
  }
  if (muted.value.length > REQUEST_LIMITS.muteValue) {
    const detail = `must be at most ${REQUEST_LIMITS.muteValue} characters as a mute: ${muted.value.slice(0, 100)}`;
    throw invalidBody([{ pointer: '/matchers', detail }]);
  }
  const start = new Date(startsAt);
  const time = {
    ...FROM_NOW_ONCE,
    startsAt: start > addMinutes(now, CLOCK_SKEW_MINUTES) ? start : null,
    until: new Date(endsAt),
  };
  const fault = faultOfMuteTime(time, now);
  if (fault !== null) {
    throw invalidBody([{ pointer: fault.field === 'until' ? '/endsAt' : '/startsAt', detail: fault.detail }]);
  }
  return { ...muted, ...time, reason: comment, actor: actorOf({ user: createdBy }, key.name) };
}

/** Mutes of incidents and integrations have no counterpart. */
function toSilence(mute: Mute) {
  const { id, until, starts_at: startsAt = null, reason, created_by, created_at } = mute;
  const matchers = matchersOf(mute);
  if (matchers === null) {
    return [];
  }
  return [
    {
      id,
      status: { state: startsAt === null ? 'active' : 'pending' },
      matchers,
      startsAt: startsAt ?? created_at,
      updatedAt: created_at,
      endsAt: until,
      createdBy: created_by,
      comment: reason ?? '',
    },
  ];
}
