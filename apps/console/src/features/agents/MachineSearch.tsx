import { CloseButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, type Ref, useLayoutEffect, useRef } from 'react'
import classes from './MachineSearch.module.css'
import { splitSearch } from './search-flags.ts'

interface MachineSearchProps {
  text: string
  onChange: (text: string) => void
  /** Arrow down: to the table. */
  onLeave: () => void
  /** Result of the search: "11 of 902 · 6 ms". */
  found: string
  ref?: Ref<HTMLInputElement>
}

/** The search field; its `is:` words are highlighted. */
export function MachineSearch({ text, onChange, onLeave, found, ref }: MachineSearchProps) {
  const mirror = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement | null>(null)
  const follow = () => {
    if (mirror.current && input.current) mirror.current.scrollLeft = input.current.scrollLeft
  }
  useLayoutEffect(() => {
    // Reading the scroll position forces a layout of the whole page.
    if (text !== '') follow()
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && text !== '') onChange('')
    else if (event.key === 'ArrowDown' || event.key === 'Enter' || event.key === 'Escape') onLeave()
    else return
    event.preventDefault()
  }
  return (
    <div className={classes.bar} role="search">
      <IconSearch size={16} stroke={1.75} aria-hidden className="dim-icon" />
      <div className={classes.field}>
        <div ref={mirror} className={classes.mirror} aria-hidden>
          {splitSearch(text).map((part, index) => (
            <span key={index} data-flag={part.flag || undefined}>
              {part.text}
            </span>
          ))}
        </div>
        <input
          ref={(element) => {
            input.current = element
            if (typeof ref === 'function') ref(element)
            else if (ref) ref.current = element
          }}
          className={classes.input}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          onScroll={follow}
          onKeyDown={onKeyDown}
          placeholder="Search all fields, or is:offline, is:rebootneeded …"
          aria-label="Search machines"
          aria-keyshortcuts="/"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          type="text"
          enterKeyHint="search"
        />
      </div>
      {text !== '' && (
        <CloseButton
          size="sm"
          aria-label="Clear search"
          onClick={() => {
            onChange('')
            input.current?.focus()
          }}
        />
      )}
      <span className={classes.found} role="status">
        {found}
      </span>
    </div>
  )
}
