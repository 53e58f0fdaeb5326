import { ActionIcon, Button } from '@mantine/core'
import type { ShellWish } from '@muster/contract/agent/shells'
import type { TerminalJoin, TerminalPerson } from '@muster/contract/channels'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { notifyDone } from '../../app/shell/notify.ts'
import { copyText } from '../../ui/inputs/copy-text.ts'
import { NoPermission } from '../../ui/layout/States.tsx'
import { AskNeeded } from './AskNeeded.tsx'
import { RecordedMark } from './RecordedMark.tsx'
import { ShellMenu } from './ShellMenu.tsx'
import { ShellPathDialog } from './ShellPathDialog.tsx'
import { ShortcutsDialog } from './ShortcutsDialog.tsx'
import { TerminalMenu } from './TerminalMenu.tsx'
import { TerminalPeople } from './TerminalPeople.tsx'
import { TerminalSearch } from './TerminalSearch.tsx'
import classes from './TerminalTab.module.css'
import { TERMINAL_THEMES } from './terminal-look.ts'
import { openTerminal, type TerminalState, type TerminalView } from './terminal-view.ts'
import { describeTerminal, nameShell } from './terminal-words.ts'
import { useTerminalLook } from './use-terminal-look.ts'

export interface TerminalTabProps {
  agentId: string
  hostname: string
  /** Under which its session is found again after a reload. */
  place: string
  isShown: boolean
  firstWish: ShellWish
  /** A colleague's, instead of one of one's own. */
  join?: TerminalJoin | undefined
  onWish: (wish: ShellWish) => void
  /** What its shell calls it. */
  onTitle: (title: string | undefined) => void
  /** What the person types and pastes here. */
  onTyped?: (text: string) => void
  onView: (view: TerminalView) => void
}

/** A shell of the machine. */
export function TerminalTab(props: TerminalTabProps) {
  const { agentId, hostname, place, isShown, firstWish, join, onWish, onTitle, onTyped, onView } = props
  const [state, setState] = useState<TerminalState>({ state: 'connecting' })
  const [round, setRound] = useState(0)
  const [people, setPeople] = useState<TerminalPerson[]>([])
  const [searches, setSearches] = useState(false)
  const [showsKeys, setShowsKeys] = useState(false)
  const { terminal_font_size, terminal_theme } = useTerminalLook().look
  const [wish, setWish] = useState(firstWish)
  /** What was opened last, for the way back. */
  const lastGood = useRef<ShellWish>({})
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<TerminalView>(null)
  const tell = useRef({ onTitle, onTyped, onView })
  useEffect(() => {
    tell.current = { onTitle, onTyped, onView }
  })
  useEffect(() => {
    if (box.current === null) return undefined
    setState({ state: 'connecting' })
    tell.current.onTitle(undefined)
    setPeople([])
    const opened = openTerminal(box.current, {
      agentId,
      place,
      wish,
      join,
      onPeople: setPeople,
      onTyped: (text) => tell.current.onTyped?.(text),
      onTitle: (title) => tell.current.onTitle(title),
      onSearch: () => setSearches(true),
      onState: (next) => {
        if (next.state === 'open') lastGood.current = wish
        setState(next)
      },
    })
    view.current = opened
    tell.current.onView(opened)
    return () => opened[Symbol.dispose]()
  }, [agentId, place, round, wish, join])
  useEffect(
    () => view.current?.setLook({ terminal_font_size, terminal_theme }),
    [terminal_font_size, terminal_theme, round],
  )
  useEffect(() => {
    if (isShown) view.current?.focus()
  }, [isShown, round])
  if (state.state === 'refused' && state.code === 'not_allowed')
    return <NoPermission message={state.message} />
  const begin = (next: ShellWish) => {
    view.current?.end()
    setWish(next)
    onWish(next)
    setRound(round + 1)
  }
  const isOver = state.state === 'ended' || state.state === 'refused'
  const noShell = state.state === 'refused' && state.code === 'no_shell' ? state.message : undefined
  return (
    <div className={classes.tab}>
      <div className={classes.bar}>
        <p className={classes.status} role="status" data-state={state.state}>
          {describeTerminal(state, hostname)}
        </p>
        {state.state === 'open' && state.recorded && <RecordedMark what="terminal" />}
        {join === undefined && (
          <ShellMenu agentId={agentId} wish={wish} label={nameShell(state)} onWish={begin} />
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
              notifyDone('The whole buffer is copied.')
          }}
          onKeys={() => setShowsKeys(true)}
        />
        {isOver ? (
          <Button size="compact-sm" onClick={() => begin(noShell === undefined ? wish : lastGood.current)}>
            {join !== undefined
              ? 'Join again'
              : noShell === undefined
                ? 'New terminal'
                : 'Back to the last shell'}
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => view.current?.end()}>
            {join === undefined ? 'End terminal' : 'Leave'}
          </Button>
        )}
      </div>
      <TerminalPeople people={people} />
      {noShell !== undefined && wish.shell !== undefined && (
        <ShellPathDialog
          path={wish.shell}
          problem={noShell}
          onPath={(shell) => begin({ ...wish, shell })}
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
    </div>
  )
}
