import type { Hono } from 'hono';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { receiveJson } from '../ingest-body.ts';
import { admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { RequestError } from '../problem.ts';

/**
 * Addresses of a heartbeat: ours, Opsgenie's ("Ping Heartbeat Request", docs.opsgenie.com; its SDK for Node adds a slash) and that of Grafana OnCall.
 */
export const HEARTBEAT_PATHS = [
  INGEST_PATHS.heartbeat,
  '/v2/heartbeats/:name/ping',
  '/v2/heartbeats/:name/ping/',
  '/integrations/v1/heartbeat/:key/',
  '/integrations/v1/heartbeat/:key',
  '/integrations/v1/:type/:key/heartbeat/',
  '/integrations/v1/:type/:key/heartbeat',
] as const;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const;

/** A heartbeat has no content: whatever is sent says that its sender runs. */
export function bindHeartbeats(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const { bodies, monitors } = deps;
  for (const path of HEARTBEAT_PATHS) {
    api.on([...METHODS], [path], ...admitSender(deps, gates), async (c) => {
      const { id, integrationId } = c.get('key');
      await receiveJson(bodies, c.req.raw, { sender: id, maxBytes: INGEST_LIMITS.eventsBytes }, ignore);
      if (integrationId === null || !(await monitors.hear(integrationId))) {
        throw new RequestError('not-found', 'this key belongs to no integration of type heartbeat: create one');
      }
      return c.json({ result: 'PONG - Heartbeat received', took: 0, requestId: c.get('requestId') }); // as Opsgenie answers
    });
    refuseOtherMethods(api, path, METHODS);
  }
}

function* ignore(): Generator<void, void> {
  yield;
}
