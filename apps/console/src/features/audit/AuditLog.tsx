import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { ActionIcon, Button, MultiSelect, Select, TagsInput, Tooltip } from '@mantine/core'
import {
  type Icon,
  IconArrowUp,
  IconChevronLeft,
  IconChevronRight,
  IconChevronsLeft,
  IconChevronsRight,
} from '@tabler/icons-react'
import { AuditAction, type AuditEntry, AuditObject, listAudit } from '@muster/contract/api/audit'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { may, useMe } from '../../app/api/queries.ts'
import { NoPermission } from '../../ui/layout/States.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { FilterForm, FilterMenu, FilterPills, INSIDE, RangeSelect } from '../../ui/inputs/FilterMenu.tsx'
import { ClientsFilter, useClientNames } from '../clients/ClientsFilter.tsx'
import { call, query } from '../../app/api/api.ts'
import classes from './AuditLog.module.css'
import { AuditTable } from './AuditTable.tsx'
import { AGENT_AUDIT_COLUMNS, AUDIT_COLUMNS, auditTable } from './audit-columns.tsx'
import {
  type AuditFilter,
  type AuditRequest,
  type AuditView,
  isNewestFirst,
  PAGE_SIZES,
  START_VIEW,
  toAuditRequest,
} from './audit-view.ts'
import { ACTION_LABELS, OBJECT_LABELS } from './audit-labels.ts'
import { serverNow } from '../../ui/layout/server-clock.ts'

export const AUDIT_REFUSED = 'Your role does not allow you to see the audit log.'

interface AuditLogProps {
  view: AuditView
  onChange: (view: AuditView) => void
  /** Only entries of this machine. */
  agentId?: string
  /** The table takes the focus once it has loaded. */
  takesFocus?: boolean
}

/** The audit log: filter, table, pages. Opening an entry shows its changes. */
export function AuditLog({ view, onChange, agentId, takesFocus = false }: AuditLogProps) {
  const me = useMe()
  const allowed = me !== undefined && may(me, 'can_view_auditlogs')
  const { page, newEntries } = useAudit(view, agentId, allowed)
  const { data, error, isPlaceholderData, refetch } = page
  if (me !== undefined && !allowed) {
    return <NoPermission message={AUDIT_REFUSED} />
  }
  const entries = data?.audit_logs ?? []
  const columns = agentId === undefined ? AUDIT_COLUMNS : AGENT_AUDIT_COLUMNS
  const showNew = () => {
    // On the first page by time this is the same view, which is refetched.
    onChange({ ...view, page: 1, sortBy: START_VIEW.sortBy, descending: true })
    void refetch()
  }
  return (
    <div className={classes.log}>
      <AuditTools
        view={view}
        onChange={onChange}
        agentId={agentId}
        newEntries={newEntries}
        onShowNew={showNew}
        entries={entries}
        columns={columns}
      />
      {data === undefined ? (
        <div className={classes.state}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={10} />
        </div>
      ) : (
        <>
          <div className={classes.table} aria-busy={isPlaceholderData}>
            <AuditTable
              entries={entries}
              columns={columns}
              view={view}
              onChange={onChange}
              agentId={agentId}
              takesFocus={takesFocus}
            />
          </div>
          <AuditPager view={view} total={data.total} onChange={onChange} />
        </>
      )}
    </div>
  )
}

/** The audit log of one machine; newest first. */
export function AuditTab({ agentId }: { agentId: string }) {
  const [view, setView] = useState(START_VIEW)
  return <AuditLog view={view} onChange={setView} agentId={agentId} />
}

interface AuditPagerProps {
  view: AuditView
  total: number
  onChange: (view: AuditView) => void
}

