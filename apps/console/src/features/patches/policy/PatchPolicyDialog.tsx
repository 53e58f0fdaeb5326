import { Button, Checkbox } from '@mantine/core'
import { PATCH_SECTIONS, type PatchPolicy, type PatchSection } from '@muster/contract/policies/patch-policy'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ApprovalFields } from './ApprovalFields.tsx'
import { AlertFields, RestartFields, RingFields, ScheduleFields, ScriptsFields } from './InstallFields.tsx'
import { findPatchProblem, NEW_PARTS, PART_TITLES } from './patch-parts.ts'
import classes from './PatchPolicy.module.css'

interface PatchPolicyDialogProps {
  title: string
  start: PatchPolicy
  /** Parts that cannot be set here. */
  without?: readonly PatchSection[]
  save: (policy: PatchPolicy) => Promise<unknown> | void
  close: () => void
}

const NONE: readonly PatchSection[] = []

/** The patch part of a policy, or of a machine. Parts that are off come from other policies. */
export function PatchPolicyDialog({ title, start, without = NONE, save, close }: PatchPolicyDialogProps) {
  const [policy, setPolicy] = useState(start)
  const problem = findPatchProblem(policy)
  const { mutate, isPending } = useMutation({
    mutationFn: async () => save(cleaned(policy)),
    onSuccess: close,
  })
  const set = <Section extends PatchSection>(section: Section, value: PatchPolicy[Section]) =>
    setPolicy((old) => ({ ...old, [section]: value }))
  return (
    <Dialog
      title={title}
      size="lg"
      persistent={policy !== start}
      onClose={close}
      why={problem}
      footer={
        <>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button disabled={problem !== undefined} loading={isPending} onClick={() => mutate()}>
            Apply
          </Button>
        </>
      }
    >
      {PATCH_SECTIONS.filter((section) => !without.includes(section)).map((section) => (
        <div key={section} className={classes.part} role="group" aria-label={PART_TITLES[section]}>
          <Checkbox
            label={PART_TITLES[section]}
            checked={policy[section] !== null}
            onChange={(event) =>
              set(section, event.currentTarget.checked ? (start[section] ?? NEW_PARTS[section]) : null)
            }
          />
          {policy[section] !== null && <div className={classes.fields}>{fieldsOf(section, policy, set)}</div>}
        </div>
      ))}
    </Dialog>
  )
}

function fieldsOf(
  section: PatchSection,
  { approval, ring, schedule, scripts, reboot, alert }: PatchPolicy,
  set: <Section extends PatchSection>(section: Section, value: PatchPolicy[Section]) => void,
): ReactNode {
  switch (section) {
    case 'approval':
      return approval && <ApprovalFields value={approval} onChange={(value) => set(section, value)} />
    case 'ring':
      return ring && <RingFields value={ring} onChange={(value) => set(section, value)} />
    case 'schedule':
      return schedule && <ScheduleFields value={schedule} onChange={(value) => set(section, value)} />
    case 'scripts':
      return scripts && <ScriptsFields value={scripts} onChange={(value) => set(section, value)} />
    case 'reboot':
      return reboot && <RestartFields value={reboot} onChange={(value) => set(section, value)} />
    case 'alert':
      return alert && <AlertFields value={alert} onChange={(value) => set(section, value)} />
  }
}

/** Without empty lines. */
function cleaned(policy: PatchPolicy): PatchPolicy {
  const { approval } = policy
  if (approval === null) return policy
  const categories = approval.categories.filter(({ category }) => category.trim() !== '')
  const ignore = approval.ignore.filter((text) => text.trim() !== '')
  return { ...policy, approval: { ...approval, categories, ignore } }
}
