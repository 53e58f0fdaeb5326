import { ActionIcon, Button, Kbd, Menu, TextInput } from '@mantine/core'
import type { ShellRequest } from '@muster/contract/agent/shells'
import type { TerminalJoin, TerminalPerson } from '@muster/contract/channels'
import {
  IconCircle,
  IconCircleDot,
  IconCopy,
  IconDotsVertical,
  IconKeyboard,
  IconSearch,
  IconTextDecrease,
  IconTextIncrease,
  IconUsers,
  IconX,
} from '@tabler/icons-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { TERMINAL_FONT_SIZES, TerminalTheme } from '@muster/contract/api/users'
import { notifyDone } from '../../app/shell/notify.ts'
import { copyText } from '../../ui/inputs/CopyText.tsx'
import { NoPermission } from '../../ui/layout/States.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { divider, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { MenuItems } from '../../ui/dialog/ContextMenu.tsx'
import { BLOCKED_CAUSE, ProxyGuideLink } from '../../app/live/Blocked.tsx'
import { AskNeeded } from './AskNeeded.tsx'
import { KeyBar } from './KeyBar.tsx'
import { RecordedMark } from './RecordedMark.tsx'
import { ShellMenu } from './ShellMenu.tsx'
import { ShellPathDialog } from './ShellPathDialog.tsx'
import classes from './TerminalTab.module.css'
import { TERMINAL_THEME_LABELS, TERMINAL_THEMES, useTerminalLook } from './terminal-look.ts'
import { openTerminal, type TerminalState, type TerminalView } from './terminal-view.ts'
import { cleanTitle } from './clean-title.ts'
import type { Hit } from './terminal-search.ts'

export interface TerminalTabProps {
  agentId: string
  hostname: string
  /** Key under which its session is found again after a reload. */
  place: string
  isShown: boolean
  initialRequest: ShellRequest
  /** A colleague's terminal instead of the user's own. */
  join?: TerminalJoin | undefined
  onRequest: (request: ShellRequest) => void
  /** Title set by its shell. */
  onTitle: (title: string | undefined) => void
  /** Keys and pastes of the user. */
  onTyped?: (text: string) => void
  onView: (view: TerminalView) => void
}

