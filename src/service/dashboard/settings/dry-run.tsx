import type { DryRun } from '../../../contract/waking.ts';
import { Foreign } from '../parts/foreign.tsx';
import { RecordTable } from '../parts/table.tsx';

/** What a policy would have done, in words. */
export function DryRunReport({ name, run }: { readonly name: string; readonly run: DryRun }) {
  const day = (time: string) => time.slice(0, 10);
  return (
    <section class="box" aria-labelledby="dry-run">
      <h2 id="dry-run">Dry run</h2>
      <p role="status">
        From {day(run.from)} to {day(run.to)}, <Foreign>{name}</Foreign> would have woken {whomWords(run)}.
      </p>
      {run.woken_for > 0 && (
        <p>
          That is for {run.woken_for} of {count(run.incidents, 'incident')}: {run.over_in_three_minutes} were over
          within 3 minutes, and nobody is known to have lost a request in {run.without_lost_requests}.
        </p>
      )}
      {run.wakings.length > 0 && (
        <details>
          <summary>{run.wakings.length === 1 ? 'When' : `The last ${run.wakings.length} times`}</summary>
          <RecordTable
            caption="Whom it would have woken, and for what"
            records={run.wakings}
            values={{
              When: ({ at }) => <time datetime={at}>{at.slice(0, 16).replace('T', ' ')} UTC</time>,
              Who: ({ person }) => <Foreign>{person.name}</Foreign>,
              Incident: ({ incident_number: number }) => <a href={`/dashboard/incidents/${number}`}>#{number}</a>,
              Night: ({ is_night: isNight }) => (isNight ? 'at night' : ''),
            }}
          />
        </details>
      )}
      <p class="quiet">
        With the ways that people have now, and as if the policy had always been there. What a schedule says of a time
        before it existed is what its first layers say.
      </p>
    </section>
  );
}

function whomWords({ people, channel_messages: messages }: DryRun): string {
  const words = [
    ...people.map(({ name, times, at_night: atNight }) => `${name} ${count(times, 'time')}, ${atNight} at night`),
    ...(messages === 0 ? [] : [`a channel ${count(messages, 'time')}`]),
  ];
  return words.length === 0 ? 'nobody' : words.join('; ');
}

function count(many: number, word: string): string {
  return `${many} ${word}${many === 1 ? '' : 's'}`;
}
