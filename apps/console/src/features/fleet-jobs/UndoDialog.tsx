import { Button, Select } from '@mantine/core'
import { type FleetJobDetail, startFleetJob, undoFleetJob } from '@muster/contract/api/fleet-jobs'
import { listScripts } from '@muster/contract/api/scripts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { groupScripts } from '../runs/run-form.ts'
import { PlanView } from './PlanView.tsx'

/** Plans the inverse of a job on the machines that it has changed, and starts it as a new job. */
export function UndoDialog({ job, onClose }: { job: FleetJobDetail; onClose: () => void }) {
  const navigate = useNavigate()
  const [script, setScript] = useState<string | null>(null)
  const hasInverse = job.steps.undo.refused === null
  const { data: scripts } = useQuery({ ...query(listScripts, { query: {} }), enabled: !hasInverse })
  const planUndo = (query: { limit?: number }) =>
    call(undoFleetJob, {
      params: { id: job.id },
      body: script === null ? {} : { script: Number(script) },
      query,
    })
  const plan = useMutation({
    mutationFn: () => planUndo({}),
    meta: { errorsShown: true },
  })
  const start = useMutation({
    mutationFn: ({ draft, plan: { hash } }: NonNullable<typeof plan.data>) =>
      call(startFleetJob, { body: { draft, hash } }),
    meta: { errorsShown: true },
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/jobs/$job_id', params: { job_id: `${id}` } })
    },
  })
  const canPlan = hasInverse || script !== null
  return (
    <Dialog
      title={`Undo "${job.name}"`}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {plan.data === undefined ? (
            <Button disabled={!canPlan} loading={plan.isPending} onClick={() => plan.mutate()}>
              Plan
            </Button>
          ) : (
            <Button
              loading={start.isPending}
              disabled={plan.data.plan.planned === 0}
              onClick={() => plan.data !== undefined && start.mutate(plan.data)}
            >
              Start
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {(plan.error ?? start.error) !== null && <FormError error={plan.error ?? start.error} />}
        {hasInverse && <p>{job.undo_text}</p>}
        {!hasInverse && (
          <>
            <p>
              This action has no inverse. Choose a script that reverts it on the machines where it succeeded.
            </p>
            <Select
              label="Script"
              placeholder="Choose a script"
              data={groupScripts(scripts ?? [])}
              searchable
              value={script}
              onChange={(value) => {
                setScript(value)
                plan.reset()
              }}
            />
          </>
        )}
        {plan.data !== undefined && (
          <PlanView plan={plan.data.plan} onMore={async (limit) => (await planUndo({ limit })).plan} />
        )}
      </div>
    </Dialog>
  )
}
