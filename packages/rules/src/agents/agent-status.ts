/** The status of an agent on the wire, by its last sign of life. */
export type AgentStatus = 'online' | 'offline' | 'overdue'
/** The status on screen: `away` is a lost link that is not yet long enough for `offline`. */
export type AgentPresence = 'online' | 'away' | 'offline' | 'overdue'

export type AgentSighting = {
  /** ISO instant; null = never seen. */
  last_seen: string | null
  /** The link is up right now. */
  connected: boolean
  /** Minutes without a sign of life after which the agent is offline. */
  offline_time: number
  /** Minutes without a sign of life after which it is overdue. */
  overdue_time: number
}

/** Online, offline or overdue by the agent's own limits. An agent that was never seen is offline. */
export function agentStatus(agent: AgentSighting, nowMs: number): AgentStatus {
  if (agent.connected) return 'online'
  const silentMs = nowMs - lastSeenMs(agent)
  if (Number.isNaN(silentMs)) return 'offline'
  if (silentMs > agent.overdue_time * MINUTE_MS) return 'overdue'
  return silentMs > agent.offline_time * MINUTE_MS ? 'offline' : 'online'
}

/** The status on screen, in which only an agent whose link is up is online. */
export function agentPresence(agent: AgentSighting, nowMs: number): AgentPresence {
  return toPresence(agentStatus(agent, nowMs), agent.connected)
}

/** The status on screen of an agent whose wire status is already known, as in a row from the server. */
export function toPresence(status: AgentStatus, connected: boolean): AgentPresence {
  return status === 'online' && !connected ? 'away' : status
}

/** Order of the status column: online, away, offline, overdue. */
export function statusRank(status: AgentStatus | AgentPresence): number {
  return RANKS[status]
}

/** The first millisecond at which the status changes by time alone; undefined if it never will. */
export function nextStatusChangeAt(agent: AgentSighting, nowMs: number): number | undefined {
  const seenMs = lastSeenMs(agent)
  if (agent.connected || Number.isNaN(seenMs)) return undefined
  const status = agentStatus(agent, nowMs)
  return [agent.offline_time, agent.overdue_time]
    .map((minutes) => Math.floor(seenMs + minutes * MINUTE_MS) + 1)
    .toSorted((a, b) => a - b)
    .find((atMs) => atMs > nowMs && agentStatus(agent, atMs) !== status)
}

const MINUTE_MS = 60_000
const RANKS: Record<AgentPresence, number> = { online: 0, away: 1, offline: 2, overdue: 3 }

function lastSeenMs({ last_seen }: AgentSighting): number {
  return last_seen === null ? NaN : Date.parse(last_seen)
}
