/** Whether a button is enabled; `waits` = the work starts when the machine is back, and `note` says so. */
type Can = { allowed: true; waits: false } | { allowed: true; waits: true; note: string } | Cannot
type Cannot = { allowed: false; reason: string }

type ReachableAgent = { hostname: string; connected: boolean }

/** The available actions for a machine, with notes for the user. */
export const agentCan = {
  sendCommand: (agent: ReachableAgent): Can => deliver(agent, 'command'),
  runScript: (agent: ReachableAgent): Can => deliver(agent, 'script'),
}

function deliver({ hostname, connected }: ReachableAgent, work: string): Can {
  if (connected) return { allowed: true, waits: false }
  return {
    allowed: true,
    waits: true,
    note: `${hostname} is not connected. The ${work} waits until the machine is back or the wait expires.`,
  }
}

type PlatformScript = { name: string; supported_platforms: readonly string[] }

/** Whether a script supports a platform; an empty list means every platform. */
export function scriptFitsPlatform(supportedPlatforms: readonly string[], plat: string): boolean {
  return supportedPlatforms.length === 0 || supportedPlatforms.includes(plat)
}

/** The available actions for a script, with the reason if disabled. */
export const scriptCan = {
  run(script: PlatformScript, agent: ReachableAgent & { plat: string }): Can {
    if (scriptFitsPlatform(script.supported_platforms, agent.plat)) return agentCan.runScript(agent)
    const meantFor = script.supported_platforms.map(platformName).join(', ')
    return {
      allowed: false,
      reason: `${script.name} supports ${meantFor} only, and ${agent.hostname} runs ${platformName(agent.plat)}.`,
    }
  },
  edit: (script: { script_type: string }) => unlessBuiltIn(script, 'changed'),
  remove: (script: { script_type: string }) => unlessBuiltIn(script, 'deleted'),
}

function unlessBuiltIn({ script_type }: { script_type: string }, done: string): { allowed: true } | Cannot {
  return script_type === 'builtin'
    ? { allowed: false, reason: `Built-in scripts cannot be ${done}.` }
    : { allowed: true }
}

const NAMES: Record<string, string> = { windows: 'Windows', linux: 'Linux', darwin: 'macOS' }

/** Display name of a platform: `darwin` is macOS; an unknown one is unchanged. */
export function platformName(plat: string): string {
  return Object.hasOwn(NAMES, plat) ? (NAMES[plat] ?? plat) : plat
}
