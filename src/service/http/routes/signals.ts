import { presentSignal } from '../../core/present.ts';
import { presentPage, readPageRequest } from '../cursor.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

export function createSignalHandlers({ signals, readShares }: RouteDeps): Pick<Handlers, 'listSignals' | 'getSignal'> {
  return {
    async listSignals({ query, caller }) {
      const { q: text, ...filter } = query;
      const page = await readShares.run(caller, () => signals.list({ ...filter, text }, readPageRequest(query, 'sig')));
      return { body: { signals: page.items.map(presentSignal), ...presentPage(page, query) } };
    },

    async getSignal({ id }) {
      return { body: presentSignal(await signals.get(id)) };
    },
  };
}
