/** Exit code after which a service manager starts the agent again, on systems that cannot replace a process. */
export const RESTART_EXIT_CODE = 75
/** On Linux, installers send it to agents that no service manager restarts. Its number is that of x64 and arm64. */
export const RESTART_SIGNAL = { name: 'SIGUSR2', number: 12 } as const

/** Starts Node again with these arguments, as this process where the system can do that. Nothing follows it. */
export function restartProcess(args: readonly string[]): never {
  if (process.execve === undefined || process.platform === 'win32') process.exit(RESTART_EXIT_CODE)
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
  process.execve(process.execPath, [process.execPath, ...args], env)
  throw new Error('the process was not replaced')
}
