import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { nameOf } from '../../src/database/prepared.ts';

/** Marks every statement with parameters as one that is prepared. */
const MARK = '/* prepared kept */ ';

/** Makes clients whose connection stays open when they end, for the next client with the same settings. */
export interface KeptClients {
  readonly newClient: (config: ClientConfig) => Client;
  /** Ends the connections that nobody uses. */
  end(): Promise<void>;
}

/** What the types of `pg` do not show. */
interface Hidden {
  readonly connection: { readonly stream: Socket };
  readonly _queryable: boolean;
  readonly _ended: boolean;
  _getActiveQuery(): object | null;
}

/**
 * @param options.most connections that are kept while nobody uses them: all workers share one server
 * @param options.prepares whether each statement with parameters is prepared once per connection. To parse and plan what a
 * thousand tests run again is a third of the work of the server.
 */
export function keepClients({ most, prepares }: { readonly most: number; readonly prepares: boolean }): KeptClients {
  const idle = new Map<string, KeptClient[]>();

  class KeptClient extends Client {
    readonly #key: string;
    readonly #names = new Map<string, string>();
    #isConnected = false;
    #hasListened = false;

    constructor(config: ClientConfig, key: string) {
      super(config);
      this.#key = key;
      const run = this.query.bind(this) as (...args: unknown[]) => unknown;
      this.query = ((...args: unknown[]) => {
        const [text, values] = args;
        this.#hasListened ||= typeof text === 'string' && text.startsWith('listen ');
        const marked = prepares && typeof text === 'string' && Array.isArray(values) ? MARK + text : null;
        const name = marked === null ? null : nameOf(marked, this.#names);
        return name === null ? run(...args) : run({ name, text: marked, values });
      }) as Client['query'];
    }

    readonly #hidden = this as unknown as Hidden;

    isUsable(): boolean {
      return this.#hidden._queryable && !this.#hidden._ended;
    }

    override async connect(): Promise<this> {
      if (this.#isConnected) {
        this.#hidden.connection.stream.ref();
      } else {
        await super.connect();
        this.#isConnected = true;
      }
      return this;
    }

    /** A statement that still runs may hang, so its connection ends. */
    override async end(): Promise<void> {
      const isFull = [...idle.values()].flat().length >= most;
      if (isFull || !this.#isConnected || !this.isUsable() || this.#hidden._getActiveQuery() !== null) {
        return super.end();
      }
      if (this.#hasListened || this.getTransactionStatus() !== 'I') {
        await this.query('rollback; unlisten *');
      }
      this.#hasListened = false;
      this.emit('end');
      this.removeAllListeners();
      this.on('error', () => undefined); // its server may stop while nobody uses it
      this.#hidden.connection.stream.unref();
      idle.set(this.#key, [...(idle.get(this.#key) ?? []), this]);
    }

    async close(): Promise<void> {
      await super.end();
    }
  }

  return {
    newClient(config) {
      const key = JSON.stringify(config);
      const known = idle.get(key)?.filter((client) => client.isUsable()) ?? [];
      const client = known.pop() ?? new KeptClient(config, key);
      idle.set(key, known);
      return client;
    },
    async end() {
      await Promise.all([...idle.values()].flat().map((client) => client.close()));
      idle.clear();
    },
  };
}
