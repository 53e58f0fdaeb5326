import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'

interface SearchFieldProps {
  /** For screen readers: "Search services". */
  label: string
  /** What may be searched for. */
  placeholder: string
  value: string
  onSearch: (search: string) => void
  className: string | undefined
  /** Where the row above a table is a low one. */
  size?: 'xs'
}

/** What narrows a list on this page, with each letter. */
export function SearchField({ label, placeholder, value, onSearch, className, size }: SearchFieldProps) {
  return (
    <TextInput
      {...(size === undefined ? {} : { size })}
      className={className ?? ''}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
      value={value}
      onChange={(event) => onSearch(event.currentTarget.value)}
      autoComplete="off"
    />
  )
}
