import type { AgentDetail } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../../app/api/queries.ts'
import { useDialog } from '../../../app/dialogs/use-dialog.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import { alertName } from '../../alerts/alert-labels.ts'
import { SeverityMark } from '../../alerts/SeverityMark.tsx'
import { openAlertsQuery } from '../TabCount.tsx'
import { usePane } from '../use-pane.ts'
import classes from './OpenAlerts.module.css'
import section from '../../../ui/layout/Section.module.css'
import { Section } from '../../../ui/layout/Section.tsx'
import summary from './Summary.module.css'

/** The open alerts of a machine, the worst first. */
export function OpenAlerts({ agent: { agent_id } }: { agent: AgentDetail }) {
  const mayList = useMay('can_list_alerts')
  const { data } = useQuery({
    ...openAlertsQuery(agent_id),
    enabled: mayList,
    meta: { quiet: true },
  })
  const { open } = useDialog()
  const { setPane } = usePane()
  if (data === undefined) return null
  return (
    <Section
      title="Open alerts"
      note={data.alerts_count > 0 ? data.alerts_count : undefined}
      tools={
        <button type="button" className={section.link} onClick={() => setPane('alerts')}>
          Alerts
        </button>
      }
    >
      {data.alerts_count === 0 && <p className={summary.dim}>No open alerts.</p>}
      <ul className={classes.list}>
        {data.alerts.map((alert) => (
          <li key={alert.id} className={classes.alert}>
            <SeverityMark severity={alert.severity} shapeOnly />
            <button
              type="button"
              className={`${section.word} ${classes.message}`}
              onClick={() => open('alert', alert.id)}
            >
              <bdi>{alertName(alert)}</bdi>
            </button>
            <span className={classes.state}>
              {alert.acknowledged_by === '' ? (
                <Time instant={alert.alert_time} relative />
              ) : (
                <>
                  Acknowledged by <bdi>{alert.acknowledged_by}</bdi>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
