import { Button, Tooltip } from '@mantine/core'
import {
  approveFleetJob,
  type FleetJobDetail,
  getFleetJob,
  haltFleetJob,
  pauseFleetJob,
  resumeFleetJob,
  retryFleetJob,
  stopFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { ApiError } from '@muster/contract/client'
import type { JobAgentState } from '@muster/rules/fleet-jobs/job-state'
import {
  IconArrowBackUp,
  IconCheck,
  IconHandStop,
  IconLink,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlayerTrackNext,
  IconReload,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import type { JobSearch } from '../../app/search.ts'
import { notify, notifyDone } from '../../app/shell/notify.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import {
  countMachines,
  JOB_STATE_LABELS,
  MACHINE_STATES,
  MACHINE_STATE_LABELS,
  progressText,
} from './job-labels.ts'
import { JobGroups } from './JobGroups.tsx'
import { JobMachines } from './JobMachines.tsx'
import { JobOutput } from './JobOutput.tsx'
import { JobStateMark, MachineMark, ProgressBar } from './JobMarks.tsx'
import { UndoDialog } from './UndoDialog.tsx'
import classes from './Jobs.module.css'

/** A job: its waves, counts, machines by equal output, and what can be done now. */
export function JobPage() {
  const { job_id } = useParams({ from: '/signed-in/gated/frame/jobs/$job_id' })
  const {
    query: asked,
    data,
    instead,
  } = useQueryPane(query(getFleetJob, { params: { id: Number(job_id) } }), {
    needs: 'can_list_agent_history',
    refused: 'This job does not exist, or you may not see it.',
    rows: 8,
  })
  usePageTitle(data?.name)
  return (
    <div className={`${list.pane} ${classes.page}`}>
      {data !== undefined && <JobView job={data} />}
      {data === undefined && (isGone(asked.error) ? <NoJob /> : instead)}
    </div>
  )
}

/** 400: the address holds an invalid id. */
const isGone = (error: Error | null): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

function NoJob() {
  return (
    <EmptyState message="This job does not exist, or you may not see it.">
      <Button variant="default" component={Link} to="/jobs">
        Show all jobs
      </Button>
    </EmptyState>
  )
}

function JobView({ job }: { job: FleetJobDetail }) {
  const view = useSearch({ from: '/signed-in/gated/frame/jobs/$job_id' })
  const navigate = useNavigate()
  const show = (change: Partial<JobSearch>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false })
  const group = job.groups.find(({ id }) => id === view.group) ?? job.groups[0]
  return (
    <>
      <JobHead job={job} />
      {job.reason !== null && (
        <p className={classes.reason} role="status">
          {job.reason}
        </p>
      )}
      <Waves job={job} />
      <Counts
        job={job}
        state={view.state}
        onState={(state) => show({ state: state === view.state ? undefined : state, group: undefined })}
      />
      <div className={classes.body}>
        <div className={classes.left}>
          <JobGroups
            groups={job.groups}
            selected={view.state === undefined ? group?.id : undefined}
            onSelect={(id) => show({ group: id, state: undefined })}
          />
          <JobMachines
            job={job}
            state={view.state}
            group={view.state === undefined ? group?.id : undefined}
          />
        </div>
        <div className={classes.right}>
          {group !== undefined && <JobOutput job={job.id} group={group} />}
          <section>
            <h2 className={classes.title}>History</h2>
            <dl className={classes.log}>
              {job.history.map(({ at, kind, text, username }) => (
                <LogLine key={`${at} ${text}`} at={at} kind={kind} text={text} username={username} />
              ))}
            </dl>
          </section>
        </div>
      </div>
    </>
  )
}

function LogLine({ at, kind, text, username }: FleetJobDetail['history'][number]) {
  return (
    <>
      <dt>
        <Time instant={at} />
      </dt>
      <dd data-kind={kind}>
        {text}
        {username !== '' && !text.startsWith(username) && <bdi className="dim"> · {username}</bdi>}
      </dd>
    </>
  )
}

const STEPS = [
  { step: 'approve', label: 'Approve', icon: IconCheck, endpoint: approveFleetJob, done: 'Approved.' },
  { step: 'resume', label: 'Resume', icon: IconPlayerPlay, endpoint: resumeFleetJob, done: 'Resumed.' },
  {
    step: 'retry_failed',
    label: 'Retry failed',
    icon: IconReload,
    endpoint: retryFleetJob,
    done: 'The failed machines run again.',
  },
  { step: 'pause', label: 'Pause', icon: IconPlayerPause, endpoint: pauseFleetJob, done: 'Paused.' },
] as const

