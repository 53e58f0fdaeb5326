import { z } from 'zod'

export const Interpreter = z.enum(['powershell', 'cmd', 'python', 'shell', 'nushell', 'deno', 'node'])
export type Interpreter = z.infer<typeof Interpreter>
