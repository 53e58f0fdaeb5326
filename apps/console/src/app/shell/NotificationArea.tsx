import { Button, CloseButton } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import classes from './NotificationArea.module.css'
import {
  type Notification,
  dismiss,
  holdNotification,
  releaseNotification,
  useNotifications,
} from './notify.ts'

const ICONS = {
  positive: IconCircleCheck,
  negative: IconCircleX,
  warning: IconAlertTriangle,
  info: IconInfoCircle,
}

/** Where notify()'s notifications appear; one live region for each of the nine positions. */
export function NotificationArea() {
  const notifications = useNotifications()
  const byPosition = Map.groupBy(notifications, ({ position }) => position)
  return (
    <div aria-live="polite" aria-relevant="additions text">
      {[...byPosition].map(([position, list]) => (
        <div key={position} className={classes.stack} data-position={position}>
          {list.map((notification) => (
            <Toast key={notification.id} notification={notification} />
          ))}
        </div>
      ))}
    </div>
  )
}

function Toast({ notification }: { notification: Notification }) {
  const { id, tone, message, caption, action, count } = notification
  const Icon = ICONS[tone]
  return (
    <div
      className={classes.toast}
      data-tone={tone}
      onMouseEnter={() => holdNotification(id)}
      onMouseLeave={() => releaseNotification(id)}
      onFocus={() => holdNotification(id)}
      onBlur={() => releaseNotification(id)}
    >
      <Icon size={18} stroke={1.75} aria-hidden className="tone-icon" />
      <div className={classes.text}>
        <div>{message}</div>
        {caption !== undefined && <div className="dim small">{caption}</div>}
      </div>
      {count > 1 && (
        <span className={classes.count} aria-label={`${count} times`}>
          {count}
        </span>
      )}
      {action !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => dismiss(id)} />
    </div>
  )
}
