import { type Integration, isIncoming } from './integration.ts';

/**
 * `waiting`: it was never used. `used`: its last use succeeded. `refused`: what it sent last was refused. `failing`: what it
 * was sent last failed. `silent`: it is watched for silence, and sends nothing. `disabled`: it is sent nothing any more.
 */
export type IntegrationState = 'waiting' | 'used' | 'refused' | 'failing' | 'silent' | 'disabled';

type Happened = Pick<Integration, 'type' | 'lastUsedAt' | 'lastError' | 'disabledAt' | 'silentSince'>;

/** The one place that says how an integration is, by what happened. */
export function stateOfIntegration(happened: Happened): IntegrationState {
  const { type, lastUsedAt, lastError, disabledAt, silentSince } = happened;
  if (disabledAt !== null) {
    return 'disabled';
  }
  if (lastError !== null) {
    return isIncoming(type) ? 'refused' : 'failing';
  }
  if (silentSince !== null) {
    return 'silent';
  }
  return lastUsedAt === null ? 'waiting' : 'used';
}

/** The same in the words of the API, which knows fewer. */
export function integrationStatusOf(happened: Happened): 'active' | 'failing' | 'disabled' {
  const state = stateOfIntegration(happened);
  switch (state) {
    case 'disabled':
      return 'disabled';
    case 'refused':
    case 'failing':
      return 'failing';
    case 'waiting':
    case 'used':
    case 'silent':
      return 'active';
    default:
      return state satisfies never;
  }
}
