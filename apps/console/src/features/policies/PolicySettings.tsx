import { NumberInput, Select } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import {
  AGENT_SETTINGS,
  NUMBER_SETTING_NAMES,
  type NumberSetting,
} from '@muster/rules/policies/policy-settings'
import classes from './Policies.module.css'
import type { SectionProps } from './PolicyEditor.tsx'
import { Section } from './Section.tsx'

const LABELS: Record<NumberSetting, { label: string; suffix: string }> = {
  check_interval: { label: 'Check interval', suffix: ' s' },
  offline_time: { label: 'Offline after', suffix: ' min' },
  overdue_time: { label: 'Overdue after', suffix: ' min' },
}

/** Settings of machines; what is left empty is not said. */
export function PolicySettings({ draft, change, disabled }: SectionProps) {
  const { content } = draft
  const set = (values: Partial<typeof content.agent_settings>) =>
    change({ content: { ...content, agent_settings: { ...content.agent_settings, ...values } } })
  const alerts = content.agent_settings.overdue_dashboard_alert
  return (
    <Section title="Settings of machines">
      <div className={classes.three}>
        {NUMBER_SETTING_NAMES.map((name) => {
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
              onChange={(value) => set({ [name]: typeof value === 'number' ? value : null })}
            />
          )
        })}
        <Select
          label="Availability alerts"
          description="When a machine is overdue."
          data={[
            { value: 'default', label: 'Not set' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
          allowDeselect={false}
          disabled={disabled}
          value={alerts === null ? 'default' : alerts ? 'on' : 'off'}
          onChange={(value) => set({ overdue_dashboard_alert: value === 'default' ? null : value === 'on' })}
        />
      </div>
    </Section>
  )
}