/** A shell on the machine. */
export function TerminalTab(props: TerminalTabProps) {
  const { agentId, hostname, place, isShown, initialRequest, join, onRequest, onTitle, onTyped, onView } =
    props
  const [state, setState] = useState<TerminalState>({ state: 'connecting' })
  const [round, setRound] = useState(0)
  const [people, setPeople] = useState<TerminalPerson[]>([])
  const [searches, setSearches] = useState(false)
  const [showsKeys, setShowsKeys] = useState(false)
  const { terminal_font_size, terminal_theme } = useTerminalLook().look
  const [request, setRequest] = useState(initialRequest)
  /** The last opened shell, for the way back. */
  const lastGood = useRef<ShellRequest>({})
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<TerminalView>(null)
  const handlers = useRef({ onTitle, onTyped, onView })
  useEffect(() => {
    handlers.current = { onTitle, onTyped, onView }
  })
  useEffect(() => {
    if (box.current === null) return undefined
    setState({ state: 'connecting' })
    handlers.current.onTitle(undefined)
    setPeople([])
    const opened = openTerminal(box.current, {
      agentId,
      place,
      request,
      join,
      onPeople: setPeople,
      onTyped: (text) => handlers.current.onTyped?.(text),
      onTitle: (title) => handlers.current.onTitle(title),
      onSearch: () => setSearches(true),
      onState: (next) => {
        if (next.state === 'open') lastGood.current = request
        setState(next)
      },
    })
    view.current = opened
    handlers.current.onView(opened)
    return () => opened[Symbol.dispose]()
  }, [agentId, place, round, request, join])
  useEffect(
    () => view.current?.setLook({ terminal_font_size, terminal_theme }),
    [terminal_font_size, terminal_theme, round],
  )
  useEffect(() => {
    if (isShown) view.current?.focus()
  }, [isShown, round])
  if (state.state === 'refused' && state.code === 'not_allowed')
    return <NoPermission message={state.message} />
  const begin = (next: ShellRequest) => {
    view.current?.end()
    setRequest(next)
    onRequest(next)
    setRound(round + 1)
  }
  const isOver = state.state === 'ended' || state.state === 'refused'
  const noShell = state.state === 'refused' && state.code === 'no_shell' ? state.message : undefined
  return (
    <div className="pane">
      <div className={classes.bar}>
        <p className={classes.status} role="status" data-state={state.state}>
          {describeTerminal(state, hostname)}
        </p>
        {state.state === 'blocked' && <ProxyGuideLink size="compact-sm" />}
        {state.state === 'open' && state.recorded && <RecordedMark what="terminal" />}
        {join === undefined && (
          <ShellMenu agentId={agentId} request={request} label={nameShell(state)} onRequest={begin} />
        )}
        <Button
          size="compact-sm"
          variant="default"
          onClick={async ({ currentTarget }) => {
            if (await copyText(view.current?.copy() ?? '', currentTarget)) notifyDone('Copied.')
          }}
        >
          Copy
        </Button>
        <ActionIcon
          variant="default"
          size={26}
          aria-label="Search"
          title="Search, Ctrl+Shift+F"
          onClick={() => setSearches(true)}
        >
          <IconSearch size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
        <TerminalMenu
          onCopyAll={async () => {
            if (box.current && (await copyText(view.current?.copyAll() ?? '', box.current)))
              notifyDone('Buffer copied.')
          }}
          onKeys={() => setShowsKeys(true)}
        />
        {isOver ? (
          <Button size="compact-sm" onClick={() => begin(noShell === undefined ? request : lastGood.current)}>
            {join !== undefined ? 'Rejoin' : noShell === undefined ? 'New terminal' : 'Return to last shell'}
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => view.current?.end()}>
            {join === undefined ? 'End terminal' : 'Leave'}
          </Button>
        )}
      </div>
      <TerminalPeople people={people} />
      {noShell !== undefined && request.shell !== undefined && (
        <ShellPathDialog
          path={request.shell}
          problem={noShell}
          onPath={(shell) => begin({ ...request, shell })}
          onClose={() => begin(lastGood.current)}
        />
      )}
      {state.state === 'refused' && (
        <AskNeeded
          code={state.code}
          message={state.message}
          onGiven={() => setRound(round + 1)}
          onClose={() => setState({ ...state, code: 'refused' })}
        />
      )}
      {showsKeys && <ShortcutsDialog onClose={() => setShowsKeys(false)} />}
      {searches && (
        <TerminalSearch
          view={view}
          onClose={() => {
            setSearches(false)
            view.current?.focus()
          }}
        />
      )}
      <div className={classes.screen} style={{ background: TERMINAL_THEMES[terminal_theme].background }}>
        <div ref={box} className={classes.place} data-joined={join !== undefined || undefined} />
      </div>
      {state.state === 'open' && state.joined !== 'view' && <KeyBar key={round} view={view} />}
    </div>
  )
}

const ROLES: Record<TerminalPerson['role'], string> = {
  owner: 'opened it',
  view: 'watches',
  type: 'types',
}

/** The people in a terminal, if more than one. */
function TerminalPeople({ people }: { people: readonly TerminalPerson[] }) {
  if (people.length < 2) return null
  return (
    <p className={classes.people} role="status">
      <IconUsers size={14} stroke={1.75} aria-hidden />
      {people.map((person) => describePerson(person)).join(' · ')}
    </p>
  )
}

function describePerson({ name, role, here }: TerminalPerson): string {
  return `${cleanTitle(name) ?? 'Unknown user'} ${ROLES[role]}${here ? '' : ', away now'}`
}

/** The state of a terminal, as a sentence. */
function describeTerminal(state: TerminalState, hostname: string): string {
  switch (state.state) {
    case 'connecting':
      return `Connecting to ${hostname} ...`
    case 'asking':
      return `Waiting for consent at ${hostname}, up to ${state.seconds} seconds …`
    case 'open':
      return `${howIn(state)} ${state.shell} as ${state.user} on ${hostname}`
    case 'lost':
      return 'Connection lost. The terminal stays open for ten minutes. Reconnecting …'
    case 'blocked':
      return `The terminal cannot start. ${BLOCKED_CAUSE}`
    case 'offline':
      return `${state.message} Retrying until the machine is back.`
    case 'ended':
      return state.exitCode === null ? state.message : `${state.message} Exit code ${state.exitCode}.`
    case 'refused':
      return state.message
  }
}

function howIn({ joined, resumed }: Extract<TerminalState, { state: 'open' }>): string {
  if (joined === 'view') return 'Watching, without typing,'
  if (joined === 'type') return 'Typing into'
  return resumed ? 'Back in' : 'In'
}

