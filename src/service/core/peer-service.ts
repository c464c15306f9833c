import { clip, TEXT_LIMITS } from './text.ts';

/** The called service, as named by the caller; empty when it is not named. */
export function peerService(attributes: Readonly<Record<string, unknown>>): string {
  const name = attributes['service.peer.name'] ?? attributes['peer.service'];
  return typeof name === 'string' ? clip(name.trim(), TEXT_LIMITS.service) : '';
}
