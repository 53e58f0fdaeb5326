import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { BLOCKED_CAUSE, ProxyGuideLink } from '../../../app/live/Blocked.tsx'
import { notifyDone } from '../../../app/shell/notify.ts'
import { copyText } from '../../../ui/inputs/CopyText.tsx'
import { openTerminal, type TerminalState, type TerminalView } from '../terminal-view.ts'
import { AskNeeded } from '../AskNeeded.tsx'
import { KeyBar } from '../KeyBar.tsx'
import { RecordedMark } from '../RecordedMark.tsx'
import classes from '../TerminalTab.module.css'
import { TERMINAL_THEMES, useTerminalLook } from '../terminal-look.ts'

/** One shell of the server; it ends with this window. */
export function WebTerminal() {
  const [state, setState] = useState<TerminalState>({ state: 'connecting' })
  const [round, setRound] = useState(0)
  const { terminal_font_size, terminal_theme } = useTerminalLook().look
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<TerminalView>(null)
  useEffect(() => {
    if (place.current === null) return undefined
    setState({ state: 'connecting' })
    const opened = openTerminal(place.current, {
      agentId: undefined,
      place: 'server',
      request: {},
      onState: setState,
      onTitle: () => {},
    })
    view.current = opened
    opened.focus()
    return () => opened[Symbol.dispose]()
  }, [round])
  useEffect(
    () => view.current?.setLook({ terminal_font_size, terminal_theme }),
    [terminal_font_size, terminal_theme, round],
  )
  const again = () => setRound(round + 1)
  const isOver = state.state === 'ended' || state.state === 'refused'
  return (
    <div className="pane">
      <div className={classes.bar}>
        <p className={classes.status} role="status" data-state={state.state}>
          {describe(state)}
        </p>
        {state.state === 'blocked' && <ProxyGuideLink size="compact-sm" />}
        {state.state === 'open' && <RecordedMark what="terminal" by="superusers" />}
        <Button
          size="compact-sm"
          variant="default"
          onClick={async ({ currentTarget }) => {
            if (await copyText(view.current?.copy() ?? '', currentTarget)) notifyDone('Copied.')
          }}
        >
          Copy
        </Button>
        {isOver ? (
          <Button size="compact-sm" onClick={again}>
            New terminal
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => view.current?.end()}>
            End terminal
          </Button>
        )}
      </div>
      {state.state === 'refused' && (
        <AskNeeded
          code={state.code}
          message={state.message}
          onGiven={again}
          onClose={() => setState({ ...state, code: 'refused' })}
        />
      )}
      <div className={classes.screen} style={{ background: TERMINAL_THEMES[terminal_theme].background }}>
        <div ref={place} className={classes.place} />
      </div>
      {state.state === 'open' && <KeyBar key={round} view={view} />}
    </div>
  )
}

function describe(state: TerminalState): string {
  switch (state.state) {
    case 'open':
      return `In ${state.shell} as ${state.user} on ${state.host ?? 'the server'}. It ends with this window.`
    case 'ended':
      return state.exitCode === null ? state.message : `${state.message} Exit code ${state.exitCode}.`
    case 'refused':
      return state.message
    case 'blocked':
      return `The terminal cannot start. ${BLOCKED_CAUSE}`
    // The other tools are of machines.
    default:
      return 'Connecting to the server …'
  }
}
