import type { AgentDetail } from '@muster/contract/api/agents'
import { listServices } from '@muster/contract/api/services'
import { query } from '../../../app/api/api.ts'
import { useFind } from '../../../app/shell/use-tool-location.ts'
import { useQueryPane } from '../../../app/dialogs/use-query-pane.tsx'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { ServiceTable } from './ServiceTable.tsx'

const REFRESH_MS = 10_000
const FORBIDDEN = 'Your role does not allow you to see the services of machines.'

/** The services of a machine, polled while the page is visible. */
export function ServicesPane({ agent }: { agent: AgentDetail }) {
  const [search, setSearch] = useFind()
  const options = {
    ...query(listServices, { params: { agent_id: agent.agent_id } }),
    enabled: agent.connected,
    refetchInterval: REFRESH_MS,
    retry: false,
  }
  const { data, instead } = useQueryPane(options, {
    needs: 'can_manage_winsvcs',
    refused: FORBIDDEN,
    waiting: agent.connected ? undefined : (
      <EmptyState message={`${agent.hostname} is offline. Services appear when it reconnects.`} />
    ),
    rows: 8,
  })
  if (data === undefined) return instead
  const running = data.filter(({ status }) => status === 'running').length
  return (
    <div className={classes.pane}>
      <div className={classes.tools}>
        <SearchField
          label="Search services"
          placeholder={`Name, description, ${agent.plat === 'windows' ? 'running' : 'failed'}`}
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
