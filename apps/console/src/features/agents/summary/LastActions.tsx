import type { AgentDetail } from '@muster/contract/api/agents'
import { listMachineChanges } from '@muster/contract/api/timeline'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import { EVENT_KINDS, useOpenEntry } from '../../metrics/event-kinds.ts'
import { usePane } from '../use-pane.ts'
import classes from './LastActions.module.css'
import section from '../../../ui/layout/Section.module.css'
import { Section } from '../../../ui/layout/Section.tsx'
import summary from './Summary.module.css'
import { describeChange } from './what-changed.ts'
import { serverNow } from '../../../ui/layout/server-clock.ts'

const SHOWN = 5
const DAYS_SECONDS = 30 * 86_400
const MOVE_MS = 60_000

const monthAgo = () => Math.floor(serverNow() / 1000) - DAYS_SECONDS

/** The last actions of users on a machine. */
export function LastActions({ agent: { agent_id } }: { agent: AgentDetail }) {
  const options = queryOptions({
    queryKey: [...queryKey(listMachineChanges), { params: { agent_id }, last: SHOWN }] as const,
    queryFn: async ({ signal }) => {
      // Others than those of users are left out below.
      const asked = { params: { agent_id }, query: { from: monthAgo(), limit: 100 } }
      return (await call(listMachineChanges, asked, { signal })).changes.filter(({ by }) => by !== '')
    },
  })
  const { data } = useQuery({ ...options, refetchInterval: MOVE_MS, meta: { quiet: true } })
  const open = useOpenEntry()
  const { setPane } = usePane()
  if (data === undefined) return null
  return (
    <Section
      title="Last actions"
      tools={
        <button type="button" className={section.link} onClick={() => setPane('history')}>
          History
        </button>
      }
    >
      {data.length === 0 && <p className={summary.dim}>No actions in the last 30 days.</p>}
      <ul className={classes.list}>
        {data.slice(0, SHOWN).map((action) => {
          const { icon: KindIcon } = EVENT_KINDS[action.kind]
          const text = <bdi>{describeChange(action)}</bdi>
          return (
            <li
              key={`${action.kind} ${action.id ?? ''} ${action.from} ${action.text}`}
              className={classes.action}
            >
              <KindIcon size={16} stroke={1.75} aria-hidden className="dim-icon" />
              {action.id === null ? (
                <span className={classes.text}>{text}</span>
              ) : (
                <button
                  type="button"
                  className={`${section.link} ${classes.text}`}
                  onClick={() => open(action)}
                >
                  {text}
                </button>
              )}
              <bdi className={classes.by}>{action.by}</bdi>
              <span className={classes.time}>
                <Time instant={action.from} relative />
              </span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
