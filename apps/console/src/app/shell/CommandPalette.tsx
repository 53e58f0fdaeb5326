import { Kbd, Modal } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useReturnFocus } from '../../ui/dialog/use-return-focus.ts'
import classes from './CommandPalette.module.css'
import {
  closePalette,
  type PaletteEntry,
  type PaletteSource,
  rankEntries,
  usePaletteSources,
} from './palette.ts'

const STYLES = { content: classes.content ?? '' }

/** Finds machines, clients, scripts, screens and actions by a few letters; arrow keys select, Enter runs. */
export function CommandPalette() {
  useReturnFocus()
  const [text, setText] = useState('')
  const { entries, searching } = useFoundEntries(text)
  const [chosenId, setChosenId] = useState<string>()
  const listId = useId()
  const chosen = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosenId),
  )

  const run = ({ run: act }: Pick<PaletteEntry, 'run'>) => {
    closePalette()
    act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      setChosenId(entries[(chosen + step + entries.length) % entries.length]?.id)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      const entry = entries[chosen]
      if (entry !== undefined) run((event.altKey && entry.alternative) || entry)
    }
  }
  return (
    <Modal.Root
      opened
      onClose={closePalette}
      size={600}
      yOffset="12vh"
      transitionProps={{ duration: 0 }}
      radius="lg"
      classNames={STYLES}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label="Command palette">
        <Modal.Body p={0}>
          <div className={classes.search}>
            <IconSearch size={18} stroke={1.75} aria-hidden />
            <input
              className={classes.input}
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value)
                setChosenId(undefined)
              }}
              onKeyDown={onKeyDown}
              placeholder="Find a machine, client, script or action"
              aria-label="Find a machine, client, script or action"
              role="combobox"
              aria-expanded={entries.length > 0}
              aria-controls={listId}
              aria-activedescendant={
                entries.length > 0 ? `${listId} ${chosen}`.replaceAll(' ', '-') : undefined
              }
              aria-autocomplete="list"
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          </div>
          <EntryList listId={listId} entries={entries} chosen={chosen} onChoose={setChosenId} onRun={run} />
          {entries.length === 0 && (
            <p className={classes.none} role="status">
              {searching ? 'Searching …' : `No results for “${text}”.`}
            </p>
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

interface EntryListProps {
  listId: string
  entries: readonly PaletteEntry[]
  chosen: number
  onChoose: (id: string) => void
  onRun: (entry: PaletteEntry) => void
}

function EntryList({ listId, entries, chosen, onChoose, onRun }: EntryListProps) {
  return (
    <div role="listbox" id={listId} aria-label="Results" className={classes.list}>
      {entries.map((entry, index) => (
        <div key={entry.id} role="presentation">
          {entry.group !== entries[index - 1]?.group && (
            <div role="presentation" className={classes.group}>
              {entry.group}
            </div>
          )}
          <div
            id={`${listId} ${index}`.replaceAll(' ', '-')}
            role="option"
            aria-selected={index === chosen}
            className={classes.entry}
            ref={index === chosen ? scrollIntoView : undefined}
            onMouseMove={() => onChoose(entry.id)}
            onClick={() => onRun(entry)}
          >
            <span className={classes.icon}>
              {entry.icon !== undefined && <entry.icon size={16} stroke={1.75} aria-hidden />}
            </span>
            <span className={classes.label}>{entry.label}</span>
            {entry.hint !== undefined && <span className={classes.hint}>{entry.hint}</span>}
            {entry.alternative !== undefined && index === chosen && (
              <span className={classes.hint}>
                <Kbd size="xs">Alt+Enter</Kbd> {entry.alternative.label}
              </span>
            )}
          </div>
        </div>
      ))}
    </div>
  )
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** Delays the request, so that fast typing does not send one per letter. */
const PAUSE_MS = 80
const SHOWN_PER_GROUP = 12

/** Entries that match a text, best first within each group; late results are added. */
function useFoundEntries(text: string): { entries: PaletteEntry[]; searching: boolean } {
  const sources = usePaletteSources()
  const [found, setFound] = useState<ReadonlyMap<string, readonly PaletteEntry[]>>(new Map())
  const [searching, setSearching] = useState(false)
  const wanted = text.trim()
  useEffect(() => {
    const cancelled = new AbortController()
    const { signal } = cancelled
    const timer = setTimeout(
      () => {
        setSearching(true)
        const asked = sources.map(async (source) => {
          const entries = await findQuietly(source, wanted, signal)
          if (!signal.aborted) setFound((old) => new Map(old).set(source.id, entries))
        })
        void Promise.all(asked).then(() => !signal.aborted && setSearching(false))
      },
      wanted === '' ? 0 : PAUSE_MS,
    )
    return () => {
      clearTimeout(timer)
      cancelled.abort()
    }
  }, [sources, wanted])
  const inOrder = sources.flatMap(({ id }) => found.get(id) ?? [])
  return { entries: group(rankEntries(inOrder, wanted)), searching }
}

/** A failed source is left out: the palette shows the results of the others. */
async function findQuietly(
  source: PaletteSource,
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  try {
    return await source.find(text, signal)
  } catch {
    return []
  }
}

/** Entries by group, in the order of the groups' best entries. */
function group(entries: readonly PaletteEntry[]): PaletteEntry[] {
  return [...Map.groupBy(entries, (entry) => entry.group).values()].flatMap((list) =>
    list.slice(0, SHOWN_PER_GROUP),
  )
}
