import type { ServiceClient } from '../../client/service-client.ts';
import { withTimeout } from '../../runtime/timeout.ts';
import { isKeyRefused } from '../actions/service-failure.ts';
import { BotStartError } from '../slack/start-error.ts';
import type { InstallationStore } from './installation.ts';
import { EMBEDDED_SERVICE } from './installation.ts';

const KEY_CHECK_MS = 3_000;

/** @throws BotStartError when the database belongs to another service, where the same ids mean other incidents */
export async function refuseOtherService(
  store: { readonly installation: InstallationStore },
  serviceId: string,
  movedFrom: string | null,
): Promise<void> {
  const other = await store.installation.findOtherService(serviceId, movedFrom);
  if (other === null) {
    return;
  }
  const back = other === EMBEDDED_SERVICE ? 'unset INCIDENTS_BASE_URL' : `set INCIDENTS_BASE_URL to ${other}`;
  throw new BotStartError(
    `This database belongs to another incident service (${other}): choose another DATABASE_URL or DATA_DIR, or ${back}; if the same service has a new address, set INCIDENTS_MOVED_FROM=${other}.`,
  );
}

/** @throws BotStartError when the service refuses the API key. A service that does not respond is not an error here. */
export async function refuseBadKey(service: Pick<ServiceClient, 'listIncidents'>): Promise<void> {
  const failure = await withTimeout(KEY_CHECK_MS, () => service.listIncidents({ limit: 1 })).then(
    () => null,
    (error: unknown) => error,
  );
  if (isKeyRefused(failure)) {
    throw new BotStartError(
      'The incident service refuses INCIDENTS_API_KEY: create a key in its dashboard under Settings, API Keys, and set it.',
      { cause: failure },
    );
  }
}
