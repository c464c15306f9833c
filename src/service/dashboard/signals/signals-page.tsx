import { SignalType } from '../../../contract/resources.ts';
import type { StoredSignal } from '../../core/signal.ts';
import type { Position } from '../../store/shared/page.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import type { TraceUrl } from '../incident/incident-view.ts';
import { renderPage } from '../layout.tsx';
import { Filters } from '../parts/filters.tsx';
import { Field, Select } from '../parts/form.tsx';
import { SendSignals } from '../parts/send-signals.tsx';
import { SignalList, SignalPager } from './signal-list.tsx';
import { isNarrowed, type SignalsQuery, withQuery } from './signals-query.ts';

const PATH = '/dashboard/signals';

interface SignalsView {
  readonly query: SignalsQuery;
  readonly signals: readonly StoredSignal[];
  readonly end: Position | null;
  readonly services: readonly string[];
  readonly traceUrl: TraceUrl;
  readonly session: DashboardSession;
  readonly publicUrl: string;
  readonly now: Date;
}

export function renderSignalsPage(view: SignalsView) {
  const { query, signals, end, services, session, traceUrl, now } = view;
  return renderPage(
    { title: 'Signals', section: 'signals', session, now },
    <>
      <Filters label="Filter signals" action={PATH} unfiltered={isNarrowed(query) ? PATH : null}>
        <Field label="Text" name="q" type="search" value={query.q} placeholder="part of the summary" />
        <Select label="Kind" name="type" value={query.type} options={[['', 'any'], ...SignalType.options]} />
        <Field label="Service" name="service" value={query.service} options={services} />
        <Select
          label="First seen"
          name="within"
          value={query.within ?? 'day'}
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
        {query.within === 'all' ? (
          <>Signals appear when services report failures.</>
        ) : (
          <a href={withQuery(PATH, query, { within: 'all' })}>Look at any time</a>
        )}
      </p>
      {!isNarrowed(query) && query.within === 'all' && <SendSignals publicUrl={publicUrl} />}
    </>
  );
}
