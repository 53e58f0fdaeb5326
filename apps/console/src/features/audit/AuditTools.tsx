import { Button, Pill, Select } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import type { AuditEntry } from '@muster/contract/api/audit'
import { IconArrowUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { clientsQuery, useMay } from '../../app/queries.ts'
import { CsvButton } from '../../ui/CsvButton.tsx'
import { AuditFilterMenu } from './AuditFilterMenu.tsx'
import classes from './AuditLog.module.css'
import { type AUDIT_COLUMNS, auditTable } from './audit-columns.tsx'
import type { AuditFilter, AuditView } from './audit-view.ts'
import { ACTION_LABELS, OBJECT_LABELS, TIME_RANGES } from './audit-words.ts'
import { COUNTED } from './use-audit.ts'

interface AuditToolsProps {
  view: AuditView
  onChange: (view: AuditView) => void
  agentId: string | undefined
  newEntries: number
  onShowNew: () => void
  entries: readonly AuditEntry[]
  columns: typeof AUDIT_COLUMNS
}

/** Time range and filter of the log, what has come meanwhile, and the file. */
export function AuditTools(props: AuditToolsProps) {
  const { view, onChange, agentId, newEntries, onShowNew, entries, columns } = props
  const narrow = (change: Partial<AuditFilter>) => onChange({ ...view, ...change, page: 1 })
  return (
    <div className={classes.tools}>
      <Select
        size="xs"
        className={classes.range}
        aria-label="Time range"
        data={rangesWith(view.days)}
        value={`${view.days}`}
        allowDeselect={false}
        onChange={(days) => days !== null && narrow({ days: Number(days) })}
      />
      <AuditFilterMenu view={view} isOfAgent={agentId !== undefined} entries={entries} onApply={narrow} />
      <FilterPills view={view} entries={entries} onChange={narrow} />
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
          fileName={() => `audit-log-${new Date().toISOString().slice(0, 10)}.csv`}
          table={entries.length === 0 ? undefined : () => auditTable(entries, columns)}
        />
      </div>
    </div>
  )
}

/** What the log is narrowed to; each can be taken away. */
function FilterPills({
  view,
  entries,
  onChange,
}: {
  view: AuditFilter
  entries: readonly AuditEntry[]
  onChange: (change: Partial<AuditFilter>) => void
}) {
  const mayList = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayList && view.clients.length > 0 })
  const agentName = (id: string) => entries.find(({ agent_id }) => agent_id === id)?.agent ?? id
  const clientName = (id: number) => clients.find((client) => client.id === id)?.name ?? `${id}`
  const pills = [
    { label: 'User', words: view.users, clear: { users: [] } },
    { label: 'Agent', words: view.agents.map(agentName), clear: { agents: [] } },
    { label: 'Client', words: view.clients.map(clientName), clear: { clients: [] } },
    { label: 'Action', words: view.actions.map((action) => ACTION_LABELS[action]), clear: { actions: [] } },
    { label: 'Object', words: view.objects.map((object) => OBJECT_LABELS[object]), clear: { objects: [] } },
  ].filter(({ words }) => words.length > 0)
  return pills.map(({ label, words, clear }) => (
    <Pill
      key={label}
      className={classes.pill ?? ''}
      withRemoveButton
      onRemove={() => onChange(clear)}
      removeButtonProps={{ 'aria-label': `Remove the filter ${label}`, tabIndex: 0, 'aria-hidden': false }}
    >
      {label}: {words.join(', ')}
    </Pill>
  ))
}

const describeNew = (count: number): string =>
  count === 1 ? '1 new entry' : `${count}${count >= COUNTED ? '+' : ''} new entries`

/** An address may name a range that is none of the usual ones. */
function rangesWith(days: number) {
  const isUsual = TIME_RANGES.some(({ value }) => value === `${days}`)
  return [...(isUsual ? [] : [{ value: `${days}`, label: `Last ${days} days` }]), ...TIME_RANGES]
}
