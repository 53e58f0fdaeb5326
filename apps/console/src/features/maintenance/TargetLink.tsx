import type { OpenMaintenance } from '@muster/contract/api/maintenance'
import { Link } from '@tanstack/react-router'
import classes from './Maintenance.module.css'

interface TargetLinkProps {
  target: OpenMaintenance['targets'][number]
  onLeave?: () => void
}

/** A link to a client or site in the tree, or to a machine's page. */
export function TargetLink({ target: { type, id, name }, onLeave }: TargetLinkProps) {
  const leave = onLeave === undefined ? {} : { onClick: onLeave }
  if (type === 'agent') {
    return (
      <Link to="/agents/$agent_id" params={{ agent_id: `${id}` }} className={classes.link} {...leave}>
        <bdi>{name}</bdi>
      </Link>
    )
  }
  const node = type === 'client' ? (`Client|${Number(id)}` as const) : (`Site|${Number(id)}` as const)
  return (
    <Link to="/" search={{ node }} className={classes.link} {...leave}>
      <bdi>{name}</bdi>
    </Link>
  )
}
