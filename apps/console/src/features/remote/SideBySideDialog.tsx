import { Button, TextInput } from '@mantine/core'
import type { AgentRow } from '@muster/contract/api/agents'
import type { TreeNode } from '@muster/rules/search/tree-node'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { machinesQuery } from '../agents/machines-query.ts'
import { MachineChoice } from './MachineChoice.tsx'
import classes from './SideBySideDialog.module.css'
import { choiceOf } from './machine-choice.ts'
import { MOST_MACHINES, openSideBySide } from './side-by-side.ts'

const TITLE = 'Terminals side by side'

/** Whose terminals are to stand side by side: of `client-3`, of `site-2`, or of all, with `agent-ABC` among them. */
export function SideBySideDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_use_terminal" onClose={close}>
      <Choose key={item} item={item} close={close} />
    </GuardedDialog>
  )
}

function Choose({ item, close }: { item: string; close: () => void }) {
  // Of this address for good: another one is another dialog.
  const [{ node, first }] = useState(() => placeOf(item))
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
              ? `Up to ${MOST_MACHINES} machines`
              : `${chosen.length} chosen, up to ${MOST_MACHINES}`}
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
      <p className={classes.lead}>
        Each machine gets a terminal in one window. What you type goes to one of them, to some, or to all.
      </p>
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

function placeOf(item: string): { node: TreeNode | undefined; first: AgentRow['agent_id'][] } {
  const [, level, id = ''] = /^(client|site|agent)-(.+)$/.exec(item) ?? []
  if (level === 'agent') return { node: undefined, first: [id] }
  const place = Number(id)
  if (level === undefined || !Number.isSafeInteger(place) || place < 1) return { node: undefined, first: [] }
  return { node: { kind: level === 'client' ? 'Client' : 'Site', id: place }, first: [] }
}
