import fc from 'fast-check';

/** Properties try the same values in every run. `FUZZ_SEED=7 npx vitest run <file>` tries others. */
fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 20_261_122) });
