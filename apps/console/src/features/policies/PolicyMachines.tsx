import { listPolicyRelations } from '@muster/contract/api/policies'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import classes from './Policies.module.css'
import { Section } from './Section.tsx'
import { LEVEL_WORDS } from './policy-words.ts'

const MOST = 100

/** The machines that the policy reaches as it is saved. */
export function PolicyMachines({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(query(listPolicyRelations, { params: { id } }))
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} />
  const { agents } = data
  return (
    <Section title={`Reaches ${agents.length} ${agents.length === 1 ? 'machine' : 'machines'}`}>
      {agents.length === 0 && (
        <p className={classes.small}>
          No machine: it is not active, or nothing that it is assigned to has one.
        </p>
      )}
      <ul className={classes.lines} aria-label="Machines of the policy">
        {agents.slice(0, MOST).map(({ agent_id, hostname, client_name, site_name, level }) => (
          <li key={agent_id} className={classes.line}>
            <span className={classes.lineText}>
              <Link
                className={classes.link ?? ''}
                to="/agents/$agent_id"
                params={{ agent_id }}
                search={{ pane: 'policies' }}
              >
                <bdi>{hostname}</bdi>
              </Link>{' '}
              <span className={classes.small}>
                {client_name}, {site_name}
              </span>
            </span>
            <span className={classes.small}>{LEVEL_WORDS[level]}</span>
          </li>
        ))}
      </ul>
      {agents.length > MOST && <p className={classes.small}>and {agents.length - MOST} more</p>}
    </Section>
  )
}
