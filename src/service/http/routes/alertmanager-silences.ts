import { addDays } from 'date-fns/addDays';
import type { Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Mute } from '../../../contract/resources.ts';
import { NotFoundError } from '../../core/errors.ts';
import { nameService } from '../../core/service-name.ts';
import { type ApiEnv, limitBody } from '../api-env.ts';
import { demandScope } from '../auth.ts';
import type { IngestRouteDeps } from '../ingest-gates.ts';
import { invalidBody, parseBody } from '../validate.ts';
import { MAX_MUTE_DAYS } from './mutes.ts';

const MAX_BYTES = 64 * 1024;

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

const UNSUPPORTED =
  'a silence becomes a mute of one service: give one matcher with = that names it, such as service="payments"';

/** Silences are mutes of services. They need a read-write key, since an ingest key may only send. */
export function bindSilences(
  api: Hono<ApiEnv>,
  base: string,
  gates: readonly MiddlewareHandler<ApiEnv>[],
  { mutes, now }: Pick<IngestRouteDeps, 'mutes' | 'now'>,
): void {
  api.on('GET', [`${base}/silences`], ...gates, async (c) => {
    demandScope(c.get('key'), 'read-only');
    return c.json((await mutes.list(now())).flatMap((mute) => toSilence(mute)));
  });

  api.on('POST', [`${base}/silences`], ...gates, limitBody(MAX_BYTES), async (c) => {
    demandScope(c.get('key'), 'read-write');
    const silence = await parseBody(PostableSilence, c.req.raw);
    const mute = await mutes.create(toMute(silence, now()), now());
    return c.json({ silenceID: mute?.id });
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
    if (!(await mutes.delete(id, c.get('key').name, now()))) {
      throw new NotFoundError('mute', id);
    }
    return c.body(null, 200);
  });
}

/** @throws {RequestError} */
function toMute({ matchers, startsAt, endsAt, createdBy, comment }: z.output<typeof PostableSilence>, now: Date) {
  const [matcher] = matchers;
  if (matcher === undefined || matchers.length > 1 || matcher.isRegex || !matcher.isEqual) {
    throw invalidBody([{ pointer: '/matchers', detail: UNSUPPORTED }]);
  }
  const { service, by } = nameService({ labels: { [matcher.name]: matcher.value } });
  if (by === 'nothing') {
    throw invalidBody([{ pointer: '/matchers', detail: UNSUPPORTED }]);
  }
  const until = new Date(endsAt);
  if (until <= now || until > addDays(now, MAX_MUTE_DAYS)) {
    throw invalidBody([{ pointer: '/endsAt', detail: `must be in the future, at most ${MAX_MUTE_DAYS} days ahead` }]);
  }
  if (new Date(startsAt) > addDays(now, 1)) {
    throw invalidBody([{ pointer: '/startsAt', detail: 'must be now: a mute cannot begin later' }]);
  }
  return { target: 'service' as const, value: service, until, reason: comment, user: createdBy };
}

/** Mutes of incidents and integrations have no counterpart. */
function toSilence({ id, target, value, until, reason, created_by, created_at }: Mute): object[] {
  if (target !== 'service') {
    return [];
  }
  return [
    {
      id,
      status: { state: 'active' },
      matchers: [{ name: 'service', value, isRegex: false, isEqual: true }],
      startsAt: created_at,
      updatedAt: created_at,
      endsAt: until,
      createdBy: created_by,
      comment: reason ?? '',
    },
  ];
}
