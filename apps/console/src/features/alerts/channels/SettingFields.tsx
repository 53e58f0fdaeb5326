import { NumberInput, Select, TextInput, Textarea } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { type ChannelKind, MASKED_SECRET } from '@muster/contract/api/alert-channels'
import { ListField } from '../../../ui/inputs/ListField.tsx'
import { Input } from '@mantine/core'
import { HeadersField } from './HeadersField.tsx'
import { SecretField } from './SecretField.tsx'
import type { ChannelField } from './channel-fields.ts'
import { type ChannelForm, type HeaderLine, shownFields } from './channel-form.ts'

interface SettingFieldsProps {
  kind: ChannelKind
  form: UseFormReturnType<ChannelForm>
  /** The stored settings; secrets are masked. */
  start: ChannelForm
}

/** The fields of one kind of channel. */
export function SettingFields({ kind, form, start }: SettingFieldsProps) {
  return shownFields(kind, form.values).map((field) => (
    <SettingField key={field.name} field={field} form={form} start={start} />
  ))
}

function SettingField({ field, form, start }: Omit<SettingFieldsProps, 'kind'> & { field: ChannelField }) {
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
        <div>
          <ListField
            label={label}
            noun={field.noun}
            values={value as readonly string[]}
            onChange={set}
            {...(placeholder === undefined ? {} : { placeholder })}
          />
          {wrong !== undefined && <Input.Error>{wrong}</Input.Error>}
        </div>
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
