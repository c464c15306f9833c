import { plural } from '../../../incident/phrase.ts';
import { signalCountOf } from '../../core/incident.ts';
import { Region } from '../parts/region.tsx';
import { SignalList } from '../signals/signal-list.tsx';
import { type IncidentView, signalsUrl } from './incident-view.ts';

/** The newest signals, and the way to all. */
export function SignalsOf({ view, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { incident, signals, traceUrl, now } = view;
  return (
    <Region id="incident-signals" title="Newest signals" isChanged={isChanged}>
      {signals.length === 0 ? (
        <p class="quiet">They were deleted because of their age.</p>
      ) : (
        <SignalList signals={signals} traceUrl={traceUrl} now={now} />
      )}
      <p>
        <a href={signalsUrl(incident)}>{`${plural(signalCountOf(incident), 'signal')} in all, with filters`}</a>
      </p>
    </Region>
  );
}
