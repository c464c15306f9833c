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

/** "Calls of 10 services are watched, the last one 20 seconds ago." */
export function WatchedLine({ watched: { services, seenAt }, now }: { watched: Watched; now: Date }) {
  const isSilent = now.getTime() - seenAt.getTime() > SILENT_MS;
  return (
    <p class={isSilent ? 'alarm' : 'quiet'}>
      {isSilent ? 'No call was seen lately. Those of ' : 'Calls of '}
      <a href="/dashboard/services">{plural(services, 'service')}</a> are watched, the last one{' '}
      <Ago at={seenAt} now={now} />.
    </p>
  );
}
