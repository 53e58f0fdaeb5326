import { z } from 'zod'

/** Searched as `tag:name`, so the characters of the search language are excluded. */
export const TagName = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(40, 'A tag has at most 40 characters.')
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._/-]*$/u, 'Use letters, digits, spaces and . _ / - only.')

export const MAX_TAGS = 50
/** Names that differ in case only are the same tag. */
export const TagNames = z.array(TagName).max(MAX_TAGS)
