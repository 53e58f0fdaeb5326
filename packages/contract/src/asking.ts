import { z } from 'zod'

/** What a machine tells a tool's window before all else, where its rules want somebody there to be asked. */
export const AskingNews = z.object({
  type: z.literal('asking'),
  /** So long that person has to answer. */
  seconds: z.int(),
})
export type AskingNews = z.infer<typeof AskingNews>
