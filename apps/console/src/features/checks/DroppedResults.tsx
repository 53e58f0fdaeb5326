import type { AgentDetail } from '@muster/contract/api/agents'
import { listDroppedResults } from '@muster/contract/api/timeline'
import { IconDatabaseOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './ChecksPane.module.css'

/** That the history has a hole which the machine could not help; nothing where it has none. */
export function DroppedResults({ agent }: { agent: AgentDetail }) {
  const { data: drops = [] } = useQuery(query(listDroppedResults, { params: { agent_id: agent.agent_id } }))
  const newest = drops[0]
  const oldest = drops.at(-1)
  if (newest === undefined || oldest === undefined) return null
  const count = drops.reduce((sum, drop) => sum + drop.count, 0)
  const zone = agent.time_zone ?? agent.timezone
  return (
    <p className={classes.away} role="status">
      <IconDatabaseOff size={16} stroke={1.75} aria-hidden />
      <span>
        {count} {count === 1 ? 'result is' : 'results are'} missing from the history, of{' '}
        <Time instant={oldest.from} machineZone={zone} /> to <Time instant={newest.to} machineZone={zone} />:
        the server was away for longer than {agent.hostname} keeps what it measures.
      </span>
    </p>
  )
}
