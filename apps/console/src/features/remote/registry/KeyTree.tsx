import { Button } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { makeVisible } from '@muster/rules/text/safe-text'
import { listRegistry } from '@muster/contract/api/registry'
import { useInfiniteQuery } from '@tanstack/react-query'
import { describeError } from '../../../app/api/describe-error.ts'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { type MenuEntry, type Point, runShortcut } from '../../../ui/dialog/menu-entry.ts'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import classes from './Registry.module.css'

interface KeyTreeProps {
  agentId: string
  /** The shown key. */
  selected: string
  onSelect: (path: string) => void
  menuOf: (path: string) => readonly MenuEntry[]
}

/** The keys of a registry, each loaded when opened. */
export function KeyTree(props: KeyTreeProps) {
  const [menu, setMenu] = useState<{ path: string; at: Point }>()
  return (
    <>
      <nav aria-label="Keys" className={classes.tree}>
        <KeyList {...props} path="" onMenu={(path, at) => setMenu({ path, at })} />
      </nav>
      {menu !== undefined && (
        <ContextMenu
          label={makeVisible(menu.path)}
          at={menu.at}
          entries={props.menuOf(menu.path)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}

interface KeyListProps extends KeyTreeProps {
  path: string
  onMenu: (path: string, at: Point) => void
}

function KeyList({ path, ...props }: KeyListProps) {
  const { query, subkeys } = useRegistryKey({ agentId: props.agentId, path, enabled: true })
  if (query.error !== null && subkeys.length === 0)
    return <p className={classes.problem}>{describeError(query.error).message}</p>
  return (
    <ul className={classes.keys}>
      {subkeys.map(({ name, has_subkeys }) => (
        <KeyNode
          key={name}
          {...props}
          path={path === '' ? name : `${path}\\${name}`}
          name={name}
          hasSubkeys={has_subkeys}
        />
      ))}
      {query.hasNextPage && (
        <li>
          <Button
            size="compact-xs"
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            More keys
          </Button>
        </li>
      )}
    </ul>
  )
}

interface KeyNodeProps extends KeyListProps {
  name: string
  hasSubkeys: boolean
}

function KeyNode({ path, name, hasSubkeys, ...props }: KeyNodeProps) {
  const leads = props.selected.toLowerCase().startsWith(`${path.toLowerCase()}\\`)
  const [wanted, setWanted] = useState<boolean>()
  const isOpen = hasSubkeys && (wanted ?? leads)
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key === 'ArrowRight' && hasSubkeys) setWanted(true)
    else if (event.key === 'ArrowLeft' && hasSubkeys) setWanted(false)
    else if (event.key === 'ArrowDown') focusKey(event.currentTarget, 1)
    else if (event.key === 'ArrowUp') focusKey(event.currentTarget, -1)
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      const { left, bottom } = event.currentTarget.getBoundingClientRect()
      props.onMenu(path, { x: left + 6, y: bottom })
    } else if (!runShortcut(props.menuOf(path), event.key)) return
    event.preventDefault()
  }
  return (
    <li>
      <div className={classes.node}>
        {hasSubkeys ? (
          <button
            type="button"
            className={classes.toggle}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : 'Open'} ${makeVisible(name)}`}
            onClick={() => setWanted(!isOpen)}
          >
            <Icon size={14} aria-hidden />
          </button>
        ) : (
          <span className={classes.toggle} />
        )}
        <button
          type="button"
          className={classes.key}
          aria-current={props.selected.toLowerCase() === path.toLowerCase() || undefined}
          onClick={() => props.onSelect(path)}
          onDoubleClick={() => setWanted(!isOpen)}
          onContextMenu={(event) => {
            event.preventDefault()
            // The keyboard's menu key arrives as a key event.
            if (event.button === 2) props.onMenu(path, { x: event.clientX, y: event.clientY })
          }}
          onKeyDown={onKeyDown}
        >
          <bdi>{makeVisible(name)}</bdi>
        </button>
      </div>
      {isOpen && <KeyList {...props} path={path} />}
    </li>
  )
}

/** The previous or next key on screen. */
function focusKey(from: HTMLElement, step: 1 | -1): void {
  const keys = [...(from.closest('nav')?.querySelectorAll<HTMLElement>(`.${classes.key}`) ?? [])]
  keys[keys.indexOf(from) + step]?.focus()
}

/** A key of a machine's registry, as far as it was loaded. */
export function useRegistryKey({
  agentId,
  path,
  enabled,
}: {
  agentId: string
  path: string
  enabled: boolean
}) {
  const params = { agent_id: agentId }
  const query = useInfiniteQuery({
    queryKey: queryKey(listRegistry, { params, query: { path } }),
    queryFn: ({ pageParam, signal }) =>
      call(listRegistry, { params, query: { path, ...pageParam } }, { signal }),
    initialPageParam: { keys_from: 0, values_from: 0 },
    // Beyond the end of one of the two lists there is no data, and no duplicates.
    getNextPageParam: ({ has_more, next_keys, next_values, key_count, value_count }) =>
      has_more ? { keys_from: next_keys ?? key_count, values_from: next_values ?? value_count } : undefined,
    enabled,
    retry: false,
  })
  const pages = query.data?.pages ?? []
  return {
    query,
    subkeys: pages.flatMap(({ subkeys }) => subkeys),
    values: pages.flatMap(({ values }) => values),
    last: pages.at(-1),
  }
}
