import { createSocketTicket } from '@muster/contract/calls/system'
import { listClients } from '@muster/contract/calls/clients'
import type { Counts, LiveMessage } from '@muster/contract/live-messages'
import type { QueryClient } from '@tanstack/react-query'
import { call, quietly } from '../api/api.ts'
import { queryKey } from '../api/query-key.ts'
import { isReplacedSoon } from '../session/replaced-session.ts'
import { readStoredToken } from '../session/session.ts'
import { createStore, useStore } from '../session/store.ts'
import { whenSignedIn } from '../session/sign-in-needed.ts'
import { isStale, type LiveEvent, TREE_FIELDS } from './live-invalidation.ts'
import { LiveSocket } from './live-socket.ts'
import { startPolling } from './polling.ts'

export interface LiveState {
  /** `blocked`: the server responds, but a proxy does not pass WebSockets. Lists are polled. */
  status: 'connecting' | 'live' | 'lost' | 'blocked'
  /** Round-trip time of the last ping, in milliseconds. */
  roundTripMs: number | undefined
  /** Time of the last message from the server: the age of the data on screen. */
  receivedAtMs: number | undefined
  counts: Counts | undefined
}

export type AgentsFrame = Extract<LiveMessage, { type: 'agents' }>

const START: LiveState = {
  status: 'connecting',
  roundTripMs: undefined,
  receivedAtMs: undefined,
  counts: undefined,
}
const live = createStore<LiveState>(START)
const frameListeners = new Set<(frame: AgentsFrame) => void>()
const reconnectListeners = new Set<() => void>()

/** Part of the live link's state, as React state. */
export const useLive = <Part>(select: (state: LiveState) => Part): Part => useStore(live, select)

/** Subscribes to the frames of changed machines, one a second at most. Returns the unsubscribe function. */
export function onAgentsFrame(listener: (frame: AgentsFrame) => void): () => void {
  frameListeners.add(listener)
  return () => frameListeners.delete(listener)
}

/** Subscribes to reconnections, after all data on screen was requested again. */
export function onReconnect(listener: () => void): () => void {
  reconnectListeners.add(listener)
  return () => reconnectListeners.delete(listener)
}

/** Opens the live connection; queries that a message makes stale are fetched again. Dispose of it on leaving. */
export function connectLive(queryClient: QueryClient, onSessionEnded: () => void): Disposable {
  live.set(START)
  const stale = createInvalidator(queryClient)
  let token: string | null = null
  let polling: Disposable | undefined
  const stopPolling = () => {
    polling?.[Symbol.dispose]()
    polling = undefined
  }
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/live/`
  const socket = new LiveSocket(url, {
    fetchTicket: async (signal) => {
      await whenSignedIn(signal)
      token = readStoredToken()
      const { ticket } = await quietly(() => call(createSocketTicket, {}, { signal, timeoutMs: 10_000 }))
      return ticket
    },
    onReady({ again }) {
      stopPolling()
      live.set({ ...live.get(), status: 'live' })
      // Changes during the loss were not sent: request everything on screen again.
      quietly(() => askAgain(queryClient))
      if (again) for (const listener of reconnectListeners) listener()
    },
    onReceived(roundTripMs) {
      live.set({
        ...live.get(),
        receivedAtMs: Date.now(),
        ...(roundTripMs === undefined ? {} : { roundTripMs }),
      })
    },
    onMessage(message) {
      if (message.type === 'counts') live.set({ ...live.get(), counts: message.counts })
      if (message.type === 'changed') {
        stale.add(message.events)
        // A failing task colours the tree, and no row of the machine table carries it.
        if (message.events.some(({ type }) => type === 'alert.changed')) stale.addTree()
      }
      if (message.type === 'agents') {
        for (const listener of frameListeners) listener(message)
        if (changesTree(message)) stale.addTree()
      }
    },
    onLost() {
      stopPolling()
      live.set({ ...live.get(), status: 'lost', roundTripMs: undefined })
    },
    onBlocked() {
      live.set({ ...live.get(), status: 'blocked', roundTripMs: undefined })
      polling ??= startPolling(queryClient, {
        onCounts: (counts) =>
          live.set({ ...live.get(), receivedAtMs: Date.now(), counts: counts ?? undefined }),
        onFailed: () => socket.tryNow(),
      })
    },
    isSessionReplaced: () => isReplacedSoon(token),
    onSessionEnded,
  })
  return {
    [Symbol.dispose]() {
      stopPolling()
      socket[Symbol.dispose]()
      stale.stop()
      live.set(START)
    },
  }
}

/**
 * Refetches data requested before this moment. A pending request is allowed to finish first, so that an opening page is
 * not delayed; an unchanged machine list costs a response without a body.
 */
function askAgain(queryClient: QueryClient): void {
  const underWay = new Set(
    queryClient
      .getQueryCache()
      .getAll()
      .filter(({ state }) => state.fetchStatus === 'fetching'),
  )
  void queryClient.invalidateQueries({ predicate: (query) => !underWay.has(query) })
  for (const query of underWay) {
    const askOnce = () =>
      quietly(() => void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true }))
    // Without the cancel option, this is the promise of the pending request.
    query.fetch().then(askOnce, () => undefined)
  }
}

/** Events within a quarter of a second are handled together, so that a burst fetches each list once. */
const COLLECT_MS = 250
/** Extra delay for the tree's colours: its list is expensive with thousands of clients. */
const TREE_COLLECT_MS = 800

function createInvalidator(queryClient: QueryClient) {
  let events: LiveEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let treeTimer: ReturnType<typeof setTimeout> | undefined
  return {
    add(more: readonly LiveEvent[]) {
      events.push(...more)
      timer ??= setTimeout(() => {
        const batch = events
        events = []
        timer = undefined
        quietly(
          () => void queryClient.invalidateQueries({ predicate: ({ queryKey: key }) => isStale(key, batch) }),
        )
      }, COLLECT_MS)
    },
    addTree() {
      treeTimer ??= setTimeout(() => {
        treeTimer = undefined
        quietly(() => {
          void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
          // Whole clients named there depend on the machines of the client.
          void queryClient.invalidateQueries({ queryKey: ['GET /maintenance/open/'] })
          // Its counts follow the rows of machines.
          void queryClient.invalidateQueries({ queryKey: ['GET /overview/'] })
          // One of the steps is a second machine.
          void queryClient.invalidateQueries({ queryKey: ['GET /core/first-steps/'] })
        })
      }, TREE_COLLECT_MS)
    },
    stop() {
      clearTimeout(timer)
      clearTimeout(treeTimer)
    },
  }
}

function changesTree({ changed, added, removed }: AgentsFrame): boolean {
  return (
    added.length > 0 ||
    removed.length > 0 ||
    changed.some((agent) => TREE_FIELDS.some((field) => field in agent))
  )
}
