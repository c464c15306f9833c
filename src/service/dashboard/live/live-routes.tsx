import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { StreamEvent } from '../../core/sign-in-request.ts';
import type { EventStreams, RenderEvents } from '../../events/event-streams.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { IncidentStore } from '../../store/incident-store.ts';
import type { DashboardEnv, DashboardSession } from '../dashboard-env.ts';
import type { IncidentParts } from '../incident/read-incident.tsx';
import { IncidentRow } from '../incidents/incident-row.tsx';
import { NewIncidents } from '../incidents/incidents-page.tsx';
import { filterOf, readIncidentsQuery } from '../incidents/incidents-query.ts';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // nginx would buffer events
};

export interface LiveDeps {
  readonly incidents: IncidentStore;
  readonly events: EventStore;
  readonly eventStreams: EventStreams;
  /** Asked before each batch of changes. */
  readonly isSignedIn: (c: Context<DashboardEnv>) => Promise<boolean>;
  readonly incidentParts: IncidentParts;
  readonly now: () => Date;
}

/**
 * Streams of server-sent events. Each message is HTML whose elements replace those of the same id, so that a page changes
 * in place. What a page does not show is ignored by it.
 */
export function bindLive(dashboard: Hono<DashboardEnv>, deps: LiveDeps): void {
  dashboard.get('/live/incidents', (c) => openStream(c, deps, renderRows(c.req.query(), deps)));
  dashboard.get('/live/incident', (c) => openStream(c, deps, renderParts(c.req.query(), c.get('session'), deps)));
}

async function openStream(
  c: Context<DashboardEnv>,
  { events, eventStreams, isSignedIn }: LiveDeps,
  render: (events: readonly StreamEvent[]) => Promise<Child>,
): Promise<Response> {
  const { oldest, last } = await events.findBounds();
  const asked = c.req.header('last-event-id') ?? c.req.query('after') ?? '';
  const after = /^\d{1,18}$/.test(asked) ? BigInt(asked) : last;
  const isKnown = after >= oldest && after <= last;
  const message: RenderEvents = async (batch) => {
    const text = await html`${await render(batch)}`;
    return text === '' ? '' : toMessage(text, batch.at(-1)?.sequence ?? after);
  };
  if (!isKnown) {
    return c.body('event: outdated\ndata:\n\n', 200, HEADERS);
  }
  return c.body(
    eventStreams.open(after, () => isSignedIn(c), message),
    200,
    HEADERS,
  );
}

function toMessage(text: string, sequence: bigint): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${sequence}\n${lines.join('')}\n`;
}

function renderRows(parameters: Record<string, string>, { incidents, now }: LiveDeps) {
  const query = readIncidentsQuery(parameters);
  const lastNumber = /^\d{1,15}$/.test(parameters.last ?? '') ? Number(parameters.last) : 0;
  return async (events: readonly StreamEvent[]): Promise<Child> => {
    const ids = new Set(events.flatMap((event) => ('incident' in event ? [event.incident.id] : [])));
    if (ids.size === 0) {
      return '';
    }
    const [changed, newer] = await Promise.all([
      incidents.listByIds([...ids]),
      incidents.countNewer(lastNumber, filterOf(query)),
    ]);
    return (
      <>
        {changed.map((incident) => (
          <IncidentRow incident={incident} now={now()} isChanged />
        ))}
        <NewIncidents count={newer} query={query} isChanged />
      </>
    );
  };
}

function renderParts(parameters: Record<string, string>, session: DashboardSession, { incidentParts }: LiveDeps) {
  const { id = '' } = parameters;
  return async (events: readonly StreamEvent[]): Promise<Child> =>
    events.some((event) => 'incident' in event && event.incident.id === id)
      ? incidentParts(id, parameters, session)
      : '';
}
