import { plural } from '../../../incident/phrase.ts';
import type { Observed } from '../../core/observed.ts';
import { isForgotten } from '../../engine/graph/call-graph.ts';
import { Ago } from './time.tsx';

/** What telemetry of calls says about who is heard of. */
export interface Watched {
  readonly services: number;
  /** When the last call was seen, by its own time; calls are counted up to a minute later. */
  readonly seenAt: Date;
}

/** @returns null: no call of the last day is known */
export function watchedIn({ calls }: Observed, now: Date): Watched | null {
  const known = calls.filter((call) => !isForgotten(call, now.getTime()));
  const services = new Set(known.flatMap(({ caller, callee }) => [caller, callee])).size;
  const seenAt = known.reduce((last, call) => Math.max(last, call.seenAt), 0);
  return services === 0 ? null : { services, seenAt: new Date(seenAt) };
}

/** A list without incidents says nothing if nobody sends telemetry any more. */
const SILENT_MS = 10 * 60_000;

/** "No incident is open. Calls of 10 services are watched, the last one 20 seconds ago."; silence is no good news. */
export function NothingOpen({ watched: { services, seenAt }, now }: { watched: Watched; now: Date }) {
  const isSilent = now.getTime() - seenAt.getTime() > SILENT_MS;
  const watching = (
    <>
      <a href="/dashboard/services">{plural(services, 'service')}</a> {services === 1 ? 'is' : 'are'} watched, the last
      call <Ago at={seenAt} now={now} />.
    </>
  );
  return isSilent ? (
    <section class="box" aria-labelledby="silent">
      <h2 id="silent" class="alarm">
        No incident is open, but nobody reports
      </h2>
      <p>
        {watching} A failure would not be seen now. Look at what arrived last from{' '}
        <a href="/dashboard/settings/integrations">each integration</a>, and at the collector before it.
      </p>
    </section>
  ) : (
    <>
      <p class="empty calm">No incident is open.</p>
      <p class="quiet">{watching}</p>
    </>
  );
}
