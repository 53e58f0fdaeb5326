import { agentCan } from './agent-can.ts'
import type { Can, Cannot, ReachableAgent } from './agent-can.ts'
import { platformName } from './platform-name.ts'

export type PlatformScript = { name: string; supported_platforms: readonly string[] }

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
