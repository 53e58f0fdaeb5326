import { Button, TextInput } from '@mantine/core'
import type { RecordedEvent } from '@muster/contract/api/remote'
import { useMemo, useState } from 'react'
import classes from './RecordingPlayer.module.css'
import { findWords, plainTextOf } from './cast.ts'

interface RecordingSearchProps {
  events: readonly RecordedEvent[]
  /** The number of the event that wrote what was looked for. */
  onFound: (event: number) => void
}

/** Finds words in what a terminal showed; Enter goes to the next place, Shift+Enter to the one before. */
export function RecordingSearch({ events, onFound }: RecordingSearchProps) {
  const [words, setWords] = useState('')
  const [at, setAt] = useState<number>()
  const isSearched = words !== ''
  const plain = useMemo(() => (isSearched ? plainTextOf(events) : undefined), [events, isSearched])
  const hits = useMemo(() => (plain === undefined ? [] : findWords(plain, words)), [plain, words])
  const go = (by: number) => {
    if (hits.length === 0) return
    const next = at === undefined ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length
    setAt(next)
    onFound(hits[next] ?? 0)
  }
  return (
    <div className={classes.search}>
      <TextInput
        className={classes.field}
        size="xs"
        type="search"
        aria-label="Search what the terminal showed"
        placeholder="Search"
        value={words}
        onChange={({ currentTarget }) => {
          setWords(currentTarget.value)
          setAt(undefined)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
        }}
      />
      <Button size="compact-sm" variant="default" disabled={hits.length === 0} onClick={() => go(-1)}>
        Previous
      </Button>
      <Button size="compact-sm" variant="default" disabled={hits.length === 0} onClick={() => go(1)}>
        Next
      </Button>
      <span className={classes.time} role="status">
        {isSearched && tellHits(hits.length, at)}
      </span>
    </div>
  )
}

function tellHits(count: number, at: number | undefined): string {
  if (count === 0) return 'Not found'
  return at === undefined ? `${count} found` : `${at + 1} of ${count}`
}
