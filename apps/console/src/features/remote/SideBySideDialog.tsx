import { Button, Checkbox, TextInput } from '@mantine/core'
import type { AgentRow } from '@muster/contract/api/agents'
import type { TreeNode } from '@muster/rules/search/tree-order'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { machinesQuery } from '../agents/machines-query.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { MachineStatus } from '../agents/machine-cells.tsx'
import { searchByText } from '../agents/search-machines.ts'
import classes from './SideBySideDialog.module.css'
import { MAX_MACHINES, openSideBySide } from './side-by-side.ts'

const TITLE = 'Terminals side by side'

/** Machines whose terminals open side by side: of `client-3`, of `site-2`, or of all, with `agent-ABC` preselected. */
export function SideBySideDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_use_terminal" onClose={close}>
      <Choose key={item} item={item} close={close} />
    </GuardedDialog>
  )
}

function Choose({ item, close }: { item: string; close: () => void }) {
  // Fixed for this address: another address is another dialog.
  const [{ node, first }] = useState(() => readItem(item))
  const list = useQuery(machinesQuery({ tab: 'mixed', node }))
  const [search, setSearch] = useState('')
  const [wanted, setWanted] = useState<readonly string[]>(first)
  const machines = list.data
  const choice = useMemo(
    () => choiceOf(machines ?? [], { search, first, chosen: wanted }),
    [machines, search, first, wanted],
  )
  const { chosen } = choice
  const open = () => {
    openSideBySide(chosen)
    close()
  }
  return (
    <Dialog
      title={TITLE}
      onClose={close}
      footer={
        <>
          <span className={classes.count} role="status">
            {chosen.length === 0
              ? `Up to ${MAX_MACHINES} machines`
              : `${chosen.length} selected, up to ${MAX_MACHINES}`}
          </span>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button disabled={chosen.length === 0} onClick={open}>
            {chosen.length > 1 ? `Open ${chosen.length} terminals` : 'Open'}
          </Button>
        </>
      }
    >
      <p className={classes.lead}>One window with a terminal per machine. Type into one, some or all.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen.length > 0) open()
        }}
      >
        <TextInput
          className={classes.search ?? ''}
          aria-label="Search machines"
          placeholder="Search machines"
          leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        {machines === undefined ? (
          <LoadingState error={list.error} onRetry={() => void list.refetch()} rows={5} />
        ) : (
          <MachineChoice choice={choice} isEmpty={machines.length === 0} onChange={setWanted} />
        )}
      </form>
    </Dialog>
  )
}

function readItem(item: string): { node: TreeNode | undefined; first: AgentRow['agent_id'][] } {
  const [, level, id = ''] = /^(client|site|agent)-(.+)$/.exec(item) ?? []
  if (level === 'agent') return { node: undefined, first: [id] }
  const place = Number(id)
  if (level === undefined || !Number.isSafeInteger(place) || place < 1) return { node: undefined, first: [] }
  return { node: { kind: level === 'client' ? 'Client' : 'Site', id: place }, first: [] }
}

interface MachineChoiceProps {
  choice: Choice
  /** No machines exist. */
  isEmpty: boolean
  onChange: (chosen: readonly string[]) => void
}

/** Machines with checkboxes, for the mouse or arrow keys and Space. */
function MachineChoice({ choice, isEmpty, onChange }: MachineChoiceProps) {
  const { shown, more, chosen, all } = choice
  if (isEmpty) return <EmptyState message="No machines here." />
  if (shown.length === 0) return <EmptyState message="No machines match the search." />
  const hasAll = all !== undefined && all.length === chosen.length
  const isFull = chosen.length >= MAX_MACHINES
  const tick = (id: string, on: boolean) => {
    const others = chosen.filter((one) => one !== id)
    onChange(on ? [...others, id] : others)
  }
  return (
    <div onKeyDown={walk}>
      {all !== undefined && (
        <Checkbox
          className={classes.all ?? ''}
          label="All online machines"
          checked={hasAll}
          indeterminate={!hasAll && chosen.length > 0}
          onChange={() => onChange(hasAll ? [] : all)}
        />
      )}
      <ul className="plain-list" aria-label="Machines">
        {shown.map((row) => {
          const isChosen = chosen.includes(row.agent_id)
          return (
            <li key={row.agent_id} className={classes.row}>
              <Checkbox
                label={<MachineLabel row={row} />}
                checked={isChosen}
                disabled={!row.connected || (isFull && !isChosen)}
                onChange={(event) => tick(row.agent_id, event.currentTarget.checked)}
              />
              <MachineStatus row={row} />
            </li>
          )
        })}
      </ul>
      {more > 0 && <p className={classes.more}>and {more} more: search for them.</p>}
    </div>
  )
}

function MachineLabel({ row }: { row: AgentRow }) {
  return (
    <>
      <bdi className={classes.name}>{row.hostname}</bdi>{' '}
      <span className={classes.place}>
        {row.client_name}, {row.site_name}
      </span>
    </>
  )
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const boxes = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input:enabled')]
  const at = boxes.findIndex((box) => box === event.target)
  boxes[at + step]?.focus()
  event.preventDefault()
}

/** More are found by searching. */
const MAX_SHOWN = 200

interface Choice {
  /** Machines that match the search: preselected ones first, then online ones, by name. */
  shown: readonly AgentRow[]
  /** Number of further matches. */
  more: number
  /** Selected machines that can be opened. */
  chosen: readonly string[]
  /** Machines that "all" selects; undefined if too many or none. */
  all: readonly string[] | undefined
}

/** The selectable and the selected machines. */
function choiceOf(
  machines: readonly AgentRow[],
  { search, first, chosen: wanted }: { search: string; first: readonly string[]; chosen: readonly string[] },
): Choice {
  const connected = new Set(machines.filter((row) => row.connected).map(({ agent_id }) => agent_id))
  const chosen = wanted.filter((id) => connected.has(id))
  const rankOf = ({ agent_id, connected: isThere }: AgentRow) =>
    first.includes(agent_id) ? 0 : isThere ? 1 : 2
  const fitting = searchByText(machines, search).toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.hostname.localeCompare(other.hostname),
  )
  const reachable = fitting.map(({ agent_id }) => agent_id).filter((id) => connected.has(id))
  const all = [...new Set([...chosen, ...reachable])]
  return {
    shown: fitting.slice(0, MAX_SHOWN),
    more: Math.max(0, fitting.length - MAX_SHOWN),
    chosen,
    all: reachable.length < 2 || all.length > MAX_MACHINES ? undefined : all,
  }
}
