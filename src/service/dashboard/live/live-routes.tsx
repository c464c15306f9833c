import type { Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { hasRole } from '../../core/session.ts';
import type { StreamEvent } from '../../core/sign-in-request.ts';
import type { EventStreams, RenderEvents } from '../../events/event-streams.ts';
import { publicPathOf } from '../../http/public-path.ts';
import type { EventStore } from '../../store/events/event-store.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { DashboardEnv, DashboardSession } from '../dashboard-env.ts';
import type { IncidentParts } from '../incident/read-incident.tsx';
import { IncidentRow } from '../incidents/incident-row.tsx';
import { NewIncidents } from '../incidents/incidents-page.tsx';
import { filterOf, readIncidentsQuery } from '../incidents/incidents-query.ts';
import { takesGzip } from '../takes-gzip.ts';
import type { Pulse } from '../trouble/pulse.ts';
import { reportTrouble } from '../trouble/report-trouble.ts';
import { compressStream, type Deflated } from './compress-stream.ts';
import { createRenderOnce, type RenderOnce } from './render-once.ts';
import type { SharedMessage } from './shared-message.ts';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // nginx would buffer events
};

const NOTHING = new Uint8Array();

export interface LiveDeps {
  readonly incidents: IncidentStore;
  readonly events: EventStore;
  readonly eventStreams: EventStreams;
  readonly incidentParts: IncidentParts;
  readonly pulse: Pulse;
  readonly now: () => Date;
  readonly publicUrl: string;
}

/**
 * Streams of server-sent events. Each message is HTML whose elements replace those of the same id, so that a page changes
 * in place. What a page does not show is ignored by it.
 */
export function bindLive(dashboard: Hono<DashboardEnv>, deps: LiveDeps): void {
  const once = createRenderOnce(publicPathOf(deps.publicUrl));
  dashboard.get('/live/incidents', (c) => openStream(c, deps, renderRows(c.req.query(), c.get('session'), once, deps)));
  dashboard.get('/live/incident', (c) => openStream(c, deps, renderParts(c.req.query(), c.get('session'), once, deps)));
}

async function openStream(
  c: Context<DashboardEnv>,
  { events, eventStreams, pulse }: LiveDeps,
  render: (events: readonly StreamEvent[]) => Promise<SharedMessage | null>,
): Promise<Response> {
  const { oldest, last } = await events.findBounds();
  const asked = c.req.header('last-event-id') ?? c.req.query('after') ?? '';
  const after = /^\d{1,18}$/.test(asked) ? BigInt(asked) : last;
  const isKnown = after >= oldest && after <= last;
  const { id, csrfToken } = c.get('session');
  const deflated: Deflated = new WeakMap();
  const isCompressed = takesGzip(c);
  const message: RenderEvents = async (batch) => {
    const shared = await render(batch);
    const plain = shared?.plain(csrfToken) ?? NOTHING;
    if (shared !== null && isCompressed) {
      deflated.set(plain, shared.deflated(csrfToken));
    }
    return plain;
  };
  if (!isKnown) {
    return c.body('event: outdated\ndata:\n\n', 200, HEADERS);
  }
  const stream = reportTrouble(eventStreams.open(after, id, message), pulse);
  return isCompressed
    ? c.body(compressStream(stream, deflated), 200, { ...HEADERS, 'content-encoding': 'gzip', vary: 'accept-encoding' })
    : c.body(stream, 200, HEADERS);
}

/** @param sequence of the last event that readers of the message know */
function toMessage(text: string, sequence: bigint): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${sequence}\n${lines.join('')}\n`;
}

function renderRows(
  parameters: Record<string, string>,
  session: DashboardSession,
  once: RenderOnce,
  { incidents, now }: LiveDeps,
) {
  const query = readIncidentsQuery(parameters);
  const mayAct = hasRole(session, 'responder');
  const lastNumber = /^\d{1,15}$/.test(parameters.last ?? '') ? Number(parameters.last) : 0;

  async function render(ids: readonly string[]): Promise<Child> {
    const [changed, newer] = await Promise.all([
      incidents.listByIds(ids),
      incidents.countNewer(lastNumber, filterOf(query)),
    ]);
    return (
      <>
        {changed.map((incident) => (
          <IncidentRow incident={incident} now={now()} mayAct={mayAct} isChanged />
        ))}
        <NewIncidents count={newer} query={query} isChanged />
      </>
    );
  }

  return async (events: readonly StreamEvent[]): Promise<SharedMessage | null> => {
    const changes = events.filter((event) => 'incident' in event);
    const sequence = events.at(-1)?.sequence;
    if (changes.length === 0 || sequence === undefined) {
      return null;
    }
    const ids = [...new Set(changes.map(({ incident }) => incident.id))];
    const frame = (text: string) => toMessage(text, sequence);
    return once(keyOf('rows', parameters, ids, sequence), session, () => render(ids), frame);
  };
}

function renderParts(
  parameters: Record<string, string>,
  session: DashboardSession,
  once: RenderOnce,
  { incidentParts }: LiveDeps,
) {
  const { id = '' } = parameters;
  return async (events: readonly StreamEvent[]): Promise<SharedMessage | null> => {
    const sequence = events.at(-1)?.sequence;
    if (sequence === undefined || !events.some((event) => 'incident' in event && event.incident.id === id)) {
      return null;
    }
    const frame = (text: string) => toMessage(text, sequence);
    const render = (shared: DashboardSession) => incidentParts(id, parameters, shared);
    return once(keyOf('parts', parameters, [id], sequence), session, render, frame);
  };
}

/** Equal for readers of the same page who see the same change. */
function keyOf(
  what: string,
  { after: _position, ...parameters }: Record<string, string>,
  ids: readonly string[],
  sequence: bigint,
): string {
  return JSON.stringify([what, parameters, ids, String(sequence)]);
}
