import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { getPatchPolicy, type MachinePatchPolicy, setOwnPatchPolicy } from '@muster/contract/api/patches'
import type { PatchPolicy } from '@muster/contract/policies/patch-policy'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { call, query } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import classes from '../Patches.module.css'

const PatchPolicyDialog = lazy(() =>
  import('./PatchPolicyDialog.tsx').then((file) => ({ default: file.PatchPolicyDialog })),
)

/** The effective patch policy of a machine: the next installation, the last one, and the source of each part. */
export function PatchPolicyNote({ agent }: { agent: AgentDetail }) {
  const params = { agent_id: agent.agent_id }
  const { data } = useQuery(query(getPatchPolicy, { params }))
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [isEdited, setEdited] = useState(false)
  if (data === undefined) return null
  return (
    <div className={classes.note} role="note" aria-label="Patch policy">
      <div className={classes.text}>
        <Summary policy={data} />
        {isOpen && <Sources policy={data} />}
      </div>
      {data.sections.length > 0 && (
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Less' : 'Details'}
        </Button>
      )}
      <Button size="compact-xs" variant="default" onClick={() => setEdited(true)}>
        Own policy
      </Button>
      {isEdited && (
        <Suspense fallback={null}>
          <PatchPolicyDialog
            title={`Patches of ${agent.hostname}`}
            start={startOf(data)}
            without={['scripts']}
            save={async ({ approval, ring, schedule, reboot, alert }) => {
              const own = { approval, ring, schedule, reboot, alert }
              const saved = await call(setOwnPatchPolicy, { params, body: own })
              queryClient.setQueryData(queryKey(getPatchPolicy, { params }), saved)
            }}
            close={() => setEdited(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

function startOf({ own: { approval, ring, schedule, reboot, alert } }: MachinePatchPolicy): PatchPolicy {
  return {
    approval: approval ?? null,
    ring: ring ?? null,
    schedule: schedule ?? null,
    scripts: null,
    reboot: reboot ?? null,
    alert: alert ?? null,
  }
}

function Summary({ policy: { next, sections, ring, last, time_zone } }: { policy: MachinePatchPolicy }) {
  if (sections.length === 0) return <>No patch policy. Patches are approved and installed manually.</>
  return (
    <>
      {next === null ? (
        'No installation is planned.'
      ) : (
        <>
          Next installation <Time instant={next.at} /> ({time_zone}).
        </>
      )}
      {` Ring ${ring}. `}
      {last !== null && <LastInstall last={last} />}
    </>
  )
}

const STATES: Record<NonNullable<MachinePatchPolicy['last']>['state'], string> = {
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  missed: 'missed',
}

function LastInstall({ last: { due_at, state, reason } }: { last: NonNullable<MachinePatchPolicy['last']> }) {
  return (
    <>
      Installation by policy <Time instant={due_at} relative />: {STATES[state]}
      {reason === null ? '.' : <bdi>. {reason}</bdi>}
    </>
  )
}

function Sources({ policy: { sections, verdicts } }: { policy: MachinePatchPolicy }) {
  const waiting = verdicts.filter(({ decision }) => decision === 'wait')
  const [first] = waiting.flatMap(({ at }) => at ?? []).toSorted()
  return (
    <ul className="plain-list">
      {sections.map(({ section, what, policy }) => (
        <li key={section}>
          <bdi>{what}</bdi>{' '}
          <span className="dim small">
            {policy === null ? 'own policy of the machine' : <bdi>policy {policy.name}</bdi>}
          </span>
        </li>
      ))}
      {waiting.length > 0 && (
        <li>
          {waiting.length} {waiting.length === 1 ? 'patch waits' : 'patches wait'} for approval
          {first !== undefined && (
            <>
              , the first until <Time instant={first} />
            </>
          )}
        </li>
      )}
    </ul>
  )
}
