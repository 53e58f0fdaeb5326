import { Button, TextInput } from '@mantine/core'
import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { changeRepeatingJob, getRepeatingJob, listRepeatingJobs } from '@muster/contract/api/repeating-jobs'
import type { Output } from '@muster/contract/endpoint'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { findFormProblem, type JobForm } from './job-form.ts'
import { JobFields } from './JobFields.tsx'
import { RepeatFields } from './JobScheduleFields.tsx'
import { PlanView } from './PlanView.tsx'
import { changeDraft, checkedOf, formOfJob } from './stored-job.ts'
import classes from './Jobs.module.css'

type Job = Output<typeof getRepeatingJob>

/** Edits a repeating job. The item is its id. */
export function EditJobDialog({ item, close }: AddressedDialogProps) {
  const params = { id: Number(item) }
  return (
    <RecordDialog
      list={{
        queryKey: [...queryKey(getRepeatingJob, { params }), 'edit'],
        queryFn: async ({ signal }) => [await call(getRepeatingJob, { params }, { signal })],
      }}
      item={item}
      title="Edit repeating job"
      needs="can_list_agent_history"
      size="lg"
      gone="This repeating job does not exist any more."
      back="Show jobs"
      onClose={close}
    >
      {(job, onReload) => job !== undefined && <EditJobForm job={job} onReload={onReload} onClose={close} />}
    </RecordDialog>
  )
}

interface EditJobFormProps {
  /** The job as it was when the form was opened. */
  job: Job
  onReload: (() => void) | undefined
  onClose: () => void
}

function EditJobForm({ job, onReload, onClose }: EditJobFormProps) {
  const [start] = useState(() => formOfJob(job))
  const [form, setForm] = useState(start)
  const checked = checkedOf(job).length
  const draft = changeDraft(job, form)
  const queryClient = useQueryClient()
  const saveInto = useSaveInto(queryKey(getRepeatingJob, { params: { id: job.id } }))
  const plan = useMutation({
    mutationFn: () => call(planFleetJob, { body: draft, query: {} }),
    meta: { errorsShown: true },
  })
  const save = useMutation({
    mutationFn: () =>
      saveInto(() =>
        call(changeRepeatingJob, {
          params: { id: job.id },
          body: { draft, repeat: { cron: form.cron, clock: form.clock }, modified: job.modified },
        }),
      ),
    meta: { errorsShown: true },
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: queryKey(listRepeatingJobs) })
      notifyDone('The repeating job was saved.')
      onClose()
    },
  })
  const change = (values: Partial<JobForm>) => {
    setForm((old) => ({ ...old, ...values }))
    plan.reset()
    save.reset()
  }
  // A stored draft may have more than the form can say.
  const found = findFormProblem(form, checked)
  const problem = found === findFormProblem(start, checked) ? undefined : found
  const why = form === start ? 'No changes to save.' : problem
  const error = save.error ?? plan.error
  return (
    <Dialog
      title={`Edit ${job.name}`}
      onClose={onClose}
      size="lg"
      persistent={form !== start}
      why={why}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {plan.data === undefined ? (
            <Button disabled={why !== undefined} loading={plan.isPending} onClick={() => plan.mutate()}>
              Plan
            </Button>
          ) : (
            <Button loading={save.isPending} onClick={() => save.mutate()}>
              Save
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <ChangedMeanwhile what="this repeating job" onReload={onReload} />
        {error !== null && <FormError error={error} />}
        <p className={classes.help}>Jobs that have started go on. The next ones run with your rights.</p>
        <JobFields form={form} checked={checked} checkedLabel="chosen for the job" onChange={change} />
        <RepeatFields form={form} onChange={change} />
        <TextInput
          label="Name"
          placeholder={plan.data?.name ?? 'From the action'}
          maxLength={255}
          value={form.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        {plan.data !== undefined && (
          <PlanView
            plan={plan.data}
            onMore={(limit) => call(planFleetJob, { body: draft, query: { limit } })}
          />
        )}
      </div>
    </Dialog>
  )
}
