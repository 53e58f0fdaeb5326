import { useMediaQuery } from '@mantine/hooks'
import {
  listPolicyChecks,
  listPolicyCheckStatus,
  listPolicyTasks,
  listPolicyTaskStatus,
} from '@muster/contract/api/policies'
import { ApiError } from '@muster/contract/client'
import { type CheckOnMachine, readPolicyItemId } from '@muster/contract/policies/policy-items'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { CheckStatus } from '../checks/CheckStatus.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './PolicyStatus.module.css'

const TITLE = 'Status on machines'
const GONE = 'Not found. You may not have access to it.'

/** The status of a policy's check or task on each machine: `check.10000001`, `task.10000002`. */
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
  /** The target of a machine's row. */
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
        empty={<EmptyState message="No machines that you may see." />}
        autoFocus
      />
    </div>
  )
}

/** Status of a check or a task on a machine. */
type StatusRow = Pick<
  CheckOnMachine,
  | 'agent_id'
  | 'hostname'
  | 'client_name'
  | 'site_name'
  | 'status'
  | 'alert_severity'
  | 'more_info'
  | 'last_run'
  | 'retcode'
> &
  // Tasks have none.
  Partial<Pick<CheckOnMachine, 'fresh_until'>>

const STATUS_COLUMNS_PX = 760

const STATUS_COLUMNS: readonly DataColumn<StatusRow>[] = [
  {
    id: 'status',
    title: 'Status',
    width: '150px',
    render: (row) => <CheckStatus state={row} />,
    watch: ({ status, alert_severity }) => `${status} ${alert_severity}`,
  },
  {
    id: 'hostname',
    title: 'Machine',
    width: 'minmax(140px, 1fr)',
    render: ({ hostname }) => <bdi className="strong">{hostname}</bdi>,
  },
  {
    id: 'place',
    title: 'Client and site',
    width: 'minmax(140px, 1fr)',
    render: (row) => <bdi className="dim">{locationOf(row)}</bdi>,
  },
  {
    id: 'more_info',
    title: 'Result',
    width: 'minmax(160px, 2fr)',
    render: (row) => <bdi>{describe(row)}</bdi>,
  },
  {
    id: 'last_run',
    title: 'Last run',
    width: '170px',
    render: ({ last_run }) => (last_run === null ? 'never' : <Time instant={last_run} />),
  },
]

const STATUS_CARD: DataCard<StatusRow, undefined> = {
  height: 83,
  render: (row) => (
    <>
      <div className="cardLine">
        <bdi className="strong cut">{row.hostname}</bdi>
        <CheckStatus state={row} />
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{locationOf(row)}</bdi>
        <span>{row.last_run === null ? 'never' : <Time instant={row.last_run} relative />}</span>
      </div>
      <div className="cardLine">
        <bdi className="cut">{describe(row)}</bdi>
      </div>
    </>
  ),
}

const locationOf = ({ client_name, site_name }: StatusRow) => `${client_name}, ${site_name}`

function describe({ more_info, retcode, status }: StatusRow): string {
  if (more_info !== '') return more_info
  return retcode === null || status === 'pending' ? '–' : `exit code ${retcode}`
}
