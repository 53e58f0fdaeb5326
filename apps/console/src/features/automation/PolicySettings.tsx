import { NumberInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import { AGENT_SETTING_NAMES, AGENT_SETTINGS, type AgentSetting } from '@muster/rules/policy-settings'
import classes from './Policies.module.css'
import type { SectionProps } from './PolicyEditor.tsx'
import { Section } from './Section.tsx'

const LABELS: Record<AgentSetting, { label: string; suffix: string }> = {
  check_interval: { label: 'Check interval', suffix: ' s' },
  offline_time: { label: 'Offline after', suffix: ' min' },
  overdue_time: { label: 'Overdue after', suffix: ' min' },
}

/** Settings of machines; what is left empty is not said. */
export function PolicySettings({ draft, change, disabled }: SectionProps) {
  const { content } = draft
  return (
    <Section title="Settings of machines">
      <div className={classes.three}>
        {AGENT_SETTING_NAMES.map((name) => {
          const { least, most, initial } = AGENT_SETTINGS[name]
          const { label, suffix } = LABELS[name]
          return (
            <NumberInput
              key={name}
              label={label}
              placeholder="not given"
              description={`Usually ${initial}${suffix}.`}
              suffix={suffix}
              min={least}
              max={most}
              clampBehavior="blur"
              allowDecimal={false}
              allowNegative={false}
              disabled={disabled}
              value={content.agent_settings[name] ?? ''}
              onChange={(value) =>
                change({
                  content: {
                    ...content,
                    agent_settings: {
                      ...content.agent_settings,
                      [name]: typeof value === 'number' ? value : null,
                    },
                  },
                })
              }
            />
          )
        })}
      </div>
    </Section>
  )
}
