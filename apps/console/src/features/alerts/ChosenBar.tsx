import { Button, Checkbox } from '@mantine/core'
import type { Alert, AlertAction } from '@muster/contract/api/alerts'
import { IconBellPause, IconCircleCheck, IconUserCheck } from '@tabler/icons-react'
import classes from './AlertList.module.css'
import { fits } from './alert-can.ts'
import { countAlerts } from './alert-words.ts'
import type { AlertActions } from './use-alert-actions.tsx'
import type { Chosen } from './use-chosen.ts'

interface ChosenBarProps {
  alerts: readonly Alert[]
  /** Also of those that are not fetched. */
  total: number
  chosen: Chosen
  actions: AlertActions
}

const CHANGES = [
  { action: 'acknowledge', label: 'Acknowledge', icon: IconUserCheck },
  { action: 'snooze', label: 'Snooze', icon: IconBellPause },
  { action: 'resolve', label: 'Resolve', icon: IconCircleCheck },
] as const

/** How many alerts there are and are checked, and what can be done with those. */
export function ChosenBar({ alerts, total, chosen: { ids, setAll }, actions }: ChosenBarProps) {
  const { mayManage, ask } = actions
  const many = ids.size
  const fitting = (action: AlertAction) => alerts.filter((alert) => ids.has(alert.id) && fits(action, alert))
  return (
    <div className={classes.chosen} data-some={many > 0 || undefined}>
      {mayManage && (
        <Checkbox
          size="xs"
          aria-label="Select all alerts of the list"
          checked={many > 0 && many === alerts.length}
          indeterminate={many > 0 && many < alerts.length}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      )}
      <span className={classes.count} role="status">
        {many > 0 ? `${many} of ${countAlerts(total)} selected` : countAlerts(total)}
      </span>
      {many > 0 &&
        CHANGES.map(({ action, label, icon: ActionIcon }) => (
          <Button
            key={action}
            variant="default"
            leftSection={<ActionIcon size={16} stroke={1.75} aria-hidden />}
            disabled={fitting(action).length === 0}
            onClick={() => ask(action, fitting(action))}
          >
            {label}
          </Button>
        ))}
    </div>
  )
}
