import { setImmediate } from 'node:timers/promises'
import { type Event, EVENT_TYPES, eventRule, type EventType, LIVE_CLOSE } from '@muster/contract/events'
import type { Counts, LiveMessage } from '@muster/contract/live-messages'
import type { AgentRow } from '@muster/contract/api/agents'
import { isUnalerted } from '@muster/rules/alerts/alert-template'
import { type Caller, type LiveCaller, mayDo } from '../../platform/http/caller.ts'
import type { Log } from '../../platform/log/log.ts'
import { type AgentRowSource, SentRows, writeFrame } from './agent-frames.ts'
import type { LiveSocket } from './live-socket.ts'
import { addEvent, NO_AGENT, type PendingEvents, type PendingIds } from './pending-events.ts'
import type { AgentLocation, Visibility } from './visibility.ts'

interface Viewer {
  caller: Caller
  visibleScope: Visibility
  /** Undefined for an unknown machine. */
  locationOf: (agentId: string) => AgentLocation | undefined
}

type Ids = Event['ids']
type VisibleEvent = { type: EventType; ids: Ids }
/** Sent instead of ids that the user may not know. */
const ALL: Ids = []

/** Returns the part of these events that the viewer may see. An event whose visibility is unknown is left out. */
function eventsFor(pending: PendingEvents, viewer: Viewer): VisibleEvent[] {
  return Array.from(pending, ([type, ids]) => ({ type, ids: idsFor(type, ids, viewer) })).filter(
    (event): event is VisibleEvent => event.ids !== undefined,
  )
}

/** Returns events that mark everything a console shows as stale, for a user whose rights have changed. */
function everythingChanged(userId: number): VisibleEvent[] {
  return EVENT_TYPES.filter((type) => !['none', 'frames'].includes(eventRule(type).scope)).map((type) => ({
    type,
    ids: eventRule(type).scope === 'users' ? [userId] : ALL,
  }))
}

function idsFor(type: EventType, pending: PendingIds, viewer: Viewer): Ids | undefined {
  const { caller, visibleScope } = viewer
  const { permissions, scope } = eventRule(type)
  const may = permissions === undefined || permissions.some((one) => mayDo(caller, one))
  // Users get events about themselves without any permission.
  if (!may && scope !== 'users') return undefined
  switch (scope) {
    case 'none':
    case 'frames':
      return undefined
    case 'agents':
      return pending.pick((agentId) => seesAgent(viewer, agentId))
    case 'agents_or_all':
      if (!visibleScope.all && pending.has(NO_AGENT)) return ALL
      return pending.pick((agentId) => seesAgent(viewer, agentId))
    case 'clients':
      return only(pending, (id) => visibleScope.seesClient(Number(id)))
    case 'users':
      return only(pending, (id) => may || id === caller.userId)
    case 'all':
      return ALL
    case 'ids':
      return pending.pick(() => true)
  }
}

function only(pending: PendingIds, mayKnow: (id: string | number) => boolean): Ids | undefined {
  const ids = pending.pick(() => true)
  if (ids === undefined || ids.length === 0) return ids
  const known = ids.filter(mayKnow)
  return known.length === 0 ? undefined : known
}

function seesAgent({ visibleScope, locationOf }: Viewer, agentId: string): boolean {
  if (visibleScope.all) return true
  const location = agentId === NO_AGENT ? undefined : locationOf(agentId)
  return location !== undefined && visibleScope.sees(location)
}

type MachineCounts = Omit<Counts, 'days_until_cert_expires'>
/** Counts of one site. Machines are counted once, however many consoles see different parts of them. */
type SiteCounts = { location: AgentLocation; counts: MachineCounts }

export function countMachines(rows: Iterable<AgentRow>): MachineCounts {
  const counts = noMachines()
  for (const row of rows) addMachine(counts, row)
  return counts
}

