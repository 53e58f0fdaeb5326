import { Button } from '@mantine/core'
import { getPolicy, type Policy, type PolicyDocument } from '@muster/contract/api/policies'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { queryKey } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { useLeaveQuestion } from '../../app/dialogs/use-leave-question.tsx'
import { ErrorBox } from '../../ui/layout/ErrorBox.tsx'
import classes from './Policies.module.css'
import { PlanDialog } from './PlanDialog.tsx'
import { PolicyChecks } from './PolicyChecks.tsx'
import { PolicyGeneral } from './PolicyGeneral.tsx'
import { PolicyHistory } from './PolicyHistory.tsx'
import { PolicyMachines } from './PolicyMachines.tsx'
import { PolicySettings } from './PolicySettings.tsx'
import { PolicyTemplate } from './PolicyTemplate.tsx'
import { PolicyTargets } from './PolicyTargets.tsx'
import { PolicyTasks } from './PolicyTasks.tsx'
import { documentOf, findDraftProblem, isSameDocument, namesOf, NEW_POLICY } from './policy-draft.ts'
import { countMachines } from './policy-words.ts'

export interface SectionProps {
  draft: PolicyDocument
  change: (parts: Partial<PolicyDocument>) => void
  disabled: boolean
}

export interface ContentProps extends SectionProps {
  /** Of a policy that is saved. */
  id: number | undefined
}

/** A policy as a draft: nothing changes on any machine before the plan was seen and saved. */
export function PolicyEditor({ policy }: { policy?: Policy }) {
  // What the draft began with stays so while others change the policy.
  const [opened, setOpened] = useState(policy)
  const [draft, setDraft] = useState<PolicyDocument>(() => documentOf(policy ?? NEW_POLICY))
  const [saving, setSaving] = useState<{ document: PolicyDocument; reason: string }>()
  const mayManage = useMay('can_manage_automation_policies')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const isDirty = !isSameDocument(draft, documentOf(opened ?? NEW_POLICY))
  const disabled = !mayManage || opened?.is_whole === false
  const problem = findDraftProblem(draft)
  const isSaved = useRef(false)
  const question = useLeaveQuestion(() => isDirty && !isSaved.current, 'page')
  const load = (next: Policy) => {
    setOpened(next)
    setDraft(documentOf(next))
  }
  if (policy !== undefined && opened !== undefined && policy.version !== opened.version && !isDirty)
    load(policy)
  const section: SectionProps = {
    draft,
    change: (parts) => setDraft((old) => ({ ...old, ...parts })),
    disabled,
  }
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.title}>
          <Link to="/policies">Policies</Link> / <bdi>{opened?.name ?? 'New policy'}</bdi>
        </h1>
        {policy !== undefined && (
          <span className={classes.dim} role="status">
            {countMachines(policy.agents_count)}
          </span>
        )}
        {!disabled && (
          <>
            {isDirty && opened !== undefined && (
              <Button variant="default" onClick={() => setDraft(documentOf(opened))}>
                Undo changes
              </Button>
            )}
            {!isDirty && <span className={classes.dim}>No changes to save.</span>}
            <Button
              disabled={!isDirty || problem !== undefined}
              onClick={() => setSaving({ document: draft, reason: '' })}
            >
              Review and save
            </Button>
          </>
        )}
      </header>
      <div className={classes.scroll}>
        {policy !== undefined && opened !== undefined && policy.version !== opened.version && (
          <ErrorBox
            message={`${policy.modified_by} has changed this policy since you opened it. Yours cannot be saved over it.`}
            caption={
              <Button variant="default" size="compact-sm" onClick={() => load(policy)}>
                Discard mine and show it
              </Button>
            }
          />
        )}
        {isDirty && problem !== undefined && <ErrorBox message={problem} />}
        {opened?.is_whole === false && (
          <p className={classes.lead}>
            This policy also reaches machines that you may not see, so you see only a part of it.
          </p>
        )}
        <div className={classes.sections}>
          <PolicyGeneral {...section} />
          <PolicyChecks {...section} id={opened?.id} />
          <PolicyTasks {...section} id={opened?.id} />
          <PolicyTargets {...section} known={namesOf(opened)} />
          <PolicySettings {...section} />
          <PolicyTemplate {...section} />
          {policy !== undefined && <PolicyMachines id={policy.id} />}
          {policy?.is_whole === true && (
            <PolicyHistory policy={policy} {...(disabled || isDirty ? {} : { onRevert: setSaving })} />
          )}
        </div>
      </div>
      {saving !== undefined && (
        <PlanDialog
          title={opened === undefined ? 'Save this policy?' : `Save the policy ${draft.name}?`}
          id={opened?.id}
          document={saving.document}
          modified={opened?.modified}
          reason={saving.reason}
          done="Policy saved. Machines follow within seconds."
          onClose={() => setSaving(undefined)}
          onSaved={(saved) => {
            if (saved === undefined) return
            queryClient.setQueryData(queryKey(getPolicy, { params: { id: saved.id } }), saved)
            load(saved)
            if (opened === undefined) {
              // The draft is still the unsaved one to the question until this is drawn again.
              isSaved.current = true
              void navigate({
                to: '/policies/$policy_id',
                params: { policy_id: `${saved.id}` },
                replace: true,
              })
            }
          }}
        />
      )}
      {question}
    </div>
  )
}
