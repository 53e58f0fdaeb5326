import { Anchor } from '@mantine/core'
import type { Alert } from '@muster/contract/api/alerts'
import { getCheck } from '@muster/contract/api/checks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import { dependencyName } from '../checks/check-labels.ts'
import classes from './AlertDialog.module.css'
import { SeverityMark } from './SeverityMark.tsx'
import { StateMark } from './StateMark.tsx'
import { lasting } from './alert-columns.tsx'
import { HOLD_LABELS, TYPE_LABELS } from './alert-labels.ts'

const TICK_MS = 10_000

/** The facts of an alert, as names and values. */
export function AlertFacts({ alert }: { alert: Alert }) {
  const nowMs = useNow(TICK_MS)
  const { open } = useDialog()
  const mayListChecks = useMay('can_list_checks')
  const { agent_id, check_id, hold, state } = alert
  const place = [alert.client, alert.site].filter((part) => part !== '').join(' › ')
  return (
    <dl className={classes.facts}>
      <Fact name="Severity">
        <SeverityMark severity={alert.severity} />
      </Fact>
      <Fact name="State">
        <StateMark alert={alert} />
        <StateMore alert={alert} />
      </Fact>
      {agent_id !== null && (
        <Fact name="Machine">
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link {...props} to="/agents/$agent_id" params={{ agent_id }} search={{ pane: 'alerts' }} />
            )}
          >
            <bdi>{alert.hostname || agent_id}</bdi>
          </Anchor>
        </Fact>
      )}
      {place !== '' && (
        <Fact name="Location">
          <bdi>{place}</bdi>
        </Fact>
      )}
      <Fact name="Type">
        {TYPE_LABELS[alert.alert_type]}
        {check_id !== null && mayListChecks && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            className={classes.more}
            onClick={() => open('check-history', check_id)}
          >
            Check history
          </Anchor>
        )}
      </Fact>
      <Fact name="Opened">
        <Time instant={alert.alert_time} />
      </Fact>
      <Fact name={'Duration'}>{lasting(alert, nowMs)}</Fact>
      {alert.resolved_on !== null && (
        <Fact name="Resolved">
          <span>
            <Time instant={alert.resolved_on} />{' '}
            {alert.resolved_by === '' ? 'automatically' : <bdi>by {alert.resolved_by}</bdi>}
          </span>
        </Fact>
      )}
      {hold !== null && state !== 'resolved' && (
        <Fact name="Suppressed">
          <HeldBack alert={alert} />
        </Fact>
      )}
      {alert.flapping && hold !== 'flapping' && (
        <Fact name="Flapping">Opens and closes often. You are notified only once.</Fact>
      )}
    </dl>
  )
}

/** Why the alert is suppressed, with the name of its dependency if the user may see it. */
function HeldBack({ alert: { hold, check_id } }: { alert: Alert }) {
  const mayListChecks = useMay('can_list_checks')
  const isDependent = hold === 'dependency' && check_id !== null
  const { data } = useQuery({
    ...query(getCheck, { params: { id: check_id ?? 0 } }),
    enabled: isDependent && mayListChecks,
  })
  if (hold === null) return null
  const other = isDependent ? data?.dependency : undefined
  return (
    <span>
      {HOLD_LABELS[hold].sentence}
      {other != null && (
        <span className="dim">
          {' '}
          It depends on <bdi>{dependencyName(other)}</bdi>.
        </span>
      )}
    </span>
  )
}

/** Since when and by whom the alert has its state. */
function StateMore({ alert }: { alert: Alert }) {
  if (alert.state === 'snoozed') {
    return (
      <span className="dim">
        until <Time instant={alert.snooze_until} />
      </span>
    )
  }
  if (alert.state !== 'acknowledged') return null
  return (
    <span className="dim">
      {alert.acknowledged_by !== '' && <bdi>by {alert.acknowledged_by}, </bdi>}
      <Time instant={alert.acknowledged_on} />
    </span>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt className={classes.factName}>{name}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  )
}
