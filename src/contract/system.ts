import { z } from 'zod';

/** The system of every integration that names none, and of keys that belong to no integration. It is not shown. */
export const MAIN_SYSTEM = 'main';

const MAX_LENGTH = 40;

/**
 * A system is what is judged together: integrations whose telemetry shares a graph, such as production of one organisation, a
 * tenant or a region. What is learnt is learnt of one system, and no incident has signals of two.
 */
export const System = z
  .string()
  .max(MAX_LENGTH)
  .regex(
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    'must be lower-case letters and digits with single dashes between them: acme-prod',
  );
