import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

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

/** @param most connections that are kept while nobody uses them: all workers share one server */
export function keepClients(most: number): KeptClients {
  const idle = new Map<string, KeptClient[]>();

  class KeptClient extends Client {
    readonly #key: string;
    #isConnected = false;

    constructor(config: ClientConfig, key: string) {
      super(config);
      this.#key = key;
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
      await this.query('rollback; unlisten *');
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
