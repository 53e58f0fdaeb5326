import { Button } from '@mantine/core'
import type { PolicySoftware } from '@muster/contract/policies/policy-content'
import { describeWanted } from '@muster/rules/agents/wanted-software'
import { lazy, Suspense, useState } from 'react'
import { Section } from '../../ui/layout/Section.tsx'
import { ContentLine } from './ContentLine.tsx'
import type { SectionProps } from './policy-draft.ts'
import { platformName } from '@muster/rules/agents/available-actions'

const PolicySoftwareDialog = lazy(() =>
  import('./PolicySoftwareDialog.tsx').then((file) => ({ default: file.PolicySoftwareDialog })),
)

/** Software that machines of a policy have or do not have. */
export function PolicySoftwareSection({ draft, change, disabled }: SectionProps) {
  const { software } = draft.content
  /** The index of the edited item; the number of items for a new one. */
  const [edited, setEdited] = useState<number>()
  const set = (next: PolicySoftware[]) => change({ content: { ...draft.content, software: next } })
  return (
    <Section
      title="Software"
      tools={
        !disabled && (
          <Button variant="subtle" size="compact-sm" onClick={() => setEdited(software.length)}>
            Add software
          </Button>
        )
      }
    >
      {software.length === 0 && <p className="dim small">No software</p>}
      <ul className="plain-list" aria-label="Software of the policy">
        {software.map((item, index) => (
          <ContentLine
            key={item.names.join(' ')}
            name={describeWanted(item)}
            more={
              item.platforms.length === 3
                ? 'All systems'
                : item.platforms.map((plat) => platformName(plat)).join(', ')
            }
            disabled={disabled}
            onEdit={() => setEdited(index)}
            onRemove={() => set(software.filter((_, at) => at !== index))}
          />
        ))}
      </ul>
      {edited !== undefined && (
        <Suspense fallback={null}>
          <PolicySoftwareDialog
            start={software[edited]}
            others={software.filter((_, at) => at !== edited)}
            save={(item) =>
              set(
                edited === software.length
                  ? [...software, item]
                  : software.map((one, at) => (at === edited ? item : one)),
              )
            }
            close={() => setEdited(undefined)}
          />
        </Suspense>
      )}
    </Section>
  )
}
