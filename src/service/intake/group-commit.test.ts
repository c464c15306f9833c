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

const UNLIMITED = { costOf: () => 0, maxCost: 1 };

describe('createGroupCommit', () => {
  it('combines batches that arrive during a commit into the next one', async () => {
    const { groups, commit } = heldCommits();
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10, ...UNLIMITED });

    const first = queue.add('key', ['a']);
    const others = Promise.all([queue.add('key', ['b']), queue.add('key', ['c'])]);
    groups[0]?.end.resolve();
    await first;
    await expect.poll(() => groups.length).toBe(2);
    groups[1]?.end.resolve();
    await others;

    expect(groups.map(({ batches }) => batches)).toEqual([['a'], ['b', 'c']]);
  });

  it('refuses batches beyond the limit at once, and accepts more when there is room again', async () => {
    const { groups, commit } = heldCommits();
    const queue = createGroupCommit({ commit, sizeOf: (batch) => batch.length, maxWaiting: 3, ...UNLIMITED });

    const running = queue.add('key', ['large batch']); // a single batch is accepted whatever its size
    const fits = queue.add('key', ['xxx']);

    await expect(queue.add('key', ['y'])).rejects.toThrow(QueueFullError);
    groups[0]?.end.resolve();
    await running;
    await expect.poll(() => groups.length).toBe(2);
    const later = queue.add('key', ['y']);
    groups[1]?.end.resolve();
    await fits;
    await expect.poll(() => groups.length).toBe(3);
    groups[2]?.end.resolve();
    await later;
  });

  it('lets senders take turns, so that one with much to store delays no other', async () => {
    const { groups, commit } = heldCommits();
    const limits = { costOf: () => 1, maxCost: 2 };
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10, ...limits });

    const heavy = queue.add('heavy', ['h1', 'h2', 'h3', 'h4', 'h5']);
    const light = queue.add('light', ['l1']);
    groups[0]?.end.resolve();
    await expect.poll(() => groups.length).toBe(2);
    groups[1]?.end.resolve();
    await light;
    await expect.poll(() => groups.length).toBe(3);
    groups[2]?.end.resolve();
    await heavy;

    expect(groups.map(({ batches }) => batches)).toEqual([
      ['h1', 'h2'],
      ['h3', 'l1'],
      ['h4', 'h5'],
    ]);
  });

  it('leaves room for others, however much one sender wants to store', async () => {
    const { groups, commit } = heldCommits();
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10, ...UNLIMITED });

    const running = queue.add('heavy', ['running']);
    const heavy = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => {
        const added = queue.add('heavy', [`${index}`]);
        return Promise.race([added, Promise.resolve('waits')]);
      }),
    );
    const light = queue.add('light', ['l1']);
    groups[0]?.end.resolve();
    await running;
    await expect.poll(() => groups.length).toBe(2);
    groups[1]?.end.resolve();

    await expect(light).resolves.toHaveLength(1);
    expect(heavy.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
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
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10, ...UNLIMITED });

    const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((batch) => queue.add('key', [batch])));

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(stored).toEqual(['a', 'b', 'c']);
  });

  it('finishes accepted batches when it is closed, and refuses new ones', async () => {
    const stored: string[] = [];
    const commit = (batches: readonly string[]): Promise<void> => {
      stored.push(...batches);
      return Promise.resolve();
    };
    const queue = createGroupCommit({ commit, sizeOf: () => 1, maxWaiting: 10, ...UNLIMITED });

    const taken = Promise.all([queue.add('key', ['a']), queue.add('key', ['b'])]);
    await queue.close();

    await taken;
    expect(stored).toEqual(['a', 'b']);
    await expect(queue.add('key', ['c'])).rejects.toThrow(QueueFullError);
  });
});
