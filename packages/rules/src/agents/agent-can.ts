/** Whether a button may be pressed; `waits` = the machine takes the work once it is back, and `note` says so. */
export type Can = { allowed: true; waits: false } | { allowed: true; waits: true; note: string } | Cannot
export type Cannot = { allowed: false; reason: string }

export type ReachableAgent = { hostname: string; connected: boolean }

/** What can be done with a machine, and what the person should know before. */
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
