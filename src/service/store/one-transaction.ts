import {
  CompiledQuery,
  type ControlledTransaction,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';

/**
 * Everything that `work` does with its database is one transaction: all of it is stored, or none. A transaction of `work`
 * becomes a savepoint, in which only its own `tx` may be used. It begins with the first statement, so `work` may wait for others
 * before that.
 *
 * @throws what `work` throws, and nothing of it is stored
 */
export async function inOneTransaction<Tables, Result>(
  db: Kysely<Tables>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const transaction: { begun?: Promise<ControlledTransaction<Tables>> } = {};
  const joined = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (all) => new PostgresIntrospector(all),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () =>
        driverOf(async () => {
          transaction.begun ??= db.startTransaction().execute();
          return (await transaction.begun).getExecutor().provideConnection(async (connection) => connection);
        }),
    },
  });
  try {
    const result = await work(joined);
    await (await transaction.begun)?.commit().execute();
    return result;
  } catch (error) {
    // Without a connection nothing is left to roll back.
    await transaction.begun?.then((begun) => begun.rollback().execute()).catch(() => undefined);
    throw error;
  }
}

/** Whoever has the one connection keeps others waiting: statements of a part that fails are not mixed with theirs. */
function driverOf(connect: () => Promise<DatabaseConnection>): Driver {
  let last = Promise.resolve();
  let release = () => {};
  const run = (text: string) => async (connection: DatabaseConnection) => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  const nothing = async () => undefined;
  return {
    init: nothing,
    destroy: nothing,
    async acquireConnection() {
      const before = last;
      const turn = Promise.withResolvers<void>();
      last = turn.promise;
      await before;
      release = turn.resolve;
      return connect().catch((error: unknown) => {
        turn.resolve();
        throw error;
      });
    },
    releaseConnection: async () => release(),
    beginTransaction: run('savepoint part'),
    commitTransaction: run('release savepoint part'),
    rollbackTransaction: run('rollback to savepoint part; release savepoint part'),
  };
}
