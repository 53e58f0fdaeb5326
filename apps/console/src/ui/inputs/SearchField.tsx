import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'

interface SearchFieldProps {
  /** For screen readers: "Search services". */
  label: string
  placeholder: string
  value: string
  onSearch: (search: string) => void
  className: string | undefined
  /** For the low row above a table. */
  size?: 'xs'
  /** On a page that one opens to find something. */
  autoFocus?: boolean
}

/** Filters a list on this page at each letter. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  className,
  size,
  autoFocus = false,
}: SearchFieldProps) {
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
      autoFocus={autoFocus}
    />
  )
}
