import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** Whether a step is done; null = the role of the caller does not allow it. */
const Step = z.boolean().nullable()

export const FirstSteps = z.object({
  /** The caller sees at least two machines. */
  machine: Step,
  /** An active policy is assigned. */
  policy: Step,
  /** There is an alert channel, and a message of Muster has arrived on one. */
  channel: Step,
  /** At least two users may sign in. */
  user: Step,
})
export type FirstSteps = z.infer<typeof FirstSteps>

export const getFirstSteps = endpoint({
  method: 'GET',
  path: '/core/first-steps/',
  access: 'signed-in',
  summary: 'Get which first steps after the setup are done, as far as the caller may take them',
  response: FirstSteps,
})
