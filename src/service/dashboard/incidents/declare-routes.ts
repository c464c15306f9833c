import { randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import { Severity } from '../../../contract/resources.ts';
import type { Declare } from '../../core/by-hand.ts';
import { BackPressureError } from '../../core/errors.ts';
import { actorOfPerson } from '../../core/session.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { incidentUrl } from '../incident/incident-view.ts';
import { SERVICES_TO_CHOOSE } from '../query-fields.ts';
import { demandRole } from '../session/guard.ts';
import { type DeclareView, renderDeclarePage } from './declare-page.tsx';

const Typed = z.object({
  title: z.string().catch(''),
  service: z.string().catch(''),
  severity: z.string().catch('error'),
  note: z.string().catch(''),
  once: z.uuid().catch(() => randomUUID()),
});
const DeclareForm = z.object({
  title: StorableText.trim().min(1).max(REQUEST_LIMITS.title),
  service: StorableText.trim().min(1).max(REQUEST_LIMITS.service),
  severity: Severity,
  note: StorableText.max(REQUEST_LIMITS.note),
});

/** The form that opens an incident by hand. */
export function bindDeclare(
  dashboard: Hono<DashboardEnv>,
  { incidents, declare }: { readonly incidents: Pick<IncidentStore, 'listServices'>; readonly declare: Declare },
): void {
  async function show(
    c: Context<DashboardEnv>,
    typed: z.infer<typeof Typed>,
    fault: DeclareView['fault'],
    status: 200 | 422 | 503,
  ) {
    const services = await incidents.listServices(SERVICES_TO_CHOOSE);
    return c.html(renderDeclarePage({ session: c.get('session'), services, typed, once: typed.once, fault }), status);
  }

  dashboard.get('/incidents/declare', (c) => {
    demandRole(c, 'responder');
    return show(c, Typed.parse(c.req.query()), null, 200);
  });

  dashboard.post('/incidents/declare', async (c) => {
    demandRole(c, 'responder');
    const body = await c.req.parseBody();
    const typed = Typed.parse(body);
    const { data } = DeclareForm.safeParse(body);
    if (data === undefined) {
      return show(
        c,
        typed,
        'Nothing was opened: say what fails and in which service, in at most 200 characters each.',
        422,
      );
    }
    try {
      const note = data.note.trim() === '' ? null : data.note;
      const actor = actorOfPerson(c.get('session').person);
      return c.redirect(incidentUrl(await declare({ ...data, key: typed.once, note, actor })), 303);
    } catch (error) {
      if (error instanceof BackPressureError) {
        return show(c, typed, `Not yet: ${error.message}.`, 503);
      }
      throw error;
    }
  });
}
