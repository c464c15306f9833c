import type { z } from 'zod';
import type { Route, RouteName, routes } from '../../contract/routes.ts';
import type { IncidentStore } from '../store/incident-store.ts';
import type { IntegrationStore } from '../store/integration-store.ts';
import type { SignalStore } from '../store/signal-store.ts';

/** What the handlers of the routes work with. */
export interface RouteDeps {
  readonly incidents: IncidentStore;
  readonly signals: SignalStore;
  readonly integrations: IntegrationStore;
  readonly now: () => Date;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : null;

interface Input<R extends Route> {
  /** The path's `{id}`; empty for a path without one. */
  readonly id: string;
  readonly query: Parsed<R['query']>;
  readonly body: Parsed<R['body']>;
  readonly headers: Headers;
  /** Id of the API key. */
  readonly caller: string;
}

interface Answer<R extends Route> {
  readonly body: R['response'] extends z.ZodType ? z.input<R['response']> : null;
  /** Absent: the route's own. */
  readonly status?: 200;
  readonly headers?: Readonly<Record<string, string>>;
  /** More fields of the body, for this answer alone: they are secret, so no copy of the answer may hold them. */
  readonly once?: R['response'] extends z.ZodType ? Partial<z.input<R['response']>> : never;
}

/** One for each route of the contract. */
export type Handlers = {
  readonly [Name in RouteName]: (input: Input<(typeof routes)[Name]>) => Promise<Answer<(typeof routes)[Name]>>;
};

/** A handler of any route, for who has checked its input against the route. */
export type AnyHandler = (input: {
  readonly id: string;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: Headers;
  readonly caller: string;
}) => Promise<{
  readonly body: object | null;
  readonly status?: 200;
  readonly headers?: Record<string, string>;
  readonly once?: object;
}>;
