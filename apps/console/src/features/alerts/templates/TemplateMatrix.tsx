import '@mantine/core/styles/NumberInput.css'
import { Checkbox, NumberInput, Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { SEVERITIES, SEVERITY_LABELS } from '../alert-labels.ts'
import type { SettingsKind, TemplateForm } from './template-form.ts'
import classes from './Templates.module.css'

const KINDS = [
  { kind: 'agent', title: 'Overdue machines' },
  { kind: 'check', title: 'Checks' },
  { kind: 'task', title: 'Tasks' },
  // Created with POST /alerts/.
  { kind: 'custom', title: 'Custom alerts' },
] as const satisfies { kind: SettingsKind; title: string }[]

const MEDIA = [
  { name: 'email', always: 'email', label: 'E-mail' },
  { name: 'text', always: 'text', label: 'SMS' },
  { name: 'dashboard', always: 'alert', label: 'Bell' },
] as const
const ENDS = [
  { name: 'email', label: 'E-mail when resolved' },
  { name: 'text', label: 'SMS when resolved' },
] as const

/**
 * The notifications of a template: a column for each type of alert, a row for each way to notify. In a narrow window each
 * row is a card.
 */
export function TemplateMatrix({ form }: { form: UseFormReturnType<TemplateForm> }) {
  return (
    <div className={classes.scroller}>
      <table className={classes.matrix} aria-label="Notifications by type of alert">
        <thead>
          <tr>
            <td />
            {KINDS.map(({ kind, title }) => (
              <th key={kind} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {MEDIA.map(({ name, always, label }) => (
            <Row key={name} label={label}>
              {(kind, cell) => (
                <>
                  <Choice label={cell} {...form.getInputProps(`${kind}_always_${always}`)} />
                  {kind !== 'agent' && (
                    <Checkbox.Group
                      label={`${cell} severities`}
                      labelProps={{ className: 'read-only-aloud' }}
                      {...form.getInputProps(`${kind}_${name}_alert_severity`)}
                    >
                      <div className={classes.severities}>
                        {SEVERITIES.map((severity) => (
                          <Checkbox key={severity} value={severity} label={SEVERITY_LABELS[severity]} />
                        ))}
                      </div>
                    </Checkbox.Group>
                  )}
                </>
              )}
            </Row>
          ))}
          {ENDS.map(({ name, label }) => (
            <Row key={label} label={label}>
              {(kind, cell) => <Choice label={cell} {...form.getInputProps(`${kind}_${name}_on_resolved`)} />}
            </Row>
          ))}
          <Row label="Remind every" hint="0 = never">
            {(kind, cell) => <Minutes label={cell} form={form} field={`${kind}_periodic_alert_minutes`} />}
          </Row>
          <Row label="Run the actions below">
            {(kind, cell) => (
              <Checkbox
                aria-label={cell}
                {...form.getInputProps(`${kind}_script_actions`, { type: 'checkbox' })}
              />
            )}
          </Row>
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  label: string
  hint?: string
  /** `cell` names the field: `Checks: E-mail`. */
  children: (kind: SettingsKind, cell: string) => ReactNode
}

function Row({ label, hint, children }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {label}
        {hint !== undefined && <div className="dim small">{hint}</div>}
      </th>
      {KINDS.map(({ kind, title }) => (
        <td key={kind} data-title={title}>
          {children(kind, `${title}: ${label}`)}
        </td>
      ))}
    </tr>
  )
}

interface MinutesProps {
  label: string
  form: UseFormReturnType<TemplateForm>
  field: `${SettingsKind}_periodic_alert_minutes`
}

function Minutes({ label, form, field }: MinutesProps) {
  return (
    <NumberInput
      aria-label={label}
      placeholder="Default"
      suffix=" min"
      min={0}
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(field)}
      value={form.values[field] ?? ''}
      onChange={(value) =>
        form.setFieldValue(field, value === '' ? null : typeof value === 'number' ? value : Number.NaN)
      }
    />
  )
}

const CHOICES = [
  { value: 'null', label: 'Default' },
  { value: 'true', label: 'Always' },
  { value: 'false', label: 'Never' },
]
const VALUES = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
])

interface ChoiceProps {
  label: string
  value?: boolean | null
  onChange?: (value: boolean | null) => void
}

/** Always, never, or as configured elsewhere. */
function Choice({ label, value = null, onChange }: ChoiceProps) {
  return (
    <Select
      aria-label={label}
      data={CHOICES}
      allowDeselect={false}
      value={String(value)}
      onChange={(chosen) => onChange?.(VALUES.get(chosen ?? 'null') ?? null)}
    />
  )
}
