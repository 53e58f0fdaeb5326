import '@mantine/core/styles/NumberInput.css'
import { Checkbox, Group, NumberInput, Select, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { MASKED_SECRET } from '@muster/contract/api/alert-channels'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { useQuery } from '@tanstack/react-query'
import { useDashInfo, useMay } from '../../../app/api/queries.ts'
import { allScriptsQuery } from '../../scripts/all-scripts-query.ts'
import { EnvironmentFields } from '../../scripts/EnvironmentFields.tsx'
import { ArgumentsField } from '../../scripts/ScriptFieldset.tsx'
import { HeadersField } from '../channels/SettingFields.tsx'
import { SecretField } from '../channels/SecretField.tsx'
import { type ActionKind, EMPTY_REST, type Rest, type TemplateForm } from './template-form.ts'

interface ActionFieldsProps {
  form: UseFormReturnType<TemplateForm>
  start: TemplateForm
  kind: ActionKind
}

type ActionType = TemplateForm['action_type']
const NOTHING = 'none'
const TYPES: { value: NonNullable<ActionType> | typeof NOTHING; label: string }[] = [
  { value: NOTHING, label: 'Nothing' },
  { value: 'script', label: 'A script on the machine' },
  { value: 'server', label: 'A script on the server' },
  { value: 'rest', label: 'A webhook' },
]

/** The action: nothing, a script on the machine or on the server, or a webhook. */
export function ActionFields(props: ActionFieldsProps) {
  const { form, kind } = props
  const type = form.values[`${kind}_type`]
  const info = useDashInfo()
  const mayRunOnServer = info?.server_scripts_enabled === true
  // A type that was chosen before stays visible.
  const types = TYPES.filter(({ value }) => value !== 'server' || info?.hosted !== true || type === 'server')
  return (
    <>
      <Select
        label="Run"
        description={
          mayRunOnServer || info?.hosted === true
            ? undefined
            : 'Server scripts are disabled in the settings, under General.'
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={types.map((one) => ({ ...one, disabled: one.value === 'server' && !mayRunOnServer }))}
        allowDeselect={false}
        value={type ?? NOTHING}
        onChange={(chosen) => {
          const found = TYPES.find(({ value }) => value === chosen)?.value ?? NOTHING
          const next = found === NOTHING ? null : found
          form.setFieldValue(`${kind}_type`, next)
          if (next === 'rest' && form.values[`${kind}_rest`] === null)
            form.setFieldValue(`${kind}_rest`, EMPTY_REST)
        }}
      />
      {(type === 'script' || type === 'server') && <ScriptFields {...props} />}
      {type === 'rest' && <RestFields {...props} />}
    </>
  )
}

function ScriptFields({ form, kind }: ActionFieldsProps) {
  const mayList = useMay('can_list_scripts')
  const { data: scripts = [] } = useQuery({ ...allScriptsQuery, enabled: mayList })
  const id = form.values[kind]
  const chosen = scripts.find((script) => script.id === id)
  const timeout = form.values[`${kind}_timeout`]
  const [missing] = completeParameters(chosen?.parameters ?? [], form.values[`${kind}_env_vars`]).problems
  return (
    <>
      <Select
        label="Script"
        description={
          form.values[`${kind}_type`] === 'server' && chosen?.server_approval === 'waiting'
            ? 'Waiting for approval. The changed script does not run.'
            : undefined
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={mayList ? 'Choose a script' : 'Your role does not allow you to see scripts.'}
        data={scripts.map((script) => ({ value: `${script.id}`, label: script.name }))}
        searchable
        nothingFoundMessage="No matching script"
        limit={200}
        {...form.getInputProps(kind)}
        value={id === null ? null : `${id}`}
        onChange={(value) => {
          form.setFieldValue(kind, value === null ? null : Number(value))
          const script = scripts.find((one) => `${one.id}` === value)
          if (script === undefined) return
          form.setFieldValue(`${kind}_args`, script.args)
          const { env_vars } = completeParameters(script.parameters, script.env_vars)
          form.setFieldValue(`${kind}_env_vars`, env_vars)
          form.setFieldValue(`${kind}_timeout`, script.default_timeout)
        }}
      />
      <ArgumentsField
        values={form.values[`${kind}_args`]}
        onChange={(lines) => form.setFieldValue(`${kind}_args`, lines)}
      />
      <EnvironmentFields
        parameters={chosen?.parameters}
        description="Always set: MUSTER_ALERT_ID, _TYPE, _STATE, _SEVERITY, _TIME and _MESSAGE"
        values={form.values[`${kind}_env_vars`]}
        onChange={(lines) => form.setFieldValue(`${kind}_env_vars`, lines)}
      />
      {missing !== undefined && (
        <Text size="sm" role="alert">
          {missing.sentence}
        </Text>
      )}
      <Group align="flex-end" gap="lg">
        <NumberInput
          label="Time limit"
          suffix=" s"
          min={1}
          allowDecimal={false}
          clampBehavior="none"
          {...form.getInputProps(`${kind}_timeout`)}
          value={Number.isNaN(timeout) ? '' : timeout}
          onChange={(value) =>
            form.setFieldValue(`${kind}_timeout`, typeof value === 'number' ? value : Number.NaN)
          }
        />
        {form.values[`${kind}_type`] === 'script' && (
          <Checkbox
            mb={8}
            label="Run as the signed-in user"
            {...form.getInputProps(`${kind}_run_as_user`, { type: 'checkbox' })}
          />
        )}
      </Group>
    </>
  )
}

function RestFields({ form, start, kind }: ActionFieldsProps) {
  const field = `${kind}_rest` as const
  const rest = form.values[field] ?? EMPTY_REST
  const before = start[field] ?? EMPTY_REST
  const set = (part: Partial<Rest>) => form.setFieldValue(field, { ...rest, ...part })
  const wrong = (name: keyof Rest) => {
    const error = form.errors[`${field}.${name}`]
    return typeof error === 'string' ? error : undefined
  }
  return (
    <>
      <TextInput
        label="Address"
        placeholder="https://example.com/alerts"
        classNames={{ input: 'mono' }}
        autoComplete="off"
        spellCheck={false}
        value={rest.url}
        error={wrong('url')}
        onChange={(event) => set({ url: event.currentTarget.value })}
        onBlur={() => form.validateField(`${field}.url`)}
      />
      <Select
        label="Method"
        data={['POST', 'PUT']}
        allowDeselect={false}
        value={rest.method}
        onChange={(method) => set({ method: method === 'PUT' ? 'PUT' : 'POST' })}
      />
      <HeadersField
        label="Headers"
        values={rest.headers}
        kept={new Set(before.headers.map(({ name }) => name))}
        error={wrong('headers')}
        onChange={(headers) => set({ headers })}
      />
      <SecretField
        label="Secret"
        description="Signs the body in the header Muster-Signature."
        value={rest.secret}
        kept={before.secret === MASKED_SECRET}
        optional
        error={wrong('secret')}
        onChange={(secret) => set({ secret })}
      />
      <Textarea
        label="Body"
        description="JSON with variables like {{alert.message}}. Empty = the alert as JSON."
        classNames={{ input: 'mono' }}
        placeholder={'{ "text": "{{alert.message}}" }'}
        spellCheck={false}
        autosize
        minRows={3}
        maxRows={12}
        value={rest.body_template}
        error={wrong('body_template')}
        onChange={(event) => set({ body_template: event.currentTarget.value })}
      />
    </>
  )
}
