import { Checkbox, Input, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { ListField } from '../../../ui/inputs/ListField.tsx'
import { ActionFields } from './ActionFields.tsx'
import { ExclusionFields } from './ExclusionFields.tsx'
import { SettingsFields } from './SettingsFields.tsx'
import classes from './Templates.module.css'
import type { TemplateForm } from './template-form.ts'

interface TemplateFieldsProps {
  form: UseFormReturnType<TemplateForm>
  /** What the server keeps; secrets in it are masked. */
  start: TemplateForm
}

/** All of a template, in sections. */
export function TemplateFields({ form, start }: TemplateFieldsProps) {
  const { values } = form
  return (
    <Stack gap="lg">
      <div className={classes.fields}>
        <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <Checkbox label="Switched on" {...form.getInputProps('is_active', { type: 'checkbox' })} />
      </div>
      <Section
        title="Who is told"
        hint="In the place of the recipients of the e-mail and SMS channels. Without any, those of the channels are told."
      >
        <ListField
          label="E-mail recipients"
          noun="recipient"
          placeholder="night@example.com"
          values={values.email_recipients}
          onChange={(lines) => form.setFieldValue('email_recipients', lines)}
        />
        <Wrong text={form.errors.email_recipients} />
        <ListField
          label="SMS numbers"
          noun="number"
          placeholder="+41791234567"
          values={values.text_recipients}
          onChange={(lines) => form.setFieldValue('text_recipients', lines)}
        />
        <Wrong text={form.errors.text_recipients} />
      </Section>
      <Section
        title="Machines that are overdue"
        hint="E-mail and SMS channels go by this before their rules."
      >
        <SettingsFields form={form} kind="agent" />
      </Section>
      <Section title="Checks">
        <SettingsFields form={form} kind="check" />
      </Section>
      <Section title="Tasks">
        <SettingsFields form={form} kind="task" />
      </Section>
      <Section
        title="Custom alerts"
        hint="Created by signed-in users with POST /alerts/; no screen creates them."
      >
        <SettingsFields form={form} kind="custom" />
      </Section>
      <Section
        title="When an alert opens"
        hint="Once for each alert, when it is told: nothing is run in maintenance."
      >
        <ActionFields form={form} start={start} kind="action" />
      </Section>
      <Section title="When it is over">
        <ActionFields form={form} start={start} kind="resolved_action" />
      </Section>
      <Section title="Exclusions" hint="For these it does not count; the next one outwards does.">
        <ExclusionFields form={form} />
      </Section>
    </Stack>
  )
}

function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <h3 className={classes.legend}>{title}</h3>
      {hint !== undefined && <p className={classes.hint}>{hint}</p>}
      <div className={classes.fields}>{children}</div>
    </section>
  )
}

function Wrong({ text }: { text: ReactNode }) {
  if (text === undefined || text === null) return null
  return <Input.Error>{text}</Input.Error>
}
