import { SignalType } from '../../../contract/resources.ts';
import type { Incident } from '../../core/incident.ts';
import type { StoredSignal } from '../../core/signal.ts';
import type { Position } from '../../store/shared/page.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { incidentUrl, type TraceUrl } from '../incident/incident-view.ts';
import { renderPage } from '../layout.tsx';
import { Filters } from '../parts/filters.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { SendSignals } from '../parts/send-signals.tsx';
import { pageAddress } from '../query-fields.ts';
import { SignalList, SignalPager } from './signal-list.tsx';
import { isNarrowed, type SignalsQuery, withinOf, withQuery } from './signals-query.ts';

const PATH = '/dashboard/signals';

interface SignalsView {
  readonly query: SignalsQuery;
  /** Of which the signals are; null: of all. */
  readonly incident: Pick<Incident, 'number' | 'title'> | null;
  readonly signals: readonly StoredSignal[];
  readonly end: Position | null;
  readonly services: readonly string[];
  readonly traceUrl: TraceUrl;
  readonly session: DashboardSession;
  readonly publicUrl: string;
  readonly now: Date;
}

export function renderSignalsPage(view: SignalsView) {
  const { query, incident, signals, end, services, session, traceUrl, now } = view;
  const path = pageAddress(PATH, { incident: query.incident });
  return renderPage(
    { title: 'Signals', section: 'signals', session, now },
    <>
      {incident !== null && (
        <p>
          Of{' '}
          <a href={incidentUrl(incident)}>
            {`#${incident.number} `}
            <Foreign>{incident.title}</Foreign>
          </a>
          . <a href={PATH}>Show those of all incidents</a>
        </p>
      )}
      <Filters label="Filter signals" action={PATH} unfiltered={isNarrowed(query) ? path : null}>
        {query.incident !== undefined && <input type="hidden" name="incident" value={query.incident} />}
        <Field label="Text" name="q" type="search" value={query.q} placeholder="part of the summary" />
        <Select label="Kind" name="type" value={query.type} options={[['', 'any'], ...SignalType.options]} />
        <Field label="Service" name="service" value={query.service} options={services} />
        <Select
          label="First seen"
          name="within"
          value={withinOf(query)}
          options={[
            ['hour', 'in the last hour'],
            ['day', 'in the last day'],
            ['week', 'in the last week'],
            ['all', 'at any time'],
          ]}
        />
      </Filters>
      {signals.length === 0 ? <Nothing {...view} /> : <SignalList signals={signals} traceUrl={traceUrl} now={now} />}
      <SignalPager path={PATH} query={query} end={end} />
    </>,
  );
}

function Nothing({ query, publicUrl }: SignalsView) {
  if (query.after !== null) {
    return <p class="empty">There are no more signals.</p>;
  }
  return (
    <>
      <p class="empty">
        No signal matches.{' '}
        {withinOf(query) === 'all' ? (
          <>Signals appear when services report failures.</>
        ) : (
          <a href={withQuery(PATH, query, { within: 'all' })}>Look at any time</a>
        )}
      </p>
      {!isNarrowed(query) && query.within === 'all' && query.incident === undefined && (
        <SendSignals publicUrl={publicUrl} />
      )}
    </>
  );
}
