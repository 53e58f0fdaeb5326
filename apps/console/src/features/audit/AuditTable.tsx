import { Anchor, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { AuditEntry } from '@muster/contract/api/audit'
import { type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from '@tanstack/react-router'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { ActionBadge, AGENT_AUDIT_CARD, AUDIT_CARD, type AUDIT_COLUMNS, userText } from './audit-columns.tsx'
import { type AuditFilter, type AuditView, SORT_COLUMNS, START_VIEW } from './audit-view.ts'
import { AuditDiff } from './AuditDiff.tsx'
import classes from './AuditEntryDialog.module.css'
import { OBJECT_LABELS } from './audit-labels.ts'

const ROW_PX = 32
const COLUMNS_PX = { all: 1280, agent: 860 }

interface AuditTableProps {
  view: AuditView
  onChange: (view: AuditView) => void
  takesFocus: boolean
  entries: readonly AuditEntry[]
  columns: typeof AUDIT_COLUMNS
  agentId: string | undefined
}

/** The entries of a page; opening one shows its changes. */
export function AuditTable({ entries, columns, view, onChange, agentId, takesFocus }: AuditTableProps) {
  const table = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) table.current?.focus()
  }, [takesFocus])
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const [opened, setOpened] = useState<number>()
  const format = use(DateFormat)
  const context = useMemo(() => ({ formatDate: (instant: string) => formatDate(instant, format) }), [format])
  const openedAt = entries.findIndex(({ id }) => id === opened)
  const entry = entries[openedAt]
  const step = (by: number) => {
    const next = entries[openedAt + by]
    return next === undefined
      ? undefined
      : () => {
          setOpened(next.id)
          setSelected(`${next.id}`)
        }
  }
  const sort = (column: string) => {
    const sortBy = SORT_COLUMNS.find((known) => known === column)
    if (sortBy === undefined) return
    onChange({
      ...view,
      page: 1,
      sortBy,
      descending: view.sortBy === sortBy ? !view.descending : sortBy === START_VIEW.sortBy,
    })
  }
  return (
    <>
      <DataTable
        ref={table}
        autoFocus={takesFocus}
        label="Audit log"
        rows={entries}
        rowKey={({ id }) => `${id}`}
        columns={columns}
        context={context}
        rowHeight={ROW_PX}
        minWidth={agentId === undefined ? COLUMNS_PX.all : COLUMNS_PX.agent}
        sort={{ column: view.sortBy, descending: view.descending }}
        onSort={sort}
        selected={selected}
        onSelect={(row) => setSelected(row && `${row.id}`)}
        onClickRow={({ id }) => setOpened(id)}
        onOpen={({ id }) => setOpened(id)}
        card={hasCards ? (agentId === undefined ? AUDIT_CARD : AGENT_AUDIT_CARD) : undefined}
        empty={<NoEntries view={view} onChange={onChange} />}
      />
      {entry !== undefined && (
        <AuditEntryDialog
          key={entry.id}
          entry={entry}
          onClose={() => {
            setOpened(undefined)
            // The entries before it had dialogs of their own, so the last one does not know where the focus was.
            table.current?.focus({ preventScroll: true })
          }}
          onNewer={step(-1)}
          onOlder={step(1)}
          onFilter={
            agentId === undefined
              ? (change) => {
                  setOpened(undefined)
                  onChange({ ...view, ...change, page: 1 })
                }
              : undefined
          }
        />
      )}
    </>
  )
}

function NoEntries({ view, onChange }: Pick<AuditTableProps, 'view' | 'onChange'>) {
  if (view.page > 1) {
    return (
      <EmptyState message="No entries on this page.">
        <Button variant="default" onClick={() => onChange({ ...view, page: 1 })}>
          Go to first page
        </Button>
      </EmptyState>
    )
  }
  const { users, actions, objects, clients, agents } = view
  const isNarrowed = [users, actions, objects, clients, agents].some((list) => list.length > 0)
  if (isNarrowed) {
    return (
      <EmptyState message="No entries match the filter.">
        <Button
          variant="default"
          onClick={() => onChange({ ...view, users: [], actions: [], objects: [], clients: [], agents: [] })}
        >
          Clear filter
        </Button>
      </EmptyState>
    )
  }
  if (view.days === 0) return <EmptyState message="No entries yet." />
  return (
    <EmptyState message="No entries in this time range.">
      <Button variant="default" onClick={() => onChange({ ...view, days: 0 })}>
        Show all entries
      </Button>
    </EmptyState>
  )
}

interface AuditEntryDialogProps {
  entry: AuditEntry
  onClose: () => void
  /** The entry above or below in the list; absent at its ends. */
  onNewer: (() => void) | undefined
  onOlder: (() => void) | undefined
  /** Filters the log by a value of this entry. */
  onFilter: ((change: Partial<AuditFilter>) => void) | undefined
}

/** One entry: who, when, from where, and the changes. */
function AuditEntryDialog({ entry, onClose, onNewer, onOlder, onFilter }: AuditEntryDialogProps) {
  const { agent, agent_id, client, site, username } = entry
  const place = [client, site].filter(Boolean).join(', ')
  return (
    <Dialog
      title="Audit entry"
      size="xl"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" disabled={onNewer === undefined} onClick={onNewer}>
            Previous entry
          </Button>
          <Button variant="default" disabled={onOlder === undefined} onClick={onOlder}>
            Next entry
          </Button>
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <p className={classes.message} dir="auto">
        {entry.message}
      </p>
      <dl className={classes.facts}>
        <Fact name="Time">
          <Time instant={entry.entry_time} />
        </Fact>
        <Fact name="User">
          <bdi>{userText(entry)}</bdi>
          {onFilter && <Only onClick={() => onFilter({ users: [username] })}>only this user</Only>}
        </Fact>
        <Fact name="Action">
          <ActionBadge action={entry.action} />
        </Fact>
        <Fact name="Object">{OBJECT_LABELS[entry.object_type]}</Fact>
        {agent_id !== null && (
          <Fact name="Agent">
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/agents/$agent_id" params={{ agent_id }} />}
            >
              <bdi>{agent ?? agent_id}</bdi>
            </Anchor>
            {onFilter && <Only onClick={() => onFilter({ agents: [agent_id] })}>only this agent</Only>}
          </Fact>
        )}
        {place !== '' && (
          <Fact name={site === null ? 'Client' : 'Site'}>
            <bdi>{place}</bdi>
          </Fact>
        )}
        {entry.ip_address !== '' && (
          <Fact name="Address">
            <span className="mono">{entry.ip_address}</span>
          </Fact>
        )}
      </dl>
      <AuditDiff before={entry.before_value} after={entry.after_value} />
    </Dialog>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  )
}

function Only({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Anchor component="button" type="button" size="xs" className={classes.only} onClick={onClick}>
      {children}
    </Anchor>
  )
}
