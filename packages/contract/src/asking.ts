import { z } from 'zod'

/** Sent to a tool's window before anything else if the user at the machine is asked for consent. */
export const AskingNews = z.object({
  type: z.literal('asking'),
  /** Time limit of the response. */
  seconds: z.int(),
})
export type AskingNews = z.infer<typeof AskingNews>
