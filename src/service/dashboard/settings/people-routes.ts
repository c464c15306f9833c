import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { auditActor, hasRole, type Session } from '../../core/session.ts';
import type { SessionStore } from '../../store/people/session-store.ts';
import type { DashboardEnv, DashboardSession } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import type { SessionCookie } from '../session/cookie.ts';
import { whereFrom } from '../session/where-from.ts';
import { renderPeoplePage } from './people-page.tsx';

interface PeopleDeps {
  readonly sessions: SessionStore;
  readonly cookie: SessionCookie;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Admins see and end all sessions, others only their own. */
export function bindPeople(dashboard: Hono<DashboardEnv>, { sessions, cookie, logger, now }: PeopleDeps): void {
  const listFor = async (reader: DashboardSession): Promise<Session[]> =>
    (await sessions.list(now())).filter(({ identity }) => hasRole(reader, 'admin') || identity === reader.identity);

  dashboard.get('/settings/people', async (c) => {
    const session = c.get('session');
    return c.html(renderPeoplePage({ session, sessions: await listFor(session), now: now() }));
  });

  dashboard.post('/settings/people/sessions/:id/end', async (c) => {
    const session = c.get('session');
    const ended = (await listFor(session)).find(({ id }) => id === c.req.param('id'));
    if (ended === undefined) {
      throw new PageError(404, 'Session not found', 'It may have ended already.');
    }
    await sessions.end(ended.id, { type: 'ended', by: auditActor(session.person), ...whereFrom(c), now: now() });
    logger.info({ sessionId: ended.id, by: session.id }, 'session ended');
    return c.redirect('/dashboard/settings/people', 303);
  });

  dashboard.post('/settings/people/sign-out-everywhere', async (c) => {
    const { id, identity, person } = c.get('session');
    const count = await sessions.endAllOf(identity, {
      type: 'signed-out',
      by: auditActor(person),
      ...whereFrom(c),
      now: now(),
    });
    logger.info({ sessionId: id, count }, 'signed out everywhere');
    cookie.clear(c);
    return c.redirect('/dashboard/sign-in', 303);
  });
}
