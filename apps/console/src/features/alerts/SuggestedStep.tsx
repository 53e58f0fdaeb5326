import { Button } from '@mantine/core'
import { type Alert, type AlertSuggestion, getAlertSuggestion } from '@muster/contract/api/alerts'
import { IconBulb } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { formatValue, seriesLabel } from '../checks/check-labels.ts'
import classes from './AlertPanel.module.css'

/** The action that resolved earlier alerts of this check, with dates and effect; absent without one. */
export function SuggestedStep({ alert: { id, agent_id, hostname } }: { alert: Alert }) {
  const { data } = useQuery({ ...query(getAlertSuggestion, { params: { id } }), meta: { quiet: true } })
  const mayList = useMay('can_list_scripts')
  const mayRun = useMay('can_run_scripts') && mayList
  const { open } = useDialog()
  const suggestion = data?.suggestion ?? undefined
  if (suggestion === undefined) return null
  const { kind, script_id, resolved } = suggestion
  return (
    <section aria-label="Suggested step" className={classes.suggested}>
      <IconBulb size={16} stroke={1.75} aria-hidden className={classes.bulb} />
      <div className={classes.suggestedText}>
        <h3 className={classes.suggestedTitle} dir="auto">
          Suggested: {describeStep(suggestion)}
        </h3>
        <ul className="plain-list">
          {resolved.map((one) => (
            <li key={one.alert_id} className={classes.earlier}>
              Resolved this alert on{' '}
              <Link
                to="."
                search={(old) => ({ ...old, dialog: 'alert', item: `${one.alert_id}` })}
                className={classes.quiet}
              >
                <Time instant={one.at} />
              </Link>
              {one.minutes === 0 ? ', within a minute' : `, ${one.minutes} min later`}
              {one.hostname !== hostname && (
                <>
                  {' on '}
                  <bdi>{one.hostname}</bdi>
                </>
              )}
              {one.effect !== null && `. ${describeEffect(one.effect)}`}
            </li>
          ))}
        </ul>
      </div>
      {kind === 'script' && mayRun && agent_id !== null && (
        <Button
          variant="default"
          onClick={() => open('run-script', script_id === null ? agent_id : `${agent_id}.${script_id}`)}
        >
          Run script …
        </Button>
      )}
    </section>
  )
}

function describeStep({ kind, name }: AlertSuggestion): string {
  switch (kind) {
    case 'script':
      return `run “${name}”`
    case 'service':
      return `restart the service “${name}”`
    case 'task':
      return `run the task “${name}”`
    case 'reboot':
      return 'restart the machine'
  }
}

type Effect = NonNullable<AlertSuggestion['resolved'][number]['effect']>

/** `Free space: 3.8 % → 12.4 %`. */
function describeEffect({ name, unit, before, after }: Effect): string {
  return `${seriesLabel(name)}: ${formatValue(before, unit)} → ${formatValue(after, unit)}`
}
