import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { TagsInput } from '@mantine/core'
import { MAX_TAGS, TagName } from '@muster/contract/tag-names'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { tagsQuery } from './tags-query.ts'

interface TagInputProps {
  label: string
  description?: string
  value?: string[]
  onChange?: (names: string[]) => void
  error?: ReactNode
  /** Tags that the machine has from its client or a rule. */
  inherited?: readonly string[]
  /** Names that may be chosen; absent = all tags, and new ones. */
  choices?: readonly string[]
  autoFocus?: boolean
}

/** Names of tags, known or new. */
export function TagInput(props: TagInputProps) {
  const { label, description, value = [], onChange, error, inherited = [], choices, autoFocus } = props
  const { data: tags = [] } = useQuery(tagsQuery)
  const [refused, setRefused] = useState<string>()
  const change = (names: string[]) => {
    const invalid = names.map((name) => TagName.safeParse(name)).find(({ success }) => !success)
    setRefused(invalid?.error?.issues[0]?.message)
    if (invalid === undefined) onChange?.(names.map((name) => name.trim()))
  }
  const fromClient =
    inherited.length === 0 ? undefined : `From its client or a rule: ${inherited.join(', ')}.`
  return (
    <TagsInput
      label={label}
      description={description ?? fromClient ?? 'Press Enter after each tag.'}
      data={choices === undefined ? tags.map(({ name }) => name) : [...choices]}
      value={value}
      onChange={change}
      error={error ?? refused}
      maxTags={MAX_TAGS}
      // Names that differ in case only are the same tag.
      isDuplicate={(name, names) => names.some((other) => other.toLowerCase() === name.trim().toLowerCase())}
      onDuplicate={() => setRefused(undefined)}
      {...(autoFocus === true ? { 'data-autofocus': true } : {})}
    />
  )
}
