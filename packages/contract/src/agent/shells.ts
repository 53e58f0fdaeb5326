import { z } from 'zod'

/** How a command line is run. `custom` needs `custom_shell`, the path of a program. */
export const Shell = z.enum(['bash', 'sh', 'cmd', 'powershell', 'custom'])
export type Shell = z.infer<typeof Shell>

const SHELL_PATH = /^(?:\/|[A-Za-z]:\\)/

/** Returns a body whose shell, which other programs give as a path, has its name, or `custom` with that path. */
export function nameShell(given: Record<string, unknown>): Record<string, unknown> {
  const { shell } = given
  if (typeof shell !== 'string' || !SHELL_PATH.test(shell)) return given
  const name = /^\/(?:usr\/)?bin\/(bash|sh)$/.exec(shell)?.[1]
  return name === undefined
    ? { ...given, shell: 'custom', custom_shell: given['custom_shell'] ?? shell }
    : { ...given, shell: name }
}

export const Interpreter = z.enum(['powershell', 'cmd', 'python', 'shell', 'nushell', 'deno', 'node'])
export type Interpreter = z.infer<typeof Interpreter>

/**
 * User of a run: a name, or the user who is signed in at the machine when it starts. Agents that know only names refuse
 * the other form.
 */
export const RunAsUser = z.union([z.string().max(64), z.object({ signed_in: z.literal(true) })])
export type RunAsUser = z.infer<typeof RunAsUser>

const ShellPath = z.string().min(1).max(1000)

/** The shell and its user. Default: the machine's default shell, as the agent's own user. */
export const ShellRequest = z.object({
  /** A program on the machine: its path, or a name to search for. */
  shell: ShellPath.optional(),
  /** As the user who is signed in at the machine. */
  as_user: z.boolean().optional(),
})
export type ShellRequest = z.infer<typeof ShellRequest>

export const MachineShell = z.object({ name: z.string().max(100), path: ShellPath })
export type MachineShell = z.infer<typeof MachineShell>

/** Shells and users that a terminal of a machine can use. */
export const TerminalDefaults = z.object({
  /** The default shell first. */
  shells: z.array(MachineShell).min(1).max(50),
  /** The agent's own user. */
  agent_user: z.string().max(200),
  /** The user who is signed in at the machine. */
  signed_in_user: z.string().max(200).nullable(),
  /** Why no shell can run as that user, as a message; null if it can. */
  why_no_user: z.string().max(500).nullable(),
})
export type TerminalDefaults = z.infer<typeof TerminalDefaults>
