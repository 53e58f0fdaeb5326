import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type RefObject, useState } from 'react'
import classes from './TerminalTab.module.css'
import type { Hit } from './terminal-search.ts'
import type { TerminalView } from './terminal-view.ts'

/** Finds words in all that a terminal still holds; Enter goes back in time, Shift+Enter forth. */
export function TerminalSearch({
  view,
  onClose,
}: {
  view: RefObject<TerminalView | null>
  onClose: () => void
}) {
  const [words, setWords] = useState('')
  const [found, setFound] = useState<{ hits: Hit[]; at: number }>()
  const look = (typed: string) => {
    setWords(typed)
    // The newest is what people mostly look for.
    const hits = view.current?.find(typed) ?? []
    show(typed === '' ? undefined : { hits, at: hits.length - 1 })
  }
  const show = (next: { hits: Hit[]; at: number } | undefined) => {
    setFound(next)
    const hit = next?.hits[next.at]
    if (hit !== undefined) view.current?.show(hit)
  }
  const go = (by: number) => {
    // What was written meanwhile is looked through as well.
    const hits = view.current?.find(words) ?? []
    if (hits.length > 0) show({ hits, at: ((found?.at ?? 0) + by + hits.length) % hits.length })
  }
  const none = found === undefined || found.hits.length === 0
  return (
    <div className={classes.search} role="search">
      <TextInput
        size="xs"
        type="search"
        aria-label="Search in this terminal"
        placeholder="Search"
        className={classes.words ?? ''}
        data-autofocus
        autoFocus
        autoComplete="off"
        value={words}
        onChange={({ currentTarget }) => look(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? 1 : -1)
          if (event.key === 'Escape') onClose()
        }}
      />
      <Button size="compact-sm" variant="default" disabled={none} onClick={() => go(-1)}>
        Older
      </Button>
      <Button size="compact-sm" variant="default" disabled={none} onClick={() => go(1)}>
        Newer
      </Button>
      <span className={classes.hits} role="status">
        {found !== undefined && tellHits(found)}
      </span>
      <ActionIcon variant="subtle" size="sm" aria-label="Close the search" onClick={onClose}>
        <IconX size={14} stroke={1.75} aria-hidden />
      </ActionIcon>
    </div>
  )
}

function tellHits({ hits, at }: { hits: Hit[]; at: number }): string {
  return hits.length === 0 ? 'Not found' : `${at + 1} of ${hits.length.toLocaleString('en')}`
}
