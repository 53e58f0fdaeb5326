import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Checkbox, MultiSelect, SegmentedControl } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { EmptyState, NoPermission } from '../../ui/layout/States.tsx'
import { machineNamesQuery, namesOf } from '../alerts/templates/template-form.ts'
import classes from './TogetherPage.module.css'
import { MAX_MACHINES, readAgents, writeAgents } from './side-by-side.ts'
import type { TerminalView } from './terminal-view.ts'
import { TerminalTab } from './TerminalTab.tsx'

interface TerminalCellProps {
  agentId: string
  hostname: string
  /** Typing is sent to other terminals as well. */
  isTarget: boolean
  isMarked: boolean
  /** Undefined = selection has no effect in this mode. */
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
            typing together
          </span>
        )}
        {onMark !== undefined && (
          <Checkbox
            size="xs"
            className={classes.mark ?? ''}
            label="Selected"
            aria-label={`Select ${hostname}`}
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
        initialRequest={DEFAULT_SHELL}
        onRequest={() => {}}
        onTitle={() => {}}
        onTyped={onTyped}
        onView={onView}
      />
    </section>
  )
}

const DEFAULT_SHELL = {}

const MODES: { value: TypingMode; label: string }[] = [
  { value: 'alone', label: 'Separate' },
  { value: 'marked', label: 'Selected together' },
  { value: 'all', label: 'All together' },
]

const page = getRouteApi('/signed-in/gated/terminals')

/** Terminals of several machines side by side; keys go to one, to the selected ones, or to all. */
export function TogetherPage() {
  const { agents: written = '' } = page.useSearch()
  const navigate = page.useNavigate()
  const may = useMay('can_use_terminal')
  const { data: machines = [] } = useQuery(machineNamesQuery)
  const [mode, setMode] = useState<TypingMode>('alone')
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const views = useRef(new Map<string, TerminalView>())
  usePageTitle('Terminals side by side')
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
  if (!may) return <NoPermission message="Your role does not allow you to use the terminal." />
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
          maxValues={MAX_MACHINES}
          searchable
          hidePickedOptions
          nothingFoundMessage="No matching machine"
          limit={200}
        />
        <SegmentedControl
          size="xs"
          aria-label="Typing goes to"
          data={MODES}
          value={mode}
          // One of the modes above.
          onChange={(next) => setMode(next as TypingMode)}
        />
      </header>
      <p className={classes.targets} role="status" data-together={targets.length > 1 || undefined}>
        <IconKeyboard size={16} stroke={1.75} aria-hidden />
        {targets.length > 1
          ? `Typing goes to ${targets.length} machines: ${targets.map((id) => nameOf(id)).join(', ')}`
          : mode === 'marked'
            ? 'Select at least two machines to type into them together.'
            : 'Typing goes to the focused terminal.'}
      </p>
      {shown.length === 0 ? (
        <EmptyState message="Choose machines above to open a terminal on each." />
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

/** Where keys go: to the focused terminal, to the selected ones, or to all. */
type TypingMode = 'alone' | 'marked' | 'all'

/** Machines that receive keys typed into any of them; with fewer than two, keys are not copied. */
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
