import type { Resource } from './telemetry.ts';
import { clip, TEXT_LIMITS, textOf } from './text.ts';

/** What distinguishes one replica of a service from the others, the most reliable first. */
const NAMES = ['service.instance.id', 'k8s.pod.name', 'host.name'];

/** @returns null: the sender does not say which replica it is */
export function instanceOf({ attributes }: Resource): string | null {
  for (const name of NAMES) {
    const instance = textOf(attributes[name]).trim();
    if (instance !== '') {
      return clip(instance, TEXT_LIMITS.service);
    }
  }
  return null;
}
