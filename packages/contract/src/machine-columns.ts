import { z } from 'zod'

/** A column of the machines table. Unknown ids, such as a deleted custom field, are not shown. */
export const MachineColumnChoice = z.object({
  /** `hostname`, or `field_3` for a custom field. */
  id: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'A column has lower-case letters, digits and _.'),
  /** Pixels; null = the usual width. */
  width: z.int().min(28).max(1000).nullable(),
})
export type MachineColumnChoice = z.infer<typeof MachineColumnChoice>

/** From left to right. Empty = the default columns. */
export const MachineColumnChoices = z.array(MachineColumnChoice).max(60)
