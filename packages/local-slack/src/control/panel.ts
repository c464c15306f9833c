import { z } from 'zod';
import type { Clock } from '../clock.ts';

const Line = z.string().min(1).max(200);

/** What a program shows beside the workspace, as a rehearsal that breaks things and keeps the score. */
export const Panel = z.strictObject({
  title: z.string().min(1).max(60),
  /** Shown below their group, in the order given; `active` is shown as pressed. */
  buttons: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(100),
        label: z.string().min(1).max(80),
        group: z.string().max(60).default(''),
        active: z.boolean().default(false),
      }),
    )
    .max(60)
    .refine((buttons) => new Set(buttons.map(({ id }) => id)).size === buttons.length, 'two buttons have one id')
    .default([]),
  figures: z
    .array(z.strictObject({ label: Line, value: z.string().max(60), alarming: z.boolean().default(false) }))
    .max(40)
    .default([]),
  /** Newest first. */
  log: z.array(Line).max(100).default([]),
});
export type Panel = z.infer<typeof Panel>;

export interface PanelBoard {
  shown(): Panel | null;
  /** Shows this panel until the next; gives the ids of the buttons that were pressed since the last one, oldest first. */
  show(panel: Panel): readonly string[];
  /** @returns false: there is no such button now */
  press(button: string): boolean;
  takeAway(): void;
}

/** A program that is silent for so long has gone, and its panel with it. */
const PATIENCE_MS = 10_000;
const MOST_PRESSES = 100;

/** One panel at a time. @param onChange told when it looks different, comes or goes */
export function createPanelBoard(clock: Clock, onChange: () => void): PanelBoard {
  let panel: Panel | null = null;
  let pressed: readonly string[] = [];
  let callOffFarewell = (): void => {};

  function put(next: Panel | null): void {
    const isDifferent = JSON.stringify(next) !== JSON.stringify(panel);
    panel = next;
    if (isDifferent) {
      onChange();
    }
  }

  function takeAway(): void {
    callOffFarewell();
    pressed = [];
    put(null);
  }

  return {
    shown: () => panel,
    show(next) {
      callOffFarewell();
      callOffFarewell = clock.after(PATIENCE_MS, takeAway);
      put(next);
      const taken = pressed;
      pressed = [];
      return taken;
    },
    press(button) {
      if (panel?.buttons.some(({ id }) => id === button) !== true) {
        return false;
      }
      pressed = [...pressed, button].slice(-MOST_PRESSES);
      return true;
    },
    takeAway,
  };
}
