import { Button, TextInput } from '@mantine/core'
import { planFleetJob, startFleetJob } from '@muster/contract/api/fleet-jobs'
import { createRepeatingJob } from '@muster/contract/api/repeating-jobs'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { readCheckedMachines } from '../agents/checked-machines.ts'
import { findFormProblem, type JobForm, NEW_JOB, toDraft } from './job-form.ts'
import { JobFields } from './JobFields.tsx'
import { countMachines } from './job-labels.ts'
import { JobScheduleFields } from './JobScheduleFields.tsx'
import { PlanView } from './PlanView.tsx'
import { PREPARED_ITEM, readPreparedJob } from './prepared-job.ts'

/** Plans an action on many machines, and starts exactly the plan. The item is `checked`, `client-3` or `site-3`. */
export function NewJobDialog({ item, close }: AddressedDialogProps) {
  const navigate = useNavigate()
  const [prepared] = useState(() => (item === PREPARED_ITEM ? readPreparedJob() : undefined))
  const [checked] = useState(() => [...(prepared?.agentIds ?? readCheckedMachines().ids)])
  const [form, setForm] = useState<JobForm>(() => ({
    ...NEW_JOB,
    target: checked.length > 0 ? 'checked' : 'search',
    ...readNode(item),
    ...prepared?.form,
  }))
  const draft = toDraft(form, checked)
  const plan = useMutation({
    mutationFn: () => call(planFleetJob, { body: draft, query: {} }),
    meta: { errorsShown: true },
  })
  const start = useMutation({
    mutationFn: (hash: string) => call(startFleetJob, { body: { draft, hash } }),
    meta: { errorsShown: true },
    // The plan has changed: it is made again, to be read before the next try.
    onError: () => plan.mutate(),
    onSuccess: ({ id }) => void navigate({ to: '/jobs/$job_id', params: { job_id: `${id}` }, search: {} }),
  })
  const repeat = useMutation({
    mutationFn: () =>
      call(createRepeatingJob, { body: { draft, repeat: { cron: form.cron, clock: form.clock } } }),
    meta: { errorsShown: true },
    onSuccess: () => {
      notifyDone('The job repeats.')
      void navigate({ to: '/jobs', search: {} })
    },
  })
  const change = (values: Partial<JobForm>) => {
    setForm((old) => ({ ...old, ...values }))
    plan.reset()
    start.reset()
    repeat.reset()
  }
  const problem = findFormProblem(form, checked.length)
  const found = plan.data
  const error = start.error ?? repeat.error ?? plan.error
  return (
    <Dialog
      title="New job"
      onClose={close}
      size="lg"
      persistent
      why={problem}
      footer={
        <>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          {found === undefined ? (
            <Button disabled={problem !== undefined} loading={plan.isPending} onClick={() => plan.mutate()}>
              Plan
            </Button>
          ) : form.start === 'repeat' ? (
            <Button loading={repeat.isPending} onClick={() => repeat.mutate()}>
              Repeat job
            </Button>
          ) : (
            <Button
              disabled={found.planned === 0}
              loading={start.isPending}
              onClick={() => start.mutate(found.hash)}
            >
              {found.needs_approval ? 'Request approval for' : 'Start on'} {countMachines(found.planned)}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {error !== null && <FormError error={error} />}
        <JobFields
          form={form}
          checked={checked.length}
          checkedLabel={prepared?.label ?? 'selected in the table'}
          onChange={change}
        />
        <JobScheduleFields form={form} onChange={change} />
        <TextInput
          label="Name"
          placeholder={found?.name ?? 'From the action'}
          maxLength={255}
          value={form.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        {found !== undefined && (
          <PlanView plan={found} onMore={(limit) => call(planFleetJob, { body: draft, query: { limit } })} />
        )}
      </div>
    </Dialog>
  )
}

/** A client or a site as the target: `client-3`. */
function readNode(item = ''): Partial<JobForm> {
  const [, kind, id] = /^(client|site)-(\d+)$/.exec(item) ?? []
  if (kind === undefined || id === undefined) return {}
  return kind === 'client' ? { target: 'client', client: id } : { target: 'site', site: id }
}
