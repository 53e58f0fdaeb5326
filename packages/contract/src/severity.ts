import { z } from 'zod'

export const Severity = z.enum(['info', 'warning', 'error'])
export type Severity = z.infer<typeof Severity>
