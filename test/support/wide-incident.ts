import type { Updateable } from 'kysely';
import type { Correlation, FailingCall } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import type { TestService } from './test-service.ts';

/** Number of services that each service of a wide incident is called by. */
const CALLERS = 3;

/**
 * Calls of a failure that began in the first service: it is called by three, each of which is called by three, and so on.
 * The calls along the last branch fail.
 */
export function wideCalls(services: readonly string[]): FailingCall[] {
  const path = wayOf(services.length).map((index) => services[index] ?? '');
  return services.slice(1).map((from, index) => {
    const to = services[Math.floor(index / CALLERS)] ?? '';
    return { from, to, calls: 210 - index, failed: path.includes(from) ? 200 - index : index < 9 ? 4 : 0 };
  });
}

/** From the root to where requests enter: places among the services. */
export function wayOf(count: number): readonly number[] {
  const way: number[] = [];
  for (let index = count - 1; index > 0; index = Math.floor((index - 1) / CALLERS)) {
    way.unshift(index);
  }
  return [0, ...way];
}

/** What correlation finds of it. The calls along the longest way fail. */
export function wideCorrelation(services: readonly string[]): Pick<Correlation, 'services' | 'edges' | 'path'> {
  return {
    services: services.map((name, index) => ({ name, signals: 3, is_root: index === 0, score: index === 0 ? 0.9 : 0 })),
    edges: wideCalls(services).map(({ from, to, calls, failed }) => ({ from, to, calls, errors: failed })),
    path: wayOf(services.length).map((place) => ({ service: services[place] ?? '', requests: 200 - place })),
  };
}

/** Makes an incident affect these services, of which the first is its root. */
export async function widenIncident(tocsin: TestService, id: string, services: readonly string[]): Promise<void> {
  const impact = wideCalls(services).filter(({ failed }) => failed > 100);
  await changeCorrelation(tocsin, id, wideCorrelation(services), {
    services: [...services],
    root_service: services[0] ?? '',
    impact: JSON.stringify(impact.slice(0, 5)),
  });
}

/** Stores what correlation would find of an incident, and other columns of it. */
export async function changeCorrelation(
  tocsin: TestService,
  id: string,
  found: Partial<Correlation>,
  columns: Updateable<ServiceTables['incidents']> = {},
): Promise<void> {
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const { correlation } = await db
    .selectFrom('incidents')
    .select('correlation')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('incidents')
    .set({ ...columns, correlation: JSON.stringify({ ...correlation, ...found }) })
    .where('id', '=', id)
    .execute();
}
