import type { AgentDetail } from '@muster/contract/api/agents'
import { IconTool } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useDateFormat } from '../../ui/layout/date-format.ts'
import classes from './Maintenance.module.css'
import { describeMaintenance } from './window-state.ts'
import { windowsQuery } from './target-choices.ts'

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