/** Asked once, with how many machines go on and how many do not. */
const CONFIRMED = {
  halt: {
    label: 'Halt',
    title: (name: string) => `Halt "${name}"?`,
    isDanger: true,
    message: ({ counts }: FleetJobDetail) =>
      `${countMachines(counts.running)} that run finish; ${countMachines(counts.waiting)} that wait do not start, until you resume the job.`,
    send: (id: number) => call(haltFleetJob, { params: { id } }),
    done: 'Halted.',
  },
  stop: {
    label: 'Stop',
    title: (name: string) => `Stop "${name}"?`,
    isDanger: true,
    message: ({ counts }: FleetJobDetail) =>
      `${countMachines(counts.running)} that run finish; ${countMachines(counts.waiting)} that wait are skipped for good.`,
    send: (id: number) => call(stopFleetJob, { params: { id } }),
    done: 'Stopped.',
  },
  pause_after_wave: {
    label: 'Pause after this wave',
    title: (name: string) => `Pause "${name}" after this wave?`,
    isDanger: false,
    message: ({ waves, wave }: FleetJobDetail) =>
      `${countMachines(countLeft(waves.slice(0, wave)))} of this wave still run; ${countMachines(countLeft(waves.slice(wave)))} of later waves do not start, until you resume the job.`,
    send: (id: number) => call(pauseFleetJob, { params: { id }, body: { after_wave: true } }),
    done: 'The job pauses after this wave.',
  },
  rest_at_once: {
    label: 'Continue with the rest at once',
    title: (name: string) => `Continue "${name}" with the rest at once?`,
    isDanger: false,
    message: ({ counts }: FleetJobDetail) =>
      `${countMachines(counts.waiting)} that wait run as one wave, without pauses or conditions in between.`,
    send: (id: number) => call(resumeFleetJob, { params: { id }, body: { rest_at_once: true } }),
    done: 'Resumed with the rest at once.',
  },
} as const

const countLeft = (waves: FleetJobDetail['waves']): number =>
  waves.reduce((sum, { counts }) => sum + counts.waiting + counts.running, 0)

/** Whether a wave is in progress and another one follows. */
const hasLaterWave = ({ wave, waves }: FleetJobDetail): boolean => wave > 0 && wave < waves.length

