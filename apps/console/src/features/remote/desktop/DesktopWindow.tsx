import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { VncTarget } from '@muster/rules/remote/vnc-targets'
import { useEffect, useRef, useState } from 'react'
import { EmptyState, NoPermission } from '../../../ui/layout/States.tsx'
import { MachineStatus } from '../../agents/machine-cells.tsx'
import { AskNeeded } from '../AskNeeded.tsx'
import { RecordedMark } from '../RecordedMark.tsx'
import classes from './DesktopWindow.module.css'
import { AskCredentials } from './AskCredentials.tsx'
import { DesktopFacts } from './DesktopFacts.tsx'
import { DesktopTools } from './DesktopTools.tsx'
import { InstallVncServer } from './InstallVncServer.tsx'
import { type DesktopPace, type DesktopState, type DesktopView, openDesktop } from './desktop-view.ts'
import { OtherPeople } from './OtherPeople.tsx'
import type { ScreenLook } from './screen.ts'
import { useClipboard } from './use-clipboard.ts'

const NO_PACE: DesktopPace = { milliseconds: undefined, bytesPerSecond: 0 }

/** The screen of a machine with everything that is done to it. */
export function DesktopWindow({ agent, target }: { agent: AgentDetail; target?: VncTarget }) {
  const { agent_id, hostname } = agent
  const [state, setState] = useState<DesktopState>({ state: 'connecting' })
  const [pace, setPace] = useState(NO_PACE)
  const [look, setLook] = useState<ScreenLook>({ viewOnly: false, fit: true, quality: 'balanced' })
  const [display, setDisplay] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<DesktopView>(null)
  const lastLook = useRef(look)
  const clipboard = useClipboard((text) => view.current?.screen?.paste(text))
  const { take } = clipboard
  useEffect(() => {
    lastLook.current = look
    view.current?.screen?.change(look)
  }, [look])
  useEffect(() => {
    if (place.current === null) return undefined
    setState({ state: 'connecting' })
    const opened = openDesktop(place.current, agent_id, {
      request: target === undefined ? { tool: 'desktop', display } : { tool: 'vnc', ...target },
      look: () => lastLook.current,
      onState: setState,
      onPace: setPace,
      onClipboard: take,
    })
    view.current = opened
    return () => opened[Symbol.dispose]()
  }, [agent_id, target, display, round, take])
  if (state.state === 'refused' && state.code === 'not_allowed')
    return <NoPermission message={state.message} />
  const isOver = state.state === 'ended' || state.state === 'refused'
  const lacksServer = state.state === 'refused' && state.code === 'no_vnc_server'
  const words = describe(
    state,
    target === undefined ? `the desktop of ${hostname}` : `${target.host}:${target.port} from ${hostname}`,
  )
  return (
    <main className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.name}>{hostname}</h1>
        <MachineStatus row={agent} />
        {!isOver && (
          <p className={classes.status} role="status" data-state={state.state}>
            {words}
          </p>
        )}
        {state.state === 'open' && <OtherPeople agentId={agent_id} session={state.session} />}
        {state.state === 'open' && state.recorded && <RecordedMark what="desktop" />}
        {state.state === 'open' && <DesktopFacts sinceMs={state.sinceMs} pace={pace} />}
      </header>
      {isOver && (
        <div role="status">
          <EmptyState message={words}>
            {lacksServer && <InstallVncServer agent={agent} onInstalled={() => setRound(round + 1)} />}
            <Button variant={lacksServer ? 'default' : 'filled'} onClick={() => setRound(round + 1)}>
              Connect again
            </Button>
          </EmptyState>
        </div>
      )}
      {state.state === 'open' && (
        <DesktopTools
          hostname={hostname}
          view={view}
          place={place}
          state={state}
          look={look}
          onLook={setLook}
          onDisplay={setDisplay}
          clipboard={clipboard}
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
      {state.state === 'asks' && <AskCredentials types={state.types} onGive={state.give} />}
      <div ref={place} className={classes.screen} data-over={isOver || undefined} />
    </main>
  )
}

function describe(state: DesktopState, place: string): string {
  switch (state.state) {
    case 'asking':
      return `Waiting for the person at the machine to allow it, ${state.seconds} seconds at most ...`
    case 'connecting':
      return `Connecting to ${place} ...`
    case 'open':
      return state.displays.length > 0
        ? `Display ${state.display} by ${state.server}`
        : `VNC to ${state.display}`
    case 'asks':
      return 'The VNC server asks who you are.'
    case 'lost':
      return 'The connection was lost. It is opened again ...'
    case 'offline':
      return `${state.message} It will be tried again until the machine is back.`
    case 'ended':
    case 'refused':
      return state.message
  }
}
