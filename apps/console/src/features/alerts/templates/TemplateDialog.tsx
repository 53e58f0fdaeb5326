import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { useForm, type UseFormReturnType } from '@mantine/form'
import {
  type AlertTemplate,
  createAlertTemplate,
  editAlertTemplate,
} from '@muster/contract/api/alert-templates'
import { type ReactNode, useState } from 'react'
import { Checkbox, Group, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { checkRecipient } from '../channels/channel-form.ts'
import { ListField } from '../../../ui/inputs/ListField.tsx'
import { clientsQuery, useMay } from '../../../app/api/queries.ts'
import {
  checkTemplateForm,
  machineNamesQuery,
  namesOf,
  newTemplateForm,
  readTemplateForm,
  type TemplateForm,
  templatesQuery,
  toTemplate,
} from './template-form.ts'
import { ActionFields } from './ActionFields.tsx'
import { EscalationFields } from './EscalationFields.tsx'
import { TemplateMatrix } from './TemplateMatrix.tsx'
import classes from './Templates.module.css'

/** A new template (`new`) or an existing one (`3`). Closing leads to the list. */
export function TemplateDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('alert-templates', 'alert-template')
  const title = item === 'new' ? 'New alert template' : 'Alert template'
  return (
    <RecordDialog
      list={templatesQuery}
      item={item}
      title={title}
      needs="can_manage_alerttemplates"
      size="xl"
      gone="This alert template does not exist any more."
      back="Show all templates"
      onClose={openList}
    >
      {(template, onReload) => (
        <TemplateFormDialog
          title={template === undefined ? title : `Edit ${template.name}`}
          template={template}
          onReload={onReload}
          onClose={openList}
        />
      )}
    </RecordDialog>
  )
}

interface TemplateFormDialogProps {
  title: string
  /** The edited template, as it was when the form was opened. */
  template: AlertTemplate | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function TemplateFormDialog({ title, template, onReload, onClose }: TemplateFormDialogProps) {
  const saveInto = useSaveInto(templatesQuery.queryKey)
  const [start] = useState(() => (template === undefined ? newTemplateForm() : readTemplateForm(template)))
  const form = useForm<TemplateForm>({
    initialValues: start,
    validate: checkTemplateForm,
    validateInputOnBlur: true,
  })
  const save = async (values: TemplateForm) => {
    const body = toTemplate(values)
    await saveInto(async () => {
      if (template === undefined) await call(createAlertTemplate, { body })
      else {
        const { id, modified } = template
        await call(editAlertTemplate, { params: { id }, body: { ...body, modified } })
      }
    })
  }
  return (
    <FormDialog
      title={title}
      size="xl"
      form={form}
      save={save}
      done={template === undefined ? 'Alert template added.' : 'Alert template saved.'}
      submitLabel={template === undefined ? 'Add template' : 'Save'}
      onClose={onClose}
    >
      <ChangedMeanwhile what="this template" onReload={onReload} mb="md" />
      <TemplateFields form={form} start={start} />
    </FormDialog>
  )
}

interface TemplateFieldsProps {
  form: UseFormReturnType<TemplateForm>
  /** The stored template; secrets are masked. */
  start: TemplateForm
}

/** The whole template, in sections. */
function TemplateFields({ form, start }: TemplateFieldsProps) {
  const { values } = form
  return (
    <Stack gap="lg">
      <div className="stack">
        <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <Checkbox label="Enabled" {...form.getInputProps('is_active', { type: 'checkbox' })} />
      </div>
      <Section
        title="Recipients"
        hint="Replace the recipients of e-mail and SMS channels. Empty = the channels' own."
      >
        <ListField
          label="E-mail recipients"
          noun="recipient"
          placeholder="night@example.com"
          values={values.email_recipients}
          onChange={(lines) => form.setFieldValue('email_recipients', lines)}
          path="email_recipients"
          check={(line) => checkRecipient('email', line.trim())}
          error={form.errors.email_recipients}
        />
        <ListField
          label="SMS numbers"
          noun="number"
          placeholder="+41791234567"
          values={values.text_recipients}
          onChange={(lines) => form.setFieldValue('text_recipients', lines)}
          path="text_recipients"
          check={(line) => checkRecipient('sms', line.trim())}
          error={form.errors.text_recipients}
        />
      </Section>
      <Section
        title="Notifications"
        hint="Default = as the channel and the machine are configured. No severity = all."
      >
        <TemplateMatrix form={form} />
      </Section>
      <Section title="Escalation" hint="Notifies one after the other until an alert is acknowledged.">
        <EscalationFields form={form} />
      </Section>
      <Section
        title="When an alert opens"
        hint="Runs once per alert with its first notification, never in maintenance."
      >
        <ActionFields form={form} start={start} kind="action" />
      </Section>
      <Section title="When an alert is resolved">
        <ActionFields form={form} start={start} kind="resolved_action" />
      </Section>
      <Section title="Exclusions" hint="The next template applies to these instead.">
        <ExclusionFields form={form} />
      </Section>
    </Stack>
  )
}

function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <h3 className={classes.legend}>{title}</h3>
      {hint !== undefined && <p className="note">{hint}</p>}
      <div className="stack">{children}</div>
    </section>
  )
}

/** Machines that a template does not apply to. */
function ExclusionFields({ form }: { form: UseFormReturnType<TemplateForm> }) {
  const mayListClients = useMay('can_list_clients')
  const mayListAgents = useMay('can_list_agents')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayListClients })
  const { data: machines = [] } = useQuery({ ...machineNamesQuery, enabled: mayListAgents })
  const { excluded_clients, excluded_sites, excluded_agents } = form.values
  return (
    <>
      <Group gap="lg">
        <Checkbox label="Servers" {...form.getInputProps('exclude_servers', { type: 'checkbox' })} />
        <Checkbox
          label="Workstations"
          {...form.getInputProps('exclude_workstations', { type: 'checkbox' })}
        />
      </Group>
      {mayListClients && (
        <>
          <Names
            label="Clients"
            data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
            values={excluded_clients.map(String)}
            onChange={(values) => form.setFieldValue('excluded_clients', values.map(Number))}
          />
          <Names
            label="Sites"
            data={clients.flatMap(({ name: client, sites }) =>
              sites.map(({ id, name }) => ({ value: `${id}`, label: `${client} › ${name}` })),
            )}
            values={excluded_sites.map(String)}
            onChange={(values) => form.setFieldValue('excluded_sites', values.map(Number))}
          />
        </>
      )}
      {mayListAgents && (
        <Names
          label="Machines"
          data={namesOf(machines)}
          values={excluded_agents}
          onChange={(values) => form.setFieldValue('excluded_agents', values)}
        />
      )}
    </>
  )
}

interface NamesProps {
  label: string
  data: { value: string; label: string }[]
  values: string[]
  onChange: (values: string[]) => void
}

function Names({ label, data, values, onChange }: NamesProps) {
  // Excluded items that are gone or not visible stay listed and can be removed.
  const others = values
    .filter((value) => !data.some((item) => item.value === value))
    .map((value) => ({ value, label: `unknown (${value})` }))
  return (
    <MultiSelect
      label={label}
      placeholder={values.length === 0 ? 'None' : ''}
      data={[...data, ...others]}
      value={values}
      onChange={onChange}
      searchable
      hidePickedOptions
      nothingFoundMessage="No matches"
      limit={200}
    />
  )
}
