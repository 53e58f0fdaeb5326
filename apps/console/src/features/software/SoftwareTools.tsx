import { ActionIcon, TextInput, Tooltip } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Software } from '@muster/contract/api/software'
import { IconRefresh, IconSearch } from '@tabler/icons-react'
import { CsvButton } from '../../ui/CsvButton.tsx'
import { Time } from '../../ui/Time.tsx'
import type { TableSort } from '../../ui/data-column.ts'
import list from '../../ui/ListPane.module.css'
import { findPackages, packagesTable } from './software-rows.ts'
import type { Refresh } from './use-refresh-software.ts'

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
        <Tooltip label={refresh.reason ?? 'List anew'}>
          <ActionIcon
            aria-label="List the software anew"
            loading={refresh.busy}
            {...(refresh.reason === undefined ? {} : { 'data-disabled': true })}
            aria-disabled={refresh.reason !== undefined}
            onClick={() => {
              if (refresh.reason === undefined) refresh.run()
            }}
          >
            <IconRefresh size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
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
