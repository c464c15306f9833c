import { WAY_ADDRESSES, WAY_KINDS, WAY_WORDS, type WayKind } from '../../../contract/waking.ts';
import type { KnownPerson } from '../../core/known-person.ts';
import type { ShownWay } from '../../on-call/way-control.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { Fault } from '../parts/fault.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { CreateForm } from './create-form.tsx';
import { renderSettingsPage } from './settings-page.tsx';

export const WAYS_URL = '/dashboard/settings/ways';

export interface WaysView {
  readonly session: DashboardSession;
  /** Whose ways they are; null: who the reader is, is not known. */
  readonly person: KnownPerson | null;
  /** Everybody, for admins; empty for others. */
  readonly people: readonly KnownPerson[];
  readonly ways: readonly ShownWay[];
  readonly pushKey: string;
  /** Why a way cannot be used here; null: it can. */
  readonly missing: (kind: WayKind) => string | null;
  /** What is wrong with what was typed or sent, in one sentence. */
  readonly fault: string | null;
  /** The form as it was sent, if its way was not added. */
  readonly typed: TypedWay;
  /** The secret of a webhook that was just added. */
  readonly secret: string | null;
  readonly now: Date;
}

export type TypedWay = Readonly<Partial<Record<'kind' | 'address' | 'loud' | 'quiet', string | undefined>>>;

const WAITS = [
  ['0', 'at once'],
  ['60', 'after 1 minute'],
  ['300', 'after 5 minutes'],
  ['600', 'after 10 minutes'],
  ['', 'never'],
] as const;

/** Those whose address is typed; a browser gives its own. */
const TYPED = WAY_KINDS.filter((kind) => kind !== 'web_push');

/** How one person is woken. */
export function renderWaysPage(view: WaysView) {
  const { session, person, people, ways, fault, secret, now } = view;
  return renderSettingsPage(
    { title: 'How you are woken', current: 'ways', session, now },
    <>
      <p>
        Policies wake people by these ways. A way is used once it is proved, and only an answer shows that it works:
        test each of them from time to time, with the phone on the night table.
      </p>
      {people.length > 0 && <Choose person={person} people={people} />}
      <Fault text={fault} />
      {secret !== null && (
        <p role="status">
          The webhook is signed with <code>{secret}</code>. It is shown this once.
        </p>
      )}
      {person === null ? (
        <p class="empty">
          This session does not say who you are. Type /incidents dashboard in Slack and open its link, or sign in by
          OpenID Connect.
        </p>
      ) : (
        <>
          <RecordTable
            caption={<>Ways to wake {<Foreign>{person.name}</Foreign>}</>}
            records={ways}
            values={{
              Way: ({ kind, shown }) => (
                <>
                  {capitalise(WAY_WORDS[kind])} <Foreign>{shown}</Foreign>
                </>
              ),
              'Loud steps': ({ loudAfterS }) => waitWords(loudAfterS),
              'Quiet steps': ({ quietAfterS }) => waitWords(quietAfterS),
              State: (way) => (
                <>
                  <State way={way} view={view} />
                  <LastTest test={way.lastTest} now={now} />
                </>
              ),
            }}
            action={{ heading: 'Do', of: (way) => <Actions way={way} session={session} /> }}
          />
          <AddWays view={view} person={person} />
          <Quiet person={person} session={session} />
        </>
      )}
    </>,
  );
}

function Choose({ person, people }: Pick<WaysView, 'person' | 'people'>) {
  return (
    <form class="row" method="get" action={WAYS_URL}>
      <Select
        label="Person"
        name="person"
        value={person?.id}
        options={[['', 'yourself'] as const, ...people.map(({ id, name }) => [id, name] as const)]}
      />
      <button type="submit">Show</button>
    </form>
  );
}

