import { Popover, UnstyledButton } from '@mantine/core'
import type { Counts } from '@muster/contract/live-messages'
import { IconCircle, IconDeviceDesktop } from '@tabler/icons-react'
import classes from './MachineCounts.module.css'
import { useLive } from '../live/live.ts'

/** "902 machines, 17 offline", updated live; a click opens the totals. */
export function MachineCounts() {
  const counts = useLive((state) => state.counts)
  if (counts === undefined) return null
  const total = counts.total_server_count + counts.total_workstation_count
  return (
    <Popover position="bottom-end" returnFocus withinPortal={false} zIndex={150}>
      <Popover.Target>
        <UnstyledButton className={classes.button}>
          <IconDeviceDesktop size={18} stroke={1.75} aria-hidden />
          <span>
            <strong>{total}</strong>{' '}
            <span className={classes.word}>{total === 1 ? 'machine' : 'machines'}</span>
          </span>
          {counts.away_count > 0 && (
            <span className={classes.away}>
              <IconCircle size={10} stroke={3} aria-hidden /> {counts.away_count}{' '}
              <span className={classes.word}>offline</span>
            </span>
          )}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Totals counts={counts} />
      </Popover.Dropdown>
    </Popover>
  )
}

function Totals({ counts }: { counts: Counts }) {
  // Their status changes after the offline time of each.
  const justLost =
    counts.away_count - counts.total_server_offline_count - counts.total_workstation_offline_count
  return (
    <table className={classes.totals}>
      <thead>
        <tr>
          <th scope="col">Machines</th>
          <th scope="col">All</th>
          <th scope="col">Offline</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Servers</th>
          <td>{counts.total_server_count}</td>
          <td>{counts.total_server_offline_count}</td>
        </tr>
        <tr>
          <th scope="row">Workstations</th>
          <td>{counts.total_workstation_count}</td>
          <td>{counts.total_workstation_offline_count}</td>
        </tr>
        {justLost > 0 && (
          <tr>
            <th scope="row">Away</th>
            <td />
            <td>{justLost}</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}
