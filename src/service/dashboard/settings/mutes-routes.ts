import { TZDate } from '@date-fns/tz/date';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { MuteRepeat } from '../../../contract/mute.ts';
import { addMinutes, minutesInDay } from '../../../runtime/dates.ts';
import { DomainError } from '../../core/errors.ts';
import { looksLikeLabels, MUTE_LABELS_HELP } from '../../core/mute-labels.ts';
import { faultOfMuteTime, MAX_MUTE_DAYS } from '../../core/mute-time.ts';
import { actorOfPerson } from '../../core/session.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { MuteStore } from '../../store/mutes/mute-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { SERVICES_TO_CHOOSE as CHOICES } from '../query-fields.ts';
import { demandRole } from '../session/guard.ts';
import { renderMutesPage, type TypedMute } from './mutes-page.tsx';

const PATH = '/settings/mutes';

/** A field of the browser for a time: "2026-11-28T22:00", in the time zone of the form. */
const LocalTime = z.iso.datetime({ local: true });

const MuteForm = z.object({
  what: StorableText.trim().min(1).max(200),
  start: z.union([z.literal('').transform(() => null), LocalTime]),
  minutes: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_MUTE_DAYS * minutesInDay),
  repeat: z.union([z.literal('').transform(() => null), MuteRepeat]),
  zone: z.string().trim(),
  reason: StorableText.trim().max(200),
});

/** What was typed, whatever it is. */
const Typed = z.object({
  what: z.string().catch(''),
  start: z.string().catch(''),
  minutes: z.string().catch('60'),
  repeat: z.string().catch(''),
  zone: z.string().catch(''),
  reason: z.string().catch(''),
});

const INCOMPLETE =
  'A mute needs a service or labels, and how long; the start may be empty, and a reason has at most 200 characters.';

interface MutesDeps {
  readonly mutes: MuteStore;
  readonly incidents: Pick<IncidentStore, 'listServices' | 'listLabels' | 'listByIds'>;
  readonly now: () => Date;
}

export function bindMutes(dashboard: Hono<DashboardEnv>, { mutes, incidents, now }: MutesDeps): void {
  const show = async (c: Context<DashboardEnv>, typed: TypedMute, fault: string | null) => {
    const [listed, labels, services] = await Promise.all([
      mutes.list(now()),
      incidents.listLabels(CHOICES),
      incidents.listServices(CHOICES),
    ]);
    const snoozed = listed.flatMap(({ target, value }) => (target === 'incident' ? [value] : []));
    const muted = new Map((await incidents.listByIds(snoozed)).map((incident) => [incident.id, incident]));
    const choices = [...labels, ...services];
    const view = { session: c.get('session'), mutes: listed, incidents: muted, choices, typed, fault };
    return c.html(renderMutesPage({ ...view, now: now() }), fault === null ? 200 : 422);
  };

  dashboard.get(PATH, (c) => show(c, Typed.parse({}), null));

  dashboard.post(PATH, async (c) => {
    demandRole(c, 'responder');
    const given = await c.req.parseBody();
    const form = MuteForm.safeParse(given);
    const typed = Typed.parse(given);
    if (!form.success) {
      return show(c, typed, INCOMPLETE);
    }
    const at = now();
    const mute = { ...muteOf(form.data, at), actor: actorOfPerson(c.get('session').person) };
    const timeFault = faultOfMuteTime(mute, at);
    if (timeFault !== null) {
      return show(c, typed, `${FIELDS[timeFault.field]} ${timeFault.detail}.`);
    }
    const fault = await mutes.create(mute, at).then(
      (created) => (created === null ? `What is muted ${MUTE_LABELS_HELP}.` : null),
      (error: unknown) => {
        if (error instanceof DomainError) {
          return `Not done: ${error.message}.`;
        }
        throw error;
      },
    );
    return fault === null ? c.redirect(`/dashboard${PATH}`, 303) : show(c, typed, fault);
  });

  // One that has ended meanwhile is gone too.
  dashboard.post(`${PATH}/:id/end`, async (c) => {
    demandRole(c, 'responder');
    await mutes.delete(c.req.param('id'), actorOfPerson(c.get('session').person), now());
    return c.redirect(`/dashboard${PATH}`, 303);
  });
}

const FIELDS = {
  startsAt: 'The start',
  until: 'The end',
  repeat: 'The repetition',
  timeZone: 'The time zone',
} as const;

function muteOf({ what, start, minutes, repeat, zone, reason }: z.output<typeof MuteForm>, now: Date) {
  const timeZone = zone === '' ? 'UTC' : zone;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = (start ?? '').split(/\D/).map(Number);
  const startsAt = start === null ? null : new Date(new TZDate(year, month - 1, day, hour, minute, timeZone).getTime());
  return {
    target: looksLikeLabels(what) ? ('labels' as const) : ('service' as const),
    value: what,
    startsAt,
    until: addMinutes(startsAt !== null && startsAt > now ? startsAt : now, minutes),
    repeat,
    timeZone,
    reason: reason === '' ? null : reason,
  };
}
