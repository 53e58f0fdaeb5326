import { Link } from '@tanstack/react-router'
import type { Pane } from '../../app/search.ts'
import classes from '../../ui/layout/ListAndDetail.module.css'

interface MachineLinkProps {
  agent_id: string
  hostname: string
  /** The tab that it opens, and the entry in it. */
  pane: Pane
  entry?: string | undefined
}

/** A machine's name in a row, which leads to a tab of the machine. The row has the focus. */
export function MachineLink({ agent_id, hostname, pane, entry }: MachineLinkProps) {
  return (
    <Link
      className={classes.link ?? ''}
      to="/agents/$agent_id"
      params={{ agent_id }}
      search={{ pane, ...(entry === undefined ? {} : { entry }) }}
      tabIndex={-1}
    >
      <bdi>{hostname}</bdi>
    </Link>
  )
}
