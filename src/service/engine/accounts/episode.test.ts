import { expect, it } from 'vitest';
import { fromSnapshot, toSnapshot } from '../engine-state.ts';
import { countsSinceOnset, createEpisode, type Episode, noteOnset } from './episode.ts';

it('counts all requests of an episode if a sum has no onset, also after a snapshot', () => {
  const episode = { ...createEpisode(1_000), requests: 8, total: 10 };
  noteOnset(episode, [2], 5_000);
  const restored = fromSnapshot<Episode>(toSnapshot(episode));

  expect(countsSinceOnset(restored, 0)).toMatchObject({ since: 1_000, requests: 8, total: 10 });
  expect(countsSinceOnset(restored, 2)).toMatchObject({ since: 5_000, requests: 0, total: 0 });
});
