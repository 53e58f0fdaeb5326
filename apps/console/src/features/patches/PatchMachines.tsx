import { ActionIcon, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { listPatchMachines, type PatchMachine } from '@muster/contract/api/patches'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import halves from '../../ui/layout/ListAndDetail.module.css'
import { MachineLink } from '../agents/MachineLink.tsx'
import { actionLabel, patchMachinesTable } from './patch-rows.ts'

interface PatchMachinesProps {
  patch: string
  /** Undefined while the list of patches does not show it. */
  name: string | undefined
  client: number | undefined
  onClose: () => void
}

/** Machines that can install one version of a patch. Opening one shows its patches. */
export function PatchMachines({ patch, name, client, onClose }: PatchMachinesProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const navigate = useNavigate()
  const [selected, setSelected] = useState<string>()
  const input = { params: { patch }, query: client === undefined ? {} : { client } }
  const { data, error, refetch } = useQuery(query(listPatchMachines, input))
  const open = ({ agent_id }: PatchMachine) =>
    void navigate({ to: '/agents/$agent_id', params: { agent_id }, search: { pane: 'patches' } })
  return (
    <section className={halves.detail} aria-label="Machines with this patch">
      <header className={halves.detailHead}>
        <h2 className={halves.name}>
          <bdi>{name ?? 'Machines'}</bdi>
        </h2>
        <Tooltip label="Close">
          <ActionIcon aria-label="Close machines" onClick={onClose}>
            <IconX size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      </header>
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
      ) : (
        <>
          <div className={list.tools}>
            <div className={list.sums}>
              <span role="status">{data.length === 1 ? '1 machine' : `${data.length} machines`}</span>
              <CsvButton
                of="machines"
                fileName="machines.csv"
                size="xs"
                table={data.length === 0 ? undefined : () => patchMachinesTable(data)}
              />
            </div>
          </div>
          <div className="pane">
            <DataTable
              label="Machines"
              rows={data}
              rowKey={({ agent_id }) => agent_id}
              columns={MACHINE_COLUMNS}
              context={undefined}
              rowHeight={28}
              minWidth={MACHINE_COLUMNS_PX}
              selected={selected}
              onSelect={(row) => setSelected(row?.agent_id)}
              onOpen={open}
              onDoubleClick={open}
              card={hasCards ? MACHINE_CARD : undefined}
              empty={<EmptyState message="No machine can install this patch any more." />}
            />
          </div>
        </>
      )}
    </section>
  )
}

const MACHINE_COLUMNS: readonly DataColumn<PatchMachine>[] = [
  {
    id: 'hostname',
    title: 'Machine',
    width: 'minmax(110px, 1fr)',
    render: (row) => <MachineLink {...row} pane="patches" />,
  },
  {
    id: 'client',
    title: 'Client, site',
    width: 'minmax(120px, 1.2fr)',
    render: ({ client, site }) => (
      <bdi>
        {client}, {site}
      </bdi>
    ),
  },
  {
    id: 'version',
    title: 'Installed version',
    width: 'minmax(110px, 1fr)',
    render: ({ current_version }) => <bdi>{current_version}</bdi>,
  },
  { id: 'action', title: 'Decision', width: '90px', render: actionLabel, watch: ({ action }) => action },
  {
    id: 'looked_at',
    title: 'Last scan',
    width: '110px',
    render: ({ looked_at }) => <Time instant={looked_at} relative />,
  },
]

const MACHINE_COLUMNS_PX = 560

const MACHINE_CARD: DataCard<PatchMachine, undefined> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <span className="cut">
          <MachineLink {...row} pane="patches" />
        </span>
        <span>{actionLabel(row)}</span>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">
          {row.client}, {row.site}
        </bdi>
        <bdi>{row.current_version}</bdi>
      </div>
    </>
  ),
}
