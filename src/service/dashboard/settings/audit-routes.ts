import type { Hono } from 'hono';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { IntegrationStore } from '../../store/integrations/integration-store.ts';
import type { ApiKeyStore } from '../../store/keys/api-key-store.ts';
import type { SessionStore } from '../../store/people/session-store.ts';
import type { ScheduleStore } from '../../store/schedules/schedule-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { demandRole } from '../session/guard.ts';
import { renderAuditPage } from './audit-page.tsx';

const ENTRIES_SHOWN = 200;

interface AuditDeps {
  readonly keys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly incidents: IncidentStore;
  readonly schedules: Pick<ScheduleStore, 'history'>;
  readonly integrations: Pick<IntegrationStore, 'history'>;
  readonly now: () => Date;
}

/** Only for admins: it has the addresses of people. */
export function bindAudit(
  dashboard: Hono<DashboardEnv>,
  { keys, sessions, incidents, schedules, integrations, now }: AuditDeps,
): void {
  dashboard.get('/settings/audit', async (c) => {
    demandRole(c, 'admin');
    const [integrationChanges, scheduleChanges, keyEvents, signIns, actions] = await Promise.all([
      integrations.history(ENTRIES_SHOWN),
      schedules.history(ENTRIES_SHOWN),
      keys.history(ENTRIES_SHOWN),
      sessions.history(ENTRIES_SHOWN),
      incidents.listActions(ENTRIES_SHOWN),
    ]);
    const session = c.get('session');
    return c.html(
      renderAuditPage({ session, integrationChanges, scheduleChanges, keyEvents, signIns, actions, now: now() }),
    );
  });
}
