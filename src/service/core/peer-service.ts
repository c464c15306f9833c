import { clip, TEXT_LIMITS } from './text.ts';

/** The service at the other end of a call, as its caller names it; empty when it does not. */
export function peerService(attributes: Readonly<Record<string, unknown>>): string {
  const name = attributes['service.peer.name'] ?? attributes['peer.service'];
  return typeof name === 'string' ? clip(name.trim(), TEXT_LIMITS.service) : '';
}
