import { nameOf, spokenName } from '../../../contract/actor.ts';
import { isMuted } from '../../../incident/mute.ts';
import { plural } from '../../../incident/phrase.ts';
import { muteWord } from '../../../incident/words.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { presentFailureRate } from '../../core/failure-rate.ts';
import { harmOf, type Incident } from '../../core/incident.ts';
import { Foreign } from '../parts/foreign.tsx';
import {
  Activity,
  closedBy,
  rootWords,
  type StateKind,
  StateSign,
  stateKind,
  whatIsHit,
} from '../parts/incident-words.tsx';
import { SeverityMark } from '../parts/severity.tsx';
import { Ago, Clock } from '../parts/time.tsx';

interface RowView {
  readonly incident: Incident;
  readonly now: Date;
  /** Whether the reader may acknowledge it from here. */
  readonly mayAct: boolean;
}

export function rowId({ number }: Pick<Incident, 'number'>): string {
  return `incident-${number}`;
}

/** Titles of the columns of `IncidentRow`. Screen readers hear each cell in words instead. */
export function RowTitles() {
  return (
    <div class="incident-columns" aria-hidden="true">
      <span />
      <span>Incident</span>
      <span>Root service</span>
      <span>Owner</span>
      <span>Opened</span>
      <span>Failures</span>
    </div>
  );
}

/** @param isChanged it replaces the row that the page shows */
export function IncidentRow({ incident, now, mayAct, isChanged = false }: RowView & { isChanged?: boolean }) {
  const swap = isChanged ? { 'hx-swap-oob': 'outerMorph' } : {};
  const kind = stateKind(incident);
  return (
    <li id={rowId(incident)} class={`incident is-${kind}`} {...swap}>
      <span>
        {mayAct && kind === 'unacknowledged' && (
          <input
            class="pick"
            type="checkbox"
            name="number"
            value={incident.number}
            aria-label={`Select #${incident.number}`}
          />
        )}
      </span>
      <div class="what">
        <h2>
          <a data-row="" href={`/dashboard/incidents/${incident.number}`} title={incident.title}>
            <span class="number">#{incident.number}</span> <Foreign>{incident.title}</Foreign>
          </a>
        </h2>
        <p class="line">
          <SeverityMark severity={incident.severity} />
          <Activity incident={incident} now={now} isShort />
          <span class="impact quiet">
            <Foreign>{whatIsHit(incident)}</Foreign>
          </span>
        </p>
      </div>
      <p class="cell root">
        <Foreign>{rootWords(incident)}</Foreign>
      </p>
      <p class="cell has-it">
        <Owner incident={incident} now={now} />
      </p>
      <p class="cell quiet opened">
        <Ago at={incident.openedAt} now={now} />
      </p>
      <Rate incident={incident} failures={presentFailureRate(incident, now).counts} />
    </li>
  );
}

/** Who has it, in a column: "Ana, 5 minutes ago". */
function Owner({ incident, now }: Pick<RowView, 'incident' | 'now'>) {
  const { acknowledgement, closing, byHand, mute } = incident;
  const kind = stateKind(incident);
  const since = closing?.at ?? acknowledgement?.at;
  return (
    <>
      <span class={`state state-${kind} owner`}>
        <StateSign kind={kind} />{' '}
        {ownerWords(kind, acknowledgement && nameOf(acknowledgement), closing && closedBy(closing))}
      </span>
      {byHand.lead !== undefined && closing === null && (
        <span class="quiet owner">
          <Foreign>{spokenName(byHand.lead)}</Foreign> leads
        </span>
      )}
      {since !== undefined && (
        <span class="quiet owner">
          {closing === null ? 'took it ' : 'closed '}
          <Ago at={since} now={now} />
        </span>
      )}
      {mute !== null && closing === null && isMuted(incident, now) && (
        <span class="quiet owner">
          {muteWord(mute)} until <Clock at={new Date(mute.until)} now={now} />
        </span>
      )}
    </>
  );
}

function ownerWords(kind: StateKind, acknowledgedBy: string | null, closer: string | null) {
  switch (kind) {
    case 'unacknowledged':
      return 'Not acknowledged';
    case 'acknowledged':
      return <Foreign>{acknowledgedBy}</Foreign>;
    case 'closed':
      return closer === null ? 'Closed' : <Foreign>{closer}</Foreign>;
    case 'merged':
      return 'Part of another';
  }
}

/**
 * The line shows when it was worse. Its numbers are requests, or how often its signals were seen where no request is known
 * to be lost. How many
 * fail now is not counted for a closed one.
 */
function Rate({ incident, failures }: { incident: Incident; failures: readonly number[] }) {
  const total = failures.reduce((sum, count) => sum + count, 0);
  const harm = harmOf(incident);
  return total === 0 ? (
    <span />
  ) : (
    <div class="rate">
      <Sparkline counts={failures} />
      {incident.closing === null && (
        <span class="quiet">
          {harm === null
            ? `${plural(total, 'failure')} in ${failures.length} min`
            : harm.per_minute === 0
              ? 'none now'
              : `${plural(harm.per_minute, 'request')}/min now`}
        </span>
      )}
    </div>
  );
}
