import type { AgentDetail } from '@muster/contract/api/agents'
import { listServices } from '@muster/contract/api/services'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../../app/api/api.ts'
import { describeError, isRefused } from '../../../app/api/describe-error.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useFind } from '../../../app/shell/use-place.ts'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { ServiceTable } from './ServiceTable.tsx'

const REFRESH_MS = 10_000
const FORBIDDEN = 'Your role does not allow you to see the services of machines.'

/** The services of a machine, polled while the page is visible. */
export function ServicesPane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_manage_winsvcs')
  const [search, setSearch] = useFind()
  const { data, error, refetch } = useQuery({
    ...query(listServices, { params: { agent_id: agent.agent_id } }),
    enabled: may && agent.connected,
    refetchInterval: REFRESH_MS,
    retry: false,
  })
  if (!may) return <NoPermission message={FORBIDDEN} />
  if (data === undefined) {
    if (!agent.connected)
      return <EmptyState message={`${agent.hostname} is offline. Services appear when it reconnects.`} />
    if (error === null) return <SkeletonRows rows={8} />
    if (isRefused(error)) return <NoPermission message={FORBIDDEN} />
    return <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
  }
  const running = data.filter(({ status }) => status === 'running').length
  return (
    <div className={classes.pane}>
      <div className={classes.tools}>
        <SearchField
          label="Search services"
          placeholder="Name, description, failed"
          value={search}
          onSearch={setSearch}
          className={classes.search}
        />
        <div className={classes.sums}>
          <span>
            {data.length} services, {running} running
          </span>
          {!agent.connected && <span>Offline: last known state</span>}
        </div>
      </div>
      <ServiceTable agent={agent} services={data} search={search} />
    </div>
  )
}
