import type { AgentHistory } from '@muster/contract/api/runs'
import {
  type Icon,
  IconBan,
  IconCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleDot,
  IconCircleX,
  IconClockX,
  IconPlayerPlay,
  IconSend,
} from '@tabler/icons-react'
import classes from './RunState.module.css'
import { RUN_STEPS, describeState, stepReached } from './run-state.ts'

const ICONS: Record<AgentHistory['state'], Icon> = {
  queued: IconCircleDashed,
  sent: IconSend,
  accepted: IconCircleDot,
  running: IconPlayerPlay,
  done: IconCircleCheck,
  failed: IconCircleX,
  expired: IconClockX,
  cancelled: IconBan,
}

/** The state of a run as shape and text. */
export function RunState({ run }: { run: Pick<AgentHistory, 'state' | 'retcode'> }) {
  const { label, tone } = describeState(run)
  const StateIcon = run.state === 'done' && tone === 'warning' ? IconCircleX : ICONS[run.state]
  return (
    <span className={classes.state} data-tone={tone}>
      <StateIcon size={14} stroke={1.75} aria-hidden className="tone-icon" />
      {label}
    </span>
  )
}

/** Progress of a run: sent, accepted, running, done. */
export function RunSteps({ run }: { run: AgentHistory }) {
  const reached = stepReached(run)
  return (
    <ol className={classes.steps} aria-label="Progress">
      {RUN_STEPS.map((step, index) => {
        const isReached = index < reached
        const StepIcon = isReached ? IconCircleCheck : IconCircle
        return (
          <li
            key={step}
            data-reached={isReached || undefined}
            aria-current={index === reached - 1 ? 'step' : undefined}
          >
            <StepIcon size={14} stroke={1.75} aria-hidden />
            {step}
          </li>
        )
      })}
    </ol>
  )
}
