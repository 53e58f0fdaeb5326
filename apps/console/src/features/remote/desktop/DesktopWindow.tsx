import { Button, PasswordInput, TextInput } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { VncTarget } from '@muster/rules/remote/vnc-targets'
import { useEffect, useRef, useState } from 'react'
import { listOpenTools } from '@muster/contract/api/remote'
import { useQuery } from '@tanstack/react-query'
import { formatFileSize } from '@muster/rules/text/units'
import { installSoftware } from '@muster/contract/api/software'
import { EmptyState, NoPermission } from '../../../ui/layout/States.tsx'
import { MachineStatus } from '../../agents/machine-cells.tsx'
import { AskNeeded } from '../AskNeeded.tsx'
import { RecordedMark } from '../RecordedMark.tsx'
import { call, query } from '../../../app/api/api.ts'
import { BLOCKED_CAUSE, ProxyGuideLink } from '../../../app/live/Blocked.tsx'
import { useNow } from '../../../ui/layout/use-now.ts'
import { useMay } from '../../../app/api/queries.ts'
import { InstallDialog } from '../../runs/InstallDialog.tsx'
import classes from './DesktopWindow.module.css'
import { DesktopTools } from './DesktopTools.tsx'
import { type DesktopPace, type DesktopState, type DesktopView, openDesktop } from './desktop-view.ts'
import type { Credentials, CredentialType, ScreenLook } from './screen.ts'
import { useClipboard } from './use-clipboard.ts'

const NO_PACE: DesktopPace = { milliseconds: undefined, bytesPerSecond: 0 }

/** The screen of a machine with its tools. */
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
  const isBlocked = state.state === 'blocked'
  const isOver = isBlocked || state.state === 'ended' || state.state === 'refused'
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
            {isBlocked && <ProxyGuideLink />}
            <Button variant={lacksServer ? 'default' : 'filled'} onClick={() => setRound(round + 1)}>
              Reconnect
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
      return `Waiting for consent at the machine, up to ${state.seconds} seconds …`
    case 'connecting':
      return `Connecting to ${place} ...`
    case 'open':
      return state.displays.length > 0
        ? `Display ${state.display} by ${state.server}`
        : `VNC to ${state.display}`
    case 'asks':
      return 'The VNC server asks for a sign-in.'
    case 'blocked':
      return `The desktop cannot start. ${BLOCKED_CAUSE}`
    case 'lost':
      return 'Connection lost. Reconnecting …'
    case 'offline':
      return `${state.message} Retrying until the machine is back.`
    case 'ended':
    case 'refused':
      return state.message
  }
}

/** Other open sessions on the machine. */
function OtherPeople({ agentId, session }: { agentId: string; session: string }) {
  const { data = [] } = useQuery({
    ...query(listOpenTools, { params: { agent_id: agentId } }),
    staleTime: 0,
  })
  const others = data.filter(({ id }) => id !== session)
  if (others.length === 0) return null
  const names = others.map(({ username, tool }) => `${username} (${tool === 'vnc' ? 'VNC' : tool})`)
  return <p className={classes.others}>Also here: {names.join(', ')}</p>
}

/** Session duration and connection quality. */
function DesktopFacts({ sinceMs, pace }: { sinceMs: number; pace: DesktopPace }) {
  const seconds = Math.max(0, Math.floor((useNow(1000) - sinceMs) / 1000))
  const { milliseconds, bytesPerSecond } = pace
  return (
    <dl className={classes.facts}>
      <Fact name="Session">{formatClock(seconds)}</Fact>
      <Fact name="Latency">
        {milliseconds === undefined ? '...' : `${Math.max(1, Math.round(milliseconds))} ms`}
      </Fact>
      <Fact name="Received">{formatFileSize(Math.round(bytesPerSecond))}/s</Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** `0:07`, `1:02:03`. */
function formatClock(seconds: number): string {
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60]
  const hours = Math.floor(seconds / 3600)
  const [minutes = 0, rest = 0] = parts
  const tail = String(rest).padStart(2, '0')
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`
}

interface AskCredentialsProps {
  types: readonly CredentialType[]
  onGive: (given: Credentials) => void
}

/** Name and password of a VNC server that Muster did not start. They are not stored. */
function AskCredentials({ types, onGive }: AskCredentialsProps) {
  const [given, setGiven] = useState<Credentials>({})
  const [isSent, setSent] = useState(false)
  return (
    <form
      className={classes.ask}
      onSubmit={(event) => {
        event.preventDefault()
        setSent(true)
        onGive(given)
      }}
    >
      {types.includes('username') && (
        <TextInput
          label="User name"
          autoComplete="off"
          onChange={({ currentTarget }) => setGiven({ ...given, username: currentTarget.value })}
        />
      )}
      <PasswordInput
        label="Password of the VNC server"
        autoComplete="off"
        data-autofocus
        autoFocus
        onChange={({ currentTarget }) => setGiven({ ...given, password: currentTarget.value })}
      />
      <Button type="submit" loading={isSent}>
        Connect
      </Button>
    </form>
  )
}

/** Both packages show the desktop; distributions differ in which one they have. */
const PACKAGE = 'x11vnc'
const OTHER_PACKAGE = 'tigervnc-scraping-server'

/** Installs the VNC server of a machine with X11, then connects; nothing without the permission. */
function InstallVncServer({ agent, onInstalled }: { agent: AgentDetail; onInstalled: () => void }) {
  const may = useMay('can_manage_software')
  const [isAsking, setAsking] = useState(false)
  const params = { agent_id: agent.agent_id }
  if (!may) return null
  return (
    <>
      <Button onClick={() => setAsking(true)}>Install {PACKAGE}</Button>
      {isAsking && (
        <InstallDialog
          title={`Install ${PACKAGE} on ${agent.hostname}?`}
          message={
            <>
              <p>
                Installs the package {PACKAGE} with the machine's package manager, or {OTHER_PACKAGE} if that
                is not available.
              </p>
              <p>Runs only during a session and is not reachable from the network.</p>
            </>
          }
          confirmLabel="Install"
          start={() =>
            call(installSoftware, { params, body: { name: PACKAGE, alternatives: [OTHER_PACKAGE] } })
          }
          next={
            <Button
              onClick={() => {
                setAsking(false)
                onInstalled()
              }}
            >
              Open desktop
            </Button>
          }
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
