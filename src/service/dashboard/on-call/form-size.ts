/** The largest form of a schedule that `ON_CALL_LIMITS` allow, 10 layers of 50 people and 10 times of day, has about 40 KiB. */
export const MAX_SCHEDULE_BYTES = 64 * 1024;

/** @param path of a request, without the public path */
export function isScheduleForm(path: string): boolean {
  return /^\/dashboard\/on-call\/[^/]+\/edit$/.test(path);
}
