import { ActionIcon, Button, Input, TextInput } from '@mantine/core'
import { MASKED_SECRET } from '@muster/contract/api/alert-channels'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useId } from 'react'
import classes from './ChannelForm.module.css'
import { SecretField } from './SecretField.tsx'
import type { HeaderLine } from './channel-form.ts'

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
