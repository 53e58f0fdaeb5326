import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Policy, PolicyDocument } from '@muster/contract/api/policies'
import { useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { Section } from '../../ui/layout/Section.tsx'
import classes from './Policies.module.css'
import { PlanView } from './PlanView.tsx'
import { countMachines } from './policy-labels.ts'
import { usePolicyPlan } from './use-policy-plan.ts'

const TYPING_PAUSE_MS = 300

interface Draft {
  draft: PolicyDocument
  /** Absent for a new policy. */
  opened: Policy | undefined
  /** Whether the draft has changes, and all are valid. */
  isReady: boolean
  onSaved: (policy: Policy) => void
}

/** The plan of a draft, computed after each change, and its save. */
export function useDraftPlan({ draft, opened, isReady, onSaved }: Draft) {
  const [document] = useDebouncedValue(draft, TYPING_PAUSE_MS)
  const [reason, setReason] = useState('')
  const { plan, save, canSave } = usePolicyPlan(
    { id: opened?.id, document, modified: opened?.modified, reason },
    {
      done: 'Policy saved. Machines are updated within seconds.',
      enabled: isReady && document === draft,
      onSaved: (policy) => {
        setReason('')
        if (policy !== undefined) onSaved(policy)
      },
    },
  )
  return { plan, save, canSave: isReady && canSave && document === draft, reason, setReason }
}

type DraftPlan = ReturnType<typeof useDraftPlan>

/** The effect of the draft on machines. */
export function PolicyEffect({ draftPlan: { plan, save, canSave } }: { draftPlan: DraftPlan }) {
  return (
    <Section title="If you save" note="compared with machines now">
      {save.error !== null && <FormError error={save.error} />}
      {plan.data === undefined ? (
        <LoadingState error={plan.error} onRetry={() => void plan.refetch()} rows={3} />
      ) : (
        <div className={classes.effect} aria-busy={!canSave}>
          <PlanView plan={plan.data} />
        </div>
      )}
    </Section>
  )
}

interface PolicyFooterProps {
  draftPlan: DraftPlan
  isDirty: boolean
  /** Absent for a new policy. */
  onDiscard: (() => void) | undefined
}

export function PolicyFooter({
  draftPlan: { plan, save, canSave, reason, setReason },
  isDirty,
  onDiscard,
}: PolicyFooterProps) {
  return (
    <footer className={classes.footer}>
      {isDirty ? (
        <TextInput
          className={classes.reason ?? ''}
          aria-label="Reason (optional)"
          placeholder="Reason (optional), kept in the history"
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      ) : (
        <span className={`dim ${classes.reason}`}>No unsaved changes</span>
      )}
      {canSave && plan.data !== undefined && (
        <span className="dim">{countMachines(plan.data.agents_count)} will change</span>
      )}
      {isDirty && onDiscard !== undefined && (
        <Button variant="default" onClick={onDiscard}>
          Discard
        </Button>
      )}
      <Button
        disabled={!canSave}
        loading={save.isPending}
        onClick={() => plan.data !== undefined && save.mutate(plan.data.token)}
      >
        Save this plan
      </Button>
    </footer>
  )
}
