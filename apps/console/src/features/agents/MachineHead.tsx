import type { AgentDetail } from '@muster/contract/api/agents'
import classes from './MachineHead.module.css'
import { MachineStatus } from './machine-cells.tsx'
import { TagLinks } from './MachinesWith.tsx'

/** State, name, description and tags of a machine; the page's title, or that of the lower pane. */
export function MachineHead({ agent, level }: { agent: AgentDetail; level: 1 | 2 }) {
  const Name = `h${level}` as const
  return (
    <div className={classes.head}>
      <MachineStatus row={agent} />
      <Name className={classes.name}>
        <bdi>{agent.hostname}</bdi>
      </Name>
      {agent.description !== '' && <bdi className={classes.description}>{agent.description}</bdi>}
      {agent.tags.length > 0 && (
        <div className={classes.tags}>
          <TagLinks names={agent.tags} />
        </div>
      )}
    </div>
  )
}
