import { TextInput } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Software } from '@muster/contract/api/software'
import { IconSearch } from '@tabler/icons-react'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { type Refresh, RefreshButton } from '../../ui/inputs/RefreshButton.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import type { TableSort } from '../../ui/table/data-column.ts'
import list from '../../ui/layout/ListPane.module.css'
import { findPackages, packagesTable } from './software-rows.ts'

interface SoftwareToolsProps {
  agent: Pick<AgentDetail, 'connected'>
  software: Software
  search: string
  onSearch: (search: string) => void
  sort: TableSort
  refresh: Refresh
}

/** Search, how old the list is, the file, and asking for a new list. */
export function SoftwareTools({ agent, software, search, onSearch, sort, refresh }: SoftwareToolsProps) {
  const found = findPackages(software.software, search, sort)
  const count = software.software.length
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
          {software.left_out > 0 && `, ${software.left_out} more are not kept`}
        </span>
        <span>
          looked at <Time instant={software.looked_at} relative />
          {!agent.connected && ', not connected now'}
        </span>
        <RefreshButton label="List the software anew" tip="List anew" refresh={refresh} />
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
