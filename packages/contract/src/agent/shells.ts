import { z } from 'zod'

const ShellPath = z.string().min(1).max(1000)

/** Which shell, and as whom; without them the machine's default one, as the agent's own user. */
export const ShellWish = z.object({
  /** A program of the machine: its path, or a name that is looked for. */
  shell: ShellPath.optional(),
  /** As whoever is signed in at the machine. */
  as_user: z.boolean().optional(),
})
export type ShellWish = z.infer<typeof ShellWish>

export const MachineShell = z.object({ name: z.string().max(100), path: ShellPath })
export type MachineShell = z.infer<typeof MachineShell>

/** What a terminal of a machine can begin with. */
export const TerminalDefaults = z.object({
  /** The default one first. */
  shells: z.array(MachineShell).min(1).max(50),
  /** As whom the agent runs. */
  agent_user: z.string().max(200),
  /** Who is signed in at the machine. */
  signed_in_user: z.string().max(200).nullable(),
  /** Why no shell can be started as that user, as a sentence; null where one can. */
  why_no_user: z.string().max(500).nullable(),
})
export type TerminalDefaults = z.infer<typeof TerminalDefaults>
