import { z } from 'zod'
import { MacAddress } from './facts.ts'

/**
 * Distinguishes a machine from a clone of its system, see compareHardware. A value that it cannot read is absent. An agent may
 * claim anything, so the server decides nothing that needs a proof by it.
 */
export const Hardware = z.object({
  dmi_uuid: z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    .optional(),
  macs: z.array(MacAddress).max(32),
  disk_serial: z.string().min(1).max(100).optional(),
})
export type Hardware = z.infer<typeof Hardware>
