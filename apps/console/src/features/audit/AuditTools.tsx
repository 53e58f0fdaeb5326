import { Button } from '@mantine/core'
import type { AuditEntry } from '@muster/contract/api/audit'
import { IconArrowUp } from '@tabler/icons-react'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { FilterPills } from '../../ui/inputs/FilterPills.tsx'
import { RangeSelect } from '../../ui/inputs/RangeSelect.tsx'
import { useClientNames } from '../clients/ClientsFilter.tsx'
import { AuditFilterMenu } from './AuditFilterMenu.tsx'
import classes from './AuditLog.module.css'
import { type AUDIT_COLUMNS, auditTable } from './audit-columns.tsx'
import type { AuditFilter, AuditView } from './audit-view.ts'
import { ACTION_LABELS, OBJECT_LABELS } from './audit-words.ts'
import { COUNTED } from './use-audit.ts'

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

/** Time range and filter of the log, what has come meanwhile, and the file. */
export function AuditTools(props: AuditToolsProps) {
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
          fileName={() => `audit-log-${new Date().toISOString().slice(0, 10)}.csv`}
          table={entries.length === 0 ? undefined : () => auditTable(entries, columns)}
        />
      </div>
    </div>
  )
}

const describeNew = (count: number): string =>
  count === 1 ? '1 new entry' : `${count}${count >= COUNTED ? '+' : ''} new entries`
