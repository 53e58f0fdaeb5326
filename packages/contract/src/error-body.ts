import { z } from 'zod'

/** The body of every refused request. `detail` is a message for users. */
export const ErrorBody = z.object({
  detail: z.string(),
  code: z.string(),
  fields: z.record(z.string(), z.array(z.string())).optional(),
  request_id: z.string(),
})
export type ErrorBody = z.infer<typeof ErrorBody>
