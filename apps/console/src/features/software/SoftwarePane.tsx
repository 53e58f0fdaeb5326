import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { getSoftware, refreshSoftware, type Software } from '@muster/contract/api/software'
import { describePackageStates } from '@muster/rules/agents/package-states'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { IconAlertTriangle, IconDevices, IconPackageImport, IconSearch, IconTrash } from '@tabler/icons-react'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useMay } from '../../app/api/queries.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { notifyDone } from '../../app/shell/notify.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { type Refresh, RefreshButton } from '../../ui/inputs/RefreshButton.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import type { DataCard, DataColumn, TableSort } from '../../ui/table/data-column.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { divider, type MenuEntry, type Point } from '../../ui/dialog/menu-entry.ts'
import patches from '../patches/Patches.module.css'
import { UninstallDialog } from './UninstallDialog.tsx'
import { ChangePackageDialog, type WantedChange } from './ChangePackageDialog.tsx'
import {
  findPackages,
  type PackageRow,
  packageRowKey,
  packagesTable,
  sizeLabel,
  SOURCE_LABELS,
} from './software-rows.ts'

const FORBIDDEN = 'Your role does not allow you to see the software of machines.'

/** The last reported software of a machine. */
export function SoftwarePane({ agent }: { agent: AgentDetail }) {
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState({ column: 'name', descending: false })
  const [wanted, setWanted] = useState<WantedChange>()
  const [uninstalled, setUninstalled] = useState<{ name: string; command: string }>()
  const refresh = useRefreshSoftware(agent)
  const { data, instead } = useQueryPane(query(getSoftware, { params: { agent_id: agent.agent_id } }), {
    needs: 'can_list_software',
    refused: FORBIDDEN,
    rows: 8,
  })
  if (data === undefined) return instead
  if (data.looked_at === null)
    return (
      <EmptyState
        message={
          agent.connected
            ? `${agent.hostname} has not reported its software yet.`
            : `${agent.hostname} is offline and has not reported its software yet.`
        }
      >
        {refresh.reason === undefined && (
          <Button variant="default" loading={refresh.busy} onClick={refresh.run}>
            Scan software
          </Button>
        )}
      </EmptyState>
    )
  return (
    <div className={list.pane}>
      <SoftwareTools
        agent={agent}
        software={data}
        search={search}
        onSearch={setSearch}
        sort={sort}
        refresh={refresh}
        onInstall={() => setWanted({ change: 'install', name: '' })}
      />
      {data.upgrades_problem !== null && (
        <div className={patches.note} role="note">
          <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
          <span className={patches.text}>Newer versions may be missing. {data.upgrades_problem}</span>
        </div>
      )}
      <PackageTable
        packages={data.software}
        search={search}
        sort={sort}
        onSort={setSort}
        refused={refresh.reason}
        onChange={setWanted}
        onUninstall={(name, command) => setUninstalled({ name, command })}
      />
      {uninstalled !== undefined && (
        <UninstallDialog agent={agent} {...uninstalled} onClose={() => setUninstalled(undefined)} />
      )}
      {wanted !== undefined && (
        <ChangePackageDialog agent={agent} {...wanted} onClose={() => setWanted(undefined)} />
      )}
    </div>
  )
}

/** Starts a software scan on a machine. */
function useRefreshSoftware({
  agent_id,
  hostname,
  connected,
}: Pick<AgentDetail, 'agent_id' | 'hostname' | 'connected'>): Refresh {
  const queryClient = useQueryClient()
  const may = useMay('can_manage_software')
  const params = { agent_id }
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(refreshSoftware, { params }),
    onSuccess: (software) => {
      queryClient.setQueryData(queryKey(getSoftware, { params }), software)
      notifyDone(`Software of ${hostname} refreshed.`)
    },
  })
  return {
    run: () => mutate(),
    busy: isPending,
    reason: !may
      ? 'Your role does not allow this action.'
      : connected
        ? undefined
        : `${hostname} is offline.`,
  }
}

interface SoftwareToolsProps {
  agent: Pick<AgentDetail, 'connected'>
  software: Software
  search: string
  onSearch: (search: string) => void
  sort: TableSort
  refresh: Refresh
  onInstall: () => void
}

/** Search, age of the list, CSV download, and scan button. */
function SoftwareTools({ agent, software, search, onSearch, sort, refresh, onInstall }: SoftwareToolsProps) {
  const found = findPackages(software.software, search, sort)
  const count = software.software.length
  const upgradable = software.software.filter(({ available }) => available !== null).length
  return (
    <div className={list.tools}>
      <TextInput
        className={list.search ?? ''}
        aria-label="Search software"
        placeholder="Name, version, publisher"
        leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
        value={search}
        onChange={({ currentTarget }) => onSearch(currentTarget.value)}
        autoComplete="off"
      />
      <div className={list.sums}>
        <span role="status">
          {found.length === count ? count : `${found.length} of ${count}`}{' '}
          {count === 1 ? 'package' : 'packages'}
          {software.left_out > 0 && `, ${software.left_out} more not stored`}
          {upgradable > 0 && `, ${upgradable} with a newer version`}
        </span>
        <span>
          scanned <Time instant={software.looked_at} relative />
          {!agent.connected && ', offline now'}
        </span>
        <Tooltip label={refresh.reason ?? 'Install a package'}>
          <ActionIcon
            aria-label="Install a package"
            {...(refresh.reason === undefined ? {} : { 'data-disabled': true })}
            onClick={() => refresh.reason === undefined && onInstall()}
          >
            <IconPackageImport size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
        <RefreshButton label="Scan software" tip="Scan software" refresh={refresh} />
        <CsvButton
          of="packages"
          fileName="software.csv"
          size="xs"
          table={found.length === 0 ? undefined : () => packagesTable(found)}
        />
      </div>
    </div>
  )
}

