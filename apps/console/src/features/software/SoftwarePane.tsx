import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { getSoftware } from '@muster/contract/api/software'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { useMay } from '../../app/api/queries.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { PackageTable } from './PackageTable.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { SoftwareTools } from './SoftwareTools.tsx'
import { useRefreshSoftware } from './use-refresh-software.ts'

const FORBIDDEN = 'Your role does not allow you to see the software of machines.'

/** What is installed on a machine, as it has told last. */
export function SoftwarePane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_list_software')
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState({ column: 'name', descending: false })
  const refresh = useRefreshSoftware(agent)
  const { data, error, refetch } = useQuery({
    ...query(getSoftware, { params: { agent_id: agent.agent_id } }),
    enabled: may,
  })
  if (!may) return <NoPermission message={FORBIDDEN} />
  if (data === undefined) {
    if (error === null) return <SkeletonRows rows={8} />
    if (isRefused(error)) return <NoPermission message={FORBIDDEN} />
    return <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
  }
  if (data.looked_at === null)
    return (
      <EmptyState
        message={
          agent.connected
            ? `${agent.hostname} has not told yet what is installed on it.`
            : `${agent.hostname} is not connected, and has not told yet what is installed on it.`
        }
      >
        {refresh.reason === undefined && (
          <Button variant="default" loading={refresh.busy} onClick={refresh.run}>
            Ask it now
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
      />
      <PackageTable packages={data.software} search={search} sort={sort} onSort={setSort} />
    </div>
  )
}
