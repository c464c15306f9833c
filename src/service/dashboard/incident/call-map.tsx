import { plural } from '../../../incident/phrase.ts';
import { ServiceMap, type ServiceMap as ServiceMapData } from '../../charts/service-map.tsx';
import type { Incident } from '../../core/incident.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Region } from '../parts/region.tsx';
import { ChartTable } from '../parts/table.tsx';
import { callsOf, type ShownCall } from './calls-of.ts';
import type { IncidentView } from './incident-view.ts';
import { pathOf } from './path-of.ts';

/** Calls among the incident's services, as a map and as a table; folded where the way of the failure above tells it in short. */
export function CallMap({ view: { incident }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const calls = callsOf(incident);
  return (
    <Region id="incident-map" title="Calls between the services" isChanged={isChanged}>
      {calls.length === 0 ? (
        <p class="quiet">No calls between its services are known. They are learnt from traces.</p>
      ) : pathOf(incident).length === 0 ? (
        <Maps incident={incident} calls={calls} />
      ) : (
        <details>
          <summary>{plural(calls.length, 'call')}</summary>
          <Maps incident={incident} calls={calls} />
        </details>
      )}
    </Region>
  );
}

function Maps({ incident, calls }: { incident: Incident; calls: readonly ShownCall[] }) {
  const all = mapOf(incident, calls);
  const part = mapOf(incident, calls, focusOf(incident, calls));
  return (
    <>
      <section class="scroll map-box" tabindex={0} aria-label="Map, scrolls sideways">
        <ServiceMap map={part} name="Map of the calls" />
      </section>
      {part.services.length < all.services.length && (
        <details>
          <summary>{`Show all ${all.services.length} services`}</summary>
          <section class="scroll map-box" tabindex={0} aria-label="Map of all services, scrolls sideways">
            <ServiceMap map={all} name="Map of all calls" />
          </section>
        </details>
      )}
      <p class="quiet small">
        Callers are on the left, ★ is the root service. Red lines fail: thick on the way to people, else dashed. Counts
        are those of the minute in which most calls failed.
      </p>
      <ChartTable caption="Calls between the services" columns={['From', 'To', 'Failures']}>
        {calls.map(({ from, to, label }) => (
          <tr>
            <td>
              <Foreign>{from}</Foreign>
            </td>
            <td>
              <Foreign>{to}</Foreign>
            </td>
            <td>{label === '' ? 'none' : label}</td>
          </tr>
        ))}
      </ChartTable>
    </>
  );
}

/** The calls from where requests enter to the root, over which the failure came to people. */
function wayOf({ correlation: { path = [] } }: Incident): ReadonlySet<string> {
  return new Set(path.slice(1).map(({ service }, index) => `${service}\n${path[index]?.service}`));
}

/** Most services that a map shows at once; its letters would become too small. */
const MAX_IN_FOCUS = 12;

/** The root, the way to people, and the services of the calls that fail most; all services if there are few. */
function focusOf(
  { rootService, services, correlation: { path = [] } }: Incident,
  calls: readonly ShownCall[],
): ReadonlySet<string> {
  const way = path.map(({ service }) => service);
  const named = [
    rootService,
    ...way,
    ...calls.filter(({ label }) => label !== '').flatMap(({ from, to }) => [from, to]),
  ];
  const rest = [...calls.flatMap(({ from, to }) => [from, to]), ...services];
  const isSmall = new Set([...named, ...rest]).size <= MAX_IN_FOCUS;
  return new Set([...new Set(isSmall ? [...named, ...rest] : named)].slice(0, MAX_IN_FOCUS));
}

function mapOf(incident: Incident, calls: readonly ShownCall[], focus?: ReadonlySet<string>): ServiceMapData {
  const failing = new Set(calls.filter(({ label }) => label !== '').flatMap(({ from, to }) => [from, to]));
  const names = new Set([...incident.services, ...calls.flatMap(({ from, to }) => [from, to])]);
  const way = wayOf(incident);
  const isShown = (name: string) => focus === undefined || focus.has(name);
  return {
    services: [...names].filter(isShown).map((name) => ({
      name,
      isRoot: name === incident.rootService,
      isFailing: failing.has(name),
    })),
    calls: calls
      .filter(({ from, to }) => isShown(from) && isShown(to))
      .map((call) => ({ ...call, isOnWay: way.has(`${call.from}\n${call.to}`) })),
  };
}
