import type { Hono } from 'hono';
import type { IncidentStore } from '../../store/incident-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';

export function bindServices(
  _dashboard: Hono<DashboardEnv>,
  _deps: { readonly incidents: IncidentStore; readonly now: () => Date },
): void {}
