import { ActionIcon, CloseButton } from '@mantine/core'
import '@mantine/core/styles/ActionIcon.css'
import type { AgentRow } from '@muster/contract/api/agents'
import { IconHelp, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefCallback,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { machinesQuery } from './machines-query.ts'
import classes from './MachineSearch.module.css'
import type { Suggestions } from './suggest-search.ts'
import { type MachineQueryState, useMachineQuery } from './use-machine-query.ts'
import { loadSearchLanguage } from './use-search-language.ts'

/** The limit of the language. */
const MAX_SEARCH_LENGTH = 2000
const NO_ROWS: readonly AgentRow[] = []

interface MachineSearchProps {
  text: string
  onChange: (text: string) => void
  /** Arrow down: to the table. */
  onLeave: () => void
  /** Result of the search: "11 of 902 · 6 ms". */
  found: string
  search: Omit<MachineQueryState, 'query'>
  /** Their values are suggested. */
  rows: readonly AgentRow[]
  ref?: Ref<HTMLInputElement>
}

interface MachineSearchFieldProps {
  /** The name of the field, where none stands above it. */
  label: string
  text: string
  onChange: (text: string) => void
  /** The error of the form, in place of that of the text. */
  error?: ReactNode
}

/** The search as a field of a form, with suggestions and the error below. */
export function MachineSearchField({ label, text, onChange, error }: MachineSearchFieldProps) {
  const search = useMachineQuery(text)
  // Values of machines that the console has anyway: the list of a large fleet is not loaded for suggestions.
  const { data: rows } = useQuery({ ...machinesQuery({ tab: 'mixed', node: undefined }), enabled: false })
  const shown = error ?? search.error?.message
  const errorId = useId()
  return (
    <div>
      <div className={classes.formBar}>
        <SearchInput
          text={text}
          onChange={onChange}
          search={search}
          rows={rows ?? NO_ROWS}
          attributes={{
            'aria-label': label,
            'aria-describedby': shown === undefined ? undefined : errorId,
            placeholder: 'is:online os:windows disk_free<10%',
            maxLength: MAX_SEARCH_LENGTH,
            'data-autofocus': true,
          }}
        />
      </div>
      {shown !== undefined && (
        <p id={errorId} className={classes.formError} role="alert">
          {shown}
        </p>
      )}
    </div>
  )
}

/** The search of the machines table. */
export function MachineSearch({ text, onChange, onLeave, found, search, rows, ref }: MachineSearchProps) {
  const { error } = search
  const input = useRef<HTMLInputElement | null>(null)
  const { open } = useDialog()
  const errorId = useId()
  return (
    <div className={classes.bar} role="search">
      <IconSearch size={16} stroke={1.75} aria-hidden className="dim-icon" />
      <SearchInput
        ref={(element) => {
          input.current = element
          if (typeof ref === 'function') ref(element)
          else if (ref) ref.current = element
        }}
        text={text}
        onChange={onChange}
        onLeave={onLeave}
        search={search}
        rows={rows}
        attributes={{
          placeholder: 'Search, or client:acme, disk_free<10%, is:offline …',
          'aria-label': 'Search machines',
          'aria-keyshortcuts': '/',
          'aria-describedby': error === undefined ? undefined : errorId,
        }}
      />
      {error !== undefined ? (
        <span id={errorId} className={classes.error} role="alert" data-tip={error.message}>
          {error.message}
        </span>
      ) : (
        <span className={classes.found} role="status">
          {found}
        </span>
      )}
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
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label="Search help"
        onClick={() => open('search-help')}
      >
        <IconHelp size={16} stroke={1.75} aria-hidden />
      </ActionIcon>
    </div>
  )
}

interface SearchInputProps extends Pick<MachineSearchProps, 'text' | 'onChange' | 'search' | 'rows'> {
  /** Undefined in a form: its keys are those of a text field. */
  onLeave?: () => void
  attributes: ComponentProps<'input'> & { 'data-autofocus'?: boolean }
  ref?: RefCallback<HTMLInputElement>
}

/** The text. Terms with a field and the error are highlighted, and suggestions appear while typing. */
function SearchInput({ text, onChange, onLeave, search, rows, attributes, ref }: SearchInputProps) {
  const { error, customFields, language } = search
  const parts = language?.splitSearch(text, customFields) ?? [{ text, kind: 'text' }]
  const mirror = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement | null>(null)
  const suggest = useSuggestions(text, search, rows)
  const listId = useId()
  const follow = () => {
    if (mirror.current && input.current) mirror.current.scrollLeft = input.current.scrollLeft
  }
  useLayoutEffect(() => {
    // Reading the scroll position forces a layout of the whole page.
    if (text !== '') follow()
  })
  const accept = (item: string | undefined) => {
    const { shown, caret } = suggest
    if (shown === undefined || item === undefined || input.current === null) return
    const rest = text.slice(caret)
    // The next term may begin, unless a value has to follow.
    const next = /[:<]$/.test(item) || /^[\s,)]/.test(rest) ? item : `${item} `
    const at = shown.from + next.length
    onChange(text.slice(0, shown.from) + next + rest)
    suggest.open(text.slice(0, shown.from) + next + rest, at)
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { items = [] } = suggest.shown ?? {}
    const { active } = suggest
    if (items.length > 0 && event.key === 'ArrowDown') suggest.setActive((active + 1) % items.length)
    else if (items.length > 0 && event.key === 'ArrowUp')
      suggest.setActive(active <= 0 ? items.length - 1 : active - 1)
    else if (items.length > 0 && event.key === 'Escape') suggest.close()
    else if (items.length > 0 && event.key === 'Tab' && !event.shiftKey)
      accept(items[Math.max(0, active)]?.text)
    else if (active >= 0 && event.key === 'Enter') accept(items[active]?.text)
    else if (onLeave === undefined) return
    else if (event.key === 'Escape' && text !== '') onChange('')
    else if (event.key === 'ArrowDown' || event.key === 'Enter' || event.key === 'Escape') {
      suggest.close()
      onLeave()
    } else return
    event.preventDefault()
  }
  return (
    <div className={classes.field}>
      <div ref={mirror} className={classes.mirror} aria-hidden>
        {parts.map((part, index) => (
          <span key={index} data-kind={part.kind}>
            {part.text}
          </span>
        ))}
      </div>
      <input
        {...attributes}
        ref={(element) => {
          input.current = element
          ref?.(element)
        }}
        className={classes.input}
        value={text}
        onChange={(event) => {
          const { value, selectionStart } = event.currentTarget
          onChange(value)
          suggest.open(value, selectionStart ?? value.length)
        }}
        onFocus={() => void loadSearchLanguage().catch(() => undefined)}
        onScroll={follow}
        onKeyDown={onKeyDown}
        onBlur={suggest.close}
        aria-autocomplete="list"
        aria-controls={suggest.shown === undefined ? undefined : listId}
        aria-activedescendant={suggest.active >= 0 ? `${listId}-${suggest.active}` : undefined}
        aria-invalid={error !== undefined || undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        type="text"
        enterKeyHint="search"
      />
      {suggest.shown !== undefined && (
        <SuggestionList id={listId} active={suggest.active} shown={suggest.shown} onAccept={accept} />
      )}
    </div>
  )
}

/** Suggestions for the text that was typed last, until they are closed. None is active at first. */
function useSuggestions(
  text: string,
  { language, customFields }: MachineSearchProps['search'],
  rows: readonly AgentRow[],
) {
  const [typed, setTyped] = useState<{ text: string; caret: number; active: number }>()
  const isCurrent = typed?.text === text
  const shown = isCurrent ? language?.suggestSearch(text, typed.caret, { customFields, rows }) : undefined
  return {
    shown,
    caret: typed?.caret ?? 0,
    active: shown === undefined ? -1 : Math.min(typed?.active ?? -1, shown.items.length - 1),
    open: (value: string, caret: number) => setTyped({ text: value, caret, active: -1 }),
    setActive: (active: number) => setTyped((before) => before && { ...before, active }),
    close: () => setTyped(undefined),
  }
}

const scrollIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

interface SuggestionListProps {
  id: string
  active: number
  shown: Suggestions
  onAccept: (text: string) => void
}

function SuggestionList({ id, active, shown, onAccept }: SuggestionListProps) {
  return (
    <ul id={id} role="listbox" aria-label="Suggestions" className={classes.suggestions}>
      {shown.items.map(({ text, help }, index) => (
        <li
          key={text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          ref={index === active ? scrollIntoView : undefined}
          className={classes.suggestion}
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault()
            onAccept(text)
          }}
        >
          <span className={classes.term}>{text}</span>
          <span className="dim">{help}</span>
        </li>
      ))}
    </ul>
  )
}
