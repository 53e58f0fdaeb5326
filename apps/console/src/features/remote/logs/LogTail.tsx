import { Button, Select, TextInput } from '@mantine/core'
import type { JournalPriority } from '@muster/contract/agent/logs'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { LogRequest } from '@muster/contract/channels'
import { isWindowsPath, rawOfText } from '@muster/rules/agents/raw-path'
import { type ReactNode, useMemo, useState } from 'react'
import { BLOCKED_CAUSE, ProxyGuideLink } from '../../../app/live/Blocked.tsx'
import { OutputBox } from '../../../ui/layout/OutputBox.tsx'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import styles from './Logs.module.css'
import { EventLogField, isEventLog } from './EventFields.tsx'
import { showPieces } from './log-lines.ts'
import { PRIORITY_CHOICES } from './log-labels.ts'
import { type TailState, useLogTail } from './use-log-tail.ts'

interface LogTailProps {
  agent: AgentDetail
  /** Whether any file may be followed, not only logs. */
  mayFiles: boolean
  children: ReactNode
}

const FILE = { value: 'file', label: 'File' }
const SOURCES = [{ value: 'journal', label: 'Journal' }, FILE]
const WINDOWS_SOURCES = [{ value: 'eventlog', label: 'Event log' }, FILE]

/** New lines of the log of the system or of a file, live; text only. */
export function LogTail({ agent, mayFiles, children }: LogTailProps) {
  const isWindows = agent.plat === 'windows'
  const [kind, setKind] = useState(isWindows ? 'eventlog' : 'journal')
  const [log, setLog] = useState('System')
  const [unit, setUnit] = useState('')
  const [priority, setPriority] = useState<JournalPriority>('debug')
  const [path, setPath] = useState(isWindows ? 'C:\\Windows\\Logs\\' : '/var/log/')
  const [search, setSearch] = useState('')
  const [paused, setPaused] = useState(false)
  const [followed, setFollowed] = useState<{ round: number; request: LogRequest }>()
  const wrongPath = kind === 'file' && !isPath(path, isWindows) ? 'Enter the full path of a file.' : undefined
  const isFit = wrongPath === undefined && (kind !== 'eventlog' || isEventLog(log))
  const follow = () => {
    setPaused(false)
    const request = requestOf({ kind, unit: unit.trim(), log: log.trim(), priority, path, mayFiles })
    setFollowed((before) => ({ round: (before?.round ?? 0) + 1, request }))
  }
  return (
    <>
      <form
        className={classes.tools}
        onSubmit={(event) => {
          event.preventDefault()
          if (isFit) follow()
        }}
      >
        {children}
        {/* Windows has no folder for logs whose files everyone may follow. */}
        {(!isWindows || mayFiles) && (
          <Select
            aria-label="Source"
            w={110}
            data={isWindows ? WINDOWS_SOURCES : SOURCES}
            value={kind}
            allowDeselect={false}
            onChange={(value) => setKind(value ?? kind)}
          />
        )}
        {kind !== 'file' ? (
          <>
            {kind === 'eventlog' ? (
              <EventLogField value={log} onChange={setLog} />
            ) : (
              <TextInput
                className={styles.unit}
                aria-label="Unit"
                placeholder="Unit: ssh.service"
                value={unit}
                onChange={(event) => setUnit(event.currentTarget.value)}
              />
            )}
            <Select
              aria-label="Priority"
              data={PRIORITY_CHOICES}
              value={priority}
              allowDeselect={false}
              onChange={(value) => {
                const chosen = PRIORITY_CHOICES.find((choice) => choice.value === value)
                if (chosen !== undefined) setPriority(chosen.value)
              }}
            />
          </>
        ) : (
          <TextInput
            className={styles.path}
            aria-label="File"
            value={path}
            error={wrongPath}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
        )}
        <Button type="submit" disabled={!isFit}>
          Follow
        </Button>
        {followed !== undefined && (
          <>
            <Button variant="default" onClick={() => setPaused(!paused)}>
              {paused ? 'Resume' : 'Pause'}
            </Button>
            <Button variant="default" onClick={() => setFollowed(undefined)}>
              Stop
            </Button>
          </>
        )}
        <SearchField
          label="Show lines with"
          placeholder="Show lines with ..."
          value={search}
          onSearch={setSearch}
          className={classes.search}
        />
      </form>
      {followed === undefined ? (
        <EmptyState message="Choose a log to follow. New lines appear live." />
      ) : (
        <FollowedLog
          key={followed.round}
          agentId={agent.agent_id}
          request={followed.request}
          paused={paused}
          search={search}
        />
      )}
    </>
  )
}

interface FollowedLogProps {
  agentId: string
  request: LogRequest
  paused: boolean
  search: string
}

function FollowedLog({ agentId, request, paused, search }: FollowedLogProps) {
  const { pieces, state } = useLogTail(agentId, request, paused)
  const segments = useMemo(() => showPieces(pieces, search), [pieces, search])
  return (
    <>
      <p className={styles.state} role="status">
        {describe(state, paused)} {state.state === 'blocked' && <ProxyGuideLink size="compact-xs" />}
      </p>
      <div className={styles.tail}>
        <OutputBox label="Live log" segments={segments} empty="No lines yet" growing />
      </div>
    </>
  )
}

interface Choice {
  kind: string
  unit: string
  log: string
  priority: JournalPriority
  path: string
  mayFiles: boolean
}

function requestOf({ kind, unit, log, priority, path, mayFiles }: Choice): LogRequest {
  if (kind === 'eventlog') return { tool: 'log', source: { kind, log, priority } }
  if (kind === 'journal')
    return { tool: 'log', source: { kind: 'journal', unit: unit === '' ? null : unit, priority } }
  const raw = rawOfText(path)
  return mayFiles ? { tool: 'logfile', path: raw } : { tool: 'log', source: { kind: 'file', path: raw } }
}

const isPath = (path: string, isWindows: boolean) =>
  isWindows ? isWindowsPath(path) && !/[\\/]$/.test(path) : path.startsWith('/') && !path.endsWith('/')

function describe({ state, message }: TailState, paused: boolean): string {
  switch (state) {
    case 'connecting':
      return 'Connecting …'
    case 'following':
      return paused ? 'Paused' : 'Live'
    case 'lost':
      return `${message} Reconnecting …`
    case 'blocked':
      return `The live log cannot start. ${BLOCKED_CAUSE}`
    case 'ended':
      return message
  }
}
