import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { DashboardEnv, DashboardSession } from '../dashboard-env.ts';

const ROLES: readonly DashboardSession['role'][] = ['viewer', 'responder', 'admin'];

/** @throws {HTTPException} when the person's role is lower */
export function demandRole(c: Context<DashboardEnv>, role: DashboardSession['role']): void {
  if (ROLES.indexOf(c.get('session').role) < ROLES.indexOf(role)) {
    throw new HTTPException(403, { message: 'Your role is viewer, which may only read.' });
  }
}
