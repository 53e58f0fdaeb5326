import type { AgentDetail } from '@muster/contract/api/agents'
import { listSystemTasks } from '@muster/contract/api/scheduler'
import { query } from '../../../app/api/api.ts'
import { useQueryPane } from '../../../app/dialogs/use-query-pane.tsx'
import { useFind } from '../../../app/shell/use-tool-location.ts'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { SystemTaskTable } from './SystemTaskTable.tsx'

/** A list of some hundred tasks is work for the machine. */
const REFRESH_MS = 30_000
const FORBIDDEN = 'Your role does not allow you to see the scheduler of machines.'

/** Tasks of a machine's own scheduler, polled while the page is visible. */
export function SchedulerPane({ agent }: { agent: AgentDetail }) {
  const [search, setSearch] = useFind()
  const options = {
    ...query(listSystemTasks, { params: { agent_id: agent.agent_id } }),
    enabled: agent.connected,
    refetchInterval: REFRESH_MS,
    retry: false,
  }
  const { data, instead } = useQueryPane(options, {
    needs: 'can_manage_winsvcs',
    refused: FORBIDDEN,
    waiting: agent.connected ? undefined : (
      <EmptyState message={`${agent.hostname} is offline. Its scheduler appears when it reconnects.`} />
    ),
    rows: 8,
  })
  if (data === undefined) return instead
  const disabled = data.filter(({ state }) => state === 'disabled').length
  return (
    <div className={classes.pane}>
      <div className={classes.tools}>
        <SearchField
          label="Search system tasks"
          placeholder="Name, command, disabled"
          value={search}
          onSearch={setSearch}
          className={classes.search}
        />
        <div className={classes.sums}>
          <span>
            {data.length} system tasks, {disabled} disabled
          </span>
          {!agent.connected && <span>Offline: last known state</span>}
        </div>
      </div>
      <SystemTaskTable agent={agent} tasks={data} search={search} />
    </div>
  )
}
