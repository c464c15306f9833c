import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { HANG_MS } from '../support/hang.ts';
import { startTestService } from '../support/test-service.ts';
import { createServiceModel } from './service-model-fixture.ts';
import { anyStep } from './service-model-steps.ts';

it('matches its model, whatever callers do concurrently', async () => {
  let incidentsSeen = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyStep, { minLength: 1, maxLength: 5 }), { minLength: 6, maxLength: 10 }),
      async (batches) => {
        await using tocsin = await startTestService();
        const model = await createServiceModel(tocsin);
        for (const batch of batches) {
          await model.perform(batch);
          // Signals may join an incident between two reads.
          await vi.waitFor(() => model.check(), { timeout: HANG_MS });
        }
        incidentsSeen += model.incidentCount();
      },
    ),
    { seed: 20_261_121, numRuns: 15, endOnFailure: true },
  );
  expect(incidentsSeen).toBeGreaterThan(10);
});
