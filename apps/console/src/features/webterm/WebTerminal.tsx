import { Button } from '@mantine/core'
import { IconPlayerRecordFilled } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { notifyDone } from '../../app/notify.ts'
import { copyText } from '../../ui/copy-text.ts'
import { openTerminal, type TerminalState, type TerminalView } from '../remote/terminal-view.ts'
import { ConfirmCode } from '../sessions/ConfirmCode.tsx'
import classes from './WebTerminal.module.css'

const TIP = 'What this terminal shows is kept, and can be played back by superusers. Keys are not recorded.'

/** One shell of the server; it ends with this window. */
export function WebTerminal() {
  const [state, setState] = useState<TerminalState>({ state: 'connecting' })
  const [round, setRound] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<TerminalView>(null)
  useEffect(() => {
    if (place.current === null) return undefined
    setState({ state: 'connecting' })
    const opened = openTerminal(place.current, {
      agentId: undefined,
      place: 'server',
      wish: {},
      onState: setState,
      onTitle: () => {},
    })
    view.current = opened
    opened.focus()
    return () => opened[Symbol.dispose]()
  }, [round])
  const again = () => setRound(round + 1)
  const isOver = state.state === 'ended' || state.state === 'refused'
  return (
    <div className={classes.tab}>
      <div className={classes.bar}>
        <p className={classes.status} role="status" data-state={state.state}>
          {describe(state)}
        </p>
        {state.state === 'open' && (
          <p className={classes.recorded} title={TIP}>
            <IconPlayerRecordFilled size={12} aria-hidden className={classes.dot} />
            Recorded
          </p>
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
      {state.state === 'refused' && state.code === 'code_needed' && (
        <ConfirmCode
          message={state.message}
          onConfirmed={again}
          onClose={() => setState({ ...state, code: 'refused' })}
        />
      )}
      <div className={classes.screen}>
        <div ref={place} className={classes.place} />
      </div>
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
    // The others are of machines.
    default:
      return 'Connecting to the server ...'
  }
}