function capitalise(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function waitWords(seconds: number | null): string {
  if (seconds === null) {
    return 'not used';
  }
  return seconds === 0 ? 'at once' : `after ${seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}`;
}

function State({ way, view: { session, now } }: { way: ShownWay; view: WaysView }) {
  const { id, provedBy, verifiedAt, lastAnsweredAt, unusableBecause } = way;
  if (unusableBecause !== null) {
    return <strong>Does not work: {unusableBecause}</strong>;
  }
  if (verifiedAt === null && provedBy === 'code') {
    return (
      <ActionForm action={`${WAYS_URL}/${id}/verify`} session={session}>
        <label>
          Code that was sent
          <input name="code" inputmode="numeric" autocomplete="one-time-code" required pattern="\s*\d{6}\s*" size={6} />
        </label>
        <button type="submit">Verify</button>
      </ActionForm>
    );
  }
  if (verifiedAt === null) {
    return <>Not proved yet: send a test{provedBy === 'answer' && ', and answer it'}</>;
  }
  return lastAnsweredAt === null ? (
    <>Never answered yet</>
  ) : (
    <>
      Answered <Ago at={lastAnsweredAt} now={now} />
    </>
  );
}

/** Only where it did not arrive, or is not known to. */
function LastTest({ test, now }: { test: ShownWay['lastTest']; now: Date }) {
  if (test?.state === 'sending') {
    return (
      <p class="quiet">
        A test was asked for <Ago at={test.at} now={now} />. Reload this page if it does not arrive: it says why.
      </p>
    );
  }
  return test?.state === 'failed' ? (
    <p class="alarm">
      The last test failed, <Ago at={test.at} now={now} />: {test.detail}.
    </p>
  ) : null;
}

function Actions({ way: { id, shown }, session }: { way: ShownWay; session: DashboardSession }) {
  return (
    <>
      <InlineAction action={`${WAYS_URL}/${id}/test`} session={session} text="Test" label={`Test ${shown}`} />{' '}
      <InlineAction action={`${WAYS_URL}/${id}/remove`} session={session} text="Remove" label={`Remove ${shown}`} />
    </>
  );
}

function AddWays({ view: { session, pushKey, missing, typed }, person }: { view: WaysView; person: KnownPerson }) {
  return (
    <>
      <form class="row" method="post" action={WAYS_URL} data-push-key={pushKey} hidden>
        <CsrfField session={session} />
        <input type="hidden" name="person" value={person.id} />
        <input type="hidden" name="kind" value="web_push" />
        <input type="hidden" name="address" />
        <Waits />
        <button type="submit">Wake me by this browser</button>
        <span class="quiet" role="status" />
      </form>
      <CreateForm title="Add an address" action={WAYS_URL} session={session} fault={null} verb="Add">
        <input type="hidden" name="person" value={person.id} />
        <Select
          label="Way"
          name="kind"
          value={typed.kind ?? 'email'}
          options={TYPED.filter((kind) => missing(kind) === null).map((kind) => [kind, capitalise(WAY_WORDS[kind])])}
        />
        <label>
          Address
          <input name="address" required maxlength={2_000} autocomplete="off" value={typed.address} />
        </label>
        <Waits typed={typed} />
        <ul class="quiet">
          {TYPED.map((kind) => (
            <li>
              {capitalise(WAY_WORDS[kind])}: {missing(kind) ?? WAY_ADDRESSES[kind]}.
            </li>
          ))}
        </ul>
      </CreateForm>
    </>
  );
}

function Quiet({ person: { id, quietHours, timeZone }, session }: { person: KnownPerson; session: DashboardSession }) {
  return (
    <ActionForm action={`${WAYS_URL}/quiet-hours`} session={session}>
      <h2>Quiet hours</h2>
      <p>
        In these hours a quiet step uses your quiet ways alone; without any, it waits for the end. Loud steps ring as
        always.
      </p>
      <input type="hidden" name="person" value={id} />
      <div class="row">
        <label>
          From
          <input type="time" name="from" value={quietHours?.from} />
        </label>
        <label>
          Until
          <input type="time" name="until" value={quietHours?.until} />
        </label>
        <Field label="Time zone" name="zone" value={timeZone ?? ''} options={Intl.supportedValuesOf('timeZone')} />
        <button type="submit">Save</button>
      </div>
    </ActionForm>
  );
}

function Waits({ typed = {} }: { typed?: TypedWay }) {
  return (
    <>
      <Select label="In loud steps" name="loud" value={typed.loud ?? '0'} options={WAITS} />
      <Select label="In quiet steps" name="quiet" value={typed.quiet ?? '0'} options={WAITS} />
    </>
  );
}
