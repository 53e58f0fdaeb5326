import { listSearchFields } from '@muster/contract/calls/agent-search'
import type { AgentRow } from '@muster/contract/api/agents'
import { savePreferences } from '@muster/contract/calls/users'
import type { MachineView } from '@muster/contract/api/views'
import type { MachineColumnChoice } from '@muster/contract/machine-columns'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { call, query } from '../../app/api/api.ts'
import { dashInfoQuery, useDashInfo } from '../../app/api/queries.ts'
import { createStore, useStore } from '../../app/session/store.ts'
import { allColumns, defaultColumns, needsFields, showColumns } from './machine-columns.tsx'
import { isMetric, type MachineSort, valueOf } from './sort-machines.ts'

/** Changed columns that are not saved yet: of the open view, or the user's own (view undefined). */
const draft = createStore<{ view: number | undefined; columns: MachineColumnChoice[] } | undefined>(undefined)

export const dropColumnDraft = (): void => draft.set(undefined)

/** The custom fields of machines. */
export const fieldsQuery = query(listSearchFields, {})

/** The first screen does without them. */
const valueColumnsQuery = {
  queryKey: ['value-columns'],
  queryFn: async () => (await import('./value-columns.tsx')).VALUE_COLUMNS,
  staleTime: Infinity,
}

/** A drag of a title's edge is saved once, at its end. */
const SAVE_PAUSE_MS = 500

interface MachineColumnsOptions {
  rows: readonly AgentRow[] | undefined
  sort: MachineSort
  /** The open view; undefined = the user's own columns. */
  view: MachineView | undefined
}

/** The columns of the machines table: of the open view, or the user's own, or the default ones. */
export function useMachineColumns({ rows, sort, view }: MachineColumnsOptions) {
  const info = useDashInfo()
  const changed = useStore(draft, (value) => (value?.view === view?.id ? value?.columns : undefined))
  const saveOwn = useSaveOwn()
  const hasTags = useMemo(() => rows?.some(({ tags }) => tags.length > 0) === true, [rows])
  // Sorted by an address of a colleague, it is shown as well.
  const hasVersion = info?.show_agent_version === true || sort.column === 'version'
  const usual = useMemo(() => defaultColumns({ version: hasVersion, tags: hasTags }), [hasVersion, hasTags])
  const chosen = changed ?? view?.columns ?? info?.agent_columns ?? []
  const choices = chosen.length === 0 ? usual : chosen
  const { data: fields } = useQuery({ ...fieldsQuery, enabled: needsFields(choices) })
  const { data: values } = useQuery({
    ...valueColumnsQuery,
    enabled: choices.some(({ id }) => valueOf(id) !== undefined),
  })
  const shown = useMemo(
    () => showColumns(choices, allColumns(fields ?? [], values)),
    [choices, fields, values],
  )
  const change = (columns: MachineColumnChoice[]) => {
    draft.set({ view: view?.id, columns })
    if (view === undefined) saveOwn(columns)
  }
  return {
    ...shown,
    choices,
    /** Empty = the default columns. */
    change,
    resize: (id: string, width: number | null) =>
      change(choices.map((choice) => (choice.id === id ? { id, width } : choice))),
    /** Changes of the open view wait to be saved; the user's own columns save themselves. */
    isChanged: view !== undefined && changed !== undefined,
    /** Shown or sorted by, and no fields of rows. */
    metrics: [sort.column, ...choices.map(({ id }) => id)].filter(isMetric),
  }
}

/** Saves the user's own columns, also after the table is left. The draft shows them until the server's answer has them. */
function useSaveOwn() {
  const queryClient = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { mutate } = useMutation({
    mutationFn: (agent_columns: MachineColumnChoice[]) => call(savePreferences, { body: { agent_columns } }),
    onSettled: async (_saved, _error, agent_columns) => {
      await queryClient.invalidateQueries(dashInfoQuery)
      if (draft.get()?.columns === agent_columns) dropColumnDraft()
    },
  })
  return (agent_columns: MachineColumnChoice[]) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => mutate(agent_columns), SAVE_PAUSE_MS)
  }
}
