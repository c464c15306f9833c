import type { StateMeaning } from '../../../contract/integrations.ts';
import type { Integration } from '../../core/integration.ts';
import type { AskedState } from '../../store/integrations/asked-state-store.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Ago } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { integrationUrl } from './integrations-page.tsx';
import { type Better, BetterFields, changedBy, type MappingState, type MappingTexts } from './mapping-form.tsx';

interface AskedStatesView {
  readonly session: DashboardSession;
  readonly integration: Integration;
  /** The oldest first. */
  readonly asked: readonly AskedState[];
  /** How the integration is read; null: its type needs no mapping. */
  readonly mapping: MappingState | null;
  readonly mayAnswer: boolean;
  readonly now: Date;
}

const ANSWERS: Readonly<Record<StateMeaning, string>> = {
  over: 'Yes, it is the end',
  fails: 'No, it still fails',
  acknowledged: 'Somebody has it',
  ignored: 'It means neither',
};

/** Failures that are named in a question. */
const SHOWN = 3;

/** What nobody has explained yet, a question for each word, answered with one click. */
export function AskedStates({ session, integration, asked, mapping, mayAnswer, now }: AskedStatesView) {
  const base = integrationUrl(integration.id);
  const betterFor = (word: string) => mapping?.betters?.find(({ end }) => end === word);
  const words = Map.groupBy(asked, ({ word }) => word);
  return (
    <section class="box" aria-labelledby="asked" id="asked-states">
      <h2 id="asked">Is this the end of a failure?</h2>
      <p>
        Tocsin does not know these words. What came with them for a failure that was open waits for your answer and is
        then done; what came for nothing that was open counts as a failure.
      </p>
      {[...words].map(([word, states]) => (
        <form class="stack" method="post" action={`${base}/states`}>
          <CsrfField session={session} />
          <input type="hidden" name="word" value={word} />
          <p>
            <strong>
              “<Foreign>{word}</Foreign>”
            </strong>{' '}
            {describe(states)}, last <Ago at={latest(states)} now={now} />:{' '}
            <Foreign>
              {states
                .slice(0, SHOWN)
                .map(({ signal }) => signal.summary)
                .join('; ')}
            </Foreign>
            {states.length > SHOWN && ` and ${states.length - SHOWN} more`}
          </p>
          {mayAnswer ? (
            <>
              <Consequence better={betterFor(word)} mapping={mapping?.mapping ?? {}} />
              <div class="buttons">
                {Object.entries(ANSWERS).map(([meaning, words]) => (
                  <button
                    type="submit"
                    name="meaning"
                    value={meaning}
                    aria-label={`${words}: ${word}`}
                    formaction={meaning === 'over' && betterFor(word) ? `${base}/mapping` : undefined}
                  >
                    {words}
                  </button>
                ))}
              </div>
            </>
          ) : (
            <p class="quiet">Only admins answer this.</p>
          )}
        </form>
      ))}
    </section>
  );
}

/** What else is saved if the word is the end: without it the end would end nothing. */
function Consequence({ better, mapping }: { readonly better: Better | undefined; readonly mapping: MappingTexts }) {
  if (better === undefined) {
    return null;
  }
  const changed = changedBy(better, mapping);
  return (
    <>
      <BetterFields better={better} />
      <p class="quiet">
        “{ANSWERS.over}” also changes the {changed.join(', ')} of the mapping, because this end has another{' '}
        {changed.join(', ')} than its failure:{' '}
        {changed.map((field) => (
          <code>
            <Foreign>{better.mapping[field] ?? ''}</Foreign>
          </code>
        ))}
      </p>
    </>
  );
}

function describe(states: readonly AskedState[]): string {
  const times = states.reduce((sum, each) => sum + each.times, 0);
  const waiting = states.filter(({ isWaiting }) => isWaiting).length;
  const came = `came ${times === 1 ? 'once' : `${times} times`}`;
  return waiting === 0 ? `${came}, counted as a failure` : `${came}, ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`;
}

function latest(states: readonly AskedState[]): Date {
  return new Date(Math.max(...states.map(({ lastAt }) => lastAt.getTime())));
}
