import { useQuery } from '@tanstack/react-query'
import classes from './AlertBell.module.css'
import { topAlertsQuery } from './alerts-query.ts'

/** The number of open alerts, once the bell has requested it; nothing while there are none. */
export function AlertCount() {
  const { data } = useQuery({ ...topAlertsQuery, enabled: false })
  if (data === undefined || data.alerts_count === 0) return null
  return (
    <span className={classes.count} data-worst={data.worst ?? 'none'}>
      {data.alerts_count.toLocaleString('en')} <span className="read-only-aloud">open</span>
    </span>
  )
}