/** `bash as root`, or a default before it opens. */
function nameShell(state: TerminalState): string {
  return state.state === 'open' ? `${fileName(state.shell)} as ${state.user}` : 'Shell'
}

/** The name of a program from a path of any system. */
const fileName = (path: string) => path.split(/[/\\]/).at(-1) ?? path

const SHORTCUTS = [
  { keys: ['Ctrl', 'Shift', 'F'], does: 'Search in this terminal' },
  { keys: ['Ctrl', 'C'], does: 'Copy the selection; without one, send to the machine' },
  { keys: ['Ctrl', 'V'], does: 'Paste, without control characters' },
  { keys: ['Shift', 'Page Up'], does: 'Scroll back' },
  { keys: ['Shift', 'Page Down'], does: 'Scroll forward' },
  { keys: ['Alt', 'Click'], does: 'Move the cursor of the shell there' },
  { keys: ['Shift', 'Mouse'], does: 'Select text while a program uses the mouse' },
  { keys: ['Delete'], does: 'On a tab: close it and end its terminal' },
]

/** Keys that this window handles itself. */
function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" size="sm" onClose={onClose}>
      <p className="note">All other keys go to the machine.</p>
      <dl className={classes.list}>
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className={classes.row}>
            <dt className={classes.keys}>
              {keys.map((key) => (
                <Kbd key={key} size="xs">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd className={classes.does}>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

/** Actions and appearance of a terminal. */
function TerminalMenu({ onCopyAll, onKeys }: { onCopyAll: () => void; onKeys: () => void }) {
  const { look, change } = useTerminalLook()
  const { terminal_font_size: size, terminal_theme: chosen } = look
  const { least, most } = TERMINAL_FONT_SIZES
  const themes: MenuEntry[] = TerminalTheme.options.map((name) => ({
    id: name,
    label: TERMINAL_THEME_LABELS[name],
    note: name === chosen ? 'Selected' : undefined,
    icon: name === chosen ? IconCircleDot : IconCircle,
    run: () => change({ terminal_theme: name }),
  }))
  return (
    <Menu position="bottom-end" withinPortal={false} transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon variant="default" size={26} aria-label="Copy, appearance and keys">
          <IconDotsVertical size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="Copy, appearance and keys">
        <MenuItems
          entries={[
            { id: 'copy', label: 'Copy whole buffer', icon: IconCopy, run: onCopyAll },
            { id: 'keys', label: 'Keyboard shortcuts', icon: IconKeyboard, run: onKeys },
            divider('size'),
            {
              id: 'larger',
              label: 'Larger text',
              icon: IconTextIncrease,
              note: `${size} px now`,
              disabledReason: size >= most ? 'Maximum size' : undefined,
              run: () => change({ terminal_font_size: size + 1 }),
            },
            {
              id: 'smaller',
              label: 'Smaller text',
              icon: IconTextDecrease,
              disabledReason: size <= least ? 'Minimum size' : undefined,
              run: () => change({ terminal_font_size: size - 1 }),
            },
            divider('theme'),
            ...themes,
          ]}
        />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Searches a terminal's buffer; Enter goes back in time, Shift+Enter forward. */
function TerminalSearch({ view, onClose }: { view: RefObject<TerminalView | null>; onClose: () => void }) {
  const [words, setText] = useState('')
  const [found, setFound] = useState<{ hits: Hit[]; at: number }>()
  const look = (typed: string) => {
    setText(typed)
    // Users mostly look for the newest match.
    const hits = view.current?.find(typed) ?? []
    show(typed === '' ? undefined : { hits, at: hits.length - 1 })
  }
  const show = (next: { hits: Hit[]; at: number } | undefined) => {
    setFound(next)
    const hit = next?.hits[next.at]
    if (hit !== undefined) view.current?.show(hit)
  }
  const go = (by: number) => {
    // Later output is searched as well.
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
        {found !== undefined && describeHits(found)}
      </span>
      <ActionIcon variant="subtle" size="sm" aria-label="Close search" onClick={onClose}>
        <IconX size={14} stroke={1.75} aria-hidden />
      </ActionIcon>
    </div>
  )
}

function describeHits({ hits, at }: { hits: Hit[]; at: number }): string {
  return hits.length === 0 ? 'Not found' : `${at + 1} of ${hits.length.toLocaleString('en')}`
}
