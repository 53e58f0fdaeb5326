import type { AlertActionRun } from '@muster/contract/api/alerts'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './AlertDialog.module.css'

const TITLES = { failure: 'Failure action', resolved: 'Resolved action' } as const

/** What an alert template had run, and how that went. */
export function AlertActions({ actions }: { actions: readonly AlertActionRun[] }) {
  return actions.map((action) => (
    <section key={action.kind} aria-label={TITLES[action.kind]} className={classes.action}>
      <h3 className={classes.heading}>{TITLES[action.kind]}</h3>
      <div className={classes.entryHead}>
        <bdi className={classes.kind}>{action.name}</bdi>
        <span>{stateOf(action)}</span>
        <bdi className={classes.dim}>by the template {action.template}</bdi>
        <span className={classes.at}>
          <Time instant={action.ended ?? action.created} />
        </span>
      </div>
      {action.ended !== null && action.state !== 'called_off' && (
        <div className={classes.output}>
          <OutputBox
            label={`Output of the ${TITLES[action.kind].toLowerCase()}`}
            segments={action.output === '' ? [] : [{ text: action.output }]}
            empty="It wrote nothing."
            growing={false}
          />
        </div>
      )}
    </section>
  ))
}

/** `done after 0.3 s, exit code 0`. */
function stateOf({ state, retcode, execution_time, history_id }: AlertActionRun): string {
  if (state === 'waiting') return 'is about to run'
  if (state === 'running') return history_id === null ? 'is being sent' : 'was sent to the machine'
  if (state === 'called_off') return 'called off'
  const took = execution_time === null ? '' : ` after ${execution_time.toFixed(1)} s`
  const code = retcode === null ? '' : `, ${history_id === null ? 'status' : 'exit code'} ${retcode}`
  return `${state === 'done' ? 'done' : 'failed'}${took}${code}`
}
