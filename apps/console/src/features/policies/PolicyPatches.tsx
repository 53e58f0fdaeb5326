import { Button } from '@mantine/core'
import { NO_PATCH_POLICY, PATCH_SECTIONS, type PatchPolicy } from '@muster/contract/policies/patch-policy'
import {
  describeApproval,
  describePatchAlert,
  describePatchSchedule,
  describePatchScripts,
  describeReboot,
  describeRing,
} from '@muster/rules/patches/patch-text'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { PART_TITLES } from '../patches/policy/patch-parts.ts'
import { allScriptsQuery } from '../scripts/all-scripts-query.ts'
import { Section } from '../../ui/layout/Section.tsx'
import { ContentLine } from './ContentLine.tsx'
import type { SectionProps } from './policy-draft.ts'

const PatchPolicyDialog = lazy(() =>
  import('../patches/policy/PatchPolicyDialog.tsx').then((file) => ({ default: file.PatchPolicyDialog })),
)

/** How machines of a policy get their patches. */
export function PolicyPatches({ draft, change, disabled }: SectionProps) {
  const { patches } = draft.content
  const [isOpen, setOpen] = useState(false)
  const describe = useDescribe(patches)
  const given = PATCH_SECTIONS.filter((section) => patches[section] !== null)
  const set = (next: PatchPolicy) => change({ content: { ...draft.content, patches: next } })
  return (
    <Section
      title="Patches"
      tools={
        !disabled && (
          <Button variant="subtle" size="compact-sm" onClick={() => setOpen(true)}>
            {given.length === 0 ? 'Set up' : 'Edit'}
          </Button>
        )
      }
    >
      {given.length === 0 && <p className="dim small">No rules for patches</p>}
      <ul className="plain-list" aria-label="Patches of the policy">
        {given.map((section) => (
          <ContentLine
            key={section}
            name={PART_TITLES[section]}
            more={describe[section]}
            disabled={disabled}
            onEdit={() => setOpen(true)}
            onRemove={() => set({ ...patches, [section]: null })}
          />
        ))}
      </ul>
      {isOpen && (
        <Suspense fallback={null}>
          <PatchPolicyDialog
            title="Patches of the policy"
            start={{ ...NO_PATCH_POLICY, ...patches }}
            save={set}
            close={() => setOpen(false)}
          />
        </Suspense>
      )}
    </Section>
  )
}

function useDescribe({ approval, ring, schedule, scripts, reboot, alert }: PatchPolicy) {
  const mayList = useMay('can_list_scripts')
  const { data = [] } = useQuery({ ...allScriptsQuery, enabled: mayList && scripts !== null })
  const nameOf = (id: number | null | undefined) =>
    id === null || id === undefined ? null : (data.find((script) => script.id === id)?.name ?? `Script ${id}`)
  return {
    approval: approval ? describeApproval(approval) : '',
    ring: ring ? describeRing(ring) : '',
    schedule: schedule ? describePatchSchedule(schedule) : '',
    scripts: describePatchScripts({ before: nameOf(scripts?.before), after: nameOf(scripts?.after) }),
    reboot: reboot ? describeReboot(reboot) : '',
    alert: alert ? describePatchAlert(alert) : '',
  }
}