/** The visible part of the log, and the page buttons. */
function AuditPager({ view, total, onChange }: AuditPagerProps) {
  const { page, pageSize } = view
  const last = Math.max(1, Math.ceil(total / pageSize))
  const go = (to: number) => onChange({ ...view, page: to })
  return (
    <nav className={classes.pager} aria-label="Pages">
      <Select
        size="xs"
        className={classes.size}
        aria-label="Entries per page"
        data={PAGE_SIZES.map((size) => `${size}`)}
        value={`${pageSize}`}
        allowDeselect={false}
        onChange={(size) => size !== null && onChange({ ...view, page: 1, pageSize: Number(size) })}
      />
      <span className="dim" role="status">
        {describePart(page, pageSize, total)}
      </span>
      <PageButton label="First page" icon={IconChevronsLeft} to={1} page={page} last={last} onGo={go} />
      <PageButton
        label="Previous page"
        icon={IconChevronLeft}
        to={page - 1}
        page={page}
        last={last}
        onGo={go}
      />
      <PageButton label="Next page" icon={IconChevronRight} to={page + 1} page={page} last={last} onGo={go} />
      <PageButton label="Last page" icon={IconChevronsRight} to={last} page={page} last={last} onGo={go} />
    </nav>
  )
}

interface PageButtonProps {
  label: string
  icon: Icon
  to: number
  page: number
  last: number
  onGo: (page: number) => void
}

function PageButton({ label, icon: PageIcon, to, page, last, onGo }: PageButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={to < 1 || to > last || to === page} onClick={() => onGo(to)}>
        <PageIcon size={16} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  )
}

function describePart(page: number, pageSize: number, total: number): string {
  const from = (page - 1) * pageSize + 1
  if (total === 0 || from > total) return `0 of ${total}`
  return `${from} to ${Math.min(total, page * pageSize)} of ${total}`
}

const USUAL_DAYS = [1, 7, 30, 90, 365]

interface AuditToolsProps {
  view: AuditView
  onChange: (view: AuditView) => void
  agentId: string | undefined
  newEntries: number
  onShowNew: () => void
  entries: readonly AuditEntry[]
  columns: typeof AUDIT_COLUMNS
}

/** Time range and filter, number of new entries, CSV download. */
function AuditTools(props: AuditToolsProps) {
  const { view, onChange, agentId, newEntries, onShowNew, entries, columns } = props
  const narrow = (change: Partial<AuditFilter>) => onChange({ ...view, ...change, page: 1 })
  const clientNames = useClientNames(view.clients)
  const agentName = (id: string) => entries.find(({ agent_id }) => agent_id === id)?.agent ?? id
  return (
    <div className={classes.tools}>
      <RangeSelect
        className={classes.range}
        label="Time range"
        usual={USUAL_DAYS}
        days={view.days}
        onDays={(days) => narrow({ days })}
      />
      <AuditFilterMenu view={view} isOfAgent={agentId !== undefined} entries={entries} onApply={narrow} />
      <FilterPills
        filters={[
          { label: 'User', words: view.users, clear: { users: [] } },
          { label: 'Agent', words: view.agents.map(agentName), clear: { agents: [] } },
          { label: 'Client', words: clientNames, clear: { clients: [] } },
          {
            label: 'Action',
            words: view.actions.map((action) => ACTION_LABELS[action]),
            clear: { actions: [] },
          },
          {
            label: 'Object',
            words: view.objects.map((object) => OBJECT_LABELS[object]),
            clear: { objects: [] },
          },
        ]}
        onChange={narrow}
      />
      <div className={classes.right}>
        <span role="status">
          {newEntries > 0 && (
            <Button leftSection={<IconArrowUp size={14} stroke={1.75} aria-hidden />} onClick={onShowNew}>
              {describeNew(newEntries)}
            </Button>
          )}
        </span>
        <CsvButton
          of="entries"
          fileName={() => `audit-log-${new Date(serverNow()).toISOString().slice(0, 10)}.csv`}
          table={entries.length === 0 ? undefined : () => auditTable(entries, columns)}
        />
      </div>
    </div>
  )
}

const describeNew = (count: number): string =>
  count === 1 ? '1 new entry' : `${count}${count >= COUNTED ? '+' : ''} new entries`

/** New entries are counted up to here. */
const COUNTED = 25

/**
 * A page of the log that stays unchanged while it is read, and the number of new entries. The page has its own cache key,
 * which no event makes stale; events refetch only the few newest entries.
 */