function countBySite(rows: Iterable<AgentRow>): SiteCounts[] {
  const sites = new Map<number, SiteCounts>()
  for (const row of rows) {
    const site = sites.get(row.site_id) ?? { location: row, counts: noMachines() }
    sites.set(row.site_id, site)
    addMachine(site.counts, row)
  }
  return [...sites.values()]
}

/** The counts in the header: visible machines by type and state. */
function sumCounts(sites: SiteCounts[], visibleScope: Visibility): MachineCounts {
  const sum = noMachines()
  for (const { location, counts } of sites) {
    if (!visibleScope.sees(location)) continue
    for (const name of NAMES) sum[name] += counts[name]
  }
  return sum
}

function noMachines(): MachineCounts {
  return {
    total_server_count: 0,
    total_server_offline_count: 0,
    total_workstation_count: 0,
    total_workstation_offline_count: 0,
    away_count: 0,
    overdue_count: 0,
    unalerted_server_count: 0,
    unalerted_workstation_count: 0,
  }
}
// The keys of the object are those of its type.
const NAMES = Object.keys(noMachines()) as (keyof MachineCounts)[]

function addMachine(counts: MachineCounts, row: AgentRow): void {
  const isOffline = row.status === 'online' ? 0 : 1
  if (row.monitoring_type === 'server') {
    counts.total_server_count += 1
    counts.total_server_offline_count += isOffline
  } else {
    counts.total_workstation_count += 1
    counts.total_workstation_offline_count += isOffline
  }
  if (!row.connected) counts.away_count += 1
  if (row.status === 'overdue' && !row.maintenance_mode) counts.overdue_count += 1
  if (!isUnalerted(row)) return
  if (row.monitoring_type === 'server') counts.unalerted_server_count += 1
  else counts.unalerted_workstation_count += 1
}

interface Pace {
  /** Collects what comes shortly after the first request. */
  delayMs: number
  /** Minimum time between two starts. */
  intervalMs: number
}

/** Debounces work: it runs shortly after a request, never twice at once, and not more often than its interval. */
class Pacer implements Disposable {
  #work: () => Promise<void>
  #pace: Pace
  #timer: NodeJS.Timeout | undefined
  #working = false
  #wanted = false
  #lastStart = Number.NEGATIVE_INFINITY

  constructor(pace: Pace, work: () => Promise<void>) {
    this.#pace = pace
    this.#work = work
  }

