import { SegmentedControl } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import type { AgentDetail } from '@muster/contract/api/agents'
import { useMay } from '../../../app/api/queries.ts'
import { useToolLocation } from '../../../app/shell/use-tool-location.ts'
import { NoPermission } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { LogEntries } from './LogEntries.tsx'
import { LogTail } from './LogTail.tsx'

/** The logs of a machine: searched entries, or live lines. */
export function LogsPane({ agent }: { agent: AgentDetail }) {
  const mayLogs = useMay('can_view_eventlogs')
  const mayFiles = useMay('can_manage_files')
  const { at, go } = useToolLocation()
  const view = at === 'live' ? 'live' : 'entries'
  if (!mayLogs) return <NoPermission message="Your role does not allow you to see the logs of machines." />
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label="View"
      value={view}
      onChange={(next) => go(next === 'live' ? next : undefined)}
      data={[
        { value: 'entries', label: 'Entries' },
        { value: 'live', label: 'Live' },
      ]}
    />
  )
  return (
    <div className={classes.pane}>
      {view === 'entries' ? (
        <LogEntries agent={agent}>{choice}</LogEntries>
      ) : (
        <LogTail agent={agent} mayFiles={mayFiles}>
          {choice}
        </LogTail>
      )}
    </div>
  )
}
