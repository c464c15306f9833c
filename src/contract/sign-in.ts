import { z } from 'zod';
import { REQUEST_LIMITS, user, userId } from './requests.ts';

/** What somebody may do in the dashboard, each role more than the one before. */
export const ROLES = ['viewer', 'responder', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const CreateSignInLinkRequest = z.object({
  /** Who signs in, as the API names people. */
  user,
  /** Shown instead of `user`. */
  name: z.string().trim().min(1).max(REQUEST_LIMITS.user).optional(),
  /** Who they are, as the caller has verified. */
  user_id: userId,
  slack_user_id: z.string().min(1).max(REQUEST_LIMITS.slackField).optional(),
  role: z.enum(ROLES),
  /** The page of the dashboard to show: a path that begins with `/dashboard`. */
  return_to: z.string().max(REQUEST_LIMITS.returnTo).optional(),
});
export type CreateSignInLinkRequest = z.infer<typeof CreateSignInLinkRequest>;

/** Signs one person in to the dashboard, once. */
export const SignInLink = z.object({
  /** Secret. Absent when the response is repeated for an `Idempotency-Key`. */
  url: z.url().optional(),
  expires_at: z.iso.datetime(),
});
export type SignInLink = z.infer<typeof SignInLink>;
