import { LRUCache } from 'lru-cache';
import { expect, it } from 'vitest';
import { atMost } from './cache-limit.ts';

it('removes the entry that was used least recently once there are too many', () => {
  const cache = new LRUCache<string, number>(atMost(2));

  cache.set('first', 1).set('second', 2);
  cache.get('first');
  cache.set('first', 3).set('third', 4);

  expect(Object.fromEntries(cache.entries())).toEqual({ third: 4, first: 3 });
});

it('takes no memory for entries that are not there', () => {
  const before = process.memoryUsage();
  const caches = Array.from({ length: 50 }, () => new LRUCache<string, number>(atMost(1_000_000)));
  const after = process.memoryUsage();

  expect(caches).toHaveLength(50);
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1_000_000); // `max` allocates 12 MB for each
});
