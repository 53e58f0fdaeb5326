import { Button } from '@mantine/core'
import type { ShellWish } from '@muster/contract/agent/shells'
import { useEffect, useRef, useState } from 'react'
import { notifyDone } from '../../app/notify.ts'
import { copyText } from '../../ui/copy-text.ts'
import { NoPermission } from '../../ui/States.tsx'
import { ConfirmCode } from '../sessions/ConfirmCode.tsx'
import { RecordedMark } from './RecordedMark.tsx'
import { ShellMenu } from './ShellMenu.tsx'
import { ShellPathDialog } from './ShellPathDialog.tsx'
import classes from './TerminalTab.module.css'
import { openTerminal, type TerminalState, type TerminalView } from './terminal-view.ts'

/** A shell of the machine. */
export function TerminalTab({ agentId, hostname }: { agentId: string; hostname: string }) {
  const [state, setState] = useState<TerminalState>({ state: 'connecting' })
  const [round, setRound] = useState(0)
  const [wish, setWish] = useState<ShellWish>({})
  /** What was opened last, for the way back. */
  const lastGood = useRef<ShellWish>({})
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<TerminalView>(null)
  useEffect(() => {
    if (place.current === null) return undefined
    setState({ state: 'connecting' })
    const opened = openTerminal(place.current, {
      agentId,
      wish,
      onState: (next) => {
        if (next.state === 'open') lastGood.current = wish
        setState(next)
      },
    })
    view.current = opened
    return () => opened[Symbol.dispose]()
  }, [agentId, round, wish])
  if (state.state === 'refused' && state.code === 'not_allowed')
    return <NoPermission message={state.message} />
  const begin = (next: ShellWish) => {
    view.current?.end()
    setWish(next)
    setRound(round + 1)
  }
  const isOver = state.state === 'ended' || state.state === 'refused'
  const noShell = state.state === 'refused' && state.code === 'no_shell' ? state.message : undefined
  return (
    <div className={classes.tab}>
      <div className={classes.bar}>
        <p className={classes.status} role="status" data-state={state.state}>
          {describe(state, hostname)}
        </p>
        {state.state === 'open' && state.recorded && <RecordedMark what="terminal" />}
        <ShellMenu
          agentId={agentId}
          wish={wish}
          label={state.state === 'open' ? `${nameOf(state.shell)} as ${state.user}` : 'Shell'}
          onWish={begin}
        />
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
          <Button size="compact-sm" onClick={() => begin(noShell === undefined ? wish : lastGood.current)}>
            {noShell === undefined ? 'New terminal' : 'Back to the last shell'}
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => view.current?.end()}>
            End terminal
          </Button>
        )}
      </div>
      {noShell !== undefined && wish.shell !== undefined && (
        <ShellPathDialog
          path={wish.shell}
          problem={noShell}
          onPath={(shell) => begin({ ...wish, shell })}
          onClose={() => begin(lastGood.current)}
        />
      )}
      {state.state === 'refused' && state.code === 'code_needed' && (
        <ConfirmCode
          message={state.message}
          onConfirmed={() => setRound(round + 1)}
          onClose={() => setState({ ...state, code: 'refused' })}
        />
      )}
      <div className={classes.screen}>
        <div ref={place} className={classes.place} />
      </div>
    </div>
  )
}

/** The name of a program, whichever system its path is of. */
const nameOf = (path: string) => path.split(/[/\\]/).at(-1) ?? path

function describe(state: TerminalState, hostname: string): string {
  switch (state.state) {
    case 'connecting':
      return `Connecting to ${hostname} ...`
    case 'asking':
      return `Waiting for the person at ${hostname} to allow it, ${state.seconds} seconds at most ...`
    case 'open':
      return `${state.resumed ? 'Back in' : 'In'} ${state.shell} as ${state.user} on ${hostname}`
    case 'lost':
      return 'The connection was lost. The terminal goes on for ten minutes; connecting again ...'
    case 'offline':
      return `${state.message} It will be tried again until the machine is back.`
    case 'ended':
      return state.exitCode === null ? state.message : `${state.message} Exit code ${state.exitCode}.`
    case 'refused':
      return state.message
  }
}
