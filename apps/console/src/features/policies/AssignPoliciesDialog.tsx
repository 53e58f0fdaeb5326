import { Button, Select } from '@mantine/core'
import {
  getEffectivePolicy,
  listAssignedPolicies,
  listPolicies,
  planAssignedPolicies,
  setAssignedPolicies,
} from '@muster/contract/api/policies'
import type { AssignedPolicies } from '@muster/contract/policies/assigned-policies'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, LoadingState, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { AssignedPolicyList } from './AssignedPolicyList.tsx'
import { PlanView } from './PlanView.tsx'
import { policiesQuery } from './policies-query.ts'

const TITLE = 'Assign policies'
type Params = ReturnType<typeof paramsOf>
type Listed = AssignedPolicies['policies'][number]

/** The policies of a client, a site, a machine or of all machines: `client-3`, `site-2`, `agent-ABC`, `default-all`. */
export function AssignPoliciesDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_automation_policies" onClose={close}>
      <LoadPolicies params={paramsOf(item)} close={close} />
    </GuardedDialog>
  )
}

function paramsOf(item: string) {
  const dash = item.indexOf('-')
  const level = item.slice(0, dash)
  const id = item.slice(dash + 1)
  // The server rejects other levels.
  return { level: level as 'client' | 'site' | 'agent' | 'default', id }
}

function LoadPolicies({ params, close }: { params: Params; close: () => void }) {
  const options = query(listAssignedPolicies, { params })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0, gcTime: 0 })
  if (data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return <Assign key={data.modified} params={params} assignment={data} close={close} />
}

function Assign({
  params,
  assignment,
  close,
}: {
  params: Params
  assignment: AssignedPolicies
  close: () => void
}) {
  const [listed, setListed] = useState<readonly Listed[]>(assignment.policies)
  const [isReviewed, setReviewed] = useState(false)
  const queryClient = useQueryClient()
  const { data: policies = [] } = useQuery(policiesQuery)
  const wanted = listed.map(({ id, monitoring_type }) => ({ id, monitoring_type }))
  const isDirty = JSON.stringify(listed) !== JSON.stringify(assignment.policies)
  const plan = useQuery({
    queryKey: ['plan of a level', params, wanted],
    queryFn: ({ signal }) => call(planAssignedPolicies, { params, body: { policies: wanted } }, { signal }),
    enabled: isReviewed,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  const save = useMutation({
    mutationFn: (token: string) =>
      call(setAssignedPolicies, {
        params,
        body: { policies: wanted, plan: token, modified: assignment.modified },
      }),
    meta: { errorsShown: true },
    onSuccess: () => {
      notifyDone('Policies assigned. Machines are updated within seconds.')
      for (const endpoint of [listPolicies, getEffectivePolicy])
        void queryClient.invalidateQueries({ queryKey: queryKey(endpoint) })
      close()
    },
  })
  const name = params.level === 'default' ? 'all machines' : assignment.name
  const known = new Set(listed.map(({ id }) => id))
  return (
    <Dialog
      title={`Policies of ${name}`}
      size="md"
      onClose={close}
      persistent={isDirty}
      why={isReviewed || isDirty ? undefined : 'No changes to review.'}
      footer={
        isReviewed ? (
          <>
            <Button variant="default" onClick={() => setReviewed(false)}>
              Back
            </Button>
            <Button
              disabled={plan.data === undefined || plan.isFetching}
              loading={save.isPending}
              onClick={() => plan.data !== undefined && save.mutate(plan.data.token)}
            >
              Save
            </Button>
          </>
        ) : (
          <>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button disabled={!isDirty} onClick={() => setReviewed(true)}>
              Review and save
            </Button>
          </>
        )
      }
    >
      {save.error !== null && <FormError error={save.error} />}
      {isReviewed ? (
        plan.data === undefined ? (
          <LoadingState error={plan.error} onRetry={() => void plan.refetch()} rows={4} />
        ) : (
          <PlanView plan={plan.data} />
        )
      ) : (
        <>
          <p className="dim small">
            If two policies conflict, the upper one wins. Closer assignments win over these.
          </p>
          <AssignedPolicyList listed={listed} hasSlots={params.level !== 'agent'} onChange={setListed} />
          <Select
            mt="md"
            label="Add policy"
            placeholder={policies.length === 0 ? 'No policies yet' : 'Choose a policy'}
            data={policies
              .filter(({ id, is_whole }) => !known.has(id) && is_whole)
              .map((policy) => ({
                value: `${policy.id}`,
                label: policy.active ? policy.name : `${policy.name} (inactive)`,
              }))}
            searchable
            data-autofocus
            value={null}
            nothingFoundMessage="No matching policy"
            onChange={(value) => {
              const policy = policies.find(({ id }) => `${id}` === value)
              if (policy === undefined) return
              const { id, name: label, active, enforced } = policy
              setListed([...listed, { id, name: label, active, enforced, monitoring_type: null }])
            }}
          />
        </>
      )}
    </Dialog>
  )
}
