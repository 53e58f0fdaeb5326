import { Button } from '@mantine/core'
import {
  changeRepeatingJob,
  deleteRepeatingJob,
  listRepeatingJobs,
  type RepeatingJob,
} from '@muster/contract/api/repeating-jobs'
import { describeCron } from '@muster/rules/schedules/cron-text'
import { instantOf } from '@muster/rules/schedules/zone-time'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { useDateFormat } from '../../ui/layout/date-format.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { ownTimeZone } from '../setup/time-zones.ts'
import classes from './Jobs.module.css'

/** Repeating jobs with their last and next times; nothing if there are none. */
export function RepeatingJobs({ jobs }: { jobs: readonly RepeatingJob[] }) {
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const [asked, setAsked] = useState<RepeatingJob>()
  const onSettled = () => queryClient.invalidateQueries({ queryKey: queryKey(listRepeatingJobs) })
  const pause = useMutation({
    mutationFn: ({ id, paused }: RepeatingJob) =>
      call(changeRepeatingJob, { params: { id }, body: { paused: !paused } }),
    onSuccess: ({ paused }) => notifyDone(paused ? 'Paused.' : 'Resumed.'),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: ({ id }: RepeatingJob) => call(deleteRepeatingJob, { params: { id } }),
    onSuccess: () => notifyDone('Deleted.'),
    onSettled,
  })
  if (jobs.length === 0) return null
  return (
    <section className={classes.repeating} aria-label="Repeating jobs">
      <h2 className={classes.title}>Repeating</h2>
      <ul>
        {jobs.map((job) => (
          <li key={job.id}>
            <div className={classes.repeat}>
              <strong>
                <bdi>{job.name}</bdi>
              </strong>
              <span className="dim">
                <bdi>{job.action_text}</bdi> on <bdi>{job.target_text}</bdi>, by <bdi>{job.created_by}</bdi>
                {job.edited_by !== null && job.edited_by !== job.created_by && (
                  <>
                    , edited by <bdi>{job.edited_by}</bdi>
                  </>
                )}
              </span>
              <When job={job} />
              <span className={classes.repeatTimes}>
                <Next job={job} />
                <Last job={job} />
              </span>
            </div>
            <div className={classes.actions}>
              <Button
                variant="default"
                size="xs"
                leftSection={<IconPencil size={16} stroke={1.75} aria-hidden />}
                aria-label={`Edit ${job.name}`}
                onClick={() => open('edit-job', job.id)}
              >
                Edit
              </Button>
              <Button
                variant="default"
                size="xs"
                leftSection={
                  job.paused ? (
                    <IconPlayerPlay size={16} stroke={1.75} aria-hidden />
                  ) : (
                    <IconPlayerPause size={16} stroke={1.75} aria-hidden />
                  )
                }
                aria-label={`${job.paused ? 'Resume' : 'Pause'} ${job.name}`}
                disabled={pause.isPending}
                onClick={() => pause.mutate(job)}
              >
                {job.paused ? 'Resume' : 'Pause'}
              </Button>
              <Button
                variant="default"
                size="xs"
                leftSection={<IconTrash size={16} stroke={1.75} aria-hidden />}
                aria-label={`Delete ${job.name}`}
                onClick={() => setAsked(job)}
              >
                Delete
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {asked !== undefined && (
        <ConfirmDialog
          title={`Delete "${asked.name}"?`}
          message="No more jobs are planned. Jobs that have started go on."
          confirmLabel="Delete"
          danger
          busy={remove.isPending}
          onConfirm={() => {
            remove.mutate(asked)
            setAsked(undefined)
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  )
}

function When({ job: { cron, clock } }: { job: RepeatingJob }) {
  const words = describeCron(cron)
  return (
    <span>
      {words} <span className={words === undefined ? 'mono' : 'mono dim'}>{cron}</span>
      {clock === 'machine' && <span className="dim"> by the clock of each machine</span>}
    </span>
  )
}

function Next({ job }: { job: RepeatingJob }) {
  const format = useDateFormat()
  if (job.paused) return <span>Paused</span>
  if (job.next_local !== null) {
    const hereMs = instantOf(ownTimeZone(), Date.parse(`${job.next_local}Z`))
    return <span>Next {format(hereMs)} there</span>
  }
  if (job.next_at === null) return <span>Never again</span>
  return (
    <span>
      Next <Time instant={job.next_at} />
    </span>
  )
}

function Last({ job }: { job: RepeatingJob }) {
  if (job.last_at === null) return <span className="dim">Has not run</span>
  return (
    <span>
      Last{' '}
      {job.last_job === null ? (
        <Time instant={job.last_at} />
      ) : (
        <Link to="/jobs/$job_id" params={{ job_id: `${job.last_job}` }}>
          <Time instant={job.last_at} />
        </Link>
      )}
      {job.last_problem !== null && <span className="dim">: {job.last_problem}</span>}
    </span>
  )
}
