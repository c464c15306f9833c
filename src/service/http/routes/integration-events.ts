import { NotFoundError } from '../../core/errors.ts';
import type { IngestRouteDeps } from '../ingest-gates.ts';
import { createMappedIntake } from '../mapped-intake.ts';
import { RequestError, STATUS_BY_CODE } from '../problem.ts';
import { noteOutcome } from '../record-outcome.ts';
import type { Handlers } from '../route-handlers.ts';
import { warningsOf } from '../unkept-notes.ts';
import { checkIntegrationId } from './integrations.ts';
import { receiveMapped } from './json.ts';

/** Events that a client hands over for an integration, which is their sender. */
export function createIntegrationEventHandlers(deps: Omit<IngestRouteDeps, 'keys'>): Pick<Handlers, 'handOverEvents'> {
  const take = createMappedIntake(deps);
  return {
    async handOverEvents({ id, body: { events }, context: c }) {
      if ((await deps.integrations.find(checkIntegrationId(id))) === null) {
        throw new NotFoundError('integration', id);
      }
      c.set('key', { ...c.get('key'), integrationId: id });
      try {
        await receiveMapped(c, events, deps, take);
      } catch (error) {
        if (error instanceof RequestError) {
          await noteOutcome(c, { status: STATUS_BY_CODE[error.code], error }, deps);
        }
        throw error;
      }
      await noteOutcome(c, { status: 200 }, deps);
      return { body: warningsOf(c) };
    },
  };
}