function JobHead({ job }: { job: FleetJobDetail }) {
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState<keyof typeof CONFIRMED | 'undo'>()
  const confirmed = asked === undefined || asked === 'undo' ? undefined : CONFIRMED[asked]
  const { mutate, isPending } = useMutation({
    mutationFn: ({ send }: { send: (id: number) => Promise<unknown>; done: string }) => send(job.id),
    onSuccess: (_, { done }) => notifyDone(done),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKey(getFleetJob) }),
  })
  const hasFailed = job.counts.failed > 0 && job.steps.retry_failed.refused === null
  return (
    <header className={classes.head}>
      <JobStateMark {...job} />
      <h1 className="page-title">
        <bdi>{job.name}</bdi>
      </h1>
      <span className="dim mono">J-{job.id}</span>
      <div className={classes.actions}>
        <Button
          variant="default"
          leftSection={<IconLink size={16} stroke={1.75} aria-hidden />}
          onClick={() =>
            void navigator.clipboard.writeText(`${location.origin}/jobs/${job.id}`).then(
              () => notifyDone('Copied the link.'),
              () =>
                notify('The browser does not allow copying. Copy the address of this page.', {
                  tone: 'warning',
                }),
            )
          }
        >
          Copy link
        </Button>
        {STEPS.filter(({ step }) => job.steps[step].refused === null).map(
          ({ step, label, icon: Icon, endpoint, done }) => (
            <Button
              key={step}
              variant={step === (hasFailed ? 'retry_failed' : 'resume') ? 'filled' : 'default'}
              leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
              disabled={isPending}
              onClick={() => mutate({ send: (id) => call(endpoint, { params: { id }, body: {} }), done })}
            >
              {label}
            </Button>
          ),
        )}
        {job.steps.pause.refused === null && hasLaterWave(job) && !job.pause_after_wave && (
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} stroke={1.75} aria-hidden />}
            onClick={() => setAsked('pause_after_wave')}
          >
            Pause after this wave
          </Button>
        )}
        {job.steps.resume.refused === null && hasLaterWave(job) && (
          <Button
            variant="default"
            leftSection={<IconPlayerTrackNext size={16} stroke={1.75} aria-hidden />}
            onClick={() => setAsked('rest_at_once')}
          >
            Continue with the rest at once
          </Button>
        )}
        {job.counts.succeeded > 0 && (
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} stroke={1.75} aria-hidden />}
            onClick={() => setAsked('undo')}
          >
            Undo…
          </Button>
        )}
        {job.steps.halt.refused === null && (
          <Tooltip label="Running machines finish, no other starts">
            <Button
              variant="default"
              color="negative"
              leftSection={<IconHandStop size={16} stroke={1.75} aria-hidden />}
              onClick={() => setAsked('halt')}
            >
              Halt
            </Button>
          </Tooltip>
        )}
        {job.steps.stop.refused === null && (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} stroke={1.75} aria-hidden />}
            onClick={() => setAsked('stop')}
          >
            Stop
          </Button>
        )}
      </div>
      <p className={classes.facts}>
        <span>
          Action <strong>{job.action_text}</strong>
        </span>
        <span>
          Target <strong>{job.target_text}</strong>, {job.matched.toLocaleString('en')} matched
        </span>
        <span>
          Plan <strong className="mono">{job.hash.slice(0, 12)}</strong>, {countMachines(job.planned)}
        </span>
        {job.repeat_of !== null && (
          <span>
            A time of the repeating job <strong className="mono">R-{job.repeat_of}</strong>
          </span>
        )}
        {job.pause_after_wave && <span>Pauses after this wave</span>}
        {job.schedule.in_windows && <span>Only in maintenance windows</span>}
        {job.approved_by !== null && (
          <span>
            Approved by <strong>{job.approved_by}</strong>
          </span>
        )}
        <span>
          {job.started_at === null ? 'Created' : 'Started'}{' '}
          <Time instant={job.started_at ?? job.created_at} relative /> by <strong>{job.created_by}</strong>
        </span>
        {job.started_at === null && job.starts_at !== null && (
          <span>
            Starts <Time instant={job.starts_at} />
          </span>
        )}
      </p>
      {confirmed !== undefined && (
        <ConfirmDialog
          title={confirmed.title(job.name)}
          message={confirmed.message(job)}
          confirmLabel={confirmed.label}
          danger={confirmed.isDanger}
          busy={isPending}
          onConfirm={() => {
            mutate(confirmed)
            setAsked(undefined)
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'undo' && <UndoDialog job={job} onClose={() => setAsked(undefined)} />}
    </header>
  )
}

function Waves({ job }: { job: FleetJobDetail }) {
  return (
    <div className={classes.waves} role="list" aria-label="Waves">
      {job.waves.map((wave) => (
        <Wave key={wave.number} wave={wave} job={job} />
      ))}
    </div>
  )
}

const WAVE_LABELS = { not_started: 'not started', running: 'running', finished: 'finished' }

function Wave({ wave, job }: { wave: FleetJobDetail['waves'][number]; job: FleetJobDetail }) {
  const { number, size, state, counts, gate } = wave
  // Nothing runs in a wave of a halted job.
  const isHeld = state === 'running' && job.state !== 'running'
  const name = job.waves.length === 1 ? 'All machines' : number === 1 ? 'Canary' : `Wave ${number}`
  return (
    <>
      <div className={classes.wave} role="listitem">
        <div className={classes.waveHead}>
          <strong>{name}</strong>
          <span className="dim">{size.toLocaleString('en')}</span>
          <span className={state === 'not_started' ? 'dim' : undefined}>
            {isHeld ? JOB_STATE_LABELS[job.state].toLowerCase() : WAVE_LABELS[state]}
          </span>
        </div>
        <ProgressBar counts={counts} label={`${name}: ${progressText({ counts })}`} />
        <span className="dim">
          {MACHINE_STATES.filter((one) => counts[one] > 0)
            .map((one) => `${counts[one].toLocaleString('en')} ${MACHINE_STATE_LABELS[one]}`)
            .join(', ')}
        </span>
      </div>
      {gate !== null && (
        <span className={classes.gate} data-state={gate.state} role="listitem">
          {gate.text}
          {gate.state === 'watching' && gate.opens_at !== null && (
            <>
              {' '}
              until <Time instant={gate.opens_at} />
            </>
          )}
          {gate.decided_at !== null && (
            <>
              {' '}
              <Time instant={gate.decided_at} />
            </>
          )}
        </span>
      )}
    </>
  )
}

interface CountsProps {
  job: FleetJobDetail
  state: JobAgentState | undefined
  onState: (state: JobAgentState) => void
}

/** The number of machines in each state; each filters the list below. */
function Counts({ job, state, onState }: CountsProps) {
  const { failures } = job.rollout.halt
  return (
    <div className={classes.counts}>
      {MACHINE_STATES.map((one) => (
        <button
          key={one}
          type="button"
          className={classes.countButton}
          data-state={one}
          data-none={job.counts[one] === 0 || undefined}
          aria-pressed={state === one}
          onClick={() => onState(one)}
        >
          <MachineMark state={one} hasText />
          <strong>{job.counts[one].toLocaleString('en')}</strong> {MACHINE_STATE_LABELS[one]}
        </button>
      ))}
      {failures !== null && (
        <span>
          Halts at {failures === 1 ? '1 failure' : `${failures} failures`},{' '}
          <span className="dim">{job.failures_counted} so far</span>
        </span>
      )}
    </div>
  )
}
