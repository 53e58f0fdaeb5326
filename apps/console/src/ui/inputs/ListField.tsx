import { ActionIcon, Button, Input, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconPlus, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import classes from './ListField.module.css'

interface ListFieldProps {
  label: string
  description?: string
  /** Name of one line: "argument". */
  noun: string
  values: readonly string[]
  onChange: (values: string[]) => void
  placeholder?: string
  /** Help for all lines, below them. */
  warning?: string
  /** The error of a value, or null. Shown once the user has left its line. */
  check?: (value: string) => string | null
  /** The form's field, for the foot of the form. */
  path?: string
  /** About the whole list. */
  error?: ReactNode
}

/** A list of texts, one per line. Enter adds a line, Backspace in an empty line removes it. */
export function ListField(props: ListFieldProps) {
  const { label, description, noun, values, onChange, placeholder, warning, check, path, error } = props
  const list = useRef<HTMLDivElement>(null)
  const labelId = useId()
  const nextLine = useRef<number>(undefined)
  const [focused, setFocused] = useState<number>()
  const errors = values.map((value) => check?.(value) ?? null)
  const wrong = Math.max(0, errors.findIndex(Boolean))
  // Together with the line, not a frame later: fast typing belongs to the new line.
  useLayoutEffect(() => {
    if (nextLine.current === undefined) return
    list.current?.querySelectorAll('input')[nextLine.current]?.focus()
    nextLine.current = undefined
  }, [values])
  const insert = (index: number) => {
    nextLine.current = index
    onChange([...values.slice(0, index), '', ...values.slice(index)])
  }
  const remove = (index: number) => {
    nextLine.current = Math.max(0, index - 1)
    onChange(values.filter((_, at) => at !== index))
  }
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) insert(index + 1)
    else if (event.key === 'Backspace' && values[index] === '') remove(index)
    else return
    event.preventDefault()
  }
  return (
    <div
      role="group"
      aria-labelledby={labelId}
      {...(path !== undefined && values.length === 0 ? { 'data-path': path, tabIndex: -1 } : {})}
    >
      <Input.Label component="span" id={labelId}>
        {label}
      </Input.Label>
      {description !== undefined && <Input.Description mb={4}>{description}</Input.Description>}
      <div ref={list} className={classes.lines}>
        {values.map((value, index) => (
          <div key={index} className={classes.line}>
            <TextInput
              className={classes.input}
              classNames={{ input: 'mono' }}
              aria-label={`${label} ${index + 1}`}
              value={value}
              error={focused === index ? null : errors[index]}
              {...(index === wrong && path !== undefined ? { 'data-path': path } : {})}
              placeholder={placeholder}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onChange(values.with(index, event.currentTarget.value))}
              onKeyDown={(event) => onKeyDown(event, index)}
              onFocus={() => setFocused(index)}
              onBlur={() => setFocused(undefined)}
            />
            <ActionIcon
              size="input-sm"
              aria-label={`Remove ${noun} ${index + 1}`}
              onClick={() => remove(index)}
            >
              <IconX size={16} stroke={1.75} />
            </ActionIcon>
          </div>
        ))}
      </div>
      {error !== undefined && errors.every((line) => line === null) && (
        <Input.Error mb={4}>{error}</Input.Error>
      )}
      {warning !== undefined && (
        <p className={classes.warning} role="status">
          <IconAlertTriangle size={16} stroke={1.75} aria-hidden className={classes.warningIcon} />
          {warning}
        </p>
      )}
      <Button
        variant="subtle"
        color="gray"
        leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
        onClick={() => insert(values.length)}
      >
        Add {noun}
      </Button>
    </div>
  )
}