  request(): void {
    this.#wanted = true
    if (this.#timer !== undefined || this.#working) return
    const { delayMs, intervalMs } = this.#pace
    const waitMs = Math.max(delayMs, this.#lastStart + intervalMs - performance.now())
    this.#timer = setTimeout(() => void this.#run(), waitMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#working = true
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#working = true
    this.#wanted = false
    this.#lastStart = performance.now()
    await this.#work()
    this.#working = false
    if (this.#wanted) this.request()
  }
}

export interface LiveHubParts {
  log: Log
  now: () => Date
  version: string
  rows: AgentRowSource
  onEvent: (handler: (event: Event) => void) => void
  /** Returns the current caller of a session, or undefined if it may no longer have a socket. */
  recheck: (caller: LiveCaller) => Promise<{ caller: LiveCaller; visibleScope: Visibility } | undefined>
  daysUntilCertExpires: () => number | null
}

const FRAME_PACE = { delayMs: 100, intervalMs: 1000 }
const EVENT_PACE = { delayMs: 50, intervalMs: 100 }
const SWEEP_MS = 1000
const FAILED = 1011
const SILENCE_MS = 45_000
/** Events end sockets at once. This covers events lost between two servers. */
const RECHECK_MS = 60_000
/**
 * The consoles connected to this process. Events are collected briefly and then reduced, per console, to those that its
 * user may see. Changed rows of machines are sent as frames, one per second.
 */
export class LiveHub implements AsyncDisposable {
  #parts: LiveHubParts
  #sockets = new Set<LiveSocket>()
  #agents: SentRows
  #pending: PendingEvents = new Map()
  #nodesMayHaveMoved = false
  #frames = new Pacer(FRAME_PACE, () => this.run(() => this.#sendFrames()))
  #events = new Pacer(EVENT_PACE, () => this.run(() => this.#sendEvents()))
  #timer: NodeJS.Timeout
  #running = new Set<Promise<void>>()
  #isStopped = false

  constructor(parts: LiveHubParts) {
    this.#parts = parts
    this.#agents = new SentRows(parts.rows)
    parts.onEvent((event) => this.#onEvent(event))
    parts.rows.onChanged((agentIds) => {
      if (this.#sockets.size === 0) return
      this.#agents.mark(agentIds)
      this.#frames.request()
    })
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  get size(): number {
    return this.#sockets.size
  }

  /** Adds a console, and sends `ready` once it receives every change. */
  async add(socket: LiveSocket): Promise<void> {
    this.#sockets.add(socket)
    await this.run(async () => {
      await this.#agents.load()
      // Its session may have ended between the ticket and the subscription to session events.
      await this.#recheck(socket)
      if (!this.#sockets.has(socket)) return
      socket.send({ type: 'ready', version: this.#parts.version })
      socket.isReady = true
      this.#sendCounts([socket])
    })
    if (!socket.isReady) socket.close(FAILED, 'The server could not read what to show. Try again.')
  }

  remove(socket: LiveSocket): void {
    this.#sockets.delete(socket)
    if (this.#sockets.size > 0) return
    this.#agents.clear()
    this.#pending.clear()
  }

  /** Work that the server waits for when it stops, because it queries the database. None starts after that. */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.#isStopped) return
    const running = this.#guard(work)
    this.#running.add(running)
    await running
    this.#running.delete(running)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    this.#frames[Symbol.dispose]()
    this.#events[Symbol.dispose]()
    await Promise.all(this.#running)
  }

  #onEvent(event: Event): void {
    if (this.#sockets.size === 0) return
    if (event.type === 'session.ended') this.#endSessions(event.ids)
    if (event.type === 'user.changed') void this.run(() => this.#recheckUsers(event.ids))
    if (event.type === 'client.changed') this.#nodesMayHaveMoved = true
    addEvent(this.#pending, event)
    this.#events.request()
  }

  #endSessions(digests: Event['ids']): void {
    for (const socket of this.#sockets) {
      if (digests.includes(socket.caller.session.digest)) this.#endSocket(socket)
    }
    if (digests.length === 0) void this.run(() => this.#recheckUsers([]))
  }

  #endSocket(socket: LiveSocket): void {
    this.remove(socket)
    socket.close(LIVE_CLOSE.sessionEnded, 'The session has ended. Sign in again.')
  }

  async #recheckUsers(ids: Event['ids']): Promise<void> {
    const concerned = [...this.#sockets].filter(
      (socket) => ids.length === 0 || ids.includes(socket.caller.userId),
    )
    await Promise.all(concerned.map((socket) => this.#recheck(socket)))
  }

  async #recheck(socket: LiveSocket): Promise<void> {
    const before = rightsOf(socket)
    socket.checkedAtMs = performance.now()
    const found = await this.#parts.recheck(socket.caller).catch((cause: unknown) => {
      // Without readable rights nothing is assumed. The console reconnects.
      socket.close(FAILED, 'The server could not read your permissions. Try again.')
      throw new Error('the permissions of a console could not be read', { cause })
    })
    if (!this.#sockets.has(socket)) return
    if (found === undefined) return this.#endSocket(socket)
    socket.caller = found.caller
    socket.visibleScope = found.visibleScope
    if (!socket.isReady || before === rightsOf(socket)) return
    socket.send({ type: 'changed', events: everythingChanged(socket.caller.userId) })
    this.#sendCounts([socket])
  }

  #sweep(): void {
    const nowMs = performance.now()
    const expiredBefore = this.#parts.now().toISOString()
    for (const socket of this.#sockets) {
      if (nowMs - socket.receivedAtMs > SILENCE_MS) {
        this.remove(socket)
        socket.close(LIVE_CLOSE.silent, 'This console was silent for 45 seconds.')
      } else if (
        socket.caller.session.expiresAt <= expiredBefore ||
        nowMs - socket.checkedAtMs > RECHECK_MS
      ) {
        void this.run(() => this.#recheck(socket))
      }
    }
  }

  async #sendEvents(): Promise<void> {
    const pending = this.#pending
    this.#pending = new Map()
    const locations = await this.#locationsOf(pending)
    const locationOf = (agentId: string) => this.#agents.locationOf(agentId) ?? locations.get(agentId)
    const nodesMayHaveMoved = this.#nodesMayHaveMoved
    this.#nodesMayHaveMoved = false
    for (const socket of this.#sockets) {
      if (!socket.isReady) continue
      const events = eventsFor(pending, {
        caller: socket.caller,
        visibleScope: socket.visibleScope,
        locationOf,
      })
      if (events.length > 0) socket.send({ type: 'changed', events })
      // A site may have moved to another client, which users of the site now see in part.
      if (nodesMayHaveMoved && !socket.visibleScope.all) void this.run(() => this.#recheck(socket))
    }
  }

  /** The sites of machines that no frame has contained yet. */
  async #locationsOf(pending: PendingEvents): Promise<Map<string, AgentLocation>> {
    const agentIds = [...pending.values()].flatMap((ids) => ids.agentIds())
    const unknown = agentIds.filter((agentId) => this.#agents.locationOf(agentId) === undefined)
    if (unknown.length === 0) return new Map()
    const rows = await this.#parts.rows.rowsOf(unknown)
    return new Map(rows.map((row) => [row.agent_id, row]))
  }

  async #sendFrames(): Promise<void> {
    const changes = await this.#agents.takeChanges()
    if (changes.length === 0) return
    const readers = [...this.#sockets].filter(
      (socket) => socket.isReady && mayDo(socket.caller, 'can_list_agents'),
    )
    for (const sockets of groupByVisibility(readers)) {
      const { visibleScope } = sockets[0]
      const text = writeFrame(changes, visibleScope)
      // Consoles whose rights have changed since then reload everything.
      const same = sockets.filter((socket) => socket.visibleScope.key === visibleScope.key)
      if (text !== undefined) for (const socket of same) socket.sendText(text)
      // Thousands of changes for dozens of scopes take a while: other requests run in between.
      await setImmediate()
    }
    this.#sendCounts(readers)
  }

  #sendCounts(sockets: LiveSocket[]): void {
    const readers = sockets.filter((socket) => mayDo(socket.caller, 'can_list_agents'))
    const days = this.#parts.daysUntilCertExpires()
    const sites = readers.length === 0 ? [] : countBySite(this.#agents.values())
    for (const group of groupByVisibility(readers)) {
      const counts = { ...sumCounts(sites, group[0].visibleScope), days_until_cert_expires: days }
      const message: LiveMessage = { type: 'counts', counts }
      const text = JSON.stringify(message)
      for (const socket of group) socket.sendMachineCounts(text)
    }
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'changes could not be sent to consoles')
    }
  }
}

function groupByVisibility(sockets: LiveSocket[]): [LiveSocket, ...LiveSocket[]][] {
  // A group of groupBy has at least one member.
  return [...Map.groupBy(sockets, (socket) => socket.visibleScope.key).values()] as [
    LiveSocket,
    ...LiveSocket[],
  ][]
}

function rightsOf({ caller, visibleScope }: LiveSocket): string {
  return JSON.stringify([caller.isSuperuser, [...caller.permissions].toSorted(), visibleScope.key])
}
