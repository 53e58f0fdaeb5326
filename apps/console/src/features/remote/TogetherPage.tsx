import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Checkbox, MultiSelect, SegmentedControl } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { EmptyState, NoPermission } from '../../ui/layout/States.tsx'
import { machineNamesQuery, namesOf } from '../alerts/templates/machine-names.ts'
import classes from './TogetherPage.module.css'
import { MOST_MACHINES, readAgents, writeAgents } from './side-by-side.ts'
import type { TerminalView } from './terminal-view.ts'
import { TerminalTab } from './TerminalTab.tsx'

interface TerminalCellProps {
  agentId: string
  hostname: string
  /** What is typed into others is typed here as well. */
  isTarget: boolean
  isMarked: boolean
  /** Undefined = marks say nothing just now. */
  onMark: ((on: boolean) => void) | undefined
  onTyped: (text: string) => void
  onView: (view: TerminalView) => void
}

/** One machine's terminal beside others. */
function TerminalCell(props: TerminalCellProps) {
  const { agentId, hostname, isTarget, isMarked, onMark, onTyped, onView } = props
  return (
    <section className={classes.cell} aria-label={hostname} data-target={isTarget || undefined}>
      <div className={classes.cellHead}>
        <h2 className={classes.name}>{hostname}</h2>
        {isTarget && (
          <span className={classes.badge}>
            <IconKeyboard size={14} stroke={1.75} aria-hidden />
            typed into together
          </span>
        )}
        {onMark !== undefined && (
          <Checkbox
            size="xs"
            className={classes.mark ?? ''}
            label="Marked"
            aria-label={`Mark ${hostname}`}
            checked={isMarked}
            onChange={({ currentTarget }) => onMark(currentTarget.checked)}
          />
        )}
      </div>
      <TerminalTab
        agentId={agentId}
        hostname={hostname}
        place="together"
        isShown={false}
        firstWish={NO_WISH}
        onWish={() => {}}
        onTitle={() => {}}
        onTyped={onTyped}
        onView={onView}
      />
    </section>
  )
}

const NO_WISH = {}

const MODES: { value: TypingMode; label: string }[] = [
  { value: 'alone', label: 'Each alone' },
  { value: 'marked', label: 'Marked together' },
  { value: 'all', label: 'All together' },
]

const page = getRouteApi('/signed-in/gated/terminals')

/** Terminals of several machines side by side; what is typed goes to one, to those that are marked, or to all. */
export function TogetherPage() {
  const { agents: written = '' } = page.useSearch()
  const navigate = page.useNavigate()
  const may = useMay('can_use_terminal')
  const { data: machines = [] } = useQuery(machineNamesQuery)
  const [mode, setMode] = useState<TypingMode>('alone')
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const views = useRef(new Map<string, TerminalView>())
  useEffect(() => {
    document.title = 'Terminals side by side'
  }, [])
  const shown = readAgents(written)
  const change = (ids: string[]) => {
    for (const id of shown) if (!ids.includes(id)) views.current.get(id)?.end()
    void navigate({ search: { agents: writeAgents(ids) }, replace: true })
  }
  const targets = targetsOf({ mode, marked, shown })
  const type = (from: string, text: string) => {
    if (!targets.includes(from)) return
    for (const id of targets) if (id !== from) views.current.get(id)?.type(text)
  }
  const names = namesOf(machines)
  const nameOf = (id: string) => machines.find(({ agent_id }) => agent_id === id)?.hostname ?? id
  if (!may) return <NoPermission message="Your role does not allow the terminal." />
  return (
    <main className={classes.page}>
      <header className={classes.head}>
        <h1 className="page-title">Terminals side by side</h1>
        <MultiSelect
          className={classes.machines ?? ''}
          size="xs"
          aria-label="Machines"
          placeholder={shown.length === 0 ? 'Choose machines' : 'Add'}
          data={[...names, ...shown.filter((id) => !names.some(({ value }) => value === id))]}
          value={shown}
          onChange={change}
          maxValues={MOST_MACHINES}
          searchable
          hidePickedOptions
          nothingFoundMessage="No such machine"
          limit={200}
        />
        <SegmentedControl
          size="xs"
          aria-label="Where typed keys go"
          data={MODES}
          value={mode}
          // One of the modes above.
          onChange={(next) => setMode(next as TypingMode)}
        />
      </header>
      <p className={classes.targets} role="status" data-together={targets.length > 1 || undefined}>
        <IconKeyboard size={16} stroke={1.75} aria-hidden />
        {targets.length > 1
          ? `What you type goes to ${targets.length} machines at once: ${targets.map((id) => nameOf(id)).join(', ')}`
          : mode === 'marked'
            ? 'Mark two machines or more to type into them at once.'
            : 'What you type goes to the terminal that you are in.'}
      </p>
      {shown.length === 0 ? (
        <EmptyState message="Choose machines above. Each gets a terminal of its own here." />
      ) : (
        <div className={classes.grid}>
          {shown.map((id) => (
            <TerminalCell
              key={id}
              agentId={id}
              hostname={nameOf(id)}
              isTarget={targets.length > 1 && targets.includes(id)}
              isMarked={marked.has(id)}
              onMark={mode === 'marked' ? (on) => setMarked((now) => withMark(now, id, on)) : undefined}
              onTyped={(text) => type(id, text)}
              onView={(view) => void views.current.set(id, view)}
            />
          ))}
        </div>
      )}
    </main>
  )
}

function withMark(marked: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  const others = [...marked].filter((one) => one !== id)
  return new Set(on ? [...others, id] : others)
}

/** Where keys go: to the terminal that they are typed into, or also to those that are marked, or to all. */
type TypingMode = 'alone' | 'marked' | 'all'

/** The machines that get what is typed into any one of them; fewer than two = nothing is typed twice. */
export function targetsOf({
  mode,
  marked,
  shown,
}: {
  mode: TypingMode
  marked: ReadonlySet<string>
  shown: readonly string[]
}): string[] {
  if (mode === 'alone') return []
  return mode === 'all' ? [...shown] : shown.filter((id) => marked.has(id))
}
