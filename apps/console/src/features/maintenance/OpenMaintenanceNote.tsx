import { Button } from '@mantine/core'
import type { OpenMaintenance } from '@muster/contract/api/maintenance'
import { IconTool } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AgentDetail } from '@muster/contract/api/agents'
import { Banner } from '../../app/shell/Banner.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useDateFormat } from '../../ui/layout/date-format.ts'
import classes from './Maintenance.module.css'
import { keyOf, openMaintenanceQuery, useOpenMaintenanceActions } from './use-open-maintenance.ts'
import { describeMaintenance } from './window-state.ts'
import { windowsQuery } from './target-choices.ts'
import { writeTarget } from './window-state.ts'

/** More names would push the screen away; the dialog lists all. */
const SHOWN = 6

/** The banner about maintenance without an end time. */
export function OpenMaintenanceNote() {
  const { data: entries = [] } = useQuery(openMaintenanceQuery)
  const { open } = useDialog()
  if (entries.length === 0) return null
  const named = entries.flatMap((entry) =>
    entry.targets.map((target) => ({ key: `${keyOf(entry)} ${writeTarget(target)}`, entry, target })),
  )
  const more = named.length - SHOWN
  const [only] = entries
  return (
    <Banner tone="info" icon={<IconTool size={16} stroke={1.75} aria-hidden />}>
      <span className={classes.open}>
        <span>Maintenance without end time:</span>
        {named.slice(0, SHOWN).map(({ key, entry, target }) => (
          <span key={key}>
            <TargetLink target={target} />
            {target.type !== 'agent' && entry.targets.length === 1 && ` (${countOf(entry)})`}
          </span>
        ))}
        {more > 0 && <span>and {more} more</span>}
      </span>
      {entries.length === 1 && only !== undefined ? (
        <EndButtons entry={only} />
      ) : (
        <Button size="compact-xs" onClick={() => open('open-maintenance')}>
          Show all
        </Button>
      )}
    </Banner>
  )
}

function EndButtons({ entry }: { entry: OpenMaintenance }) {
  const actions = useOpenMaintenanceActions()
  if (actions === undefined) return null
  return (
    <>
      <Button size="compact-xs" onClick={() => actions.planEnd(entry)}>
        Set end time
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        loading={actions.isEnding}
        onClick={() => actions.end(entry)}
      >
        End now
      </Button>
    </>
  )
}

const countOf = ({ agent_count: count }: OpenMaintenance) =>
  `${count} ${count === 1 ? 'machine' : 'machines'}`

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

/** End and reason of a machine's maintenance. */
export function MaintenanceNote({
  agent,
}: {
  agent: Pick<AgentDetail, 'maintenance_mode' | 'maintenance_by'>
}) {
  const { maintenance_mode: on, maintenance_by: windowId } = agent
  const { data: windows } = useQuery({ ...windowsQuery, enabled: on && windowId !== null })
  const format = useDateFormat()
  if (!on) return null
  const window = windows?.find(({ id }) => id === windowId)
  // Not loaded yet, or a window that this user may not see.
  const text =
    windowId !== null && window === undefined ? 'In maintenance' : describeMaintenance(window, format)
  return (
    <p className={classes.note}>
      <IconTool size={16} stroke={1.75} aria-hidden className={classes.active} />
      <span>
        {text}
        {window !== undefined && <span className="dim"> (by {window.created_by})</span>}
      </span>
    </p>
  )
}
