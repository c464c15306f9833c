import { z } from 'zod';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { SIGNING_VENDORS } from '../../../contract/vendors.ts';
import { type Integration, isIncoming } from '../../core/integration.ts';
import { stateOfIntegration } from '../../core/integration-state.ts';
import { hasRole } from '../../core/session.ts';
import { readCursor } from '../../http/cursor.ts';
import { FORMATS } from '../../ingest/formats/formats.ts';
import { PRESETS } from '../../ingest/presets/presets.ts';
import type { Position } from '../../store/shared/page.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { Pager } from '../parts/pager.tsx';
import { nextPage, type Paged, previousPage, Trail } from '../parts/paging.ts';
import { RecordTable } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { optional, pageAddress } from '../query-fields.ts';
import { CreateForm, NameField } from './create-form.tsx';
import { renderSettingsPage } from './settings-page.tsx';

const INCOMING_WORDS = Object.fromEntries(
  Object.entries(FORMATS).map(([type, { words }]) => [type, words]),
) as Readonly<Record<keyof typeof FORMATS, string>>; // what Object.entries gives

export const TYPE_WORDS: Readonly<Record<Integration['type'], string>> = {
  ...INCOMING_WORDS,
  webhook: 'Webhook',
  pagerduty: 'PagerDuty (out)',
  slack: 'Slack',
};

/** Types that people create here. The bot registers Slack by itself. */
const TYPES = [...Object.keys(INGEST_PATHS), 'webhook', 'pagerduty'] as const;

const PATH = '/dashboard/settings/integrations';

interface IntegrationsView {
  readonly session: DashboardSession;
  /** Those of the page, newest first. */
  readonly integrations: readonly Integration[];
  readonly paged: Paged;
  /** Of the page; null: it is the last one. */
  readonly end: Position | null;
  readonly systems: readonly string[];
  /** What hinders signals on their way, as `/readyz` says. */
  readonly troubles: readonly string[];
  /** What is wrong with the form. */
  readonly fault: string | null;
  /** What was typed in it. */
  readonly given: Given;
  readonly now: Date;
}

const Query = z.object({ cursor: optional(z.string()), trail: Trail });

/** Which page an address asks for. */
export function readIntegrationsQuery(parameters: Readonly<Record<string, string>>): Paged {
  const { cursor, trail } = Query.parse(parameters);
  return { after: cursor === undefined ? null : readCursor(cursor, 'int'), trail };
}

/** Fields of a form by their names. */
export type Given = Readonly<Record<string, unknown>>;

export function integrationUrl(id: string): string {
  return `${PATH}/${id}`;
}

export function nameOf({ name, type }: Integration): string {
  return name ?? TYPE_WORDS[type];
}

export function renderIntegrationsPage(view: IntegrationsView) {
  const { session, integrations, paged, end, troubles, now } = view;
  const [previous, next] = [previousPage(paged), nextPage(paged, end)];
  return renderSettingsPage(
    { title: 'Integrations', current: 'integrations', session, now },
    <>
      <p>Integrations send signals to Tocsin, or receive its events.</p>
      {troubles.map((trouble) => (
        <p class="alarm">{trouble}</p>
      ))}
      {hasRole(session, 'admin') ? (
        <NewIntegrationForm {...view} />
      ) : (
        <p>Only admins create and change integrations.</p>
      )}
      {integrations.length === 0 ? (
        <p class="empty">There are no integrations yet.</p>
      ) : (
        <RecordTable
          caption="Newest first"
          records={integrations}
          values={{
            Name: (integration) => (
              <a href={integrationUrl(integration.id)}>
                <Foreign>{nameOf(integration)}</Foreign>
              </a>
            ),
            Type: ({ type }) => TYPE_WORDS[type],
            ...(integrations.some(({ system }) => system !== MAIN_SYSTEM) && {
              System: ({ type, system }: Integration) => (isIncoming(type) ? system : ''),
            }),
            Status: (integration) => <Status integration={integration} now={now} />,
            'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Ago at={lastUsedAt} now={now} />),
          }}
        />
      )}
      <Pager
        label="Pages"
        first={paged.after === null ? null : { href: PATH, text: 'Newest' }}
        previous={previous && { href: pageAddress(PATH, previous), text: 'Newer' }}
        next={next && { href: pageAddress(PATH, next), text: 'Older' }}
      />
    </>,
  );
}

