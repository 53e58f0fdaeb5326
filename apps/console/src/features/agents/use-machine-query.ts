import { listSearchFields, searchAgents } from '@muster/contract/calls/agent-search'
import type { SearchError } from '@muster/rules/search/parse-search'
import type { CustomSearchField } from '@muster/rules/search/search-fields'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { query } from '../../app/api/api.ts'
import { describeError } from '../../app/api/describe-error.ts'
import { ALL_MACHINES, type MachineQuery } from './search-machines.ts'
import { type SearchLanguage, useSearchLanguage } from './use-search-language.ts'

export interface MachineQueryState {
  /** Undefined while the search has an error, or the server has not answered yet. */
  query: MachineQuery | undefined
  /** The error at its place, or of the server. */
  error: SearchError | undefined
  customFields: readonly CustomSearchField[]
  /** Undefined until it is loaded. */
  language: SearchLanguage | undefined
}

const NO_FIELDS: readonly CustomSearchField[] = []
const NO_SETS: ReadonlyMap<string, ReadonlySet<string>> = new Map()
/** Facts of the server are asked again after this time, because their changes are not sent to consoles. */
const REMOTE_AGE_MS = 30_000
/** The server is asked once typing pauses. */
const TYPING_PAUSE_MS = 200

/** Reads a search, and asks the server for the terms that rows of the table cannot answer. */
export function useMachineQuery(text: string): MachineQueryState {
  const { language, problem } = useSearchLanguage(text !== '')
  // A search of words only needs no custom fields.
  const hasFields = /[:<>=]|cf\./i.test(text)
  const fields = useQuery({ ...query(listSearchFields, {}), enabled: hasFields, staleTime: REMOTE_AGE_MS })
  const customFields = fields.data ?? NO_FIELDS
  const { parsed, remote } = useMemo(
    () => language?.readSearch(text, customFields) ?? { parsed: undefined, remote: undefined },
    [language, text, customFields],
  )
  const [asked] = useDebouncedValue(remote, TYPING_PAUSE_MS)
  const found = useQuery({
    ...query(searchAgents, { body: { search: asked ?? '' } }),
    enabled: asked !== undefined,
    staleTime: REMOTE_AGE_MS,
    refetchInterval: REMOTE_AGE_MS,
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
  const sets = useMemo(() => {
    if (remote === undefined) return NO_SETS
    return new Map(found.data?.terms.map(({ term, ids }) => [term, new Set(ids)]))
  }, [remote, found.data])
  const waitsForFields = hasFields && fields.isPending && parsed?.error !== undefined
  const waits =
    remote !== undefined && (asked !== remote || found.data === undefined || found.isPlaceholderData)
  const isUsable = parsed !== undefined && parsed.error === undefined && !waits
  const node = parsed?.node
  const machineQuery = useMemo(() => {
    if (text === '') return ALL_MACHINES
    return isUsable ? language?.createMachineQuery(node, { customFields, sets }) : undefined
  }, [text, isUsable, language, node, customFields, sets])
  const failure = remote !== undefined && asked === remote && found.error !== null ? found.error : undefined
  const message = problem ?? (failure && describeError(failure).message)
  const error = parsed?.error ?? (message === undefined ? undefined : { from: 0, to: text.length, message })
  return { query: machineQuery, error: waitsForFields ? undefined : error, customFields, language }
}
