import { z } from 'zod';
import {
  IncidentEvent,
  IncidentWebhook,
  IntegrationEvent,
  IntegrationWebhook,
  ServiceEvent,
} from '../../contract/events.ts';
import * as integrations from '../../contract/integrations.ts';
import * as lists from '../../contract/lists.ts';
import * as mute from '../../contract/mute.ts';
import * as onCall from '../../contract/on-call.ts';
import { Problem } from '../../contract/problem.ts';
import * as requests from '../../contract/requests.ts';
import * as resources from '../../contract/resources.ts';
import { routes } from '../../contract/routes.ts';
import * as signIn from '../../contract/sign-in.ts';
import * as waking from '../../contract/waking.ts';
import { GenericEvent } from '../ingest/formats/generic/generic-event.ts';

type Json = Record<string, unknown>;

const PREFIX = '#/components/schemas/';

const BESIDE_ROUTES = {
  GenericEvent,
  IncidentEvent,
  IncidentSummary: resources.IncidentSummary,
  IncidentWebhook,
  IntegrationEvent,
  IntegrationWebhook,
  Problem,
  ServiceEvent,
};

const OF_ROUTES: ReadonlySet<unknown> = new Set(
  Object.values(routes).flatMap(({ body, response }) => [body, response].filter((schema) => schema !== null)),
);

/** Request and response bodies by the name under which the contract exports them. */
const SCHEMAS = new Map<string, z.ZodType>(
  Object.entries({
    ...requests,
    ...resources,
    ...integrations,
    ...lists,
    ...mute,
    ...onCall,
    ...signIn,
    ...waking,
    ...BESIDE_ROUTES,
  })
    .flatMap(([name, value]): [string, z.ZodType][] =>
      value instanceof z.ZodType && (OF_ROUTES.has(value) || name in BESIDE_ROUTES) ? [[name, value]] : [],
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
);

export function describeSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of SCHEMAS) {
    registry.add(schema, { id });
  }
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => PREFIX + id });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutNames(schema)]));
}

/** The key of a component is its name. */
function withoutNames(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema'));
}

/** @throws TypeError for a schema that the contract does not export */
export function refer(schema: z.ZodType): Json {
  const [name] = [...SCHEMAS].find(([, known]) => known === schema) ?? [];
  if (name === undefined) {
    throw new TypeError('a route of the contract has a schema that the contract does not export');
  }
  return { $ref: PREFIX + name };
}
