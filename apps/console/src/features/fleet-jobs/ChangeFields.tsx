import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { Checkbox, MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { listClients } from '@muster/contract/api/clients'
import { useQuery } from '@tanstack/react-query'
import type { ChangeEvent } from 'react'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { FieldInput } from '../custom-fields/FieldInputs.tsx'
import { fieldsQuery } from '../custom-fields/field-form.ts'
import { filterSites, groupSites } from '../clients/site-choices.ts'
import { kindOf, NEW_TYPES } from '../remote/registry/value-form.ts'
import { TagInput } from '../tags/TagInput.tsx'
import type { ChangeForm, ChangeName } from './change-form.ts'
import { PushFileFields, TextFileFields } from './FileFields.tsx'
import classes from './Jobs.module.css'

interface ChangeFieldsProps {
  action: ChangeName
  form: ChangeForm
  onChange: (values: Partial<ChangeForm>) => void
}

/** The fields of an action that undo can take back. */
export function ChangeFields({ action, form, onChange }: ChangeFieldsProps) {
  switch (action) {
    case 'tags':
      return (
        <div className={classes.row}>
          <TagInput label="Add tags" value={form.addTags} onChange={(addTags) => onChange({ addTags })} />
          <TagInput
            label="Remove tags"
            value={form.removeTags}
            onChange={(removeTags) => onChange({ removeTags })}
          />
        </div>
      )
    case 'move':
      return <SiteField site={form.site} onChange={(site) => onChange({ site })} />
    case 'custom_field':
      return <FieldFields form={form} onChange={onChange} />
    case 'service':
      return <ServiceFields form={form} onChange={onChange} />
    case 'approve_patches':
      return <PatchFields form={form} onChange={onChange} />
    case 'registry':
      return <RegistryFields form={form} onChange={onChange} />
    case 'file':
      return <TextFileFields form={form} onChange={onChange} />
    case 'push_file':
      return <PushFileFields form={form} onChange={onChange} />
  }
}

type FieldsProps = Omit<ChangeFieldsProps, 'action'>

const PLAIN = { autoComplete: 'off', spellCheck: false, classNames: { input: 'mono' } } as const

function SiteField({ site, onChange }: { site: string | null; onChange: (site: string | null) => void }) {
  const { data: clients = [] } = useQuery(query(listClients, { query: {} }))
  return (
    <Select
      label="Site"
      placeholder="Choose a site"
      data={groupSites(clients, new Set())}
      filter={filterSites}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No matching site"
      value={site}
      onChange={onChange}
    />
  )
}

/** A custom field of machines, with the input of its type. */
function FieldFields({ form, onChange }: FieldsProps) {
  const mayView = useMay('can_view_customfields')
  const { data: fields = [] } = useQuery({ ...fieldsQuery, enabled: mayView })
  const own = fields.filter(({ model }) => model === 'agent')
  const chosen = own.find(({ id }) => `${id}` === form.field)
  const set = (given: ChangeEvent<HTMLInputElement> | ChangeForm['fieldValue'] | null) => {
    if (given === null || typeof given !== 'object' || Array.isArray(given))
      return onChange({ fieldValue: given ?? '' })
    const { checked, value } = given.currentTarget
    onChange({ fieldValue: chosen?.type === 'checkbox' ? checked : value })
  }
  return (
    <>
      <Select
        label="Custom field"
        description={mayView ? undefined : 'Your role does not allow you to see custom fields.'}
        placeholder={mayView && own.length === 0 ? 'No custom fields of machines yet' : 'Choose a field'}
        data={own.map(({ id, name }) => ({ value: `${id}`, label: name }))}
        disabled={!mayView}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No matching custom field"
        value={form.field}
        onChange={(field) => {
          const type = own.find(({ id }) => `${id}` === field)?.type ?? 'text'
          onChange({ field, fieldType: type, fieldValue: EMPTY_VALUES[type] ?? '' })
        }}
      />
      {chosen !== undefined && (
        <FieldInput
          field={chosen}
          props={
            chosen.type === 'checkbox'
              ? { checked: form.fieldValue === true, onChange: set }
              : { value: form.fieldValue, onChange: set }
          }
        />
      )}
    </>
  )
}

const EMPTY_VALUES: Partial<Record<ChangeForm['fieldType'], ChangeForm['fieldValue']>> = {
  checkbox: false,
  multiple: [],
}

const SERVICE_ACTIONS = [
  { value: '', label: 'Unchanged' },
  { value: 'start', label: 'Start' },
  { value: 'stop', label: 'Stop' },
  { value: 'restart', label: 'Restart' },
]
const START_TYPES = [
  { value: '', label: 'Unchanged' },
  { value: 'auto', label: 'Automatic' },
  { value: 'autodelay', label: 'Automatic, delayed (Windows)' },
  { value: 'manual', label: 'Manual' },
  { value: 'disabled', label: 'Disabled' },
]

function ServiceFields({ form, onChange }: FieldsProps) {
  return (
    <div className={classes.row}>
      <TextInput
        label="Service"
        placeholder="ssh or Spooler"
        maxLength={255}
        value={form.service}
        onChange={({ currentTarget }) => onChange({ service: currentTarget.value })}
        {...PLAIN}
      />
      <Select
        label="State"
        data={SERVICE_ACTIONS}
        allowDeselect={false}
        value={form.serviceAction}
        onChange={(serviceAction) => onChange({ serviceAction: serviceAction ?? '' })}
      />
      <Select
        label="Start type"
        data={START_TYPES}
        allowDeselect={false}
        value={form.startType}
        onChange={(startType) => onChange({ startType: startType ?? '' })}
      />
    </div>
  )
}

const DECISIONS = [
  { value: 'approve', label: 'Approve' },
  { value: 'ignore', label: 'Ignore' },
  { value: 'inherit', label: 'Reset the decision' },
]
const SEVERITIES = [
  ...['Critical', 'Important', 'Moderate', 'Low'].map((value) => ({ value, label: value })),
  { value: 'none', label: 'Without severity' },
]

function PatchFields({ form, onChange }: FieldsProps) {
  return (
    <div className={classes.row}>
      <Select
        label="Decision"
        data={DECISIONS}
        allowDeselect={false}
        value={form.decision}
        onChange={(decision) => decision !== null && onChange({ decision })}
      />
      <MultiSelect
        label="Patches with severity"
        data={SEVERITIES}
        value={form.severities}
        onChange={(severities) => onChange({ severities })}
      />
    </div>
  )
}

const DATA_HINTS = {
  text: undefined,
  number: 'Decimal, or hexadecimal after 0x',
  lines: 'One text per line',
  bytes: 'Hexadecimal bytes',
}

function RegistryFields({ form, onChange }: FieldsProps) {
  const kind = kindOf(form.valueType)
  return (
    <>
      <TextInput
        label="Key"
        description="Missing keys are created. Machines without Windows are skipped."
        placeholder="HKEY_LOCAL_MACHINE\SOFTWARE\Example"
        maxLength={4000}
        value={form.key}
        onChange={({ currentTarget }) => onChange({ key: currentTarget.value })}
        {...PLAIN}
      />
      <TextInput
        label="Value"
        description="Empty = the default value of the key"
        maxLength={16_383}
        value={form.valueName}
        onChange={({ currentTarget }) => onChange({ valueName: currentTarget.value })}
        {...PLAIN}
      />
      <Checkbox
        label="Delete the value"
        checked={form.deleteValue}
        onChange={({ currentTarget }) => onChange({ deleteValue: currentTarget.checked })}
      />
      {!form.deleteValue && (
        <>
          <Select
            label="Type"
            data={NEW_TYPES}
            allowDeselect={false}
            value={form.valueType}
            onChange={(valueType) => valueType !== null && onChange({ valueType, valueText: '' })}
          />
          <Textarea
            label="Data"
            description={DATA_HINTS[kind]}
            autosize
            minRows={1}
            maxRows={10}
            value={form.valueText}
            onChange={({ currentTarget }) => onChange({ valueText: currentTarget.value })}
            {...PLAIN}
          />
        </>
      )}
    </>
  )
}
