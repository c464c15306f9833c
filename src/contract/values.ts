import { z } from 'zod';

/** Opaque. Our service uses at most 64 characters; 255 are accepted from other services. */
export const Id = z.string().min(1).max(255);

/** RFC 3339. Our service writes UTC with milliseconds and `Z`. */
export const Timestamp = z.iso.datetime({ offset: true });

export const Count = z.int().nonnegative();

/** Who the person is whom the field without `_id` names, see `Actor`; null: not known. */
export const ActorId = z.string().nullish();
