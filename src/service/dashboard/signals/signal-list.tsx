import type { StoredSignal } from '../../core/signal.ts';
import type { Position } from '../../store/shared/page.ts';
import type { TraceUrl } from '../incident/incident-view.ts';
import { Foreign } from '../parts/foreign.tsx';
import { OutsideLink } from '../parts/outside-link.tsx';
import { Pager } from '../parts/pager.tsx';
import { nextPage, previousPage } from '../parts/paging.ts';
import { SeverityMark } from '../parts/severity.tsx';
import { Ago } from '../parts/time.tsx';
import { type SignalsQuery, withQuery } from './signals-query.ts';

interface ListView {
  readonly signals: readonly StoredSignal[];
  readonly traceUrl: TraceUrl;
  readonly now: Date;
}

export function SignalList({ signals, traceUrl, now }: ListView) {
  return (
    <ol class="signals">
      {signals.map((signal) => (
        <li class="signal">
          <span class={`type type-${signal.type}`}>{signal.type}</span>
          <SeverityMark severity={signal.severity} />
          <span class="times">{signal.occurrences > 1 && `${signal.occurrences.toLocaleString('en')} times`}</span>
          <span class="summary-text">
            <strong>
              <Foreign>{signal.service}</Foreign>
            </strong>{' '}
            <a data-row="" href={`/dashboard/signals/${signal.id}`}>
              <Foreign>{signal.summary}</Foreign>
            </a>
          </span>
          <span class="quiet seen">
            {signal.endedAt === null ? 'seen ' : 'ended '}
            <Ago at={signal.endedAt ?? signal.lastSeenAt} now={now} /> <TraceLink signal={signal} traceUrl={traceUrl} />
          </span>
        </li>
      ))}
    </ol>
  );
}

export function TraceLink({ signal, traceUrl }: { signal: Pick<StoredSignal, 'traceId'>; traceUrl: TraceUrl }) {
  const url = signal.traceId === null ? null : traceUrl(signal.traceId);
  return url === null ? null : <OutsideLink url={url} text="Trace" />;
}

interface SignalPagerView {
  readonly path: string;
  readonly query: SignalsQuery;
  readonly end: Position | null;
}

export function SignalPager({ path, query, end }: SignalPagerView) {
  const [previous, next] = [previousPage(query), nextPage(query, end)];
  return (
    <Pager
      label="Pages of signals"
      first={query.after === null ? null : { href: withQuery(path, query), text: 'Newest' }}
      previous={previous && { href: withQuery(path, query, previous), text: 'Newer' }}
      next={next && { href: withQuery(path, query, next), text: 'Older' }}
    />
  );
}
