/** Whether a button is enabled; `waits` = the work starts when the machine is back, and `note` says so. */
export type Can = { allowed: true; waits: false } | { allowed: true; waits: true; note: string } | Cannot
export type Cannot = { allowed: false; reason: string }

export type ReachableAgent = { hostname: string; connected: boolean }

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
