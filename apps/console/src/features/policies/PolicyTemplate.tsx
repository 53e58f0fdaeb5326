import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../app/api/queries.ts'
import { templatesQuery } from '../alerts/templates/templates-query.ts'
import type { SectionProps } from './PolicyEditor.tsx'
import { Section } from './Section.tsx'

/** The alert template of the machines that the policy reaches. */
export function PolicyTemplate({ draft, change, disabled }: SectionProps) {
  const { content } = draft
  const mayList = useMay('can_list_alerttemplates')
  const { data: templates = [], isFetched } = useQuery({ ...templatesQuery, enabled: mayList })
  const chosen = content.alert_template
  const isKnown = chosen === null || templates.some(({ id }) => id === chosen)
  return (
    <Section title="Alert template">
      <Select
        label="Alert template"
        description={
          mayList
            ? 'Counts where neither the machine nor anything nearer to it has another one.'
            : 'Your role does not allow you to see alert templates.'
        }
        data={[
          { value: '', label: 'not given' },
          ...templates.map(({ id, name, is_active }) => ({
            value: `${id}`,
            label: is_active ? name : `${name} (switched off)`,
          })),
          ...(isKnown
            ? []
            : [{ value: `${chosen}`, label: isFetched ? 'One that was deleted' : `Number ${chosen}` }]),
        ]}
        allowDeselect={false}
        searchable={templates.length > 10}
        disabled={disabled || !mayList}
        value={chosen === null ? '' : `${chosen}`}
        onChange={(value) =>
          change({ content: { ...content, alert_template: value ? Number(value) : null } })
        }
      />
    </Section>
  )
}
