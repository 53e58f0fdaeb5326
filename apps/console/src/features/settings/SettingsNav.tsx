import { TextInput, UnstyledButton } from '@mantine/core'
import { IconChevronRight, IconSearch } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { findLists, type SettingsList } from './settings-lists.ts'
import { findSettings, type SettingsSection } from './settings-sections.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import classes from './SettingsPage.module.css'

interface SettingsNavProps {
  /** Those that the user may open. */
  sections: readonly SettingsSection[]
  lists: readonly SettingsList[]
  /** The name of the open section. */
  open: string | undefined
}

/** The sections in groups, and lists; with a text in the search box, the fields and lists that match it. */
export function SettingsNav({ sections, lists, open }: SettingsNavProps) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  const navigate = useNavigate()
  const openList = useOpenList()
  const isSearching = text.trim() !== ''
  const hits: Hit[] = isSearching
    ? [
        ...findSettings(sections, text).map(({ section: { name, title }, field, label, description }) => ({
          group: title,
          label,
          description,
          run: () =>
            void navigate({ to: '/settings/$section', params: { section: name }, search: { field } }),
        })),
        ...findLists(lists, text).map((list) => ({
          group: 'Lists',
          label: list.title,
          description: list.description,
          run: () => openList(list),
        })),
      ]
    : []
  const search = (next: string) => {
    setText(next)
    setChosen(0)
  }
  const go = ({ run }: Hit) => {
    search('')
    run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const hit = hits[chosen]
    if (step !== undefined && hits.length > 0) setChosen((chosen + step + hits.length) % hits.length)
    else if (event.key === 'Enter' && hit !== undefined) go(hit)
    else if (event.key === 'Escape' && text !== '') search('')
    else return
    event.preventDefault()
  }
  return (
    <>
      <TextInput
        className={classes.search ?? ''}
        aria-label="Search settings"
        placeholder="Search settings"
        leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
        value={text}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={hits.length > 0 ? `${listId}-${chosen}` : undefined}
        autoComplete="off"
      />
      {isSearching ? (
        <Hits id={listId} hits={hits} chosen={chosen} onGo={go} text={text.trim()} />
      ) : (
        <nav aria-label="Settings" id={listId}>
          {[...Map.groupBy(sections, ({ group }) => group)].map(([group, members]) => (
            <div key={group}>
              <h2 className={classes.group}>{group}</h2>
              <ul className="plain-list">
                {members.map(({ name, title }) => (
                  <li key={name}>
                    <Link
                      to="/settings/$section"
                      params={{ section: name }}
                      className={classes.link}
                      aria-current={name === open ? 'page' : undefined}
                    >
                      {title}
                      <IconChevronRight size={16} stroke={1.75} aria-hidden className={classes.chevron} />
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          {lists.length > 0 && <h2 className={classes.group}>Lists</h2>}
          <ul className="plain-list">
            {lists.map((list) => (
              <li key={list.title}>
                <UnstyledButton className={classes.link} onClick={() => openList(list)}>
                  {list.title}
                  <IconChevronRight size={16} stroke={1.75} aria-hidden className={classes.chevron} />
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
  )
}

/** Opens the page or the dialog of a list. */
function useOpenList(): (list: SettingsList) => void {
  const navigate = useNavigate()
  const { open } = useDialog()
  return ({ opens }) => ('dialog' in opens ? open(opens.dialog) : void navigate({ to: opens.page }))
}

interface Hit {
  group: string
  label: string
  description: string | undefined
  run: () => void
}

interface HitsProps {
  id: string
  hits: readonly Hit[]
  chosen: number
  onGo: (hit: Hit) => void
  text: string
}

function Hits({ id, hits, chosen, onGo, text }: HitsProps) {
  return (
    <>
      <div role="listbox" id={id} aria-label="Matching settings">
        {hits.map((hit, index) => (
          <div key={`${hit.group} ${hit.label}`} role="presentation">
            {hit.group !== hits[index - 1]?.group && (
              <div role="presentation" className={classes.group}>
                {hit.group}
              </div>
            )}
            <div
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              aria-label={`${hit.label}, ${hit.group}`}
              className={classes.hit}
              ref={index === chosen ? scrollIntoView : undefined}
              onClick={() => onGo(hit)}
            >
              <span>{hit.label}</span>
              {hit.description !== undefined && <span className="dim small">{hit.description}</span>}
            </div>
          </div>
        ))}
      </div>
      <p className={classes.none} role="status">
        {hits.length === 0 && `No settings match “${text}”.`}
      </p>
    </>
  )
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
