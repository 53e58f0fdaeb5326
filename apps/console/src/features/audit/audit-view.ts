import { AuditAction, AuditObject, type listAudit } from '@muster/contract/api/audit'
import type { Input } from '@muster/contract/endpoint'
import { AgentId } from '@muster/contract/fields'

export const PAGE_SIZES = [25, 50, 100, 500, 1000] as const
export const SORT_COLUMNS = ['entry_time', 'username', 'action', 'object_type'] as const
export type SortColumn = (typeof SORT_COLUMNS)[number]

/** The filter of entries. An empty list filters nothing. */
export interface AuditFilter {
  users: readonly string[]
  actions: readonly AuditAction[]
  objects: readonly AuditObject[]
  clients: readonly number[]
  agents: readonly string[]
  /** Days back; 0 = all. */
  days: number
}

/** The filter, the page on screen, and its order. */
export interface AuditView extends AuditFilter {
  page: number
  pageSize: number
  sortBy: SortColumn
  descending: boolean
}

export const START_VIEW: AuditView = {
  users: [],
  actions: [],
  objects: [],
  clients: [],
  agents: [],
  days: 7,
  page: 1,
  pageSize: PAGE_SIZES[0],
  sortBy: 'entry_time',
  descending: true,
}

export type AuditRequest = NonNullable<Input<typeof listAudit>['body']>

/** The request for a page. `agentId` limits it to one machine, regardless of the filter. */
export function toAuditRequest(view: AuditView, agentId: string | undefined): AuditRequest {
  const { page, pageSize: rowsPerPage, sortBy, descending, days } = view
  const agents = agentId === undefined ? view.agents : [agentId]
  return {
    pagination: { page, rowsPerPage, sortBy, descending },
    ...(agents.length === 0 ? {} : { agentFilter: [...agents] }),
    ...(view.clients.length === 0 ? {} : { clientFilter: [...view.clients] }),
    ...(view.users.length === 0 ? {} : { userFilter: [...view.users] }),
    ...(view.actions.length === 0 ? {} : { actionFilter: [...view.actions] }),
    ...(view.objects.length === 0 ? {} : { objectFilter: [...view.objects] }),
    ...(days === 0 ? {} : { timeFilter: days }),
  }
}

/** Whether the newest entries of the filter are on top. */
export const isNewestFirst = ({ page, sortBy, descending }: AuditView): boolean =>
  page === 1 && sortBy === 'entry_time' && descending

/** The view in the address: `user:ada action:delete days:30`; undefined for the default view. */
export function writeAuditView(view: AuditView): string | undefined {
  const words = [
    ...view.users.map((user) => `user:${encodeURIComponent(user)}`),
    ...view.actions.map((action) => `action:${action}`),
    ...view.objects.map((object) => `object:${object}`),
    ...view.clients.map((client) => `client:${client}`),
    ...view.agents.map((agent) => `agent:${agent}`),
    ...(view.days === START_VIEW.days ? [] : [`days:${view.days}`]),
    ...(view.page === 1 ? [] : [`page:${view.page}`]),
    ...(view.pageSize === START_VIEW.pageSize ? [] : [`rows:${view.pageSize}`]),
    ...(view.sortBy === START_VIEW.sortBy && view.descending
      ? []
      : [`sort:${view.descending ? '-' : ''}${view.sortBy}`]),
  ]
  return words.length === 0 ? undefined : words.join(' ')
}

/** The view of an address; unknown words count as absent. */
export function readAuditView(text: string | undefined): AuditView {
  const words = (text ?? '').split(' ').flatMap((word) => {
    const [, name, value] = /^([a-z]+):(.+)$/.exec(word) ?? []
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })
  const valuesOf = (wanted: string) => words.filter(({ name }) => name === wanted).map(({ value }) => value)
  const numberOf = (wanted: string, start: number, isGood: (value: number) => boolean) => {
    const value = Number(valuesOf(wanted)[0] ?? start)
    return Number.isInteger(value) && isGood(value) ? value : start
  }
  const sort = valuesOf('sort')[0] ?? '-entry_time'
  const sortBy = SORT_COLUMNS.find((column) => column === sort.replace('-', ''))
  return {
    users: valuesOf('user').flatMap(decode),
    actions: AuditAction.options.filter((action) => valuesOf('action').includes(action)),
    objects: AuditObject.options.filter((object) => valuesOf('object').includes(object)),
    clients: valuesOf('client')
      .map(Number)
      .filter((id) => Number.isSafeInteger(id) && id > 0),
    agents: valuesOf('agent').filter((id) => AgentId.safeParse(id).success),
    days: numberOf('days', START_VIEW.days, (days) => days >= 0 && days <= 36_500),
    page: numberOf('page', 1, (page) => page >= 1 && page <= 1_000_000),
    pageSize: numberOf('rows', START_VIEW.pageSize, (rows) => PAGE_SIZES.some((size) => size === rows)),
    sortBy: sortBy ?? START_VIEW.sortBy,
    descending: sortBy === undefined || sort.startsWith('-'),
  }
}

function decode(text: string): string[] {
  try {
    return [decodeURIComponent(text)]
  } catch {
    // The address was cut in the middle of an escape.
    return []
  }
}
