import { z } from 'zod'

/** What runs the text of a script. */
export const Interpreter = z.enum(['powershell', 'cmd', 'python', 'shell', 'nushell', 'deno', 'node'])
export type Interpreter = z.infer<typeof Interpreter>
