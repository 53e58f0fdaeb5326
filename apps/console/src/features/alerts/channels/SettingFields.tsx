import '@mantine/core/styles/NumberInput.css'
import { ActionIcon, Button, Input, NumberInput, Select, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ChannelKind, MASKED_SECRET } from '@muster/contract/api/alert-channels'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useId } from 'react'
import { ListField } from '../../../ui/inputs/ListField.tsx'
import { SecretField } from './SecretField.tsx'
import type { ChannelField } from './channel-fields.ts'
import { type ChannelForm, checkRecipient, type HeaderLine, shownFields } from './channel-form.ts'
import classes from './ChannelForm.module.css'

interface SettingFieldsProps {
  kind: ChannelKind
  form: UseFormReturnType<ChannelForm>
  /** The stored settings; secrets are masked. */
  start: ChannelForm
}

/** The fields of one kind of channel. */
export function SettingFields({ kind, form, start }: SettingFieldsProps) {
  if (kind === 'push')
    return <Text c="dimmed">Sent to browsers in which users have turned on notifications.</Text>
  return shownFields(kind, form.values).map((field) => (
    <SettingField key={field.name} kind={kind} field={field} form={form} start={start} />
  ))
}

function SettingField({ kind, field, form, start }: SettingFieldsProps & { field: ChannelField }) {
  const { name, label, description, placeholder } = field
  const value = form.values[name]
  const error = form.errors[name]
  const wrong = typeof error === 'string' ? error : undefined
  const set = (next: ChannelForm[string]) => form.setFieldValue(name, next)
  switch (field.input) {
    case 'text':
    case 'machine-text':
      return (
        <TextInput
          label={label}
          description={description}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          {...(field.input === 'machine-text' ? { classNames: { input: 'mono' } } : {})}
          {...form.getInputProps(name)}
        />
      )
    case 'number':
      return (
        <NumberInput
          label={label}
          description={description}
          allowDecimal={false}
          clampBehavior="none"
          {...form.getInputProps(name)}
        />
      )
    case 'choice':
      return (
        <Select
          label={label}
          description={description}
          data={[...field.choices]}
          allowDeselect={false}
          {...form.getInputProps(name)}
        />
      )
    case 'secret':
      return (
        <SecretField
          label={label}
          description={description}
          placeholder={placeholder}
          value={`${value as string}`}
          kept={start[name] === MASKED_SECRET}
          optional={field.optional === true}
          error={wrong}
          onChange={set}
          onBlur={() => form.validateField(name)}
        />
      )
    case 'template':
      return (
        <Textarea
          label={label}
          description={description}
          classNames={{ input: 'mono' }}
          placeholder={'{ "text": "{{alert.message}}" }'}
          spellCheck={false}
          autosize
          minRows={3}
          maxRows={12}
          {...form.getInputProps(name)}
        />
      )
    case 'list':
      return (
        <ListField
          label={label}
          noun={field.noun}
          values={value as readonly string[]}
          onChange={set}
          {...(placeholder === undefined ? {} : { placeholder })}
          path={name}
          check={(line) => checkRecipient(kind === 'sms' ? 'sms' : 'email', line)}
          error={wrong}
        />
      )
    case 'headers':
      return (
        <HeadersField
          label={label}
          values={value as readonly HeaderLine[]}
          kept={new Set((start[name] as readonly HeaderLine[]).map((line) => line.name))}
          error={wrong}
          onChange={set}
        />
      )
  }
}

interface HeadersFieldProps {
  label: string
  values: readonly HeaderLine[]
  onChange: (values: HeaderLine[]) => void
  error?: string | undefined
  /** Names whose values the server has stored. */
  kept: ReadonlySet<string>
}

/** HTTP headers of each request; the values are secrets. */
export function HeadersField({ label, values, onChange, error, kept }: HeadersFieldProps) {
  const id = useId()
  const change = (index: number, part: Partial<HeaderLine>) =>
    onChange(values.map((line, at) => (at === index ? { ...line, ...part } : line)))
  return (
    <div role="group" aria-labelledby={id}>
      <Input.Label component="span" id={id}>
        {label}
      </Input.Label>
      {values.map(({ name, value }, index) => (
        <div key={index} className={classes.header}>
          <TextInput
            aria-label={`Header ${index + 1}`}
            placeholder="Authorization"
            classNames={{ input: 'mono' }}
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            value={name}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
          />
          <SecretField
            label={`Value of header ${index + 1}`}
            value={value}
            kept={value === MASKED_SECRET || kept.has(name)}
            optional={false}
            onChange={(next) => change(index, { value: next })}
          />
          <ActionIcon
            size="input-sm"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(values.filter((_, at) => at !== index))}
          >
            <IconX size={16} stroke={1.75} />
          </ActionIcon>
        </div>
      ))}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
      <div>
        <Button
          variant="subtle"
          color="gray"
          disabled={values.length >= 20}
          leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
          onClick={() => onChange([...values, { name: '', value: '' }])}
        >
          Add header
        </Button>
      </div>
    </div>
  )
}