function useAudit(view: AuditView, agentId: string | undefined, allowed: boolean) {
  const request = toAuditRequest(view, agentId)
  const page = useQuery({ ...pageQuery(request), enabled: allowed })
  const { pagination: _pagination, ...filter } = request
  const newest = useQuery({
    ...query(listAudit, { body: { ...filter, pagination: { rowsPerPage: COUNTED } } }),
    enabled: page.data !== undefined,
    meta: { quiet: true },
  })
  const newestId = page.isPlaceholderData ? undefined : highestId(page.data?.audit_logs)
  const seen = useSeen(JSON.stringify(filter), {
    onTop: isNewestFirst(view) ? newestId : undefined,
    known: highestId(newest.data?.audit_logs),
  })
  return { page, newEntries: countNewer(newest.data?.audit_logs ?? [], seen) }
}

/** The highest id when the filter was applied, or later when the top of its list was on screen. */
function useSeen(filter: string, ids: { onTop: number | undefined; known: number | undefined }) {
  const [seen, setSeen] = useState<{ filter: string; id: number }>()
  const isKnown = seen?.filter === filter
  const id = ids.onTop ?? (isKnown ? seen.id : ids.known)
  // Updated when the page turns or the order changes; during render, as React allows.
  if (id !== undefined && !(isKnown && seen.id === id)) setSeen({ filter, id })
  return id
}

function countNewer(entries: readonly Pick<AuditEntry, 'id'>[], seen: number | undefined): number {
  return seen === undefined ? 0 : entries.filter(({ id }) => id > seen).length
}

/** 0 for an empty list: all later entries are new. */
function highestId(entries: readonly AuditEntry[] | undefined): number | undefined {
  return entries === undefined ? undefined : Math.max(0, ...entries.map(({ id }) => id))
}

function pageQuery(body: AuditRequest) {
  return queryOptions({
    queryKey: ['audit page', body],
    queryFn: ({ signal }) => call(listAudit, { body }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  })
}

interface AuditFilterMenuProps {
  view: AuditFilter
  /** One machine's own log: no filter by client or object. */
  isOfAgent: boolean
  /** The users of these entries are suggested. */
  entries: readonly AuditEntry[]
  onApply: (change: Partial<AuditFilter>) => void
}

/** Filter by user, action, object and client. */
function AuditFilterMenu({ onApply, ...props }: AuditFilterMenuProps) {
  return (
    <FilterMenu>
      {(close) => (
        <Fields
          {...props}
          onApply={(change) => {
            onApply(change)
            close()
          }}
        />
      )}
    </FilterMenu>
  )
}

function Fields({ view, isOfAgent, entries, onApply }: AuditFilterMenuProps) {
  const me = useMe()
  const [users, setUsers] = useState([...view.users])
  const [actions, setActions] = useState([...view.actions])
  const [objects, setObjects] = useState([...view.objects])
  const [clients, setClients] = useState([...view.clients])
  const known = new Set([
    ...(me === undefined ? [] : [me.username]),
    ...entries.map(({ username }) => username),
  ])
  return (
    <FilterForm
      onApply={() => onApply({ users, actions, objects, clients })}
      onClear={() => onApply({ users: [], actions: [], objects: [], clients: [], agents: [] })}
    >
      <TagsInput
        label="Users"
        placeholder={users.length === 0 ? 'All' : ''}
        data={[...known].filter(Boolean).toSorted()}
        value={users}
        onChange={setUsers}
        maxTags={20}
        comboboxProps={INSIDE}
        data-autofocus
      />
      <MultiSelect
        label="Actions"
        placeholder={actions.length === 0 ? 'All' : ''}
        data={AuditAction.options.map((value) => ({ value, label: ACTION_LABELS[value] }))}
        value={actions}
        onChange={(values) => setActions(AuditAction.options.filter((action) => values.includes(action)))}
        comboboxProps={INSIDE}
      />
      {!isOfAgent && (
        <>
          <MultiSelect
            label="Objects"
            placeholder={objects.length === 0 ? 'All' : ''}
            data={AuditObject.options.map((value) => ({ value, label: OBJECT_LABELS[value] }))}
            value={objects}
            onChange={(values) => setObjects(AuditObject.options.filter((object) => values.includes(object)))}
            comboboxProps={INSIDE}
          />
          <ClientsFilter chosen={clients} onChange={setClients} />
        </>
      )}
    </FilterForm>
  )
}
