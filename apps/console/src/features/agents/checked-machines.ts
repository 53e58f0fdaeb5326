import type { searchAgents } from '@muster/contract/api/agent-search'
import type { AgentRow } from '@muster/contract/api/agents'
import type { Input } from '@muster/contract/endpoint'
import { useEffect, useMemo, useRef } from 'react'
import { createStore, useStore } from '../../app/session/store.ts'
import { notify } from '../../app/shell/notify.ts'

/** The item of a dialog that acts on the checked machines: thousands of ids do not fit into an address. */
export const CHECKED_ITEM = 'checked'

interface CheckedMachines {
  ids: ReadonlySet<string>
  /** Set if exactly the machines that the table finds are checked: an action may name the search instead of them. */
  search: SearchTarget | undefined
}

/** As in a request of the search endpoint. */
export type SearchTarget = Input<typeof searchAgents>['body']

const NONE: CheckedMachines = { ids: new Set(), search: undefined }

const store = createStore<CheckedMachines>(NONE)

/** The checked machines of the table; empty after a reload, and where no machine is checked. */
export const readCheckedMachines = (): CheckedMachines => store.get()

interface CheckedOptions {
  /** Tab and node; undefined = not known yet. */
  location: string | undefined
  /** The machines that the search finds. */
  shown: readonly AgentRow[]
  /** The shown machines as a search; undefined while the search has an error. */
  target: SearchTarget | undefined
}

/**
 * The checks of the table. They stay while machines change, while the table is sorted and searched, and on the way to a
 * machine's page and back. Another tab or node clears them, since nobody expects an action on hidden machines.
 */
export function useCheckedMachines(
  rows: readonly AgentRow[] | undefined,
  { location, shown, target }: CheckedOptions,
) {
  const { ids } = useStore(store, (value) => value)
  useClearElsewhere(location)
  // Without the machines that were deleted meanwhile, or moved away.
  const present = useMemo(() => keepPresent(ids, rows), [ids, rows])
  const inView = useMemo(
    () => (present.size === 0 ? [] : shown.filter(({ agent_id }) => present.has(agent_id))),
    [present, shown],
  )
  const isAll = shown.length > 0 && inView.length === shown.length && inView.length === present.size
  const search = isAll ? target : undefined
  useEffect(() => {
    if (rows !== undefined) store.set(present.size === 0 ? NONE : { ids: present, search })
  }, [rows, present, search])
  return {
    ids: present,
    /** Those that the search shows, in the order of the table. */
    inView,
  }
}

export function setCheckedMachines(ids: ReadonlySet<string>): void {
  store.set(ids.size === 0 ? NONE : { ids, search: undefined })
}

/** Location of the last table: the page of a machine removes the table. */
let lastLocation: string | undefined

/** An undefined location is not known yet. */
function useClearElsewhere(location: string | undefined): void {
  const shown = useRef(lastLocation)
  useEffect(() => {
    if (location === undefined) return
    const before = shown.current
    shown.current = location
    lastLocation = location
    const many = store.get().ids.size
    if (before === undefined || before === location || many === 0) return
    store.set(NONE)
    notify(`Selection of ${many === 1 ? '1 machine' : `${many} machines`} cleared.`, {
      caption: 'A selection belongs to one tab and one client or site.',
    })
  }, [location])
}

// The same set if all are there: the table recognizes its own last range by it.
function keepPresent(ids: ReadonlySet<string>, rows: readonly AgentRow[] | undefined): ReadonlySet<string> {
  if (rows === undefined || ids.size === 0) return ids
  const known = new Set<string>()
  for (const { agent_id } of rows) if (ids.has(agent_id)) known.add(agent_id)
  return known.size === ids.size ? ids : known
}
