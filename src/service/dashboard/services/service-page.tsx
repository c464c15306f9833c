import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { ServiceMap } from '../../charts/service-map.tsx';
import type { Incident } from '../../core/incident.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { IncidentRow } from '../incidents/incident-row.tsx';
import { incidentsUrl } from '../incidents/incidents-query.ts';
import { renderPage } from '../layout.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Ago } from '../parts/time.tsx';
import { LATELY, type Neighbour, rateWords, type ServiceFacts } from './service-facts.ts';
import { serviceUrl } from './services-page.tsx';

interface ServiceView {
  readonly service: ServiceFacts;
  readonly system: string;
  /** The worst first; there may be more. */
  readonly incidents: readonly Incident[];
  readonly session: DashboardSession;
  readonly now: Date;
}

export function renderServicePage({ service, system, incidents, session, now }: ServiceView) {
  const { name, callers, callees, changes } = service;
  const rate = rateWords(service.failedPerMinute);
  return renderPage(
    { title: name, section: 'services', session, now },
    <>
      {system !== MAIN_SYSTEM && <p class="quiet">of system {system}</p>}
      <p class={service.isFailing ? 'alarm' : 'quiet'}>{rate === '' ? 'No calls to it fail.' : rate}</p>
      <section aria-labelledby="open">
        <h2 id="open">Open incidents</h2>
        {incidents.length === 0 ? (
          <p>
            <span class="calm">No incident is open.</span>{' '}
            <a href={incidentsUrl({ service: name, status: 'closed' })}>Closed incidents</a>
          </p>
        ) : (
          <>
            <ol class="incidents">
              {incidents.map((incident) => (
                <IncidentRow incident={incident} now={now} mayAct={false} />
              ))}
            </ol>
            <a href={incidentsUrl({ service: name, status: 'all' })}>All incidents of this service</a>
          </>
        )}
      </section>
      {changes.length > 0 && (
        <section aria-labelledby="changes">
          <h2 id="changes">Last deployments</h2>
          <ul class="services">
            {changes.map(({ at, version }) => (
              <li class="line">
                <span>{version === '' ? 'unknown version' : <Foreign>{version}</Foreign>}</span>
                <span class="quiet">
                  <Ago at={at} now={now} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {callers.length + callees.length > 0 && <Neighbourhood service={service} />}
      {rate !== '' && <p class="quiet">{LATELY}</p>}
      <section aria-labelledby="calls">
        <h2 id="calls">It calls</h2>
        <Neighbours neighbours={callees} system={system} nobody="No calls by it were seen in the last day." now={now} />
      </section>
      <section aria-labelledby="called">
        <h2 id="called">It is called by</h2>
        <Neighbours neighbours={callers} system={system} nobody="No calls to it were seen in the last day." now={now} />
      </section>
      <p>
        <a href={`/dashboard/signals?service=${encodeURIComponent(name)}`}>Signals of this service</a>
      </p>
    </>,
  );
}

function Neighbourhood({ service: { name, callers, callees } }: { service: ServiceFacts }) {
  const calls = [
    ...callers.map((caller) => ({ from: caller.name, to: name, isFailing: caller.isInTrouble })),
    ...callees.map((callee) => ({ from: name, to: callee.name, isFailing: callee.isInTrouble })),
  ];
  const names = [...new Set(calls.flatMap(({ from, to }) => [from, to]))];
  const failing = new Set(calls.filter((call) => call.isFailing).flatMap(({ from, to }) => [from, to]));
  return (
    <section aria-labelledby="around">
      <h2 id="around">Calls around it</h2>
      <section class="scroll" tabindex={0} aria-label="Map, scrolls sideways">
        <ServiceMap
          name="Map of the calls"
          map={{
            services: names.map((each) => ({ name: each, isRoot: each === name, isFailing: failing.has(each) })),
            calls: calls.map(({ from, to, isFailing: fails }) => ({ from, to, label: fails ? 'fails' : '' })),
          }}
        />
      </section>
    </section>
  );
}

function Neighbours(view: { neighbours: readonly Neighbour[]; system: string; nobody: string; now: Date }) {
  const { neighbours, system, nobody, now } = view;
  if (neighbours.length === 0) {
    return <p class="quiet">{nobody}</p>;
  }
  return (
    <ul class="services">
      {neighbours.map((each) => (
        <li class="line">
          <a href={serviceUrl(each.name, system)}>
            <Foreign>{each.name}</Foreign>
          </a>
          <span class={each.isInTrouble ? 'alarm' : ''}>{rateWords(each.failedPerMinute)}</span>
          <span class="quiet">
            last seen <Ago at={each.seenAt} now={now} />
          </span>
        </li>
      ))}
    </ul>
  );
}
