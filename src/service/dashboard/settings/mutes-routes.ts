import { addMinutes } from 'date-fns/addMinutes';
import { minutesInDay } from 'date-fns/constants';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { MAX_MUTE_DAYS } from '../../http/routes/mutes.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { MuteStore } from '../../store/mutes/mute-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { SERVICES_TO_CHOOSE } from '../query-fields.ts';
import { demandRole } from '../session/guard.ts';
import { renderMutesPage, type TypedMute } from './mutes-page.tsx';

const PATH = '/settings/mutes';

const MuteForm = z.object({
  service: StorableText.trim().min(1).max(200),
  minutes: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_MUTE_DAYS * minutesInDay),
  reason: StorableText.trim().max(200),
});

/** What was typed, whatever it is. */
const Typed = z.object({
  service: z.string().catch(''),
  minutes: z.string().catch('60'),
  reason: z.string().catch(''),
});

interface MutesDeps {
  readonly mutes: MuteStore;
  readonly incidents: Pick<IncidentStore, 'listServices'>;
  readonly now: () => Date;
}

export function bindMutes(dashboard: Hono<DashboardEnv>, { mutes, incidents, now }: MutesDeps): void {
  const show = async (c: Context<DashboardEnv>, typed: TypedMute, fault: string | null) => {
    const [listed, services] = await Promise.all([mutes.list(now()), incidents.listServices(SERVICES_TO_CHOOSE)]);
    return c.html(
      renderMutesPage({ session: c.get('session'), mutes: listed, services, typed, fault, now: now() }),
      fault === null ? 200 : 422,
    );
  };

  dashboard.get(PATH, (c) => show(c, Typed.parse({}), null));

  dashboard.post(PATH, async (c) => {
    demandRole(c, 'responder');
    const given = await c.req.parseBody();
    const form = MuteForm.safeParse(given);
    if (!form.success) {
      return show(c, Typed.parse(given), 'A mute needs a service and how long; a reason has at most 200 characters.');
    }
    const { service, minutes, reason } = form.data;
    const mute = {
      target: 'service',
      value: service,
      until: addMinutes(now(), minutes),
      reason: reason === '' ? null : reason,
      user: c.get('session').person.name,
    } as const;
    const fault = await mutes.create(mute, now()).then(
      () => null,
      (error: unknown) => {
        if (error instanceof DomainError) {
          return error.message;
        }
        throw error;
      },
    );
    return fault === null ? c.redirect(`/dashboard${PATH}`, 303) : show(c, Typed.parse(given), fault);
  });

  // One that has ended meanwhile is gone too.
  dashboard.post(`${PATH}/:id/end`, async (c) => {
    demandRole(c, 'responder');
    await mutes.delete(c.req.param('id'), c.get('session').person.name, now());
    return c.redirect(`/dashboard${PATH}`, 303);
  });
}