interface PackageTableProps {
  packages: readonly PackageRow[]
  search: string
  sort: TableSort
  onSort: (sort: TableSort) => void
  /** Why packages cannot be changed now. */
  refused: string | undefined
  onChange: (wanted: WantedChange) => void
  onUninstall: (name: string, command: string) => void
}

/** The packages of a machine. Opening one shows other machines that have it. */
function PackageTable({ packages, search, sort, onSort, refused, onChange, onUninstall }: PackageTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const navigate = useNavigate()
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ row: PackageRow; at: Point }>()
  const rows = useMemo(() => findPackages(packages, search, sort), [packages, search, sort])
  const showMachines = ({ name, title }: PackageRow) =>
    void navigate({ to: '/software', search: { search: name, title } })
  const entriesOf = (row: PackageRow): MenuEntry[] => [
    {
      id: 'machines',
      label: 'Show machines with this package',
      icon: IconDevices,
      shortcut: 'Enter',
      run: () => showMachines(row),
    },
    divider('change'),
    {
      id: 'upgrade',
      label: row.available === null ? 'Upgrade' : `Upgrade to ${row.available}`,
      icon: IconPackageImport,
      disabledReason: refused ?? whyNoUpgrade(row),
      run: () => row.package_name !== null && onChange({ change: 'upgrade', name: row.package_name }),
    },
    {
      id: 'remove',
      label: 'Remove…',
      icon: IconTrash,
      danger: true,
      disabledReason:
        refused ?? (row.package_name === null && row.uninstall === null ? UNMANAGED : undefined),
      run: () => {
        if (row.package_name !== null) onChange({ change: 'remove', name: row.package_name })
        else if (row.uninstall !== null) onUninstall(row.name, row.uninstall)
      },
    },
  ]
  return (
    <div className="pane">
      <DataTable
        label="Software"
        rows={rows}
        rowKey={packageRowKey}
        columns={PACKAGE_COLUMNS}
        context={undefined}
        rowHeight={28}
        minWidth={PACKAGE_COLUMNS_PX}
        sort={sort}
        onSort={(column) => onSort({ column, descending: sort.column === column && !sort.descending })}
        selected={selected}
        onSelect={(row) => setSelected(row && packageRowKey(row))}
        onOpen={showMachines}
        onDoubleClick={showMachines}
        onMenu={(row, at) => setMenu({ row, at })}
        card={hasCards ? PACKAGE_CARD : undefined}
        scrollKey={`${sort.column} ${sort.descending} ${search}`}
        empty={
          <EmptyState
            message={packages.length === 0 ? 'No software reported.' : 'No packages match the search.'}
          />
        }
      />
      {menu !== undefined && (
        <ContextMenu
          label={`Package ${menu.row.name}`}
          at={menu.at}
          entries={entriesOf(menu.row)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

const UNMANAGED = 'No package manager of this machine manages it.'

function whyNoUpgrade({ package_name, available }: PackageRow): string | undefined {
  if (package_name === null) return UNMANAGED
  return available === null ? 'No newer version is known.' : undefined
}

const PACKAGE_COLUMNS: readonly DataColumn<PackageRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 1.4fr)',
    sortable: true,
    render: ({ name, uninstall }) => (
      <bdi data-tip={uninstall === null ? undefined : `Removed by: ${uninstall}`}>{name}</bdi>
    ),
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(120px, 1fr)',
    sortable: true,
    render: ({ version, states }) => (
      <>
        <bdi>{version}</bdi>
        {states.length > 0 && <span className="dim"> ({describePackageStates(states)})</span>}
      </>
    ),
    watch: ({ version, states }) => `${version} ${states.join(' ')}`,
  },
  {
    id: 'available',
    title: 'Newer version',
    width: 'minmax(110px, 0.8fr)',
    sortable: true,
    render: ({ available }) => <bdi>{available}</bdi>,
    watch: ({ available }) => available,
  },
  {
    id: 'publisher',
    title: 'Publisher',
    width: 'minmax(140px, 1.2fr)',
    sortable: true,
    render: ({ publisher }) => <bdi>{publisher}</bdi>,
  },
  {
    id: 'size',
    title: 'Size',
    width: '96px',
    numeric: true,
    sortable: true,
    render: (row) => sizeLabel(row),
  },
  {
    id: 'installed',
    title: 'Installed on',
    width: '110px',
    sortable: true,
    render: ({ install_date }) => install_date,
  },
  {
    id: 'source',
    title: 'Source',
    width: '104px',
    sortable: true,
    render: ({ source }) => SOURCE_LABELS[source],
  },
]

const PACKAGE_COLUMNS_PX = 910

const PACKAGE_CARD: DataCard<PackageRow, undefined> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{row.name}</bdi>
        <bdi className="cut">
          {row.version}
          {row.available !== null && ` → ${row.available}`}
          {row.states.length > 0 && ` (${describePackageStates(row.states)})`}
        </bdi>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{row.publisher}</bdi>
        <span>{sizeLabel(row)}</span>
      </div>
    </>
  ),
}
