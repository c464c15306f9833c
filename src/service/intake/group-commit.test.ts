import { describe, expect, it } from 'vitest';
import { createGroupCommit, QueueFullError } from './group-commit.ts';

/** Commits that end when the test ends them. */
function heldCommits() {
  const groups: { readonly batches: readonly string[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const commit = (batches: readonly string[]): Promise<void> => {
    const end = Promise.withResolvers<void>();
    groups.push({ batches, end });
    return end.promise;
  };
  return { groups, commit };
}

describe('createGroupCommit', () => {
  it('combines batches that arrive during a commit into the next one', async () => {
    const { groups, commit } = heldCommits();
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10 });

    const first = queue.add('a');
    const others = Promise.all([queue.add('b'), queue.add('c')]);
    groups[0]?.end.resolve();
    await first;
    await expect.poll(() => groups.length).toBe(2);
    groups[1]?.end.resolve();
    await others;

    expect(groups.map(({ batches }) => batches)).toEqual([['a'], ['b', 'c']]);
  });

  it('refuses batches beyond the limit at once, and accepts more when there is room again', async () => {
    const { groups, commit } = heldCommits();
    const queue = createGroupCommit({ commit, sizeOf: (batch) => batch.length, maxWaiting: 3 });

    const running = queue.add('large batch'); // a single batch is accepted whatever its size
    const fits = queue.add('xxx');

    await expect(queue.add('y')).rejects.toThrow(QueueFullError);
    groups[0]?.end.resolve();
    await running;
    await expect.poll(() => groups.length).toBe(2);
    const later = queue.add('y');
    groups[1]?.end.resolve();
    await fits;
    await expect.poll(() => groups.length).toBe(3);
    groups[2]?.end.resolve();
    await later;
  });

  it('fails only the batch that cannot be stored', async () => {
    const stored: string[] = [];
    const commit = (batches: readonly string[]): Promise<void> => {
      if (batches.includes('bad')) {
        return Promise.reject(new Error('refused'));
      }
      stored.push(...batches);
      return Promise.resolve();
    };
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10 });

    const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((batch) => queue.add(batch)));

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(stored).toEqual(['a', 'b', 'c']);
  });

  it('finishes accepted batches when it is closed, and refuses new ones', async () => {
    const stored: string[] = [];
    const commit = (batches: readonly string[]): Promise<void> => {
      stored.push(...batches);
      return Promise.resolve();
    };
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10 });

    const taken = Promise.all([queue.add('a'), queue.add('b')]);
    await queue.close();

    await taken;
    expect(stored).toEqual(['a', 'b']);
    await expect(queue.add('c')).rejects.toThrow(QueueFullError);
  });
});
