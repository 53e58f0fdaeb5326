import { ActionIcon, Button, Select, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { listSoftwareMachines, type SoftwareMachine } from '@muster/contract/api/software'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import list from '../../ui/layout/ListPane.module.css'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from '../../ui/layout/ListAndDetail.module.css'
import { MachineLink } from '../agents/MachineLink.tsx'
import { PREPARED_ITEM, prepareJob } from '../fleet-jobs/prepared-job.ts'
import { machinesTable } from './software-rows.ts'

const ALL = 'All versions'
/** Names of a package in one job. */
const MAX_NAMES = 5

/** Machines with a package, and their versions. */
export function TitleMachines({ title, onClose }: { title: string; onClose: () => void }) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const navigate = useNavigate()
  const [version, setVersion] = useState(ALL)
  const [selected, setSelected] = useState<string>()
  const { data, error, refetch } = useQuery(query(listSoftwareMachines, { params: { title }, query: {} }))
  const versions = [...new Set(data?.map((row) => row.version))]
  const rows = data?.filter((row) => version === ALL || row.version === version) ?? []
  const name = data?.[0]?.name ?? ''
  const upgradable = rows.filter(({ available, package_name }) => available !== null && package_name !== null)
  const mayChange = useMay('can_manage_software')
  const { open: openDialog } = useDialog()
  const updateAll = () => {
    // Machines may know it by different names: each uses the first that it has.
    const names = [...new Set(upgradable.flatMap((row) => row.package_name ?? []))]
    prepareJob({
      label: `with a newer version of ${name}`,
      agentIds: [...new Set(upgradable.map(({ agent_id }) => agent_id))],
      form: { action: 'upgrade', packages: names.slice(0, MAX_NAMES).join(', ') },
    })
    openDialog('new-job', PREPARED_ITEM)
  }
  const open = ({ agent_id }: { agent_id: string }) =>
    void navigate({ to: '/agents/$agent_id', params: { agent_id }, search: { pane: 'software' } })
  return (
    <section className={classes.detail} aria-label="Machines with this package">
      <header className={classes.detailHead}>
        <h2 className={classes.name}>
          <bdi>{name}</bdi>
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
            <Select
              size="xs"
              aria-label="Version"
              data={[ALL, ...versions.filter((one) => one !== '' && one !== ALL)]}
              value={version}
              allowDeselect={false}
              onChange={(next) => next !== null && setVersion(next)}
            />
            <div className={list.sums}>
              <span role="status">{rows.length === 1 ? '1 machine' : `${rows.length} machines`}</span>
              {mayChange && upgradable.length > 0 && (
                <Button size="xs" variant="default" onClick={updateAll}>
                  Update all {upgradable.length}
                </Button>
              )}
              <CsvButton
                of="machines"
                fileName="machines.csv"
                size="xs"
                table={rows.length === 0 ? undefined : () => machinesTable(rows)}
              />
            </div>
          </div>
          <div className="pane">
            <DataTable
              label="Machines"
              rows={rows}
              rowKey={(row) => `${row.agent_id} ${row.version} ${row.publisher}`}
              columns={MACHINE_COLUMNS}
              context={undefined}
              rowHeight={28}
              minWidth={MACHINE_COLUMNS_PX}
              selected={selected}
              onSelect={(row) => setSelected(row && `${row.agent_id} ${row.version} ${row.publisher}`)}
              onOpen={open}
              card={hasCards ? MACHINE_CARD : undefined}
              scrollKey={version}
              empty={<EmptyState message="No machines with this package any more." />}
            />
          </div>
        </>
      )}
    </section>
  )
}

const MACHINE_COLUMNS: readonly DataColumn<SoftwareMachine>[] = [
  {
    id: 'hostname',
    title: 'Machine',
    width: 'minmax(110px, 1fr)',
    render: (row) => <MachineLink {...row} pane="software" />,
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(110px, 1fr)',
    render: ({ version }) => <bdi>{version}</bdi>,
    watch: ({ version }) => version,
  },
  {
    id: 'available',
    title: 'Newer version',
    width: 'minmax(100px, 0.8fr)',
    render: ({ available }) => <bdi>{available}</bdi>,
    watch: ({ available }) => available,
  },
  {
    id: 'place',
    title: 'Client, site',
    width: 'minmax(120px, 1.2fr)',
    render: ({ client, site }) => (
      <bdi>
        {client}, {site}
      </bdi>
    ),
  },
  {
    id: 'installed',
    title: 'Installed on',
    width: '100px',
    render: ({ install_date }) => install_date,
  },
]

const MACHINE_COLUMNS_PX = 560

const MACHINE_CARD: DataCard<SoftwareMachine, undefined> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <span className="cut">
          <MachineLink {...row} pane="software" />
        </span>
        <bdi className="cut">
          {row.version}
          {row.available !== null && ` → ${row.available}`}
        </bdi>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">
          {row.client}, {row.site}
        </bdi>
        <span>{row.install_date}</span>
      </div>
    </>
  ),
}
