/** What one process can run alone: `npm start -- bot`. */
export const PARTS = ['bot', 'service', 'local-slack'] as const;
export type Part = (typeof PARTS)[number];
