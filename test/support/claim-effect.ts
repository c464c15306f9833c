import type { Busy, KeptEffect, KeptEffects } from '../../src/effects/kept-effects.ts';

/** Claims the effect of these kinds that has been due longest, as a process with one place does. null: none is due */
export async function claimEffect(
  effects: Pick<KeptEffects<never>, 'claim'>,
  kinds: readonly string[],
  busyLanes: readonly string[] = [],
): Promise<KeptEffect | null> {
  const target = 'one';
  const busy: Busy[] = busyLanes.map((lane) => ({ target, lane }));
  const [effect = null] = await effects.claim(
    kinds.map((kind) => ({ kind, target, places: 1 })),
    busy,
  );
  return effect;
}
