import type { Hono } from 'hono';
import type { MuteStore } from '../../store/mutes/mute-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { demandRole } from '../session/guard.ts';
import { renderMutesPage } from './mutes-page.tsx';

const PATH = '/settings/mutes';

export function bindMutes(
  dashboard: Hono<DashboardEnv>,
  { mutes, now }: { readonly mutes: MuteStore; readonly now: () => Date },
): void {
  dashboard.get(PATH, async (c) =>
    c.html(renderMutesPage({ session: c.get('session'), mutes: await mutes.list(now()), now: now() })),
  );

  // One that has ended meanwhile is gone too.
  dashboard.post(`${PATH}/:id/end`, async (c) => {
    demandRole(c, 'responder');
    await mutes.delete(c.req.param('id'), c.get('session').person.name, now());
    return c.redirect(`/dashboard${PATH}`, 303);
  });
}