/** How it is, by what happened. */
export function Status({ integration, now }: { integration: Integration; now: Date }) {
  const { lastError, silentSince, unkept } = integration;
  const state = stateOfIntegration(integration);
  switch (state) {
    case 'waiting':
      return <span>{awaitedBy(integration)}</span>;
    case 'used':
      return unkept === null ? (
        <span class="calm">works</span>
      ) : (
        <>
          <span class="calm">works</span>, but <Ago at={unkept.at} now={now} /> not kept:{' '}
          <Foreign>{unkept.reason}</Foreign>
        </>
      );
    case 'silent':
      return (
        <>
          <span class="alarm">silent</span>
          {silentSince !== null && (
            <>
              {': nothing came in time, noticed '}
              <Ago at={silentSince} now={now} />
            </>
          )}
        </>
      );
    case 'refused':
    case 'failing':
    case 'disabled':
      return (
        <>
          <span class="alarm">{state === 'refused' ? 'last payload refused' : state}</span>
          {lastError !== null && (
            <>
              : <Foreign>{lastError}</Foreign>
            </>
          )}
        </>
      );
    default:
      return state satisfies never;
  }
}

function awaitedBy({ type }: Integration): string {
  if (isIncoming(type)) {
    return 'waiting for the first signal';
  }
  return type === 'slack' ? 'waiting for the first card' : 'waiting for the first delivery';
}

type FieldName =
  | 'url'
  | 'service'
  | 'interval_seconds'
  | 'grace_seconds'
  | 'silence_minutes'
  | 'secret'
  | 'routing_key';

interface FieldOf {
  readonly name: FieldName;
  readonly label: string;
  /** Types of integrations that have the field. The page's script hides it for others. */
  readonly types: readonly string[];
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

const SENDERS = Object.keys(INGEST_PATHS).filter((type) => type !== 'heartbeat');

const FIELDS: readonly FieldOf[] = [
  {
    name: 'url',
    label: 'Address',
    types: ['webhook', 'pagerduty'],
    attributes: { type: 'url', maxlength: 2_000, placeholder: 'https://…' },
  },
  {
    name: 'routing_key',
    label: 'Integration key',
    types: ['pagerduty'],
    attributes: { maxlength: 200, spellcheck: false },
  },
  { name: 'service', label: 'Service', types: ['heartbeat'], attributes: { maxlength: 200, placeholder: 'backup' } },
  {
    name: 'interval_seconds',
    label: 'Seconds between two heartbeats',
    types: ['heartbeat'],
    attributes: { type: 'number', min: 10, max: 2_678_400, placeholder: '3600' },
  },
  {
    name: 'grace_seconds',
    label: 'Seconds that a heartbeat may be late',
    types: ['heartbeat'],
    attributes: { type: 'number', min: 10, max: 2_678_400, placeholder: '60' },
  },
  {
    name: 'secret',
    label: 'Secret that signs',
    types: SIGNING_VENDORS,
    attributes: { maxlength: 255, spellcheck: false },
  },
  {
    name: 'silence_minutes',
    label: 'Minutes of silence that open an incident (empty: none)',
    types: SENDERS,
    attributes: { type: 'number', min: 1, max: 44_640 },
  },
];

/** Never sent back to the page. */
const SECRETS: readonly FieldName[] = ['secret', 'routing_key'];

function NewIntegrationForm({ session, systems, fault, given }: IntegrationsView) {
  const typed = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  return (
    <CreateForm title="Create an integration" action="/dashboard/settings/integrations" session={session} fault={fault}>
      <Select
        label="Type"
        name="type"
        value={typed('type')}
        options={TYPES.map((type) => [type, TYPE_WORDS[type as Integration['type']]])}
      />
      <NameField value={typed('name')} />
      <div data-for="json">
        <Select
          label="Product"
          name="preset"
          value={typed('preset')}
          options={[['', 'another: write a mapping'], ...PRESETS.map(({ id, name }) => [id, name] as const)]}
        />
      </div>
      {FIELDS.map(({ name, label, types, attributes }) => (
        <label data-for={types.join(' ')}>
          {label}
          <input
            name={name}
            autocomplete="off"
            {...attributes}
            value={SECRETS.includes(name) ? undefined : typed(name)}
          />
        </label>
      ))}
      {systems.length > 1 && (
        <div data-for={Object.keys(INGEST_PATHS).join(' ')}>
          <Field label="System" name="system" value={typed('system') ?? MAIN_SYSTEM} options={systems} />
        </div>
      )}
    </CreateForm>
  );
}
