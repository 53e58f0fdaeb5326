import { useMediaQuery } from '@mantine/hooks'
import {
  listPolicyChecks,
  listPolicyCheckStatus,
  listPolicyTasks,
  listPolicyTaskStatus,
} from '@muster/contract/api/policies'
import { ApiError } from '@muster/contract/client'
import { readPolicyItemId } from '@muster/contract/policies/policy-items'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import classes from './PolicyStatus.module.css'
import { STATUS_CARD, STATUS_COLUMNS, STATUS_COLUMNS_PX, type StatusRow } from './status-columns.tsx'

const TITLE = 'On its machines'
const GONE = 'It does not exist any more, or you may not see it.'

/** How a check or a task of a policy stands on each machine: `check.10000001`, `task.10000002`. */
export function PolicyStatusDialog({ item = '', close }: AddressedDialogProps) {
  const [kind, id] = item.split('.')
  return (
    <GuardedDialog title={TITLE} needs="can_list_automation_policies" size="xl" onClose={close}>
      {kind === 'task' ? <Tasks id={Number(id)} close={close} /> : <Checks id={Number(id)} close={close} />}
    </GuardedDialog>
  )
}

interface ItemProps {
  id: number
  close: () => void
}

function Checks({ id, close }: ItemProps) {
  const { data, error, refetch } = useQuery(query(listPolicyCheckStatus, { params: { id } }))
  const { policy } = readPolicyItemId(id)
  const { data: checks } = useQuery(query(listPolicyChecks, { params: { id: policy } }))
  const name = checks?.find((check) => check.id === id)?.readable_desc
  return (
    <Dialog title={<bdi>{name ?? TITLE}</bdi>} size="xl" onClose={close}>
      <Machines pane="checks" rows={data} error={error} retry={refetch} />
    </Dialog>
  )
}

function Tasks({ id, close }: ItemProps) {
  const { data, error, refetch } = useQuery(query(listPolicyTaskStatus, { params: { id } }))
  const { policy } = readPolicyItemId(id)
  const { data: tasks } = useQuery(query(listPolicyTasks, { params: { id: policy } }))
  const task = tasks?.find((one) => one.id === id)
  const rows = data?.map((row) => ({ ...row, alert_severity: task?.alert_severity ?? null }))
  return (
    <Dialog title={<bdi>{task?.name ?? TITLE}</bdi>} size="xl" onClose={close}>
      <Machines pane="tasks" rows={rows} error={error} retry={refetch} />
    </Dialog>
  )
}

interface MachinesProps {
  /** What a machine opens with. */
  pane: 'checks' | 'tasks'
  rows: readonly StatusRow[] | undefined
  error: Error | null
  retry: () => unknown
}

function Machines({ pane, rows, error, retry }: MachinesProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const navigate = useNavigate()
  if (rows === undefined) {
    const isGone = error instanceof ApiError && (error.status === 404 || error.status === 400)
    return isGone ? (
      <EmptyState message={GONE} />
    ) : (
      <LoadingState error={error} onRetry={() => void retry()} rows={6} />
    )
  }
  const open = ({ agent_id }: StatusRow) =>
    void navigate({ to: '/agents/$agent_id', params: { agent_id }, search: { pane } })
  return (
    <div className={classes.table}>
      <DataTable
        label="Machines"
        rows={rows}
        rowKey={({ agent_id }) => agent_id}
        columns={STATUS_COLUMNS}
        context={undefined}
        rowHeight={32}
        minWidth={STATUS_COLUMNS_PX}
        selected={selected}
        onSelect={(row) => setSelected(row?.agent_id)}
        {...(hasCards ? { onClickRow: open } : {})}
        onOpen={open}
        onDoubleClick={open}
        card={hasCards ? STATUS_CARD : undefined}
        empty={<EmptyState message="No machine that you may see has it." />}
        autoFocus
      />
    </div>
  )
}
