import { z } from 'zod'

/** How a command line is run. `custom` needs `custom_shell`, the path of a program. */
export const Shell = z.enum(['bash', 'sh', 'cmd', 'powershell', 'custom'])
export type Shell = z.infer<typeof Shell>
